// SPDX-License-Identifier: GPL-2.0
/* Limits of settings, and what follows from detect_ms. */
#include "test.h"
#include "settings.h"

static const struct rmc_settings defaults = {
	.connect_ms = 5000,
	.fail_fast_ms = 5000,
	.backoff_min_ms = 200,
	.backoff_max_ms = 2000,
	.detect_ms = 500,
	.conns = 1,
	.depth = 128,
	.rnr_timer = 12,
	.retry_count = 6,
};

#define FINE(s) assert_null(rmc_settings_check(&(s), &(enum rmc_setting){ 0 }))

static void refused(const struct rmc_settings *s, enum rmc_setting blamed)
{
	enum rmc_setting which = RMC_S_MAX;
	const char *why = rmc_settings_check(s, &which);

	assert_non_null(why);
	assert_int_equal(which, blamed);
	assert_non_null(strstr(why, rmc_setting_name(blamed)));
}

static void the_defaults_are_fine(void **state)
{
	FINE(defaults);
}

/* The limits as the documentation of struct rmc_ep_attr gives them. */
static const struct {
	enum rmc_setting	which;
	size_t			offset;
	u32			min, max;
} limits[] = {
#define L(which, member, min, max) { which, offsetof(struct rmc_settings, member), min, max }
	L(RMC_S_CONNECT_MS, connect_ms, 1, 60000),
	L(RMC_S_FAIL_FAST_MS, fail_fast_ms, 0, 2147483647),
	L(RMC_S_LOSS_MS, loss_ms, 0, 2147483647),
	L(RMC_S_MAX_ATTEMPTS, max_attempts, 0, 4294967295),
	L(RMC_S_BACKOFF_MIN_MS, backoff_min_ms, 1, 600000),
	L(RMC_S_BACKOFF_MAX_MS, backoff_max_ms, 1, 600000),
	L(RMC_S_DETECT_MS, detect_ms, 100, 60000),
	L(RMC_S_CONNS, conns, 1, 64),
	L(RMC_S_DEPTH, depth, 1, 65536),
	L(RMC_S_TOS, tos, 0, 255),
	L(RMC_S_ACK_TIMEOUT, ack_timeout, 8, 31),
	L(RMC_S_RNR_TIMER, rnr_timer, 1, 31),
	L(RMC_S_RETRY_COUNT, retry_count, 0, 6),
};

/* The rest of the settings made so that no combination is in the way. */
static struct rmc_settings with(int i, u32 value)
{
	struct rmc_settings s = defaults;

	s.fail_fast_ms = 0;
	s.backoff_min_ms = 1;
	s.backoff_max_ms = 600000;
	if (limits[i].which == RMC_S_ACK_TIMEOUT)
		s.detect_ms = 60000;
	*(u32 *)((char *)&s + limits[i].offset) = value;
	return s;
}

static void each_limit_is_exact(void **state)
{
	struct rmc_settings s;
	size_t i;

	assert_int_equal(ARRAY_SIZE(limits), RMC_S_MAX);
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		s = with(i, limits[i].min);
		FINE(s);
		/* 2^31 x 4.096 us is 2.4 hours, beyond any detect_ms: see the next test */
		if (limits[i].which != RMC_S_ACK_TIMEOUT) {
			s = with(i, limits[i].max);
			FINE(s);
		}
		if (limits[i].min) {
			s = with(i, limits[i].min - 1);
			refused(&s, limits[i].which);
		}
		if (limits[i].max != ~0U) {
			s = with(i, limits[i].max + 1);
			refused(&s, limits[i].which);
			s = with(i, ~0U);
			refused(&s, limits[i].which);
		}
	}
}

static void an_ack_timeout_leaves_room_for_a_repetition(void **state)
{
	struct rmc_settings s = defaults;

	s.ack_timeout = 0;
	FINE(s);
	s.ack_timeout = 15;	/* 134 ms, twice that is within 500 */
	FINE(s);
	s.ack_timeout = 16;	/* 268 ms */
	refused(&s, RMC_S_ACK_TIMEOUT);
	s.detect_ms = 537;	/* 2 x 268.4 = 536.9 */
	FINE(s);
	s.detect_ms = 536;
	refused(&s, RMC_S_ACK_TIMEOUT);
	s.detect_ms = 60000;
	s.ack_timeout = 31;
	refused(&s, RMC_S_ACK_TIMEOUT);
}

