// SPDX-License-Identifier: GPL-2.0
#include "verbs/fault.h"
#include "verbs/probe.h"

static void probe_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct rmc_probe *probe = container_of(wc->wr_cqe, struct rmc_probe, cqe);

	probe->done(probe, wc->status);
}

void rmc_probe_init(struct rmc_probe *probe,
		    void (*done)(struct rmc_probe *probe, enum ib_wc_status status))
{
	probe->cqe.done = probe_done;
	probe->done = done;
}

/*
 * An iWARP WRITE completes as soon as TCP has taken it, which proves nothing;
 * a READ is a round trip, but needs the peer to have granted one.
 */
enum rmc_probe_kind rmc_probe_kind_for(const struct ib_device *ib, u32 port, u8 initiator_depth)
{
	if (!rdma_protocol_iwarp(ib, port))
		return RMC_PROBE_WRITE;
	return initiator_depth ? RMC_PROBE_READ : RMC_PROBE_NONE;
}

int rmc_probe_post(struct rmc_probe *probe, struct ib_qp *qp, enum rmc_probe_kind kind)
{
	/* siw wants exactly one SGE on a READ, also on an empty one */
	struct ib_sge sge = { .lkey = qp->pd->local_dma_lkey };
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_cqe		= &probe->cqe,
			.opcode		= IB_WR_RDMA_WRITE,
			.send_flags	= IB_SEND_SIGNALED,
		},
	};
	int ret = rmc_fault(RMC_FAULT_PROBE_POST);

	if (ret)
		return ret;
	if (kind == RMC_PROBE_READ) {
		wr.wr.opcode = IB_WR_RDMA_READ;
		wr.wr.sg_list = &sge;
		wr.wr.num_sge = 1;
	}
	return ib_post_send(qp, &wr.wr, NULL);
}
