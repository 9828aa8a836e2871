#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=240 build=normal
# C18: a request that goes to a neighbour who swallows it. The CM would go on for 98 s and TCP for two minutes; neither
# an attempt, nor a delete, nor unloading waits for them.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001

ended() { [ "$(attempt_ms "$1" | wc -l)" -ge "$2" ]; }

# own_deadline MS [SETTING VALUE...]: attempts that are each ended by rmc's own clock
own_deadline() {
	local limit=$1 ep ms n=5

	shift
	# there the path waits as soon as the driver holds two connections
	[ "$RMC_TRANSPORT" != siw ] || n=2
	trace_big $LIFE
	blackhole
	ep_add e backoff_min_ms 1 backoff_max_ms 1 "$@" -- $GONE:$ACCEPT || return
	ep=$(ep_id e)
	busywait "$(slow $((limit / 100 + 2)))" ended "$ep" $n || fail "no $n attempts have ended" || return
	expect "the reason" "$(path_why e 0)" "connect-timeout 110 0" || return
	ms=$(attempt_ms "$ep" | head -n $n | median)
	note "attempts took $(attempt_ms "$ep" | tr '\n' ' ')ms"
	[ "$ms" -ge $((limit * 9 / 10)) ] && [ "$ms" -le $((limit * 11 / 10)) ] ||
		fail "an attempt took $ms ms, not $limit ms +- 10 %" || return
	trace_exactly_once || return
	del_prompt e "with a request that nobody answers"
}

# The clock that starts with the request is shorter than connect_ms and doubles while nobody answers
answer_deadline() {
	local ep ms want=1000 n=0

	trace_big $LIFE
	blackhole
	ep_add e -- $GONE:$ACCEPT || return
	ep=$(ep_id e)
	busywait "$(slow 10)" ended "$ep" 3 || fail "no three attempts have ended" || return
	for ms in $(attempt_ms "$ep" | head -n 3); do
		n=$((n + 1))
		note "attempt $n took $ms ms"
		[ "$ms" -ge $((want * 9 / 10)) ] || fail "attempt $n took $ms ms, not $want ms" || return
		# a machine that is busy may be late once, hence a gate
		in_ms $((want * 11 / 10)) "$ms" "attempt $n" || return
		want=$((want * 2))
	done
}

delete_and_unload() {
	local ms

	[ "$RMC_TRANSPORT" != siw ] || skip "siw connects inside the driver: unloading waits for TCP, as documented"
	rmmod rmc_test_peer || return
	blackhole
	ep_add e -- $GONE:$ACCEPT || return
	busywait 1 false
	del_prompt e "one second after connect" || return
	ep_add f -- $GONE:$ACCEPT "$GONE:$((ACCEPT + 1))" || return
	busywait "$(slow 2)" path_is f 0 connecting || return
	ms=$(took_ms rmmod rmc) || fail "rmmod" || return
	insmod "$RMC_KO/rmc.ko" || return
	peers accept || return
	in_ms 10000 "$ms" "unloading in the middle of an attempt"
}

delete_after_a_second() {
	blackhole
	ep_add e -- $GONE:$ACCEPT || return
	busywait 1 false
	del_prompt e "one second after connect"
}

repointed() {
	local ep gen

	trace_big $LIFE
	ip neigh replace 10.9.0.2 lladdr 02:00:00:00:00:99 nud permanent dev a0
	defer ip neigh replace 10.9.0.2 lladdr $REAL_MAC nud reachable dev a0
	ep_add e connect_ms 1500 -- $ACCEPT || return
	ep=$(ep_id e)
	busywait "$(slow 5)" in_flight "$ep" || fail "no request went out" || return
	gen=$(trace_lines "rmc_attempt: ep=$ep " | tail -n 1 | grep -o 'gen=[0-9]*')
	echo "rmc-repointed" > $TRACING/trace_marker
	ip neigh replace 10.9.0.2 lladdr $REAL_MAC nud reachable dev a0
	ep_wait e up || return
	# what is left of the attempt that was running, a wait, and a connect
	in_ms 2200 "$(trace_ms rmc-repointed 'rmc_path_state: .*connecting -> up')" "being up after the neighbour moved" || return
	[ "$RMC_TRANSPORT" = siw ] ||
		! trace_lines "rmc_path_state: ep=$ep .* -> up" | grep -q "$gen " ||
		fail "the attempt with the wrong address came up" || return
	trace_exactly_once
}
in_flight() { trace_lines "rmc_conn_state: ep=$1 .* -> connect " > /dev/null; }

begin accept
t "C18: connect_ms is held" own_deadline 800 connect_ms 800
[ "$RMC_TRANSPORT" = siw ] || t "C18: so is the deadline for the answer" answer_deadline
t "C18: delete is prompt" delete_after_a_second
t "C18: so is unloading" delete_and_unload
t "C18: a neighbour who moves in mid-attempt is found by the next one" repointed
finish
