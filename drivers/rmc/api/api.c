// SPDX-License-Identifier: GPL-2.0
/* The exported functions; include/rdma/rmc.h documents them. */
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/printk.h>
#include "endpoint/ep.h"

/* A consumer's mistake is told to whoever reads the log, with the value. */
static int complain(const char *what, const struct rmc_error *err, int ret)
{
	if (ret < 0 && err->msg)
		pr_notice("rmc: %s: %s (%llu)\n", what, err->msg, err->value);
	return ret;
}

const char *rmc_reason_name(enum rmc_reason_code code)
{
	return rmc_reason_str(code);
}
EXPORT_SYMBOL_GPL(rmc_reason_name);

struct rmc_ep *rmc_ep_create(struct net *net, const struct rmc_ep_attr *attr,
			     const struct rmc_ep_ops *ops, void *priv)
{
	struct rmc_error err = {};
	struct rmc_ep *ep;

	if (!net || !attr || !ops)
		return ERR_PTR(-EINVAL);
	ep = rmc_ep_new(net, attr, ops, priv, &err);
	if (IS_ERR(ep))
		complain("rmc_ep_create", &err, PTR_ERR(ep));
	return ep;
}
EXPORT_SYMBOL_GPL(rmc_ep_create);

int rmc_ep_add_path(struct rmc_ep *ep, const struct rmc_path_attr *attr)
{
	struct rmc_error err = {};

	if (!attr)
		return -EINVAL;
	return complain("rmc_ep_add_path", &err, rmc_ep_path_add(ep, attr, &err));
}
EXPORT_SYMBOL_GPL(rmc_ep_add_path);

int rmc_ep_set_path(struct rmc_ep *ep, int path_id, const struct rmc_path_attr *attr, u32 mask)
{
	const u32 known = RMC_PATH_SET_PRIORITY | RMC_PATH_SET_WEIGHT | RMC_PATH_SET_DOWN;
	struct rmc_error err = {};

	if (!attr || mask & ~known)
		return -EINVAL;
	return complain("rmc_ep_set_path", &err,
			rmc_ep_path_set(ep, path_id, attr, mask, &err));
}
EXPORT_SYMBOL_GPL(rmc_ep_set_path);

int rmc_ep_del_path(struct rmc_ep *ep, int path_id)
{
	struct rmc_error err = {};

	return complain("rmc_ep_del_path", &err, rmc_ep_path_del(ep, path_id, &err));
}
EXPORT_SYMBOL_GPL(rmc_ep_del_path);

int rmc_ep_set(struct rmc_ep *ep, const struct rmc_ep_attr *attr, u32 mask)
{
	struct rmc_error err = {};

	if (!attr)
		return -EINVAL;
	return complain("rmc_ep_set", &err, rmc_ep_change(ep, attr, mask, &err));
}
EXPORT_SYMBOL_GPL(rmc_ep_set);

int rmc_ep_connect(struct rmc_ep *ep)
{
	return rmc_ep_start(ep);
}
EXPORT_SYMBOL_GPL(rmc_ep_connect);

int rmc_ep_disconnect(struct rmc_ep *ep)
{
	return rmc_ep_stop(ep);
}
EXPORT_SYMBOL_GPL(rmc_ep_disconnect);

int rmc_ep_wait(struct rmc_ep *ep, unsigned int timeout_ms)
{
	return rmc_ep_await(ep, timeout_ms);
}
EXPORT_SYMBOL_GPL(rmc_ep_wait);

void rmc_ep_close(struct rmc_ep *ep)
{
	rmc_ep_shut(ep);
}
EXPORT_SYMBOL_GPL(rmc_ep_close);

void rmc_ep_destroy(struct rmc_ep *ep)
{
	rmc_ep_end(ep);
}
EXPORT_SYMBOL_GPL(rmc_ep_destroy);

enum rmc_ep_state rmc_ep_state(struct rmc_ep *ep)
{
	return READ_ONCE(ep->state);
}
EXPORT_SYMBOL_GPL(rmc_ep_state);

