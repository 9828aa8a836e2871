// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: locking
 *
 * Everything that a connection does after its request happens in one delayed
 * work, so no two steps of it race. peer_conn.lock protects the wanted steps;
 * once "dying" is set under it nobody queues the work any more, which is what
 * lets the work free itself. It nests inside peer_listener.lock.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <rdma/ib_cm.h>
#include "peer.h"

#define PEER_BUF	4096
#define PEER_SENDS	8	/* RDMA READ responses need none; echo needs one a message */

/* What a connection still has to do. */
enum peer_step {
	STEP_ACCEPT,
	STEP_REJECT,
	STEP_DROP,
	STEP_QP_ERR,
	STEP_END,
};

struct peer_buf {
	struct ib_cqe		cqe;
	struct peer_conn	*conn;
	u64			dma;
	void			*mem;
	u32			len;
};

struct peer_conn {
	struct list_head	entry;
	struct peer_listener	*l;
	struct rdma_cm_id	*id;
	enum peer_behaviour	behaviour;	/* as it was when the request came */
	u32			arg;
	u8			reject_reason;
	u8			data[sizeof_field(struct peer_listener, data)];
	u8			data_len;
	u8			responder_resources;
	u8			initiator_depth;

	spinlock_t		lock;		/* protects steps, dying */
	unsigned long		steps;
	bool			dying;
	struct delayed_work	work;

	struct ib_pd		*pd;
	struct ib_cq		*cq;
	struct peer_buf		*bufs;
	unsigned int		nr_bufs;
};

static void peer_count(struct peer_listener *l, u64 *counter)
{
	unsigned long flags;

	spin_lock_irqsave(&l->lock, flags);
	(*counter)++;
	spin_unlock_irqrestore(&l->lock, flags);
}

static void conn_want(struct peer_conn *c, enum peer_step step, unsigned int ms)
{
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	if (!c->dying && !test_bit(STEP_END, &c->steps)) {
		__set_bit(step, &c->steps);
		mod_delayed_work(peer_wq, &c->work, msecs_to_jiffies(ms));
	}
	spin_unlock_irqrestore(&c->lock, flags);
}

static void buf_sent(struct ib_cq *cq, struct ib_wc *wc);
static void buf_received(struct ib_cq *cq, struct ib_wc *wc);

static int buf_post_recv(struct peer_buf *b)
{
	struct ib_sge sge = {
		.addr	= b->dma,
		.length	= PEER_BUF,
		.lkey	= b->conn->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe		= &b->cqe,
		.sg_list	= &sge,
		.num_sge	= 1,
	};

	b->cqe.done = buf_received;
	return ib_post_recv(b->conn->id->qp, &wr, NULL);
}

static int buf_post_send(struct peer_buf *b)
{
	struct ib_sge sge = {
		.addr	= b->dma,
		.length	= b->len,
		.lkey	= b->conn->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.wr_cqe		= &b->cqe,
		.sg_list	= &sge,
		.num_sge	= b->len ? 1 : 0,
		.opcode		= IB_WR_SEND,
		.send_flags	= IB_SEND_SIGNALED,
	};

	b->cqe.done = buf_sent;
	return ib_post_send(b->conn->id->qp, &wr, NULL);
}

static void buf_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct peer_buf *b = container_of(wc->wr_cqe, struct peer_buf, cqe);

	if (wc->status == IB_WC_SUCCESS)
		buf_post_recv(b);
}

static void buf_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct peer_buf *b = container_of(wc->wr_cqe, struct peer_buf, cqe);

	/* the disconnect or the other side's death is told by the CM */
	if (wc->status != IB_WC_SUCCESS)
		return;
	peer_count(b->conn->l, &b->conn->l->n.received);
	b->len = wc->byte_len;
	if (b->conn->behaviour != PEER_ECHO || buf_post_send(b))
		buf_post_recv(b);
}

static int conn_bufs_alloc(struct peer_conn *c, unsigned int nr)
{
	struct ib_device *dev = c->id->device;
	struct peer_buf *b;

	c->bufs = kcalloc(nr, sizeof(*c->bufs), GFP_KERNEL);
	if (!c->bufs)
		return -ENOMEM;
	for (; c->nr_bufs < nr; c->nr_bufs++) {
		b = &c->bufs[c->nr_bufs];
		b->conn = c;
		b->mem = kmalloc(PEER_BUF, GFP_KERNEL);
		if (!b->mem)
			return -ENOMEM;
		b->dma = ib_dma_map_single(dev, b->mem, PEER_BUF, DMA_BIDIRECTIONAL);
		if (ib_dma_mapping_error(dev, b->dma)) {
			kfree(b->mem);
			return -ENOMEM;
		}
	}
	return 0;
}

