// SPDX-License-Identifier: GPL-2.0
/*
 * I13: the key of one endpoint's memory is worth nothing on another's
 * connections. Two endpoints connect to a bare rdma_cm acceptor of this module,
 * which reads and writes their memory over the right and over the wrong one.
 */
#include <linux/delay.h>
#include <linux/slab.h>
#include <rdma/ib_cm.h>
#include <rdma/rdma_cm.h>
#include "api.h"

#define RKEY_LEN	64
#define RKEY_THEIRS	0x11	/* what the endpoint's memory is filled with */
#define RKEY_OURS	0x22	/* and the acceptor's */

struct acceptor_conn {
	struct rdma_cm_id	*id;	/* NULL: none yet */
	struct ib_pd		*pd;
	struct ib_cq		*cq;
	struct completion	established;
	struct ib_cqe		cqe;
	struct completion	done;
	enum ib_wc_status	status;
	void			*mem;
	u64			dma;
	bool			mapped;
};

/* One connection for each endpoint; the private data of its request says which. */
struct acceptor {
	struct rdma_cm_id	*listener;
	struct acceptor_conn	conn[2];
};

static void accepted_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct acceptor_conn *c = container_of(wc->wr_cqe, struct acceptor_conn, cqe);

	c->status = wc->status;
	complete(&c->done);
}

static int acceptor_make(struct acceptor_conn *c)
{
	struct ib_device *dev = c->id->device;
	struct ib_qp_init_attr attr = { };
	int err;

	c->pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(c->pd)) {
		err = PTR_ERR(c->pd);
		c->pd = NULL;
		return err;
	}
	c->cq = ib_alloc_cq_any(dev, c, 16, IB_POLL_WORKQUEUE);
	if (IS_ERR(c->cq)) {
		err = PTR_ERR(c->cq);
		c->cq = NULL;
		return err;
	}
	c->mem = kmalloc(RKEY_LEN, GFP_KERNEL);
	if (!c->mem)
		return -ENOMEM;
	c->dma = ib_dma_map_single(dev, c->mem, RKEY_LEN, DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(dev, c->dma))
		return -ENOMEM;
	c->mapped = true;

	attr.qp_type = IB_QPT_RC;
	attr.sq_sig_type = IB_SIGNAL_REQ_WR;
	attr.send_cq = c->cq;
	attr.recv_cq = c->cq;
	attr.cap.max_send_wr = 4;
	attr.cap.max_recv_wr = 4;
	attr.cap.max_send_sge = 1;
	attr.cap.max_recv_sge = 1;
	return rdma_create_qp(c->id, c->pd, &attr);
}

static void acceptor_unmake(struct acceptor_conn *c)
{
	if (!c->id)
		return;
	if (c->id->qp) {
		rdma_disconnect(c->id);
		ib_drain_qp(c->id->qp);
		rdma_destroy_qp(c->id);
	}
	if (c->mapped)
		ib_dma_unmap_single(c->id->device, c->dma, RKEY_LEN, DMA_BIDIRECTIONAL);
	kfree(c->mem);
	if (c->cq)
		ib_free_cq(c->cq);
	if (c->pd)
		ib_dealloc_pd(c->pd);
	rdma_destroy_id(c->id);
}

static int accepted_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct acceptor_conn *c = id->context;

	if (event->event == RDMA_CM_EVENT_ESTABLISHED)
		complete(&c->established);
	return 0;
}

static int acceptor_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct acceptor *acc = id->context;
	struct rdma_conn_param param = { .rnr_retry_count = 7 };
	const u8 *which = event->param.conn.private_data;
	struct acceptor_conn *c;
	int err;

	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	/* also a second try of the same endpoint is refused: the first is what is tested */
	if (!which || !event->param.conn.private_data_len || *which > 1 || acc->conn[*which].id) {
		rdma_reject(id, NULL, 0, IB_CM_REJ_CONSUMER_DEFINED);
		return -ECONNREFUSED;
	}
	c = &acc->conn[*which];
	c->id = id;
	id->context = c;
	id->event_handler = accepted_event;
	param.responder_resources = event->param.conn.initiator_depth;
	param.initiator_depth = event->param.conn.responder_resources;
	err = acceptor_make(c) ?: rdma_accept(id, &param);
	if (err)
		pr_err("rmc_api_test: accepting: %d\n", err);
	/* what is half made stays for acceptor_unmake() */
	return 0;
}

