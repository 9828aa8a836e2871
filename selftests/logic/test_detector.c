// SPDX-License-Identifier: GPL-2.0
/* The failure detector, one rule at a time. See test_stall.c for its life under load. */
#include "test.h"
#include "detector.h"

#define DETECT		500
#define INTERVAL	(100 * MS)
#define T0		(1000000 * MS)

static struct rmc_detector started(bool can_probe)
{
	struct rmc_detector d;

	memset(&d, 0xa5, sizeof(d));
	rmc_detector_start(&d, DETECT, INTERVAL, can_probe, T0);
	return d;
}

/* Checks from a timer that is never late. */
static enum rmc_verdict at(struct rmc_detector *d, u64 now)
{
	d->expect_ns = now;
	return rmc_detector_check(d, now, true);
}

static void the_first_probe_is_due_after_an_interval(void **state)
{
	struct rmc_detector d = started(true);

	assert_false(rmc_detector_wants_probe(&d, T0));
	assert_false(rmc_detector_wants_probe(&d, T0 + INTERVAL - 1));
	assert_true(rmc_detector_wants_probe(&d, T0 + INTERVAL));
	assert_true(rmc_detector_next(&d, T0) == T0 + INTERVAL);
}

static void an_unanswered_probe_makes_suspect_then_down_at_their_times(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0);
	assert_int_equal(at(&d, T0 + 400 * MS - 1), RMC_VERDICT_OK);
	assert_int_equal(at(&d, T0 + 400 * MS), RMC_VERDICT_SUSPECT);
	assert_int_equal(at(&d, T0 + 500 * MS - 1), RMC_VERDICT_SUSPECT);
	assert_int_equal(at(&d, T0 + 500 * MS), RMC_VERDICT_DOWN);
	assert_int_equal(at(&d, T0 + 900 * MS), RMC_VERDICT_DOWN);
}

static void no_probe_outstanding_is_no_silence(void **state)
{
	struct rmc_detector d = started(true);

	assert_int_equal(at(&d, T0 + 100 * DETECT * MS), RMC_VERDICT_OK);
}

static void one_probe_at_a_time(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0 + INTERVAL);
	assert_false(rmc_detector_wants_probe(&d, T0 + 100 * INTERVAL));
	rmc_detector_answered(&d, T0 + INTERVAL + 1);
	assert_true(rmc_detector_wants_probe(&d, T0 + 2 * INTERVAL));
}

static void an_answer_gives_the_round_trip_and_clears_a_suspicion(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0);
	assert_int_equal(at(&d, T0 + 450 * MS), RMC_VERDICT_SUSPECT);
	assert_true(rmc_detector_answered(&d, T0 + 451 * MS) == 451 * MS);
	assert_int_equal(at(&d, T0 + 451 * MS), RMC_VERDICT_OK);
	/* the same completion told twice */
	assert_true(rmc_detector_answered(&d, T0 + 452 * MS) == 0);
}

static void a_stall_does_not_shorten_the_round_trip(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0);
	rmc_detector_next(&d, T0);
	rmc_detector_check(&d, T0 + 380 * MS, true);
	assert_true(rmc_detector_answered(&d, T0 + 381 * MS) == 381 * MS);
}

static void probes_keep_their_rate_whatever_the_round_trip(void **state)
{
	struct rmc_detector d = started(true);
	u64 now = T0, end = T0 + 60000 * MS;
	u32 sent = 0;

	while (now < end) {
		now = rmc_detector_next(&d, now);
		assert_int_equal(rmc_detector_check(&d, now, true), RMC_VERDICT_OK);
		if (!rmc_detector_wants_probe(&d, now))
			continue;
		rmc_detector_sent(&d, now);
		rmc_detector_answered(&d, now + rnd_range(1, 90 * MS));
		sent++;
	}
	assert_int_equal(sent, 600);
}

/* C16: the same settings after every reconnect. */
static void c16_a_restart_remembers_nothing(void **state)
{
	struct rmc_detector d = started(true), fresh;

	rmc_detector_sent(&d, T0);
	rmc_detector_suspect(&d, T0);
	at(&d, T0 + 490 * MS);
	rmc_detector_start(&d, DETECT, INTERVAL, true, T0 + 600 * MS);
	memset(&fresh, 0, sizeof(fresh));
	rmc_detector_start(&fresh, DETECT, INTERVAL, true, T0 + 600 * MS);
	assert_true(rmc_detector_next(&d, T0 + 600 * MS) ==
		    rmc_detector_next(&fresh, T0 + 600 * MS));
	assert_int_equal(at(&d, T0 + 2000 * MS), RMC_VERDICT_OK);
	assert_true(d.stalls == 0);
}

