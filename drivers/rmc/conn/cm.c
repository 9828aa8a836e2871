// SPDX-License-Identifier: GPL-2.0
/*
 * What rdma_cm says, turned into facts. The handler only records (I2): it copies
 * what the event carries, sets a bit and returns 0, so rdma_cm never destroys an
 * id of ours; destruction happens in the reaper, after the callback has left.
 */
#include <linux/inet.h>
#include <rdma/ib_cm.h>
#include <trace/events/rmc.h>
#include "conn/conn.h"
#include "verbs/fault.h"
#include "verbs/wq.h"

/* No fact follows. */
#define NO_FACT		(-1)

static int addr_resolved(struct rmc_conn *conn, struct rdma_cm_id *id)
{
	int ret = rmc_dev_attach(&conn->dev, id->device);

	spin_lock_irq(&conn->lock);
	memcpy(&conn->cm.src, &id->route.addr.src_addr, sizeof(conn->cm.src));
	conn->cm.ifindex = id->route.addr.dev_addr.bound_dev_if;
	conn->cm.port = id->port_num;
	conn->cm.iwarp = rdma_protocol_iwarp(id->device, id->port_num);
	/* rmc does not know the device, or it is on its way out */
	conn->cm.addr_err = ret;
	spin_unlock_irq(&conn->lock);
	return ret ? RMC_FACT_ADDR_ERROR : RMC_FACT_ADDR_OK;
}

static int established(struct rmc_conn *conn, const struct rdma_conn_param *param)
{
	spin_lock_irq(&conn->lock);
	conn->cm.established = true;
	conn->cm.established_ns = ktime_get_ns();
	conn->cm.private_len = param->private_data ? param->private_data_len : 0;
	memcpy(conn->cm.private, param->private_data, conn->cm.private_len);
	/*
	 * The event is seen from the peer's reply: its responder resources are
	 * what this side may initiate. rdma_cm has already swapped them.
	 */
	conn->cm.peer_initiator = param->initiator_depth;
	conn->cm.peer_responder = param->responder_resources;
	spin_unlock_irq(&conn->lock);
	return RMC_FACT_ESTABLISHED;
}

static int ended(struct rmc_conn *conn, int status, enum rmc_conn_fact fact)
{
	spin_lock_irq(&conn->lock);
	if (fact == RMC_FACT_ADDR_ERROR)
		conn->cm.addr_err = status;
	else if (fact == RMC_FACT_ROUTE_ERROR)
		conn->cm.route_err = status;
	else if (!conn->cm.status)
		conn->cm.status = status;
	spin_unlock_irq(&conn->lock);
	return fact;
}

static int cm_decode(struct rmc_conn *conn, struct rdma_cm_id *id,
		     const struct rdma_cm_event *event)
{
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		return addr_resolved(conn, id);
	case RDMA_CM_EVENT_ADDR_ERROR:
		return ended(conn, event->status, RMC_FACT_ADDR_ERROR);
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		return RMC_FACT_ROUTE_OK;
	case RDMA_CM_EVENT_ROUTE_ERROR:
		return ended(conn, event->status, RMC_FACT_ROUTE_ERROR);
	case RDMA_CM_EVENT_ESTABLISHED:
		return established(conn, &event->param.conn);
	case RDMA_CM_EVENT_REJECTED:
		return ended(conn, event->status, RMC_FACT_REJECTED);
	case RDMA_CM_EVENT_UNREACHABLE:
		return ended(conn, event->status, RMC_FACT_UNREACHABLE);
	case RDMA_CM_EVENT_CONNECT_ERROR:
		return ended(conn, event->status, RMC_FACT_CONNECT_ERROR);
	case RDMA_CM_EVENT_DISCONNECTED:
		return ended(conn, event->status, RMC_FACT_DISCONNECTED);
	case RDMA_CM_EVENT_ADDR_CHANGE:
		return ended(conn, event->status, RMC_FACT_ADDR_CHANGE);
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		return ended(conn, event->status, RMC_FACT_DEVICE_REMOVED);
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		/* the id is never used again, so nothing waits for this */
		return NO_FACT;
	default:
		/* newer kernels have more; what they tell is not ours to guess */
		return NO_FACT;
	}
}

#ifdef RMC_FAULTS
static void cm_late(struct work_struct *work)
{
	struct rmc_conn *conn = container_of(work, struct rmc_conn, cm.late.work);
	unsigned long facts = xchg(&conn->cm.late_fact, 0);
	unsigned long fact;

	for_each_set_bit(fact, &facts, BITS_PER_LONG)
		rmc_conn_record(conn, fact);
}

