/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: paths
 *
 * A path keeps one source/destination pair of an endpoint connected. All its
 * decisions are made in one work item, rmc_path.work, which never blocks and
 * never runs twice at a time. Whoever has something to say sets a command bit
 * (or a connection records a fact) and kicks it.
 *
 *	path.c		the work item, the state, life and death
 *	attempt.c	when to try, one attempt, how it ends
 *	watch.c		probes and what they say while the path is up
 *	look.c		is the local interface, address and port still there?
 *	wakeup.c	notifiers: hints of recovery and of local trouble
 *
 * Locking
 *	rmc_path.lock	a mutex over the work and over snapshots: all members
 *			marked [p]. Nothing that sleeps for long and no
 *			allocation that could wait for I/O happens under it.
 *			Taken before the endpoint's spinlock, never after.
 *	[c]		constant after creation
 *	[w]		WRITE_ONCE/READ_ONCE, any context
 *
 * References: the endpoint holds one until rmc_path_host.closed() has been
 * called, each connection holds one, a queued work holds one. A path holds its
 * owner. Memory is freed after an RCU grace period, for the notifiers walk all
 * paths under RCU.
 */
#ifndef RMC_PATH_H
#define RMC_PATH_H

#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>
#include <rdma/rmc.h>
#include "conn/conn.h"
#include "logic/detector.h"
#include "path/stats.h"

/* Connections of one slot that the core may still hold while another is tried. */
#define RMC_MAX_ORPHANS		2
/* Without any other proof, being up for so long is one (invariant I7). */
#define RMC_PROOF_MS		10000
/* A path that waits for a device looks by itself this often, hints or not. */
#define RMC_WAITING_POLL_MS	5000

/* Bits of rmc_path.commands. */
enum rmc_path_ask {
	RMC_ASK_TIMER,		/* the timer fired */
	RMC_ASK_RETRY,		/* an admin's word: end a refusal, do not wait */
	RMC_ASK_TUNE,		/* settings changed */
	RMC_ASK_HINT,		/* something hints at recovery */
	RMC_ASK_HINT_STRONG,	/* a link, an address or a device came back */
	RMC_ASK_LOOK,		/* look at the local interface, address and port */
	RMC_ASK_PING,		/* somebody waits for a round trip */
};

struct rmc_path;

/* What the owner gives at creation; upward calls go only through it. */
struct rmc_path_host {
	void (*get)(void *owner);
	void (*put)(void *owner);
	/* under the path's lock: copy the settings that hold now */
	void (*settings)(void *owner, struct rmc_ep_attr *set);
	/* under the path's lock, must not sleep: the state is not @from any more */
	void (*changed)(void *owner, struct rmc_path *path, enum rmc_path_state from);
	/* the same: an attempt failed or the path was proven; counts have changed */
	void (*counted)(void *owner, struct rmc_path *path);
	/* the same: a connection's state is not @from any more */
	void (*conn_moved)(void *owner, struct rmc_path *path, const struct rmc_conn *conn,
			   enum rmc_conn_state from);
	/* process context, no lock: last call, the consumer will hear nothing more */
	void (*closed)(void *owner, struct rmc_path *path);
};

struct rmc_path {
	struct kref			ref;
	struct rcu_head			rcu;
	struct list_head		wake_node;	/* wakeup.c's list */
	const struct rmc_path_host	*host;		/* [c] */
	void				*owner;		/* [c] */
	struct rmc_gate			*gate;		/* [c] */
	struct rmc_pd_set		*pds;		/* [c] */
	struct net			*net;		/* [c] valid until closed */
	u32				ep_id;		/* [c] */
	int				id;		/* [c] */
	struct rmc_path_attr		attr;		/* dst, src [c]; the rest [w] */

	struct mutex			lock;		/* protects what is [p] */
	struct work_struct		work;
	struct hrtimer			timer;
	u64				armed_ns;	/* [p] when .timer fires */
	unsigned long			commands;	/* atomic bits, enum rmc_path_ask */
	bool				want;		/* [w] the endpoint wants it up */
	bool				restart;	/* [w] it did not meanwhile */
	bool				given_up;	/* [w] for the endpoint is LOST */
	bool				closing;	/* [w] */
	bool				closed;		/* [p] host->closed() has been called */
	bool				gone;		/* the owner's: it has come */

	enum rmc_path_state		state;		/* [p], others READ_ONCE */
	struct rmc_reason		reason;		/* [p] */
	u64				since_ns;	/* [p] */
	u32				generation;	/* [p] */
	struct rmc_ep_attr		set;		/* [p] settings of this generation */
	unsigned int			nr_conns;	/* [p] 0: no attempt has begun */
	struct rmc_conn			*conns[RMC_MAX_CONNS];	/* [p] this generation's */
	struct list_head		draining;	/* [p] of earlier ones, not fenced yet */
	atomic_t			orphans[RMC_MAX_CONNS];

