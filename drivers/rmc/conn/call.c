// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_connect(), such that it can be broken off.
 *
 * An iWARP driver that uses the kernel's TCP (siw) connects its socket inside
 * rdma_connect(), which then blocks for as long as TCP has patience, two minutes
 * and more. That wait ends when a signal is pending, and a worker gets none. So on
 * iWARP the call is made in a task of its own, which rmc_conn_call_break() signals.
 *
 * Locking: rmc_conn.lock protects .job.caller, which is set as long as the task
 * can be signalled. The task takes signals before it asks whether the connection
 * was aborted meanwhile, and who aborts says so before it signals: one of the two
 * sees the other.
 */
#include <linux/kthread.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include "conn/conn.h"

struct connect_call {
	struct rmc_conn		*conn;
	struct rdma_conn_param	*param;
	struct completion	done;
	int			ret;
};

static bool is_aborted(struct rmc_conn *conn)
{
	bool aborted;

	spin_lock_irq(&conn->lock);
	aborted = conn->job.aborted;
	spin_unlock_irq(&conn->lock);
	return aborted;
}

static int connect_thread(void *arg)
{
	struct connect_call *call = arg;
	unsigned int noio = memalloc_noio_save();

	allow_kernel_signal(SIGKILL);
	call->ret = is_aborted(call->conn) ? -ECANCELED :
		    rdma_connect(call->conn->cm.id, call->param);
	memalloc_noio_restore(noio);
	/* nothing of this module runs in this task once the other has woken up */
	kthread_complete_and_exit(&call->done, 0);
}

static void caller_set(struct rmc_conn *conn, struct task_struct *task)
{
	spin_lock_irq(&conn->lock);
	conn->job.caller = task;
	spin_unlock_irq(&conn->lock);
}

static int call_in_task(struct rmc_conn *conn, struct rdma_conn_param *param)
{
	struct connect_call call = { .conn = conn, .param = param };
	struct task_struct *task;

	init_completion(&call.done);
	task = kthread_create(connect_thread, &call, "rmc_connect/%u.%d", conn->cfg.who.ep_id,
			      conn->cfg.who.path_id);
	if (IS_ERR(task))
		return PTR_ERR(task);
	get_task_struct(task);
	caller_set(conn, task);
	wake_up_process(task);
	wait_for_completion(&call.done);
	caller_set(conn, NULL);
	put_task_struct(task);
	return call.ret;
}

/* Job context, phase CALL. -EINTR, -ERESTARTSYS or -ECANCELED when broken off. */
int rmc_conn_call_connect(struct rmc_conn *conn, struct rdma_conn_param *param)
{
	if (conn->cm.iwarp)
		return call_in_task(conn, param);
	return rdma_connect(conn->cm.id, param);
}

/* Under .lock, with .job.aborted set. */
void rmc_conn_call_break(struct rmc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (conn->job.caller)
		send_sig(SIGKILL, conn->job.caller, 1);
}
