// SPDX-License-Identifier: GPL-2.0
/*
 * A consumer that counts what it is told, checks the order of it, and can be
 * made slow, failing or stubborn.
 */
#include <linux/delay.h>
#include <linux/slab.h>
#include "api.h"

/* An op that waits for a flush longer than that was forgotten. */
#define CONS_STUCK_MS	20000

static struct cons *conn_cons(struct rmc_conn *conn)
{
	return rmc_ep_priv(rmc_conn_ep(conn));
}

static void cons_check(struct cons *c, bool kept, const char *op)
{
	if (kept && !READ_ONCE(c->over))
		return;
	pr_err("rmc_api_test: %s of %s came out of order\n", op, rmc_ep_name(c->ep));
	spin_lock_irq(&c->lock);
	c->violations++;
	spin_unlock_irq(&c->lock);
}

static void cons_count(struct cons *c, unsigned int *counter)
{
	spin_lock_irq(&c->lock);
	(*counter)++;
	spin_unlock_irq(&c->lock);
	wake_up_all(&c->wait);
}

static bool cons_meant(struct cons *c, struct rmc_conn *conn)
{
	return c->how.only_path < 0 || c->how.only_path == rmc_conn_path(conn);
}

static void cons_maybe_close(struct cons *c, enum cons_where where)
{
	if (c->how.close_in == where)
		rmc_ep_close(c->ep);
}

static void box_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct cons_box *box = container_of(wc->wr_cqe, struct cons_box, recv_cqe);

	if (wc->status != IB_WC_SUCCESS)
		complete_all(&box->flushed);
}

/* Empty ones: nobody sends to us, they are there to be flushed. */
static int box_post_recvs(struct cons_box *box)
{
	struct ib_recv_wr wr = { .wr_cqe = &box->recv_cqe };
	u32 i;
	int err = 0;

	for (i = 0; !err && i < box->caps.max_recv_wr; i++)
		err = ib_post_recv(rmc_conn_qp(box->conn), &wr, NULL);
	return err;
}

static int cons_setup(struct rmc_conn *conn)
{
	struct cons *c = conn_cons(conn);
	struct cons_box *box;
	int err = 0;

	cons_check(c, !rmc_conn_get_priv(conn), "conn_setup");
	box = kzalloc(sizeof(*box), GFP_KERNEL);
	if (!box)
		return -ENOMEM;
	box->c = c;
	box->conn = conn;
	box->recv_cqe.done = box_received;
	init_completion(&box->flushed);
	rmc_conn_caps(conn, &box->caps);
	rmc_conn_set_priv(conn, box);
	cons_check(c, order_enter(&box->order, ORDER_SETUP), "conn_setup");
	cons_count(c, &c->setups);

	if (cons_meant(c, conn)) {
		if (c->how.slow_setup_ms)
			msleep(c->how.slow_setup_ms);
		err = c->how.setup_err;
	}
	if (!err && (c->how.post_recvs || c->how.up_blocks))
		err = box_post_recvs(box);
	cons_maybe_close(c, CONS_SETUP);
	cons_check(c, order_leave(&box->order, ORDER_SETUP, !err), "conn_setup");
	return err;
}

static int cons_private(struct rmc_conn *conn, const struct rmc_conn_req *req, void *buf,
			size_t room)
{
	struct cons_box *box = rmc_conn_get_priv(conn);
	struct cons *c = box->c;
	int ret = 1;

	cons_check(c, order_enter(&box->order, ORDER_PRIVATE), "conn_private");
	cons_count(c, &c->privates);
	if (cons_meant(c, conn) && c->how.private_err)
		ret = c->how.private_err;
	else
		*(u8 *)buf = c->how.tag;
	cons_maybe_close(c, CONS_PRIVATE);
	cons_check(c, order_leave(&box->order, ORDER_PRIVATE, ret >= 0), "conn_private");
	return ret;
}

static int cons_wait_flush(struct cons *c, struct cons_box *box)
{
	if (wait_for_completion_timeout(&box->flushed, msecs_to_jiffies(CONS_STUCK_MS)))
		cons_count(c, &c->flushes);
	else
		cons_count(c, &c->stuck);
	return -ENOTCONN;
}

static int cons_up(struct rmc_conn *conn, const void *peer_private, size_t len)
{
	struct cons_box *box = rmc_conn_get_priv(conn);
	int path = rmc_conn_path(conn), err = 0;
	struct cons *c = box->c;

	cons_check(c, order_enter(&box->order, ORDER_UP), "conn_up");
	cons_count(c, &c->ups);
	if (cons_meant(c, conn)) {
		if (c->how.slow_up_ms)
			msleep(c->how.slow_up_ms);
		err = c->how.up_err;
	}
	if (!err && c->how.up_blocks)
		err = cons_wait_flush(c, box);
	cons_maybe_close(c, CONS_UP);
	if (!err) {
		spin_lock_irq(&c->lock);
		c->ups_good++;
		c->path_ups[path]++;
		/* what is granted to the peer and by it is known only now */
		rmc_conn_caps(conn, &box->caps);
		if (!rmc_conn_index(conn))
			c->up[path] = box;
		spin_unlock_irq(&c->lock);
		wake_up_all(&c->wait);
	}
	cons_check(c, order_leave(&box->order, ORDER_UP, !err), "conn_up");
	return err;
}

