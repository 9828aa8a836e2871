// SPDX-License-Identifier: GPL-2.0
/* A path: its work item, its state, its life and death. */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <trace/events/rmc.h>
#include "path/path.h"
#include "verbs/fault.h"
#include "verbs/wq.h"

static void path_release(struct kref *ref)
{
	struct rmc_path *path = container_of(ref, struct rmc_path, ref);

	path->host->put(path->owner);
	kfree_rcu(path, rcu);
}

void rmc_path_get(struct rmc_path *path)
{
	kref_get(&path->ref);
}

void rmc_path_put(struct rmc_path *path)
{
	kref_put(&path->ref, path_release);
}

void rmc_path_kick(struct rmc_path *path)
{
	/* a notifier may see a path whose last reference is gone */
	if (!kref_get_unless_zero(&path->ref))
		return;
	if (!queue_work(rmc_core_wq, &path->work))
		rmc_path_put(path);
}

void rmc_path_command(struct rmc_path *path, enum rmc_path_ask cmd)
{
	set_bit(cmd, &path->commands);
	rmc_path_kick(path);
}

void rmc_path_want(struct rmc_path *path, bool want)
{
	WRITE_ONCE(path->want, want);
	if (!want) {
		/* the end is not skipped when it is wanted again before the work has run */
		smp_store_release(&path->restart, true);
	}
	rmc_path_kick(path);
}

void rmc_path_close(struct rmc_path *path)
{
	WRITE_ONCE(path->closing, true);
	rmc_path_kick(path);
}

static void host_kick(void *owner)
{
	rmc_path_kick(owner);
}

static void host_get(void *owner)
{
	rmc_path_get(owner);
}

static void host_put(void *owner)
{
	rmc_path_put(owner);
}

static void host_reaped(void *owner, unsigned int index)
{
	struct rmc_path *path = owner;

	atomic_dec(&path->orphans[index]);
	rmc_path_kick(path);
}

/* Keeps what is known about where the path leads, also after the connection is gone. */
static void learn_where(struct rmc_path *path, struct rmc_conn *conn)
{
	spin_lock_irq(&conn->lock);
	path->where.src = conn->cm.src;
	path->where.port = conn->cm.port;
	path->where.iwarp = conn->cm.iwarp;
	WRITE_ONCE(path->where.ifindex, conn->cm.ifindex);
	spin_unlock_irq(&conn->lock);
	if (conn->dev.dev) {
		rmc_dev_name(conn->dev.dev, path->where.dev);
		WRITE_ONCE(path->where.ib, conn->dev.dev->ib);
		path->where.depth = rmc_qp_clamp_depth(conn->dev.dev->ib, conn->cfg.want.depth);
	}
	path->where.known = true;
}

static void learn_speed(struct rmc_path *path, struct rmc_conn *conn)
{
	spin_lock_irq(&conn->lock);
	path->retry.connect_us = max_t(u64, 1, div_u64(conn->cm.established_ns - conn->cm.sent_ns,
						       RMC_NS_PER_US));
	spin_unlock_irq(&conn->lock);
	path->retry.timeouts = 0;
}

static void host_moved(void *owner, struct rmc_conn *conn, enum rmc_conn_state from)
{
	struct rmc_path *path = owner;

	if (conn->state == RMC_CONN_ROUTE)
		learn_where(path, conn);
	else if (conn->state == RMC_CONN_UP)
		learn_speed(path, conn);
	path->host->conn_moved(path->owner, path, conn, from);
}

static void host_probed(void *owner, struct rmc_conn *conn, u64 done_ns)
{
	rmc_path_probed(owner, conn, done_ns);
}

static void host_misfit(void *owner, struct rmc_conn *conn, enum rmc_conn_event event)
{
	struct rmc_path *path = owner;

	path->stats.bad_events++;
	trace_rmc_misfit(path->ep_id, path->id, "conn", rmc_conn_state_name(conn->state),
			 rmc_conn_event_name(event));
}

const struct rmc_conn_host rmc_path_conn_host = {
	.kick	= host_kick,
	.get	= host_get,
	.put	= host_put,
	.reaped	= host_reaped,
	.moved	= host_moved,
	.probed	= host_probed,
	.misfit	= host_misfit,
};

