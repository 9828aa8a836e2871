#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=200 build=faults
# The other fault points: objects that cannot be made, a probe that cannot be posted, a disconnect that fails.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001

# cannot_add POINT: "ep add" says so, nothing of the endpoint is left, and the next one works
cannot_add() {
	fault "$1" 12 || return
	! rmc ep add e mode verbs dst 10.9.0.2:$ACCEPT 2> "$T_TMP/err" || { rmc ep del e; fail "it worked"; return 1; }
	grep -q -i 'memory' "$T_TMP/err" || fail "the message is: $(< "$T_TMP/err")" || return
	[ -z "$(ep_names)" ] || fail "there is an endpoint" || return
	ep_add e -- $ACCEPT && ep_wait e up
}

cannot_add_path() {
	ep_add e -- $ACCEPT && ep_wait e up || return
	fault path_alloc 12 || return
	! rmc path add e dst 10.9.1.2:$ACCEPT 2> /dev/null || fail "it worked" || return
	rmc path add e dst 10.9.1.2:$ACCEPT src 10.9.1.1 || return
	ep_wait e up
}

probe_cannot_be_posted() { # ERRNO
	trace_big $LIFE
	ep_add e backoff_min_ms 1 backoff_max_ms 20 -- $ACCEPT && ep_wait e up || return
	fault probe_post "$1" 1 || return
	busywait "$(slow 3)" fault_hit probe_post || fail "no probe was posted" || return
	ep_wait e up || return
	busywait "$(slow 3)" trace_lines " -> backoff reason=qp-error errno=-$1 " > /dev/null ||
		fail "the reason is not qp-error $1: $(trace_lines ' -> backoff ')" || return
	busywait "$(slow 5)" came_up_twice || fail "it did not come back" || return
	trace_exactly_once
}
came_up_twice() { [ "$(ep_stat e connects)" = 2 ]; }

# The peer is not told, so it finds out by itself; here everything ends as always
disconnect_fails() {
	ep_add e -- $ACCEPT && ep_wait e up || return
	fault disconnect 22 || return
	rmc ep disconnect e && ep_wait e idle || return
	busywait "$(slow 2)" fault_hit disconnect || fail "no disconnect was tried" || return
	rmc ep connect e && ep_wait e up || return
	fault disconnect 5 || return
	del_prompt e "with a disconnect that fails" || return
	peer_do drop $ACCEPT
}

# rmc does not know the device then; the paths wait until it comes anew
device_unknown() {
	dev_del a0 || return
	fault dev_alloc 12 || return
	dev_add a0 || return
	expect "the hits" "$(< $FAULTS/dev_alloc/hits)" 1 || return
	ep_add e -- $ACCEPT || return
	path_wait e 0 waiting || return
	expect "what it waits for" "$(path_why e 0)" "no-device 19 0" || return
	dev_del a0 && dev_add a0 || return
	ep_wait e up
}

# An event that userspace does not get changes nothing else
notes_lost() {
	ep_add e idle -- $ACCEPT || return
	fault note_alloc 12 0 -1 || return
	rmc monitor all > "$T_TMP/events" &
	defer kill $!
	busywait "$(slow 5)" notes_missed || fail "no note was lost" || return
	rmc ep connect e && ep_wait e up
}
# The monitor needs a moment until it listens, and to nobody nothing is sent
notes_missed() { rmc ep disconnect e && rmc ep connect e && [ "$(< $FAULTS/note_alloc/hits)" -gt 0 ]; }

have_faults
begin accept
defer dev_add a0
t "fault: an endpoint cannot be made" cannot_add ep_alloc
t "fault: the path of a new endpoint cannot be made" cannot_add path_alloc
t "fault: one more path cannot be made" cannot_add_path
t "fault: a probe cannot be posted, ENOMEM" probe_cannot_be_posted 12
t "fault: a probe cannot be posted, EINVAL" probe_cannot_be_posted 22
t "fault: disconnecting fails" disconnect_fails
t "fault: a device cannot be taken in" device_unknown
t "fault: events for userspace are lost" notes_lost
finish
