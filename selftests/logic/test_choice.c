// SPDX-License-Identifier: GPL-2.0
/* Path choice: what each policy promises. */
#include "test.h"
#include "choice.h"

static const enum rmc_policy policies[] = {
	RMC_POLICY_MIN_INFLIGHT, RMC_POLICY_ROUND_ROBIN, RMC_POLICY_MIN_LATENCY,
	RMC_POLICY_WEIGHTED, RMC_POLICY_FAILOVER,
};

/* Ids have gaps, as they do once paths have been deleted. */
static unsigned int random_paths(struct rmc_candidate *c)
{
	unsigned int i, n = rnd_range(1, RMC_MAX_PATHS);
	int id = rnd() % 5;

	for (i = 0; i < n; i++) {
		c[i] = (struct rmc_candidate) {
			.id = id,
			.up = rnd_chance(60),
			.priority = rnd() % 3,
			.weight = rnd() % 20,
			.inflight = rnd() % 4,
			.latency_us = rnd() % 4,
		};
		id += rnd_range(1, 4);
	}
	return n;
}

static const struct rmc_candidate *by_id(const struct rmc_candidate *c, unsigned int n, int id)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (c[i].id == id)
			return &c[i];
	return NULL;
}

static void only_a_path_that_is_up_is_chosen(void **state)
{
	struct rmc_candidate c[RMC_MAX_PATHS];
	struct rmc_choice choice = {};
	unsigned int i, n, up;
	int round, id;

	for (round = 0; round < 100000; round++) {
		n = random_paths(c);
		for (i = 0, up = 0; i < n; i++)
			up += c[i].up;
		/* policies change live and share the state */
		id = rmc_choose(policies[rnd() % ARRAY_SIZE(policies)], &choice, c, n);
		if (up)
			assert_true(by_id(c, n, id) && by_id(c, n, id)->up);
		else
			assert_int_equal(id, -1);
	}
}

static void no_paths_is_no_choice(void **state)
{
	struct rmc_choice choice = {};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		assert_int_equal(rmc_choose(policies[i], &choice, NULL, 0), -1);
}

static void failover_takes_the_lowest_priority_then_the_lowest_id(void **state)
{
	struct rmc_candidate c[RMC_MAX_PATHS];
	struct rmc_choice choice = {};
	unsigned int i, n;
	int round, id;

	for (round = 0; round < 50000; round++) {
		n = random_paths(c);
		id = rmc_choose(RMC_POLICY_FAILOVER, &choice, c, n);
		for (i = 0; i < n; i++) {
			const struct rmc_candidate *chosen = by_id(c, n, id);

			if (!c[i].up)
				continue;
			assert_true(chosen->priority <= c[i].priority);
			if (chosen->priority == c[i].priority)
				assert_true(chosen->id <= c[i].id);
		}
	}
}

static void failover_moves_only_for_a_reason(void **state)
{
	struct rmc_candidate c[] = {
		{ .id = 0, .up = true, .priority = 1 },
		{ .id = 1, .up = true, .priority = 1 },
		{ .id = 2, .up = true, .priority = 9 },
	};
	struct rmc_choice choice = {};
	int i;

	for (i = 0; i < 100; i++) {
		/* load and latency are no reasons */
		c[0].inflight = rnd();
		c[0].latency_us = rnd();
		c[1].up = rnd_chance(50);
		c[2].up = rnd_chance(50);
		assert_int_equal(rmc_choose(RMC_POLICY_FAILOVER, &choice, c, 3), 0);
	}
	c[0].up = false;
	c[1].up = true;
	assert_int_equal(rmc_choose(RMC_POLICY_FAILOVER, &choice, c, 3), 1);
	c[1].up = false;
	c[2].up = true;
	assert_int_equal(rmc_choose(RMC_POLICY_FAILOVER, &choice, c, 3), 2);
	c[0].up = true;
	assert_int_equal(rmc_choose(RMC_POLICY_FAILOVER, &choice, c, 3), 0);
}

static void round_robin_visits_each_path_once_a_round(void **state)
{
	struct rmc_candidate c[RMC_MAX_PATHS];
	int round;

	for (round = 0; round < 5000; round++) {
		unsigned int i, n = random_paths(c), up = 0, seen = 0;
		struct rmc_choice choice = { .last_id = rnd() % 40 };
		int id, last = -1, wraps = 0;

		for (i = 0; i < n; i++)
			up += c[i].up;
		for (i = 0; i < up; i++) {
			id = rmc_choose(RMC_POLICY_ROUND_ROBIN, &choice, c, n);
			assert_false(seen & 1U << (by_id(c, n, id) - c));
			seen |= 1U << (by_id(c, n, id) - c);
			wraps += id < last;
			last = id;
		}
		assert_true(wraps <= 1);
	}
}