static void cons_lost(struct rmc_conn *conn, const struct rmc_reason *why)
{
	struct cons_box *box = rmc_conn_get_priv(conn);
	int path = rmc_conn_path(conn);
	struct cons *c = box->c;

	cons_check(c, order_enter(&box->order, ORDER_LOST), "conn_lost");
	spin_lock_irq(&c->lock);
	c->lost++;
	c->lost_why = *why;
	if (c->up[path] == box)
		c->up[path] = NULL;
	spin_unlock_irq(&c->lock);
	wake_up_all(&c->wait);
	if (cons_meant(c, conn) && c->how.slow_lost_ms)
		msleep(c->how.slow_lost_ms);
	cons_maybe_close(c, CONS_LOST);
	cons_check(c, order_leave(&box->order, ORDER_LOST, true), "conn_lost");
}

static void cons_teardown(struct rmc_conn *conn)
{
	struct cons_box *box = rmc_conn_get_priv(conn);
	struct cons *c = conn_cons(conn);

	/* conn_setup had no memory for one */
	if (!box)
		return;
	cons_check(c, order_enter(&box->order, ORDER_TEARDOWN), "conn_teardown");
	cons_maybe_close(c, CONS_TEARDOWN);
	rmc_conn_set_priv(conn, NULL);
	cons_check(c, order_leave(&box->order, ORDER_TEARDOWN, true), "conn_teardown");
	kfree(box);
	cons_count(c, &c->teardowns);
}

static void cons_state(struct rmc_ep *ep, enum rmc_ep_state from, enum rmc_ep_state to,
		       const struct rmc_reason *why)
{
	struct cons *c = rmc_ep_priv(ep);

	cons_check(c, from == c->state && from != to, "state");
	spin_lock_irq(&c->lock);
	c->states++;
	c->state = to;
	c->why = *why;
	spin_unlock_irq(&c->lock);
	wake_up_all(&c->wait);
	cons_maybe_close(c, CONS_STATE);
}

static void cons_prefer(struct rmc_ep *ep, int path_id)
{
	struct cons *c = rmc_ep_priv(ep);

	cons_check(c, path_id >= -1 && path_id < RMC_MAX_PATHS, "preferred");
	spin_lock_irq(&c->lock);
	c->preferred = path_id;
	spin_unlock_irq(&c->lock);
	wake_up_all(&c->wait);
	cons_maybe_close(c, CONS_PREFERRED);
}

static const struct rmc_ep_ops cons_ops = {
	.owner		= THIS_MODULE,
	.state		= cons_state,
	.conn_setup	= cons_setup,
	.conn_private	= cons_private,
	.conn_up	= cons_up,
	.conn_lost	= cons_lost,
	.conn_teardown	= cons_teardown,
	.preferred	= cons_prefer,
};

struct cons *cons_new(struct api *a, const struct rmc_ep_attr *attr, const struct cons_how *how)
{
	struct rmc_ep_attr defaults = { .mode = RMC_MODE_VERBS };
	struct cons *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!api_expect(a, c, "no memory"))
		return NULL;
	spin_lock_init(&c->lock);
	init_waitqueue_head(&c->wait);
	c->state = RMC_EP_IDLE;
	c->preferred = -1;
	if (how)
		c->how = *how;
	else
		c->how.only_path = -1;
	c->ep = rmc_ep_create(&init_net, attr ?: &defaults, &cons_ops, c);
	if (!api_expect(a, !IS_ERR(c->ep), "rmc_ep_create: %ld", PTR_ERR(c->ep))) {
		kfree(c);
		return NULL;
	}
	return c;
}

int cons_add_path(struct cons *c, const struct sockaddr_storage *dst,
		  const struct sockaddr_storage *src, u32 priority)
{
	struct rmc_path_attr attr = { .dst = *dst, .priority = priority };

	if (src)
		attr.src = *src;
	return rmc_ep_add_path(c->ep, &attr);
}

struct cons *cons_connect(struct api *a, const struct rmc_ep_attr *attr,
			  const struct cons_how *how, const char *key)
{
	struct sockaddr_storage dst, src;
	struct cons *c;
	int err;

	if (!api_addr(a, key, &dst) ||
	    !api_expect(a, !words_get_addr(a->args, "src", &src), "src is no address"))
		return NULL;
	c = cons_new(a, attr, how);
	if (!c)
		return NULL;
	err = cons_add_path(c, &dst, &src, 0);
	api_expect(a, err == 0, "the first path has the id %d, not 0", err);
	err = rmc_ep_connect(c->ep);
	api_expect(a, !err, "rmc_ep_connect: %d", err);
	return c;
}

struct rmc_conn *cons_conn(struct cons *c, int path)
{
	struct rmc_conn *conn = NULL;

	/* on the list means that conn_lost has not run, so it may be referenced */
	spin_lock_irq(&c->lock);
	if (c->up[path]) {
		conn = c->up[path]->conn;
		rmc_conn_get(conn);
	}
	spin_unlock_irq(&c->lock);
	return conn;
}

u64 cons_destroy(struct api *a, struct cons *c)
{
	u64 start = ktime_get_ns(), took;

	rmc_ep_destroy(c->ep);
	took = ms_since(start);
	WRITE_ONCE(c->over, true);
	/* whatever rmc forgot to wait for comes now, and finds memory that is still ours */
	msleep(20);
	api_expect(a, !c->violations, "%u ops came out of order", c->violations);
	api_expect(a, c->setups == c->teardowns, "%u conn_setup, but %u conn_teardown", c->setups,
		   c->teardowns);
	api_expect(a, c->ups_good == c->lost, "%u good conn_up, but %u conn_lost", c->ups_good,
		   c->lost);
	api_expect(a, !c->stuck, "%u times conn_up was not flushed", c->stuck);
	kfree(c);
	return took;
}
