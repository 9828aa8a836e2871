#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=400 build=normal
# What something local tells is known within 100 ms, and when it is well again the path is up within 300 ms.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/measure.sh"

DEV=${RMC_TRANSPORT}_a0

# there_and_back BREAK MEND WHAT
there_and_back() {
	local breaks=$1 mends=$2 what=$3 since gen i

	two_paths 2000 || return
	defer "$mends"
	for i in $(seq "$(rounds)"); do
		gen=$(generation 1)
		rdma_fresh
		proven 0 || return
		since=$(mono_us)
		$breaks
		expect left_up 100 0 "$since" "$what: noticed" || return
		# longer than the first waits between attempts, so that none is about to be made anyway
		stays "1.$((RANDOM % 9))" path_is_down 0 || fail "up although $what" || return
		since=$(mono_us)
		$mends
		expect came_up 300 0 "$since" "$what, undone: up again" || return
		both_up || return
		[ "$(generation 1)" = "$gen" ] || fail "the other path was lost too" || return
	done
}

link_down() { ip_now "link set a0 down"; }
link_again() { ip_now "link set a0 up"; }
addr_del() { ip_now "addr del 10.9.0.1/32 dev a0"; }
addr_add() { ip_now "addr add 10.9.0.1/32 dev a0" "route replace 10.9.0.2/32 dev a0 src 10.9.0.1"; }
dev_del() { rdma_now "link del $DEV"; }
dev_add() { rdma_now "link add $DEV type $RMC_TRANSPORT netdev a0"; }

# The other end of the wire is switched off and on; this side keeps its address and sees the carrier. The core tells of a
# carrier at once when it comes, and at most once a second when it goes. Whether the path is only suspected or torn down
# is up to the device: some fail a QP that sends without a carrier. (It is short, for rxe never recovers from a CM
# message that its peer has to send over a port that is down.)
carrier_blinks() {
	local since i

	subnet_on b0 && two_paths 10000 || return
	defer ip link set b0 up
	for i in $(seq "$(rounds)"); do
		since=$(mono_us)
		ip_now "link set b0 down"
		expect left_up 1100 0 "$since" "the carrier is lost: noticed" || return
		path_is_down 0 || fail "path 0 is $(path_state ep 0)" || return
		since=$(mono_us)
		ip_now "link set b0 up"
		expect recovered 300 0 "$since" "the carrier is back: up again" || return
		both_up || return
	done
}

another_name() {
	local since

	rdma_fresh
	two_paths 2000 || return
	since=$(mono_us)
	dev_del
	expect left_up 100 0 "$since" "the device goes away: noticed" || return
	path_wait ep 0 waiting || return
	defer rdma link add "$DEV" type "$RMC_TRANSPORT" netdev a0
	defer rdma link del other_a0
	since=$(mono_us)
	rdma_now "link add other_a0 type $RMC_TRANSPORT netdev a0"
	expect came_up 300 0 "$since" "the device returns as other_a0: up again" || return
	[ "$(path_get ep 0 .dev)" = other_a0 ] || fail "device is $(path_get ep 0 .dev)"
}

# The kernel closes what a killed peer had, and says so on the wire. That the peer is back nobody tells.
peer_ends() {
	local since i pid

	rping_server 10.9.1.2 $PORT || return
	for i in $(seq "$(rounds)"); do
		rping -s -P -a 10.9.0.2 -p $PORT > /dev/null 2>&1 &
		pid=$!
		defer kill -KILL $pid
		busywait "$(slow 5)" _listeners 2 || fail "no listener" || return
		if [ "$i" = 1 ]; then
			ep_two_paths 2000 || return
		fi
		both_up || return
		since=$(mono_us)
		kill -KILL $pid
		expect left_up 100 0 "$since" "the peer disconnects: noticed" || return
		wait $pid 2> /dev/null || :
	done
}

measure_init || { not_ok "the monitor"; done_testing; }
link_goes() { subnet_on a0 && there_and_back link_down link_again "the link is down"; }
t "ip link set down, and up" link_goes
t "the carrier goes, and comes" carrier_blinks
t "the address is deleted, and added" there_and_back addr_del addr_add "the address is gone"
t "the device is deleted, and added" there_and_back dev_del dev_add "the device is gone"
t "the device returns under another name" another_name
t "the peer disconnects" peer_ends
done_testing