/* The one writer of rmc_path.state (I1). */
bool rmc_path_event(struct rmc_path *path, enum rmc_path_event event,
		    const struct rmc_reason *why, u64 now)
{
	enum rmc_path_state from = path->state;
	int next = rmc_path_next(from, event);

	lockdep_assert_held(&path->lock);
	if (next == RMC_FSM_NONE) {
		path->stats.bad_events++;
		trace_rmc_misfit(path->ep_id, path->id, "path", rmc_path_state_name(from),
				 rmc_path_event_name(event));
		return false;
	}
	if (next == from)
		return true;
	path->reason = *why;
	path->since_ns = now;
	WRITE_ONCE(path->state, next);
	trace_rmc_path_state(path->ep_id, path->id, path->generation, from, next, why);
	path->host->changed(path->owner, path, from);
	return true;
}

static void retire(struct rmc_path *path, unsigned int index, enum rmc_reason_code code, int err)
{
	struct rmc_conn *conn = path->conns[index];

	if (!conn)
		return;
	path->conns[index] = NULL;
	list_add_tail(&conn->node, &path->draining);
	rmc_conn_abort(conn, code, err);
}

/* The connection in DRAIN that brought the generation down, if one did. */
static struct rmc_conn *find_culprit(struct rmc_path *path)
{
	unsigned int i;

	for (i = 0; i < path->nr_conns; i++)
		if (path->conns[i] && path->conns[i]->state == RMC_CONN_DRAIN)
			return path->conns[i];
	return NULL;
}

void rmc_path_down(struct rmc_path *path, enum rmc_path_event event,
		   const struct rmc_reason *why, u64 now)
{
	enum rmc_reason_code code = find_culprit(path) ? RMC_REASON_GENERATION : why->code;
	unsigned int i;

	lockdep_assert_held(&path->lock);
	rmc_path_watch_stop(path);
	rmc_path_pings_end(path, -ENOTCONN);
	for (i = 0; i < path->nr_conns; i++)
		retire(path, i, code, why->err);
	path->nr_conns = 0;
	rmc_path_event(path, event, why, now);
}

static void run_conns(struct rmc_path *path, u64 now)
{
	struct rmc_conn *conn, *next;
	unsigned int i;

	for (i = 0; i < path->nr_conns; i++)
		if (path->conns[i])
			rmc_conn_run(path->conns[i], now);
	conn = find_culprit(path);
	if (conn)
		rmc_path_ended(path, &conn->reason, now);
	list_for_each_entry_safe(conn, next, &path->draining, node) {
		rmc_conn_run(conn, now);
		if (conn->state != RMC_CONN_DEAD)
			continue;
		list_del(&conn->node);
		atomic_inc(&path->orphans[conn->cfg.who.index]);
		rmc_conn_reap(conn);
	}
}

static void take_wish(struct rmc_path *path, u64 now)
{
	const struct rmc_reason admin = { .code = RMC_REASON_ADMIN };
	/* a path given up on keeps its last cause */
	struct rmc_reason why = READ_ONCE(path->given_up) ? path->reason : admin;
	/* pairs with rmc_path_want() */
	bool restart = smp_load_acquire(&path->restart);
	bool want = READ_ONCE(path->want) && !READ_ONCE(path->closing);

	if (restart) {
		if (want)
			WRITE_ONCE(path->retry.failures, 0);
		/* old failures go before the flag that keeps the endpoint from counting them */
		smp_store_release(&path->restart, false);
	}
	if ((restart || !want) && path->state != RMC_PATH_DISABLED) {
		path->retry.due_ns = 0;
		rmc_path_down(path, RMC_PE_DISABLE, &why, now);
	}
	if (want && path->state == RMC_PATH_DISABLED) {
		WRITE_ONCE(path->retry.failures, 0);
		path->retry.timeouts = 0;
		path->retry.outage_ns = now;
		rmc_path_event(path, RMC_PE_ENABLE, &admin, now);
	}
}

