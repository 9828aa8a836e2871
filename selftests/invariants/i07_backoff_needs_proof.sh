#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=240 build=normal
# I7: what resets the backoff is a proof that the connection works, not that it was established.
. "$(dirname "$0")/../common.sh"

BRIEF=7001 PROVEN=7002 BLIND=7003

came_up() { [ "$(ep_stat e connects)" -ge "$1" ]; }

# Established and dropped at once: as good as a failure
without_proof() {
	trace_big $LIFE
	ep_add e -- $BRIEF || return
	busywait "$(slow 8)" came_up 4 || fail "only $(ep_stat e connects) connects" || return
	[ "$(path_field e 0 failures)" -ge 3 ] || fail "only $(path_field e 0 failures) failures after 4 brief connects" || return
	trace_exactly_once
}

without_proof_in_the_end() {
	ep_add e max_attempts 4 backoff_min_ms 1 backoff_max_ms 20 -- $BRIEF || return
	ep_wait e lost || return
	expect "the number of attempts" "$(ep_stat e attempts)" 4 || return
	expect "the reason" "$(ep_why e | cut -d ' ' -f 1)" peer-disconnect
}

with_proof() {
	ep_add e max_attempts 2 backoff_min_ms 1 backoff_max_ms 20 -- $PROVEN || return
	busywait "$(slow 10)" came_up 4 || fail "$(ep_stat e connects) connects, $(ep_state e), $(ep_why e)" || return
	[ "$(path_field e 0 failures)" -le 1 ] || fail "$(path_field e 0 failures) failures in spite of proofs"
}

# No probe is possible: ten seconds of being up have to do
by_time() {
	[ "$RMC_TRANSPORT" = siw ] || skip "there is always a probe"
	peer_do set $BLIND reject
	ep_add e -- $BLIND || return
	busywait "$(slow 3)" has_failed || fail "no failure" || return
	peer_do set $BLIND no_read
	ep_wait e up || return
	expect "the probe" "$(path_field e 0 probe)" none || return
	stays 7 has_failed || fail "forgiven too early" || return
	busywait "$(slow 4)" is_forgiven || fail "not forgiven after ten seconds"
}
has_failed() { [ "$(path_field e 0 failures)" -gt 0 ]; }
is_forgiven() { [ "$(path_field e 0 failures)" = 0 ]; }

begin drop_after_ms:1 drop_after_ms:900 no_read
t "I7: being established is no proof" without_proof
t "I7: attempts are used up without a proof" without_proof_in_the_end
t "I7: an answered probe is one" with_proof
t "I7: where no probe is possible, ten seconds of being up are" by_time
finish
