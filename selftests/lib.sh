# SPDX-License-Identifier: GPL-2.0
# For test scripts inside the test machine:
#
#	#!/bin/bash
#	# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=120 build=normal
#	. "$(dirname "$0")/../lib.sh"
#	the_path_comes_up() { ...; }
#	t "a path comes up over a fabric" the_path_comes_up
#	done_testing
#
# A test is a function; it runs in a subshell, passes when it returns 0 and is skipped when it calls skip. What it
# deferred is undone at its end. What fails should say why with fail "...".
# shellcheck shell=bash

# a test of the kind kernels=host runs outside
[ -z "${RMC_VM_LIB:-}" ] || . "$RMC_VM_LIB"
T_TMP=/run/rmc
[ -d $T_TMP ] || T_TMP=${RMC_OUT:-/tmp}
RMC_LIB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
T_COUNT=0 T_FAILED=0 T_SKIP=99
DEFERRED=()

now_ms() { echo $(($(date +%s%N) / 1000000)); }
is_debug() { [ "$RMC_KERNEL" = uml ] || [ "$RMC_KERNEL" = debug ]; }
# A debug kernel, or one that is emulated, needs more time for the same: slow SECONDS says how much
slow() { is_debug && echo $(($1 * 4)) || echo $(($1 * 2)); }
note() { echo "# $*"; }
fail() { echo "# $*"; return 1; }
skip() { echo "# SKIP $*"; exit $T_SKIP; }

