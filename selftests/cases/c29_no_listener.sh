#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=240 build=normal
# C29: nobody listens. How often and how long it is tried is a setting, the count is exact, the end is a state.
. "$(dirname "$0")/../common.sh"

# The listener comes after this many seconds
LATE=$(long 20)
LISTENER=7001

refused() { [ "$RMC_TRANSPORT" = siw ] && echo "no-listener 111 0" || echo "no-listener 111 8"; }

# tries N: exactly N times, then LOST, and then no more
tries() {
	local ep

	trace_start rmc_attempt
	ep_add e max_attempts "$1" backoff_min_ms 1 backoff_max_ms 20 -- $NOBODY || return
	ep=$(ep_id e)
	ep_wait e lost || return
	expect "the reason" "$(ep_why e)" "$(refused)" || return
	expect "the number of attempts in the trace" "$(trace_count "ep=$ep ")" "$1" || return
	expect "the number of attempts shown" "$(ep_stat e attempts)" "$1" || return
	stays 2 ep_is e lost || fail "LOST was left without being asked" || return
	expect "the number of attempts after LOST" "$(trace_count "ep=$ep ")" "$1"
}

# LOST means that every path has had its tries; one that is quicker than the other goes on meanwhile
two_paths() {
	local n

	ep_add e max_attempts 3 backoff_min_ms 1 backoff_max_ms 20 -- $NOBODY "dst 10.9.1.2:$NOBODY src 10.9.1.1" || return
	ep_wait e lost || return
	n=$(ep_get e '[.paths[].attempts] | min')
	expect "the number of attempts of the slower path" "$n" 3
}

asked_again() {
	trace_start rmc_attempt
	ep_add e max_attempts 3 backoff_min_ms 1 backoff_max_ms 20 -- $NOBODY || return
	ep_wait e lost || return
	rmc ep connect e || return
	busywait "$(slow 5)" attempts_are 6 || fail "$(trace_count .) attempts after a second connect, not 6" || return
	ep_wait e lost || return
	expect "the number of attempts" "$(trace_count .)" 6
}
attempts_are() { [ "$(trace_count .)" = "$1" ]; }

for_ever() {
	local before

	ep_add e -- $LISTENER || return
	busywait "$LATE" false
	ep_is e connecting || fail "the endpoint is $(ep_state e), not connecting" || return
	before=$(ep_stat e attempts)
	# at most 500 ms between two attempts in the first minutes
	[ "$before" -ge $((LATE * 2)) ] || fail "only $before attempts in $LATE s" || return
	trace_start rmc_path_state
	echo "rmc-listens" > $TRACING/trace_marker
	peer_do listen $LISTENER accept || return
	defer peer_do unlisten $LISTENER
	ep_wait e up || return
	in_ms 1000 "$(trace_ms rmc-listens 'connecting -> up')" "being up after the listener came"
}

for_a_while() {
	local ms

	trace_start rmc_ep_state
	ep_add e fail_fast_ms 1000 loss_ms 2000 -- $NOBODY || return
	ep_wait e lost || return
	expect "the reason" "$(ep_why e)" "timed-out 110 0" || return
	ms=$(trace_ms 'idle -> connecting' '-> lost')
	[ "$ms" -ge 1990 ] || fail "LOST after $ms ms, not 2000" || return
	in_ms 2200 "$ms" "loss_ms 2000"
}

lost_and_found() {
	ep_add e max_attempts 1 -- $LISTENER || return
	ep_wait e lost || return
	peer_do listen $LISTENER accept || return
	defer peer_do unlisten $LISTENER
	rmc ep connect e || return
	ep_wait e up
}

begin accept
peer_do unlisten $LISTENER
t "C29: with one attempt allowed there is one" tries 1
t "C29: with seven attempts allowed there are seven" tries 7
t "C29: with two paths the slower one has exactly what is allowed" two_paths
t "C29: connect after LOST begins to count anew" asked_again
t "C29: without a limit it goes on, and finds a listener that comes late" for_ever
t "C29: loss_ms ends it by time, also when it was never up" for_a_while
t "C29: what is LOST connects on demand" lost_and_found
finish