static void min_inflight_levels_the_load(void **state)
{
	struct rmc_candidate c[4] = {
		{ .id = 0, .up = true }, { .id = 1, .up = true, .inflight = 7 },
		{ .id = 2, .up = true, .inflight = 3 }, { .id = 3, .up = false },
	};
	struct rmc_choice choice = {};
	int i;

	for (i = 0; i < 11; i++)
		c[rmc_choose(RMC_POLICY_MIN_INFLIGHT, &choice, c, 4)].inflight++;
	/* 0 + 7 + 3 + 11 = 21 = 3 x 7 */
	for (i = 0; i < 3; i++)
		assert_int_equal(c[i].inflight, 7);
	assert_int_equal(c[3].inflight, 0);
}

static void idle_paths_share_what_min_inflight_gives(void **state)
{
	struct rmc_candidate c[] = {
		{ .id = 3, .up = true }, { .id = 5, .up = true }, { .id = 9, .up = true },
	};
	struct rmc_choice choice = {};
	int i;

	/* one request at a time, each done before the next */
	for (i = 0; i < 12; i++)
		assert_int_equal(rmc_choose(RMC_POLICY_MIN_INFLIGHT, &choice, c, 3), c[i % 3].id);
}

static void min_latency_tries_the_unknown_first_then_takes_the_fastest(void **state)
{
	struct rmc_candidate c[] = {
		{ .id = 0, .up = true, .latency_us = 50 },
		{ .id = 1, .up = true },
		{ .id = 2, .up = true, .latency_us = 20 },
		{ .id = 3, .up = false, .latency_us = 1 },
	};
	struct rmc_choice choice = {};

	assert_int_equal(rmc_choose(RMC_POLICY_MIN_LATENCY, &choice, c, 4), 1);
	c[1].latency_us = 40;
	assert_int_equal(rmc_choose(RMC_POLICY_MIN_LATENCY, &choice, c, 4), 2);
	assert_int_equal(rmc_choose(RMC_POLICY_MIN_LATENCY, &choice, c, 4), 2);
	c[2].latency_us = 60;
	assert_int_equal(rmc_choose(RMC_POLICY_MIN_LATENCY, &choice, c, 4), 1);
}

static void weights_are_kept_exactly_over_each_cycle(void **state)
{
	int round;

	for (round = 0; round < 500; round++) {
		struct rmc_candidate c[RMC_MAX_PATHS];
		unsigned int i, n = random_paths(c), k, total = 0;
		u32 taken[RMC_MAX_PATHS] = {};
		struct rmc_choice choice = {};

		c[0].up = true;
		for (i = 0; i < n; i++) {
			c[i].weight = c[i].weight ? c[i].weight : 1;
			total += c[i].up ? c[i].weight : 0;
		}
		for (k = 0; k < 3 * total; k++) {
			int id = rmc_choose(RMC_POLICY_WEIGHTED, &choice, c, n);

			taken[by_id(c, n, id) - c]++;
		}
		for (i = 0; i < n; i++)
			assert_int_equal(taken[i], c[i].up ? 3 * c[i].weight : 0);
	}
}

static void weighted_turns_are_spread_not_bunched(void **state)
{
	struct rmc_candidate c[] = {
		{ .id = 0, .up = true, .weight = 5 },
		{ .id = 1, .up = true, .weight = 1 },
		{ .id = 2, .up = true, .weight = 1 },
	};
	struct rmc_choice choice = {};
	int i, run = 0;

	for (i = 0; i < 700; i++) {
		run = rmc_choose(RMC_POLICY_WEIGHTED, &choice, c, 3) ? 0 : run + 1;
		assert_true(run <= 4);
	}
}

static void a_weight_of_zero_is_one(void **state)
{
	struct rmc_candidate c[] = {
		{ .id = 0, .up = true }, { .id = 1, .up = true, .weight = 3 },
	};
	struct rmc_choice choice = {};
	int i, first = 0;

	for (i = 0; i < 400; i++)
		first += !rmc_choose(RMC_POLICY_WEIGHTED, &choice, c, 2);
	assert_int_equal(first, 100);
}

/*
 * Whatever happened before (flaps, other weights, other paths in the slots), once
 * things stay as they are each path gets its share at once.
 */
