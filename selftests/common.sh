# SPDX-License-Identifier: GPL-2.0
# For the cases, the invariants and the faults. Sourced instead of lib.sh, which it brings with it, together with the
# two test modules' helpers of api/api.sh.
#
# Such a script begins with "begin PEER..." (listeners of rmc_test_peer, on 7001 and up) and ends with "finish", which
# is the test that nothing is left behind.
# shellcheck shell=bash disable=SC2034
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$RMC_LIB_DIR/api/api.sh"

NOBODY=7999			# nobody listens there
GONE=10.9.0.77			# nobody is there, see blackhole
REAL_MAC=02:00:0a:09:00:02	# of 10.9.0.2

# long N: how many rounds; all of them when they are measured at native speed, a tenth otherwise
long() { [ "${RMC_BENCH:-}" = 1 ] && ! is_debug && echo "$1" || echo $((($1 + 9) / 10)); }

# A debug kernel needs a tenth of a second to start a process, and on a busy machine half of one, so what is done often
# is done without.
exec {NOTHING}<> <(:)
now_ms() { echo $((${EPOCHREALTIME/./} / 1000)); }
sleep() { read -r -t "$1" -u "$NOTHING" || :; }
# pause MS: for sweeps, never to wait for something
pause() { [ "$1" -le 0 ] || sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"; }

# --- begin and end ---
begin() {
	have_rmc || skip_all "there is no rmc here"
	rdma_baseline
	[ $# = 0 ] || peers "$@" || { not_ok "rmc_test_peer does not load"; done_testing; }
}

ep_names() { rmc -j ep show | grep -o '{"name":"[^"]*","id"' | cut -d '"' -f 4; }
ends_all() {
	local n

	for n in $(ep_names); do
		rmc ep del "$n"
	done
}

rmc_goes_and_comes() {
	local ms

	ms=$(took_ms rmmod rmc) || { fail "rmc does not unload"; return 1; }
	insmod "$RMC_KO/rmc.ko" || return
	[ "$ms" -le 10000 ] || fail "rmmod rmc took $ms ms"
}

nothing_is_left() {
	ends_all
	[ ! -d /sys/module/rmc_api_test ] || rmmod rmc_api_test || { fail "rmc_api_test stays"; return 1; }
	[ ! -d /sys/module/rmc_test_peer ] || rmmod rmc_test_peer || { fail "rmc_test_peer stays"; return 1; }
	rdma_check_baseline "$(slow 10)" || return
	leak_check || return
	rmc_goes_and_comes
}
finish() {
	t "CLEAN: nothing is left behind" nothing_is_left
	done_testing
}

# --- endpoints, without jq ---
# json_first JSON KEY: the first value of this key; a reason as "NAME ERRNO REJECT"
json_first() {
	local text='"?([^",}]*)' why='(null|\{"code":[0-9]*,"name":"([^"]*)","errno":([0-9]*),"rej":([0-9]*)\})'

	if [ "$2" = reason ]; then
		[[ $1 =~ \"reason\":$why ]] || return
		[ "${BASH_REMATCH[1]}" = null ] && echo none ||
			echo "${BASH_REMATCH[2]} ${BASH_REMATCH[3]} ${BASH_REMATCH[4]}"
	else
		[[ $1 =~ \"$2\":$text ]] && echo "${BASH_REMATCH[1]}"
	fi
}
# ep_field NAME KEY, path_field NAME ID KEY, ep_stat NAME KEY
ep_field() { json_first "$(rmc -j ep show "$1")" "$2"; }
path_field() {
	local json

	json=$(rmc -j ep show "$1")
	json=${json#*\"paths\":[}
	json_first "${json#*\{\"id\":"$2",}" "$3"
}
ep_stat() {
	local json

	json=$(rmc -j ep show "$1")
	json_first "${json##*\"stats\":}" "$2"
}
ep_state() { ep_field "$1" state; }
path_state() { path_field "$1" "$2" state; }
ep_is() { [ "$(ep_state "$1")" = "$2" ]; }
path_is() { [ "$(path_state "$1" "$2")" = "$3" ]; }
ep_id() { ep_field "$1" id; }
ep_why() { ep_field "$1" reason; }
path_why() { path_field "$1" "$2" reason; }
# all_paths_are N STATE: of all endpoints together
all_paths_are() {
	local json rest n=0

	json=$(rmc -j ep show)
	while [[ $json == *'"paths":'* ]]; do
		json=${json#*\"paths\":}
		rest=${json%%\"mode\":*}
		while [[ $rest == *"\"state\":\"$2\""* ]]; do
			rest=${rest#*\"state\":\"$2\"}
			n=$((n + 1))
		done
	done
	[ $n = "$1" ]
}

# ep_add NAME [SETTING VALUE...] -- PATH...: PATH is PORT or ADDR:PORT or "dst ... src ..."; gone at the end of the test
ep_add() {
	local name=$1 args=()

	shift
	defer rmc ep del "$name"
	while [ "$1" != -- ]; do
		args+=("$1")
		shift
	done
	shift
	for p; do
		case $p in
		*' '*) read -ra p <<< "$p"; args+=("${p[@]}") ;;
		*:*) args+=(dst "$p") ;;
		*) args+=(dst "10.9.0.2:$p" src 10.9.0.1) ;;
		esac
	done
	rmc ep add "$name" mode verbs "${args[@]}"
}
expect() { [ "$2" = "$3" ] || fail "$1 is $2, not $3"; }
# del_prompt NAME WHAT: I6
del_prompt() {
	local ms

	ms=$(took_ms rmc ep del "$1") || { fail "ep del $1"; return 1; }
	in_ms 2000 "$ms" "ep del $2"
}

# --- the network ---
blackhole() {
	ip neigh replace $GONE lladdr 02:00:00:00:00:99 nud permanent dev a0
	ip route replace $GONE/32 dev a0 src 10.9.0.1
	defer unblackhole
}
# siw connects inside the driver until TCP gives up; somebody who answers there sets its orphans free
unblackhole() {
	if [ "$RMC_TRANSPORT" = siw ]; then
		ip addr add $GONE/32 dev b0
		ip neigh replace $GONE lladdr $REAL_MAC dev a0
		busywait "$(slow 10)" no_orphans
		ip addr del $GONE/32 dev b0
	fi
	ip route del $GONE/32
	ip neigh del $GONE dev a0
}
no_orphans() { ! rmc -j dev show | grep -q '"orphans":[1-9]'; }
# link_back DEV: up again, with all that went with it; of fabric 0
link_back() {
	local own=1 far=2

	[ "$1" = a0 ] || own=2 far=1
	ip link set "$1" up
	ip route replace 10.9.0.$far/32 dev "$1" src 10.9.0.$own
	ip addr replace fd09::$own/128 dev "$1" nodad
	ip neigh replace fd09::$far lladdr 02:00:0a:09:00:0$far dev "$1" nud permanent
	ip route replace fd09::$far/128 dev "$1" src fd09::$own
}
dev_name() { echo "${RMC_TRANSPORT}_$1"; }
dev_del() { rdma link del "$(dev_name "$1")"; }
dev_add() { rdma link add "${2:-$(dev_name "$1")}" type "$RMC_TRANSPORT" netdev "$1"; }
dev_there() { [ -e "/sys/class/infiniband/${1:-$(dev_name a0)}" ]; }

# --- what the trace says ---
# trace_big [EVENT...]: as trace_start, with room for long loops
trace_big() {
	echo "${TRACE_KB:-8192}" > $TRACING/buffer_size_kb
	trace_start "${@:-rmc_attempt}"
}
# trace_times RE: the time of each matching line, in ms with three decimals
trace_times() { trace_lines "$1" | sed -E 's/^.* ([0-9]+)\.([0-9]{3})([0-9]{3}): .*/\1\2.\3/'; }
# trace_ms FROM TO: ms between the first line that matches FROM and the first later one that matches TO
trace_ms() {
	trace_lines "$1|$2" | awk -v from="$1" -v to="$2" '
		{ match($0, / [0-9]+\.[0-9]+: /); t = substr($0, RSTART, RLENGTH - 2) * 1000 }
		!a && $0 ~ from { a = t; next }
		a && $0 ~ to { printf "%d\n", t - a; exit }'
}
# attempt_ms EP: how long each attempt of an endpoint took that ended, in ms
attempt_ms() {
	trace_lines "ep=$1 " | awk '
		{ match($0, / [0-9]+\.[0-9]+: /); t = substr($0, RSTART, RLENGTH - 2) * 1000
		  match($0, /path=[0-9]+ /); p = substr($0, RSTART, RLENGTH) }
		/rmc_attempt:/ { begin[p] = t }
		/rmc_path_state:.* connecting -> / && begin[p] { printf "%d\n", t - begin[p]; begin[p] = 0 }'
}
median() { sort -n | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "none" }'; }

# trace_exactly_once: every attempt that was begun has one outcome, every connection at most one life. Needs the events
# rmc_attempt, rmc_conn_state, rmc_path_state and rmc_misfit; attempts that still run at the end are let alone.
# MISFITS=yes: surprises are to be expected, but nothing may come of them.
LIFE="rmc_attempt rmc_conn_state rmc_path_state rmc_misfit"
trace_exactly_once() {
	trace_lines . | awk -v misfits="${MISFITS:-}" '
		function field(name) { return match($0, " " name "=[-0-9]+") ? substr($0, RSTART + 1, RLENGTH - 1) : "" }
		function bad(what) { print "# " what ": " $0; n++ }
		/LOST .* EVENTS/ { bad("the trace is too small") }
		/rmc_misfit:/ { if (misfits == "") bad("misfit"); next }
		{ path = field("ep") " " field("path"); gen = path " " field("gen"); conn = gen " " field("conn") }
		/rmc_attempt:/ { if (begun[gen]++) bad("begun twice"); open[path] = gen; attempts++ }
		/rmc_path_state:.* connecting -> / {
			# disabled while the last connection was still draining: the next attempt had not begun
			if (open[path] != gen && / -> disabled /) next
			if (open[path] != gen) bad("an outcome without an attempt")
			if (ended[gen]++) bad("a second outcome")
			open[path] = ""
		}
		/rmc_conn_state:/ {
			if (/ -> up / && up[conn]++) bad("up twice")
			if (/ -> drain / && drain[conn]++) bad("failed twice")
			if (/ -> dead / && dead[conn]++) bad("dead twice")
		}
		END {
			for (g in begun) if (!ended[g] && open[substr(g, 1, match(g, / gen=/) - 1)] != g) { print "# no outcome of " g; n++ }
			print "# " attempts + 0 " attempts looked at"
			exit n > 0 || !attempts
		}'
}

# --- fault points, in builds with them ---
FAULTS=/sys/kernel/debug/rmc/faults
have_faults() { [ -e $FAULTS ] || skip_all "this build has no fault points"; }
# fault POINT ERRNO [SKIP [TIMES]]: the call fails so, after so many passes; disarmed at the end of the test
fault() {
	local d=$FAULTS/$1

	defer fault_off "$1"
	echo "$2" > "$d/errno" && echo "${3:-0}" > "$d/skip" && echo 0 > "$d/hits" && echo "${4:-1}" > "$d/times"
}
# fault_event EVENT ACTION [DELAY_MS [TIMES]]
fault_event() {
	local d=$FAULTS/cm/$1

	defer fault_off "cm/$1"
	echo "$2" > "$d/action" && echo "${3:-0}" > "$d/delay_ms" && echo 0 > "$d/skip" && echo 0 > "$d/hits" &&
		echo "${4:-1}" > "$d/times"
}
fault_off() { echo 0 > "$FAULTS/$1/times"; }
# fault_hit POINT [N]: it has struck, N times
fault_hit() { [ "$(< "$FAULTS/$1/hits")" = "${2:-1}" ]; }
