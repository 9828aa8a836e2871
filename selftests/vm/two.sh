#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1 transports=rxe vms=2 timeout=300 build=none
# Two machines: what the second one adds
. "$(dirname "$0")/../lib.sh"

hears() { ping -c 1 -W 1 "$@" > /dev/null; }
# rping's client may hang at its exit by its own fault, so its output decides
pings() {
	stdbuf -oL timeout -k 1 30 rping -c -v -a "$1" -C 3 > /run/rmc/rping 2>&1 &
	defer kill -KILL $!
	busywait 20 grep -q rdma-ping-2 /run/rmc/rping
}
deaf() { ! ping -c 2 -i 0.2 -W 1 "$@" > /dev/null; }
on_both_fabrics() { hears 10.9.0.2 && hears 10.9.1.2 && hears fd09:0::2 && hears fd09:1::2; }
another_machine() {
	[ "$(on_b 'cat /proc/sys/kernel/random/boot_id')" != "$(cat /proc/sys/kernel/random/boot_id)" ]
}
status_and_streams() {
	local rc out

	out=$(on_b 'echo out; echo err >&2; exit 7' 2> /run/rmc/err)
	rc=$?
	[ $rc = 7 ] && [ "$out" = out ] && [ "$(cat /run/rmc/err)" = err ] || fail "status $rc, '$out', '$(cat /run/rmc/err)'"
}
ends_with_its_caller() {
	timeout 1 on_b 'sleep 77'
	busywait 10 on_b '! pgrep -x sleep > /dev/null' || fail "the command on B lives on"
}
freezes() {
	local a b

	defer thaw_b
	freeze_b || { fail "freeze_b"; return 1; }
	deaf 10.9.0.2 || { fail "a frozen machine answers"; return 1; }
	a=$(ip -s link show a0 | tail -n 1 | awk '{ print $1 }')
	ping -q -f -c 500 -W 1 10.9.0.2 > /dev/null 2>&1
	thaw_b || { fail "thaw_b"; return 1; }
	busywait 10 hears 10.9.0.2 || fail "it does not answer after the thaw"
}
cut_and_mend() {
	defer mend 0
	cut 0
	deaf 10.9.0.2 || { fail "the cut fabric answers"; return 1; }
	hears 10.9.1.2 || { fail "the other fabric is gone, too"; return 1; }
	mend 0
	hears 10.9.0.2 || fail "no ping after"
}
rdma_both_families() {
	local a

	for a in 10.9.0.2 fd09:0::2; do
		on_b "timeout 30 rping -s -a $a > /dev/null 2>&1 &"
		busywait 10 on_b 'rdma resource show cm_id | grep -q LISTEN' || { fail "no listener on $a"; return 1; }
		pings $a || { fail "rping $a"; return 1; }
		busywait 10 on_b '! pgrep -x rping > /dev/null' || on_b 'pkill -KILL -x rping'
	done
}

t "both fabrics carry both address families" on_both_fabrics
t "B is another machine" another_machine
t "a command on B gives output, errors and status" status_and_streams
t "a command on B ends with its caller" ends_with_its_caller
t "RDMA works over IPv4 and IPv6" rdma_both_families
t "a cut from A's side silences the fabric" cut_and_mend
t "a frozen B answers nothing, and goes on after the thaw" freezes
done_testing
