// SPDX-License-Identifier: GPL-2.0
/*
 * The reaper: destroys what a fenced connection consists of. Whoever was told of
 * the loss does not wait for it; a connection that is here is an orphan.
 *
 * Parking. Destroying an rdma_cm_id may send a message (a DREQ to a peer that
 * still thinks it is connected, a REJ to one that has not answered). Sent while
 * the interface is down or the source address is gone, it has no route, and that
 * ends more than the message: rxe puts the queue pair of the CM itself into the
 * error state, and no connection of that device, ours or anybody's, is made any
 * more until the device is created anew. So such an id is parked until its way
 * exists again, and the peer then hears of the end at once. It is also destroyed
 * when the interface, the RDMA device or this module goes.
 *
 * Locking: parked_lock protects the list and .parked of its members. It is taken
 * inside rmc_dev.lock.
 */
#include <linux/sched/mm.h>
#include <linux/wait.h>
#include <net/net_namespace.h>
#include "conn/conn.h"
#include "conn/link.h"
#include "verbs/wq.h"

/* A route comes back without telling anybody. */
#define PARKED_POLL_MS	200

static atomic_t conns_alive = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(conns_gone);

static LIST_HEAD(parked);
static DEFINE_SPINLOCK(parked_lock);
static bool parking_ended;		/* parked_lock: the module goes */

static void parked_poll(struct work_struct *work);
static DECLARE_DELAYED_WORK(parked_work, parked_poll);

void rmc_conn_born(void)
{
	atomic_inc(&conns_alive);
}

void rmc_conn_gone(void)
{
	if (atomic_dec_and_test(&conns_alive))
		wake_up_all(&conns_gone);
}

/*
 * Whether what the CM sends for this id does no harm. Where the interface does not
 * exist any more there is nothing to spare. A parked id holds its network
 * namespace, so only those that are never deleted are worth it.
 */
bool rmc_conn_has_way(const struct rmc_conn *conn)
{
	if (conn->cm.id->device->ops.driver_id != RDMA_DRIVER_RXE ||
	    !net_eq(conn->cfg.net, &init_net))
		return true;
	switch (rmc_link_look(conn->cfg.net, conn->cm.ifindex, &conn->cm.src)) {
	case RMC_REASON_LINK_DOWN:
	case RMC_REASON_ADDR_REMOVED:
		return false;
	case RMC_REASON_NO_DEVICE:
		return true;
	default:
		return rmc_link_has_route(conn->cfg.net, conn->cm.ifindex, &conn->cm.src,
					  &conn->cfg.dst);
	}
}

static bool must_park(const struct rmc_conn *conn)
{
	return conn->dev.dev && !READ_ONCE(conn->dev.dev->dead) &&
	       !rmc_conn_has_way(conn);
}

static bool park(struct rmc_conn *conn)
{
	unsigned long flags;
	bool ok;

	if (!must_park(conn))
		return false;
	spin_lock_irqsave(&parked_lock, flags);
	ok = !parking_ended;
	if (ok) {
		list_add_tail(&conn->node, &parked);
		/* one that is pending stays as it is: it may be due at once */
		queue_delayed_work(rmc_core_wq, &parked_work, msecs_to_jiffies(PARKED_POLL_MS));
	}
	spin_unlock_irqrestore(&parked_lock, flags);
	return ok;
}

static void parked_poll(struct work_struct *work)
{
	struct rmc_conn *conn, *next;
	LIST_HEAD(list);

	/* looking for a route is nothing for an interrupt-safe lock */
	spin_lock_irq(&parked_lock);
	list_splice_init(&parked, &list);
	spin_unlock_irq(&parked_lock);
	list_for_each_entry_safe(conn, next, &list, node) {
		list_del_init(&conn->node);
		if (!park(conn))
			queue_work(rmc_attempt_wq, &conn->destroy_work);
	}
}

void rmc_reaper_kick(void)
{
	unsigned long flags;

	spin_lock_irqsave(&parked_lock, flags);
	if (!list_empty(&parked))
		mod_delayed_work(rmc_core_wq, &parked_work, 0);
	spin_unlock_irqrestore(&parked_lock, flags);
}

static void free_slot(struct rmc_conn *conn)
{
	if (conn->slot_free)
		return;
	conn->slot_free = true;
	conn->host->reaped(conn->owner, conn->cfg.who.index);
}

static void destroy_work(struct work_struct *work)
{
	struct rmc_conn *conn = container_of(work, struct rmc_conn, destroy_work);
	unsigned int noio = memalloc_noio_save();

	/* an op that was flushed may have returned before its err work ran */
	if (cancel_work_sync(&conn->err_work))
		rmc_conn_drop(conn);
	if (conn->cm.id)
		rmc_qp_destroy(conn->cm.id, &conn->qp);
	if (conn->pd)
		rmc_pd_put(conn->pds, conn->pd);
	conn->pd = NULL;
	if (conn->cm.id && park(conn)) {
		/* it keeps nobody from trying again once there is a way */
		free_slot(conn);
		goto out;
	}
	if (conn->cm.id)
		rdma_destroy_id(conn->cm.id);
	rmc_conn_cm_fini(conn);
	rmc_dev_detach(&conn->dev);
	free_slot(conn);
	rmc_conn_drop(conn);
out:
	memalloc_noio_restore(noio);
}

void rmc_conn_reap_queue(struct rmc_conn *conn)
{
	queue_work(rmc_attempt_wq, &conn->destroy_work);
}

void rmc_conn_reap(struct rmc_conn *conn)
{
	bool idle;

	rmc_dev_orphaned(&conn->dev);
	spin_lock_irq(&conn->lock);
	idle = conn->job.phase == RMC_PHASE_IDLE;
	conn->job.reap = !idle;
	spin_unlock_irq(&conn->lock);
	if (idle)
		rmc_conn_reap_queue(conn);
}

void rmc_conn_reaper_init(struct rmc_conn *conn)
{
	INIT_WORK(&conn->destroy_work, destroy_work);
}

void rmc_conn_wait_all(void)
{
	spin_lock_irq(&parked_lock);
	parking_ended = true;
	spin_unlock_irq(&parked_lock);
	rmc_reaper_kick();
	wait_event(conns_gone, !atomic_read(&conns_alive));
	cancel_delayed_work_sync(&parked_work);
}
