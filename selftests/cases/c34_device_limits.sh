#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=200 build=normal
# C34: depths at and beyond what the device can do are clamped, and what was granted is shown; beyond what rmc can do
# they are refused. Never is something tried again and again that cannot work.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001

granted() { path_field e 0 depth; }

# connects DEPTH GRANTED: in one attempt
connects() {
	ep_add e depth "$1" -- $ACCEPT || return
	ep_wait e up || return
	expect "the depth that is shown" "$(granted)" "$2" || return
	expect "the number of attempts" "$(ep_stat e attempts)" 1 || return
	# the probes' own slots are in addition
	rmc ping e -c 3 > /dev/null || fail "ping" || return
	expect "the number of losses" "$(ep_stat e losses)" 0
}

# What a depth beyond all devices is clamped to: the device's maximum, without rmc's own reserve
learn_max() {
	ep_add e depth 65536 -- $ACCEPT || return
	ep_wait e up || return
	granted > "$T_TMP/max"
	note "granted $(< "$T_TMP/max") of 65536"
	[ "$(< "$T_TMP/max")" -ge 128 ] && [ "$(< "$T_TMP/max")" -le 65536 ] || fail "that is no depth"
}

# refused DEPTH
refused() {
	! rmc ep add e mode verbs depth "$1" dst 10.9.0.2:$ACCEPT 2> "$T_TMP/err" || { rmc ep del e; fail "depth $1 worked"; return 1; }
	grep -q 'depth' "$T_TMP/err" || fail "the message does not say what was wrong: $(< "$T_TMP/err")" || return
	expect "what is there" "$(rmc -j ep show)" "[]"
}

changed_live() {
	ep_add e depth 1 -- $ACCEPT && ep_wait e up || return
	! rmc ep set e depth 65537 2> /dev/null || fail "depth 65537 was taken" || return
	rmc ep set e depth 64 || return
	rmc ep disconnect e && ep_wait e idle && rmc ep connect e && ep_wait e up || return
	expect "the depth that is shown" "$(granted)" 64
}

many() {
	ep_add e depth "$(< "$T_TMP/max")" conns 4 -- $ACCEPT || return
	ep_wait e up || return
	expect "the number of attempts" "$(ep_stat e attempts)" 1
}

begin accept
t "C34: depth 65536 is clamped" learn_max
max=$(< "$T_TMP/max")
t "C34: depth 1" connects 1 1
t "C34: one less than the maximum" connects $((max - 1)) $((max - 1))
t "C34: the maximum" connects "$max" "$max"
t "C34: one more than the maximum" connects $((max + 1)) "$max"
t "C34: four connections of the maximum" many
for depth in 65537 2147483648 4294967295 4294967296; do
	t "C34: depth $depth is refused" refused $depth
done
t "C34: a changed depth takes effect with the next connect" changed_live
finish