static int acceptor_start(struct acceptor *acc, struct sockaddr_storage *addr)
{
	int err, i;

	for (i = 0; i < 2; i++) {
		init_completion(&acc->conn[i].established);
		init_completion(&acc->conn[i].done);
		acc->conn[i].cqe.done = accepted_done;
	}
	acc->listener = rdma_create_id(&init_net, acceptor_event, acc, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(acc->listener))
		return PTR_ERR(acc->listener);
	err = rdma_bind_addr(acc->listener, (struct sockaddr *)addr) ?:
	      rdma_listen(acc->listener, 8);
	if (err)
		rdma_destroy_id(acc->listener);
	return err;
}

static void acceptor_stop(struct acceptor *acc)
{
	rdma_destroy_id(acc->listener);
	acceptor_unmake(&acc->conn[0]);
	acceptor_unmake(&acc->conn[1]);
}

/* Reads or writes memory at @addr of the other side; an errno if there is no completion. */
static int acceptor_access(struct acceptor_conn *c, enum ib_wr_opcode opcode, u64 addr, u32 rkey)
{
	struct ib_sge sge = {
		.addr	= c->dma,
		.length	= RKEY_LEN,
		.lkey	= c->pd->local_dma_lkey,
	};
	struct ib_rdma_wr wr = {
		.wr.opcode	= opcode,
		.wr.wr_cqe	= &c->cqe,
		.wr.send_flags	= IB_SEND_SIGNALED,
		.wr.sg_list	= &sge,
		.wr.num_sge	= 1,
		.remote_addr	= addr,
		.rkey		= rkey,
	};
	int err;

	memset(c->mem, RKEY_OURS, RKEY_LEN);
	ib_dma_sync_single_for_device(c->id->device, c->dma, RKEY_LEN, DMA_BIDIRECTIONAL);
	reinit_completion(&c->done);
	err = ib_post_send(c->id->qp, &wr.wr, NULL);
	if (!err && !wait_for_completion_timeout(&c->done, 10 * HZ))
		err = -ETIMEDOUT;
	ib_dma_sync_single_for_cpu(c->id->device, c->dma, RKEY_LEN, DMA_BIDIRECTIONAL);
	return err;
}

/* Memory of an endpoint, registered on one of its connections. */
struct lent {
	struct ib_device	*dev;
	struct ib_mr		*mr;
	void			*mem;
	struct scatterlist	sg;
	struct ib_cqe		cqe;
	struct completion	done;
	enum ib_wc_status	status;
};

static void lent_registered(struct ib_cq *cq, struct ib_wc *wc)
{
	struct lent *l = container_of(wc->wr_cqe, struct lent, cqe);

	l->status = wc->status;
	complete(&l->done);
}

static int lend(struct lent *l, struct rmc_conn *conn)
{
	struct ib_pd *pd = rmc_conn_pd(conn);
	struct ib_reg_wr wr = { };
	int err;

	l->dev = pd->device;
	l->cqe.done = lent_registered;
	init_completion(&l->done);
	l->mem = (void *)get_zeroed_page(GFP_KERNEL);
	if (!l->mem)
		return -ENOMEM;
	memset(l->mem, RKEY_THEIRS, RKEY_LEN);
	sg_init_one(&l->sg, l->mem, PAGE_SIZE);
	if (ib_dma_map_sg(l->dev, &l->sg, 1, DMA_BIDIRECTIONAL) != 1) {
		err = -ENOMEM;
		goto free;
	}
	l->mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, 2);
	if (IS_ERR(l->mr)) {
		err = PTR_ERR(l->mr);
		goto unmap;
	}
	err = ib_map_mr_sg(l->mr, &l->sg, 1, NULL, SZ_4K) == 1 ? 0 : -EINVAL;
	if (err)
		goto dereg;
	wr.wr.opcode = IB_WR_REG_MR;
	wr.wr.wr_cqe = &l->cqe;
	wr.wr.send_flags = IB_SEND_SIGNALED;
	wr.mr = l->mr;
	wr.key = l->mr->rkey;
	wr.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE;
	err = ib_post_send(rmc_conn_qp(conn), &wr.wr, NULL);
	if (!err && (!wait_for_completion_timeout(&l->done, 10 * HZ) || l->status))
		err = -EIO;
	if (!err)
		return 0;
dereg:
	ib_dereg_mr(l->mr);
unmap:
	ib_dma_unmap_sg(l->dev, &l->sg, 1, DMA_BIDIRECTIONAL);
free:
	free_page((unsigned long)l->mem);
	l->mem = NULL;
	return err;
}

static void lent_back(struct lent *l)
{
	if (!l->mem)
		return;
	ib_dereg_mr(l->mr);
	ib_dma_unmap_sg(l->dev, &l->sg, 1, DMA_BIDIRECTIONAL);
	free_page((unsigned long)l->mem);
}

