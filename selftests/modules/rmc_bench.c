// SPDX-License-Identifier: GPL-2.0
/*
 * rmc_bench: what does a managed connect cost over a bare one?
 *
 * debugfs rmc_bench/run takes "connect dst=ADDR:PORT [src=ADDR] [n=N]
 * [depth=N]", which makes N bare connections and N endpoints in turns, and
 * "once dst= [src=]", one endpoint. rmc_bench/result then has one line for each:
 * "bare NS" or "rmc NS", from the first call until the caller knows that it is
 * connected, or "error WHO ERRNO". Taking down is not counted.
 *
 * The bare side is the fastest that the API allows: everything happens in the
 * CM's callback, and its PD is there beforehand.
 */
#include <linux/completion.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_cm.h>
#include <rdma/rdma_cm.h>
#include <rdma/rmc.h>
#include "console.h"
#include "words.h"

#define BENCH_MAX	1000
#define BENCH_LIMIT_MS	10000
/* what others ask with */
#define BENCH_ADDR_MS	2000
/* what rmc adds to the queues that its consumer asks for: a probe and a drain */
#define BENCH_RESERVE	2

struct bench {
	struct sockaddr_storage	dst;
	struct sockaddr_storage	src;
	u32			depth;
	struct ib_pd		*pd;	/* of the bare side, made by the round that warms up */
};

struct bare {
	struct bench		*b;
	struct rdma_cm_id	*id;
	struct ib_cq		*cq;
	u32			nr_cqe;
	int			err;
	struct completion	done;
};

static struct console bench_console;

static int bare_make_qp(struct bare *c)
{
	struct ib_device *dev = c->id->device;
	struct ib_qp_init_attr attr = { };
	u32 depth;
	int err;

	if (!c->b->pd) {
		struct ib_pd *pd = ib_alloc_pd(dev, 0);

		if (IS_ERR(pd))
			return PTR_ERR(pd);
		c->b->pd = pd;
	}
	depth = min_t(u32, c->b->depth, dev->attrs.max_qp_wr - BENCH_RESERVE);
	depth = min_t(u32, depth, dev->attrs.max_cqe / 2 - BENCH_RESERVE);
	c->nr_cqe = 2 * (depth + BENCH_RESERVE);
	c->cq = ib_cq_pool_get(dev, c->nr_cqe, -1, IB_POLL_WORKQUEUE);
	if (IS_ERR(c->cq)) {
		err = PTR_ERR(c->cq);
		c->cq = NULL;
		return err;
	}
	attr.qp_type = IB_QPT_RC;
	attr.sq_sig_type = IB_SIGNAL_REQ_WR;
	attr.send_cq = c->cq;
	attr.recv_cq = c->cq;
	attr.cap.max_send_wr = depth + BENCH_RESERVE;
	attr.cap.max_recv_wr = depth + BENCH_RESERVE;
	attr.cap.max_send_sge = 1;
	attr.cap.max_recv_sge = 1;
	return rdma_create_qp(c->id, c->b->pd, &attr);
}

static int bare_connect(struct bare *c)
{
	struct ib_device *dev = c->id->device;
	struct rdma_conn_param param = {
		.responder_resources	= min_t(int, 4, dev->attrs.max_qp_rd_atom),
		.initiator_depth	= min_t(int, 4, dev->attrs.max_qp_init_rd_atom),
		.retry_count		= 6,
		.rnr_retry_count	= 7,
	};

	return rdma_connect_locked(c->id, &param);
}

static int bare_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct bare *c = id->context;
	int err = 0;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		err = bare_make_qp(c);
		if (!err)
			err = rdma_resolve_route(id, BENCH_ADDR_MS);
		if (!err)
			return 0;
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		err = bare_connect(c);
		if (!err)
			return 0;
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
		err = event->status < 0 ? event->status : -EIO;
		break;
	case RDMA_CM_EVENT_REJECTED:
		err = -ECONNREFUSED;
		break;
	default:
		return 0;
	}
	c->err = err;
	complete(&c->done);
	return 0;
}