static void cm_record(struct rmc_conn *conn, int fact, int event)
{
	unsigned int delay_ms = 0;

	switch (rmc_fault_cm_event(event, &delay_ms)) {
	case RMC_FAULT_CM_SWALLOW:
		return;
	case RMC_FAULT_CM_DOUBLE:
		rmc_conn_record(conn, fact);
		fallthrough;
	case RMC_FAULT_CM_DELAY:
		set_bit(fact, &conn->cm.late_fact);
		queue_delayed_work(rmc_core_wq, &conn->cm.late, msecs_to_jiffies(delay_ms));
		return;
	case RMC_FAULT_CM_PASS:
		rmc_conn_record(conn, fact);
		return;
	}
}

void rmc_conn_cm_init(struct rmc_conn *conn)
{
	INIT_DELAYED_WORK(&conn->cm.late, cm_late);
}

void rmc_conn_cm_fini(struct rmc_conn *conn)
{
	cancel_delayed_work_sync(&conn->cm.late);
}
#else
static void cm_record(struct rmc_conn *conn, int fact, int event)
{
	rmc_conn_record(conn, fact);
}

void rmc_conn_cm_init(struct rmc_conn *conn) { }
void rmc_conn_cm_fini(struct rmc_conn *conn) { }
#endif

int rmc_conn_cm_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct rmc_conn *conn = id->context;
	int fact = cm_decode(conn, id, event);

	trace_rmc_cm_event(&conn->cfg.who, event->event, event->status);
	if (fact != NO_FACT)
		cm_record(conn, fact, event->event);
	return 0;
}

static void rejected(const struct rmc_conn *conn, int status, struct rmc_reason *why)
{
	why->code = RMC_REASON_REJECTED;
	why->err = -ECONNREFUSED;
	/* iWARP has no reject reasons, only an errno */
	if (status <= 0)
		return;
	why->rej = status;
	switch (status) {
	case IB_CM_REJ_INVALID_SERVICE_ID:
		why->code = RMC_REASON_NO_LISTENER;
		break;
	case IB_CM_REJ_STALE_CONN:
		why->code = RMC_REASON_STALE_CONNECTION;
		why->err = -ESTALE;
		break;
	case IB_CM_REJ_INVALID_CLASS_VERSION:
		why->code = RMC_REASON_UNSUPPORTED;
		why->err = -EPROTONOSUPPORT;
		break;
	default:
		break;
	}
}

static void addr_failed(int err, struct rmc_reason *why)
{
	why->err = err;
	switch (err) {
	case -ETIMEDOUT:
	case -ENODATA:
		why->code = RMC_REASON_ADDR_TIMEOUT;
		why->err = -ETIMEDOUT;
		break;
	case -ENODEV:
		why->code = RMC_REASON_NO_DEVICE;
		break;
	case -EADDRNOTAVAIL:
		why->code = RMC_REASON_NO_ADDRESS;
		break;
	case -ENETUNREACH:
	case -EHOSTUNREACH:
	case -ENETDOWN:
		why->code = RMC_REASON_NO_ROUTE;
		break;
	case -EAFNOSUPPORT:
		why->code = RMC_REASON_UNSUPPORTED;
		break;
	case -ENOMEM:
		why->code = RMC_REASON_RESOURCES;
		break;
	default:
		why->code = RMC_REASON_ADDR_ERROR;
		break;
	}
}

/* What a fact of rdma_cm means to a user. */
void rmc_conn_cm_reason(const struct rmc_conn *conn, enum rmc_conn_fact fact,
			struct rmc_reason *why)
{
	int status = READ_ONCE(conn->cm.status);

	*why = (struct rmc_reason){ .err = status < 0 ? status : -EIO };
	switch (fact) {
	case RMC_FACT_ADDR_ERROR:
		addr_failed(READ_ONCE(conn->cm.addr_err), why);
		break;
	case RMC_FACT_ROUTE_ERROR:
		why->code = RMC_REASON_ROUTE_ERROR;
		why->err = READ_ONCE(conn->cm.route_err) ?: -EIO;
		break;
	case RMC_FACT_REJECTED:
		rejected(conn, status, why);
		break;
	case RMC_FACT_UNREACHABLE:
		why->code = RMC_REASON_UNREACHABLE;
		why->err = -ETIMEDOUT;
		break;
	case RMC_FACT_DISCONNECTED:
		why->code = RMC_REASON_PEER_DISCONNECT;
		why->err = -ECONNRESET;
		break;
	case RMC_FACT_ADDR_CHANGE:
		why->code = RMC_REASON_ADDR_CHANGE;
		why->err = -EADDRNOTAVAIL;
		break;
	case RMC_FACT_DEVICE_REMOVED:
		why->code = RMC_REASON_DEVICE_REMOVED;
		why->err = -ENODEV;
		break;
	default:
		why->code = RMC_REASON_CONNECT_ERROR;
		break;
	}
}
