// SPDX-License-Identifier: GPL-2.0
/*
 * When a path is tried, one attempt, and what its end leads to.
 *
 * The wait before an attempt is counted from the begin of the one before. An
 * attempt that ran into its own deadline has thus waited already, and a peer
 * that came back is found within one deadline, not a deadline and a wait.
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <trace/events/rmc.h>
#include "logic/backoff.h"
#include "logic/settings.h"
#include "path/path.h"

/* Hints within this time of the last one change nothing: an attempt makes some itself. */
#define HINT_GAP_NS		(100 * RMC_NS_PER_MS)
/* A question unanswered for so long is given up when a link or address comes back. */
#define SUPERSEDE_NS		(100 * RMC_NS_PER_MS)

static u64 outage_ms(const struct rmc_path *path, u64 now)
{
	return path->retry.outage_ns ? div_u64(now - path->retry.outage_ns, RMC_NS_PER_MS) : 0;
}

/* What the end of a generation means for the path. */
static enum rmc_path_event end_event(enum rmc_reason_code code)
{
	switch (code) {
	case RMC_REASON_NO_DEVICE:
	case RMC_REASON_NO_ADDRESS:
	case RMC_REASON_DEVICE_REMOVED:
	case RMC_REASON_ADDR_REMOVED:
		return RMC_PE_ABSENT;
	case RMC_REASON_UNSUPPORTED:
		return RMC_PE_REFUSE;
	default:
		return RMC_PE_FAIL;
	}
}

/* The way has changed under an attempt or a path: that is nobody's failure. */
static bool is_change(enum rmc_reason_code code)
{
	return code == RMC_REASON_ADDR_CHANGE || code == RMC_REASON_SUPERSEDED;
}

void rmc_path_schedule(struct rmc_path *path, const struct rmc_reason *why, u64 now)
{
	const struct rmc_ep_attr *set = &path->set;
	u32 cap;

	if (path->state == RMC_PATH_WAITING) {
		/* what was missing may have come since the attempt looked for it */
		path->retry.due_ns = path->retry.hinted ? now :
				     now + RMC_WAITING_POLL_MS * RMC_NS_PER_MS;
		path->retry.hinted = false;
		return;
	}
	if (path->state != RMC_PATH_BACKOFF) {
		path->retry.due_ns = 0;
		return;
	}
	if (is_change(why->code)) {
		path->retry.due_ns = now;
		return;
	}
	cap = rmc_backoff_cap_ms(set->backoff_min_ms, set->backoff_max_ms,
				 max(path->retry.failures, 1U), outage_ms(path, now));
	path->retry.due_ns = max(now, path->retry.begin_ns +
				 rmc_backoff_jitter_ns(cap, get_random_u32()));
}

/* The generation is over, whether it was up or still an attempt. */
void rmc_path_ended(struct rmc_path *path, const struct rmc_reason *why, u64 now)
{
	enum rmc_path_event event = end_event(why->code);
	struct rmc_reason reason = *why;
	bool was_up = rmc_path_is_up(path);
	bool proven = path->watch.proven;

	if (!path->retry.outage_ns)
		path->retry.outage_ns = now;
	if (was_up) {
		path->stats.losses++;
		/* the wait is counted from the loss, not from when it once connected */
		path->retry.begin_ns = now;
	} else {
		path->stats.failures++;
		if (why->code == RMC_REASON_CONNECT_TIMEOUT)
			path->retry.timeouts++;
		else if (why->rej)
			path->retry.timeouts = 0;
	}
	if (event != RMC_PE_ABSENT && !is_change(why->code) && !(was_up && proven))
		WRITE_ONCE(path->retry.failures, path->retry.failures + 1);
	rmc_path_down(path, event, &reason, now);
	rmc_path_schedule(path, &reason, now);
	path->host->counted(path->owner, path);
}

void rmc_path_proven(struct rmc_path *path)
{
	if (path->watch.proven)
		return;
	path->watch.proven = true;
	path->retry.outage_ns = 0;
	WRITE_ONCE(path->retry.failures, 0);
	path->host->counted(path->owner, path);
}

static void begin(struct rmc_path *path, u64 now)
{
	path->host->settings(path->owner, &path->set);
	path->generation++;
	path->nr_conns = path->set.conns;
	path->stats.attempts++;
	path->retry.begin_ns = now;
	path->retry.due_ns = 0;
	path->retry.hinted = false;
	path->watch.proven = false;
	trace_rmc_attempt(path->ep_id, path->id, path->generation, path->retry.failures,
			  outage_ms(path, now));
}

static void conn_cfg(const struct rmc_path *path, unsigned int index, u64 now,
		     struct rmc_conn_cfg *cfg)
{
	const struct rmc_ep_attr *set = &path->set;