static u8 first_byte(const void *mem)
{
	return READ_ONCE(*(const u8 *)mem);
}

static void expect_isolated(struct api *a, struct acceptor *acc, struct lent *l,
			    enum ib_wr_opcode opcode)
{
	struct acceptor_conn *right = &acc->conn[0], *wrong = &acc->conn[1];
	bool read = opcode == IB_WR_RDMA_READ;
	u64 addr = l->mr->iova;
	u32 rkey = l->mr->rkey;
	int err;

	/* that it is refused on the wrong one means something only if the right one can */
	err = acceptor_access(right, opcode, addr, rkey);
	api_expect(a, !err && right->status == IB_WC_SUCCESS, "access over the right one: %d, %s",
		   err, ib_wc_status_msg(right->status));
	if (read)
		api_expect(a, first_byte(right->mem) == RKEY_THEIRS, "read %#x",
			   first_byte(right->mem));
	else
		/* on iWARP a write completes before it is placed */
		for (err = 0; err < 100 && first_byte(l->mem) != RKEY_OURS; err++)
			msleep(20);
	if (!read)
		api_expect(a, first_byte(l->mem) == RKEY_OURS, "wrote %#x", first_byte(l->mem));

	memset(l->mem, RKEY_THEIRS, RKEY_LEN);
	err = acceptor_access(wrong, opcode, addr, rkey);
	if (rdma_protocol_iwarp(wrong->id->device, wrong->id->port_num) && !read)
		msleep(1000);
	else
		api_expect(a, !err && wrong->status != IB_WC_SUCCESS,
			   "access over another endpoint: %d, %s", err,
			   ib_wc_status_msg(wrong->status));
	if (rdma_protocol_roce(wrong->id->device, wrong->id->port_num))
		api_expect(a, wrong->status == IB_WC_REM_ACCESS_ERR,
			   "access over another endpoint: %s", ib_wc_status_msg(wrong->status));
	api_expect(a, first_byte(wrong->mem) == RKEY_OURS, "it could read %#x",
		   first_byte(wrong->mem));
	api_expect(a, first_byte(l->mem) == RKEY_THEIRS, "it could write %#x", first_byte(l->mem));
	api_note(a, "%s over another endpoint: %s", read ? "read" : "write",
		 ib_wc_status_msg(wrong->status));
}

static void rkey_round(struct api *a, enum ib_wr_opcode opcode)
{
	struct cons_how how = { .only_path = -1 };
	struct rmc_conn *conn[2] = { };
	struct cons *c[2] = { };
	struct sockaddr_storage dst, src;
	struct acceptor *acc;
	struct lent l = { };
	int err, i;

	if (!api_addr(a, "dst", &dst) || !api_addr(a, "src", &src))
		return;
	acc = kzalloc(sizeof(*acc), GFP_KERNEL);
	if (!api_expect(a, acc, "no memory"))
		return;
	err = acceptor_start(acc, &dst);
	if (!api_expect(a, !err, "listening: %d", err)) {
		kfree(acc);
		return;
	}
	for (i = 0; i < 2; i++) {
		how.tag = i;
		c[i] = cons_new(a, NULL, &how);
		if (!c[i])
			goto destroy;
		cons_add_path(c[i], &dst, &src, 0);
		rmc_ep_connect(c[i]->ep);
		err = rmc_ep_wait(c[i]->ep, 10000);
		conn[i] = cons_conn(c[i], 0);
		if (!api_expect(a, !err && conn[i], "endpoint %d: %d", i, err) ||
		    !api_expect(a, wait_for_completion_timeout(&acc->conn[i].established, 5 * HZ),
				"the acceptor's side of endpoint %d is not there", i))
			goto destroy;
	}
	api_expect(a, rmc_conn_pd(conn[0]) != rmc_conn_pd(conn[1]), "both share a PD");
	err = lend(&l, conn[0]);
	if (api_expect(a, !err, "registering: %d", err))
		expect_isolated(a, acc, &l, opcode);
destroy:
	/* in conn_teardown is where a consumer does this; here nothing else is left to wait for */
	lent_back(&l);
	for (i = 0; i < 2; i++) {
		if (conn[i])
			rmc_conn_put(conn[i]);
		if (c[i])
			cons_destroy(a, c[i]);
	}
	acceptor_stop(acc);
	kfree(acc);
}

/* dst= an address of the other host with a free port, src= */
void test_rkey(struct api *a)
{
	rkey_round(a, IB_WR_RDMA_READ);
	rkey_round(a, IB_WR_RDMA_WRITE);
}