# defer CMD...: at the end of the test (or of the script, outside of one), last in first out
defer() { DEFERRED+=("$(printf '%q ' "$@")"); }
_undo() {
	local i

	for ((i = ${#DEFERRED[@]} - 1; i >= 0; i--)); do
		eval "${DEFERRED[i]}" > /dev/null 2>&1
	done
	DEFERRED=()
}
trap _undo EXIT

# busywait SECONDS CMD...: until CMD succeeds; the last output of CMD is printed
busywait() {
	local end=$(($(now_ms) + $(awk -v s="$1" 'BEGIN { print int(s * 1000) }'))) out

	shift
	while :; do
		if out=$("$@"); then
			[ -z "$out" ] || echo "$out"
			return 0
		fi
		[ "$(now_ms)" -lt "$end" ] || { [ -z "$out" ] || echo "$out"; return 1; }
		sleep 0.02
	done
}
# stays SECONDS CMD...: CMD succeeds all the time
stays() {
	local s=$1

	shift
	! busywait "$s" _fails "$@" > /dev/null
}
_fails() { ! "$@" > /dev/null; }
# took_ms CMD...: prints how long CMD took, returns its status
took_ms() {
	local a rc

	a=$(now_ms)
	"$@" > /dev/null
	rc=$?
	echo $(($(now_ms) - a))
	return $rc
}
# in_ms LIMIT MS WHAT: a timing, gated at three times its limit unless the caller's machine is the one that measures
in_ms() {
	local gate=$(($1 * ${RMC_TEST_SLACK:-3}))

	[ "$2" -le $gate ] || { fail "$3 took $2 ms, the limit is $1 ms (gated at $gate ms)"; return 1; }
	note "$3 took $2 ms (limit $1 ms)"
}

# --- TAP ---
ok() { T_COUNT=$((T_COUNT + 1)); echo "ok $T_COUNT - $*"; }
not_ok() { T_COUNT=$((T_COUNT + 1)); T_FAILED=$((T_FAILED + 1)); echo "not ok $T_COUNT - $*"; }
ok_skip() { T_COUNT=$((T_COUNT + 1)); echo "ok $T_COUNT - $1 # SKIP $2"; }
plan() { echo "1..$1"; }

# t NAME FUNC [ARGS...]: one test; RMC_TEST_ONLY restricts to names that match
t() {
	local t_name=$1 t_rc t_out=$T_TMP/t.out

	shift
	case $t_name in *"${RMC_TEST_ONLY:-}"*) ;; *) return 0 ;; esac
	# not behind a pipe: a process that a test leaves behind must not hold it open
	(
		DEFERRED=()
		trap _undo EXIT
		"$@"
	) > "$t_out" 2>&1
	t_rc=$?
	if [ $t_rc = $T_SKIP ]; then
		ok_skip "$t_name" "$(sed -n 's/^# SKIP //p' "$t_out" | tail -n 1)"
	elif [ $t_rc = 0 ]; then
		grep '^#' "$t_out"
		ok "$t_name"
	else
		sed 's/^#* */# /' "$t_out" | tail -n 40
		not_ok "$t_name"
	fi
}
done_testing() {
	plan $T_COUNT
	[ $T_FAILED = 0 ]
	exit
}
# skip_all REASON: the script has nothing to do here
skip_all() { echo "1..0 # SKIP $*"; exit 0; }

# --- what must be as it was ---
# rdma_baseline: remembers resources and module references; rdma_check_baseline waits until they are back
_rdma_now() {
	# the CQs of a device's pool stay with the device once they are made
	rdma resource show | sed 's/^[0-9]*: //; s/ cq [0-9]*//' | sort
	for m in rmc rdma_cm ib_core rdma_rxe siw; do
		# devices and their own references stay what they are while the fabrics stand
		[ ! -e "/sys/module/$m/refcnt" ] || echo "$m $(cat "/sys/module/$m/refcnt")"
	done
}
rdma_baseline() { _rdma_now > $T_TMP/baseline; }
_rdma_same() { diff $T_TMP/baseline <(_rdma_now); }
rdma_check_baseline() {
	busywait "${1:-$(slow 5)}" _rdma_same || { fail "resources or module references are not back at their baseline"; return 1; }
}
# leak_check: kmemleak knows of nothing with a frame of ours; free of charge where there is no kmemleak
leak_check() {
	local k=/sys/kernel/debug/kmemleak

	[ -w $k ] || return 0
	echo scan > $k; sleep 6; echo scan > $k
	! grep -A 40 '^unreferenced' $k | grep '\[rmc' || fail "kmemleak"
}

# --- the kernel log ---
log_mark() { echo "rmc-mark: $*" > /dev/kmsg; }
# log_since MARK: the kernel log after log_mark MARK
log_since() { dmesg | sed "1,/rmc-mark: $1\$/d"; }

# --- the module ---
rmc_load() { [ -d /sys/module/rmc ] || insmod "$RMC_KO/rmc.ko" "$@"; }
# rmc_unload [SECONDS]: prompt, or a failure; an rmmod that hangs is left behind
rmc_unload() {
	[ -d /sys/module/rmc ] || return 0
	rmmod rmc &
	busywait "${1:-10}" test ! -d /sys/module/rmc || fail "rmmod rmc did not return"
}
test_module() { # test_module NAME [PARAMS...]: one of selftests/modules
	local name=$1

	shift
	[ -e "$RMC_KO/$name.ko" ] || skip "$name.ko is not built"
	insmod "$RMC_KO/$name.ko" "$@"
}
have_rmc() { [ -d /sys/module/rmc ] && command -v rmc > /dev/null; }

# --- endpoints, through the tool ---
ep_json() { rmc -j ep show "$@" | jq -c '.[0] // empty'; }
ep_get() { ep_json "$1" | jq -r "$2"; }				# ep_get NAME JQ-EXPRESSION
ep_state() { ep_get "$1" .state; }
path_get() { ep_json "$1" | jq -r ".paths[] | select(.id == $2) | $3"; }	# path_get NAME ID JQ-EXPRESSION
path_state() { path_get "$1" "$2" .state; }
ep_is() { [ "$(ep_state "$1")" = "$2" ]; }
path_is() { [ "$(path_state "$1" "$2")" = "$3" ]; }
# ep_wait NAME STATE [SECONDS], path_wait NAME ID STATE [SECONDS]
ep_wait() {
	busywait "${3:-$(slow 5)}" ep_is "$1" "$2" ||
		{ fail "endpoint $1 is $(ep_state "$1"), not $2 (reason $(ep_get "$1" '.reason | tostring'))"; return 1; }
}
path_wait() {
	busywait "${4:-$(slow 5)}" path_is "$1" "$2" "$3" ||
		{ fail "path $1/$2 is $(path_state "$1" "$2"), not $3 (reason $(path_get "$1" "$2" '.reason | tostring'))"; return 1; }
}

# listening PORT: rdma_cm has a listener there; the way to wait for a server that was just started
listening() { rdma -j resource show cm_id 2> /dev/null | grep -q "\"src-port\":$1[,}]" || rdma resource show cm_id | grep -q ":$1 .*LISTEN\|LISTEN.*:$1 "; }
# rping_server ADDR [PORT]: a peer that grants READs and serves one client after another; stopped at the end of the test
rping_server() {
	rping -s -P -a "$1" -p "${2:-7174}" > /dev/null 2>&1 &
	defer kill -KILL $!
	busywait "$(slow 5)" listening "${2:-7174}"
}

# --- tracepoints ---
TRACING=/sys/kernel/tracing
[ -e $TRACING/events ] || TRACING=/sys/kernel/debug/tracing
# trace_start [EVENT...]: rmc's events (all, or those named), into an empty buffer
trace_start() {
	local e

	echo 0 > $TRACING/tracing_on
	echo > $TRACING/trace
	echo mono > $TRACING/trace_clock
	for e in "${@:-}"; do
		echo 1 > "$TRACING/events/rmc/${e:+$e/}enable" || return 1
	done
	echo 1 > $TRACING/tracing_on
	defer trace_stop
}
trace_stop() { echo 0 > $TRACING/tracing_on; echo 0 > $TRACING/events/rmc/enable; }
trace_lines() { grep -v '^#' $TRACING/trace | grep -E -- "${1:-.}"; }
trace_count() { trace_lines "$1" | wc -l; }
