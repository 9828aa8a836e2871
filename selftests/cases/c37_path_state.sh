#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=600 build=normal
# C37: two fabrics, each taken down and up in turn under traffic. The dead one is skipped in under a second, the one that
# is back is used again after a probe went through.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../detect/measure.sh"
. "$(dirname "$0")/../nvmf/target.sh"

DETECT=500
[ "$RMC_TRANSPORT" != siw ] || DETECT=1000
TURNS=2
[ -z "${RMC_BENCH:-}" ] || TURNS=10

# Traffic beside the endpoint's own, so that the wire is not idle when it is cut
traffic() {
	local i

	for i in 0 1; do
		_rping_for_ever 10.9.$i.2 &
		defer kill -TERM $!
	done
	busywait "$(slow 5)" _listeners 2 || fail "rping does not listen" || return
	for i in 0 1; do
		_rping_asks 10.9.$i.2 10.9.$i.1 &
		defer kill -TERM $!
	done
}
_rping_asks() {
	local pid

	trap 'kill -KILL $pid; exit' TERM
	while :; do
		timeout 10 rping -c -a "$1" -I "$2" -p $PORT -C 100000 -S 1024 > /dev/null 2>&1 &
		pid=$!
		wait $pid
		sleep 0.2
	done
}

# take_down I OTHER: by a silent cut
take_down() {
	local i=$1 other=$2 since beats ms

	defer mend "$i"
	since=$(cut_now "$i")
	expect left_up 1000 "$i" "$since" "C37: a dead path is skipped" || return
	busywait "$(slow 1)" ep_prefers "$other" || fail "prefers $(ep_get ep .preferred) with path $i dead" || return
	beats=$(probe_get "path$other.keep_alives")
	busywait "$(slow 5)" probe_more "path$other.keep_alives" $((beats + 1)) || fail "nothing goes over path $other" || return
	! path_is ep "$i" up || fail "path $i is up although its fabric is cut" || return
	since=$(mend_now "$i")
	expect came_up 1000 "$i" "$since" "C37: up after the mend" || return
	# path 0 has the better priority
	busywait "$(slow 5)" ep_prefers 0 || fail "path 0 is not used again" || return
	probe_wait "path$i.state" associated && proven "$i" || return
	beats=$(probe_get "path$i.keep_alives")
	busywait "$(slow 5)" probe_more "path$i.keep_alives" "$beats" || fail "nothing goes over path $i again"
}
ep_prefers() { [ "$(ep_get ep .preferred)" = "$1" ]; }

in_turn() {
	local n

	traffic || return
	for n in $(seq $TURNS); do
		take_down 0 1 && take_down 1 0 || return
	done
	probe_is path0.keep_alive_errors 0 || note "$(probe_get path0.keep_alive_errors) keep-alives failed with their path"
}

measure_init || { not_ok "the monitor"; done_testing; }
target_up || { not_ok "the target does not start"; done_testing; }
probe_up name=ep detect_ms=$DETECT kato_ms=1000 wait_ms=5000 || { not_ok "rmc_nvmf_probe does not load"; done_testing; }
if probe_wait path0.state associated && probe_wait path1.state associated && both_up; then
	t "C37: each fabric goes and comes in turn under traffic" in_turn
else
	not_ok "two associations"
fi
probe_down
target_down
done_testing
