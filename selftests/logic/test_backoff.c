// SPDX-License-Identifier: GPL-2.0
/* Waits between attempts, deadlines within one, and the token bucket. */
#include "test.h"
#include "backoff.h"

#define LONG_MS	(RMC_EARLY_MS * 10ULL)

static void the_cap_doubles_from_the_minimum(void **state)
{
	assert_int_equal(rmc_backoff_cap_ms(200, 2000, 1, LONG_MS), 200);
	assert_int_equal(rmc_backoff_cap_ms(200, 2000, 2, LONG_MS), 400);
	assert_int_equal(rmc_backoff_cap_ms(200, 2000, 3, LONG_MS), 800);
	assert_int_equal(rmc_backoff_cap_ms(200, 2000, 4, LONG_MS), 1600);
	assert_int_equal(rmc_backoff_cap_ms(200, 2000, 5, LONG_MS), 2000);
	assert_int_equal(rmc_backoff_cap_ms(200, 2000, ~0U, LONG_MS), 2000);
}

static void a_young_outage_is_tried_eagerly(void **state)
{
	assert_int_equal(rmc_backoff_cap_ms(200, 2000, 1, 0), 200);
	assert_int_equal(rmc_backoff_cap_ms(200, 2000, 2, 1000), 400);
	assert_int_equal(rmc_backoff_cap_ms(200, 2000, 3, 1000), 500);
	assert_int_equal(rmc_backoff_cap_ms(200, 2000, 300, RMC_EARLY_MS - 1), 500);
	assert_int_equal(rmc_backoff_cap_ms(200, 2000, 300, RMC_EARLY_MS), 2000);
	/* the early ceiling lifts no setting and lowers no minimum */
	assert_int_equal(rmc_backoff_cap_ms(200, 300, 9, 0), 300);
	assert_int_equal(rmc_backoff_cap_ms(900, 2000, 9, 0), 900);
}

static void the_cap_is_bounded_and_monotone(void **state)
{
	int i;
	u32 n;

	for (i = 0; i < 3000; i++) {
		u32 max = rnd_range(1, rnd_chance(20) ? ~0U : 600000);
		u32 min = rnd_range(1, max);
		u64 outage = rnd_range(0, 2 * RMC_EARLY_MS);
		u32 last = 0;

		for (n = 0; n < 40; n++) {
			u32 cap = rmc_backoff_cap_ms(min, max, n, outage);

			assert_true(cap >= min && cap <= max);
			assert_true(cap >= last);
			assert_true(cap <= rmc_backoff_cap_ms(min, max, n, outage + RMC_EARLY_MS));
			last = cap;
		}
	}
}

static void nonsense_never_gives_a_wait_of_nothing(void **state)
{
	assert_true(rmc_backoff_cap_ms(0, 0, 0, 0) > 0);
	assert_true(rmc_backoff_cap_ms(0, 0, ~0U, ~0ULL) > 0);
	assert_true(rmc_backoff_cap_ms(~0U, 1, ~0U, 0) > 0);
	assert_true(rmc_answer_ms(0, 0, 0, 0) > 0);
	assert_true(rmc_answer_ms(~0U, ~0U, ~0ULL, 0) > 0);
	assert_true(rmc_addr_timeout_ms(0, 0) > 0);
}

static void jitter_covers_all_of_its_range(void **state)
{
	assert_true(rmc_backoff_jitter_ns(500, 0) == 0);
	assert_true(rmc_backoff_jitter_ns(500, 1U << 31) == 250 * MS);
	assert_true(rmc_backoff_jitter_ns(500, ~0U) <= 500 * MS);
	assert_true(rmc_backoff_jitter_ns(500, ~0U) > 499 * MS);
	assert_true(rmc_backoff_jitter_ns(0, ~0U) == 0);
	assert_true(rmc_backoff_jitter_ns(~0U, ~0U) <= ~0U * MS);
	assert_true(rmc_backoff_jitter_ns(~0U, ~0U) > (~0U - 10) * MS);
}

static u64 exact_jitter(u32 cap_ms, u32 bits)
{
	return (__uint128_t)(cap_ms * MS + 1) * bits >> 32;
}

