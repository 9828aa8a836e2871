#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a managed connect costs over a bare one that does the same, and what a cold neighbour does to it. Sourced settings as
# in guest; prints TAP, leaves figures.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../detect/measure.sh"
. "$(dirname "$0")/../nvmf/target.sh"

BENCH=/sys/kernel/debug/rmc_bench
TO="dst=10.9.0.2:$PORT src=10.9.0.1"

medians() { # the median of each side's nanoseconds, as "BARE RMC" in microseconds
	local who

	for who in bare rmc; do
		sed -n "s/^$who //p" $BENCH/result | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] / 1000 }'
	done | tr '\n' ' '
}

# Both sides in turns in one kernel call, so that what slows one down slows the other
against_bare() {
	local i bare managed

	peers_up || return
	for i in $(seq "$(rounds)"); do
		echo "connect $TO n=21" > $BENCH/run || fail "rmc_bench" || return
		! grep -q error $BENCH/result || { fail "$(grep error $BENCH/result | head -n 1)"; return 1; }
		read -r bare managed < <(medians)
		figure "connect, bare rdma_cm" "$bare" "" us info
		figure "connect, managed" "$managed" "" us info
		figure "connect, managed / bare" "$(awk -v a="$managed" -v b="$bare" 'BEGIN { printf "%.3f", a / b }')" 1.2 x
	done
}

forget_neighbours() {
	ip neigh flush dev a0
	ip neigh flush dev b0
}
cold_neighbour() {
	local ns

	peers_up || return
	# the connection before it has warmed up all but the neighbour
	for i in $(seq 0 50); do
		forget_neighbours
		echo "once $TO" > $BENCH/run
		ns=$(sed -n 's/^rmc //p' $BENCH/result)
		[ -n "$ns" ] || fail "try $i: $(cat $BENCH/result)" || return
		[ "$i" = 0 ] || figure "connect, cold neighbour, 50 tries" "$(awk -v n="$ns" 'BEGIN { printf "%.1f", n / 1000000 }')" 250 ms max
	done
}

nvme_once() {
	nvme connect -t rdma -a 10.9.0.2 -s 4420 -w 10.9.0.1 -n $NQN -i 1 -l -1 > /dev/null 2>&1 || return
	nvme disconnect -n $NQN > /dev/null 2>&1
}
# The same with the kernel's own initiator, for comparison: admin and one I/O queue, until the command returns
nvme_beside() {
	local i ms what

	modprobe -q nvme_rdma || skip "no nvme-rdma in this kernel"
	[ -e /dev/nvme-fabrics ] || skip "no /dev/nvme-fabrics"
	defer target_down
	target_up || return
	nvme_once || skip "nvme connect does not work here"
	for i in 1 2 3 4 5 6 7; do
		for what in warm cold; do
			[ $what = warm ] || forget_neighbours
			ms=$(took_ms nvme_once) || fail "nvme connect, $what" || return
			figure "nvme-rdma connect and disconnect, $what neighbour" "$ms" "" ms info
		done
	done
}

test_module rmc_bench
t "managed against bare connects" against_bare
t "connects with a cold neighbour" cold_neighbour
t "nvme-rdma beside it" nvme_beside
rmmod rmc_bench
done_testing