	struct {
		u64	begin_ns;	/* [p] of the attempt that runs */
		u64	due_ns;		/* [p] of the next, 0: none */
		u64	outage_ns;	/* [p] since when there is no proven path, 0: there is */
		u64	hint_ns;	/* [p] when a hint last made an attempt due */
		bool	hinted;		/* [p] a hint came while the attempt was running */
		u32	failures;	/* [p], others READ_ONCE: in a row */
		u32	timeouts;	/* [p] in a row */
		u32	connect_us;	/* [p] last successful exchange */
	} retry;

	struct {
		struct rmc_detector	det;		/* [p] */
		struct rmc_dev		*dev;		/* [p] while it is watched */
		enum rmc_probe_kind	kind;		/* [p] */
		u32			detect_ms;	/* [p] effective */
		unsigned int		turn;		/* [p] whose probe is next */
		unsigned int		asked;		/* [p] whose probe is out */
		u64			up_ns;		/* [p] */
		u32			rtt_us;		/* [p] */
		bool			proven;		/* [p] */
		bool			local_down;	/* [p] carrier or port is down */
	} watch;

	/* Where the last attempt led to; [p], ifindex and ib also [w] for matching. */
	struct {
		char			dev[IB_DEVICE_NAME_MAX];
		struct ib_device	*ib;		/* to compare only */
		struct sockaddr_storage	src;
		int			ifindex;
		u32			port;
		bool			iwarp;
		bool			known;
		u32			depth;
	} where;

	struct list_head		pings;		/* [p] struct rmc_path_ping */
	struct rmc_ep_stats		stats;		/* [p] */
};

/* Somebody who waits for one round trip; lives on its stack. */
struct rmc_path_ping {
	struct list_head	node;
	struct completion	done;
	bool			sent;
	int			ret;
	u64			rtt_ns;
};

/* path.c */
struct rmc_path *rmc_path_create(const struct rmc_path_attr *attr, u32 ep_id, int id,
				 struct net *net, const struct rmc_path_host *host, void *owner,
				 struct rmc_gate *gate, struct rmc_pd_set *pds);
/* For a path that was created and never used: no callback follows. */
void rmc_path_cancel(struct rmc_path *path);
void rmc_path_get(struct rmc_path *path);
void rmc_path_put(struct rmc_path *path);
/* Any context, with a reference or under RCU. */
void rmc_path_kick(struct rmc_path *path);
void rmc_path_command(struct rmc_path *path, enum rmc_path_ask cmd);
/* Whether it shall be up; takes effect in the path's work. */
void rmc_path_want(struct rmc_path *path, bool want);
/* Starts the end; host->closed() follows once. */
void rmc_path_close(struct rmc_path *path);
extern const struct rmc_conn_host rmc_path_conn_host;
bool rmc_path_event(struct rmc_path *path, enum rmc_path_event event,
		    const struct rmc_reason *why, u64 now);
/* Ends the generation, whatever it was doing. */
void rmc_path_down(struct rmc_path *path, enum rmc_path_event event,
		   const struct rmc_reason *why, u64 now);
/* Waits for a round trip. -ENOTCONN, -EOPNOTSUPP, -ETIMEDOUT, -EINTR. */
int rmc_path_ping(struct rmc_path *path, u64 *rtt_ns, unsigned int timeout_ms);

static inline bool rmc_path_is_up(const struct rmc_path *path)
{
	return path->state == RMC_PATH_UP || path->state == RMC_PATH_SUSPECT;
}

/* attempt.c */
void rmc_path_attempt(struct rmc_path *path, u64 now);
void rmc_path_ended(struct rmc_path *path, const struct rmc_reason *why, u64 now);
void rmc_path_hinted(struct rmc_path *path, bool strong, u64 now);
void rmc_path_proven(struct rmc_path *path);
void rmc_path_schedule(struct rmc_path *path, const struct rmc_reason *why, u64 now);
u64 rmc_path_attempt_next_ns(const struct rmc_path *path);

/* watch.c */
void rmc_path_watch_start(struct rmc_path *path, u64 now);
void rmc_path_watch_stop(struct rmc_path *path);
void rmc_path_watch(struct rmc_path *path, bool scheduled, u64 now);
void rmc_path_watch_tune(struct rmc_path *path);
void rmc_path_probed(struct rmc_path *path, struct rmc_conn *conn, u64 done_ns);
void rmc_path_pings_end(struct rmc_path *path, int err);
u64 rmc_path_watch_next_ns(struct rmc_path *path, u64 now);

/* look.c */
void rmc_path_look(struct rmc_path *path, u64 now);

/* wakeup.c */
int rmc_wakeup_init(void);
void rmc_wakeup_exit(void);
void rmc_wakeup_add(struct rmc_path *path);
void rmc_wakeup_del(struct rmc_path *path);

#endif /* RMC_PATH_H */
