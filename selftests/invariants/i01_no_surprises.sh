#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=240 build=normal
# I1: an ordinary life never leads to a pair of state and event that the tables do not know. I3: each reconnect is a new
# connection with a new generation.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001 REJECT=7002

came_up() { [ "$(ep_stat e connects)" -ge "$1" ] && ep_is e up; }
no_surprise() {
	expect "bad_events" "$(ep_stat e bad_events)" 0 || return
	! trace_lines rmc_misfit || fail "a misfit in the trace" || return
	trace_exactly_once
}

two_paths() { ep_add e fail_fast_ms 300 "$@" -- $ACCEPT "dst 10.9.1.2:$ACCEPT src 10.9.1.1" && ep_wait e up; }

on_command() {
	local i

	trace_big $LIFE rmc_ep_state
	two_paths || return
	for i in 1 2 3; do
		rmc ep disconnect e && ep_wait e idle && rmc ep connect e && ep_wait e up || return
	done
	rmc path set e 1 down && ep_wait e up && path_wait e 1 disabled || return
	rmc path set e 1 up && path_wait e 1 up || return
	rmc path del e 0 && rmc path add e dst 10.9.0.2:$ACCEPT src 10.9.0.1 && path_wait e 2 up || return
	rmc ep set e detect_ms 1000 depth 4 conns 3 || return
	rmc ep disconnect e && rmc ep connect e && ep_wait e up || return
	no_surprise
}

by_force() {
	trace_big $LIFE rmc_ep_state
	two_paths conns 2 || return
	peer_do drop $ACCEPT
	busywait "$(slow 5)" came_up 4 || fail "not up again after the peer's disconnect" || return
	defer mend 0
	cut 0
	path_wait e 0 backoff || path_is e 0 connecting || return
	mend 0
	ep_wait e up || return
	peer_do set $ACCEPT reject
	peer_do drop $ACCEPT
	ep_wait e failfast || return
	peer_do set $ACCEPT accept
	ep_wait e up || return
	no_surprise
}

to_the_end() {
	trace_big $LIFE rmc_ep_state
	ep_add e max_attempts 3 backoff_min_ms 1 backoff_max_ms 5 -- $REJECT && ep_wait e lost || return
	rmc ep connect e && ep_wait e connecting && ep_wait e lost || return
	rmc ep disconnect e && ep_wait e idle || return
	no_surprise
}

new_each_time() {
	local i qpns=''

	trace_big $LIFE
	ep_add e backoff_min_ms 1 backoff_max_ms 5 -- $ACCEPT && ep_wait e up || return
	for i in 2 3 4 5 6; do
		qpns+=" $(peer_get $ACCEPT last_qpn)"
		peer_do drop $ACCEPT
		busywait "$(slow 5)" came_up $i || fail "not up for the ${i}th time" || return
	done
	expect "the generation" "$(path_field e 0 generation)" "$(ep_stat e attempts)" || return
	expect "generations that began" "$(trace_lines rmc_attempt | grep -o 'gen=[0-9]*' | sort -u | wc -l)" \
		"$(ep_stat e attempts)" || return
	expect "generations that came up" "$(trace_lines 'conn_state.* -> up' | grep -o 'gen=[0-9]*' | sort -u | wc -l)" 6 || return
	# shellcheck disable=SC2086
	[ "$RMC_TRANSPORT" = siw ] || expect "the number of QPs" "$(printf '%s\n' $qpns | sort -u | wc -l)" 5 || return
	no_surprise
}

begin accept reject
t "I1: commands surprise no state table" on_command
t "I1: neither do losses" by_force
t "I1: nor does the end of all attempts" to_the_end
t "I3: each reconnect is a new connection" new_each_time
finish
