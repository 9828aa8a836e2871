#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=300 build=normal
# What a consumer is told, in which order, and what its own errors and waits lead to.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/api.sh"

ACCEPT=7001 SILENT=7002 DROP=7003 QP_ERR=7004

a_request_carries_what_was_asked() {
	api conn_ref dst="$(to $ACCEPT)" "$A0" || return
	[ "$(peer_get $ACCEPT last_private | cut -c1-2)" = 00 ] || fail "private data $(peer_get $ACCEPT last_private)" || return
	[ "$RMC_TRANSPORT" = siw ] || [ "$(peer_get $ACCEPT last_retry_count)" = 6 ] ||
		fail "retry count $(peer_get $ACCEPT last_retry_count)"
}

conn_up_is_flushed_when_the_peer_dies_silently() {
	[ "$RMC_TRANSPORT" = rxe ] || skip "a QP in error says so to its TCP peer"
	# a probe finds out, and before UP there is none: what is at work here is the flush by the attempt's end
	api flush dst="$(to $QP_ERR)" "$A0" limit_ms=12000
}

api_up accept silent drop_after_ms:50 qp_err_after_ms:50 || { not_ok "the modules do not load"; done_testing; }
t "I4: ops keep their order when connections are failed at random" api order dst="$(to $ACCEPT)" "$A0" rounds=30 ms=30
t "ops that fail end the generation, and two errnos end the path" api errors dst="$(to $ACCEPT)" "$A0"
t "I4: a conn_up that waits is flushed when the peer disconnects" api flush dst="$(to $DROP)" "$A0"
t "I4: a conn_up that waits is flushed when the peer's QP dies" conn_up_is_flushed_when_the_peer_dies_silently
t "waiting for an endpoint" api wait dst="$(to $ACCEPT)" silent="$(to $SILENT)" "$A0"
t "an endpoint is closed from within each op" api close dst="$(to $ACCEPT)" "$A0"
t "a referenced connection keeps its particulars" a_request_carries_what_was_asked
t "completions run where they were asked for" api poll dst="$(to $ACCEPT)" "$A0"
t "nothing is left behind" leaves_nothing
done_testing
