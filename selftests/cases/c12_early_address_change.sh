#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe vms=1 timeout=300 build=normal
# C12: a bond fails over, and with that its MAC address changes, while an endpoint connects over it: one clean retry.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001
NEAR=10.9.8.1 FAR=10.9.8.2
SLAVE=c0

# bond8 = c0 + c1, joined by veth pairs to the bridge br8 on the other side, and an RDMA device on each
bond_up() {
	local i

	modprobe bonding max_bonds=0 && modprobe -q bridge
	ip link add bond8 type bond mode active-backup fail_over_mac active miimon 100 || return
	ip link add br8 type bridge || return
	for i in 0 1; do
		ip link add c$i type veth peer name d$i || return
		ip link set c$i master bond8 && ip link set d$i master br8 && ip link set d$i up || return
	done
	for i in bond8 br8; do
		echo 1 > /proc/sys/net/ipv4/conf/$i/accept_local
		echo 1 > /proc/sys/net/ipv4/conf/$i/arp_ignore
		echo 2 > /proc/sys/net/ipv4/conf/$i/arp_announce
		echo 0 > /proc/sys/net/ipv4/conf/$i/rp_filter
		ip link set $i up
		ip rule add pref 10 iif $i lookup local
	done
	ip addr add $NEAR/32 dev bond8 && ip addr add $FAR/32 dev br8 || return
	ip route add $FAR/32 dev bond8 src $NEAR && ip route add $NEAR/32 dev br8 src $FAR || return
	rdma link add rxe_bond type rxe netdev bond8 && rdma link add rxe_br type rxe netdev br8
}
bond_down() {
	rdma link del rxe_bond
	rdma link del rxe_br
	ip rule del pref 10 iif bond8
	ip rule del pref 10 iif br8
	ip link del bond8
	ip link del br8
	ip link del c0
	ip link del c1
}

fail_over() {
	[ $SLAVE = c0 ] && SLAVE=c1 || SLAVE=c0
	ip link set bond8 type bond active_slave $SLAVE
}

# The MAC has to change, or nothing is tested
mac_changes() {
	local before

	before=$(cat /sys/class/net/bond8/address)
	fail_over || return
	[ "$(cat /sys/class/net/bond8/address)" != "$before" ]
}

during_connect() {
	local i ms pid longest=0

	trace_big $LIFE rmc_ep_state rmc_cm_event
	ep_add e idle -- "dst $FAR:$ACCEPT src $NEAR" || return
	for ((i = 0; i < $(long 200); i++)); do
		rmc ep connect e &
		pid=$!
		pause $((RANDOM % 60))
		fail_over || return
		wait $pid || return
		ep_wait e up || fail "in round $i" || return
		rmc ep disconnect e && ep_wait e idle || return
	done
	for ms in $(trace_lines 'idle -> connecting|connecting -> up' | awk '
		{ match($0, / [0-9]+\.[0-9]+: /); t = substr($0, RSTART, RLENGTH - 2) * 1000 }
		/rmc_ep_state.*idle -> connecting/ { a = t } /rmc_ep_state.*connecting -> up/ { printf "%d\n", t - a }'); do
		[ "$ms" -le $longest ] || longest=$ms
	done
	note "$i rounds, $(trace_count rmc_attempt:) attempts, $(trace_count 'address change') changes heard"
	# one retry: the attempt that was disturbed, and the one that is not
	[ "$(trace_count rmc_attempt:)" -le $((i * 2)) ] || fail "more than one retry each" || return
	in_ms 1500 $longest "the longest connect" || return
	expect "bad_events" "$(ep_stat e bad_events)" 0 || return
	trace_exactly_once
}

when_up() {
	trace_big $LIFE
	ep_add e -- "dst $FAR:$ACCEPT src $NEAR" && ep_wait e up || return
	fail_over || return
	busywait "$(slow 5)" heard || fail "it did not notice" || return
	ep_wait e up || return
	[ "$(ep_stat e attempts)" -le 3 ] || fail "$(ep_stat e attempts) attempts" || return
	trace_exactly_once
}
# The address changed under a connection: the CM says so, or the probes do
heard() { [ "$(ep_stat e connects)" -ge 2 ] || trace_lines 'reason=addr-change' > /dev/null; }

begin
bond_up > "$T_TMP/bond" 2>&1 || { bond_down > /dev/null 2>&1; skip_all "no bond: $(tail -n 1 "$T_TMP/bond")"; }
peers accept
t "the bond changes its address" mac_changes
t "C12: the address changes during the connect" during_connect
t "C12: the address changes when it is up" when_up
ends_all
rmmod rmc_test_peer
bond_down
finish
