// SPDX-License-Identifier: GPL-2.0
/* Protection domains, completion queues and queue pairs of connections. */
#include <linux/slab.h>
#include "verbs/fault.h"
#include "verbs/qp.h"

void rmc_pd_set_init(struct rmc_pd_set *set)
{
	mutex_init(&set->lock);
	INIT_LIST_HEAD(&set->pds);
}

static struct rmc_pd *pd_alloc(struct ib_device *ib)
{
	struct rmc_pd *pd;
	int ret;

	ret = rmc_fault(RMC_FAULT_PD_ALLOC);
	if (ret)
		return ERR_PTR(ret);
	pd = kzalloc(sizeof(*pd), GFP_KERNEL);
	if (!pd)
		return ERR_PTR(-ENOMEM);
	pd->pd = ib_alloc_pd(ib, 0);
	if (IS_ERR(pd->pd)) {
		ret = PTR_ERR(pd->pd);
		kfree(pd);
		return ERR_PTR(ret);
	}
	return pd;
}

struct rmc_pd *rmc_pd_get(struct rmc_pd_set *set, struct ib_device *ib)
{
	struct rmc_pd *pd;

	mutex_lock(&set->lock);
	list_for_each_entry(pd, &set->pds, node)
		if (pd->pd->device == ib)
			goto found;
	pd = pd_alloc(ib);
	if (IS_ERR(pd))
		goto out;
	list_add(&pd->node, &set->pds);
found:
	pd->users++;
out:
	mutex_unlock(&set->lock);
	return pd;
}

void rmc_pd_put(struct rmc_pd_set *set, struct rmc_pd *pd)
{
	mutex_lock(&set->lock);
	if (!--pd->users) {
		list_del(&pd->node);
		ib_dealloc_pd(pd->pd);
		kfree(pd);
	}
	mutex_unlock(&set->lock);
}

/*
 * Both limits matter: a CQ may hold fewer entries than the two queues together,
 * and ib_cq_pool_get() loops without end when more than max_cqe are asked for.
 */
u32 rmc_qp_clamp_depth(const struct ib_device *ib, u32 depth)
{
	s64 by_wr = (s64)ib->attrs.max_qp_wr - RMC_SEND_RESERVE;
	s64 by_cqe = ((s64)ib->attrs.max_cqe - RMC_SEND_RESERVE - RMC_RECV_RESERVE) / 2;

	return clamp_t(s64, depth, 1, max_t(s64, min(by_wr, by_cqe), 1));
}

static int cq_get(struct ib_device *ib, const struct rmc_qp_want *want, struct rmc_qp *q)
{
	int ret = rmc_fault(RMC_FAULT_CQ_GET);
	struct ib_cq *cq;

	if (ret)
		return ret;
	cq = ib_cq_pool_get(ib, q->nr_cqe, want->vector, want->poll_ctx);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	q->cq = cq;
	return 0;
}

int rmc_qp_create(struct rdma_cm_id *id, struct ib_pd *pd, const struct rmc_qp_want *want,
		  struct rmc_qp *q)
{
	const struct ib_device_attr *attrs = &id->device->attrs;
	struct ib_qp_init_attr init = {
		.event_handler	= want->event,
		.qp_context	= want->context,
		.qp_type	= IB_QPT_RC,
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
	};
	u32 depth = rmc_qp_clamp_depth(id->device, want->depth);
	int ret;

	init.cap.max_send_wr = depth + RMC_SEND_RESERVE;
	init.cap.max_recv_wr = depth + RMC_RECV_RESERVE;
	init.cap.max_send_sge = min_t(u32, want->send_sge, attrs->max_send_sge);
	init.cap.max_recv_sge = min_t(u32, want->recv_sge, attrs->max_recv_sge);
	init.cap.max_inline_data = want->inline_bytes;

	q->nr_cqe = init.cap.max_send_wr + init.cap.max_recv_wr;
	ret = cq_get(id->device, want, q);
	if (ret)
		return ret;
	init.send_cq = q->cq;
	init.recv_cq = q->cq;

	ret = rmc_fault(RMC_FAULT_QP_CREATE) ?: rdma_create_qp(id, pd, &init);
	if (ret)
		goto err_cq;
	q->qp = id->qp;
	/* a driver rounds up; more than was asked for would overrun our share of the CQ */
	q->send_wr = min(init.cap.max_send_wr - RMC_SEND_RESERVE, depth);
	q->recv_wr = min(init.cap.max_recv_wr - RMC_RECV_RESERVE, depth);
	q->send_sge = init.cap.max_send_sge;
	q->recv_sge = init.cap.max_recv_sge;
	q->inline_bytes = init.cap.max_inline_data;
	return 0;

err_cq:
	ib_cq_pool_put(q->cq, q->nr_cqe);
	q->cq = NULL;
	return ret;
}

void rmc_qp_error(struct rmc_qp *q)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	/* fails only where the device has already given the QP up */
	ib_modify_qp(q->qp, &attr, IB_QP_STATE);
}

void rmc_qp_drain(struct rmc_qp *q)
{
	ib_drain_qp(q->qp);
}

void rmc_qp_destroy(struct rdma_cm_id *id, struct rmc_qp *q)
{
	if (!q->qp)
		return;
	rdma_destroy_qp(id);
	q->qp = NULL;
	ib_cq_pool_put(q->cq, q->nr_cqe);
	q->cq = NULL;
}
