#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=800 build=normal
# A busy machine and a lossy wire are no reason to suspect a path: a hog on every CPU and 5 % loss one way, for a minute, in
# a bench for ten.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/measure.sh"

DETECT=500
[ "$RMC_TRANSPORT" != siw ] || DETECT=2000
DURATION=60
[ -z "${RMC_BENCH:-}" ] || DURATION=600

# A process that computes and never sleeps, one for each CPU
hogs() {
	local i

	for i in $(seq "$(nproc)"); do
		taskset -c $((i - 1)) bash -c 'while :; do :; done' &
		defer kill -KILL $!
	done
}
changes() { path_events 0 "$1" && path_events 1 "$1"; }
quiet_since() { [ -z "$(changes "$1")" ]; }

nothing_happens() {
	local since n got

	two_paths $DETECT || return
	defer unloss_in a0
	loss_in a0 5
	hogs
	since=$(mono_us)
	n=$(path_get ep 0 .stats.probes)
	# seldom, for each look costs some processes on a machine that has no time for them
	while [ $(($(mono_us) - since)) -lt $((DURATION * 1000000)) ]; do
		quiet_since "$since" || break
		sleep 2
	done
	n=$(($(path_get ep 0 .stats.probes) - n))
	got=$(changes "$since" | wc -l)
	note "$n probes over the lossy path in $((($(mono_us) - since) / 1000000)) s, $(path_get ep 0 .stats.stalls) stalls of this side"
	figure "hogs and 5 % loss for $DURATION s, detect $DETECT: changes of state" "$got" 0 "" max
	[ "$n" -gt $((DURATION * 1000 / DETECT)) ] || fail "it hardly probed" || return
	[ "$got" = 0 ] || { changes "$since" | sed 's/^/# /'; fail "false alarm"; }
}

# The counter-proof: under the same conditions a fabric that is really cut is noticed. A CPU that is late may delay that.
still_noticed() {
	local since

	two_paths $DETECT || return
	defer mend 0
	loss_in a0 5
	hogs
	since=$(cut_now 0)
	expect torn_down $((3 * DETECT)) 0 "$since" "hogs and 5 % loss: a cut noticed"
}

measure_init || { not_ok "the monitor"; done_testing; }
t "no false alarm with a hog on each CPU and 5 % loss one way, detect_ms $DETECT" nothing_happens
t "a cut is noticed all the same" still_noticed
done_testing
