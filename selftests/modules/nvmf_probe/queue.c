// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of one admin queue, and one command after the other on it.
 *
 * DOC: locking
 *
 * probe_queue.lock is held over each post, with "stopped" looked at first: that
 * is how conn_lost can promise that nothing is posted after it returned. It is
 * taken in completions too.
 */
#include <linux/slab.h>
#include "probe.h"

static void queue_settle(struct probe_queue *q, unsigned int what, int err)
{
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	if (err && !q->err)
		q->err = err;
	q->waiting &= ~what;
	if (!q->waiting || q->err)
		complete(&q->done);
	spin_unlock_irqrestore(&q->lock, flags);
}

static int wc_error(const struct ib_wc *wc)
{
	switch (wc->status) {
	case IB_WC_SUCCESS:
		return 0;
	case IB_WC_WR_FLUSH_ERR:
		return -ENOTCONN;
	default:
		return -EIO;
	}
}

static int queue_post_send(struct probe_queue *q, const struct ib_send_wr *wr)
{
	unsigned long flags;
	int err;

	spin_lock_irqsave(&q->lock, flags);
	err = q->stopped ? -ESHUTDOWN : ib_post_send(q->qp, wr, NULL);
	spin_unlock_irqrestore(&q->lock, flags);
	return err;
}

static int queue_post_recv(struct probe_recv *r)
{
	struct probe_queue *q = r->q;
	struct ib_sge sge = {
		.addr	= r->dma,
		.length	= sizeof(*r->cqe_mem),
		.lkey	= q->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe		= &r->cqe,
		.sg_list	= &sge,
		.num_sge	= 1,
	};
	unsigned long flags;
	int err;

	ib_dma_sync_single_for_device(q->dev, r->dma, sizeof(*r->cqe_mem), DMA_FROM_DEVICE);
	spin_lock_irqsave(&q->lock, flags);
	err = q->stopped ? -ESHUTDOWN : ib_post_recv(q->qp, &wr, NULL);
	spin_unlock_irqrestore(&q->lock, flags);
	return err;
}

static void queue_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct probe_recv *r = container_of(wc->wr_cqe, struct probe_recv, cqe);
	struct probe_queue *q = r->q;
	int err = wc_error(wc);
	unsigned long flags;
	bool mine;

	if (err) {
		queue_settle(q, QUEUE_WAIT_RSP, err);
		return;
	}
	rmc_conn_note_rx(q->conn);
	ib_dma_sync_single_for_cpu(q->dev, r->dma, sizeof(*r->cqe_mem), DMA_FROM_DEVICE);
	if (wc->byte_len < sizeof(*r->cqe_mem)) {
		queue_settle(q, 0, -EPROTO);
		return;
	}

	spin_lock_irqsave(&q->lock, flags);
	mine = (q->waiting & QUEUE_WAIT_RSP) && r->cqe_mem->command_id == q->command_id;
	if (mine) {
		q->rsp = *r->cqe_mem;
		if ((wc->wc_flags & IB_WC_WITH_INVALIDATE) &&
		    wc->ex.invalidate_rkey == q->data.mr->rkey)
			q->data.valid = false;
	}
	spin_unlock_irqrestore(&q->lock, flags);

	err = queue_post_recv(r);
	queue_settle(q, mine ? QUEUE_WAIT_RSP : 0, err == -ESHUTDOWN ? 0 : err);
}

static void queue_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct probe_queue *q = container_of(wc->wr_cqe, struct probe_queue, tx.cqe);

	queue_settle(q, QUEUE_WAIT_SEND, wc_error(wc));
}

/* Only an error gets here, or is of interest: the send behind it is waited for. */
static void queue_registered(struct ib_cq *cq, struct ib_wc *wc)
{
	struct probe_queue *q = container_of(wc->wr_cqe, struct probe_queue, tx.reg_cqe);
	int err = wc_error(wc);

	if (err)
		queue_settle(q, 0, err);
}

static void queue_invalidated(struct ib_cq *cq, struct ib_wc *wc)
{
	struct probe_queue *q = container_of(wc->wr_cqe, struct probe_queue, tx.inv_cqe);

	queue_settle(q, QUEUE_WAIT_INV, wc_error(wc));
}

static int queue_wait(struct probe_queue *q)
{
	unsigned long limit = msecs_to_jiffies(probe_command_ms), flags;
	int err;

	if (!wait_for_completion_timeout(&q->done, limit))
		queue_settle(q, 0, -ETIMEDOUT);
	spin_lock_irqsave(&q->lock, flags);
	err = q->err;
	spin_unlock_irqrestore(&q->lock, flags);
	return err;
}

