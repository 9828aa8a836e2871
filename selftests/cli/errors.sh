#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe vms=1 timeout=300 build=normal
# What the kernel refuses is said on stderr: what, why, and the word and value that are to blame. Exit status 1; nothing stays.
. "$(dirname "$0")/../lib.sh"

have_rmc || skip_all "no rmc"

# refused PATTERN WORDS...: exit status 1, the pattern on stderr, nothing on stdout
refused() {
	local want=$1 out rc

	shift
	out=$(rmc "$@" 2>&1 > $T_TMP/stdout)
	rc=$?
	[ $rc = 1 ] || { fail "rmc $*: exit status $rc: $out"; return 1; }
	[ ! -s $T_TMP/stdout ] || { fail "rmc $* prints on stdout"; return 1; }
	[[ $out =~ $want ]] || fail "rmc $*: says '$out', not '$want'"
}
fresh() { rmc ep add e mode verbs idle dst 10.9.0.2:7174 && defer rmc ep del e; }

names() {
	fresh || return
	refused 'exists.*"e".*File exists' ep add e mode verbs idle || return
	refused 'at most 63.*File name too long' ep add "$(printf 'x%.0s' {1..64})" mode verbs idle || return
	refused 'Invalid argument' ep add '' mode verbs idle || return
	refused 'Invalid argument' ep add 'a b' mode verbs idle || return
	refused 'Invalid argument' ep add a/b mode verbs idle
}
missing_endpoints() {
	local c

	for c in "ep show no" "ep del no" "ep connect no" "ep disconnect no" "ep set no conns 1" "path show no" "path del no 0" \
		"path set no 0 up" "path add no dst 10.9.0.2:1"; do
		# shellcheck disable=SC2086
		refused 'no endpoint.*"no".*No such file' $c || return
	done
	refused 'no endpoint.*"no".*No such file' ping no -c 1 || return
	fresh || return
	refused 'no path.*path 7.*No such file' path set e 7 up || return
	refused 'no path.*path 7.*No such file' path del e 7 || return
	refused 'no path.*path 7.*No such file' ping e path 7 -c 1
}
values_are_named() {
	local s

	fresh || return
	for s in "connect_ms 0" "connect_ms 60001" "detect_ms 99" "detect_ms 60001" "conns 0" "conns 65" "depth 0" "depth 65537" \
		"depth 2147483648" "tos 256" "ack_timeout 7" "ack_timeout 32" "rnr_timer 0" "rnr_timer 32" "retry_count 7" \
		"backoff_min_ms 0" "backoff_max_ms 600001"; do
		# shellcheck disable=SC2086
		refused "${s% *} .*: $s .Invalid argument" ep add bad mode verbs idle $s || return
		# shellcheck disable=SC2086
		refused "${s% *} .*: $s .Invalid argument" ep set e $s || return
	done
	refused 'backoff_min_ms 3000' ep set e backoff_min_ms 3000 || return
	refused 'policy weighted.*not supported' ep set e policy weighted || return
	refused 'session mode.*not supported' ep add bad idle || return
	refused 'mode session.*not supported' ep add bad mode session idle || return
	[ "$(ep_get e .settings.detect_ms)" = 500 ] || fail "something was changed nevertheless"
}
addresses() {
	fresh || return
	refused 'needs a port: dst 10.9.0.2 ' ep add bad mode verbs dst 10.9.0.2 || return
	refused 'needs a port: dst 10.9.0.2 ' path add e dst 10.9.0.2 || return
	refused 'needs a port' path add e dst 10.9.0.2:0 || return
	refused 'interface: dst .fe80::1.:44' path add e dst '[fe80::1]:44' || return
	refused 'dst 224.0.0.1:44' path add e dst 224.0.0.1:44 || return
	refused 'dst 0.0.0.0:44' path add e dst 0.0.0.0:44 || return
	refused 'family: src fd09::1' path add e dst 10.9.0.2:44 src fd09::1 || return
	refused 'weight 0' path add e dst 10.9.0.2:44 weight 0 || return
	refused 'weight 0' path set e 0 weight 0
}
too_many_paths() {
	local i words=()

	fresh || return
	for i in 1 2 3 4 5 6 7; do
		rmc path add e dst 10.9.0.2:$i || return
		words+=(dst "10.9.0.2:$i")
	done
	refused 'at most 8 paths.*dst 10.9.0.2:8' path add e dst 10.9.0.2:8 || return
	refused 'at most 8 paths.*dst 10.9.0.2:19' ep add many mode verbs idle "${words[@]}" dst 10.9.0.2:8 dst 10.9.0.2:19
}
a_bad_path_undoes_the_rest() {
	refused 'needs a port: dst 10.9.1.2' ep add half mode verbs dst 10.9.0.2:7174 dst 10.9.1.2 || return
	refused 'no endpoint' ep show half || return
	refused 'needs a path: "half"' ep add half mode verbs || return
	refused 'no endpoint' ep show half
}
no_permission() {
	local as="setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all" c out

	fresh || return
	for c in "ep add p mode verbs idle" "ep set e conns 2" "ep del e" "ep connect e" "ep disconnect e" "path add e dst 10.9.0.2:1" \
		"path set e 0 down" "path del e 0" "ping e -c 1"; do
		# shellcheck disable=SC2086
		out=$($as rmc $c 2>&1)
		[ $? = 1 ] || { fail "nobody may: rmc $c: $out"; return 1; }
		[[ $out == *CAP_NET_ADMIN*"not permitted"* ]] || { fail "rmc $c says '$out'"; return 1; }
	done
	# looking is free
	$as rmc -j ep show e > /dev/null && $as rmc -j path show > /dev/null && $as rmc -j dev show > /dev/null || return
	[ "$(rmc -j ep show e | jq '.[0].paths | length')" = 1 ] || fail "something was changed nevertheless"
}
# an address that cannot be reached is no bad input: the path says what it waits for
unreachable_addresses() {
	fresh || return
	rmc path add e dst 10.9.0.2:7174 src 10.77.0.1 && rmc path add e dst 10.99.0.2:7174 && rmc ep connect e || return
	busywait "$(slow 5)" has_reason 1 no-address || { fail "$(path_get e 1 '.reason | tostring')"; return 1; }
	busywait "$(slow 5)" has_reason 2 no-route || fail "$(path_get e 2 '.reason | tostring')"
}
has_reason() { [ "$(path_get e "$1" '.reason.name')" = "$2" ]; }
pings_that_fail() {
	local out

	fresh || return
	out=$(rmc -j ping e -c 2 -i 0)
	[ $? = 1 ] || { fail "a ping that is lost is no success"; return 1; }
	jq -e '.sent == 2 and .received == 0 and .rtt_us.min == null' <<< "$out" > /dev/null || { fail "$out"; return 1; }
	refused 'waits 1 to 10000 ms: -W 0' ping e -c 1 -W 0
}
other_netns() {
	refused 'network namespace "nosuch"' -n nosuch ep show
}
a_full_disk() {
	rmc ep show > /dev/full 2> /dev/null || return 0
	rmc -j dev show > /dev/full 2> $T_TMP/err
	[ $? = 1 ] && grep -q 'cannot write' $T_TMP/err
}
nothing_is_left() {
	[ "$(rmc -j ep show)" = '[]' ] || { fail "$(rmc ep show)"; return 1; }
	rdma_check_baseline && leak_check
}

rdma_baseline
t "names too long, taken, or of the wrong letters" names
t "endpoints and paths that are not there" missing_endpoints
t "a value out of range is named with its setting" values_are_named
t "addresses that lead nowhere" addresses
t "more than eight paths" too_many_paths
t "a bad path undoes the endpoint" a_bad_path_undoes_the_rest
t "without CAP_NET_ADMIN nothing is changed, and it is said" no_permission
t "an unreachable address is a reason, not an error" unreachable_addresses
t "a lost ping is exit status 1" pings_that_fail
t "a network namespace that is not there" other_netns
t "an answer that cannot be written is no success" a_full_disk
t "nothing is left" nothing_is_left
done_testing