static void take_commands(struct rmc_path *path, unsigned long cmds, u64 now)
{
	const struct rmc_reason admin = { .code = RMC_REASON_ADMIN };

	if (test_bit(RMC_ASK_TUNE, &cmds))
		rmc_path_watch_tune(path);
	if (test_bit(RMC_ASK_LOOK, &cmds))
		rmc_path_look(path, now);
	if (test_bit(RMC_ASK_RETRY, &cmds)) {
		if (path->state == RMC_PATH_REFUSED)
			rmc_path_event(path, RMC_PE_RETRY, &admin, now);
		else if (path->state == RMC_PATH_BACKOFF || path->state == RMC_PATH_WAITING)
			path->retry.due_ns = now;
	}
	if (test_bit(RMC_ASK_HINT_STRONG, &cmds))
		rmc_path_hinted(path, true, now);
	else if (test_bit(RMC_ASK_HINT, &cmds))
		rmc_path_hinted(path, false, now);
}

static u64 next_ns(struct rmc_path *path, u64 now)
{
	u64 next = min(rmc_path_attempt_next_ns(path), rmc_path_watch_next_ns(path, now));
	unsigned int i;

	for (i = 0; i < path->nr_conns; i++)
		if (path->conns[i])
			next = min(next, rmc_conn_next_ns(path->conns[i]));
	return next;
}

static void arm(struct rmc_path *path, u64 now)
{
	u64 next = next_ns(path, now);

	/* most runs of an attempt change nothing, and programming a timer is not cheap */
	if (next == path->armed_ns && hrtimer_is_queued(&path->timer))
		return;
	path->armed_ns = next;
	if (next == U64_MAX)
		hrtimer_try_to_cancel(&path->timer);
	else
		hrtimer_start(&path->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_SOFT);
}

/* True once: the path is at its end and nothing of the consumer's is left. */
static bool is_finished(struct rmc_path *path)
{
	/* .closing may have been set since take_wish() acted on it: ask the state as well */
	if (!READ_ONCE(path->closing) || path->closed || path->state != RMC_PATH_DISABLED ||
	    path->nr_conns || !list_empty(&path->draining))
		return false;
	path->closed = true;
	return true;
}

static void path_work(struct work_struct *work)
{
	struct rmc_path *path = container_of(work, struct rmc_path, work);
	unsigned long cmds;
	bool finished;
	u64 now;

	mutex_lock(&path->lock);
	now = ktime_get_ns();
	cmds = xchg(&path->commands, 0);
	run_conns(path, now);
	take_wish(path, now);
	take_commands(path, cmds, now);
	rmc_path_attempt(path, now);
	rmc_path_watch(path, test_bit(RMC_ASK_TIMER, &cmds), now);
	finished = is_finished(path);
	if (!path->closed)
		arm(path, now);
	mutex_unlock(&path->lock);

	if (finished) {
		rmc_wakeup_del(path);
		hrtimer_cancel(&path->timer);
		path->host->closed(path->owner, path);
	}
	rmc_path_put(path);
}

static enum hrtimer_restart path_timer(struct hrtimer *timer)
{
	struct rmc_path *path = container_of(timer, struct rmc_path, timer);

	rmc_path_command(path, RMC_ASK_TIMER);
	return HRTIMER_NORESTART;
}

struct rmc_path *rmc_path_create(const struct rmc_path_attr *attr, u32 ep_id, int id,
				 struct net *net, const struct rmc_path_host *host, void *owner,
				 struct rmc_gate *gate, struct rmc_pd_set *pds)
{
	struct rmc_path *path;

	path = rmc_fault(RMC_FAULT_PATH_ALLOC) ? NULL : kzalloc(sizeof(*path), GFP_KERNEL);
	if (!path)
		return NULL;
	kref_init(&path->ref);
	mutex_init(&path->lock);
	INIT_WORK(&path->work, path_work);
	hrtimer_setup(&path->timer, path_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	INIT_LIST_HEAD(&path->draining);
	INIT_LIST_HEAD(&path->pings);
	path->attr = *attr;
	path->ep_id = ep_id;
	path->id = id;
	path->net = net;
	path->host = host;
	path->owner = owner;
	path->gate = gate;
	path->pds = pds;
	path->since_ns = ktime_get_ns();
	host->get(owner);
	rmc_wakeup_add(path);
	return path;
}

void rmc_path_cancel(struct rmc_path *path)
{
	rmc_wakeup_del(path);
	mutex_lock(&path->lock);
	path->closed = true;
	mutex_unlock(&path->lock);
	hrtimer_cancel(&path->timer);
	rmc_path_put(path);
}
