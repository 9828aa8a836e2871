/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes: a zero-length work request whose completion proves that the peer's
 * adapter is there, without its CPU, its protocol or memory of either side.
 */
#ifndef RMC_VERBS_PROBE_H
#define RMC_VERBS_PROBE_H

#include <rdma/ib_verbs.h>
#include <uapi/rdma/rmc.h>

struct rmc_probe {
	struct ib_cqe	cqe;
	/* completion context: record only */
	void		(*done)(struct rmc_probe *probe, enum ib_wc_status status);
};

void rmc_probe_init(struct rmc_probe *probe,
		    void (*done)(struct rmc_probe *probe, enum ib_wc_status status));
/* @initiator_depth: READs that the peer granted to this side. */
enum rmc_probe_kind rmc_probe_kind_for(const struct ib_device *ib, u32 port, u8 initiator_depth);
/* Any context. One may be outstanding; its slot is part of the QP's reserve. */
int rmc_probe_post(struct rmc_probe *probe, struct ib_qp *qp, enum rmc_probe_kind kind);

#endif /* RMC_VERBS_PROBE_H */
