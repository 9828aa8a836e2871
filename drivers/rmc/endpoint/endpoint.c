// SPDX-License-Identifier: GPL-2.0
/* Endpoints: create, paths, connect, wait, close, destroy. */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include "endpoint/ep.h"
#include "verbs/fault.h"

/* The consumer that userspace has: it keeps the connections and uses none. */
static const struct rmc_ep_ops user_ops = { .owner = THIS_MODULE };

static void ep_release(struct kref *ref)
{
	struct rmc_ep *ep = container_of(ref, struct rmc_ep, ref);

	if (!ep->user)
		put_net(ep->net);
	kfree(ep);
}

void rmc_ep_get(struct rmc_ep *ep)
{
	kref_get(&ep->ref);
}

void rmc_ep_put(struct rmc_ep *ep)
{
	kref_put(&ep->ref, ep_release);
}

bool rmc_ep_is_user(const struct rmc_ep *ep)
{
	return ep->user;
}

static void path_owner_get(void *owner)
{
	rmc_ep_get(owner);
}

static void path_owner_put(void *owner)
{
	rmc_ep_put(owner);
}

static void path_settings(void *owner, struct rmc_ep_attr *set)
{
	struct rmc_ep *ep = owner;
	unsigned long flags;

	spin_lock_irqsave(&ep->lock, flags);
	*set = ep->attr;
	spin_unlock_irqrestore(&ep->lock, flags);
}

static void path_note(struct rmc_ep *ep, const struct rmc_path *path, struct rmc_note *note)
{
	note->ts_ns = ktime_get_ns();
	note->ep = ep->attr.name;
	note->ep_id = ep->id;
	note->path = path->id;
	note->generation = path->generation;
	rmc_note_send(ep->net, note);
}

static void path_changed(void *owner, struct rmc_path *path, enum rmc_path_state from)
{
	struct rmc_note note = { .kind = RMC_NOTE_PATH, .conn = -1, .from = from,
				 .to = path->state, .reason = path->reason };
	struct rmc_ep *ep = owner;
	unsigned long flags;

	path_note(ep, path, &note);
	spin_lock_irqsave(&ep->lock, flags);
	rmc_ep_evaluate(ep, &path->reason);
	spin_unlock_irqrestore(&ep->lock, flags);
}

static void path_counted(void *owner, struct rmc_path *path)
{
	struct rmc_ep *ep = owner;
	unsigned long flags;

	spin_lock_irqsave(&ep->lock, flags);
	rmc_ep_evaluate(ep, &path->reason);
	spin_unlock_irqrestore(&ep->lock, flags);
}

static void path_conn_moved(void *owner, struct rmc_path *path, const struct rmc_conn *conn,
			    enum rmc_conn_state from)
{
	struct rmc_note note = { .kind = RMC_NOTE_CONN, .conn = conn->cfg.who.index, .from = from,
				 .to = conn->state, .reason = conn->reason };

	path_note(owner, path, &note);
}

/*
 * The path's last word. The wake-up under the lock is the last that touches the
 * endpoint; the path's own reference keeps it until the path's memory goes.
 */
static void path_closed(void *owner, struct rmc_path *path)
{
	struct rmc_ep *ep = owner;
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&ep->lock, flags);
	for (i = 0; i < RMC_MAX_PATHS; i++)
		if (ep->paths[i] == path)
			ep->paths[i] = NULL;
	rmc_stats_add(&ep->past, &path->stats);
	ep->nr_open--;
	path->gone = true;
	wake_up_all(&ep->wait);
	spin_unlock_irqrestore(&ep->lock, flags);
	rmc_path_put(path);
}

static const struct rmc_path_host path_host = {
	.get		= path_owner_get,
	.put		= path_owner_put,
	.settings	= path_settings,
	.changed	= path_changed,
	.counted	= path_counted,
	.conn_moved	= path_conn_moved,
	.closed		= path_closed,
};

struct rmc_ep *rmc_ep_new(struct net *net, const struct rmc_ep_attr *attr,
			  const struct rmc_ep_ops *ops, void *priv, struct rmc_error *err)
{
	struct rmc_ep_attr set = *attr;
	struct rmc_ep *ep;
	int ret;

	rmc_ep_attr_defaults(&set);
	ret = rmc_ep_attr_check(&set, err);
	if (ret)
		return ERR_PTR(ret);
	ep = rmc_fault(RMC_FAULT_EP_ALLOC) ? NULL : kzalloc(sizeof(*ep), GFP_KERNEL);
	if (!ep)
		return ERR_PTR(-ENOMEM);
	kref_init(&ep->ref);
	ep->user = !ops;
	ep->net = ep->user ? net : get_net(net);
	ep->priv = priv;
	ep->attr = set;
	ep->since_ns = ktime_get_ns();
	mutex_init(&ep->config);
	spin_lock_init(&ep->lock);
	init_waitqueue_head(&ep->wait);
	rmc_gate_init(&ep->gate, ops ?: &user_ops);
	rmc_pd_set_init(&ep->pds);
	rmc_ep_state_init(ep);
	ret = rmc_ep_register(ep);
	if (ret) {
		if (err && ret == -EEXIST)
			err->msg = "an endpoint of this name exists";
		rmc_ep_put(ep);
		return ERR_PTR(ret);
	}
	return ep;
}

