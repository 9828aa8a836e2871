#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=300 build=normal
# C04: answers that take about as long as the attempt may, while whoever waits is interrupted. Each attempt has exactly
# one outcome, and what comes after it changes nothing.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001 REJECT=7002

# Answers are late by the peer's egress: there netem only holds them, it does not lose any, which rxe could not stand
slow_answers() {
	defer tc qdisc del dev b0 root
	tc qdisc add dev b0 root netem delay 10ms || skip "no netem"
	ping -c 1 -W 5 -I a0 10.9.0.2 > /dev/null || fail "the delayed fabric does not work"
}

# What connect_ms is swept over; a debug kernel takes longer for everything
sweep() { seq 1 20; ! is_debug || seq 23 4 80; }

# swept PORT: some attempts for each connect_ms, less if one comes up
swept() {
	local ms

	slow_answers || return
	trace_big $LIFE
	ep_add e max_attempts "$(long 50)" backoff_min_ms 1 backoff_max_ms 10 idle -- "$1" || return
	for ms in $(sweep); do
		rmc ep set e connect_ms "$ms" && rmc ep connect e || return
		busywait "$(slow 10)" lost_or_up || fail "connect_ms $ms: $(ep_state e)" || return
		rmc ep disconnect e && ep_wait e idle || return
	done
	note "$(trace_count 'path_state: .* -> up ') came up, $(trace_count 'connecting -> backoff ') failed"
	trace_exactly_once || return
	expect "bad_events" "$(ep_stat e bad_events)" 0
}
lost_or_up() { ep_is e lost || ep_is e up; }

# The waiter has a signal while the answer is about to come
interrupted() {
	local ms i pid

	slow_answers || return
	trace_big $LIFE
	for ((i = 0; i < $(long 10); i++)); do
		for ms in $(sweep); do
			(
				trap : USR1
				echo "reject dst=$(to $REJECT) $A0 n=1 connect_ms=$ms" > $API/run
			) &
			pid=$!
			pause $((RANDOM % 20))
			kill -USR1 $pid
			wait $pid
			# interrupted (-4), or one of the two outcomes, which the module knows
			! grep '^fail: ' $API/result | grep -v 'wait number 0: -4' || fail "connect_ms $ms" || return
		done
	done
	trace_exactly_once || return
	busywait "$(slow 2)" nothing_there || fail "left: $(ep_names)"
}
nothing_there() { [ "$(rmc -j ep show)" = "[]" ]; }

begin accept reject
test_module rmc_api_test
t "C04: a peer that accepts, at about the deadline" swept $ACCEPT
t "C04: a peer that rejects, at about the deadline" swept $REJECT
t "C04: and the waiter is interrupted" interrupted
finish
