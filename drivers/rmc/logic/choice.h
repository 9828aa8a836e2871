/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: path choice
 *
 * Which of an endpoint's paths takes the next piece of work. Only paths that
 * are UP are candidates; SUSPECT ones get nothing new.
 */
#ifndef RMC_LOGIC_CHOICE_H
#define RMC_LOGIC_CHOICE_H

#include "types.h"
#include <uapi/rdma/rmc.h>

struct rmc_candidate {
	int	id;
	bool	up;
	u32	priority;
	u32	weight;
	u32	inflight;
	u32	latency_us;	/* 0: not known */
};

/* State that a policy keeps between calls; zero it to start. */
struct rmc_choice {
	int	last_id;	/* plus one, so that zero means none */
	s64	credit[RMC_MAX_PATHS];	/* weighted: per slot in the candidate array */
	s64	total;	/* weighted: sum of the weights that the credits belong to */
};

/*
 * Returns the id of the chosen candidate or -1 if none is up.
 * failover: the lowest priority that is up, ties by lower id, so the choice
 *	never moves between equals.
 * round-robin: the next higher id that is up, wrapping.
 * min-inflight: fewest in flight, ties broken round-robin.
 * min-latency: lowest known latency, ties broken round-robin; an unknown one is
 *	tried first.
 * weighted: smooth weighted round-robin (each call every candidate gains its
 *	weight, the richest is taken and pays the sum; as nginx does). A weight
 *	of 0 counts as 1. A path that comes, goes or changes its weight starts
 *	the round again.
 */
int rmc_choose(enum rmc_policy policy, struct rmc_choice *state,
	       const struct rmc_candidate *c, unsigned int n);

#endif /* RMC_LOGIC_CHOICE_H */
