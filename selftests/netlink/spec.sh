#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=host transports=none timeout=60 build=none
# The spec, the headers and the tool say the same.
exec python3 "$(dirname "$0")/spec.py"
