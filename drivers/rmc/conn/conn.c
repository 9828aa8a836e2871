// SPDX-License-Identifier: GPL-2.0
/* The head of a connection: takes what was recorded and moves the state. */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <trace/events/rmc.h>
#include "conn/conn.h"
#include "logic/backoff.h"
#include "verbs/fault.h"

/* How long a flushed probe waits for somebody to tell why the QP was stopped. */
#define FLUSH_GRACE_NS	(50 * RMC_NS_PER_MS)

static void conn_release(struct kref *ref)
{
	struct rmc_conn *conn = container_of(ref, struct rmc_conn, ref);

	conn->host->put(conn->owner);
	kfree(conn);
	rmc_conn_gone();
}

void rmc_conn_hold(struct rmc_conn *conn)
{
	kref_get(&conn->ref);
}

void rmc_conn_drop(struct rmc_conn *conn)
{
	kref_put(&conn->ref, conn_release);
}

void rmc_conn_record(struct rmc_conn *conn, enum rmc_conn_fact fact)
{
	/* what belongs to the fact is written before the bit can be seen */
	smp_mb__before_atomic();
	set_bit(fact, &conn->recorded);
	conn->host->kick(conn->owner);
}

static void dev_removed(struct rmc_dev_user *user)
{
	rmc_conn_record(container_of(user, struct rmc_conn, dev), RMC_FACT_DEVICE_REMOVED);
	rmc_reaper_kick();
}

static void dev_granted(struct rmc_dev_user *user)
{
	rmc_conn_record(container_of(user, struct rmc_conn, dev), RMC_FACT_GRANTED);
}

static void qp_event(struct ib_event *event, void *context)
{
	switch (event->event) {
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
	case IB_EVENT_DEVICE_FATAL:
		rmc_conn_record(context, RMC_FACT_QP_EVENT);
		break;
	default:
		break;
	}
}

static void probe_done(struct rmc_probe *probe, enum ib_wc_status status)
{
	struct rmc_conn *conn = container_of(probe, struct rmc_conn, probe.wr);
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	conn->probe.done_ns = ktime_get_ns();
	conn->probe.status = status;
	spin_unlock_irqrestore(&conn->lock, flags);
	rmc_conn_record(conn, RMC_FACT_PROBE);
}

/* Called in the owner's work, which must not wait for memory to be written out. */
struct rmc_conn *rmc_conn_create(const struct rmc_conn_cfg *cfg, const struct rmc_conn_host *host,
				 void *owner, struct mutex *owner_lock, struct rmc_gate *gate,
				 struct rmc_pd_set *pds)
{
	struct rmc_conn *conn;

	conn = rmc_fault(RMC_FAULT_CONN_ALLOC) ? NULL :
	       kzalloc(sizeof(*conn), GFP_NOIO | __GFP_NOWARN);
	if (!conn)
		return NULL;
	kref_init(&conn->ref);
	spin_lock_init(&conn->lock);
	INIT_LIST_HEAD(&conn->node);
	conn->cfg = *cfg;
	conn->cfg.want.event = qp_event;
	conn->cfg.want.context = conn;
	conn->host = host;
	conn->owner = owner;
	conn->owner_lock = owner_lock;
	conn->gate = gate;
	conn->pds = pds;
	conn->state = RMC_CONN_NEW;
	rmc_dev_user_init(&conn->dev, dev_removed, dev_granted);
	rmc_probe_init(&conn->probe.wr, probe_done);
	rmc_conn_cm_init(conn);
	rmc_conn_job_init(conn);
	rmc_conn_fence_init(conn);
	rmc_conn_reaper_init(conn);
	host->get(owner);
	rmc_conn_born();
	return conn;
}

/* The one writer of rmc_conn.state (I1). */
static bool conn_event(struct rmc_conn *conn, enum rmc_conn_event event)
{
	enum rmc_conn_state from = conn->state;
	int next = rmc_conn_next(from, event);

	lockdep_assert_held(conn->owner_lock);
	if (next == RMC_FSM_NONE) {
		conn->host->misfit(conn->owner, conn, event);
		return false;
	}
	if (next != from) {
		WRITE_ONCE(conn->state, next);
		trace_rmc_conn_state(&conn->cfg.who, from, next, &conn->reason);
		conn->host->moved(conn->owner, conn, from);
	}
	return true;
}