static void conn_bufs_free(struct peer_conn *c)
{
	while (c->nr_bufs) {
		struct peer_buf *b = &c->bufs[--c->nr_bufs];

		ib_dma_unmap_single(c->id->device, b->dma, PEER_BUF, DMA_BIDIRECTIONAL);
		kfree(b->mem);
	}
	kfree(c->bufs);
	c->bufs = NULL;
}

/* Leaves what it made in @c for conn_end() when it fails. */
static int conn_make_qp(struct peer_conn *c)
{
	unsigned int recvs = c->behaviour == PEER_NO_RECV ? 0 : peer_recvs;
	unsigned int sends = PEER_SENDS + recvs;
	struct ib_qp_init_attr attr = { };
	unsigned int i;
	int err;

	c->pd = ib_alloc_pd(c->id->device, 0);
	if (IS_ERR(c->pd)) {
		err = PTR_ERR(c->pd);
		c->pd = NULL;
		return err;
	}
	c->cq = ib_alloc_cq_any(c->id->device, c, sends + recvs + 4, IB_POLL_WORKQUEUE);
	if (IS_ERR(c->cq)) {
		err = PTR_ERR(c->cq);
		c->cq = NULL;
		return err;
	}
	attr.qp_type = IB_QPT_RC;
	attr.sq_sig_type = IB_SIGNAL_REQ_WR;
	attr.send_cq = c->cq;
	attr.recv_cq = c->cq;
	/* one more of each for the drain */
	attr.cap.max_send_wr = sends + 1;
	attr.cap.max_recv_wr = recvs + 1;
	attr.cap.max_send_sge = 1;
	attr.cap.max_recv_sge = 1;
	err = rdma_create_qp(c->id, c->pd, &attr);
	if (err)
		return err;
	err = conn_bufs_alloc(c, recvs);
	for (i = 0; !err && i < recvs; i++)
		err = buf_post_recv(&c->bufs[i]);
	return err;
}

static void conn_reject(struct peer_conn *c)
{
	if (rdma_reject(c->id, c->data_len ? c->data : NULL, c->data_len, c->reject_reason))
		peer_count(c->l, &c->l->n.errors);
	else
		peer_count(c->l, &c->l->n.rejected);
}

/* Whatever the error, the peer has been told. */
static int conn_accept(struct peer_conn *c)
{
	struct ib_device *dev = c->id->device;
	struct rdma_conn_param param = { };
	int err;

	err = conn_make_qp(c);
	if (err) {
		conn_reject(c);
		return err;
	}
	if (c->behaviour != PEER_NO_READ)
		param.responder_resources = min_t(int, c->responder_resources,
						  dev->attrs.max_qp_rd_atom);
	param.initiator_depth = min_t(int, c->initiator_depth, dev->attrs.max_qp_init_rd_atom);
	param.rnr_retry_count = 7;
	param.private_data = c->data_len ? c->data : NULL;
	param.private_data_len = c->data_len;
	rdma_lock_handler(c->id);
	err = rdma_accept(c->id, &param);
	rdma_unlock_handler(c->id);
	if (err)
		return err;
	peer_count(c->l, &c->l->n.accepted);
	return 0;
}

/* Frees @c. On the list until the end: unloading waits for it to get empty. */
static void conn_end(struct peer_conn *c)
{
	struct peer_listener *l = c->l;
	unsigned long flags;

	spin_lock_irqsave(&c->lock, flags);
	c->dying = true;
	spin_unlock_irqrestore(&c->lock, flags);
	/* a step wanted before that; it cannot be running, for this is the only work */
	cancel_delayed_work(&c->work);

	if (c->id->qp) {
		rdma_disconnect(c->id);
		ib_drain_qp(c->id->qp);
		rdma_destroy_qp(c->id);
	}
	conn_bufs_free(c);
	if (c->cq)
		ib_free_cq(c->cq);
	if (c->pd)
		ib_dealloc_pd(c->pd);
	/* waits for a handler that runs; after it nothing can find @c but the list */
	rdma_destroy_id(c->id);

	spin_lock_irqsave(&l->lock, flags);
	list_del(&c->entry);
	if (!--l->nr_conns)
		wake_up_all(&l->empty);
	spin_unlock_irqrestore(&l->lock, flags);
	kfree(c);
}

static void conn_work(struct work_struct *work)
{
	struct peer_conn *c = container_of(to_delayed_work(work), struct peer_conn, work);
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	unsigned long steps, flags;
	bool end;

	spin_lock_irqsave(&c->lock, flags);
	steps = c->steps;
	c->steps &= BIT(STEP_END);
	spin_unlock_irqrestore(&c->lock, flags);

	end = test_bit(STEP_END, &steps);
	if (!end && test_bit(STEP_ACCEPT, &steps) && conn_accept(c)) {
		peer_count(c->l, &c->l->n.errors);
		end = true;
	}
	if (!end && test_bit(STEP_REJECT, &steps)) {
		conn_reject(c);
		end = true;
	}
	if (!end && test_bit(STEP_DROP, &steps))
		end = true;
	if (!end && test_bit(STEP_QP_ERR, &steps))
		ib_modify_qp(c->id->qp, &attr, IB_QP_STATE);
	if (end)
		conn_end(c);
}

