#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=300 build=normal
# I6: in whatever state an endpoint is and whatever the network does, deleting it takes less than two seconds.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001 SILENT=7002 REFUSE=7003 REJECT=7004

cut_off() {
	defer mend 0
	cut 0
}

# deleted_in STATE: the endpoint is in this state now, and the fabric is cut
deleted_in() {
	expect "the state" "$(ep_state e)" "$1" || return
	del_prompt e "when $1"
}
up() { ep_add e "$@" -- $ACCEPT && ep_wait e up; }

idle() { ep_add e idle -- $ACCEPT && cut_off && deleted_in idle; }
connected() { up detect_ms 60000 && cut_off && deleted_in up; }
degraded() {
	ep_add e detect_ms 60000 -- $ACCEPT "dst 10.9.1.2:$NOBODY src 10.9.1.1" && ep_wait e degraded || return
	cut_off && deleted_in degraded
}
# The peer's end of the cable is pulled: that may be over before anybody has missed it
suspect() {
	up detect_ms 60000 || return
	defer link_back b0
	ip link set b0 down
	path_wait e 0 suspect || return
	cut_off
	del_prompt e "when suspect"
}
recovering() { up fail_fast_ms 60000 && cut_off && ep_wait e recovering && deleted_in recovering; }
failfast() { up fail_fast_ms 100 && cut_off && ep_wait e failfast && deleted_in failfast; }
lost() { up fail_fast_ms 100 loss_ms 200 && cut_off && ep_wait e lost && deleted_in lost; }

resolving() {
	ip neigh flush dev a0
	cut_off
	ep_add e -- $ACCEPT || return
	busywait "$(slow 2)" path_is e 0 connecting || fail "not connecting" || return
	deleted_in connecting
}
requesting() {
	ip neigh replace 10.9.0.2 lladdr $REAL_MAC nud permanent dev a0
	defer ip neigh replace 10.9.0.2 lladdr $REAL_MAC nud reachable dev a0
	cut_off
	trace_start rmc_conn_state
	ep_add e -- $ACCEPT || return
	busywait "$(slow 3)" trace_lines ' -> connect ' > /dev/null || fail "no request went out" || return
	deleted_in connecting
}
unanswered() {
	trace_start rmc_conn_state
	ep_add e -- $SILENT || return
	busywait "$(slow 3)" trace_lines ' -> connect ' > /dev/null || fail "no request went out" || return
	cut_off
	deleted_in connecting
}
backoff() {
	ep_add e backoff_min_ms 60000 backoff_max_ms 60000 -- $REJECT || return
	path_wait e 0 backoff || return
	cut_off && deleted_in connecting
}
waiting() {
	ip addr del 10.9.0.1/32 dev a0
	defer ip route replace 10.9.0.2/32 dev a0 src 10.9.0.1
	defer ip addr add 10.9.0.1/32 dev a0
	ep_add e -- $ACCEPT || return
	path_wait e 0 waiting || return
	cut_off && deleted_in connecting
}
refused() {
	[ "$RMC_TRANSPORT" != siw ] || skip "iWARP has no reason for it"
	ep_add e -- $REFUSE || return
	path_wait e 0 refused || return
	cut_off && deleted_in connecting
}

# Several connections, of which some are up and one is on its way
in_the_middle() {
	trace_start rmc_conn_state
	ep_add e conns 16 -- $ACCEPT || return
	busywait "$(slow 3)" trace_lines 'conn=2 .* -> up ' > /dev/null || fail "it did not get that far" || return
	cut_off
	del_prompt e "with some of its connections up"
}

twenty() {
	local i ms names=''

	cut_off
	for i in $(seq 20); do
		ep_add "e$i" -- $ACCEPT || return
		names+=" e$i"
	done
	# shellcheck disable=SC2016
	ms=$(took_ms sh -c 'for e; do rmc ep del $e & done; wait' sh $names)
	expect "the number of endpoints" "$(ep_names | wc -l)" 0 || return
	in_ms 2000 "$ms" "deleting twenty at once"
}

begin accept silent reject:31 reject
for state in idle connected degraded suspect recovering failfast lost resolving requesting unanswered backoff waiting \
	refused in_the_middle; do
	t "I6: deleting is prompt with the fabric cut: ${state//_/ }" $state
done
t "I6: deleting is prompt with the fabric cut: twenty at once" twenty
finish
