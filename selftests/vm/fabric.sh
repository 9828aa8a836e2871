#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw timeout=300 build=none
# The rig itself: what the other tests take for granted
. "$(dirname "$0")/../lib.sh"

all_devices() {
	local d

	for d in a0 a1 b0 b1; do
		rdma link show "${RMC_TRANSPORT}_$d/1" | grep -q "state ACTIVE.*netdev $d" || { fail "${RMC_TRANSPORT}_$d"; return 1; }
	done
}
hears() { ping -c 1 -W 1 "$@" > /dev/null; }
# rping's client may hang at its exit by its own fault, so its output decides
pings() {
	stdbuf -oL timeout -k 1 30 rping -c -v -a "$1" -C 3 > /run/rmc/rping 2>&1 &
	defer kill -KILL $!
	busywait 20 grep -q rdma-ping-2 /run/rmc/rping
}
deaf() { ! ping -c 2 -i 0.2 -W 1 "$@" > /dev/null; }
crosses_the_wire() {
	local a b

	a=$(cat /sys/class/net/b0/statistics/rx_packets)
	rping_server 10.9.0.2 || return 1
	pings 10.9.0.2 || { fail "rping"; return 1; }
	b=$(cat /sys/class/net/b0/statistics/rx_packets)
	[ $((b - a)) -gt 6 ] || fail "only $((b - a)) packets arrived at b0"
}
cut_and_mend() {
	defer mend 0
	hears 10.9.0.2 || { fail "no ping before"; return 1; }
	cut 0
	deaf 10.9.0.2 || { fail "the cut fabric answers"; return 1; }
	hears 10.9.1.2 || { fail "the other fabric is gone, too"; return 1; }
	[ "$(cat /sys/class/net/a0/carrier)" = 1 ] || { fail "the carrier tells"; return 1; }
	mend 0
	hears 10.9.0.2 || fail "no ping after"
}
lossy() {
	local n

	defer unloss_in b0
	loss_in b0 30
	n=$(ping -q -i 0.01 -c 200 -W 1 10.9.0.2 | sed -n 's/.* \([0-9]*\) received.*/\1/p')
	unloss_in b0
	[ "$n" -gt 100 ] && [ "$n" -lt 180 ] || fail "$n of 200 pings came back at 30 % loss"
}
side_b() {
	local rc

	[ "$(on_b 'echo 1; exit 7')" = 1 ] || { fail "output"; return 1; }
	on_b 'exit 7'
	rc=$?
	[ $rc = 7 ] || { fail "status $rc"; return 1; }
	[ "$(on_b printf '%s-' 'a b' c)" = 'a b-c-' ] || fail "arguments"
}
same_tree() {
	echo kept > "$RMC_OUT/kept"
	[ -e "$RMC_TREE/selftests/vm/fabric.sh" ] && [ "$(cat "$RMC_OUT/kept")" = kept ]
}

t "every fabric port has an active RDMA device" all_devices
t "traffic crosses the wire" crosses_the_wire
t "a cut is silent, and mended again" cut_and_mend
t "loss at ingress loses about what it should" lossy
t "a command on B gives its output and status" side_b
t "the tree is there and results are kept" same_tree
done_testing
