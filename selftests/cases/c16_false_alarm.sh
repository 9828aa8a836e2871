#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=400 build=normal
# C16: after five reconnects the settings and the probes are what they were, and real-time hogs that hold every CPU for
# almost detect_ms bring no path down.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../detect/measure.sh"

DETECT=1000
HOG_MS=800
HOGS=5
[ -z "${RMC_BENCH:-}" ] || HOGS=50

settings() { ep_get ep '[.settings, (.paths[] | [.detect_ms, .probe, .probe_interval_ms, .ack_timeout, .depth])] | tostring'; }
probes() { path_get ep 0 .stats.probes; }

# probe_rate WHAT: over ten seconds never faster than the interval says, and not much slower
probe_rate() {
	local a n from ms want

	want=$(path_get ep 0 .probe_interval_ms)
	a=$(probes) from=$(mono_us)
	stays 10 path_is ep 0 up || fail "not up" || return
	n=$(($(probes) - a)) ms=$((($(mono_us) - from) / 1000))
	note "$1: $n probes in $ms ms, one in $want ms is meant"
	[ "$n" -le $((ms / want + 2)) ] || fail "too many probes" || return
	[ "$n" -ge $((ms * ${RMC_TEST_PROBES_PERCENT:-75} / 100 / want)) ] || fail "too few probes"
}

five_reconnects() {
	local before i gen

	before=$(settings)
	probe_rate "at first" || return
	for i in 1 2 3 4 5; do
		gen=$(generation 0)
		echo "drop $PORT" > /sys/kernel/debug/rmc_test_peer/control
		busywait "$(slow 3)" _newer "$gen" || fail "no reconnect $i" || return
		both_up || return
	done
	[ "$(settings)" = "$before" ] || fail "settings changed: $before is now $(settings)" || return
	probe_rate "after five reconnects"
}
_newer() { [ "$(generation 0)" -gt "$1" ]; }

# One real-time process on each CPU, which nothing but interrupts gets through to
fifo_hogs() {
	local i pids=()

	for i in $(seq "$(nproc)"); do
		chrt -f 90 taskset -c $((i - 1)) bash -c "
			end=\$((\${EPOCHREALTIME/./} + $1 * 1000))
			while [ \${EPOCHREALTIME/./} -lt \$end ]; do :; done" &
		pids+=($!)
	done
	wait "${pids[@]}"
}
hogs_do_no_harm() {
	local since a i

	defer sh -c "echo $(cat /proc/sys/kernel/sched_rt_runtime_us) > /proc/sys/kernel/sched_rt_runtime_us"
	# otherwise every second has 50 ms for the rest
	echo -1 > /proc/sys/kernel/sched_rt_runtime_us
	since=$(mono_us)
	for i in $(seq $HOGS); do
		a=$(mono_us)
		fifo_hogs $HOG_MS
		a=$((($(mono_us) - a) / 1000))
		[ $a -ge $HOG_MS ] || fail "the hog ran for $a ms only" || return
		sleep 0.5
	done
	note "$HOGS times $HOG_MS ms, $(path_get ep 0 .stats.stalls) stalls noticed"
	if path_events 0 "$since" | grep -v ' suspect up ' | grep -v ' up suspect '; then
		fail "a false down"
	fi
	! path_events 1 "$since" | grep -q ' backoff ' || fail "a false down"
}

measure_init || { not_ok "the monitor"; done_testing; }
test_module rmc_test_peer listeners=$PORT:accept && ep_two_paths $DETECT || { not_ok "the endpoint comes up"; done_testing; }
t "C16: the same settings and probes after five reconnects" five_reconnects
t "C16: FIFO hogs on every CPU for $HOG_MS ms, detect_ms $DETECT" hogs_do_no_harm
rmc ep del ep
rmmod rmc_test_peer
done_testing
