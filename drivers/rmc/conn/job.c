// SPDX-License-Identifier: GPL-2.0
/*
 * The hands of a connection: calls that may block, one at a time, on
 * rmc_attempt_wq. What a job finds out goes back as RMC_FACT_JOB_DONE.
 *
 * The fence runs beside a job only in phase CALL. So a job changes the QP and
 * calls ops in phases BUSY and OP, and enters OP or CALL only while nobody has
 * aborted the connection.
 */
#include <linux/ktime.h>
#include <linux/sched/mm.h>
#include <net/net_namespace.h>
#include "conn/conn.h"
#include "conn/link.h"
#include "verbs/fault.h"
#include "verbs/wq.h"

/* rdma_cm waits this long for the subnet administrator; our deadline ends it sooner. */
#define ROUTE_TIMEOUT_MS	RMC_CONNECT_MS_MAX
/* A receiver that is not ready is repeated for ever; the probes behind it notice. */
#define RNR_RETRY_FOREVER	7

static int job_fail(struct rmc_conn *conn, enum rmc_reason_code code, int err)
{
	spin_lock_irq(&conn->lock);
	conn->job.code = code;
	spin_unlock_irq(&conn->lock);
	return err;
}

/* False: the connection was aborted, go home. */
static bool job_enter(struct rmc_conn *conn, enum rmc_job_phase phase)
{
	bool ok;

	spin_lock_irq(&conn->lock);
	ok = !conn->job.aborted;
	if (ok)
		conn->job.phase = phase;
	spin_unlock_irq(&conn->lock);
	return ok;
}

static void job_leave(struct rmc_conn *conn)
{
	spin_lock_irq(&conn->lock);
	conn->job.phase = RMC_PHASE_BUSY;
	spin_unlock_irq(&conn->lock);
}

static int id_create(struct rmc_conn *conn)
{
	const struct rmc_conn_cfg *cfg = &conn->cfg;
	struct rdma_cm_id *id;
	struct net *net;
	int ret;

	ret = rmc_fault(RMC_FAULT_ID_CREATE);
	if (ret)
		return ret;
	/* endpoints of userspace do not hold their netns, but an id does: it may be going */
	net = maybe_get_net(cfg->net);
	if (!net)
		return -ESHUTDOWN;
	id = rdma_create_id(net, rmc_conn_cm_handler, conn, RDMA_PS_TCP, IB_QPT_RC);
	put_net(net);
	if (IS_ERR(id))
		return PTR_ERR(id);
	if (cfg->tos_set)
		rdma_set_service_type(id, cfg->tos);
	/* before the route is resolved, for it travels to the peer in the request */
	rdma_set_ack_timeout(id, cfg->ack_timeout);
	rdma_set_min_rnr_timer(id, cfg->rnr_timer);
	conn->cm.id = id;
	return 0;
}

static int job_addr(struct rmc_conn *conn)
{
	struct sockaddr *src = NULL;
	int ret;

	if (conn->cfg.src.ss_family != AF_UNSPEC)
		src = (struct sockaddr *)&conn->cfg.src;
	if (!conn->cm.id) {
		ret = id_create(conn);
		if (ret)
			return job_fail(conn, RMC_REASON_RESOURCES, ret);
	} else {
		rmc_link_solicit(conn->cfg.net, &conn->cfg.src, &conn->cfg.dst);
	}
	if (!job_enter(conn, RMC_PHASE_CALL))
		return 0;
	ret = rmc_fault(RMC_FAULT_RESOLVE_ADDR) ?:
	      rdma_resolve_addr(conn->cm.id, src, (struct sockaddr *)&conn->cfg.dst,
				conn->job.addr_timeout_ms);
	job_leave(conn);
	if (ret) {
		struct rmc_reason why;

		spin_lock_irq(&conn->lock);
		conn->cm.addr_err = ret;
		spin_unlock_irq(&conn->lock);
		rmc_conn_cm_reason(conn, RMC_FACT_ADDR_ERROR, &why);
		return job_fail(conn, why.code, why.err);
	}
	return 0;
}

