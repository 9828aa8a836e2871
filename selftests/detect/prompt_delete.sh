#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=300 build=normal
# I6: an endpoint is deleted in under two seconds in whatever state it is, with the fabric cut.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/measure.sh"

PATH0="dst 10.9.0.2:$PORT src 10.9.0.1"

# del_in WHAT: the endpoint is in the state, the fabric is cut
del_in() {
	local ms

	ms=$(took_ms rmc ep del ep) || fail "rmc ep del failed" || return
	figure "delete with the fabric cut: $1" "$ms" 2000 ms max
	[ -z "$(ep_json ep 2> /dev/null)" ] || fail "it is still there" || return
	in_ms 2000 "$ms" "delete: $1"
}
add() { rmc ep add ep mode verbs "$@"; }
up_then_cut() { # up_then_cut SETTINGS...
	add "$@" && path_wait ep 0 up && proven 0 || return
	cut 0
}

# each brings the endpoint into a state; the fabric is cut when it returns
s_idle() { cut 0; add idle $PATH0 && ep_wait ep idle; }
s_resolving() {
	cut 0
	ip neigh flush dev a0
	add $PATH0 && path_wait ep 0 connecting
}
s_connecting() { cut 0; add $PATH0 && path_wait ep 0 connecting && sleep 0.5; }
s_up() { up_then_cut detect 10000 $PATH0 && ep_is ep up; }
# a lost carrier keeps the path under suspicion until detect_ms is over
s_suspect() {
	subnet_on b0 && up_then_cut detect 20000 $PATH0 || return
	defer ip link set b0 up
	ip link set b0 down
	path_wait ep 0 suspect
}
s_backoff() { up_then_cut detect 1000 backoff_min_ms 30000 backoff_max_ms 60000 $PATH0 && ep_wait ep recovering 10; }
s_degraded() {
	add detect 1000 $PATH0 dst 10.9.1.2:$PORT src 10.9.1.1 && both_up || return
	cut 0
	ep_wait ep degraded 10
}
s_failfast() { up_then_cut detect 1000 fail_fast_ms 100 $PATH0 && ep_wait ep failfast 10; }
s_lost() { up_then_cut detect 1000 fail_fast_ms 100 loss_ms 500 $PATH0 && ep_wait ep lost 10; }
s_waiting() {
	# nobody has this address
	cut 0
	add dst 10.9.0.2:$PORT src 10.9.0.77 && path_wait ep 0 waiting
}
s_down() { up_then_cut $PATH0 && rmc path set ep 0 down && path_wait ep 0 disabled; }

state() {
	test_module rmc_test_peer listeners=$PORT:accept || return
	defer rmmod rmc_test_peer
	defer mend 0
	defer rmc ep del ep
	"s_$1" || fail "does not come into state $1" || return
	del_in "$1"
}

for s in idle resolving connecting up suspect backoff degraded failfast lost waiting down; do
	t "deleted while $s" state $s
done
done_testing
