/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RMC_PATH_STATS_H
#define RMC_PATH_STATS_H

#include <linux/types.h>

/* Counters of a path, and summed up those of an endpoint. */
struct rmc_ep_stats {
	u64	attempts;	/* attempts started: one brings up all connections of a path */
	u64	failures;	/* attempts that failed */
	u64	connects;	/* generations that came up */
	u64	losses;		/* generations lost after they were up */
	u64	probes;		/* probes sent */
	u64	probe_errors;	/* probes that could not be sent or completed in error */
	u64	suspects;	/* times a path became SUSPECT */
	u64	stalls;		/* late timers of this side that were forgiven */
	u64	wakeups;	/* attempts made due early by a hint of recovery */
	u64	bad_events;	/* (state, event) pairs not in the tables */
	u64	orphans;	/* connections that only the core still holds, now */
};

#endif /* RMC_PATH_STATS_H */
