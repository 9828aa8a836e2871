#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1 transports=rxe,siw vms=2 timeout=240 build=normal
# C15: the peer's machine stands still while the endpoint is idle. No packet and no event tells of it; the path is down
# after detect_ms, give or take one interval of its probes.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../detect/measure.sh"

DETECT=1000
INTERVAL=$((DETECT / 5))

peer_listens() { [ "$(on_b "rdma resource show cm_id" | grep -c ":$PORT .*LISTEN\|LISTEN.*:$PORT ")" -ge 1 ]; }

frozen_peer() {
	local before after got

	on_b "setsid sh -c 'while :; do rping -s -P -a 10.9.0.2 -p $PORT; done' > /dev/null 2>&1 < /dev/null & echo \$! > /run/c15"
	defer on_b "kill -KILL -- -\$(cat /run/c15)"
	busywait "$(slow 10)" peer_listens || fail "no listener on B" || return
	defer rmc ep del ep
	rmc ep add ep mode verbs detect $DETECT dst 10.9.0.2:$PORT src 10.9.0.1 || return
	path_wait ep 0 up && proven 0 || return
	# idle for a while: silence alone is no death
	stays 3 path_is ep 0 up || fail "not up while idle" || return

	defer thaw_b
	before=$(mono_us)
	freeze_b || fail "B does not freeze" || return
	after=$(mono_us)
	got=$(busywait 20 torn_down 0 "$before") || fail "never noticed" || return
	got=${got%% *}
	# the interval is exact on this side, the moment of the freeze is only known between two bounds
	[ "$got" -ge $((DETECT - INTERVAL)) ] || fail "down after $got ms already" || return
	got=$((got - (after - before) / 1000))
	gate $((DETECT + INTERVAL)) $((got > 0 ? got : 0)) "a frozen peer is noticed" || return
	ep_wait ep recovering || return

	thaw_b || fail "B does not thaw" || return
	path_wait ep 0 up 20
}

measure_init || { not_ok "the monitor"; done_testing; }
t "C15: the peer's machine freezes while nothing is going on" frozen_peer
done_testing
