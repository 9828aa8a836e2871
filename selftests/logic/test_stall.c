// SPDX-License-Identifier: GPL-2.0
/*
 * The detector through whole lives of a path: a small event simulation of a
 * peer that answers, answers late or dies, and of this side's CPU, which now and
 * then runs nothing for a while. What was due in a stall runs right after it, in
 * any order. The oracle knows the truth; the detector only sees its calls.
 */
#include "test.h"
#include "detector.h"

#define NEVER	(~0ULL)

struct life {
	/* the rig */
	u64	detect;
	u64	interval;
	u64	rtt_max;	/* of an answer that is not repeated */
	u64	late_max;	/* of a timer without a stall */
	u64	stall_max;	/* 0: no stalls */
	u64	gap_min, gap_max;	/* between stalls */
	u64	death;		/* of the peer */
	u32	loss;		/* percent of probes whose answer takes a retransmission more */
	u64	ack_timeout;
	bool	rearm;		/* does the caller call next after an answer? */

	/* the state */
	struct rmc_detector d;
	u64	now;
	u64	timer;
	u64	answer;		/* when it is there, not when it is seen */
	u64	stall_from, stall_to;
	u64	stalled;	/* after the peer's death */

	/* what came of it */
	u64	suspect_at, down_at;
	u32	probes;
};

static void plan_stall(struct life *l)
{
	if (!l->stall_max) {
		l->stall_from = NEVER;
		l->stall_to = NEVER;
		return;
	}
	l->stall_from = l->now + rnd_range(l->gap_min, l->gap_max);
	l->stall_to = l->stall_from + rnd_range(MS, l->stall_max);
}

/* When something that is due at @due gets to run. */
static u64 runs_at(struct life *l, u64 due)
{
	if (due >= l->stall_from && due < l->stall_to)
		return l->stall_to + rnd_range(0, MS);
	return due;
}

static void judge(struct life *l, bool scheduled)
{
	enum rmc_verdict verdict = rmc_detector_check(&l->d, l->now, scheduled);

	if (verdict != RMC_VERDICT_OK && l->suspect_at == NEVER)
		l->suspect_at = l->now;
	if (verdict == RMC_VERDICT_OK)
		l->suspect_at = NEVER;
	if (verdict == RMC_VERDICT_DOWN)
		l->down_at = l->now;
}

static void probe(struct life *l)
{
	if (!rmc_detector_wants_probe(&l->d, l->now))
		return;
	assert_true(l->answer == NEVER);	/* one outstanding */
	rmc_detector_sent(&l->d, l->now);
	l->probes++;
	l->answer = l->now + rnd_range(1000, l->rtt_max);
	while (rnd_chance(l->loss))
		l->answer += l->ack_timeout;
	if (l->answer > l->death)
		l->answer = NEVER;
}

static void arm(struct life *l)
{
	l->timer = rmc_detector_next(&l->d, l->now) + rnd_range(0, l->late_max);
	assert_true(l->timer > l->now);
}

/* Lives until @end, or until a verdict that is not OK where @stop says so. */
static void live(struct life *l, u64 end, bool stop)
{
	while (l->now < end && l->down_at == NEVER && !(stop && l->suspect_at != NEVER)) {
		u64 timer = runs_at(l, l->timer), answer = NEVER;

		if (l->answer != NEVER)
			answer = runs_at(l, l->answer);

		if (answer < timer) {
			l->now = answer > l->now ? answer : l->now;
			rmc_detector_answered(&l->d, l->now);
			l->answer = NEVER;
			judge(l, false);
			probe(l);
			if (l->rearm)
				arm(l);
		} else {
			l->now = timer > l->now ? timer : l->now;
			judge(l, true);
			probe(l);
			arm(l);
		}
		if (l->now >= l->stall_to) {
			if (l->stall_to > l->death)
				l->stalled += l->stall_to - (l->stall_from > l->death ?
							     l->stall_from : l->death);
			plan_stall(l);
		}
	}
}

static void start(struct life *l)
{
	l->now = rnd_range(MS, 1000000 * MS);
	l->answer = NEVER;
	l->suspect_at = NEVER;
	l->down_at = NEVER;
	l->rearm = rnd_chance(50);
	l->death = NEVER;
	rmc_detector_start(&l->d, l->detect / MS, l->interval, true, l->now);
	plan_stall(l);
	arm(l);
}

static u64 any_detect(void)
{
	static const u64 ms[] = { 100, 500, 1000, 2000, 3000 };

	return ms[rnd() % ARRAY_SIZE(ms)] * MS;
}

static void a_peer_that_answers_is_never_suspected(void **state)
{
	int round;

	for (round = 0; round < 300; round++) {
		struct life l = { .detect = any_detect(), .late_max = 8 * MS };

		l.interval = l.detect / rnd_range(2, 10);
		l.rtt_max = l.detect * 3 / 4 - l.late_max;
		start(&l);
		live(&l, l.now + 200 * l.detect, true);
		assert_true(l.suspect_at == NEVER);
	}
}

/* C16: a SCHED_FIFO hog for less than the limit, and the throttled kind for longer. */
static void c16_a_hog_on_every_cpu_makes_no_false_alarm(void **state)
{
	int round;

	for (round = 0; round < 1500; round++) {
		struct life l = { .detect = any_detect(), .late_max = 4 * MS };

		l.interval = l.detect / 5;
		l.rtt_max = l.detect / 10;
		l.stall_max = rnd_chance(70) ? l.detect - 1 : l.detect + 950 * MS;
		l.gap_min = 20 * MS;
		l.gap_max = rnd_chance(50) ? 100 * MS : 3 * l.detect;
		start(&l);
		live(&l, l.now + 200 * l.detect, true);
		assert_true(l.suspect_at == NEVER);
		assert_true(l.d.stalls > 0);
	}
}

