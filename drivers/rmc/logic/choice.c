// SPDX-License-Identifier: GPL-2.0
/* Which path takes the next piece of work. */
#include "types.h"
#include "choice.h"

/*
 * How far @id is behind the last choice when ids are walked upwards and round:
 * the lower, the sooner it is its turn. Ids are never negative.
 */
static u32 turn(const struct rmc_choice *state, int id)
{
	/* last_id is the last choice plus one; u32 makes lower ids wrap behind */
	return (u32)id - (u32)state->last_id;
}

/* What each policy minimises before it looks at whose turn it is. */
static u32 cost(enum rmc_policy policy, const struct rmc_candidate *c)
{
	switch (policy) {
	case RMC_POLICY_MIN_INFLIGHT:
		return c->inflight;
	case RMC_POLICY_MIN_LATENCY:
		return c->latency_us;	/* not known is 0, so it comes first */
	case RMC_POLICY_FAILOVER:
		return c->priority;
	default:
		return 0;
	}
}

static int choose_cheapest(enum rmc_policy policy, const struct rmc_choice *state,
			   const struct rmc_candidate *c, unsigned int n)
{
	u32 best_cost = 0, best_turn = 0;
	unsigned int i;
	int best = -1;

	for (i = 0; i < n; i++) {
		u32 my_cost = cost(policy, &c[i]);
		/* failover must not move between equals, so it has no turns */
		u32 my_turn = policy == RMC_POLICY_FAILOVER ? (u32)c[i].id : turn(state, c[i].id);

		if (!c[i].up)
			continue;
		if (best >= 0 && (my_cost > best_cost ||
				  (my_cost == best_cost && my_turn >= best_turn)))
			continue;
		best = c[i].id;
		best_cost = my_cost;
		best_turn = my_turn;
	}
	return best;
}

/* Zero means the default, as everywhere; a path that is up is never starved. */
static s64 weight(const struct rmc_candidate *c)
{
	return c->weight ? c->weight : 1;
}

/*
 * Credits mean something only among the paths and weights that they grew with.
 * Left over from others, a path would pay for them with a long silence or a
 * burst.
 */
static bool credit_is_stale(const struct rmc_choice *state, const struct rmc_candidate *c,
			    unsigned int n, s64 total)
{
	unsigned int i;

	if (total != state->total)
		return true;
	for (i = 0; i < RMC_MAX_PATHS; i++)
		if (state->credit[i] && (i >= n || !c[i].up))
			return true;
	return false;
}

static int choose_weighted(struct rmc_choice *state, const struct rmc_candidate *c,
			   unsigned int n)
{
	unsigned int i, best = n;
	s64 total = 0;

	for (i = 0; i < n; i++)
		total += c[i].up ? weight(&c[i]) : 0;
	if (credit_is_stale(state, c, n, total)) {
		for (i = 0; i < RMC_MAX_PATHS; i++)
			state->credit[i] = 0;
		state->total = total;
	}

	for (i = 0; i < n; i++) {
		if (!c[i].up)
			continue;
		state->credit[i] += weight(&c[i]);
		if (best == n || state->credit[i] > state->credit[best])
			best = i;
	}
	if (best == n)
		return -1;
	state->credit[best] -= total;
	return c[best].id;
}

int rmc_choose(enum rmc_policy policy, struct rmc_choice *state,
	       const struct rmc_candidate *c, unsigned int n)
{
	int id;

	if (n > RMC_MAX_PATHS)
		n = RMC_MAX_PATHS;
	if (policy == RMC_POLICY_WEIGHTED)
		id = choose_weighted(state, c, n);
	else
		id = choose_cheapest(policy, state, c, n);
	if (id >= 0)
		state->last_id = id + 1;
	return id;
}
