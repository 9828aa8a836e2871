#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=240 build=normal
# I5: every attempt ends by rmc's own clock, whatever phase it hangs in, and a cold neighbour table hardly delays it.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001 SILENT=7002 SLOW=7003

# within WANT MS...: the median of all is WANT +- 10 %
within() {
	local want=$1 ms

	shift
	ms=$(printf '%s\n' "$@" | median)
	note "attempts took $* ms"
	[ "$ms" -ge $((want * 9 / 10)) ] && [ "$ms" -le $((want * 11 / 10)) ] || fail "$ms ms, not $want +- 10 %"
}
ended() { [ "$(attempt_ms "$1" | wc -l)" -ge "$2" ]; }

# hangs REASON PORT: with connect_ms 600; two attempts, for with more iWARP would wait for its driver
hangs() {
	local ep

	trace_big $LIFE
	ep_add e connect_ms 600 backoff_min_ms 1 backoff_max_ms 5 -- "$2" || return
	ep=$(ep_id e)
	busywait "$(slow 5)" ended "$ep" 2 || fail "the attempt does not end" || return
	trace_lines "connecting -> backoff reason=$1 errno=-110 " > /dev/null || fail "$(path_why e 0), not $1" || return
	# shellcheck disable=SC2046
	within 600 $(attempt_ms "$ep" | head -n 2) || return
	trace_exactly_once
}

address() {
	ip neigh flush dev a0
	defer mend 0
	cut 0
	hangs addr-timeout $ACCEPT
}
request() {
	ip neigh replace 10.9.0.2 lladdr $REAL_MAC nud permanent dev a0
	defer ip neigh replace 10.9.0.2 lladdr $REAL_MAC nud reachable dev a0
	defer mend 0
	cut 0
	hangs connect-timeout $ACCEPT
}

# The clock that starts with the request is long enough for a peer that takes its time
slow_peer() {
	trace_start rmc_attempt rmc_path_state
	ep_add e -- $SLOW && ep_wait e up || return
	expect "the number of attempts" "$(ep_stat e attempts)" 1
}

cold_neighbour() {
	local i ms worst=0

	ep_add e idle -- $ACCEPT || return
	for ((i = 0; i < $(long 50); i++)); do
		trace_start rmc_ep_state
		ip neigh flush dev a0
		ip neigh flush dev b0
		rmc ep connect e && ep_wait e up || return
		ms=$(trace_ms 'idle -> connecting' 'connecting -> up')
		[ "$ms" -le $worst ] || worst=$ms
		rmc ep disconnect e && ep_wait e idle || return
	done
	expect "the number of attempts" "$(ep_stat e attempts)" $i || return
	in_ms 250 $worst "the slowest of $i cold connects"
}

begin accept silent slow_accept_ms:400
t "I5: nobody answers for the address" address
t "I5: the request is lost" request
t "I5: the peer is silent" hangs connect-timeout $SILENT
t "I5: a peer that is slow is waited for" slow_peer
t "I5: a cold neighbour table delays it little" cold_neighbour
finish
