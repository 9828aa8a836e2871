# SPDX-License-Identifier: GPL-2.0
# After the script: what leaks, and does the module still unload? Adds to $why.
# shellcheck shell=bash disable=SC2154

KMEMLEAK=/sys/kernel/debug/kmemleak

leaks_forget() {
	[ -w $KMEMLEAK ] && [ "${RMC_TEST_LEAKS:-}" != no ] || return 0
	echo scan > $KMEMLEAK
	echo clear > $KMEMLEAK
}

# leaks_look WHEN: the kernel wants two scans with some seconds between before it believes in a leak. Ours are those
# with a frame in one of our modules, or one that has no name because its module is gone; others are a note.
leaks_look() {
	local mods text ours

	[ -w $KMEMLEAK ] && [ "${RMC_TEST_LEAKS:-}" != no ] || return 0
	echo scan > $KMEMLEAK
	sleep 6
	echo scan > $KMEMLEAK
	text=$(cat $KMEMLEAK)
	[ -n "$text" ] || return 0
	{ echo "== $1"; echo "$text"; } >> "$out/kmemleak"
	echo clear > $KMEMLEAK
	# a frame in a module ends in its name, one without a name is a bare address
	mods=$(cd "$ko" 2> /dev/null && printf '%s\n' ./*.ko | sed 's,^\./,,; s,\.ko$,,; s,-,_,g' | paste -sd '|')
	# one record per leak, its lines joined
	echo "$text" | awk '/^unreferenced object/ { if (r) print r; r = "" } { r = r " ;" $0 } END { print r }' > /run/rmc/leaks
	ours="\[(${mods:-rmc}|canary)\]|; +(\[<[0-9a-fx]*>\] )?0x[0-9a-f]+ "
	if grep -q -E "$ours" /run/rmc/leaks; then
		grep -E "$ours" /run/rmc/leaks | head -n 5 | while read -r r; do
			# the log takes a line at a time, so each goes in by itself
			echo "$r" | tr ';' '\n' | grep . | while IFS= read -r l; do
				echo "$l" > /dev/kmsg
			done
		done
	else
		echo "rmc-vm: note: kmemleak names objects without our part in them, see kmemleak" > /dev/kmsg
	fi
}

# unload MODULE: rmmod in at most ten seconds; one that hangs cannot be killed, so it is left behind
unload() {
	local h i pid

	[ -d "/sys/module/$1" ] || return 0
	for h in /sys/module/"$1"/holders/*; do
		[ ! -e "$h" ] || unload "${h##*/}" || return 1
	done
	rmmod "$1" 2> /run/rmc/rmmod &
	pid=$!
	for i in $(seq 100); do
		if ! kill -0 $pid 2> /dev/null; then
			wait $pid && return 0
			why="rmmod $1: $(tr '\n' ' ' < /run/rmc/rmmod)"
			return 1
		fi
		sleep 0.1
	done
	echo w > /proc/sysrq-trigger
	why="rmmod $1 did not return within ${i%?} s"
	return 1
}

farewell() {
	leaks_look "before unloading"
	if [ -d /sys/module/rmc ]; then
		unload rmc && leaks_look "after unloading"
	fi
}

wait_for_b() {
	local i

	for i in $(seq 300); do
		[ "$(timeout 5 on_b "echo up" 2> /dev/null)" = up ] && return 0
		sleep 0.2
	done
	return 1
}

# B's share of the farewell, asked from A: its log is judged like A's
farewell_b() {
	timeout 10 thaw_b > /dev/null 2>&1
	timeout 30 on_b "rmmod rmc 2> /dev/null; dmesg > $out/dmesg.b; [ ! -d /sys/module/rmc ]" && return
	why=${why:-machine B did not say farewell, or its rmc did not unload}
}
