// SPDX-License-Identifier: GPL-2.0
/* What a consumer may do with its connections: all that was granted, and look at them later. */
#include <linux/delay.h>
#include <linux/slab.h>
#include "api.h"

struct burst {
	struct ib_cqe		cqe;
	atomic_t		left;
	atomic_t		bad;
	struct completion	done;
};

static void burst_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct burst *b = container_of(wc->wr_cqe, struct burst, cqe);

	if (wc->status != IB_WC_SUCCESS)
		atomic_inc(&b->bad);
	if (atomic_dec_and_test(&b->left))
		complete(&b->done);
}

/*
 * @n zero-length writes at once: they need nothing of the peer. False when one
 * is refused, fails, or does not come back.
 */
static bool burst(struct api *a, struct rmc_conn *conn, u32 n)
{
	struct ib_rdma_wr wr = {
		.wr.opcode	= IB_WR_RDMA_WRITE,
		.wr.send_flags	= IB_SEND_SIGNALED,
	};
	struct burst *b = kzalloc(sizeof(*b), GFP_KERNEL);
	int err = 0;
	u32 i;

	if (!api_expect(a, b, "no memory"))
		return false;
	b->cqe.done = burst_done;
	init_completion(&b->done);
	wr.wr.wr_cqe = &b->cqe;
	/* one more than are posted, so that it cannot end while we still count */
	atomic_set(&b->left, 1);
	for (i = 0; i < n; i++) {
		atomic_inc(&b->left);
		err = ib_post_send(rmc_conn_qp(conn), &wr.wr, NULL);
		if (err) {
			atomic_dec(&b->left);
			break;
		}
	}
	api_expect(a, !err, "posting send %u of %u: %d", i, n, err);
	if (!atomic_dec_and_test(&b->left) &&
	    !api_expect(a, wait_for_completion_timeout(&b->done, 30 * HZ),
			"%d sends do not come back", atomic_read(&b->left)))
		/* they still may, so their memory stays */
		return false;
	err = api_expect(a, !atomic_read(&b->bad), "%d sends failed", atomic_read(&b->bad)) ? err :
	      -EIO;
	kfree(b);
	return !err;
}

/*
 * C34: dst=, rounds=, depth=: the consumer fills both queues up to what it was
 * granted, and rmc's own probes and drain still have their place
 */
void test_sendq(struct api *a)
{
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS };
	struct cons_how how = { .only_path = -1, .post_recvs = true };
	u32 rounds = api_u32(a, "rounds", 20), i;
	struct rmc_conn_caps caps;
	struct rmc_conn *conn;
	struct cons *c;

	attr.depth = api_u32(a, "depth", 64);
	attr.detect_ms = api_u32(a, "detect_ms", 0);
	c = cons_connect(a, &attr, &how, "dst");
	if (!c)
		return;
	api_expect(a, !rmc_ep_wait(c->ep, 10000), "not up");
	conn = cons_conn(c, 0);
	if (!api_expect(a, conn, "no connection"))
		goto destroy;
	rmc_conn_caps(conn, &caps);
	for (i = 0; i < rounds; i++) {
		if (!burst(a, conn, caps.max_send_wr))
			break;
		/* a queue that is full of finished work must not stop the probes either */
		msleep(i % 4 * 30);
	}
	api_expect(a, READ_ONCE(c->lost) == 0, "the connection was lost: %s %d",
		   rmc_reason_name(c->lost_why.code), c->lost_why.err);
	api_note(a, "%u rounds of %u sends", i, caps.max_send_wr);
	rmc_conn_put(conn);
destroy:
	cons_destroy(a, c);
}

/* dst=: a reference keeps a connection's particulars after its teardown, also after its endpoint */
void test_conn_ref(struct api *a)
{
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS, .conns = 3, .backoff_min_ms = 1,
				    .backoff_max_ms = 10 };
	struct rmc_conn *conn;
	struct cons *c;
	u32 generation;

	c = cons_connect(a, &attr, NULL, "dst");
	if (!c)
		return;
	api_expect(a, !rmc_ep_wait(c->ep, 10000), "not up");
	api_expect(a, c->ups_good == 3, "%u of 3 connections are up", c->ups_good);
	conn = cons_conn(c, 0);
	if (!api_expect(a, conn, "no connection"))
		goto destroy;
	generation = rmc_conn_generation(conn);
	api_expect(a, rmc_conn_ep(conn) == c->ep, "of another endpoint");
	api_expect(a, rmc_conn_pd(conn) == rmc_conn_qp(conn)->pd, "its PD is not the QP's");
	api_expect(a, rmc_conn_cq(conn) == rmc_conn_qp(conn)->send_cq, "its CQ is not the QP's");
	rmc_conn_fail(conn, -ECANCELED);
	/* losing one loses all three */
	api_expect(a, cons_until(c, READ_ONCE(c->teardowns) == 3, 5000),
		   "%u of 3 connections torn down", c->teardowns);
	api_expect(a, cons_until(c, READ_ONCE(c->ups_good) == 6, 10000), "not up again");
	api_expect(a, rmc_conn_path(conn) == 0 && rmc_conn_index(conn) == 0 &&
		   rmc_conn_generation(conn) == generation, "it has changed");
	rmc_conn_note_rx(conn);
	rmc_conn_fail(conn, -EIO);
	msleep(100);
	api_expect(a, c->teardowns == 3, "a dead connection's failure hit a living one");
destroy:
	cons_destroy(a, c);
	if (conn) {
		rmc_conn_fail(conn, -EIO);
		api_expect(a, rmc_conn_path(conn) == 0, "it has changed");
		rmc_conn_put(conn);
	}
}

/* dst=: completions run where they were asked for */
void test_poll(struct api *a)
{
	static const enum ib_poll_context ctx[] = {
		IB_POLL_SOFTIRQ, IB_POLL_WORKQUEUE, IB_POLL_UNBOUND_WORKQUEUE,
	};
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS, .set = RMC_SET_POLL_CTX };
	struct rmc_conn *conn;
	struct cons *c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ctx); i++) {
		attr.poll_ctx = ctx[i];
		c = cons_connect(a, &attr, NULL, "dst");
		if (!c)
			return;
		api_expect(a, !rmc_ep_wait(c->ep, 10000), "not up with context %d", ctx[i]);
		conn = cons_conn(c, 0);
		if (conn) {
			api_expect(a, rmc_conn_cq(conn)->poll_ctx == ctx[i],
				   "context %d instead of %d", rmc_conn_cq(conn)->poll_ctx, ctx[i]);
			rmc_conn_put(conn);
		}
		cons_destroy(a, c);
	}
}