static int job_route(struct rmc_conn *conn)
{
	int ret;

	/* siw opens its sockets in the namespace of the calling task: that is never ours */
	if (conn->cm.iwarp && !net_eq(conn->cfg.net, &init_net))
		return job_fail(conn, RMC_REASON_UNSUPPORTED, -EOPNOTSUPP);
	if (!job_enter(conn, RMC_PHASE_CALL))
		return 0;
	ret = rmc_fault(RMC_FAULT_RESOLVE_ROUTE) ?:
	      rdma_resolve_route(conn->cm.id, ROUTE_TIMEOUT_MS);
	job_leave(conn);
	return ret ? job_fail(conn, RMC_REASON_ROUTE_ERROR, ret) : 0;
}

static int private_fill(struct rmc_conn *conn, u8 *buf, u8 room)
{
	struct rmc_gate_pass pass;
	int len;

	if (!conn->gate->ops->conn_private) {
		if (conn->cfg.private_data_len > room)
			return job_fail(conn, RMC_REASON_UNSUPPORTED, -EINVAL);
		memcpy(buf, conn->cfg.private_data, conn->cfg.private_data_len);
		return conn->cfg.private_data_len;
	}
	if (!job_enter(conn, RMC_PHASE_OP))
		return 0;
	rmc_gate_enter(conn->gate, &pass);
	len = conn->gate->ops->conn_private(conn, NULL, buf, room);
	rmc_gate_leave(conn->gate, &pass);
	job_leave(conn);
	if (len > room)
		return job_fail(conn, RMC_REASON_UNSUPPORTED, -EINVAL);
	return len < 0 ? job_fail(conn, RMC_REASON_CONSUMER, len) : len;
}

static int setup(struct rmc_conn *conn)
{
	struct rmc_gate_pass pass;
	int ret = 0;

	if (!job_enter(conn, RMC_PHASE_OP))
		return 0;
	conn->setup_called = true;
	if (conn->gate->ops->conn_setup) {
		rmc_gate_enter(conn->gate, &pass);
		ret = conn->gate->ops->conn_setup(conn);
		rmc_gate_leave(conn->gate, &pass);
	}
	job_leave(conn);
	return ret ? job_fail(conn, RMC_REASON_CONSUMER, ret) : 0;
}

static void connect_failed(struct rmc_conn *conn, int err)
{
	switch (err) {
	case -ECONNREFUSED:		/* iWARP: TCP says so at once */
		job_fail(conn, RMC_REASON_NO_LISTENER, err);
		break;
	case -ENETUNREACH:
	case -EHOSTUNREACH:
		job_fail(conn, RMC_REASON_NO_ROUTE, err);
		break;
	case -ETIMEDOUT:
		job_fail(conn, RMC_REASON_UNREACHABLE, err);
		break;
	case -ENOMEM:
		job_fail(conn, RMC_REASON_RESOURCES, err);
		break;
	default:
		job_fail(conn, RMC_REASON_CONNECT_ERROR, err);
		break;
	}
}

static int call_connect(struct rmc_conn *conn, struct rdma_conn_param *param)
{
	int ret;

	spin_lock_irq(&conn->lock);
	conn->cm.sent_ns = ktime_get_ns();
	spin_unlock_irq(&conn->lock);
	/* the answer's clock starts now, also where the call itself blocks */
	conn->host->kick(conn->owner);
	if (!job_enter(conn, RMC_PHASE_CALL))
		return 0;
	ret = rmc_fault(RMC_FAULT_CONNECT) ?: rmc_conn_call_connect(conn, param);
	job_leave(conn);
	if (ret)
		connect_failed(conn, ret);
	return ret;
}