static void other_proof_keeps_a_path_up_while_its_probe_is_stuck(void **state)
{
	struct rmc_detector d = started(true);
	u64 now = T0;

	rmc_detector_sent(&d, T0);
	for (now = T0; now < T0 + 5000 * MS; now += 300 * MS) {
		rmc_detector_proof(&d, now);
		assert_int_equal(at(&d, now), RMC_VERDICT_OK);
		assert_int_equal(at(&d, now + 299 * MS), RMC_VERDICT_OK);
		/* it stays the one outstanding */
		assert_false(rmc_detector_wants_probe(&d, now + 299 * MS));
	}
	now -= 300 * MS;	/* the last proof: the silence starts there */
	assert_int_equal(at(&d, now + 400 * MS - 1), RMC_VERDICT_OK);
	assert_int_equal(at(&d, now + 400 * MS), RMC_VERDICT_SUSPECT);
	assert_int_equal(at(&d, now + 500 * MS), RMC_VERDICT_DOWN);
}

static void proof_older_than_what_is_known_changes_nothing(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0 + 200 * MS);
	rmc_detector_proof(&d, T0 + 100 * MS);
	assert_int_equal(at(&d, T0 + 600 * MS), RMC_VERDICT_SUSPECT);
	rmc_detector_proof(&d, T0 + 300 * MS);
	rmc_detector_proof(&d, T0 + 250 * MS);
	assert_int_equal(at(&d, T0 + 700 * MS - 1), RMC_VERDICT_OK);
	assert_int_equal(at(&d, T0 + 700 * MS), RMC_VERDICT_SUSPECT);
}

static void other_proof_saves_a_probe(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_proof(&d, T0 + 60 * MS);
	assert_false(rmc_detector_wants_probe(&d, T0 + 160 * MS - 1));
	assert_true(rmc_detector_wants_probe(&d, T0 + 160 * MS));
}

static void without_probes_and_suspicion_all_is_always_well(void **state)
{
	struct rmc_detector d = started(false);
	u64 now = T0;
	int i;

	for (i = 0; i < 100; i++) {
		assert_int_equal(rmc_detector_check(&d, now, rnd_chance(50)), RMC_VERDICT_OK);
		assert_false(rmc_detector_wants_probe(&d, now));
		assert_true(rmc_detector_next(&d, now) > now + DETECT * MS);
		now += rnd_range(0, 100000 * MS);
	}
}

static void a_lost_carrier_is_suspect_at_once_and_down_after_detect_ms(void **state)
{
	struct rmc_detector d = started(false);

	rmc_detector_suspect(&d, T0 + 50 * MS);
	assert_int_equal(at(&d, T0 + 50 * MS), RMC_VERDICT_SUSPECT);
	assert_int_equal(at(&d, T0 + 550 * MS - 1), RMC_VERDICT_SUSPECT);
	assert_int_equal(at(&d, T0 + 550 * MS), RMC_VERDICT_DOWN);
}

static void a_carrier_that_comes_back_lifts_the_suspicion(void **state)
{
	struct rmc_detector d = started(false);

	rmc_detector_suspect(&d, T0);
	rmc_detector_lift(&d, T0 + 490 * MS);
	assert_int_equal(at(&d, T0 + 500 * MS), RMC_VERDICT_OK);
	assert_int_equal(at(&d, T0 + 50000 * MS), RMC_VERDICT_OK);
}

static void only_proof_from_after_the_hint_lifts_it(void **state)
{
	struct rmc_detector d = started(false);

	rmc_detector_suspect(&d, T0 + 100 * MS);
	rmc_detector_proof(&d, T0 + 99 * MS);
	assert_int_equal(at(&d, T0 + 200 * MS), RMC_VERDICT_SUSPECT);
	rmc_detector_proof(&d, T0 + 101 * MS);
	assert_int_equal(at(&d, T0 + 200 * MS), RMC_VERDICT_OK);
}

static void hints_that_repeat_do_not_put_off_the_end(void **state)
{
	struct rmc_detector d = started(false);
	u64 t;

	for (t = 0; t < 500; t += 10) {
		rmc_detector_suspect(&d, T0 + t * MS);
		assert_int_equal(at(&d, T0 + t * MS), RMC_VERDICT_SUSPECT);
	}
	assert_int_equal(at(&d, T0 + 500 * MS), RMC_VERDICT_DOWN);
}