	*cfg = (struct rmc_conn_cfg){
		.net			= path->net,
		.who			= {
			.ep_id		= path->ep_id,
			.path_id	= path->id,
			.index		= index,
			.generation	= path->generation,
		},
		.src			= path->attr.src,
		.dst			= path->attr.dst,
		.want			= {
			.depth		= set->depth,
			.send_sge	= set->send_sge,
			.recv_sge	= set->recv_sge,
			.inline_bytes	= set->inline_bytes,
			.poll_ctx	= set->poll_ctx,
			.vector		= index,
		},
		.connect_ms		= set->connect_ms,
		.last_connect_us	= path->retry.connect_us,
		.timeouts		= path->retry.timeouts,
		.outage_ms		= outage_ms(path, now),
		.tos_set		= set->set & RMC_SET_TOS,
		.tos			= set->tos,
		.ack_timeout		= set->ack_timeout ?: rmc_ack_timeout_for(set->detect_ms),
		.rnr_timer		= set->rnr_timer,
		.retry_count		= set->retry_count,
		.responder_resources	= set->responder_resources,
		.initiator_depth	= set->initiator_depth,
		.private_data_len	= set->private_data_len,
	};
	memcpy(cfg->private_data, set->private_data, set->private_data_len);
}

static void start_conn(struct rmc_path *path, unsigned int index, u64 now)
{
	const struct rmc_reason why = { .code = RMC_REASON_RESOURCES, .err = -ENOMEM };
	struct rmc_conn_cfg cfg;
	struct rmc_conn *conn;

	conn_cfg(path, index, now, &cfg);
	conn = rmc_conn_create(&cfg, &rmc_path_conn_host, path, &path->lock, path->gate,
			       path->pds);
	if (!conn) {
		rmc_path_ended(path, &why, now);
		return;
	}
	path->conns[index] = conn;
	rmc_conn_start(conn, now);
}

/* Brings connections up in index order; the path is up when all are. */
static void advance(struct rmc_path *path, u64 now)
{
	const struct rmc_reason none = {};
	unsigned int i;

	/* the consumer is not to see two generations at a time */
	if (!list_empty(&path->draining))
		return;
	/* the core still holds what a slot had: wait for it to let go */
	if (!path->nr_conns && atomic_read(&path->orphans[0]) >= RMC_MAX_ORPHANS)
		return;
	if (!path->nr_conns)
		begin(path, now);
	for (i = 0; i < path->nr_conns; i++)
		if (!path->conns[i] || path->conns[i]->state != RMC_CONN_UP)
			break;
	if (i == path->nr_conns) {
		path->stats.connects++;
		path->retry.hinted = false;
		rmc_path_watch_start(path, now);
		rmc_path_event(path, RMC_PE_UP, &none, now);
		return;
	}
	if (!path->conns[i] && atomic_read(&path->orphans[i]) < RMC_MAX_ORPHANS)
		start_conn(path, i, now);
}

void rmc_path_attempt(struct rmc_path *path, u64 now)
{
	lockdep_assert_held(&path->lock);
	if ((path->state == RMC_PATH_BACKOFF || path->state == RMC_PATH_WAITING) &&
	    path->retry.due_ns && now >= path->retry.due_ns) {
		/* or the timer would fire without end while the last generation drains */
		path->retry.due_ns = 0;
		rmc_path_event(path, RMC_PE_DUE, &path->reason, now);
	}
	if (path->state == RMC_PATH_CONNECTING)
		advance(path, now);
}

/* Has the attempt been waiting for a while, for a link address or for the peer? */
static bool is_unanswered(const struct rmc_path *path, u64 now)
{
	unsigned int i;

	for (i = 0; i < path->nr_conns; i++) {
		const struct rmc_conn *conn = path->conns[i];

		if (!conn)
			continue;
		if (conn->state == RMC_CONN_ADDR && !conn->wait_ns &&
		    now > conn->start_ns + SUPERSEDE_NS)
			return true;
		if (conn->answer_ns &&
		    now + conn->answer_ms * RMC_NS_PER_MS > conn->answer_ns + SUPERSEDE_NS)
			return true;
	}
	return false;
}

void rmc_path_hinted(struct rmc_path *path, bool strong, u64 now)
{
	const struct rmc_reason why = { .code = RMC_REASON_SUPERSEDED, .err = -EAGAIN };

	/* in WAITING no attempt gets far enough to make any, and the last may be all there is */
	if (path->retry.hint_ns && now - path->retry.hint_ns < HINT_GAP_NS && !strong &&
	    path->state == RMC_PATH_BACKOFF)
		return;
	switch (path->state) {
	case RMC_PATH_WAITING:
	case RMC_PATH_BACKOFF:
		path->retry.due_ns = now;
		break;
	case RMC_PATH_CONNECTING:
		if (!strong || !is_unanswered(path, now)) {
			path->retry.hinted = true;
			return;
		}
		rmc_path_ended(path, &why, now);
		break;
	default:
		return;
	}
	path->retry.hint_ns = now;
	path->stats.wakeups++;
}

u64 rmc_path_attempt_next_ns(const struct rmc_path *path)
{
	return path->retry.due_ns ?: U64_MAX;
}