/* A reference to the path, or NULL. */
static struct rmc_path *path_find(struct rmc_ep *ep, int path_id)
{
	struct rmc_path *found = NULL;
	unsigned int i;

	spin_lock_irq(&ep->lock);
	for (i = 0; i < RMC_MAX_PATHS; i++) {
		if (!ep->paths[i] || ep->paths[i]->id != path_id)
			continue;
		found = ep->paths[i];
		rmc_path_get(found);
	}
	spin_unlock_irq(&ep->lock);
	return found;
}

/* Under config: a free slot, or -1. */
static int slot_find(const struct rmc_ep *ep)
{
	unsigned int i;

	for (i = 0; i < RMC_MAX_PATHS; i++)
		if (!ep->paths[i])
			return i;
	return -1;
}

static bool slot_take(struct rmc_ep *ep, int slot, struct rmc_path *path)
{
	const struct rmc_reason why = { .code = RMC_REASON_ADMIN };
	bool ok;

	spin_lock_irq(&ep->lock);
	ok = ep->state != RMC_EP_CLOSED;
	if (ok) {
		ep->paths[slot] = path;
		ep->nr_open++;
		rmc_ep_evaluate(ep, &why);
		if (rmc_ep_is_wanted(ep) && !path->attr.down)
			rmc_path_want(path, true);
	}
	spin_unlock_irq(&ep->lock);
	return ok;
}

int rmc_ep_path_add(struct rmc_ep *ep, const struct rmc_path_attr *attr, struct rmc_error *err)
{
	struct rmc_path *path;
	int slot, ret;

	ret = rmc_path_attr_check(attr, err);
	if (ret)
		return ret;
	mutex_lock(&ep->config);
	slot = slot_find(ep);
	if (slot < 0) {
		if (err)
			err->msg = "an endpoint has at most 8 paths";
		ret = -ENOSPC;
		goto out;
	}
	path = rmc_path_create(attr, ep->id, ep->next_path_id, ep->net, &path_host, ep,
			       &ep->gate, &ep->pds);
	if (!path) {
		ret = -ENOMEM;
		goto out;
	}
	if (!slot_take(ep, slot, path)) {
		rmc_path_cancel(path);
		ret = -ESHUTDOWN;
		goto out;
	}
	ret = ep->next_path_id++;
out:
	mutex_unlock(&ep->config);
	return ret;
}

int rmc_ep_path_set(struct rmc_ep *ep, int path_id, const struct rmc_path_attr *attr,
		    u32 mask, struct rmc_error *err)
{
	const struct rmc_reason why = { .code = RMC_REASON_ADMIN };
	struct rmc_path *path;
	int ret = 0;

	if (mask & RMC_PATH_SET_WEIGHT && !attr->weight) {
		if (err)
			err->msg = "weight must be at least 1";
		return -EINVAL;
	}
	mutex_lock(&ep->config);
	path = path_find(ep, path_id);
	if (!path) {
		if (err)
			err->msg = "the endpoint has no path of this id";
		ret = -ENOENT;
		goto out;
	}
	spin_lock_irq(&ep->lock);
	if (mask & RMC_PATH_SET_PRIORITY)
		WRITE_ONCE(path->attr.priority, attr->priority);
	if (mask & RMC_PATH_SET_WEIGHT)
		WRITE_ONCE(path->attr.weight, attr->weight);
	if (mask & RMC_PATH_SET_DOWN) {
		WRITE_ONCE(path->attr.down, attr->down);
		rmc_path_want(path, rmc_ep_is_wanted(ep) && !attr->down);
		/* an admin's word also ends a refusal */
		if (!attr->down)
			rmc_path_command(path, RMC_ASK_RETRY);
	}
	rmc_ep_evaluate(ep, &why);
	spin_unlock_irq(&ep->lock);
	rmc_path_put(path);
out:
	mutex_unlock(&ep->config);
	return ret;
}