static void a_hint_makes_a_probe_due_at_once_and_its_answer_settles_it(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0);
	rmc_detector_answered(&d, T0 + MS);
	rmc_detector_suspect(&d, T0 + 10 * MS);
	assert_true(rmc_detector_wants_probe(&d, T0 + 10 * MS));
	assert_true(rmc_detector_next(&d, T0 + 10 * MS) <= T0 + 11 * MS);
	rmc_detector_sent(&d, T0 + 10 * MS);
	assert_int_equal(at(&d, T0 + 11 * MS), RMC_VERDICT_SUSPECT);
	rmc_detector_answered(&d, T0 + 12 * MS);
	assert_int_equal(at(&d, T0 + 12 * MS), RMC_VERDICT_OK);
	assert_false(rmc_detector_wants_probe(&d, T0 + 12 * MS));
}

static void an_answer_to_a_probe_from_before_the_hint_does_not_settle_it(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0);
	rmc_detector_suspect(&d, T0 + MS);
	assert_false(rmc_detector_wants_probe(&d, T0 + MS));
	rmc_detector_answered(&d, T0 + 2 * MS);
	assert_int_equal(at(&d, T0 + 2 * MS), RMC_VERDICT_SUSPECT);
	assert_true(rmc_detector_wants_probe(&d, T0 + 2 * MS));
}

static void a_shorter_detect_ms_counts_for_the_probe_that_is_out(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0);
	rmc_detector_tune(&d, 100, 20 * MS);
	assert_true(rmc_detector_next(&d, T0 + MS) <= T0 + 21 * MS);
	assert_int_equal(at(&d, T0 + 79 * MS), RMC_VERDICT_OK);
	assert_int_equal(at(&d, T0 + 80 * MS), RMC_VERDICT_SUSPECT);
	rmc_detector_tune(&d, 1000, 200 * MS);
	assert_int_equal(at(&d, T0 + 80 * MS), RMC_VERDICT_OK);
	assert_int_equal(at(&d, T0 + 1000 * MS), RMC_VERDICT_DOWN);
}

static void a_late_timer_is_taken_off_the_age(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0);
	assert_true(rmc_detector_next(&d, T0) == T0 + 100 * MS);
	/* 210 ms late, of which 10 are ordinary: the age is 110 instead of 310 */
	assert_int_equal(rmc_detector_check(&d, T0 + 310 * MS, true), RMC_VERDICT_OK);
	assert_true(d.stalls == 1);
	assert_int_equal(at(&d, T0 + 600 * MS - 1), RMC_VERDICT_OK);
	assert_int_equal(at(&d, T0 + 600 * MS), RMC_VERDICT_SUSPECT);
	assert_int_equal(at(&d, T0 + 700 * MS), RMC_VERDICT_DOWN);
}

static void a_little_late_is_not_a_stall(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0);
	rmc_detector_next(&d, T0);
	rmc_detector_check(&d, T0 + 100 * MS + RMC_LATE_NS, true);
	assert_true(d.stalls == 0);
	assert_int_equal(at(&d, T0 + 400 * MS), RMC_VERDICT_SUSPECT);
}

static void other_work_that_runs_first_after_a_stall_is_not_fooled(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0);
	rmc_detector_next(&d, T0);
	assert_int_equal(rmc_detector_check(&d, T0 + 480 * MS, false), RMC_VERDICT_OK);
	/* and the timer that follows finds the stall already forgiven */
	assert_int_equal(rmc_detector_check(&d, T0 + 481 * MS, true), RMC_VERDICT_OK);
	assert_true(d.stalls == 1);
	assert_int_equal(at(&d, T0 + 480 * MS + 290 * MS), RMC_VERDICT_SUSPECT);
}

static void after_a_stall_near_the_limit_the_probe_gets_another_tick(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0);
	assert_int_equal(at(&d, T0 + 300 * MS), RMC_VERDICT_OK);
	assert_true(rmc_detector_next(&d, T0 + 300 * MS) == T0 + 400 * MS);
	/* 200 late, 190 forgiven, which alone would make it 410 and SUSPECT */
	assert_int_equal(rmc_detector_check(&d, T0 + 600 * MS, true), RMC_VERDICT_OK);
	assert_int_equal(at(&d, T0 + 690 * MS - 1), RMC_VERDICT_OK);
	assert_int_equal(at(&d, T0 + 690 * MS), RMC_VERDICT_SUSPECT);
}