/* What the next queue_wait() waits for; an errno when the queue is of no use. */
static int queue_expect(struct probe_queue *q, unsigned int what)
{
	unsigned long flags;
	int err;

	spin_lock_irqsave(&q->lock, flags);
	err = q->stopped ? -ESHUTDOWN : q->err;
	if (!err) {
		q->waiting = what;
		reinit_completion(&q->done);
	}
	spin_unlock_irqrestore(&q->lock, flags);
	return err;
}

static int queue_invalidate(struct probe_queue *q)
{
	struct ib_send_wr wr = {
		.wr_cqe		= &q->tx.inv_cqe,
		.opcode		= IB_WR_LOCAL_INV,
		.send_flags	= IB_SEND_SIGNALED,
		.ex.invalidate_rkey = q->data.mr->rkey,
	};
	int err;

	err = queue_expect(q, QUEUE_WAIT_INV);
	if (!err)
		err = queue_post_send(q, &wr);
	if (!err)
		err = queue_wait(q);
	if (!err)
		q->data.valid = false;
	return err;
}

/* Prepares the registration and describes it in @sgl. */
static int queue_map(struct probe_queue *q, struct ib_reg_wr *reg, enum dma_data_direction dir,
		     u32 len, struct nvme_keyed_sgl_desc *sgl)
{
	__le32 length = cpu_to_le32(len), key;
	struct ib_mr *mr = q->data.mr;
	int n;

	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	n = ib_map_mr_sg(mr, &q->data.sg, 1, NULL, SZ_4K);
	if (n != 1)
		return n < 0 ? n : -EINVAL;
	reg->wr.opcode = IB_WR_REG_MR;
	reg->wr.wr_cqe = &q->tx.reg_cqe;
	reg->wr.send_flags = IB_SEND_SIGNALED;
	reg->mr = mr;
	reg->key = mr->rkey;
	reg->access = IB_ACCESS_LOCAL_WRITE;
	reg->access |= dir == DMA_TO_DEVICE ? IB_ACCESS_REMOTE_READ : IB_ACCESS_REMOTE_WRITE;

	sgl->addr = cpu_to_le64(mr->iova);
	/* neither is aligned, and of the length only three bytes are there */
	memcpy(sgl->length, &length, sizeof(sgl->length));
	key = cpu_to_le32(mr->rkey);
	memcpy(sgl->key, &key, sizeof(sgl->key));
	sgl->type |= NVME_SGL_FMT_INVALIDATE;
	return 0;
}

int queue_command(struct probe_queue *q, const struct nvme_command *cmd,
		  enum dma_data_direction dir, u32 len)
{
	struct ib_sge sge = {
		.addr	= q->tx.cmd_dma,
		.length	= sizeof(*cmd),
		.lkey	= q->pd->local_dma_lkey,
	};
	struct ib_send_wr send = {
		.wr_cqe		= &q->tx.cqe,
		.sg_list	= &sge,
		.num_sge	= 1,
		.opcode		= IB_WR_SEND,
		.send_flags	= IB_SEND_SIGNALED,
	};
	struct ib_reg_wr reg = { .wr.next = &send };
	struct nvme_command *c = q->tx.cmd;
	int err;

	if (WARN_ON_ONCE(len > QUEUE_DATA))
		return -EINVAL;
	err = queue_expect(q, QUEUE_WAIT_SEND | QUEUE_WAIT_RSP);
	if (err)
		return err;

	ib_dma_sync_single_for_cpu(q->dev, q->tx.cmd_dma, sizeof(*c), DMA_TO_DEVICE);
	*c = *cmd;
	c->common.command_id = ++q->command_id;
	c->common.flags |= NVME_CMD_SGL_METABUF;
	c->common.dptr.ksgl.type = NVME_KEY_SGL_FMT_DATA_DESC << 4;
	if (len) {
		err = queue_map(q, &reg, dir, len, &c->common.dptr.ksgl);
		if (err)
			return err;
		ib_dma_sync_single_for_device(q->dev, sg_dma_address(&q->data.sg), QUEUE_DATA,
					      DMA_BIDIRECTIONAL);
	}
	ib_dma_sync_single_for_device(q->dev, q->tx.cmd_dma, sizeof(*c), DMA_TO_DEVICE);

	q->data.valid = len;
	err = queue_post_send(q, len ? &reg.wr : &send);
	if (err) {
		queue_settle(q, 0, err);
		return err;
	}
	err = queue_wait(q);
	/* the controller invalidates what it was lent, if it can */
	if (!err && q->data.valid)
		err = queue_invalidate(q);
	if (err)
		return err;
	if (len)
		ib_dma_sync_single_for_cpu(q->dev, sg_dma_address(&q->data.sg), QUEUE_DATA,
					   DMA_BIDIRECTIONAL);
	return (le16_to_cpu(q->rsp.status) >> 1) & 0x7ff;
}

