#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe vms=1 timeout=120 build=normal
# What the kernel API refuses, and with which errno.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/api.sh"

api_up || { not_ok "rmc_api_test does not load"; done_testing; }
t "bad attributes of an endpoint are refused, each with its errno" api attrs
t "bad paths are refused; path ids count from 0 and are never used again" api paths
t "a closed endpoint says so to every call" api closed
t "nothing is left behind" leaves_nothing
done_testing
