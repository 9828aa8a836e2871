#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe vms=1 timeout=300 build=normal
# What the tool prints is what its users were promised: keys, types, null for what is not known, always a list.
. "$(dirname "$0")/../lib.sh"

have_rmc || skip_all "no rmc"
detect=$([ "$RMC_KERNEL" = uml ] && echo 2000 || echo 1000)

# is JQ-FILTER: true of the JSON on stdin
is() {
	local json

	json=$(cat)
	jq -e "$1" <<< "$json" > /dev/null || { fail "not so: $1"; jq -c . <<< "$json" | cut -c 1-1500; return 1; }
}
num_or_null='(type == "number" or type == "null")'
reason="(. == null or (keys == [\"code\",\"errno\",\"name\",\"rej\"] and (.code, .errno, .rej | type == \"number\") and (.name | type == \"string\")))"
stats='([.attempts, .failures, .connects, .losses, .probes, .probe_errors, .suspects, .stalls, .wakeups, .bad_events, .orphans] | all(type == "number"))'
path="((.id | type == \"number\") and (.src | type == \"string\" or . == null) and (.dst | type == \"string\")
	and (.dev | type == \"string\" or . == null)
	and (.state | IN(\"disabled\",\"waiting\",\"connecting\",\"up\",\"suspect\",\"backoff\",\"refused\"))
	and (.reason | $reason) and ([.generation, .attempts, .failures, .detect_ms, .probe_interval_ms, .inflight,
	.ack_timeout, .priority, .weight, .orphans] | all(type == \"number\"))
	and (.probe | IN(\"write\",\"read\",\"none\")) and (.down | type == \"boolean\")
	and ([.usable_private_data, .rtt_us, .connect_us, .up_ms, .wait_ms, .depth] | all($num_or_null)) and (.stats | $stats))"
settings='((keys - ["private_data"] | sort) == (["connect_ms","fail_fast_ms","loss_ms","max_attempts","backoff_min_ms","backoff_max_ms",
	"detect_ms","conns","depth","tos","ack_timeout","rnr_timer","retry_count"] | sort)
	and ([del(.private_data)[]] | all(type == "number")) and (.private_data | type == "string" or . == null))'
ep="((.name | type == \"string\") and (.mode | IN(\"session\",\"verbs\")) and (.role | IN(\"active\",\"passive\"))
	and (.state | IN(\"idle\",\"connecting\",\"up\",\"degraded\",\"recovering\",\"failfast\",\"lost\",\"closed\"))
	and (.reason | $reason) and (.policy | type == \"string\") and (.settings | $settings)
	and (.paths | type == \"array\" and all($path)) and (.stats | $stats)
	and (.consumer | type == \"string\" or . == null) and (.preferred | $num_or_null))"

empty_lists() {
	rmc -j ep show | is '. == []' && rmc -j path show | is '. == []' && [ -z "$(rmc ep show)" ]
}
devices() {
	rmc -j dev show | is 'type == "array" and length >= 2 and all((.dev | type == "string") and (.state | type == "string")
		and ([.paths, .attempts_per_s, .probes_per_s, .orphans] | all(type == "number")))' || return
	rmc -j dev show | is 'map(.dev) | index("rxe_a0") != null'
}
idle_endpoint() {
	rmc ep add idle mode verbs idle dst 10.9.0.2:7174 || return
	defer rmc ep del idle
	rmc -j ep show idle | is "length == 1 and all($ep)" || return
	rmc -j ep show idle | is '.[0] | .state == "idle" and .reason == null and .consumer == null and .preferred == null
		and .role == "active" and .mode == "verbs" and .policy == "failover" and .settings.private_data == null' || return
	rmc -j ep show idle | is '.[0].settings | .connect_ms == 5000 and .fail_fast_ms == 5000 and .loss_ms == 0 and .detect_ms == 500
		and .max_attempts == 0 and .backoff_min_ms == 200 and .backoff_max_ms == 2000 and .conns == 1 and .depth == 128
		and .retry_count == 6' || return
	rmc -j ep show idle | is '.[0].paths[0] | .id == 0 and .src == null and .dst == "10.9.0.2:7174" and .dev == null
		and .state == "disabled" and .up_ms == null and .rtt_us == null and .wait_ms == null'
}
living_endpoint() {
	rping_server 10.9.0.2 || return
	rmc ep add live mode verbs detect $detect dst 10.9.0.2:7174 src 10.9.0.1 priority 1 dst 10.9.1.2:7999 priority 2 weight 3 || return
	defer rmc ep del live
	ep_wait live degraded || return
	busywait "$(slow 5)" measured || { fail "no round trip was measured"; return 1; }
	rmc -j ep show | is "length == 1 and all($ep)" || return
	rmc -j ep show live | is '.[0] | .preferred == 0 and (.paths | map(.id) == [0, 1])' || return
	rmc -j ep show live | is '.[0].paths[0] | .state == "up" and .src == "10.9.0.1" and .dev == "rxe_a0" and .probe == "write"
		and .usable_private_data == 56 and .rtt_us > 0 and .up_ms >= 0 and .connect_us > 0 and .depth == 128 and .generation >= 1
		and .priority == 1 and .weight == 1' || return
	busywait "$(slow 5)" refused || { fail "no reason: $(path_get live 1 '.')"; return 1; }
	rmc -j path show live | is "length == 2 and all(.ep == \"live\" and $path)" || return
	rmc -j path show | is 'length == 2 and .[1].priority == 2 and .[1].weight == 3 and .[1].up_ms == null'
}
measured() { [ "$(path_get live 0 .rtt_us)" != null ]; }
refused() { [ "$(path_get live 1 .reason.name)" = no-listener ]; }
every_setting() {
	rmc ep add all mode verbs idle policy failover connect_ms 1001 fail_fast_ms 1002 loss_ms 5003 max_attempts 4 backoff_min_ms 105 \
		backoff_max_ms 1006 detect 2007 conns 8 depth 9 tos 10 ack_timeout 11 rnr_timer 13 retry_count 5 private_data hello || return
	defer rmc ep del all
	rmc -j ep show all | is '.[0].settings == {"connect_ms": 1001, "fail_fast_ms": 1002, "loss_ms": 5003, "max_attempts": 4,
		"backoff_min_ms": 105, "backoff_max_ms": 1006, "detect_ms": 2007, "conns": 8, "depth": 9, "tos": 10, "ack_timeout": 11,
		"rnr_timer": 13, "retry_count": 5, "private_data": "hello"}' || return
	# words with '-' as in the spec, and what was not named stays
	rmc ep set all connect-ms 2001 retry-count 0 private-data hex:00ff || return
	rmc -j ep show all | is '.[0].settings | .connect_ms == 2001 and .retry_count == 0 and .private_data == "hex:00ff"
		and .detect_ms == 2007' || return
	rmc ep set all private_data '' || return
	rmc -j ep show all | is '.[0].settings.private_data == null'
}
addresses() {
	local index

	index=$(cat /sys/class/net/a0/ifindex)
	rmc ep add addr mode verbs idle dst '[fd09::2]:4420' src fd09::1 dst '[fe80::1%a0]:4420' src fe80::2%a0 \
		dst "[fe80::1%$index]:4421" dst 10.9.0.2:65535 || return
	defer rmc ep del addr
	rmc -j path show addr | is 'map([.dst, .src]) == [["[fd09::2]:4420", "fd09::1"], ["[fe80::1%a0]:4420", "fe80::2%a0"],
		["[fe80::1%a0]:4421", null], ["10.9.0.2:65535", null]]'
}
grammar() {
	rmc e a gr m verbs idle 2> /dev/null && { fail "a word of an endpoint was abbreviated"; return 1; }
	rmc e a gr mode verbs idle || return
	defer rmc ep del gr
	rmc pa a gr dst 10.9.0.2:1 up || return
	rmc path add gr dst 10.9.0.2:2 down priority 4 || return
	rmc -j pa sh gr | is 'map([.id, .down, .priority]) == [[0, false, 0], [1, true, 4]]' || return
	rmc pat set gr 1 up weight 2 || return
	rmc path del gr 0 || return
	rmc -j path list gr | is 'map([.id, .down, .weight]) == [[1, false, 2]]' || return
	# show is what is done without a command
	[ "$(rmc -j ep | jq length)" = 1 ] && [ "$(rmc -j path | jq length)" = 1 ] || { fail "no show by default"; return 1; }
	[ "$(rmc -jp ep show gr | wc -l)" -gt 20 ] && [ "$(rmc -j ep show gr | wc -l)" = 1 ] || fail "pretty is not longer"
}
people_can_read_it() {
	rmc ep add human mode verbs idle dst 10.9.0.2:7174 src 10.9.0.1 || return
	defer rmc ep del human
	rmc ep show | grep -q '^human: idle' || { rmc ep show; return 1; }
	rmc ep show | grep -q '10.9.0.1 -> 10.9.0.2:7174' || return
	rmc ep show human | grep -q 'connect_ms 5000' || return
	rmc -s ep show | grep -q 'attempts 0  failures 0' || return
	! rmc ep show human | grep -q ' $' || { fail "blanks at the end of a line"; return 1; }
	rmc path show | head -n 1 | grep -q '^EP *ID *STATE'
}
nothing_is_left() { empty_lists && rdma_check_baseline && leak_check; }

rdma_baseline
t "nothing is an empty list" empty_lists
t "devices" devices
t "an idle endpoint has its defaults and null for what is not known" idle_endpoint
t "a living endpoint has all keys of the contract" living_endpoint
t "every setting comes back under the word it was given by" every_setting
t "addresses come back as they were written" addresses
t "words can be shortened where they are not ambiguous" grammar
t "people can read it" people_can_read_it
t "nothing is left" nothing_is_left
done_testing
