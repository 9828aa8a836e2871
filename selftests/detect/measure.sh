# SPDX-License-Identifier: GPL-2.0
# When did a path change its state? Sourced after lib.sh.
#
# Both ends of every time come from CLOCK_MONOTONIC: the end from the kernel's own stamp in `rmc -j monitor`, the start
# from mono_us in the line before the fault. So that starting a program is not in the time, the tools that make a fault
# run already and wait for a line.
# shellcheck shell=bash

EVENTS=$T_TMP/events
PORT=7174

measure_init() {
	# EPOCHREALTIME costs no process; it differs from the monotonic clock by a constant, for nothing sets the clock in here
	MONO_OFFSET=$(python3 -c 'import time; print((time.time_ns() - time.monotonic_ns()) // 1000)')
	exec {TC}> >(exec tc -force -batch - > /dev/null 2>&1)
	exec {IP}> >(exec ip -force -batch - > /dev/null 2>&1)
	rdma_fresh
	monitor_start
}
# The rdma tool knows the devices that there were when it started
rdma_fresh() {
	[ -z "${RDMA:-}" ] || exec {RDMA}>&-
	exec {RDMA}> >(exec rdma -f -b - > /dev/null 2>&1)
}
mono_us() { echo $((${EPOCHREALTIME/./} - MONO_OFFSET)); }
tc_now() { printf '%s\n' "$@" >&"$TC"; }
ip_now() { printf '%s\n' "$@" >&"$IP"; }
rdma_now() { printf '%s\n' "$@" >&"$RDMA"; }

# Silent cuts and their mends. Both times start before the step that decides: the first direction that breaks, the last
# one that heals. Each prints when that was.
cut_now() { # cut_now I
	tc_now "qdisc add dev a$1 clsact" "qdisc add dev b$1 clsact"
	mono_us
	tc_now "filter replace dev a$1 ingress pref 1 handle 1 matchall action drop" \
		"filter replace dev b$1 ingress pref 1 handle 1 matchall action drop"
}
mend_now() {
	tc_now "qdisc del dev b$1 clsact"
	mono_us
	tc_now "qdisc del dev a$1 clsact"
}

# monitor_start: returns when events certainly arrive, which the end of an endpoint made for that proves
monitor_start() {
	: > "$EVENTS"
	rmc -j monitor > "$EVENTS" 2> /dev/null &
	defer kill $!
	busywait "$(slow 5)" _monitor_hears || fail "no events"
}
_monitor_hears() {
	rmc ep add heard mode verbs idle dst 10.9.0.2:1 && rmc ep del heard && sleep 0.05 && [ -s "$EVENTS" ]
} 2> /dev/null

# path_events PATH SINCE_US: "US FROM TO REASON" of each change of that path since then
path_events() {
	jq -r --argjson p "$1" --argjson t "$2" 'select(.type == "path" and .path == $p and .ts_ns >= $t * 1000) |
		"\(.ts_ns / 1000 | floor) \(.from) \(.to) \(.reason.name // "none")"' "$EVENTS" 2> /dev/null
}
_first_event() { # _first_event CONDITION PATH SINCE_US: prints "MS TO REASON"
	path_events "$2" "$3" | awk -v t="$3" "$1"' { print int(($1 - t + 500) / 1000), $3, $4; found = 1; exit } END { exit !found }'
}
left_up() { _first_event '$2 == "up"' "$@"; }
torn_down() { _first_event '($2 == "up" || $2 == "suspect") && $3 != "up" && $3 != "suspect"' "$@"; }
came_up() { _first_event '$3 == "up" && $2 == "connecting"' "$@"; }
recovered() { _first_event '$3 == "up"' "$@"; }

# expect WHICH LIMIT_MS PATH SINCE_US WHAT: waits for the change, gates its time
expect() {
	local which=$1 limit=$2 path=$3 since=$4 what=$5 got

	got=$(busywait $((5 + 4 * limit / 1000)) "$which" "$path" "$since") || {
		path_events "$path" "$since" | sed 's/^/# /'
		fail "$what: never; path $path is $(path_state ep "$path")"
		return 1
	}
	gate "$limit" "${got%% *}" "$what" "${got#* }"
}