/* The bench's rig: a hog and 5 % loss, detect_ms 500 with its ack timeout of 67 ms. */
static void a_hog_and_loss_together_make_no_false_alarm(void **state)
{
	int round;

	for (round = 0; round < 500; round++) {
		struct life l = {
			.detect = 500 * MS, .interval = 100 * MS, .late_max = 4 * MS,
			.rtt_max = MS, .loss = 5, .ack_timeout = 67 * MS,
			.stall_max = 450 * MS, .gap_min = 100 * MS, .gap_max = 1000 * MS,
		};

		start(&l);
		live(&l, l.now + 600 * l.interval, true);
		/* four losses in a row are 6 in a million, and no fault of the detector's */
		if (l.suspect_at != NEVER)
			assert_true(l.answer == NEVER || l.answer - l.d.posted_ns > 201 * MS);
	}
}

static void a_dead_peer_is_seen_in_time(void **state)
{
	int round;

	for (round = 0; round < 3000; round++) {
		struct life l = { .detect = any_detect(), .late_max = RMC_LATE_NS };

		l.interval = l.detect / 5;
		l.rtt_max = l.detect / 20;
		start(&l);
		l.death = l.now + rnd_range(0, 10 * l.detect);
		live(&l, l.death + 10 * l.detect, false);
		assert_true(l.down_at <= l.death + l.detect + l.detect / 5 + 50 * MS);
		/* not a bit too early, and SUSPECT comes first */
		assert_true(l.down_at >= l.d.posted_ns + l.detect);
		assert_true(l.suspect_at >= l.d.posted_ns + l.detect * 4 / 5);
		assert_true(l.suspect_at < l.down_at);
	}
}

static void a_stretched_interval_costs_no_more_than_itself(void **state)
{
	int round;

	for (round = 0; round < 1000; round++) {
		struct life l = { .detect = any_detect(), .late_max = RMC_LATE_NS };

		l.interval = l.detect * 3 / 5;
		l.rtt_max = l.detect / 20;
		start(&l);
		l.death = l.now + rnd_range(0, 10 * l.detect);
		live(&l, l.death + 10 * l.detect, false);
		assert_true(l.down_at <= l.death + l.detect + l.interval + 50 * MS);
	}
}

/* The price of forgiveness: what was stalled, and one tick. */
static void stalls_postpone_the_end_by_no_more_than_they_last(void **state)
{
	int round;

	for (round = 0; round < 3000; round++) {
		struct life l = { .detect = any_detect(), .late_max = RMC_LATE_NS };

		l.interval = l.detect / 5;
		l.rtt_max = l.detect / 20;
		l.stall_max = rnd_range(5 * MS, 2 * l.detect);
		l.gap_min = 2 * MS;
		l.gap_max = rnd_range(l.gap_min, 2 * l.detect);
		start(&l);
		l.death = l.now + rnd_range(0, 10 * l.detect);
		live(&l, l.death + 1000 * l.detect, false);
		assert_true(l.down_at != NEVER);
		/* the stall that it may have ended in is not in the sum yet */
		if (l.stall_from < l.down_at)
			l.stalled += l.down_at - l.stall_from;
		assert_true(l.down_at <= l.death + l.detect + 2 * l.interval + 50 * MS + l.stalled);
		assert_true(l.down_at >= l.d.posted_ns + l.detect);
	}
}

static void suspect_comes_before_down_unless_time_jumps(void **state)
{
	int round;

	for (round = 0; round < 2000; round++) {
		struct life l = { .detect = any_detect(), .late_max = 19 * MS };

		l.interval = l.detect / 5;
		l.rtt_max = l.detect / 20;
		start(&l);
		l.death = l.now + rnd_range(0, 3 * l.detect);
		live(&l, l.death + 10 * l.detect, true);
		assert_true(l.suspect_at != NEVER);
		assert_true(l.down_at == NEVER);
	}
}

/* The hog's stalls must not change the rate at other times. */
static void c16_probes_keep_their_rate_between_stalls(void **state)
{
	struct life l = {
		.detect = 500 * MS, .interval = 100 * MS, .rtt_max = 50 * MS,
		.stall_max = 450 * MS, .gap_min = 2000 * MS, .gap_max = 4000 * MS,
	};
	u64 from;

	start(&l);
	from = l.now;
	live(&l, l.now + 600000 * MS, true);
	assert_true(l.suspect_at == NEVER);
	/* at most one interval and the stall are lost each time, and nothing is made up for */
	assert_true(l.probes <= (l.now - from) / l.interval);
	assert_true(l.probes >= (l.now - from) / l.interval * 75 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_peer_that_answers_is_never_suspected),
		cmocka_unit_test(c16_a_hog_on_every_cpu_makes_no_false_alarm),
		cmocka_unit_test(a_hog_and_loss_together_make_no_false_alarm),
		cmocka_unit_test(a_dead_peer_is_seen_in_time),
		cmocka_unit_test(a_stretched_interval_costs_no_more_than_itself),
		cmocka_unit_test(stalls_postpone_the_end_by_no_more_than_they_last),
		cmocka_unit_test(suspect_comes_before_down_unless_time_jumps),
		cmocka_unit_test(c16_probes_keep_their_rate_between_stalls),
	};

	rnd_start("stalls");
	return cmocka_run_group_tests_name("stalls", tests, NULL, NULL);
}