static void a_stall_fills_up_to_a_tick_and_no_further(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0);
	at(&d, T0 + 220 * MS);
	rmc_detector_next(&d, T0 + 220 * MS);
	/* 100 late, 90 forgiven: 330, 70 short of the limit, so 30 more */
	assert_int_equal(rmc_detector_check(&d, T0 + 420 * MS, true), RMC_VERDICT_OK);
	assert_int_equal(at(&d, T0 + 520 * MS - 1), RMC_VERDICT_OK);
	assert_int_equal(at(&d, T0 + 520 * MS), RMC_VERDICT_SUSPECT);
}

/* One tick of grace a silence; a new probe and other proof begin a new one. */
static void each_silence_has_its_own_grace(void **state)
{
	struct rmc_detector d = started(true);
	u64 t = T0;
	int i;

	for (i = 0; i < 3; i++) {
		rmc_detector_sent(&d, t);
		at(&d, t + 300 * MS);
		rmc_detector_next(&d, t + 300 * MS);
		assert_int_equal(rmc_detector_check(&d, t + 600 * MS, true), RMC_VERDICT_OK);
		rmc_detector_proof(&d, t + 600 * MS);
		at(&d, t + 900 * MS);
		rmc_detector_next(&d, t + 900 * MS);
		assert_int_equal(rmc_detector_check(&d, t + 1200 * MS, true), RMC_VERDICT_OK);
		/* used up */
		rmc_detector_next(&d, t + 1200 * MS);
		assert_int_equal(rmc_detector_check(&d, t + 1500 * MS, true), RMC_VERDICT_SUSPECT);
		rmc_detector_answered(&d, t + 1500 * MS);
		t += 1500 * MS;
	}
}

static void the_timer_ticks_while_a_probe_is_out(void **state)
{
	struct rmc_detector d = started(true);

	/* a stretched interval must not make it blind for longer */
	rmc_detector_tune(&d, DETECT, 300 * MS);
	rmc_detector_sent(&d, T0);
	assert_true(rmc_detector_next(&d, T0) == T0 + 100 * MS);
	rmc_detector_tune(&d, DETECT, 20 * MS);
	assert_true(rmc_detector_next(&d, T0) == T0 + 20 * MS);
}

static void time_without_a_timer_armed_is_no_stall(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_sent(&d, T0);
	rmc_detector_next(&d, T0);
	rmc_detector_check(&d, T0 + 100 * MS, true);
	assert_int_equal(rmc_detector_check(&d, T0 + 400 * MS, false), RMC_VERDICT_SUSPECT);
	assert_true(d.stalls == 0);
}

static void a_lifted_hint_asks_for_no_probe(void **state)
{
	struct rmc_detector d = started(true);

	rmc_detector_suspect(&d, T0 + 10 * MS);
	rmc_detector_lift(&d, T0 + 20 * MS);
	assert_false(rmc_detector_wants_probe(&d, T0 + 20 * MS));
	assert_true(rmc_detector_wants_probe(&d, T0 + INTERVAL));
}

/* A stall can be forgiven by no more than what the timer was late, and one tick a silence. */
static void stalls_that_never_end_do_not_keep_a_dead_peer_alive(void **state)
{
	static const u64 late_ms[] = { 11, 20, 50, 99, 100, 101, 200, 950 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(late_ms); i++) {
		struct rmc_detector d = started(true);
		u64 now = T0, stalled = 0;

		rmc_detector_sent(&d, now);
		for (;;) {
			now = rmc_detector_next(&d, now) + late_ms[i] * MS;
			stalled += late_ms[i] * MS;
			if (rmc_detector_check(&d, now, true) == RMC_VERDICT_DOWN)
				break;
			assert_true(now < T0 + DETECT * MS + INTERVAL + stalled);
		}
	}
}

static void a_late_timer_also_holds_back_the_end_of_a_suspicion(void **state)
{
	struct rmc_detector d = started(false);

	rmc_detector_suspect(&d, T0);
	rmc_detector_next(&d, T0);
	assert_int_equal(rmc_detector_check(&d, T0 + 600 * MS, true), RMC_VERDICT_SUSPECT);
	rmc_detector_lift(&d, T0 + 601 * MS);
	assert_int_equal(at(&d, T0 + 601 * MS), RMC_VERDICT_OK);
}

/*
 * Whatever has happened, next is in the future, and until then neither the
 * verdict changes nor does a probe become due that was not.
 */
