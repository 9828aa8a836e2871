#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=400 build=normal
# C05: the device goes while endpoints are in all phases of connecting. Nobody waits for them: the device is gone at
# once, the paths wait for it, and when it is back so are they.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001 REJECT=7002 SILENT=7003 SLOW=7004

# One that comes up, one that is rejected again and again, one whose request is out, one that is being accepted
endpoints() {
	ep_add accept idle -- $ACCEPT &&
	ep_add reject backoff_min_ms 50 backoff_max_ms 50 -- $REJECT &&
	ep_add silent backoff_min_ms 50 backoff_max_ms 50 -- $SILENT &&
	ep_add slow -- $SLOW
}

waiting() { # waiting N: all paths there are wait for the device
	busywait "$(slow 5)" all_paths_are "$1" waiting || fail "not all paths are waiting"
}

# once MS: the delete and a fresh connect within MS of each other. The process that deletes needs some time to begin, so
# the connect goes first for a small MS and comes too late for a big one.
once() {
	local ms

	rmc ep disconnect accept && ep_wait accept idle || return
	took_ms dev_del a0 > "$T_TMP/took" &
	pause "$1"
	rmc ep connect accept || return
	wait $! || fail "the link delete failed" || return
	ms=$(< "$T_TMP/took")
	[ "$ms" -le "$longest" ] || longest=$ms
	waiting 4 || return
	dev_add a0 || return
	ep_wait accept up
}

sweep() { # sweep STEP
	local ms longest=0

	endpoints || return
	for ((ms = 0; ms <= 50; ms += $1)); do
		once $ms || fail "with $ms ms between" || return
	done
	in_ms 5000 $longest "the longest link delete"
}

under_load() {
	local i

	for i in 1 2; do
		while :; do :; done &
		defer kill $!
	done
	sweep "$1"
}

# An attempt that stands before an address which nobody answers for has no device yet, or has just got it
while_resolving() {
	local ms

	ip neigh flush dev a0
	cut 0
	defer mend 0
	ep_add e -- $ACCEPT || return
	busywait "$(slow 2)" path_is e 0 connecting || fail "not connecting" || return
	ms=$(took_ms dev_del a0) || fail "the link delete failed" || return
	in_ms 5000 "$ms" "the link delete" || return
	mend 0
	waiting 1 || return
	case $(path_why e 0) in
	no-device*|device-removed*|no-address*) ;;
	*) fail "it waits for $(path_why e 0)"; return 1 ;;
	esac
	dev_add a0 || return
	ep_wait e up
}

no_misfit() {
	local e

	endpoints || return
	dev_del a0 && busywait "$(slow 5)" all_paths_are 3 waiting && dev_add a0 || return
	for e in reject silent slow; do
		expect "bad_events of $e" "$(ep_stat $e bad_events)" 0 || return
	done
}

begin accept reject silent slow_accept_ms:100
defer dev_add a0
t "C05: the link is deleted at any moment of an attempt" sweep "$([ "${RMC_BENCH:-}" = 1 ] && echo 1 || echo 12)"
t "C05: also under load" under_load "$([ "${RMC_BENCH:-}" = 1 ] && echo 1 || echo 25)"
t "C05: also while the address is being resolved" while_resolving
t "I1: nothing of that surprises a state table" no_misfit
finish
