/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: inside of endpoints
 *
 *	endpoint.c	create, paths, connect, wait, close, destroy
 *	state.c		the state, its timers, and what the consumer is told
 *	config.c	attributes: defaults, checks, changes
 *	registry.c	names and ids, namespaces, the end of all
 *	info.c		snapshots
 *	note.c		events for userspace
 *
 * Locking
 *	rmc_ep.config	mutex: adding, changing and deleting paths
 *	rmc_ep.lock	spinlock, any context: all members marked [l]. Taken
 *			inside a path's lock, never around it.
 *	registry mutex	names and ids; taken before rmc_ep.config
 *	[c]		constant after creation
 *
 * References: the creator's, which rmc_ep_end() drops; one for each path as
 * long as the path's memory exists; one for each lookup. An endpoint made by the
 * kernel holds its network namespace; one of userspace does not, and goes with
 * the namespace.
 */
#ifndef RMC_EP_H
#define RMC_EP_H

#include <linux/kref.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "conn/gate.h"
#include "endpoint/endpoint.h"
#include "logic/choice.h"
#include "logic/fsm.h"
#include "path/path.h"

/* News that may wait for a slow consumer. */
#define RMC_NEWS_MAX	32

/* One thing to tell the consumer. */
struct rmc_news {
	bool			is_state;	/* else: the preferred path */
	enum rmc_ep_state	from;
	enum rmc_ep_state	to;
	struct rmc_reason	why;
	int			path_id;
};

struct rmc_ep {
	struct kref		ref;
	struct hlist_node	name_node;	/* registry */
	u32			id;		/* [c] */
	bool			user;		/* [c] made by userspace */
	struct net		*net;		/* [c] */
	struct rmc_gate		gate;
	struct rmc_pd_set	pds;
	void			*priv;		/* [c] the consumer's */

	struct mutex		config;		/* paths come, change and go */
	int			next_path_id;	/* config */

	spinlock_t		lock;		/* protects what is [l] */
	struct rmc_ep_attr	attr;		/* [l] */
	enum rmc_ep_state	state;		/* [l], others READ_ONCE */
	struct rmc_reason	reason;		/* [l] */
	u64			since_ns;	/* [l] */
	u64			none_ns;	/* [l] since when no path is up, 0: one is */
	struct rmc_path		*paths[RMC_MAX_PATHS];	/* [l], changed under config too */
	unsigned int		nr_open;	/* [l] paths whose end has not come yet */
	int			preferred;	/* [l], others READ_ONCE */
	struct rmc_choice	choice;		/* [l] */
	struct rmc_ep_stats	past;		/* [l] of paths that are gone */
	u64			misfits;	/* [l] */

	struct delayed_work	timeout;

	struct {
		struct work_struct	work;
		struct rmc_news		ring[RMC_NEWS_MAX];	/* [l] */
		unsigned int		head;			/* [l] oldest */
		unsigned int		count;			/* [l] */
		bool			busy;			/* [l] an op runs */
	} news;

	wait_queue_head_t	wait;		/* state, paths closed, news told */
};

void rmc_ep_get(struct rmc_ep *ep);

/* state.c; all under ep->lock */
bool rmc_ep_event(struct rmc_ep *ep, enum rmc_ep_event event, const struct rmc_reason *why);
void rmc_ep_evaluate(struct rmc_ep *ep, const struct rmc_reason *why);
bool rmc_ep_is_wanted(const struct rmc_ep *ep);
/* state.c */
void rmc_ep_state_init(struct rmc_ep *ep);
void rmc_ep_arm(struct rmc_ep *ep);
bool rmc_ep_news_told(struct rmc_ep *ep);

/* config.c */
void rmc_ep_attr_defaults(struct rmc_ep_attr *attr);

/* registry.c */
int rmc_ep_register(struct rmc_ep *ep);
/* True for the one caller that took it out. */
bool rmc_ep_unregister(struct rmc_ep *ep);
int rmc_registry_init(void);
void rmc_registry_exit(void);

/* info.c */
void rmc_stats_add(struct rmc_ep_stats *sum, const struct rmc_ep_stats *more);

#endif /* RMC_EP_H */
