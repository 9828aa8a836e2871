/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: protection domains and queue pairs
 *
 * One PD per endpoint and device (invariant I13): an rkey made for one endpoint
 * is worth nothing on the QP of another. It exists as long as a connection of
 * the endpoint on that device does.
 *
 * Locking: rmc_pd_set.lock protects the set and the use counts. It is held
 * over ib_alloc_pd() and ib_dealloc_pd(), so only attempts and destruction,
 * which may block, take it.
 */
#ifndef RMC_VERBS_QP_H
#define RMC_VERBS_QP_H

#include <linux/mutex.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

struct rmc_pd {
	struct list_head	node;
	struct ib_pd		*pd;
	unsigned int		users;
};

struct rmc_pd_set {
	struct mutex		lock;	/* protects the rest */
	struct list_head	pds;
};

void rmc_pd_set_init(struct rmc_pd_set *set);
struct rmc_pd *rmc_pd_get(struct rmc_pd_set *set, struct ib_device *ib);
void rmc_pd_put(struct rmc_pd_set *set, struct rmc_pd *pd);

/* What the consumer asked for. */
struct rmc_qp_want {
	u32			depth;
	u32			send_sge;
	u32			recv_sge;
	u32			inline_bytes;
	enum ib_poll_context	poll_ctx;
	int			vector;		/* completion vector hint, -1 none */
	void			(*event)(struct ib_event *event, void *context);
	void			*context;
};

struct rmc_qp {
	struct ib_qp		*qp;
	struct ib_cq		*cq;
	unsigned int		nr_cqe;		/* claimed of cq */
	/* granted, rmc's reserve taken off */
	u32			send_wr;
	u32			recv_wr;
	u32			send_sge;
	u32			recv_sge;
	u32			inline_bytes;
};

/*
 * Send work requests that rmc keeps for itself: a probe and the drain; receive:
 * the drain.
 */
#define RMC_SEND_RESERVE	2
#define RMC_RECV_RESERVE	1

/* How deep a queue @ib can have when @depth is asked for. */
u32 rmc_qp_clamp_depth(const struct ib_device *ib, u32 depth);

/* Sleeps. On success id->qp is in INIT. */
int rmc_qp_create(struct rdma_cm_id *id, struct ib_pd *pd, const struct rmc_qp_want *want,
		  struct rmc_qp *q);
/* To the error state; what is posted completes as flushed. Sleeps. */
void rmc_qp_error(struct rmc_qp *q);
/* Waits until all that was posted has completed. Nobody else may post. Sleeps. */
void rmc_qp_drain(struct rmc_qp *q);
void rmc_qp_destroy(struct rdma_cm_id *id, struct rmc_qp *q);

#endif /* RMC_VERBS_QP_H */