static void nothing_happens_before_next_says_so(void **state)
{
	int round, step;

	for (round = 0; round < 2000; round++) {
		u64 now = rnd_range(0, T0), next;
		struct rmc_detector d, probe;

		rmc_detector_start(&d, rnd_range(100, 3000), rnd_range(MS, 600 * MS),
				   rnd_chance(80), now);
		for (step = 0; step < 100; step++) {
			enum rmc_verdict before;
			bool wanted;
			u64 when;

			switch (rnd() % 8) {
			case 0:
				if (rmc_detector_wants_probe(&d, now))
					rmc_detector_sent(&d, now);
				break;
			case 1:
				rmc_detector_answered(&d, now);
				break;
			case 2:
				rmc_detector_proof(&d, now - rnd_range(0, now / 2));
				break;
			case 3:
				rmc_detector_suspect(&d, now);
				break;
			case 4:
				rmc_detector_lift(&d, now);
				break;
			case 5:
				rmc_detector_tune(&d, rnd_range(100, 3000),
						  rnd_range(MS, 600 * MS));
				break;
			default:
				rmc_detector_check(&d, now, rnd_chance(50));
			}
			before = rmc_detector_check(&d, now, false);
			wanted = rmc_detector_wants_probe(&d, now);
			next = rmc_detector_next(&d, now);
			assert_true(next > now);
			assert_true(next == d.expect_ns);
			assert_true(!wanted || next <= now + MS);

			when = rnd_range(now, next - 1);
			probe = d;
			assert_int_equal(rmc_detector_check(&probe, when, false), before);
			assert_int_equal(rmc_detector_wants_probe(&d, when), wanted);
			now = rnd_chance(70) ? next : when;
			now += rnd_chance(20) ? rnd_range(0, 700 * MS) : rnd_range(0, 9 * MS);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_probe_is_due_after_an_interval),
		cmocka_unit_test(an_unanswered_probe_makes_suspect_then_down_at_their_times),
		cmocka_unit_test(no_probe_outstanding_is_no_silence),
		cmocka_unit_test(one_probe_at_a_time),
		cmocka_unit_test(an_answer_gives_the_round_trip_and_clears_a_suspicion),
		cmocka_unit_test(a_stall_does_not_shorten_the_round_trip),
		cmocka_unit_test(probes_keep_their_rate_whatever_the_round_trip),
		cmocka_unit_test(c16_a_restart_remembers_nothing),
		cmocka_unit_test(other_proof_keeps_a_path_up_while_its_probe_is_stuck),
		cmocka_unit_test(proof_older_than_what_is_known_changes_nothing),
		cmocka_unit_test(other_proof_saves_a_probe),
		cmocka_unit_test(without_probes_and_suspicion_all_is_always_well),
		cmocka_unit_test(a_lost_carrier_is_suspect_at_once_and_down_after_detect_ms),
		cmocka_unit_test(a_carrier_that_comes_back_lifts_the_suspicion),
		cmocka_unit_test(only_proof_from_after_the_hint_lifts_it),
		cmocka_unit_test(hints_that_repeat_do_not_put_off_the_end),
		cmocka_unit_test(a_hint_makes_a_probe_due_at_once_and_its_answer_settles_it),
		cmocka_unit_test(an_answer_to_a_probe_from_before_the_hint_does_not_settle_it),
		cmocka_unit_test(a_shorter_detect_ms_counts_for_the_probe_that_is_out),
		cmocka_unit_test(a_late_timer_is_taken_off_the_age),
		cmocka_unit_test(a_little_late_is_not_a_stall),
		cmocka_unit_test(other_work_that_runs_first_after_a_stall_is_not_fooled),
		cmocka_unit_test(after_a_stall_near_the_limit_the_probe_gets_another_tick),
		cmocka_unit_test(a_stall_fills_up_to_a_tick_and_no_further),
		cmocka_unit_test(each_silence_has_its_own_grace),
		cmocka_unit_test(the_timer_ticks_while_a_probe_is_out),
		cmocka_unit_test(time_without_a_timer_armed_is_no_stall),
		cmocka_unit_test(a_lifted_hint_asks_for_no_probe),
		cmocka_unit_test(stalls_that_never_end_do_not_keep_a_dead_peer_alive),
		cmocka_unit_test(a_late_timer_also_holds_back_the_end_of_a_suspicion),
		cmocka_unit_test(nothing_happens_before_next_says_so),
	};

	rnd_start("detector");
	return cmocka_run_group_tests_name("detector", tests, NULL, NULL);
}