int rmc_ep_preferred(struct rmc_ep *ep)
{
	return READ_ONCE(ep->preferred);
}
EXPORT_SYMBOL_GPL(rmc_ep_preferred);

void *rmc_ep_priv(struct rmc_ep *ep)
{
	return ep->priv;
}
EXPORT_SYMBOL_GPL(rmc_ep_priv);

const char *rmc_ep_name(struct rmc_ep *ep)
{
	return ep->attr.name;
}
EXPORT_SYMBOL_GPL(rmc_ep_name);

struct ib_qp *rmc_conn_qp(const struct rmc_conn *conn)
{
	return conn->qp.qp;
}
EXPORT_SYMBOL_GPL(rmc_conn_qp);

struct ib_pd *rmc_conn_pd(const struct rmc_conn *conn)
{
	return conn->pd ? conn->pd->pd : NULL;
}
EXPORT_SYMBOL_GPL(rmc_conn_pd);

struct ib_cq *rmc_conn_cq(const struct rmc_conn *conn)
{
	return conn->qp.cq;
}
EXPORT_SYMBOL_GPL(rmc_conn_cq);

struct rmc_ep *rmc_conn_ep(const struct rmc_conn *conn)
{
	const struct rmc_path *path = conn->owner;

	return path->owner;
}
EXPORT_SYMBOL_GPL(rmc_conn_ep);

unsigned int rmc_conn_index(const struct rmc_conn *conn)
{
	return conn->cfg.who.index;
}
EXPORT_SYMBOL_GPL(rmc_conn_index);

int rmc_conn_path(const struct rmc_conn *conn)
{
	return conn->cfg.who.path_id;
}
EXPORT_SYMBOL_GPL(rmc_conn_path);

u32 rmc_conn_generation(const struct rmc_conn *conn)
{
	return conn->cfg.who.generation;
}
EXPORT_SYMBOL_GPL(rmc_conn_generation);

void rmc_conn_caps(const struct rmc_conn *conn, struct rmc_conn_caps *caps)
{
	*caps = (struct rmc_conn_caps){
		.max_send_wr		= conn->qp.send_wr,
		.max_recv_wr		= conn->qp.recv_wr,
		.max_send_sge		= conn->qp.send_sge,
		.max_recv_sge		= conn->qp.recv_sge,
		.max_inline_data	= conn->qp.inline_bytes,
		.responder_resources	= READ_ONCE(conn->cm.peer_responder),
		.initiator_depth	= READ_ONCE(conn->cm.peer_initiator),
		.usable_private_data	= rmc_conn_usable_private(conn->cm.iwarp),
	};
}
EXPORT_SYMBOL_GPL(rmc_conn_caps);

void *rmc_conn_get_priv(const struct rmc_conn *conn)
{
	return conn->priv;
}
EXPORT_SYMBOL_GPL(rmc_conn_get_priv);

void rmc_conn_set_priv(struct rmc_conn *conn, void *priv)
{
	conn->priv = priv;
}
EXPORT_SYMBOL_GPL(rmc_conn_set_priv);

void rmc_conn_get(struct rmc_conn *conn)
{
	rmc_conn_hold(conn);
}
EXPORT_SYMBOL_GPL(rmc_conn_get);

void rmc_conn_put(struct rmc_conn *conn)
{
	rmc_conn_drop(conn);
}
EXPORT_SYMBOL_GPL(rmc_conn_put);

void rmc_conn_note_rx(struct rmc_conn *conn)
{
	atomic64_set(&conn->rx_ns, ktime_get_ns());
}
EXPORT_SYMBOL_GPL(rmc_conn_note_rx);

void rmc_conn_fail(struct rmc_conn *conn, int err)
{
	cmpxchg(&conn->consumer_err, 0, err < 0 ? err : -EIO);
	rmc_conn_record(conn, RMC_FACT_CONSUMER);
}
EXPORT_SYMBOL_GPL(rmc_conn_fail);
