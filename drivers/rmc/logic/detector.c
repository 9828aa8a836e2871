// SPDX-License-Identifier: GPL-2.0
/*
 * The failure detector of a path that is up.
 *
 * What makes it more than two comparisons is that the clock it reads keeps
 * running while this side's CPU does not. How late its own timer was is the
 * only measure it has of that, and it is blind to whatever part of a stall came
 * before the timer was due. So while a probe is out the timer ticks even though
 * no limit is near: that keeps the blind part below one tick.
 */
#include "types.h"
#include "detector.h"

/* Nothing to wait for. Far away, yet safe to turn into ktime or jiffies. */
#define IDLE_NS		(3600 * RMC_NS_PER_S)

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

static u64 sooner(u64 a, u64 b)
{
	return a < b ? a : b;
}

static u64 since(u64 now, u64 then)
{
	return now > then ? now - then : 0;
}

static u64 suspect_limit_ns(const struct rmc_detector *d)
{
	return div_u64(d->detect_ns * 4, 5);
}

/* The interval may have been stretched by the budget; stalls are no cheaper then. */
static u64 tick_ns(const struct rmc_detector *d)
{
	return later(sooner(d->interval_ns, div_u64(d->detect_ns, 5)), RMC_NS_PER_MS);
}

/* From when the silence counts; only meaningful while a probe is out. */
static u64 silence_ns(const struct rmc_detector *d)
{
	return later(d->sent_ns, d->proof_ns);
}

static u64 probe_due_ns(const struct rmc_detector *d)
{
	if (d->suspected && d->posted_ns < d->raised_ns)
		return d->raised_ns;
	return later(d->posted_ns, d->proof_ns) + d->interval_ns;
}

void rmc_detector_start(struct rmc_detector *d, u32 detect_ms, u64 interval_ns,
			bool can_probe, u64 now)
{
	*d = (struct rmc_detector) {
		.can_probe = can_probe,
		.proof_ns = now,
	};
	rmc_detector_tune(d, detect_ms, interval_ns);
}

void rmc_detector_tune(struct rmc_detector *d, u32 detect_ms, u64 interval_ns)
{
	d->detect_ns = detect_ms * RMC_NS_PER_MS;
	d->interval_ns = interval_ns;
}

void rmc_detector_sent(struct rmc_detector *d, u64 now)
{
	d->sent_ns = later(now, 1);
	d->posted_ns = d->sent_ns;
	d->grace_ns = tick_ns(d);
}

u64 rmc_detector_answered(struct rmc_detector *d, u64 now)
{
	if (!d->sent_ns)
		return 0;
	d->sent_ns = 0;
	/*
	 * It may have waited in the queue for any time, so it proves no more
	 * than that the peer was there when the probe went out.
	 */
	rmc_detector_proof(d, d->posted_ns);
	return since(now, d->posted_ns);
}

void rmc_detector_proof(struct rmc_detector *d, u64 when)
{
	if (d->suspected && when >= d->raised_ns)
		d->suspected = false;
	if (when <= d->proof_ns)
		return;
	d->proof_ns = when;
	d->grace_ns = tick_ns(d);
}

void rmc_detector_suspect(struct rmc_detector *d, u64 now)
{
	/* hints that keep coming must not put off the end */
	if (d->suspected)
		return;
	d->suspected = true;
	d->raised_ns = now;
	d->suspect_ns = now;
}

void rmc_detector_lift(struct rmc_detector *d, u64 now)
{
	if (now >= d->raised_ns)
		d->suspected = false;
}

bool rmc_detector_wants_probe(const struct rmc_detector *d, u64 now)
{
	return d->can_probe && !d->sent_ns && now >= probe_due_ns(d);
}

/* Moves @base, from which a silence counts, by @ns, not past @now. */
static u64 forgive(u64 base, u64 ns, u64 now)
{
	return since(now, base) > ns ? base + ns : later(base, now);
}

static void forgive_probe(struct rmc_detector *d, u64 now)
{
	u64 base = silence_ns(d);
	u64 limit, room, grace;
	u64 late;

	late = since(now, later(d->expect_ns, base));
	if (late <= RMC_LATE_NS)
		return;
	base = forgive(base, late - RMC_LATE_NS, now);

	/*
	 * The answer may be waiting for the same CPU, so what is left until
	 * SUSPECT is filled up to a tick. The filling is bounded by the stall
	 * and by one tick in a silence: otherwise a CPU that stalls again and
	 * again would keep a dead peer alive for ever.
	 */
	limit = suspect_limit_ns(d);
	room = since(limit, since(now, base));
	if (room < tick_ns(d)) {
		/* already beyond the limit: back to it counts as well */
		grace = tick_ns(d) + since(now - base, limit) - room;
		grace = sooner(grace, sooner(late, d->grace_ns));
		d->grace_ns -= grace;
		base = forgive(base, grace, now);
	}
	d->sent_ns = base;
}

/* The news that would lift the suspicion is held up by a stall as well. */
static void forgive_suspicion(struct rmc_detector *d, u64 now)
{
	u64 late = since(now, later(d->expect_ns, d->suspect_ns));

	d->suspect_ns = forgive(d->suspect_ns, since(late, RMC_LATE_NS), now);
}

static void judge_lateness(struct rmc_detector *d, u64 now, bool scheduled)
{
	if (d->expect_ns && since(now, d->expect_ns) > RMC_LATE_NS) {
		d->stalls++;
		if (d->sent_ns)
			forgive_probe(d, now);
		if (d->suspected)
			forgive_suspicion(d, now);
		/* the same stall must not be forgiven twice */
		d->expect_ns = now;
	}
	if (scheduled)
		d->expect_ns = 0;
}

enum rmc_verdict rmc_detector_check(struct rmc_detector *d, u64 now, bool scheduled)
{
	enum rmc_verdict verdict = RMC_VERDICT_OK;
	u64 silence;

	judge_lateness(d, now, scheduled);

	if (d->suspected) {
		if (since(now, d->suspect_ns) >= d->detect_ns)
			return RMC_VERDICT_DOWN;
		verdict = RMC_VERDICT_SUSPECT;
	}
	if (d->sent_ns) {
		silence = since(now, silence_ns(d));
		if (silence >= d->detect_ns)
			return RMC_VERDICT_DOWN;
		if (silence >= suspect_limit_ns(d))
			verdict = RMC_VERDICT_SUSPECT;
	}
	return verdict;
}

/* @when if it is still to come and before @best. */
static u64 sooner_after(u64 now, u64 best, u64 when)
{
	return when > now ? sooner(best, when) : best;
}

u64 rmc_detector_next(struct rmc_detector *d, u64 now)
{
	u64 next = now + IDLE_NS;

	if (d->suspected) {
		next = now + tick_ns(d);
		next = sooner_after(now, next, d->suspect_ns + d->detect_ns);
	}
	if (d->sent_ns) {
		next = sooner(next, now + tick_ns(d));
		next = sooner_after(now, next, silence_ns(d) + suspect_limit_ns(d));
		next = sooner_after(now, next, silence_ns(d) + d->detect_ns);
	} else if (d->can_probe) {
		u64 due = probe_due_ns(d);

		/* one that is due already could not be sent: again, not in a tight loop */
		next = sooner(next, due > now ? due : now + RMC_NS_PER_MS);
	}
	d->expect_ns = next;
	return next;
}
