#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=host transports=none timeout=60 build=none
# What is wrong with a command line is said without a kernel, on stderr, with exit status 2.
. "$(dirname "$0")/../lib.sh"

tree=$(cd "$(dirname "$0")/../.." && pwd)
make -s -C "$tree/tools/rmc" "O=$T_TMP/rmc-cli" > "$T_TMP/rmc-cli.log" 2>&1 || { cat "$T_TMP/rmc-cli.log"; echo "Bail out! rmc does not build"; exit 1; }
rmc=$T_TMP/rmc-cli/rmc

# usage 'WORDS...' PATTERN: exit status 2, the pattern on stderr, nothing on stdout
usage() {
	local out rc want=$2

	eval "set -- $1"
	out=$("$rmc" "$@" 2>&1 > "$T_TMP/stdout")
	rc=$?
	[ $rc = 2 ] || { fail "rmc $*: exit status $rc: $out"; return 1; }
	[ ! -s "$T_TMP/stdout" ] || { fail "rmc $* prints on stdout"; return 1; }
	[[ $out == *"$want"* ]] || fail "rmc $*: says '$out'"
}
# all: pairs of words and pattern from stdin, "WORDS | PATTERN" a line
all() {
	local line bad=0

	while read -r line; do
		usage "${line% | *}" "${line#* | }" || bad=1
	done
	return $bad
}

objects() {
	all <<- 'END'
		 | usage: rmc
		bogus | 'bogus' is unknown
		p | 'p' is ambiguous
		'' | is unknown
		ep bogus | 'bogus' is unknown
		ep d x | 'd' is ambiguous
		path bogus | 'bogus' is unknown
		dev bogus | 'bogus' is unknown
		dev show x | one word too many
		listen show | not in this version
		perf x | not in this version
		conf save x | not in this version
		-x ep | no option -x
		-n | needs the name
	END
}
endpoints() {
	all <<- 'END'
		ep add | needs the NAME
		ep set | needs the NAME
		ep del | needs the NAME
		ep connect | needs the NAME
		ep disconnect | needs the NAME
		ep del a b | one word too many
		ep show a b | one word too many
		ep set a | something to set
		ep set a idle | 'idle' is unknown
		ep set a dst 1.2.3.4:5 | 'dst' is unknown
		ep set a mode verbs | 'mode' is unknown
		ep add a mode | needs one of session, verbs
		ep add a mode tcp | 'tcp' is none of session, verbs
		ep add a policy best | 'best' is none of min-inflight
		ep add a bogus 3 | 'bogus' is unknown
		ep add a mode verbs key k | not in this version
		ep add a src 1.2.3.4 | comes after its dst
		ep add a priority 3 | comes after its dst
		ep add a dst | needs an address
		ep add a dst 1.2.3:4 | not an IPv4 or IPv6 address
		ep add a dst host:4 | not an IPv4 or IPv6 address
		ep add a dst 1.2.3.4:x | the port is a number
		ep add a dst 1.2.3.4:65536 | the port is a number
		ep add a dst [fd09::1 | the form is
		ep add a dst [fd09::1]44 | the form is
		ep add a dst [fe80::1%nosuch0]:44 | no interface of that name
		ep add a dst 1.2.3.4:5 src 1.2.3.4:5 | a source has no port
	END
}
settings() {
	local s

	for s in connect_ms fail_fast_ms loss_ms max_attempts backoff_min_ms backoff_max_ms detect_ms conns depth tos \
		ack_timeout rnr_timer retry_count; do
		usage "ep add a $s" "$s needs a number" || return
		usage "ep add a $s x" "$s: 'x' is not a number" || return
		usage "ep add a $s -1" "$s: '-1' is not a number" || return
		usage "ep set a $s 4294967296" "$s: '4294967296' is not a number" || return
		usage "ep set a ${s//_/-} 1x" "$s: '1x' is not a number" || return
	done
	usage "ep add a detect x" "detect_ms: 'x' is not a number" || return
	usage "ep add a private_data" "needs a value" || return
	usage "ep add a private_data hex:1" "pairs of hex digits" || return
	usage "ep add a private_data hex:0g" "pairs of hex digits" || return
	usage "ep add a private_data $(printf 'x%.0s' {1..256})" "more than 255" || return
	usage "ep add a private_data hex:$(printf 'aa%.0s' {1..256})" "more than 255"
}
paths() {
	all <<- 'END'
		path add | needs the name
		path add a | first word about a path is dst
		path add a src 1.2.3.4 | first word about a path is dst
		path add a dst 1.2.3.4:5 bogus | 'bogus' is unknown
		path add a dst 1.2.3.4:5 weight | weight needs a number
		path set a | needs an EP and the ID
		path set a x up | 'x' is not a number
		path set a 0 | something to set
		path set a 0 dst 1.2.3.4:5 | 'dst' is unknown
		path set a 0 src 1.2.3.4 | cannot be changed
		path del a | needs an EP and the ID
		path del a 0 1 | one word too many
		path show a b | one word too many
	END
}
others() {
	all <<- 'END'
		monitor bogus | none of ep, path, conn, all
		monitor ep path | one word too many
		ping | needs the name
		ping a -c | -c needs a number
		ping a -c 0 | at least 1
		ping a -i x | number of seconds
		ping a -i -1 | number of seconds
		ping a -W x | 'x' is not a number
		ping a b | 'b' is unknown
	END
}
help_is_no_error() {
	local words

	for words in help -h --help -V "ep help" "path help" "dev help" "monitor help" "ping help"; do
		# shellcheck disable=SC2086
		"$rmc" $words > "$T_TMP/stdout" 2>&1 || { fail "rmc $words fails"; return 1; }
		[ -s "$T_TMP/stdout" ] || { fail "rmc $words says nothing"; return 1; }
	done
}
no_module() {
	local out

	[ ! -d /sys/module/rmc ] || skip "the module is loaded here"
	out=$("$rmc" -j ep show 2>&1) && { fail "it succeeds without the module"; return 1; }
	[[ $out == *"not loaded"* ]] || fail "it says '$out'"
}

t "unknown and ambiguous words" objects
t "endpoints" endpoints
t "settings are named" settings
t "paths" paths
t "monitor and ping" others
t "help is no error" help_is_no_error
t "a missing module is said" no_module
done_testing
