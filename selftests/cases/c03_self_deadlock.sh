#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=300 build=normal
# C03: the peer rejects while another thread deletes the endpoint. What the callback of a reject uses is not destroyed
# under it, nor does it destroy anything itself; so the delete returns.
. "$(dirname "$0")/../common.sh"

REJECT=7001 LATE=7002

# churn PORT MS SHARE: endpoints that are destroyed up to MS after their connect, when the reject is on its way
churn() {
	trace_big $LIFE
	api churn dst="$(to "$1")" "$A0" n="$(long "$3")" ms="$2" || return
	note "$(trace_count 'reason=rejected') rejects got through"
	MISFITS='' trace_exactly_once || return
	expect "what is there" "$(rmc -j ep show)" "[]"
}

# By the tool, the last of its processes while the next is at work
by_the_tool() {
	local i pids='' p

	for i in $(seq "$(long 100)"); do
		rmc ep add "e$i" mode verbs backoff_min_ms 1 backoff_max_ms 1 dst 10.9.0.2:$REJECT src 10.9.0.1 || return
		rmc ep del "e$i" &
		pids+=" $!"
	done
	for p in $pids; do
		wait "$p" || fail "a delete failed" || return
	done
	expect "what is there" "$(rmc -j ep show)" "[]"
}

begin reject reject_after_ms:15
test_module rmc_api_test
t "C03: the endpoint is destroyed while it is rejected" churn $REJECT 12 1000
t "C03: also when the reject is late" churn $LATE 30 500
t "C03: also from userspace" by_the_tool
finish
