#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=host transports=none timeout=900 build=none
# Every detector of the debug kernel reports what it is there for, and tools/vm/run says so by its status. RMC_TEST_ALL=1
# gives each sin a machine of its own.
. "$(dirname "$0")/../lib.sh"

here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
out=$RMC_OUT/canary
ko=$tree/out/build/uml
mkdir -p "$out"

declare -A says=(
	[leak]="unreferenced object"
	[oob]="KASAN: slab-out-of-bounds"
	[uaf]="KASAN: slab-use-after-free"
	[abba]="possible circular locking"
	[atomic]="sleeping function|scheduling while atomic"
	[ref]="refcount_t: addition on 0"
	[workfree]="ODEBUG: free active"
	[ubsan]="UBSAN: shift-out-of-bounds"
	[list]="list_add double add"
	[warn]="WARNING:"
)

# vm STATUS SCRIPT...: the machine ends with that status. No rmc.ko: the canary alone
vm() {
	local want=$1 rc

	shift
	RMC_TEST_LEAKS=$leaks RMC_OUT=$out timeout --foreground -k 5 120 "$tree/tools/vm/run" -k uml "${limit[@]}" "$@" > "$out/log" 2>&1
	rc=$?
	[ $rc = "$want" ] || { tail -n 5 "$out/log"; fail "exit status $rc instead of $want"; return 1; }
}
limit=(-T 60) leaks=no

# found MODE: its part of the kernel log has the report, and the judge took it for a finding
found() {
	sed -n "/rmc-mark: $1\$/,\$p" "$out/dmesg" | sed '1d; /rmc-mark:/,$d' | grep -q -E "${says[$1]}" ||
		{ fail "no '${says[$1]}' in the log of $1"; return 1; }
	grep -q -E "${says[$1]}" "$out/findings" || fail "'${says[$1]}' is no finding"
}

alone() {
	# looking for leaks takes as long as all the rest
	[ "$1" != leak ] || leaks=yes
	vm 125 "$here/sin" "$1" || return 1
	grep -q -E "${says[$1]}" "$out/findings" || fail "'${says[$1]}' is no finding"
}
together() {
	local m rc=0

	vm 125 "$here/sin" "$@" || return 1
	for m; do
		found "$m" || rc=1
	done
	return $rc
}
dies() { vm 126 "$here/sin" "$1" && grep -q -E "$2" "$out/dmesg"; }
clean() { vm 3 "$here/exit" 3; }
slow_script() {
	limit=(-T 2)
	vm 124 "$here/exit" 0 60
}

[ -e "$ko/canary.ko" ] || skip_all "no $ko/canary.ko: make build-uml"
t "a run without a finding ends with the script's status" clean
t "a leak and a lock order are found by an own run each: leak" alone leak
t "a leak and a lock order are found by an own run each: abba" alone abba
if [ -n "${RMC_TEST_ALL:-}" ]; then
	for m in oob uaf ubsan ref atomic workfree warn; do
		t "the machine's status tells of $m" alone $m
	done
else
	t "each memory, reference, work and context error is found" together oob uaf ubsan ref workfree warn atomic
fi
t "a damaged list ends the machine" dies list "list_add double add|kernel BUG"
t "a panic ends the machine" dies panic "panic"
t "a script that takes too long is ended" slow_script
done_testing