static int conn_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct peer_conn *c = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_ESTABLISHED:
		peer_count(c->l, &c->l->n.established);
		if (c->behaviour == PEER_DROP_AFTER_MS)
			conn_want(c, STEP_DROP, c->arg);
		else if (c->behaviour == PEER_QP_ERR_AFTER_MS)
			conn_want(c, STEP_QP_ERR, c->arg);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		peer_count(c->l, &c->l->n.disconnected);
		conn_want(c, STEP_END, 0);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		peer_count(c->l, &c->l->n.removals);
		conn_want(c, STEP_END, 0);
		break;
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_CONNECT_ERROR:
		peer_count(c->l, &c->l->n.failed);
		conn_want(c, STEP_END, 0);
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		conn_want(c, STEP_END, 0);
		break;
	default:
		break;
	}
	return 0;
}

static void note_request(struct peer_listener *l, struct rdma_cm_id *id,
			 const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *p = &event->param.conn;

	l->n.requests++;
	l->last.when_ns = ktime_get_ns();
	l->last.len = p->private_data ? p->private_data_len : 0;
	if (l->last.len)
		memcpy(l->last.data, p->private_data, l->last.len);
	l->last.retry_count = p->retry_count;
	l->last.rnr_retry_count = p->rnr_retry_count;
	l->last.responder_resources = p->responder_resources;
	l->last.initiator_depth = p->initiator_depth;
	l->last.qpn = p->qp_num;
	l->last.tos = rdma_cap_ib_cm(id->device, id->port_num) && id->route.path_rec ?
		      id->route.path_rec->traffic_class : -1;
	snprintf(l->last.src, sizeof(l->last.src), "%pISpc", &id->route.addr.dst_addr);
}

/*
 * A rejected id is destroyed by the core, for nonzero is returned; anything
 * else gets a connection, which is the one that destroys it.
 */
static int refuse(struct peer_listener *l, struct rdma_cm_id *id, const u8 *data, u8 len,
		  u8 reason)
{
	if (rdma_reject(id, len ? data : NULL, len, reason))
		peer_count(l, &l->n.errors);
	else
		peer_count(l, &l->n.rejected);
	return -ECONNREFUSED;
}

int peer_request(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct peer_listener *l = id->context;
	struct peer_conn *c;
	unsigned long flags;

	/* also the listening id itself gets here, with the removal of its device */
	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;

	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return refuse(l, id, NULL, 0, IB_CM_REJ_NO_RESOURCES);
	c->l = l;
	c->id = id;
	spin_lock_init(&c->lock);
	INIT_DELAYED_WORK(&c->work, conn_work);
	c->responder_resources = event->param.conn.initiator_depth;
	c->initiator_depth = event->param.conn.responder_resources;

	spin_lock_irqsave(&l->lock, flags);
	note_request(l, id, event);
	c->behaviour = l->behaviour;
	c->arg = l->arg;
	c->data_len = l->data_len;
	memcpy(c->data, l->data, l->data_len);
	c->reject_reason = IB_CM_REJ_CONSUMER_DEFINED;
	if (c->behaviour == PEER_REJECT_FIRST)
		c->behaviour = l->n.requests <= l->arg ? PEER_REJECT : PEER_ACCEPT;
	else if (c->behaviour == PEER_REJECT && l->arg)
		c->reject_reason = l->arg;
	else if (c->behaviour == PEER_STALE)
		c->reject_reason = IB_CM_REJ_STALE_CONN;
	if (l->closing || c->behaviour == PEER_REJECT || c->behaviour == PEER_STALE) {
		int ret;

		spin_unlock_irqrestore(&l->lock, flags);
		ret = refuse(l, id, c->data, c->data_len, c->reject_reason);
		kfree(c);
		return ret;
	}
	list_add_tail(&c->entry, &l->conns);
	l->nr_conns++;
	/* from here on the list can find it, and the work ends what is found */
	id->context = c;
	id->event_handler = conn_event;
	spin_unlock_irqrestore(&l->lock, flags);

	switch (c->behaviour) {
	case PEER_SILENT:
		break;
	case PEER_REJECT_AFTER_MS:
		conn_want(c, STEP_REJECT, c->arg);
		break;
	case PEER_SLOW_ACCEPT_MS:
		conn_want(c, STEP_ACCEPT, c->arg);
		break;
	default:
		conn_want(c, STEP_ACCEPT, 0);
		break;
	}
	return 0;
}

void peer_conns_end(struct peer_listener *l)
{
	struct peer_conn *c;
	unsigned long flags;

	spin_lock_irqsave(&l->lock, flags);
	list_for_each_entry(c, &l->conns, entry)
		conn_want(c, STEP_END, 0);
	spin_unlock_irqrestore(&l->lock, flags);
}
