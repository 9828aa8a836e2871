// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a connection (I4, I9, I14), in three works:
 *
 *   err	QP to the error state while an op of the consumer is running, so
 *		that what the op waits for is flushed and the op returns.
 *   fence	conn_lost; tell the peer and put the QP into the error state; drain
 *		both queues; conn_teardown. After it the consumer has no part in
 *		the connection. It needs nothing from the network: the DREQ of
 *		rdma_disconnect() is sent, not waited for.
 *   destroy	QP, CQ, id. May block for long in the core (iWARP connects inside
 *		the driver); nobody who is told of the loss waits for it.
 *
 * Who may still hold what when fence runs: no job runs, or one is inside a call
 * into rdma_cm and will neither touch the QP nor call an op when it comes back
 * (.job.aborted). The owner posts no probe once the state has left UP, and the
 * consumer posts nothing after conn_lost has returned, or never did because
 * conn_up did not succeed; so nobody posts while the queues drain. A reply of
 * the peer that arrives meanwhile cannot revive the QP: no transition leads out
 * of the error state but the one to RESET, which rdma_cm does not ask for.
 *
 * When destroy runs: fence is through and no job runs. After rdma_destroy_id()
 * no callback of rdma_cm runs; after the QP is destroyed no completion of ours
 * is pending, for the drain has seen them all.
 */
#include <linux/sched/mm.h>
#include "conn/conn.h"
#include "verbs/fault.h"
#include "verbs/wq.h"

static void err_work(struct work_struct *work)
{
	struct rmc_conn *conn = container_of(work, struct rmc_conn, err_work);
	unsigned int noio = memalloc_noio_save();

	rmc_qp_error(&conn->qp);
	memalloc_noio_restore(noio);
	rmc_conn_drop(conn);
}

static void tell_lost(struct rmc_conn *conn)
{
	struct rmc_gate_pass pass;

	if (!conn->up_called || !conn->gate->ops->conn_lost)
		return;
	rmc_gate_enter(conn->gate, &pass);
	conn->gate->ops->conn_lost(conn, &conn->reason);
	rmc_gate_leave(conn->gate, &pass);
}

static void tell_teardown(struct rmc_conn *conn)
{
	struct rmc_gate_pass pass;

	if (!conn->setup_called || !conn->gate->ops->conn_teardown)
		return;
	rmc_gate_enter(conn->gate, &pass);
	conn->gate->ops->conn_teardown(conn);
	rmc_gate_leave(conn->gate, &pass);
}

static void disconnect(struct rmc_conn *conn)
{
	bool established;

	spin_lock_irq(&conn->lock);
	established = conn->cm.established;
	spin_unlock_irq(&conn->lock);
	/*
	 * Not without a way out, see reaper.c; and iwcm does not survive a
	 * disconnect of a connection that is still being made.
	 */
	if (established && rmc_conn_has_way(conn) && !rmc_fault(RMC_FAULT_DISCONNECT))
		rdma_disconnect(conn->cm.id);
	rmc_qp_error(&conn->qp);
	rmc_qp_drain(&conn->qp);
}

static void fence_work(struct work_struct *work)
{
	struct rmc_conn *conn = container_of(work, struct rmc_conn, fence_work);
	unsigned int noio = memalloc_noio_save();

	tell_lost(conn);
	if (conn->qp.qp)
		disconnect(conn);
	tell_teardown(conn);
	memalloc_noio_restore(noio);
	rmc_conn_record(conn, RMC_FACT_FENCED);
	rmc_conn_drop(conn);
}

static void queue_conn_work(struct rmc_conn *conn, struct workqueue_struct *wq,
			    struct work_struct *work)
{
	rmc_conn_hold(conn);
	if (!queue_work(wq, work))
		rmc_conn_drop(conn);
}

/* Called in DRAIN each time something may have changed, until the fence is under way. */
void rmc_conn_fence(struct rmc_conn *conn)
{
	bool fence = false, err = false, dequeued = false;

	lockdep_assert_held(conn->owner_lock);
	if (conn->fencing)
		return;
	spin_lock_irq(&conn->lock);
	switch (conn->job.phase) {
	case RMC_PHASE_QUEUED:
		/* it would find itself aborted; do not wait for its turn */
		if (cancel_work(&conn->job.work)) {
			conn->job.phase = RMC_PHASE_IDLE;
			dequeued = true;
			fence = true;
		}
		break;
	case RMC_PHASE_IDLE:
	case RMC_PHASE_CALL:
		fence = true;
		break;
	case RMC_PHASE_OP:
		err = !conn->erring;
		break;
	case RMC_PHASE_BUSY:
		break;
	}
	spin_unlock_irq(&conn->lock);
	if (dequeued)
		rmc_conn_drop(conn);
	if (err) {
		conn->erring = true;
		queue_conn_work(conn, rmc_fence_wq, &conn->err_work);
	}
	if (fence) {
		conn->fencing = true;
		queue_conn_work(conn, rmc_fence_wq, &conn->fence_work);
	}
}

void rmc_conn_fence_init(struct rmc_conn *conn)
{
	INIT_WORK(&conn->err_work, err_work);
	INIT_WORK(&conn->fence_work, fence_work);
}
