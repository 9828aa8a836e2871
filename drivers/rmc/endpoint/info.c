// SPDX-License-Identifier: GPL-2.0
/* Snapshots for those who show. */
#include <linux/ktime.h>
#include <linux/module.h>
#include "endpoint/ep.h"
#include "logic/settings.h"

void rmc_stats_add(struct rmc_ep_stats *sum, const struct rmc_ep_stats *more)
{
	sum->attempts += more->attempts;
	sum->failures += more->failures;
	sum->connects += more->connects;
	sum->losses += more->losses;
	sum->probes += more->probes;
	sum->probe_errors += more->probe_errors;
	sum->suspects += more->suspects;
	sum->stalls += more->stalls;
	sum->wakeups += more->wakeups;
	sum->bad_events += more->bad_events;
	sum->orphans += more->orphans;
}

static void watch_info(struct rmc_path *path, struct rmc_path_info *info, u64 now)
{
	info->detect_ms = rmc_detect_effective_ms(path->set.detect_ms, path->where.iwarp);
	if (!path->watch.dev)
		return;
	rmc_dev_name(path->watch.dev, info->dev);
	info->detect_ms = path->watch.detect_ms;
	info->probe = path->watch.kind;
	if (path->watch.kind != RMC_PROBE_NONE)
		info->probe_interval_ms = div_u64(path->watch.det.interval_ns, RMC_NS_PER_MS);
	info->up_ms = max_t(u64, 1, div_u64(now - path->watch.up_ns, RMC_NS_PER_MS));
	info->stats.stalls += path->watch.det.stalls;
}

static void conns_info(struct rmc_path *path, struct rmc_path_info *info)
{
	unsigned int i;

	for (i = 0; i < path->nr_conns; i++)
		if (path->conns[i] && path->conns[i]->state == RMC_CONN_UP)
			info->conns_up++;
	for (i = 0; i < RMC_MAX_CONNS; i++)
		info->orphans += atomic_read(&path->orphans[i]);
	info->stats.orphans = info->orphans;
}

static void path_info(struct rmc_path *path, struct rmc_path_info *info)
{
	u64 now;

	memset(info, 0, sizeof(*info));
	mutex_lock(&path->lock);
	now = ktime_get_ns();
	if (!path->generation)
		path->host->settings(path->owner, &path->set);
	info->id = path->id;
	info->dst = path->attr.dst;
	info->src = path->where.known ? path->where.src : path->attr.src;
	strscpy(info->dev, path->where.dev, sizeof(info->dev));
	info->state = path->state;
	info->reason = path->reason;
	info->priority = path->attr.priority;
	info->weight = path->attr.weight ?: 1;
	info->down = path->attr.down;
	info->generation = path->generation;
	info->attempts = path->stats.attempts;
	info->failures = path->retry.failures;
	info->ack_timeout = path->set.ack_timeout ?: rmc_ack_timeout_for(path->set.detect_ms);
	info->depth = path->where.depth;
	info->usable_private_data =
		path->where.known ? rmc_conn_usable_private(path->where.iwarp) : -1;
	info->rtt_us = path->watch.rtt_us;
	info->connect_us = path->retry.connect_us;
	info->since_ns = path->since_ns;
	if (path->retry.due_ns > now)
		info->wait_ms = div_u64(path->retry.due_ns - now, RMC_NS_PER_MS) + 1;
	info->stats = path->stats;
	watch_info(path, info, now);
	conns_info(path, info);
	mutex_unlock(&path->lock);
}

/* The path with the lowest id not below @id, with a reference. */
static struct rmc_path *path_from(struct rmc_ep *ep, int id)
{
	struct rmc_path *found = NULL;
	unsigned int i;

	spin_lock_irq(&ep->lock);
	for (i = 0; i < RMC_MAX_PATHS; i++) {
		struct rmc_path *path = ep->paths[i];

		if (path && path->id >= id && (!found || path->id < found->id))
			found = path;
	}
	if (found)
		rmc_path_get(found);
	spin_unlock_irq(&ep->lock);
	return found;
}

int rmc_ep_path_info(struct rmc_ep *ep, int *id, struct rmc_path_info *info)
{
	struct rmc_path *path = path_from(ep, *id);

	if (!path)
		return -ENOENT;
	path_info(path, info);
	*id = path->id;
	rmc_path_put(path);
	return 0;
}

void rmc_ep_info(struct rmc_ep *ep, struct rmc_ep_info *info)
{
	struct rmc_path_info path;
	int id;

	memset(info, 0, sizeof(*info));
	for (id = 0; !rmc_ep_path_info(ep, &id, &path); id++) {
		rmc_stats_add(&info->stats, &path.stats);
		info->nr_paths++;
	}
	spin_lock_irq(&ep->lock);
	info->id = ep->id;
	strscpy(info->name, ep->attr.name, sizeof(info->name));
	info->mode = ep->attr.mode;
	info->role = RMC_ROLE_ACTIVE;
	info->state = ep->state;
	info->reason = ep->reason;
	info->preferred = ep->preferred;
	info->attr = ep->attr;
	info->since_ns = ep->since_ns;
	info->stats.bad_events += ep->misfits;
	rmc_stats_add(&info->stats, &ep->past);
	spin_unlock_irq(&ep->lock);
	if (!ep->user && ep->gate.ops->owner)
		info->consumer = ep->gate.ops->owner->name;
}

int rmc_dev_info(struct net *net, unsigned int n, struct rmc_dev_info *info)
{
	struct rmc_dev *dev = rmc_dev_nth(n);

	if (!dev)
		return -ENOENT;
	memset(info, 0, sizeof(*info));
	spin_lock_irq(&dev->lock);
	strscpy(info->name, dev->name, sizeof(info->name));
	info->alive = !dev->dead;
	info->paths = atomic_read(&dev->paths);
	info->attempts_per_s = dev->attempts.rate;
	info->attempts_waiting = dev->nr_waiting;
	info->orphans = dev->nr_orphans;
	spin_unlock_irq(&dev->lock);
	info->probes_per_s = rmc_dev_probes_per_s();
	rmc_dev_put(dev);
	return 0;
}
