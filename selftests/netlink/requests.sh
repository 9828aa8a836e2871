#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe vms=1 timeout=240 build=normal
# Every wrong request gets its errno, a sentence and the position of what is wrong, and leaves nothing.
. "$(dirname "$0")/../lib.sh"

here=$(cd "$(dirname "$0")" && pwd)
have_rmc || skip_all "no rmc"
tap=$T_TMP/requests.tap

# a program that prints TAP is one test here: its failures say what failed
run_py() {
	timeout "$(slow 40)" python3 "$here/$1" "${@:2}" > "$tap" 2>&1
	local rc=$?

	grep -B 3 '^not ok' "$tap"
	[ $rc = 0 ] || tail -n 3 "$tap"
	note "$(grep -c '^ok' "$tap") right, $(grep -c '^not ok' "$tap") wrong"
	return $rc
}
wrong_requests() { run_py requests.py; }
no_privilege() {
	rmc ep add t-seen mode verbs idle || return
	defer rmc ep del t-seen
	run_py requests.py -p
}
nothing_leaks() {
	[ "$(rmc -j ep show)" = '[]' ] || { fail "$(rmc ep show)"; return 1; }
	rdma_check_baseline && leak_check
}

rdma_baseline
t "every wrong request gets its errno, a sentence and a position" wrong_requests
t "who has no CAP_NET_ADMIN may look, and no more" no_privilege
t "nothing leaks" nothing_leaks
done_testing
