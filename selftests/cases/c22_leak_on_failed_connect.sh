#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=400 build=faults
# C22: thousands of attempts that fail in every way there is leave nothing behind.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001 REJECT=7002
NO_ROUTE=10.77.0.1

QUICK="backoff_min_ms 1 backoff_max_ms 1"

# memory_kb: of the kernel, for what no leak detector sees on a kernel without one
memory_kb() { awk '/^SUnreclaim:/ { print $2 }' /proc/meminfo; }

# shellcheck disable=SC2086
mixed() {
	local n before

	n=$(long 10000)
	before=$(memory_kb)
	ep_add no-route $QUICK -- $NO_ROUTE:$ACCEPT || return
	ep_add no-listener $QUICK -- $NOBODY || return
	ep_add reject $QUICK -- $REJECT || return
	busywait 300 attempts_made $((n * 3 / 4)) no-route no-listener reject || fail "$made attempts" || return
	note "no-route: $(path_why no-route 0), no-listener: $(path_why no-listener 0), reject: $(path_why reject 0)"
	note "kernel memory before and after: $before, $(memory_kb) kB"
	is_debug || [ $(($(memory_kb) - before)) -le 8192 ] || fail "that is more than 8 MB" || return
	expect "bad_events" "$(ep_stat no-route bad_events)$(ep_stat no-listener bad_events)$(ep_stat reject bad_events)" 000
}
# attempts_made N EP...: together
attempts_made() {
	local n=$1 e

	shift
	made=0
	for e; do
		made=$((made + $(ep_stat "$e" attempts)))
	done
	[ $made -ge "$n" ]
}

# Each allocation in turn
# shellcheck disable=SC2086
allocations() {
	local point n

	n=$(($(long 10000) / 4 / 6))
	ep_add e $QUICK idle -- $ACCEPT || return
	for point in conn_alloc id_create pd_alloc cq_get qp_create connect; do
		fault $point 12 0 $n || return
		rmc ep connect e || return
		busywait 100 fault_hit $point $n || fail "$point struck $(< $FAULTS/$point/hits) times, not $n" || return
		ep_wait e up || return
		rmc ep disconnect e && ep_wait e idle || return
	done
	expect "the failures" "$(ep_stat e failures)" $((n * 6)) || return
	expect "bad_events" "$(ep_stat e bad_events)" 0
}

have_faults
begin accept reject
t "C22: no route, no listener, and rejects" mixed
t "C22: allocations that fail" allocations
finish
