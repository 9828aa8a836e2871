#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe vms=1 timeout=180 build=normal
# C25: unloading is refused as busy while an in-kernel consumer is there, and works at once when it is gone.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/api.sh"

ACCEPT=7001 SILENT=7002

refused_as_busy() {
	! rmmod rmc 2> "$T_TMP/rmmod" || fail "rmmod rmc succeeded under a consumer" || return
	grep -qi 'in use' "$T_TMP/rmmod" || fail "$(cat "$T_TMP/rmmod")"
}

with_endpoints() {
	local n=50

	! is_debug || n=8
	api hold n=$n dst="$(to $ACCEPT)" "$A0" wait_ms=20000 || return
	api hold n=$n dst="$(to $SILENT)" "$A0" || return
	api hold n=$n dst="$(to 7999)" "$A0" || return
	api hold n=$n dst="$(to $ACCEPT)" idle=1 || return
	refused_as_busy
}

consumer_goes() {
	local ms

	ms=$(took_ms rmmod rmc_api_test) || fail "the consumer does not unload" || return
	# one after the other; what one may take is tested elsewhere
	in_ms 10000 "$ms" "destroying endpoints in all states"
}

rmc_goes() {
	local ms

	ms=$(took_ms rmmod rmc) || fail "rmmod rmc" || return
	in_ms 3300 "$ms" "rmmod rmc"
}

leaves_nothing() {
	rmmod rmc_test_peer || return
	insmod "$RMC_KO/rmc.ko" || return
	rdma_check_baseline "$(slow 5)"
}

api_up accept silent || { not_ok "the modules do not load"; done_testing; }
t "C25: unloading is refused under a consumer without endpoints" refused_as_busy
t "C25: unloading is refused under endpoints in all states" with_endpoints
t "C25: the consumer unloads" consumer_goes
t "C25: then rmc unloads" rmc_goes
t "nothing is left behind" leaves_nothing
done_testing