void queue_stop(struct probe_queue *q)
{
	unsigned long flags;

	spin_lock_irqsave(&q->lock, flags);
	q->stopped = true;
	if (!q->err)
		q->err = -ESHUTDOWN;
	complete(&q->done);
	spin_unlock_irqrestore(&q->lock, flags);
}

int queue_post_recvs(struct probe_queue *q)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < q->nr_recvs; i++)
		err = queue_post_recv(&q->recvs[i]);
	return err;
}

static int queue_alloc_recvs(struct probe_queue *q)
{
	struct probe_recv *r;

	q->recvs = kcalloc(QUEUE_DEPTH, sizeof(*q->recvs), GFP_KERNEL);
	if (!q->recvs)
		return -ENOMEM;
	for (; q->nr_recvs < QUEUE_DEPTH; q->nr_recvs++) {
		r = &q->recvs[q->nr_recvs];
		r->q = q;
		r->cqe.done = queue_received;
		r->cqe_mem = kzalloc(sizeof(*r->cqe_mem), GFP_KERNEL);
		if (!r->cqe_mem)
			return -ENOMEM;
		r->dma = ib_dma_map_single(q->dev, r->cqe_mem, sizeof(*r->cqe_mem),
					   DMA_FROM_DEVICE);
		if (ib_dma_mapping_error(q->dev, r->dma)) {
			kfree(r->cqe_mem);
			return -ENOMEM;
		}
	}
	return 0;
}

static void queue_free_recvs(struct probe_queue *q)
{
	while (q->nr_recvs) {
		struct probe_recv *r = &q->recvs[--q->nr_recvs];

		ib_dma_unmap_single(q->dev, r->dma, sizeof(*r->cqe_mem), DMA_FROM_DEVICE);
		kfree(r->cqe_mem);
	}
	kfree(q->recvs);
}

struct probe_queue *queue_alloc(struct rmc_conn *conn, struct probe_path *path)
{
	struct probe_queue *q = kzalloc(sizeof(*q), GFP_KERNEL);
	int err = -ENOMEM;

	if (!q)
		return ERR_PTR(-ENOMEM);
	q->conn = conn;
	q->path = path;
	q->qp = rmc_conn_qp(conn);
	q->pd = rmc_conn_pd(conn);
	q->dev = q->pd->device;
	spin_lock_init(&q->lock);
	init_completion(&q->done);
	INIT_DELAYED_WORK(&q->keep_alive, admin_keep_alive_work);
	q->tx.cqe.done = queue_sent;
	q->tx.reg_cqe.done = queue_registered;
	q->tx.inv_cqe.done = queue_invalidated;

	q->tx.cmd = kzalloc(sizeof(*q->tx.cmd), GFP_KERNEL);
	if (!q->tx.cmd)
		goto free;
	q->tx.cmd_dma = ib_dma_map_single(q->dev, q->tx.cmd, sizeof(*q->tx.cmd), DMA_TO_DEVICE);
	if (ib_dma_mapping_error(q->dev, q->tx.cmd_dma))
		goto free_cmd;
	q->data.mem = kzalloc(QUEUE_DATA, GFP_KERNEL);
	if (!q->data.mem)
		goto unmap_cmd;
	sg_init_one(&q->data.sg, q->data.mem, QUEUE_DATA);
	if (ib_dma_map_sg(q->dev, &q->data.sg, 1, DMA_BIDIRECTIONAL) != 1)
		goto free_data;
	q->data.mr = ib_alloc_mr(q->pd, IB_MR_TYPE_MEM_REG, 2);
	if (IS_ERR(q->data.mr)) {
		err = PTR_ERR(q->data.mr);
		goto unmap_data;
	}
	err = queue_alloc_recvs(q);
	if (err)
		goto free_recvs;
	return q;

free_recvs:
	queue_free_recvs(q);
	ib_dereg_mr(q->data.mr);
unmap_data:
	ib_dma_unmap_sg(q->dev, &q->data.sg, 1, DMA_BIDIRECTIONAL);
free_data:
	kfree(q->data.mem);
unmap_cmd:
	ib_dma_unmap_single(q->dev, q->tx.cmd_dma, sizeof(*q->tx.cmd), DMA_TO_DEVICE);
free_cmd:
	kfree(q->tx.cmd);
free:
	kfree(q);
	return ERR_PTR(err);
}

void queue_free(struct probe_queue *q)
{
	/* first the remote side's way in, then what it led to */
	ib_dereg_mr(q->data.mr);
	ib_dma_unmap_sg(q->dev, &q->data.sg, 1, DMA_BIDIRECTIONAL);
	kfree(q->data.mem);
	queue_free_recvs(q);
	ib_dma_unmap_single(q->dev, q->tx.cmd_dma, sizeof(*q->tx.cmd), DMA_TO_DEVICE);
	kfree(q->tx.cmd);
	kfree(q);
}