static void jitter_is_exact_for_any_bits(void **state)
{
	int i;

	for (i = 0; i < 100000; i++) {
		u32 cap = rnd(), bits = rnd();

		assert_true(rmc_backoff_jitter_ns(cap, bits) == exact_jitter(cap, bits));
	}
}

static void jitter_is_uniform(void **state)
{
	u32 bins[10] = {};
	u64 sum = 0;
	int i;

	for (i = 0; i < 200000; i++) {
		u64 ns = rmc_backoff_jitter_ns(500, rnd());

		assert_true(ns <= 500 * MS);
		sum += ns;
		bins[ns == 500 * MS ? 9 : ns / (50 * MS)]++;
	}
	/* the mean's standard error is 0.065 % of the cap, a bin's is 0.7 % of its size */
	assert_in_range(sum / 200000, 249 * MS, 251 * MS);
	for (i = 0; i < 10; i++)
		assert_in_range(bins[i], 19000, 21000);
}

static void an_answer_is_waited_for_four_times_as_long_as_the_last(void **state)
{
	assert_int_equal(rmc_answer_ms(100000, 0, 0, 5000), 400);
	assert_int_equal(rmc_answer_ms(100001, 0, 0, 5000), 401);
	assert_int_equal(rmc_answer_ms(1, 0, 0, 5000), RMC_ANSWER_MIN_MS);
	assert_int_equal(rmc_answer_ms(62500, 0, 0, 5000), RMC_ANSWER_MIN_MS);
	assert_int_equal(rmc_answer_ms(250000, 0, 0, 5000), RMC_ANSWER_MAX_MS);
	assert_int_equal(rmc_answer_ms(~0U, 0, LONG_MS, 60000), RMC_ANSWER_MAX_MS);
	/* nobody has answered yet */
	assert_int_equal(rmc_answer_ms(0, 0, 0, 5000), RMC_ANSWER_MAX_MS);
}

static void each_timeout_doubles_the_deadline_for_an_answer(void **state)
{
	assert_int_equal(rmc_answer_ms(0, 1, 0, 60000), 2000);
	assert_int_equal(rmc_answer_ms(0, 2, 0, 60000), 4000);
	assert_int_equal(rmc_answer_ms(1000, 1, LONG_MS, 60000), 500);
	assert_int_equal(rmc_answer_ms(1000, 3, LONG_MS, 60000), 2000);
	assert_int_equal(rmc_answer_ms(1000, 60, LONG_MS, 60000), 60000);
	/* a peer that answered before: a request lost in the outage must not delay the next */
	assert_int_equal(rmc_answer_ms(1000, 3, RMC_EARLY_MS - 1, 60000), 750);
	assert_int_equal(rmc_answer_ms(250000, 3, 0, 60000), RMC_ANSWER_MAX_MS);
	assert_int_equal(rmc_answer_ms(1000, 3, RMC_EARLY_MS, 60000), 2000);
	assert_int_equal(rmc_answer_ms(1000, 1, 0, 60000), 500);
}

static void no_deadline_passes_what_is_left(void **state)
{
	int i;

	for (i = 0; i < 100000; i++) {
		u32 left = rnd_range(1, 60000), last = rnd() >> (rnd() % 32), n = rnd() % 40;
		u64 outage = rnd_range(0, 2 * RMC_EARLY_MS);
		u32 ms = rmc_answer_ms(last, n, outage, left);

		assert_in_range(ms, 1, left);
		assert_true(ms >= (left < RMC_ANSWER_MIN_MS ? left : RMC_ANSWER_MIN_MS));
		assert_true(ms <= rmc_answer_ms(last, n + 1, outage, left));
		if (last && outage < RMC_EARLY_MS)
			assert_true(ms <= RMC_ANSWER_MAX_MS);

		ms = rmc_addr_timeout_ms(n, left);
		assert_in_range(ms, 1, left);
		assert_true(ms <= RMC_ADDR_MAX_MS);
		assert_true(ms <= rmc_addr_timeout_ms(n + 1, left));
	}
}

