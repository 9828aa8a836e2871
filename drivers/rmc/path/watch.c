// SPDX-License-Identifier: GPL-2.0
/* While a path is up: probes, and what they and the interface say. */
#include <linux/ktime.h>
#include <trace/events/rmc.h>
#include "logic/settings.h"
#include "path/path.h"

/* Probes go round the connections, so all of them must be able to carry one. */
static enum rmc_probe_kind common_kind(const struct rmc_path *path)
{
	unsigned int i;

	for (i = 0; i < path->nr_conns; i++)
		if (path->conns[i]->probe.kind == RMC_PROBE_NONE)
			return RMC_PROBE_NONE;
	return path->conns[0]->probe.kind;
}

void rmc_path_watch_start(struct rmc_path *path, u64 now)
{
	u64 interval;

	path->watch.kind = common_kind(path);
	path->watch.dev = path->conns[0]->dev.dev;
	rmc_dev_path_up(path->watch.dev, path->watch.kind != RMC_PROBE_NONE);
	path->watch.detect_ms = rmc_detect_effective_ms(path->set.detect_ms, path->where.iwarp);
	path->watch.turn = 0;
	path->watch.up_ns = now;
	path->watch.local_down = false;
	interval = rmc_dev_probe_interval_ns(path->watch.dev, path->watch.detect_ms);
	rmc_detector_start(&path->watch.det, path->watch.detect_ms, interval,
			   path->watch.kind != RMC_PROBE_NONE, now);
	/* it may have gone while the attempt was running */
	set_bit(RMC_ASK_LOOK, &path->commands);
	rmc_path_kick(path);
}

void rmc_path_watch_stop(struct rmc_path *path)
{
	if (!path->watch.dev)
		return;
	path->stats.stalls += path->watch.det.stalls;
	rmc_dev_path_down(path->watch.dev, path->watch.kind != RMC_PROBE_NONE);
	path->watch.dev = NULL;
}

/* The share of the device's probe budget changes with the paths that come and go. */
static void retune(struct rmc_path *path)
{
	rmc_detector_tune(&path->watch.det, path->watch.detect_ms,
			  rmc_dev_probe_interval_ns(path->watch.dev, path->watch.detect_ms));
}

/* detect_ms may change while the path is up; the rest waits for the next generation. */
void rmc_path_watch_tune(struct rmc_path *path)
{
	struct rmc_ep_attr set;

	path->host->settings(path->owner, &set);
	path->set.detect_ms = set.detect_ms;
	path->set.backoff_min_ms = set.backoff_min_ms;
	path->set.backoff_max_ms = set.backoff_max_ms;
	if (!path->watch.dev)
		return;
	path->watch.detect_ms = rmc_detect_effective_ms(set.detect_ms, path->where.iwarp);
	retune(path);
}

static void attach_pings(struct rmc_path *path)
{
	struct rmc_path_ping *ping;

	list_for_each_entry(ping, &path->pings, node)
		ping->sent = true;
}

static void answer_pings(struct rmc_path *path, u64 rtt_ns)
{
	struct rmc_path_ping *ping, *next;

	list_for_each_entry_safe(ping, next, &path->pings, node) {
		/* the probe that was answered went out before this one asked */
		if (!ping->sent)
			continue;
		list_del_init(&ping->node);
		ping->ret = path->id;
		ping->rtt_ns = rtt_ns;
		complete(&ping->done);
	}
}

void rmc_path_pings_end(struct rmc_path *path, int err)
{
	struct rmc_path_ping *ping, *next;

	list_for_each_entry_safe(ping, next, &path->pings, node) {
		list_del_init(&ping->node);
		ping->ret = err;
		complete(&ping->done);
	}
}

void rmc_path_probed(struct rmc_path *path, struct rmc_conn *conn, u64 done_ns)
{
	u64 rtt;

	if (!done_ns) {
		path->stats.probe_errors++;
		return;
	}
	if (!rmc_path_is_up(path) || path->conns[path->watch.asked] != conn)
		return;
	rtt = rmc_detector_answered(&path->watch.det, done_ns);
	path->watch.rtt_us = max_t(u64, 1, div_u64(rtt, RMC_NS_PER_US));
	trace_rmc_probe_answer(&conn->cfg.who, rtt);
	rmc_path_proven(path);
	answer_pings(path, rtt);
}

