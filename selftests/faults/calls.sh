#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=400 build=faults
# Each call of an attempt fails once, with several errnos, for the first and for the second connection of a path, while
# an endpoint connects and while it reconnects: the reason is the right one, it comes up by itself, nothing is left.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001

# POINT ERRNO REASON [ERRNO-SHOWN], one a line
table() {
	cat <<-END
	conn_alloc 12 resources
	id_create 12 resources
	id_create 24 resources
	pd_alloc 12 resources
	pd_alloc 1 resources
	cq_get 12 resources
	cq_get 22 resources
	qp_create 12 resources
	qp_create 28 resources
	resolve_addr 12 resources
	resolve_addr 19 no-device
	resolve_addr 22 addr-error
	resolve_addr 99 no-address
	resolve_addr 101 no-route
	resolve_addr 110 addr-timeout
	resolve_addr 113 no-route
	resolve_route 5 route-error
	resolve_route 12 route-error
	resolve_route 19 route-error
	connect 12 resources
	connect 22 connect-error
	connect 104 connect-error
	connect 110 unreachable
	connect 111 no-listener
	connect 113 no-route
	END
}

struck_and_up() { fault_hit "$1" && ep_is e up && [ "$(ep_stat e connects)" -ge "$2" ]; }

# once POINT ERRNO REASON SKIP: fails while e connects or reconnects
once() {
	local n

	trace_big $LIFE
	n=$(ep_stat e connects)
	fault "$1" "$2" "$4" || return
	if ep_is e idle; then
		rmc ep connect e
	else
		peer_do drop $ACCEPT
	fi || return
	busywait "$(slow 8)" struck_and_up "$1" $((n + 1)) ||
		fail "e is $(ep_state e) ($(path_why e 0)), the fault struck $(< $FAULTS/"$1"/hits) times" || return
	trace_lines "rmc_path_state: .* connecting -> (backoff|waiting) reason=$3 errno=-$2 " > /dev/null ||
		fail "the reason is not $3 $2: $(trace_lines 'connecting -> ' | tail -n 1)" || return
	trace_exactly_once
}

# each SKIP: all of the table, with one endpoint
each() {
	local point errno reason

	while read -r point errno reason <&3; do
		# a PD is made once, for all connections
		[ "$point" != pd_alloc ] || [ "$1" = 0 ] || continue
		if [ "$1" = 0 ]; then
			t "fault: $point fails with $errno, the reason is $reason" once "$point" "$errno" "$reason" 0
		else
			t "fault: $point of the second connection fails with $errno" once "$point" "$errno" "$reason" 1
		fi
	done 3< <(table)
}

for_good() {
	fault resolve_addr 97 0
	rmc ep disconnect e && ep_wait e idle && rmc ep connect e || return
	path_wait e 0 refused || return
	expect "the reason" "$(path_why e 0)" "unsupported 97 0" || return
	rmc ep connect e && ep_wait e up
}

# More than one failure: the pauses between are those of a backoff, and the cause stays the first of each attempt
again_and_again() {
	trace_big $LIFE
	fault qp_create 12 0 5
	peer_do drop $ACCEPT
	busywait "$(slow 8)" fault_hit qp_create 5 || fail "struck $(< $FAULTS/qp_create/hits) times" || return
	ep_wait e up || return
	expect "the number of failed attempts" "$(trace_count 'connecting -> backoff reason=resources errno=-12')" 5 || return
	trace_exactly_once
}

nothing_surprised() { expect bad_events "$(ep_stat e bad_events)" 0; }

have_faults
begin accept
rmc ep add e mode verbs conns 2 backoff_min_ms 1 backoff_max_ms 20 idle dst 10.9.0.2:$ACCEPT src 10.9.0.1
each 0
each 1
t "fault: five failures in a row" again_and_again
t "fault: what cannot get better is refused, and tried again on demand" for_good
t "I1: nothing of that surprised a state table" nothing_surprised
finish