static void conn_fail(struct rmc_conn *conn, const struct rmc_reason *why)
{
	if (conn->state == RMC_CONN_DRAIN || conn->state == RMC_CONN_DEAD)
		return;
	conn->reason = *why;
	conn->deadline_ns = 0;
	conn->answer_ns = 0;
	conn->flushed_ns = 0;
	conn->next_job = RMC_JOB_NONE;
	conn_event(conn, RMC_CE_FAIL);
	rmc_dev_withdraw(&conn->dev);
	spin_lock_irq(&conn->lock);
	conn->job.aborted = true;
	rmc_conn_call_break(conn);
	spin_unlock_irq(&conn->lock);
}

void rmc_conn_abort(struct rmc_conn *conn, enum rmc_reason_code code, int err)
{
	const struct rmc_reason why = { .code = code, .err = err };

	lockdep_assert_held(conn->owner_lock);
	conn_fail(conn, &why);
	rmc_conn_fence(conn);
}

static void fail_code(struct rmc_conn *conn, enum rmc_reason_code code, int err)
{
	const struct rmc_reason why = { .code = code, .err = err };

	conn_fail(conn, &why);
}

void rmc_conn_start(struct rmc_conn *conn, u64 now)
{
	lockdep_assert_held(conn->owner_lock);
	conn->start_ns = now;
	conn->deadline_ns = now + conn->cfg.connect_ms * RMC_NS_PER_MS;
	conn->job.addr_timeout_ms = rmc_addr_timeout_ms(0, conn->cfg.connect_ms);
	conn->next_job = RMC_JOB_ADDR;
	conn_event(conn, RMC_CE_START);
	rmc_conn_job_start(conn);
}

/*
 * Whether @state is the one in which what leads to @event makes sense. A dying
 * connection hears late facts as a matter of course; anywhere else it is a
 * surprise worth counting.
 */
static bool conn_expects(struct rmc_conn *conn, enum rmc_conn_state state,
			 enum rmc_conn_event event)
{
	if (conn->state == state)
		return true;
	if (conn->state != RMC_CONN_DRAIN && conn->state != RMC_CONN_DEAD)
		conn->host->misfit(conn->owner, conn, event);
	return false;
}

static u32 ms_left(const struct rmc_conn *conn, u64 now)
{
	if (now >= conn->deadline_ns)
		return 0;
	return div_u64(conn->deadline_ns - now, RMC_NS_PER_MS);
}

/* The core forgot the answer to its own question, or there is none: ask again. */
static void addr_again(struct rmc_conn *conn, u64 now)
{
	conn->addr_tries++;
	conn->job.addr_timeout_ms = rmc_addr_timeout_ms(conn->addr_tries, ms_left(conn, now));
	conn->next_job = RMC_JOB_ADDR;
	conn_event(conn, RMC_CE_ADDR_AGAIN);
}

static void addr_error(struct rmc_conn *conn, u64 now)
{
	struct rmc_reason why;

	if (!conn_expects(conn, RMC_CONN_ADDR, RMC_CE_ADDR_AGAIN))
		return;
	rmc_conn_cm_reason(conn, RMC_FACT_ADDR_ERROR, &why);
	if (why.code == RMC_REASON_ADDR_TIMEOUT && ms_left(conn, now))
		addr_again(conn, now);
	else
		conn_fail(conn, &why);
}

static void granted(struct rmc_conn *conn, u64 now)
{
	if (!conn_expects(conn, RMC_CONN_ADDR, RMC_CE_ADDR_OK))
		return;
	/* the wait for budget is not the attempt's fault */
	if (conn->wait_ns) {
		conn->deadline_ns = now + (conn->deadline_ns - conn->wait_ns);
		conn->wait_ns = 0;
	}
	conn->next_job = RMC_JOB_ROUTE;
	conn_event(conn, RMC_CE_ADDR_OK);
}

static void addr_ok(struct rmc_conn *conn, u64 now)
{
	if (!conn_expects(conn, RMC_CONN_ADDR, RMC_CE_ADDR_OK) || conn->wait_ns)
		return;
	if (rmc_dev_admit(&conn->dev))
		granted(conn, now);
	else
		conn->wait_ns = now;
}