int rmc_ep_path_del(struct rmc_ep *ep, int path_id, struct rmc_error *err)
{
	const struct rmc_reason why = { .code = RMC_REASON_ADMIN };
	struct rmc_path *path;
	unsigned int i;

	if (WARN_ON(rmc_gate_inside(&ep->gate)))
		return -EDEADLK;
	mutex_lock(&ep->config);
	path = path_find(ep, path_id);
	if (!path) {
		mutex_unlock(&ep->config);
		if (err)
			err->msg = "the endpoint has no path of this id";
		return -ENOENT;
	}
	spin_lock_irq(&ep->lock);
	for (i = 0; i < RMC_MAX_PATHS; i++)
		if (ep->paths[i] == path)
			ep->paths[i] = NULL;
	rmc_ep_evaluate(ep, &why);
	spin_unlock_irq(&ep->lock);
	mutex_unlock(&ep->config);

	rmc_path_close(path);
	wait_event(ep->wait, READ_ONCE(path->gone));
	rmc_path_put(path);
	return 0;
}

static bool has_path(const struct rmc_ep *ep)
{
	unsigned int i;

	for (i = 0; i < RMC_MAX_PATHS; i++)
		if (ep->paths[i])
			return true;
	return false;
}

int rmc_ep_start(struct rmc_ep *ep)
{
	const struct rmc_reason why = { .code = RMC_REASON_ADMIN };
	unsigned long flags;
	unsigned int i;
	int ret = 0;

	spin_lock_irqsave(&ep->lock, flags);
	if (ep->state == RMC_EP_CLOSED) {
		ret = -ESHUTDOWN;
	} else if (!has_path(ep)) {
		ret = -EINVAL;
	} else {
		rmc_ep_event(ep, RMC_EE_CONNECT, &why);
		for (i = 0; i < RMC_MAX_PATHS; i++)
			if (ep->paths[i])
				rmc_path_command(ep->paths[i], RMC_ASK_RETRY);
		rmc_ep_arm(ep);
	}
	spin_unlock_irqrestore(&ep->lock, flags);
	return ret;
}

int rmc_ep_stop(struct rmc_ep *ep)
{
	const struct rmc_reason why = { .code = RMC_REASON_ADMIN };
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&ep->lock, flags);
	if (ep->state == RMC_EP_CLOSED) {
		ret = -ESHUTDOWN;
	} else {
		rmc_ep_event(ep, RMC_EE_DISCONNECT, &why);
		rmc_ep_arm(ep);
	}
	spin_unlock_irqrestore(&ep->lock, flags);
	return ret;
}

/* -EAGAIN: nothing decided yet. */
static int wait_result(struct rmc_ep *ep)
{
	unsigned long flags;
	int ret = -EAGAIN;

	spin_lock_irqsave(&ep->lock, flags);
	switch (ep->state) {
	case RMC_EP_UP:
	case RMC_EP_DEGRADED:
		ret = 0;
		break;
	case RMC_EP_LOST:
		ret = ep->reason.err ?: -ETIMEDOUT;
		break;
	case RMC_EP_IDLE:
		ret = -ENOTCONN;
		break;
	case RMC_EP_CLOSED:
		ret = -ESHUTDOWN;
		break;
	default:
		break;
	}
	spin_unlock_irqrestore(&ep->lock, flags);
	return ret;
}

int rmc_ep_await(struct rmc_ep *ep, unsigned int timeout_ms)
{
	int ret = -EAGAIN;
	long left;

	might_sleep();
	left = wait_event_interruptible_timeout(ep->wait, (ret = wait_result(ep)) != -EAGAIN,
						msecs_to_jiffies(timeout_ms));
	if (left < 0)
		return -EINTR;
	return ret == -EAGAIN ? -ETIMEDOUT : ret;
}

int rmc_ep_ping(struct rmc_ep *ep, int path_id, u64 *rtt_ns, unsigned int timeout_ms)
{
	struct rmc_path *path;
	int ret;

	if (path_id < 0) {
		path_id = READ_ONCE(ep->preferred);
		if (path_id < 0)
			return -ENOTCONN;
	}
	path = path_find(ep, path_id);
	if (!path)
		return -ENOENT;
	ret = rmc_path_ping(path, rtt_ns, timeout_ms);
	rmc_path_put(path);
	return ret;
}

void rmc_ep_shut(struct rmc_ep *ep)
{
	const struct rmc_reason why = { .code = RMC_REASON_ADMIN };
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&ep->lock, flags);
	rmc_ep_event(ep, RMC_EE_CLOSE, &why);
	for (i = 0; i < RMC_MAX_PATHS; i++)
		if (ep->paths[i])
			rmc_path_close(ep->paths[i]);
	rmc_ep_arm(ep);
	spin_unlock_irqrestore(&ep->lock, flags);
}

static bool is_quiet(struct rmc_ep *ep)
{
	return !READ_ONCE(ep->nr_open) && rmc_ep_news_told(ep);
}

void rmc_ep_end(struct rmc_ep *ep)
{
	might_sleep();
	if (WARN_ON(rmc_gate_inside(&ep->gate)))
		return;
	if (!rmc_ep_unregister(ep))
		return;
	rmc_ep_shut(ep);
	wait_event(ep->wait, is_quiet(ep));
	rmc_ep_put(ep);
}
