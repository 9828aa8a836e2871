#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe vms=1 timeout=300 build=normal
# monitor and ping: a line each, at once, and an end by signals.
. "$(dirname "$0")/../lib.sh"

have_rmc || skip_all "no rmc"
detect=$([ "$RMC_KERNEL" = uml ] && echo 2000 || echo 1000)
out=$T_TMP/monitor.out

# members of generic netlink groups now
listeners() { awk '$2 == 16 && $4 != "00000000"' /proc/net/netlink | wc -l; }
more_listeners() { [ "$(listeners)" -gt "$1" ]; }
# monitor ARGS...: in the background, once it hears; its pid is in $monitor
monitor() {
	local before

	before=$(listeners)
	rmc "$@" > $out 2> $out.err &
	monitor=$!
	defer kill -KILL $monitor
	busywait "$(slow 5)" more_listeners "$before" || fail "monitor does not listen: $(cat $out.err)"
}
said() { busywait "$(slow 5)" grep -q -- "$1" $out || { fail "monitor did not say '$1'"; tail -n 5 $out; return 1; }; }
up_and_away() {
	rmc ep add m mode verbs detect $detect dst 10.9.0.2:7174 src 10.9.0.1 || return
	ep_wait m up || { rmc ep del m; return 1; }
	rmc ep disconnect m && ep_wait m idle
	rmc ep del m
}

json_lines() {
	rping_server 10.9.0.2 && monitor -j monitor && up_and_away || return
	said '"to":"closed"' || return
	# each line by itself is an object with all keys
	jq -e -s 'all((.ts_ns | type == "number") and (.type | IN("ep","path","conn")) and .ep == "m" and has("path") and
		(.from | type == "string") and (.to | type == "string") and has("reason"))' $out > /dev/null || { head -n 3 $out; return 1; }
	jq -e -s 'map(select(.type == "ep") | .path) | all(. == null)' $out > /dev/null || { fail "an endpoint's event has a path"; return 1; }
	jq -e -s 'map(select(.type == "conn")) | length > 0 and all((.conn | type == "number") and (.generation | type == "number"))' \
		$out > /dev/null || { fail "connections"; return 1; }
	jq -e -s '[.[] | select(.type == "ep") | .to] == ["connecting", "up", "idle", "closed"]' $out > /dev/null ||
		{ fail "$(jq -c -s '[.[] | select(.type == "ep") | .to]' $out)"; return 1; }
	jq -e -s '[.[] | select(.type == "path") | .to] == ["connecting", "up", "disabled"]' $out > /dev/null ||
		{ fail "$(jq -c -s '[.[] | select(.type == "path") | .to]' $out)"; return 1; }
	jq -e -s '[.[].ts_ns] | . == sort' $out > /dev/null || note "events of two CPUs came out of order"
}
only_what_was_asked_for() {
	rping_server 10.9.0.2 && monitor -j monitor path && up_and_away || return
	said '"to":"disabled"' || return
	jq -e -s 'length > 0 and all(.type == "path")' $out > /dev/null || fail "$(head -n 3 $out)"
}
text_lines() {
	rping_server 10.9.0.2 && monitor monitor ep && up_and_away || return
	said 'ep  *m: connecting -> up' && said 'm: idle -> closed'
}
ends_by() {
	monitor -j monitor || return
	kill "-$1" $monitor
	busywait 5 gone $monitor || { fail "SIG$1 does not end it"; return 1; }
	wait $monitor || fail "exit status $? after SIG$1"
}
gone() { ! kill -0 "$1" 2> /dev/null || [ "$(awk '{ print $3 }' "/proc/$1/stat" 2> /dev/null)" = Z ]; }
signals() { ends_by INT && ends_by TERM; }
reader_goes_away() {
	rm -f $T_TMP/ended
	{ timeout 60 rmc monitor; echo > $T_TMP/ended; } | head -n 1 > $out &
	busywait "$(slow 10)" ended || { fail "monitor outlives its reader"; return 1; }
}
ended() {
	rmc ep add poke mode verbs idle && rmc ep del poke
	[ -e $T_TMP/ended ]
}
pings() {
	rping_server 10.9.0.2 || return
	rmc ep add p mode verbs detect $detect dst 10.9.0.2:7174 src 10.9.0.1 || return
	defer rmc ep del p
	ep_wait p up || return
	rmc -j ping p -c 5 -i 0.05 -W 2000 > $out || { fail "lost: $(cat $out)"; return 1; }
	jq -e '.ep == "p" and .sent == 5 and .received == 5 and .rtt_us.min > 0 and .rtt_us.min <= .rtt_us.avg and .rtt_us.avg <= .rtt_us.max' \
		$out > /dev/null || { fail "$(cat $out)"; return 1; }
	rmc ping p path 0 -c 2 -i 0.05 -W 2000 > $out || return
	grep -q '^answer over path 0: seq=2 time=' $out && grep -q '2 probes sent, 2 answered, 0% lost' $out || { fail "$(cat $out)"; return 1; }
	# for ever, until a signal, which ends with the sums
	rmc ping p -i 0.05 -W 2000 > $out &
	local pid=$!
	defer kill -KILL $pid
	said 'seq=3' || return
	kill -INT $pid
	busywait 5 gone $pid && grep -q 'probes sent' $out || fail "SIGINT does not end it with the sums"
}
nothing_is_left() {
	[ "$(rmc -j ep show)" = '[]' ] || { fail "$(rmc ep show)"; return 1; }
	rdma_check_baseline && leak_check
}

rdma_baseline
t "monitor -j prints one object a line with all keys" json_lines
t "monitor path tells of paths only" only_what_was_asked_for
t "monitor tells people" text_lines
t "SIGINT and SIGTERM end monitor with 0" signals
t "monitor ends when its reader goes" reader_goes_away
t "ping counts answers and measures them" pings
t "nothing is left" nothing_is_left
done_testing