static void route_ok(struct rmc_conn *conn)
{
	if (!conn_expects(conn, RMC_CONN_ROUTE, RMC_CE_ROUTE_OK))
		return;
	conn->next_job = RMC_JOB_CONNECT;
	conn_event(conn, RMC_CE_ROUTE_OK);
}

static void established(struct rmc_conn *conn)
{
	if (!conn_expects(conn, RMC_CONN_CONNECT, RMC_CE_ESTABLISHED) || conn->up_asked)
		return;
	conn->up_asked = true;
	conn->answer_ns = 0;
	if (conn->gate->ops->conn_up || conn->gate->ops->conn_lost)
		conn->next_job = RMC_JOB_UP;
	else
		conn_event(conn, RMC_CE_UP);
}

static bool job_failed(struct rmc_conn *conn)
{
	bool failed;

	spin_lock_irq(&conn->lock);
	failed = conn->job.err;
	spin_unlock_irq(&conn->lock);
	return failed;
}

static void job_done(struct rmc_conn *conn)
{
	enum rmc_reason_code code;
	enum rmc_job what;
	int err;

	spin_lock_irq(&conn->lock);
	what = conn->job.what;
	code = conn->job.code;
	err = conn->job.err;
	conn->job.what = RMC_JOB_NONE;
	spin_unlock_irq(&conn->lock);

	if (err)
		fail_code(conn, code, err);
	else if (what == RMC_JOB_UP && conn->state == RMC_CONN_CONNECT)
		conn_event(conn, RMC_CE_UP);
}

/* The clock for the peer's answer starts when the request has gone out. */
static void start_answer_clock(struct rmc_conn *conn, u64 now)
{
	u64 sent;

	if (conn->state != RMC_CONN_CONNECT || conn->answer_ms)
		return;
	spin_lock_irq(&conn->lock);
	sent = conn->cm.established ? 0 : conn->cm.sent_ns;
	spin_unlock_irq(&conn->lock);
	if (!sent)
		return;
	conn->answer_ms = rmc_answer_ms(conn->cfg.last_connect_us, conn->cfg.timeouts,
					conn->cfg.outage_ms, ms_left(conn, sent));
	conn->answer_ns = sent + conn->answer_ms * RMC_NS_PER_MS;
}

static void check_deadlines(struct rmc_conn *conn, u64 now)
{
	if (conn->flushed_ns && now >= conn->flushed_ns) {
		fail_code(conn, RMC_REASON_QP_ERROR, -EIO);
		return;
	}
	if (conn->answer_ns && now >= conn->answer_ns) {
		fail_code(conn, RMC_REASON_CONNECT_TIMEOUT, -ETIMEDOUT);
		return;
	}
	if (!conn->deadline_ns || conn->wait_ns || now < conn->deadline_ns)
		return;
	switch (conn->state) {
	case RMC_CONN_ADDR:
		fail_code(conn, RMC_REASON_ADDR_TIMEOUT, -ETIMEDOUT);
		break;
	case RMC_CONN_ROUTE:
		fail_code(conn, RMC_REASON_ROUTE_ERROR, -ETIMEDOUT);
		break;
	default:
		fail_code(conn, RMC_REASON_CONNECT_TIMEOUT, -ETIMEDOUT);
		break;
	}
}

static void take_failures(struct rmc_conn *conn, unsigned long facts)
{
	struct rmc_reason why;
	unsigned long fact;

	for (fact = RMC_FACT_ROUTE_ERROR; fact <= RMC_FACT_QP_EVENT; fact++) {
		if (!test_bit(fact, &facts) || fact == RMC_FACT_ESTABLISHED)
			continue;
		if (fact == RMC_FACT_CONSUMER) {
			why = (struct rmc_reason){ .code = RMC_REASON_CONSUMER,
						   .err = READ_ONCE(conn->consumer_err) };
			conn_fail(conn, &why);
		} else if (fact == RMC_FACT_QP_EVENT) {
			fail_code(conn, RMC_REASON_QP_ERROR, -EIO);
		} else {
			rmc_conn_cm_reason(conn, fact, &why);
			conn_fail(conn, &why);
		}
	}
}

