#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=400 build=normal
# A fabric that goes silent is noticed within detect_ms + 20 % + 50 ms, and used again within a second of its mend.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/measure.sh"

notice_and_return() {
	local detect=$1 limit=$(($1 + $1 / 5 + 50)) since i gen

	two_paths "$detect" || return
	defer mend 0
	for i in $(seq "$(rounds)"); do
		gen=$(generation 1)
		since=$(cut_now 0)
		expect left_up "$limit" 0 "$since" "detect $detect: a silent cut noticed" || return
		expect torn_down "$limit" 0 "$since" "detect $detect: a silently cut path torn down" || return
		# dead for a while, so that the mend meets attempts in their later and longer form
		stays "1.$((RANDOM % 9))" path_is_down 0 || fail "up over a cut fabric" || return
		since=$(mend_now 0)
		expect came_up 1000 0 "$since" "detect $detect: up after a silent mend" || return
		both_up || return
		[ "${RMC_TEST_PEER:-}" = rping ] || [ "$(generation 1)" = "$gen" ] || fail "the other path was lost too" || return
	done
}

if [ "$RMC_TRANSPORT" = siw ]; then
	all="1000 3000"
else
	all="100 500 2000"
fi
measure_init || { not_ok "the monitor"; done_testing; }
for detect in $all; do
	t "a fabric that goes silent, detect_ms $detect" notice_and_return "$detect"
done
done_testing
