#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe vms=1 timeout=360 build=normal
# Case C49: dumps while endpoints are made and deleted. RMC_TEST_ALL=1 takes 2,000 endpoints.
. "$(dirname "$0")/../lib.sh"

here=$(cd "$(dirname "$0")" && pwd)
have_rmc || skip_all "no rmc"
n=300
[ -z "${RMC_TEST_ALL:-}" ] || n=2000
dump() { timeout "$(slow 60)" python3 "$here/dump.py" "$@"; }

quiet_dump() {
	local out

	out=$(dump watch 0 $n) || { fail "$out"; return 1; }
	echo "$out" | grep '^#'
	[ "$(echo "$out" | tail -n 1)" = 0 ] || fail "a dump that nothing disturbed is flagged"
}
C49_netlink_dump() {
	local out

	dump churn "$(slow 3)" > $T_TMP/churn &
	local churn=$!
	out=$(dump watch "$(slow 2)" $n) || { kill $churn; fail "$out"; return 1; }
	echo "$out" | grep '^#'
	[ "$(echo "$out" | tail -n 1)" -gt 0 ] || { kill $churn; fail "no dump was flagged as interrupted"; return 1; }
	wait $churn || { fail "making and deleting failed: $(cat $T_TMP/churn)"; return 1; }
	grep '^#' $T_TMP/churn
}
churning() { rmc ep show c3 > /dev/null 2>&1; }
# the tool dumps again, and has each of them once in any case
tool_dump() {
	local churn count

	dump churn "$(slow 20)" > $T_TMP/churn &
	churn=$!
	defer eval "kill $churn; wait $churn"
	busywait "$(slow 10)" churning || { fail "nothing is made and deleted"; return 1; }
	count=$(rmc -j ep show 2> $T_TMP/err | jq '[.[] | select(.name | startswith("s0"))] | length, (map(.name) | unique | length)' | tr '\n' ' ')
	[ "$count" = "$n $n " ] || { fail "$count instead of $n $n; $(cat $T_TMP/err)"; return 1; }
	count=$(rmc -j path show 2>> $T_TMP/err | jq '[.[] | select(.ep | startswith("s0"))] | length, (map([.ep, .id]) | unique | length)' | tr '\n' ' ')
	[ "$count" = "$((2 * n)) $((2 * n)) " ] || { fail "paths: $count; $(cat $T_TMP/err)"; return 1; }
	note "the tool said: '$(sort -u $T_TMP/err)'"
}
an_end() {
	dump clean || return
	[ "$(rmc -j ep show)" = '[]' ] || { fail "something is left"; return 1; }
	rdma_check_baseline && leak_check
}

rdma_baseline
dump make $n || { echo "Bail out! cannot make $n endpoints"; exit 1; }
t "a dump that nothing disturbs has every endpoint and is not flagged" quiet_dump
t "C49: what stays is in every dump exactly once, and a dump that was disturbed says so" C49_netlink_dump
t "the tool shows what stays exactly once" tool_dump
t "all can be deleted and nothing leaks" an_end
done_testing
