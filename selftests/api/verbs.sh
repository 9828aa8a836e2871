#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=240 build=normal
# What a consumer may do with a connection, and what nobody else may do to it.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/api.sh"

ACCEPT=7001

api_up accept || { not_ok "the modules do not load"; done_testing; }
t "C34: depths are granted or clamped, never exceeded" api depth dst="$(to $ACCEPT)" "$A0"
t "C34: a consumer fills both queues beside the probes" api sendq dst="$(to $ACCEPT)" "$A0" rounds=20
t "C34: also the smallest queue" api sendq dst="$(to $ACCEPT)" "$A0" depth=1 rounds=20
t "I13: a key of another endpoint's memory is refused" api rkey dst="$(to 7900)" "$A0"
t "nothing is left behind" leaves_nothing
done_testing
