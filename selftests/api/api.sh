# SPDX-License-Identifier: GPL-2.0
# For scripts that let rmc_api_test do the work, with rmc_test_peer as the other side. Sourced after lib.sh.
# shellcheck shell=bash disable=SC2034

. "$(dirname "${BASH_SOURCE[0]}")/baseline.sh"

API=/sys/kernel/debug/rmc_api_test
PEER=/sys/kernel/debug/rmc_test_peer

# api TEST [KEY=VALUE...]: what it noted is printed, its verdict is the status
api() {
	echo "$*" > $API/run || { fail "rmc_api_test: $1 did not run"; return 1; }
	sed -e 's/^fail: /# /' -e '/^ok$/d' $API/result
	[ "$(tail -n 1 $API/result)" = ok ]
}

# peers BEHAVIOUR...: loads rmc_test_peer with listeners on 7001 and up
peers() {
	local b list='' port=7001

	for b; do
		list+=,$port:$b
		port=$((port + 1))
	done
	test_module rmc_test_peer "listeners=${list#,}"
}
peer_do() { echo "$*" > $PEER/control; }
peer_get() { sed -n "s/^$2 //p" "$PEER/$1"; }	# peer_get PORT KEY

api_up() { # api_up [BEHAVIOUR...]: both modules, until the script ends
	rdma_baseline
	test_module rmc_api_test || return
	[ $# = 0 ] || peers "$@"
}

# the last test of each script
leaves_nothing() {
	rmmod rmc_api_test || fail "rmc_api_test does not unload" || return
	[ ! -d /sys/module/rmc_test_peer ] || rmmod rmc_test_peer || fail "rmc_test_peer does not unload" || return
	rdma_check_baseline "$(slow 5)"
}

A0="src=10.9.0.1"
to() { echo "10.9.${2:-0}.2:$1"; }	# to PORT [FABRIC]