static int bare_round(struct bench *b, u64 *ns)
{
	struct sockaddr *src = b->src.ss_family ? (struct sockaddr *)&b->src : NULL;
	struct bare c = { .b = b };
	u64 start;
	int err;

	init_completion(&c.done);
	start = ktime_get_ns();
	c.id = rdma_create_id(&init_net, bare_event, &c, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(c.id))
		return PTR_ERR(c.id);
	err = rdma_set_ack_timeout(c.id, 14);
	if (!err)
		err = rdma_resolve_addr(c.id, src, (struct sockaddr *)&b->dst, BENCH_ADDR_MS);
	if (!err)
		err = wait_for_completion_timeout(&c.done, msecs_to_jiffies(BENCH_LIMIT_MS)) ?
		      c.err : -ETIMEDOUT;
	*ns = ktime_get_ns() - start;

	if (c.id->qp) {
		rdma_disconnect(c.id);
		ib_drain_qp(c.id->qp);
		rdma_destroy_qp(c.id);
	}
	if (c.cq)
		ib_cq_pool_put(c.cq, c.nr_cqe);
	rdma_destroy_id(c.id);
	return err;
}

static int bench_conn_setup(struct rmc_conn *conn)
{
	return 0;
}

static int bench_conn_up(struct rmc_conn *conn, const void *peer_private, size_t len)
{
	return 0;
}

static void bench_conn_lost(struct rmc_conn *conn, const struct rmc_reason *why)
{
}

static void bench_conn_teardown(struct rmc_conn *conn)
{
}

static const struct rmc_ep_ops bench_ops = {
	.owner		= THIS_MODULE,
	.conn_setup	= bench_conn_setup,
	.conn_up	= bench_conn_up,
	.conn_lost	= bench_conn_lost,
	.conn_teardown	= bench_conn_teardown,
};

static int rmc_round(struct bench *b, u64 *ns)
{
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS, .depth = b->depth };
	struct rmc_path_attr path = { .dst = b->dst, .src = b->src };
	struct rmc_ep *ep;
	u64 start;
	int err;

	start = ktime_get_ns();
	ep = rmc_ep_create(&init_net, &attr, &bench_ops, NULL);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	err = rmc_ep_add_path(ep, &path);
	if (err >= 0)
		err = rmc_ep_connect(ep);
	if (!err)
		err = rmc_ep_wait(ep, BENCH_LIMIT_MS);
	*ns = ktime_get_ns() - start;
	rmc_ep_destroy(ep);
	return err;
}

static void bench_say(struct console *c, const char *who, int err, u64 ns)
{
	if (err)
		console_say(c, "error %s %d\n", who, err);
	else
		console_say(c, "%s %llu\n", who, ns);
}

static int bench_run(struct console *c, const char *name, const char *args)
{
	bool once = !strcmp(name, "once");
	struct bench b = { };
	u32 i, n;
	u64 ns;
	int err;

	if (!once && strcmp(name, "connect"))
		return -EINVAL;
	if (words_get_addr(args, "dst", &b.dst) || words_get_addr(args, "src", &b.src) ||
	    !b.dst.ss_family)
		return -EINVAL;
	b.depth = words_u32(args, "depth", RMC_DEPTH_DEFAULT);
	n = words_u32(args, "n", 21);
	if (!b.depth || b.depth > RMC_DEPTH_MAX || !n || n > BENCH_MAX)
		return -EINVAL;

	if (once) {
		err = rmc_round(&b, &ns);
		bench_say(c, "rmc", err, ns);
		return 0;
	}

	/*
	 * Warms up the neighbour, the pool of CQs and the caches of both. rmc goes
	 * first, for the bare one may sleep its whole timeout on a cold neighbour.
	 */
	err = rmc_round(&b, &ns);
	if (err)
		bench_say(c, "rmc", err, 0);
	err = bare_round(&b, &ns);
	if (err)
		bench_say(c, "bare", err, 0);
	for (i = 0; i < n; i++) {
		/* who goes first changes, for the second finds the CPU's caches warmer */
		err = i & 1 ? rmc_round(&b, &ns) : bare_round(&b, &ns);
		bench_say(c, i & 1 ? "rmc" : "bare", err, ns);
		err = i & 1 ? bare_round(&b, &ns) : rmc_round(&b, &ns);
		bench_say(c, i & 1 ? "bare" : "rmc", err, ns);
	}
	if (b.pd)
		ib_dealloc_pd(b.pd);
	return 0;
}

static int __init bench_init(void)
{
	return console_init(&bench_console, "rmc_bench", bench_run);
}
module_init(bench_init);

static void __exit bench_exit(void)
{
	console_exit(&bench_console);
}
module_exit(bench_exit);

MODULE_DESCRIPTION("Bare against managed connects, for the bench of rmc");
MODULE_LICENSE("GPL");
