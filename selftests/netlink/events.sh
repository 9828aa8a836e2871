#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe vms=1 timeout=240 build=normal
# The events group, and what belongs to one network namespace.
. "$(dirname "$0")/../lib.sh"

here=$(cd "$(dirname "$0")" && pwd)
have_rmc || skip_all "no rmc"
run_py() { timeout "$(slow 20)" python3 "$here/$1" "${@:2}" 2>&1; }

slow_reader() { run_py events.py slow; }
every_change_joins_up() {
	rping_server 10.9.0.2 || return
	rmc ep add e-order mode verbs idle detect "$([ "$RMC_KERNEL" = uml ] && echo 2000 || echo 1000)" \
		dst 10.9.0.2:7174 src 10.9.0.1 || return
	defer rmc ep del e-order
	run_py events.py order e-order 5
}
netns_sees_its_own() {
	ip netns add rmc-x || return
	defer ip netns del rmc-x
	rmc ep add same mode verbs idle || return
	defer rmc ep del same
	[ "$(rmc -n rmc-x -j ep show)" = '[]' ] || { fail "an endpoint is seen from another netns"; return 1; }
	! rmc -n rmc-x ep del same 2> /dev/null || { fail "and can be deleted from there"; return 1; }
	# a name is taken only where it is
	rmc -n rmc-x ep add same mode verbs idle dst 10.9.0.2:7174 || return
	[ "$(rmc -j ep show same | jq '.[0].paths | length')" = 0 ] || { fail "the two are mixed up"; return 1; }
	[ "$(rmc -n rmc-x -j ep show same | jq '.[0].paths | length')" = 1 ] || { fail "the two are mixed up"; return 1; }
}
netns_takes_its_endpoints_along() {
	ip netns add rmc-y || return
	rmc -n rmc-y ep add gone mode verbs dst 10.9.0.2:7174 || { ip netns del rmc-y; return 1; }
	ip netns del rmc-y
	# a netns goes in the background; a new one of that name begins empty
	sleep 0.5
	ip netns add rmc-y && defer ip netns del rmc-y
	[ "$(rmc -n rmc-y -j ep show)" = '[]' ]
}
events_stay_in_their_netns() {
	ip netns add rmc-z || return
	defer ip netns del rmc-z
	rmc -n rmc-z -j monitor > $T_TMP/z.json &
	local pid=$!
	defer kill $pid
	busywait 5 monitoring || { fail "monitor does not listen"; return 1; }
	rmc ep add here mode verbs idle && rmc ep del here
	rmc -n rmc-z ep add there mode verbs idle && rmc -n rmc-z ep del there
	busywait 5 grep -q '"ep":"there"' $T_TMP/z.json || { fail "no event of its own netns"; return 1; }
	! grep -q '"ep":"here"' $T_TMP/z.json || fail "an event of another netns"
}
monitoring() { ip netns exec rmc-z cat /proc/net/netlink | awk '$2 == 16 && $4 != "00000000"' | grep -q .; }
nothing_is_left() {
	[ "$(rmc -j ep show)" = '[]' ] || { fail "$(rmc ep show)"; return 1; }
	rdma_check_baseline && leak_check
}

rdma_baseline
t "a reader that is too slow is told that events are lost" slow_reader
t "every change of state follows the one before" every_change_joins_up
t "a netns sees and names its own endpoints only" netns_sees_its_own
t "a netns takes its endpoints along" netns_takes_its_endpoints_along
t "events stay in their netns" events_stay_in_their_netns
t "nothing is left" nothing_is_left
done_testing