static void an_address_is_asked_for_again_soon_then_less_often(void **state)
{
	static const u32 wanted[] = { 50, 100, 200, 200, 200, 200, 200 };
	u32 n;

	for (n = 0; n < ARRAY_SIZE(wanted); n++)
		assert_int_equal(rmc_addr_timeout_ms(n, 5000), wanted[n]);
	assert_int_equal(rmc_addr_timeout_ms(~0U, 5000), RMC_ADDR_MAX_MS);
	assert_int_equal(rmc_addr_timeout_ms(3, 30), 30);
}

static void a_bucket_starts_full_and_pays_by_time(void **state)
{
	struct rmc_bucket b;
	int i;

	rmc_bucket_init(&b, 200, 10, 1000);
	for (i = 0; i < 10; i++)
		assert_true(rmc_bucket_take(&b, 1000) == 0);
	assert_true(rmc_bucket_take(&b, 1000) == 5 * MS);
	assert_true(rmc_bucket_take(&b, 1000 + 2 * MS) == 3 * MS);
	assert_true(rmc_bucket_take(&b, 1000 + 5 * MS) == 0);
	assert_true(rmc_bucket_take(&b, 1000 + 5 * MS) == 5 * MS);
}

/* More than burst + rate x t in any window would be a storm. */
static void a_bucket_never_gives_more_than_burst_and_rate(void **state)
{
	int round, step;

	for (round = 0; round < 300; round++) {
		u32 rate = rnd_range(1, 100000), burst = rnd_range(1, 500);
		u64 start = rnd_range(0, 1ULL << 50), now = start, given = 0;
		struct rmc_bucket b;

		rmc_bucket_init(&b, rate, burst, now);
		for (step = 0; step < 1000; step++) {
			if (rnd_chance(60))
				now += rnd_range(0, 4 * RMC_NS_PER_S / rate);
			given += rmc_bucket_take(&b, now) == 0;
			assert_true((given - (given > burst ? burst : given)) * RMC_NS_PER_S <=
				    rate * (now - start));
		}
	}
}

static void whoever_waits_as_told_gets_a_token(void **state)
{
	int round, step;

	for (round = 0; round < 300; round++) {
		u32 rate = rnd_range(1, 1000000), burst = rnd_range(1, 100);
		u64 now = 0, given = 0;
		struct rmc_bucket b;

		rmc_bucket_init(&b, rate, burst, now);
		for (step = 0; step < 1000; step++) {
			u64 wait = rmc_bucket_take(&b, now);

			assert_true(wait <= RMC_NS_PER_S);
			if (wait && rnd_chance(50)) {
				/* trying too early costs nothing */
				u64 early = rnd_range(0, wait - 1);

				assert_true(rmc_bucket_take(&b, now + early) == wait - early);
			}
			if (wait) {
				now += wait;
				assert_true(rmc_bucket_take(&b, now) == 0);
			}
			given++;
		}
		/* and the rate is used up: within the rounding of one token */
		assert_true((given - burst) * RMC_NS_PER_S * 1001 >= rate * now * 1000);
	}
}

static void idle_time_fills_a_bucket_to_its_burst_only(void **state)
{
	struct rmc_bucket b;
	int i;

	rmc_bucket_init(&b, 1000, 5, 0);
	for (i = 0; i < 5; i++)
		assert_true(rmc_bucket_take(&b, ~0ULL / 2) == 0);
	assert_true(rmc_bucket_take(&b, ~0ULL / 2) > 0);
}

static void a_clock_that_seems_to_go_back_gives_nothing(void **state)
{
	struct rmc_bucket b;

	rmc_bucket_init(&b, 10, 1, RMC_NS_PER_S);
	assert_true(rmc_bucket_take(&b, RMC_NS_PER_S) == 0);
	assert_true(rmc_bucket_take(&b, RMC_NS_PER_S - 50 * MS) == 100 * MS);
	/* nor is the time between given twice */
	assert_true(rmc_bucket_take(&b, RMC_NS_PER_S + 50 * MS) == 50 * MS);
}

