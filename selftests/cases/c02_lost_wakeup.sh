#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=300 build=normal
# C02: a reject wakes whoever waits for the connect, every time, also when it comes just when the attempt's time is up.
. "$(dirname "$0")/../common.sh"

REJECT=7001 LATE=7002

nothing_stays() {
	expect "the number of endpoints" "$(rmc -j ep show)" "[]" || return
	busywait "$(slow 3)" no_orphans || fail "there are orphans: $(rmc -j dev show)"
}

waiter() {
	local n

	n=$(long 1000)
	trace_big $LIFE
	api reject dst="$(to $REJECT)" "$A0" n="$n" || return
	expect "the number of rejects" "$(trace_count 'connecting -> backoff reason=rejected')" "$n" || return
	trace_exactly_once && nothing_stays
}

# The reject is sent MS after the request, and the attempt ends within connect_ms, which counts from a little earlier
around_the_deadline() {
	local ms rounds

	rounds=$((($(long 1000) + 9) / 10))
	trace_big $LIFE
	for ms in 16 18 20 22 24 26 28 30 33 36; do
		peer_do set $LATE reject_after_ms $((ms - 15))
		api reject dst="$(to $LATE)" "$A0" n="$rounds" connect_ms=$ms || fail "connect_ms $ms" || return
	done
	note "$(trace_count 'backoff reason=rejected') by the reject, $(trace_count 'backoff reason=connect-timeout') by the clock"
	trace_exactly_once && nothing_stays
}

twenty_at_once() {
	local i

	trace_big rmc_ep_state
	for i in $(seq 20); do
		ep_add "e$i" max_attempts 1 idle -- $REJECT || return
	done
	for i in $(seq 20); do
		rmc ep connect "e$i" || return
	done
	busywait "$(slow 5)" all_lost || fail "$(trace_count ' -> lost reason=rejected errno=-111') of 20 are lost" || return
	in_ms 1000 "$(longest_connect)" "the slowest of 20 rejects"
}
all_lost() { [ "$(trace_count ' -> lost reason=rejected errno=-111')" = 20 ]; }
longest_connect() {
	trace_lines 'idle -> connecting| -> lost' | awk '
		{ match($0, / [0-9]+\.[0-9]+: /); t = substr($0, RSTART, RLENGTH - 2) * 1000
		  match($0, /ep=[0-9]+/); ep = substr($0, RSTART, RLENGTH) }
		/idle -> connecting/ { begin[ep] = t }
		/ -> lost/ { if (t - begin[ep] > max) max = t - begin[ep] }
		END { printf "%d\n", max }'
}

begin reject reject_after_ms:15
test_module rmc_api_test
t "C02: the waiter has the reject's errno in less than a second" waiter
t "C02: also when the reject comes around the deadline" around_the_deadline
t "C02: also when twenty are rejected at once" twenty_at_once
finish
