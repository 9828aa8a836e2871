#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=240 build=normal
# I12: of everything that goes wrong with an attempt users see the first, with the number behind it.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001 REJECT=7002

up() {
	trace_big $LIFE rmc_ep_state
	ep_add e backoff_min_ms 2000 backoff_max_ms 2000 detect_ms 1000 "$@" -- $ACCEPT && ep_wait e up
}
# lost_because REASON: in the trace of the path, the endpoint and the connection that had it first
lost_because() {
	busywait "$(slow 5)" trace_lines 'rmc_path_state: .*(up|suspect) -> (backoff|waiting)' > /dev/null ||
		fail "nothing was lost" || return
	trace_lines "rmc_path_state: .* -> (backoff|waiting) reason=$1 " > /dev/null ||
		fail "the path says $(trace_lines 'rmc_path_state: .* -> (backoff|waiting)' | head -n 1)" || return
	trace_lines "rmc_conn_state: .* up -> drain reason=$1 " > /dev/null ||
		fail "no connection says $1" || return
	expect "the reason of the endpoint" "$(ep_why e | cut -d ' ' -f 1)" "$1"
}

# The QP's error and the flushed probe come right behind
peer_leaves() {
	up || return
	peer_do drop $ACCEPT
	lost_because peer-disconnect
}

# With several connections the others end because of the one
of_several() {
	local causes

	up conns 4 || return
	defer mend 0
	cut 0
	lost_because probe-timeout || return
	causes=$(trace_lines 'rmc_conn_state: .* up -> drain' | grep -c 'reason=probe-timeout')
	expect "connections with the cause" "$causes" 1 || return
	expect "connections that went along" "$(trace_lines 'up -> drain' | grep -c 'reason=generation')" 3
}

# The link's going takes the address and with it the packets
link_goes() {
	up || return
	ip link set a0 down
	defer link_back a0
	busywait "$(slow 5)" trace_lines 'up -> drain|suspect -> ' > /dev/null
	expect "the reason" "$(trace_lines 'path_state.*(up|suspect) -> (backoff|waiting)' | grep -o 'reason=[^ ]*')" reason=link-down
}

device_goes() {
	up || return
	dev_del a0 || return
	defer dev_add a0
	expect "the reason" "$(trace_lines 'rmc_path_state: .* -> waiting' | head -n 1 | grep -o 'reason=[^ ]*')" \
		reason=device-removed
}

# The number of tries is not the cause
used_up() {
	local why="rejected 111 28"

	[ "$RMC_TRANSPORT" != siw ] || why="rejected 111 0"
	ep_add e max_attempts 2 backoff_min_ms 1 backoff_max_ms 5 -- $REJECT && ep_wait e lost || return
	expect "the reason" "$(ep_why e)" "$why"
}

# Trying again does not forget it, and success does
while_trying() {
	trace_big $LIFE
	ep_add e backoff_min_ms 100 backoff_max_ms 100 -- $REJECT || return
	busywait "$(slow 5)" tried_twice || return
	expect "the reason" "$(path_why e 0 | cut -d ' ' -f 1)" rejected || return
	peer_do set $REJECT accept
	defer peer_do set $REJECT reject
	ep_wait e up || return
	expect "the reason" "$(path_why e 0)" none
}
tried_twice() { [ "$(ep_stat e attempts)" -ge 2 ]; }

begin accept reject
t "I12: the peer's disconnect" peer_leaves
t "I12: one of four connections" of_several
t "I12: the link's going" link_goes
t "I12: the device's going" device_goes
t "I12: a reject, after all attempts" used_up
t "I12: a reject, while it is tried again" while_trying
finish