static int job_connect(struct rmc_conn *conn)
{
	const struct ib_device_attr *attrs = &conn->cm.id->device->attrs;
	const struct rmc_conn_cfg *cfg = &conn->cfg;
	u8 buf[RMC_PRIVATE_DATA_MAX];
	struct rdma_conn_param param = {
		.responder_resources = min_t(int, cfg->responder_resources, attrs->max_qp_rd_atom),
		.initiator_depth = min_t(int, cfg->initiator_depth, attrs->max_qp_init_rd_atom),
		.retry_count = cfg->retry_count,
		.rnr_retry_count = RNR_RETRY_FOREVER,
		.private_data = buf,
	};
	int ret;

	conn->pd = rmc_pd_get(conn->pds, conn->cm.id->device);
	if (IS_ERR(conn->pd)) {
		ret = PTR_ERR(conn->pd);
		conn->pd = NULL;
		return job_fail(conn, RMC_REASON_RESOURCES, ret);
	}
	ret = rmc_qp_create(conn->cm.id, conn->pd->pd, &cfg->want, &conn->qp);
	if (ret)
		return job_fail(conn, RMC_REASON_RESOURCES, ret);
	ret = setup(conn);
	if (ret)
		return ret;
	ret = private_fill(conn, buf, rmc_conn_usable_private(conn->cm.iwarp));
	if (ret < 0)
		return ret;
	param.private_data_len = ret;
	return call_connect(conn, &param);
}

static int job_up(struct rmc_conn *conn)
{
	struct rmc_gate_pass pass;
	int ret = 0;

	if (!job_enter(conn, RMC_PHASE_OP))
		return 0;
	if (conn->gate->ops->conn_up) {
		rmc_gate_enter(conn->gate, &pass);
		ret = conn->gate->ops->conn_up(conn, conn->cm.private, conn->cm.private_len);
		rmc_gate_leave(conn->gate, &pass);
	}
	conn->up_called = !ret;
	job_leave(conn);
	if (!ret)
		return 0;
	/* these two say that trying again is useless */
	if (ret == -EKEYREJECTED || ret == -EPROTONOSUPPORT)
		return job_fail(conn, RMC_REASON_UNSUPPORTED, ret);
	return job_fail(conn, RMC_REASON_CONSUMER, ret);
}

static int job_do(struct rmc_conn *conn, enum rmc_job what)
{
	switch (what) {
	case RMC_JOB_ADDR:
		return job_addr(conn);
	case RMC_JOB_ROUTE:
		return job_route(conn);
	case RMC_JOB_CONNECT:
		return job_connect(conn);
	case RMC_JOB_UP:
		return job_up(conn);
	default:
		return 0;
	}
}

static void job_work(struct work_struct *work)
{
	struct rmc_conn *conn = container_of(work, struct rmc_conn, job.work);
	unsigned int noio = memalloc_noio_save();
	enum rmc_job what = RMC_JOB_NONE;
	bool reap;
	int ret;

	if (job_enter(conn, RMC_PHASE_BUSY)) {
		spin_lock_irq(&conn->lock);
		what = conn->job.what;
		spin_unlock_irq(&conn->lock);
	}
	ret = job_do(conn, what);

	spin_lock_irq(&conn->lock);
	conn->job.err = ret;
	conn->job.phase = RMC_PHASE_IDLE;
	reap = conn->job.reap;
	spin_unlock_irq(&conn->lock);
	if (reap)
		rmc_conn_reap_queue(conn);
	else
		rmc_conn_record(conn, RMC_FACT_JOB_DONE);
	rmc_conn_drop(conn);
	memalloc_noio_restore(noio);
}

void rmc_conn_job_init(struct rmc_conn *conn)
{
	INIT_WORK(&conn->job.work, job_work);
}

/* Starts what is to be done next if the hands are free. */
void rmc_conn_job_start(struct rmc_conn *conn)
{
	bool start = false;

	lockdep_assert_held(conn->owner_lock);
	if (conn->next_job == RMC_JOB_NONE)
		return;
	spin_lock_irq(&conn->lock);
	if (conn->job.phase == RMC_PHASE_IDLE && conn->job.what == RMC_JOB_NONE) {
		conn->job.what = conn->next_job;
		conn->job.phase = RMC_PHASE_QUEUED;
		conn->job.err = 0;
		start = true;
	}
	spin_unlock_irq(&conn->lock);
	if (!start)
		return;
	conn->next_job = RMC_JOB_NONE;
	rmc_conn_hold(conn);
	queue_work(rmc_attempt_wq, &conn->job.work);
}
