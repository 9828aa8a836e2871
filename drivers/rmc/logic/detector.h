/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: is the peer still there?
 *
 * One detector per path that is up. Probes go out one at a time; the age of
 * the oldest unanswered one decides. Everything that proves the peer alive
 * (an answered probe, rmc_conn_note_rx(), session traffic) sets the clock back.
 *
 *	age >= 0.8 x detect_ms	SUSPECT: no new work, not torn down yet
 *	age >= detect_ms	DOWN
 *
 * The age counts from when the probe went out or from the last other proof,
 * whichever is later; the probe stays outstanding when other proof comes.
 *
 * A timer that runs late, because this side's CPU was busy, says nothing about
 * the peer: by how much it was late beyond RMC_LATE_NS is taken off the age of
 * the outstanding probe. The peer's answer may be waiting behind the same busy
 * CPU, so after such a stall what is left until SUSPECT is filled up to one
 * tick (detect_ms / 5, or the interval if that is shorter), by at most what the
 * timer was late and by at most one tick for each silence. So a dead peer is
 * seen at most the sum of the stalls plus one tick later than without them.
 *
 * The part of a stall before the timer was due cannot be seen. That is why the
 * timer ticks while a probe is outstanding.
 *
 * All times are CLOCK_MONOTONIC in ns, given by the caller.
 */
#ifndef RMC_LOGIC_DETECTOR_H
#define RMC_LOGIC_DETECTOR_H

#include "types.h"

/* A timer this much late is ordinary scheduling, not a stall. */
#define RMC_LATE_NS	(10 * RMC_NS_PER_MS)

enum rmc_verdict {
	RMC_VERDICT_OK,
	RMC_VERDICT_SUSPECT,
	RMC_VERDICT_DOWN,
};

struct rmc_detector {
	u64	detect_ns;
	u64	interval_ns;	/* between probes while answers come */
	u64	proof_ns;	/* when the peer was last known to be there */
	u64	sent_ns;	/* when the one outstanding went out, shifted by stalls; 0: none */
	u64	posted_ns;	/* when the last probe went out, unshifted */
	u64	expect_ns;	/* when rmc_detector_check() is due next; 0: not armed */
	u64	stalls;		/* how often this side was late */
	bool	can_probe;	/* false: only proofs and explicit suspicion count */
	bool	suspected;	/* carrier lost: SUSPECT at once, DOWN after detect_ns */
	u64	suspect_ns;	/* when the suspicion was raised, shifted by stalls */
	u64	raised_ns;	/* the same, unshifted: proof older than this lifts nothing */
	u64	grace_ns;	/* how much filling up this silence still gets */
};

/* Starts at @now with the peer just proven. */
void rmc_detector_start(struct rmc_detector *d, u32 detect_ms, u64 interval_ns,
			bool can_probe, u64 now);
/* The interval or detect_ms changed while running. */
void rmc_detector_tune(struct rmc_detector *d, u32 detect_ms, u64 interval_ns);
/* A probe went out. */
void rmc_detector_sent(struct rmc_detector *d, u64 now);
/*
 * The outstanding probe was answered at @now; returns its round trip in ns, 0 if
 * none was outstanding. It proves that the peer was there when the probe went
 * out, so probes keep their interval whatever the round trip.
 */
u64 rmc_detector_answered(struct rmc_detector *d, u64 now);
/*
 * Other proof at @when (may be older than what is known: then ignored). It also
 * puts off the next probe to an interval later.
 */
void rmc_detector_proof(struct rmc_detector *d, u64 when);
/*
 * Something local hints at a dead path (carrier lost): SUSPECT now and DOWN
 * detect_ms after the first hint, unless it is lifted or, after it was raised,
 * the peer proves itself. Where probes are possible one is due at once.
 */
void rmc_detector_suspect(struct rmc_detector *d, u64 now);
void rmc_detector_lift(struct rmc_detector *d, u64 now);
/* True if a probe is to be sent now (none outstanding and the interval is over). */
bool rmc_detector_wants_probe(const struct rmc_detector *d, u64 now);
/*
 * The verdict at @now; @scheduled says that the call comes from the timer that
 * was armed for expect_ns, which is then used up. Any other call is welcome at
 * any time; one that finds the timer overdue judges its lateness too, for after
 * a stall nobody knows which work runs first. Order for a caller: check, then
 * post a probe if one is wanted, then next. Without can_probe and suspicion the
 * verdict is always OK.
 */
enum rmc_verdict rmc_detector_check(struct rmc_detector *d, u64 now, bool scheduled);
/*
 * When the next check is due, absolute and always after @now; also stored as
 * expect_ns, so the caller has to arm its timer for exactly that. Call it again
 * after anything that may bring it forward (sent, suspect, tune); after an
 * answer or other proof it may stay as it was.
 */
u64 rmc_detector_next(struct rmc_detector *d, u64 now);

#endif /* RMC_LOGIC_DETECTOR_H */