static void backoff_bounds_are_in_order(void **state)
{
	struct rmc_settings s = defaults;

	s.backoff_max_ms = s.backoff_min_ms;
	FINE(s);
	s.backoff_max_ms = s.backoff_min_ms - 1;
	refused(&s, RMC_S_BACKOFF_MAX_MS);
}

static void loss_does_not_come_before_fail_fast(void **state)
{
	struct rmc_settings s = defaults;

	s.loss_ms = s.fail_fast_ms;
	FINE(s);
	s.loss_ms = s.fail_fast_ms - 1;
	refused(&s, RMC_S_LOSS_MS);
	s.loss_ms = 0;
	FINE(s);
	s.fail_fast_ms = 0;
	s.loss_ms = 1;
	FINE(s);
}

static void iwarp_detects_no_faster_than_tcp_repeats(void **state)
{
	assert_int_equal(rmc_detect_effective_ms(100, false), 100);
	assert_int_equal(rmc_detect_effective_ms(999, true), 1000);
	assert_int_equal(rmc_detect_effective_ms(1000, true), 1000);
	assert_int_equal(rmc_detect_effective_ms(3000, true), 3000);
}

static void the_ack_timeout_is_the_largest_that_fits_six_times(void **state)
{
	u32 ms;

	assert_int_equal(rmc_ack_timeout_for(500), 14);	/* 67 ms, as the design says */
	for (ms = 100; ms <= 60000; ms++) {
		u8 n = rmc_ack_timeout_for(ms);

		assert_in_range(n, 8, 31);
		assert_true(6 * (4096ULL << n) <= ms * MS);
		assert_true(6 * (4096ULL << (n + 1)) > ms * MS);
	}
	assert_int_equal(rmc_ack_timeout_for(0), 8);
	assert_in_range(rmc_ack_timeout_for(~0U), 8, 31);
}

static void an_ack_timeout_is_in_units_of_4096_ns(void **state)
{
	assert_true(rmc_ack_timeout_ns(0) == 4096);
	assert_true(rmc_ack_timeout_ns(14) == 67108864);
	assert_true(rmc_ack_timeout_ns(31) == 8796093022208ULL);
}

static void a_lone_path_is_probed_five_times_in_detect_ms(void **state)
{
	bool over = true;

	assert_true(rmc_probe_interval_ns(500, 1, 1000, &over) == 100 * MS);
	assert_false(over);
	assert_true(rmc_probe_interval_ns(500, 0, 0, &over) == 100 * MS);
	assert_false(over);
	assert_true(rmc_probe_interval_ns(500, 4000000000U, 0, &over) == 100 * MS);
	assert_false(over);
}

static void many_paths_stay_within_the_probe_budget(void **state)
{
	int i;

	for (i = 0; i < 100000; i++) {
		u32 detect = rnd_range(100, 60000), paths = rnd_range(1, 20000);
		u32 budget = rnd_range(1, 100000);
		bool over;
		u64 interval = rmc_probe_interval_ns(detect, paths, budget, &over);

		assert_true(interval >= detect * MS / 5);
		assert_true(interval <= detect * MS * 3 / 5);
		/* all paths together, in probes for a second */
		if (!over)
			assert_true(paths * RMC_NS_PER_S <= budget * interval);
		else
			assert_true(interval == detect * MS * 3 / 5 &&
				    paths * RMC_NS_PER_S > budget * interval);
	}
}

static void more_paths_never_shorten_the_interval(void **state)
{
	u64 last = 0;
	bool over;
	u32 paths;

	for (paths = 0; paths < 3000; paths++) {
		u64 interval = rmc_probe_interval_ns(500, paths, 2000, &over);

		assert_true(interval >= last);
		last = interval;
	}
	assert_true(over);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_defaults_are_fine),
		cmocka_unit_test(each_limit_is_exact),
		cmocka_unit_test(an_ack_timeout_leaves_room_for_a_repetition),
		cmocka_unit_test(backoff_bounds_are_in_order),
		cmocka_unit_test(loss_does_not_come_before_fail_fast),
		cmocka_unit_test(iwarp_detects_no_faster_than_tcp_repeats),
		cmocka_unit_test(the_ack_timeout_is_the_largest_that_fits_six_times),
		cmocka_unit_test(an_ack_timeout_is_in_units_of_4096_ns),
		cmocka_unit_test(a_lone_path_is_probed_five_times_in_detect_ms),
		cmocka_unit_test(many_paths_stay_within_the_probe_budget),
		cmocka_unit_test(more_paths_never_shorten_the_interval),
	};

	rnd_start("settings");
	return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