# gate LIMIT_MS MS WHAT [DETAIL]: a bench collects the times and judges their median, so an outlier ends nothing there
gate() {
	figure "$3" "$2" "$1"
	if [ -n "${RMC_BENCH_FIGURES:-}" ]; then
		note "$3 took $2 ms (limit $1 ms)${4:+, $4}"
	else
		in_ms "$1" "$2" "$3${4:+ ($4)}"
	fi
}

# figure WHAT VALUE LIMIT [UNIT] [RULE]: one measurement, for whoever collects them
figure() {
	[ -z "${RMC_BENCH_FIGURES:-}" ] ||
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$RMC_TRANSPORT" "$1" "$2" "$3" "${4:-ms}" "${5:-median}" >> "$RMC_OUT/figures"
}

# How often a measurement is repeated: more where it counts
rounds() { echo "${RMC_BENCH_ROUNDS:-3}"; }

# Peers that grant READ, at PORT on both fabrics: rping where a bench asks for it, otherwise a kernel module. rping gives
# up for good when a handshake was begun and not ended, as cuts have it, so somebody has to start it again.
peers_up() {
	local i

	if [ "${RMC_TEST_PEER:-kernel}" = kernel ]; then
		test_module rmc_test_peer listeners=$PORT:accept || return
		defer rmmod rmc_test_peer
		return
	fi
	for i in 0 1; do
		_rping_for_ever 10.9.$i.2 &
		defer kill -TERM $!
	done
	busywait "$(slow 5)" _listeners 2 || fail "rping does not listen"
}
_rping_for_ever() {
	local pid

	trap 'kill -KILL $pid; exit' TERM
	while :; do
		rping -s -P -a "$1" -p $PORT > /dev/null 2>&1 &
		pid=$!
		wait $pid
	done
}
_listeners() { [ "$(rdma resource show cm_id | grep -c ":$PORT .*LISTEN\|LISTEN.*:$PORT ")" -ge "$1" ]; }

# two_paths DETECT_MS: endpoint "ep" over both fabrics, both up and proven
two_paths() {
	peers_up || return
	ep_two_paths "$1"
}
ep_two_paths() {
	defer rmc ep del ep
	rmc ep add ep mode verbs detect "$1" dst 10.9.0.2:$PORT src 10.9.0.1 dst 10.9.1.2:$PORT src 10.9.1.1 || return
	both_up
}
both_up() { path_wait ep 0 up && path_wait ep 1 up && proven 0 && proven 1; }
# proven PATH: probes are answered, so nothing about the path is left to find out
proven() { busywait "$(slow 5)" _probed "$1" "$(path_get ep "$1" .stats.probes)" || fail "path $1 is not probed"; }
_probed() { [ "$(path_get ep "$1" .stats.probes)" -gt $(($2 + 1)) ] && path_is ep "$1" up; }
path_is_down() { ! path_is ep "$1" up; }
generation() { path_get ep "$1" .generation; }

# As hosts commonly have it: the address of a port is one of a subnet, so that the route over it comes back with the link.
# The fabrics have single addresses and routes that somebody added; both ends cannot have the same subnet in one kernel.
subnet_on() { # subnet_on a0|b0|...
	local i=${1#?} own=1

	[ "${1%?}" = a ] || own=2
	# undone from the last to the first: a route goes with the address that it prefers, and so does the GID, whatever
	# else has the same address
	defer ip route replace "10.9.$i.$((3 - own))/32" dev "$1" src "10.9.$i.$own"
	defer ip addr replace "10.9.$i.$own/32" dev "$1"
	defer ip addr del "10.9.$i.$own/24" dev "$1"
	printf 'addr del 10.9.%d.%d/32 dev %s\naddr add 10.9.%d.%d/24 dev %s\n' $i $own "$1" $i $own "$1" | ip -batch -
	ip route del "10.9.$i.$((3 - own))/32" dev "$1" 2> /dev/null
	return 0
}