static void send_probe(struct rmc_path *path, u64 now)
{
	struct rmc_conn *conn = path->conns[path->watch.turn];
	int ret;

	path->watch.asked = path->watch.turn;
	path->watch.turn = (path->watch.turn + 1) % path->nr_conns;
	ret = rmc_conn_probe(conn);
	if (ret) {
		/* the slot is ours by right, so the queue is broken */
		path->stats.probe_errors++;
		rmc_conn_abort(conn, RMC_REASON_QP_ERROR, ret);
		rmc_path_ended(path, &conn->reason, now);
		return;
	}
	path->stats.probes++;
	retune(path);
	rmc_detector_sent(&path->watch.det, now);
	attach_pings(path);
}

static void take_proofs(struct rmc_path *path, u64 now)
{
	unsigned int i;
	u64 rx = 0;

	for (i = 0; i < path->nr_conns; i++)
		rx = max_t(u64, rx, atomic64_read(&path->conns[i]->rx_ns));
	if (rx) {
		rmc_detector_proof(&path->watch.det, rx);
		rmc_path_proven(path);
	}
	if (path->watch.kind == RMC_PROBE_NONE &&
	    now - path->watch.up_ns >= RMC_PROOF_MS * RMC_NS_PER_MS)
		rmc_path_proven(path);
}

/* Why the path is under suspicion: what is known of this side goes first. */
static void suspicion(const struct rmc_path *path, struct rmc_reason *why)
{
	why->code = path->watch.local_down ? RMC_REASON_CARRIER_LOST : RMC_REASON_PROBE_TIMEOUT;
	why->err = path->watch.local_down ? -ENETDOWN : -ETIMEDOUT;
	why->rej = 0;
}

void rmc_path_watch(struct rmc_path *path, bool scheduled, u64 now)
{
	const struct rmc_reason none = {};
	struct rmc_reason why;

	lockdep_assert_held(&path->lock);
	if (!path->watch.dev)
		return;
	take_proofs(path, now);
	suspicion(path, &why);
	switch (rmc_detector_check(&path->watch.det, now, scheduled)) {
	case RMC_VERDICT_OK:
		if (path->state == RMC_PATH_SUSPECT)
			rmc_path_event(path, RMC_PE_PROVEN, &none, now);
		break;
	case RMC_VERDICT_SUSPECT:
		if (path->state == RMC_PATH_SUSPECT)
			break;
		path->stats.suspects++;
		rmc_path_event(path, RMC_PE_SUSPECT, &why, now);
		break;
	case RMC_VERDICT_DOWN:
		rmc_path_ended(path, &why, now);
		return;
	}
	if (rmc_detector_wants_probe(&path->watch.det, now) ||
	    (!list_empty(&path->pings) && path->watch.kind != RMC_PROBE_NONE &&
	     !path->watch.det.sent_ns))
		send_probe(path, now);
}

u64 rmc_path_watch_next_ns(struct rmc_path *path, u64 now)
{
	u64 next;

	if (!path->watch.dev)
		return U64_MAX;
	next = rmc_detector_next(&path->watch.det, now);
	if (path->watch.kind == RMC_PROBE_NONE && !path->watch.proven)
		next = min(next, path->watch.up_ns + RMC_PROOF_MS * RMC_NS_PER_MS);
	return next;
}

int rmc_path_ping(struct rmc_path *path, u64 *rtt_ns, unsigned int timeout_ms)
{
	struct rmc_path_ping ping = {};
	long left;

	init_completion(&ping.done);
	mutex_lock(&path->lock);
	if (!rmc_path_is_up(path) || !path->watch.dev)
		ping.ret = -ENOTCONN;
	else if (path->watch.kind == RMC_PROBE_NONE)
		ping.ret = -EOPNOTSUPP;
	else
		list_add_tail(&ping.node, &path->pings);
	mutex_unlock(&path->lock);
	if (ping.ret)
		return ping.ret;

	rmc_path_command(path, RMC_ASK_PING);
	left = wait_for_completion_interruptible_timeout(&ping.done, msecs_to_jiffies(timeout_ms));
	if (left <= 0) {
		mutex_lock(&path->lock);
		if (!completion_done(&ping.done)) {
			list_del(&ping.node);
			ping.ret = left ? -EINTR : -ETIMEDOUT;
		}
		mutex_unlock(&path->lock);
	}
	*rtt_ns = ping.rtt_ns;
	return ping.ret;
}