static void probe_answered(struct rmc_conn *conn, u64 now)
{
	enum ib_wc_status status;
	u64 done;

	spin_lock_irq(&conn->lock);
	status = conn->probe.status;
	done = conn->probe.done_ns;
	spin_unlock_irq(&conn->lock);
	conn->probe.outstanding = false;
	switch (status) {
	case IB_WC_SUCCESS:
		conn->host->probed(conn->owner, conn, done);
		break;
	case IB_WC_WR_FLUSH_ERR:
		/* not the cause: whoever stopped the QP is about to say why */
		if (!conn->flushed_ns)
			conn->flushed_ns = now + FLUSH_GRACE_NS;
		break;
	case IB_WC_RETRY_EXC_ERR:
	case IB_WC_RNR_RETRY_EXC_ERR:
		conn->host->probed(conn->owner, conn, 0);
		fail_code(conn, RMC_REASON_PROBE_TIMEOUT, -ETIMEDOUT);
		break;
	default:
		conn->host->probed(conn->owner, conn, 0);
		fail_code(conn, RMC_REASON_QP_ERROR, -EIO);
		break;
	}
}

static void finish_up(struct rmc_conn *conn)
{
	if (conn->state != RMC_CONN_UP || !conn->deadline_ns)
		return;
	conn->deadline_ns = 0;
	conn->probe.kind = rmc_probe_kind_for(conn->cm.id->device, conn->cm.id->port_num,
					      conn->cm.peer_initiator);
}

/*
 * Facts are taken in the order in which a connection lives them, so that an
 * established connection whose loss was recorded meanwhile is seen as one that
 * was established and lost.
 */
void rmc_conn_run(struct rmc_conn *conn, u64 now)
{
	unsigned long facts = xchg(&conn->recorded, 0);

	lockdep_assert_held(conn->owner_lock);
	if (test_bit(RMC_FACT_JOB_DONE, &facts) && !job_failed(conn))
		job_done(conn);
	if (test_bit(RMC_FACT_ADDR_ERROR, &facts))
		addr_error(conn, now);
	if (test_bit(RMC_FACT_ADDR_OK, &facts))
		addr_ok(conn, now);
	if (test_bit(RMC_FACT_GRANTED, &facts))
		granted(conn, now);
	if (test_bit(RMC_FACT_ROUTE_OK, &facts))
		route_ok(conn);
	if (test_bit(RMC_FACT_ESTABLISHED, &facts))
		established(conn);
	take_failures(conn, facts);
	/* a job or a probe that failed may only feel what rdma_cm has told the cause of */
	if (test_bit(RMC_FACT_JOB_DONE, &facts) && job_failed(conn))
		job_done(conn);
	if (test_bit(RMC_FACT_PROBE, &facts))
		probe_answered(conn, now);
	start_answer_clock(conn, now);
	check_deadlines(conn, now);
	finish_up(conn);
	if (test_bit(RMC_FACT_FENCED, &facts))
		conn_event(conn, RMC_CE_FENCED);
	else if (conn->state == RMC_CONN_DRAIN)
		rmc_conn_fence(conn);
	else
		rmc_conn_job_start(conn);
}

u64 rmc_conn_next_ns(const struct rmc_conn *conn)
{
	u64 next = U64_MAX;

	if (conn->deadline_ns && !conn->wait_ns)
		next = conn->deadline_ns;
	if (conn->answer_ns)
		next = min(next, conn->answer_ns);
	if (conn->flushed_ns)
		next = min(next, conn->flushed_ns);
	return next;
}

/* Only while the state is UP, and the fence starts after it has left UP: the drain races nobody. */
int rmc_conn_probe(struct rmc_conn *conn)
{
	int ret;

	lockdep_assert_held(conn->owner_lock);
	if (conn->state != RMC_CONN_UP || conn->probe.outstanding)
		return -EBUSY;
	conn->probe.outstanding = true;
	ret = rmc_probe_post(&conn->probe.wr, conn->qp.qp, conn->probe.kind);
	if (ret)
		conn->probe.outstanding = false;
	trace_rmc_probe(&conn->cfg.who, ret);
	return ret;
}

/* What a connection request can carry beside the CM's own header. */
u8 rmc_conn_usable_private(bool iwarp)
{
	return iwarp ? RMC_PRIVATE_DATA_MAX : 56;
}