static void a_weighted_past_is_soon_forgotten(void **state)
{
	struct rmc_candidate c[RMC_MAX_PATHS];
	struct rmc_choice choice = {};
	int round, i;

	for (round = 0; round < 300; round++) {
		unsigned int n, k, total = 0, taken[RMC_MAX_PATHS] = {};

		for (i = 0; i < 200; i++) {
			n = random_paths(c);
			for (k = 0; k < n; k++)
				if (rnd_chance(10))
					c[k].weight = rnd();
			rmc_choose(RMC_POLICY_WEIGHTED, &choice, c, n);
		}
		n = random_paths(c);
		c[0].up = true;
		for (k = 0; k < n; k++) {
			c[k].weight = rnd_range(1, 20);
			total += c[k].up ? c[k].weight : 0;
		}
		for (k = 0; k < 20 * total; k++)
			taken[by_id(c, n, rmc_choose(RMC_POLICY_WEIGHTED, &choice, c, n)) - c]++;
		/* off by less than two turns of the whole in twenty */
		for (k = 0; k < n; k++)
			if (c[k].up)
				assert_true(taken[k] + 2 * total >= 20 * c[k].weight &&
					    taken[k] <= 20 * c[k].weight + 2 * total);
	}
}

static void a_path_that_takes_the_place_of_another_starts_afresh(void **state)
{
	struct rmc_candidate c[] = {
		{ .id = 0, .up = true, .weight = 3 },
		{ .id = 1, .up = true, .weight = 5 },
		{ .id = 2, .up = false, .weight = 3 },
	};
	struct rmc_choice choice = {}, fresh = {};
	int i;

	for (i = 0; i < 3; i++)
		rmc_choose(RMC_POLICY_WEIGHTED, &choice, c, 3);
	c[0].up = false;
	c[2].up = true;	/* the sum of the weights stays the same */
	for (i = 0; i < 8; i++)
		assert_int_equal(rmc_choose(RMC_POLICY_WEIGHTED, &choice, c, 3),
				 rmc_choose(RMC_POLICY_WEIGHTED, &fresh, c, 3));
}

static void more_candidates_than_paths_can_be_are_not_looked_at(void **state)
{
	struct rmc_candidate c[RMC_MAX_PATHS + 1] = {};
	struct rmc_choice choice = {};
	size_t i;

	c[RMC_MAX_PATHS].up = true;
	for (i = 0; i < ARRAY_SIZE(policies); i++)
		assert_int_equal(rmc_choose(policies[i], &choice, c, ARRAY_SIZE(c)), -1);
}

static void huge_weights_do_not_overflow(void **state)
{
	struct rmc_candidate c[RMC_MAX_PATHS];
	struct rmc_choice choice = {};
	u32 taken[RMC_MAX_PATHS] = {};
	int i;

	for (i = 0; i < RMC_MAX_PATHS; i++)
		c[i] = (struct rmc_candidate) { .id = i, .up = true, .weight = ~0U };
	for (i = 0; i < 80 * RMC_MAX_PATHS; i++)
		taken[rmc_choose(RMC_POLICY_WEIGHTED, &choice, c, RMC_MAX_PATHS)]++;
	for (i = 0; i < RMC_MAX_PATHS; i++)
		assert_int_equal(taken[i], 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_path_that_is_up_is_chosen),
		cmocka_unit_test(no_paths_is_no_choice),
		cmocka_unit_test(failover_takes_the_lowest_priority_then_the_lowest_id),
		cmocka_unit_test(failover_moves_only_for_a_reason),
		cmocka_unit_test(round_robin_visits_each_path_once_a_round),
		cmocka_unit_test(min_inflight_levels_the_load),
		cmocka_unit_test(idle_paths_share_what_min_inflight_gives),
		cmocka_unit_test(min_latency_tries_the_unknown_first_then_takes_the_fastest),
		cmocka_unit_test(weights_are_kept_exactly_over_each_cycle),
		cmocka_unit_test(weighted_turns_are_spread_not_bunched),
		cmocka_unit_test(a_weight_of_zero_is_one),
		cmocka_unit_test(a_weighted_past_is_soon_forgotten),
		cmocka_unit_test(a_path_that_takes_the_place_of_another_starts_afresh),
		cmocka_unit_test(more_candidates_than_paths_can_be_are_not_looked_at),
		cmocka_unit_test(huge_weights_do_not_overflow),
	};

	rnd_start("path choice");
	return cmocka_run_group_tests_name("path choice", tests, NULL, NULL);
}
