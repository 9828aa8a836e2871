#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=400 build=faults
# Events of the CM are swallowed, late or doubled. Swallowed: rmc's own clock ends what waits for them (I5). Late or
# doubled: one connect, one outcome, and nothing comes of the rest.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001 REJECT=7002
CONNECT_MS=1000

start() { # start PORT: with everything traced
	trace_big $LIFE rmc_cm_event
	ep_add e connect_ms $CONNECT_MS backoff_min_ms 1 backoff_max_ms 20 idle -- "$1"
}

# swallowed EVENT REASON: the attempt ends by its own clock, the next one comes up
swallowed() {
	local ms

	start $ACCEPT || return
	fault_event "$1" swallow || return
	rmc ep connect e && ep_wait e up || return
	fault_hit "cm/$1" || fail "the event never came" || return
	trace_lines "connecting -> backoff reason=$2 errno=-110 " > /dev/null ||
		fail "the reason is not $2: $(trace_lines 'connecting -> ')" || return
	ms=$(attempt_ms "$(ep_id e)" | head -n 1)
	[ "$ms" -ge $((CONNECT_MS * 9 / 10)) ] || fail "the attempt ended after $ms ms" || return
	in_ms $((CONNECT_MS * 11 / 10)) "$ms" "an attempt without $1" || return
	MISFITS=yes trace_exactly_once || return
	expect "the connects" "$(ep_stat e connects)" 1
}

rejected_swallowed() {
	local ms

	start $REJECT || return
	fault_event rejected swallow || return
	rmc ep connect e || return
	busywait "$(slow 5)" trace_lines 'reason=rejected' > /dev/null || fail "no second attempt" || return
	ms=$(attempt_ms "$(ep_id e)" | head -n 1)
	in_ms $((CONNECT_MS * 11 / 10)) "$ms" "an attempt whose reject was swallowed" || return
	expect "its reason" "$(trace_lines 'connecting -> ' | head -n 1 | grep -o 'reason=[^ ]*')" reason=connect-timeout
}

# The peer has gone and its good-bye is lost: the probes find out, or the error of the QP
disconnected_swallowed() {
	start $ACCEPT && rmc ep connect e && ep_wait e up || return
	fault_event disconnected swallow || return
	peer_do drop $ACCEPT
	busywait "$(slow 3)" came_up 2 || fail "e is $(ep_state e)" || return
	fault_hit cm/disconnected || fail "the event never came" || return
	MISFITS=yes trace_exactly_once
}
came_up() { [ "$(ep_stat e connects)" -ge "$1" ] && ep_is e up; }

addr_error_swallowed() {
	ip neigh flush dev a0
	defer mend 0
	cut 0
	start $ACCEPT || return
	fault_event addr_error swallow || return
	rmc ep connect e || return
	busywait "$(slow 5)" trace_lines 'reason=addr-timeout' > /dev/null || fail "the attempt does not end" || return
	in_ms $((CONNECT_MS * 11 / 10)) "$(attempt_ms "$(ep_id e)" | head -n 1)" "an attempt without addr_error" || return
	mend 0
	ep_wait e up
}

device_removal_swallowed() {
	local ms

	start $ACCEPT && rmc ep connect e && ep_wait e up || return
	fault_event device_removal swallow 0 -1 || return
	ms=$(took_ms dev_del a0) || return
	defer dev_add a0
	in_ms 5000 "$ms" "the link delete" || return
	path_wait e 0 waiting || return
	dev_add a0 || return
	ep_wait e up
}

# disturbed EVENT ACTION MS: connects, once
disturbed() {
	start $ACCEPT || return
	fault_event "$1" "$2" "$3" || return
	rmc ep connect e && ep_wait e up || return
	fault_hit "cm/$1" || fail "the event never came" || return
	# the second one may come long after
	busywait "$(awk -v ms="$3" 'BEGIN { print ms / 1000 + 0.3 }')" false
	expect "the state" "$(ep_state e)" up || return
	expect "the connects" "$(ep_stat e connects)" 1 || return
	expect "the attempts" "$(ep_stat e attempts)" 1 || return
	expect "the losses" "$(ep_stat e losses)" 0 || return
	MISFITS=yes trace_exactly_once
}

# too_late EVENT: it comes when its attempt is over
too_late() {
	start $ACCEPT || return
	fault_event "$1" delay $((CONNECT_MS + 400)) || return
	rmc ep connect e && ep_wait e up || return
	busywait 1 false
	expect "the connects" "$(ep_stat e connects)" 1 || return
	expect "the losses" "$(ep_stat e losses)" 0 || return
	# a dying connection hears late facts as a matter of course
	trace_exactly_once
}

# loss_disturbed ACTION MS: one loss, one reconnect
loss_disturbed() {
	start $ACCEPT && rmc ep connect e && ep_wait e up || return
	fault_event disconnected "$1" "$2" || return
	peer_do drop $ACCEPT
	busywait "$(slow 5)" came_up 2 || fail "e is $(ep_state e)" || return
	busywait 0.5 false
	expect "the losses" "$(ep_stat e losses)" 1 || return
	MISFITS=yes trace_exactly_once
}

reject_doubled() {
	start $REJECT || return
	fault_event rejected double 30 -1 || return
	rmc ep set e max_attempts 5 && rmc ep connect e && ep_wait e lost || return
	expect "the reason" "$(ep_why e | cut -d ' ' -f 1)" rejected || return
	expect "the attempts" "$(ep_stat e attempts)" 5 || return
	trace_exactly_once
}

have_faults
begin accept reject
defer dev_add a0
t "I5: addr_resolved is swallowed" swallowed addr_resolved addr-timeout
t "I5: route_resolved is swallowed" swallowed route_resolved route-error
t "I5: established is swallowed" swallowed established connect-timeout
t "I5: rejected is swallowed" rejected_swallowed
t "I5: addr_error is swallowed" addr_error_swallowed
t "fault: disconnected is swallowed" disconnected_swallowed
t "fault: device_removal is swallowed" device_removal_swallowed
for e in addr_resolved route_resolved established; do
	t "fault: $e is late" disturbed $e delay 300
	t "fault: $e comes twice at once" disturbed $e double 0
	t "fault: $e comes again much later" disturbed $e double 700
	t "I5: $e comes after the attempt's end" too_late $e
done
t "fault: disconnected is late" loss_disturbed delay 200
t "fault: disconnected comes twice" loss_disturbed double 50
t "fault: rejected comes twice, each time" reject_doubled
finish