static void a_changed_rate_counts_from_the_next_take(void **state)
{
	struct rmc_bucket b;

	rmc_bucket_init(&b, 10, 1, 0);
	assert_true(rmc_bucket_take(&b, 0) == 0);
	assert_true(rmc_bucket_take(&b, 50 * MS) == 50 * MS);
	b.rate = 20;	/* what has accumulated is one token of the new rate */
	assert_true(rmc_bucket_take(&b, 50 * MS) == 0);
	b.rate = 1;
	assert_true(rmc_bucket_take(&b, 50 * MS) == 1000 * MS);
	b.rate = 1000000000;
	b.burst = 3;
	assert_true(rmc_bucket_take(&b, 60 * MS) == 0);
	assert_true(rmc_bucket_take(&b, 60 * MS) == 0);
	assert_true(rmc_bucket_take(&b, 60 * MS) == 0);
	assert_true(rmc_bucket_take(&b, 60 * MS) == 1);
}

static void a_rate_of_zero_is_no_limit_and_saves_nothing_up(void **state)
{
	struct rmc_bucket b;
	int i;

	rmc_bucket_init(&b, 0, 5, 0);
	for (i = 0; i < 1000; i++)
		assert_true(rmc_bucket_take(&b, 1000 * MS) == 0);
	b.rate = 10;
	assert_true(rmc_bucket_take(&b, 1000 * MS) == 100 * MS);
	/* nor does what was there before outlive it */
	b.tokens_ns = 99 * MS;
	b.rate = 0;
	assert_true(rmc_bucket_take(&b, 1000 * MS) == 0);
	b.rate = 10;
	assert_true(rmc_bucket_take(&b, 1000 * MS) == 100 * MS);
}

static void a_smaller_burst_drops_what_is_over_it(void **state)
{
	struct rmc_bucket b;

	rmc_bucket_init(&b, 10, 100, 0);
	b.burst = 1;
	assert_true(rmc_bucket_take(&b, 5 * MS) == 0);
	assert_true(rmc_bucket_take(&b, 5 * MS) == 100 * MS);
}

static void a_bucket_without_burst_still_gives(void **state)
{
	struct rmc_bucket b;

	rmc_bucket_init(&b, 10, 0, 0);
	assert_true(rmc_bucket_take(&b, 0) == 0);
	assert_true(rmc_bucket_take(&b, 100 * MS) == 0);
	assert_true(rmc_bucket_take(&b, 100 * MS) == 100 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cap_doubles_from_the_minimum),
		cmocka_unit_test(a_young_outage_is_tried_eagerly),
		cmocka_unit_test(the_cap_is_bounded_and_monotone),
		cmocka_unit_test(nonsense_never_gives_a_wait_of_nothing),
		cmocka_unit_test(jitter_covers_all_of_its_range),
		cmocka_unit_test(jitter_is_exact_for_any_bits),
		cmocka_unit_test(jitter_is_uniform),
		cmocka_unit_test(an_answer_is_waited_for_four_times_as_long_as_the_last),
		cmocka_unit_test(each_timeout_doubles_the_deadline_for_an_answer),
		cmocka_unit_test(no_deadline_passes_what_is_left),
		cmocka_unit_test(an_address_is_asked_for_again_soon_then_less_often),
		cmocka_unit_test(a_bucket_starts_full_and_pays_by_time),
		cmocka_unit_test(a_bucket_never_gives_more_than_burst_and_rate),
		cmocka_unit_test(whoever_waits_as_told_gets_a_token),
		cmocka_unit_test(idle_time_fills_a_bucket_to_its_burst_only),
		cmocka_unit_test(a_clock_that_seems_to_go_back_gives_nothing),
		cmocka_unit_test(a_changed_rate_counts_from_the_next_take),
		cmocka_unit_test(a_rate_of_zero_is_no_limit_and_saves_nothing_up),
		cmocka_unit_test(a_smaller_burst_drops_what_is_over_it),
		cmocka_unit_test(a_bucket_without_burst_still_gives),
	};

	rnd_start("backoff");
	return cmocka_run_group_tests_name("backoff", tests, NULL, NULL);
}
