# SPDX-License-Identifier: GPL-2.0
# Sourced after lib.sh: what is compared with the baseline, without the idle completion queues of the core's pool. Those
# stay with their device once somebody has used the pool.
# shellcheck shell=bash

_rdma_now() {
	rdma resource show | sed 's/^[0-9]*: //; s/ cq [0-9]*//' | sort
	rdma resource show cq | sed -n '/ users 0 /!s/ cqn.*comm/ cq/p' | sort
	for m in rmc rdma_cm ib_core rdma_rxe siw; do
		[ ! -e "/sys/module/$m/refcnt" ] || echo "$m $(cat "/sys/module/$m/refcnt")"
	done
}
