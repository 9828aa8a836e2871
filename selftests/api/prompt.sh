#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=300 build=normal
# Nothing and nobody holds up a consumer: not a peer that is silent, not another path, not the network.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/api.sh"

ACCEPT=7001 SILENT=7002 REJECT=7003 LATE=7004

blackhole() {
	ip neigh replace 10.9.0.77 lladdr 02:00:00:00:00:99 nud permanent dev a0
	ip route replace 10.9.0.77/32 dev a0 src 10.9.0.1
	defer ip route del 10.9.0.77/32
	defer ip neigh del 10.9.0.77 dev a0
}

destroy_in_every_state() {
	blackhole
	api destroy dst="$(to $ACCEPT)" silent="$(to $SILENT)" dead="$(to 7999)" gone=10.9.0.77:7001 "$A0"
}

destroy_with_the_fabric_cut() {
	defer mend 0
	cut 0
	api churn dst="$(to $ACCEPT)" n=5 ms=700 "$A0"
}

churn_of_rejects() {
	api churn dst="$(to $REJECT)" n="$(loops 200)" ms=6 "$A0"
}
# a debug kernel does a tenth
loops() { is_debug && echo $(($1 / 5)) || echo "$1"; }

api_up accept silent reject reject_after_ms:15 || { not_ok "the modules do not load"; done_testing; }
t "I6: destroying is prompt in every state" destroy_in_every_state
t "I6: destroying is prompt with the fabric cut" destroy_with_the_fabric_cut
t "I2: a slow op delays no other path" api slow dst="$(to $ACCEPT)" "$A0" dst1="$(to $ACCEPT 1)" src1=10.9.1.1
t "C02: the waiter learns of a reject at once" api reject dst="$(to $REJECT)" "$A0" n="$(loops 100)"
t "C02: also when it comes around the deadline" api reject dst="$(to $LATE)" "$A0" n="$(loops 100)" connect_ms=16
t "C03: a reject while the endpoint is destroyed" churn_of_rejects
t "C03: a late reject while the endpoint is destroyed" api churn dst="$(to $LATE)" "$A0" n="$(loops 200)" ms=25
t "C22: endpoints that come and go" api churn dst="$(to $ACCEPT)" "$A0" n="$(loops 200)" ms=30
t "nothing is left behind" leaves_nothing
done_testing
