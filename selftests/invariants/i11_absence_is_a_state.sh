#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=300 build=normal
# I11: a device, an address, a link or a peer that is gone leaves the endpoint waiting; it resumes by itself.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001 LATER=7002
EVENT_MS=300		# up again after something local told us
PEER_MS=1000		# after nothing did

# back CMD...: what was gone is back when CMD has returned
back() {
	"$@" && echo "rmc-back" > $TRACING/trace_marker
}
# resumes NAME LIMIT: up again, in LIMIT ms after "back"; it may have been quicker than the command
resumes() {
	local ms

	ep_wait "$1" up || return
	ms=$(trace_ms rmc-back "rmc_ep_state: ep=$(ep_id "$1") .*-> (up|degraded)")
	in_ms "$2" "${ms:-0}" "resuming"
}
up() {
	trace_start rmc_ep_state rmc_path_state
	ep_add e fail_fast_ms 200 -- $ACCEPT && ep_wait e up
}
# absent REASON: the path waits for the reason that is given
absent() {
	path_wait e 0 waiting || return
	expect "what it waits for" "$(path_why e 0 | cut -d " " -f 1)" "$1"
}

device() {
	up || return
	dev_del a0 || return
	defer dev_add a0
	absent device-removed || return
	ep_wait e failfast || return
	back dev_add a0 || return
	resumes e $EVENT_MS
}

device_other_name() {
	up || return
	dev_del a0 || return
	absent device-removed || return
	defer dev_add a0
	defer rdma link del renamed
	back dev_add a0 renamed || return
	resumes e $EVENT_MS || return
	expect "the device" "$(path_field e 0 dev)" renamed
}

device_absent_at_first() {
	trace_start rmc_ep_state
	dev_del a0 || return
	defer dev_add a0
	ep_add e -- $ACCEPT || return
	path_wait e 0 waiting || return
	stays 2 path_is_not_lost || return
	back dev_add a0 || return
	resumes e $EVENT_MS
}
path_is_not_lost() { ! ep_is e lost; }

# Waiting for a device is nobody's failed attempt
absence_does_not_count() {
	dev_del a0 || return
	defer dev_add a0
	ep_add e max_attempts 2 -- $ACCEPT || return
	path_wait e 0 waiting || return
	stays 4 path_is_not_lost || fail "waiting has used up the attempts" || return
	dev_add a0 || return
	ep_wait e up
}

addr_back() {
	ip addr add 10.9.0.1/32 dev a0
	ip route replace 10.9.0.2/32 dev a0 src 10.9.0.1
}
address() {
	up || return
	ip addr del 10.9.0.1/32 dev a0 || return
	defer addr_back
	absent addr-removed || return
	back addr_back || return
	resumes e $EVENT_MS
}
address_absent_at_first() {
	trace_start rmc_ep_state
	ip addr del 10.9.0.1/32 dev a0 || return
	defer addr_back
	ep_add e -- $ACCEPT || return
	path_wait e 0 waiting || return
	back addr_back || return
	resumes e $EVENT_MS
}

link() {
	up || return
	ip link set a0 down || return
	defer link_back a0
	busywait "$(slow 2)" ep_is_not_up || fail "a link that is down went unnoticed" || return
	# what follows are attempts that find no route
	trace_lines 'rmc_path_state: .* reason=link-down errno=-100 ' > /dev/null || fail "$(trace_lines path_state)" || return
	back link_back a0 || return
	resumes e $EVENT_MS
}
ep_is_not_up() { ! ep_is e up; }

route() {
	trace_start rmc_ep_state
	ip route replace unreachable 10.9.0.2/32 || return
	defer ip route del unreachable 10.9.0.2/32
	defer ip route replace 10.9.0.2/32 dev a0 src 10.9.0.1
	ep_add e -- $ACCEPT || return
	busywait "$(slow 2)" path_is e 0 backoff || path_is e 0 waiting || fail "$(path_state e 0)" || return
	back ip route replace 10.9.0.2/32 dev a0 src 10.9.0.1 || return
	resumes e $PEER_MS
}

peer() {
	up || return
	peer_do set $ACCEPT reject
	defer peer_do set $ACCEPT accept
	peer_do drop $ACCEPT
	ep_wait e failfast || return
	back peer_do set $ACCEPT accept || return
	resumes e $PEER_MS
}

begin accept
t "I11: the device goes and comes back" device
t "I11: the device comes back under another name" device_other_name
t "I11: the device is not there at first" device_absent_at_first
t "I11: waiting for a device uses up no attempt" absence_does_not_count
t "I11: the address goes and comes back" address
t "I11: the address is not there at first" address_absent_at_first
t "I11: the link goes down and comes back" link
t "I11: the route is not there at first" route
t "I11: the peer goes and comes back" peer
finish
