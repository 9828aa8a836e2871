#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=400 build=normal
# C25: unloading with endpoints in all states. Endpoints of userspace hold no reference and go with the module; a
# consumer in the kernel does, and unloading is refused as busy.
. "$(dirname "$0")/../common.sh"

ACCEPT=7001 SILENT=7002 REJECT=7003
# a debug kernel takes half a minute for as many processes
EACH=$(is_debug && echo 3 || echo 25)

# some KIND WORDS...: some of each kind. Nothing is deferred, for unloading ends them
some() {
	local kind=$1 i

	shift
	for ((i = 0; i < EACH; i++)); do
		rmc ep add "$kind$i" mode verbs "$@" || return
	done
}

all_states() {
	blackhole
	some idle idle dst "$(to $ACCEPT)" &&
	some up dst "$(to $ACCEPT)" &&
	some silent dst "$(to $SILENT)" &&
	some backoff backoff_min_ms 60000 backoff_max_ms 60000 dst "$(to $REJECT)" &&
	some busy backoff_min_ms 100 backoff_max_ms 100 dst "$(to $NOBODY)" &&
	some lost max_attempts 1 dst "$(to $REJECT)" &&
	some waiting dst "$(to $ACCEPT)" src 10.9.0.99 || return
	# iWARP would hold up unloading until TCP gives up, as documented
	[ "$RMC_TRANSPORT" = siw ] || some gone dst $GONE:$ACCEPT || return
	ep_wait up0 up && ep_wait lost0 lost && path_wait waiting0 0 waiting && path_wait backoff0 0 backoff
}

unloads() {
	local ms

	ms=$(took_ms rmmod rmc) || fail "rmmod" || return
	insmod "$RMC_KO/rmc.ko" || return
	in_ms 3300 "$ms" "unloading" || return
	expect "what is there" "$(rmc -j ep show)" "[]" || return
	busywait "$(slow 3)" peer_is_free || fail "the peer still has $(peer_get $ACCEPT open) connections"
}
peer_is_free() { [ "$(peer_get $ACCEPT open)" = 0 ]; }

with_userspace() {
	all_states && unloads
}

with_fabric_cut() {
	all_states || return
	defer mend 0
	cut 0
	unloads_cut
}
unloads_cut() {
	local ms

	ms=$(took_ms rmmod rmc) || fail "rmmod" || return
	insmod "$RMC_KO/rmc.ko" || return
	in_ms 10000 "$ms" "unloading with the fabric cut" || return
	mend 0
	peer_do drop $ACCEPT
	busywait "$(slow 3)" peer_is_free
}

with_a_consumer() {
	test_module rmc_api_test || return
	defer rmmod rmc_api_test
	api hold n=10 dst="$(to $ACCEPT)" "$A0" wait_ms=20000 || return
	api hold n=10 dst="$(to $SILENT)" "$A0" || return
	ep_add user -- $ACCEPT && ep_wait user up || return
	! rmmod rmc 2> "$T_TMP/err" || fail "rmmod went through under a consumer" || return
	grep -q -i 'in use' "$T_TMP/err" || fail "$(< "$T_TMP/err")" || return
	# refused means that nothing has happened
	stays 1 ep_is user up || fail "an endpoint is $(ep_state user) after the refusal" || return
	rmmod rmc_api_test || return
	unloads
}

begin accept silent reject
t "C25: unloading ends userspace's endpoints in all states" with_userspace
t "C25: also with the fabric cut" with_fabric_cut
t "C25: a consumer in the kernel makes it busy, and nothing happens" with_a_consumer
finish
