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
 * A timer that runs late, because this side's CPU was busy, says nothing about
 * the peer: by how much it was late beyond RMC_LATE_NS is taken off the age of
 * the outstanding probe. The peer's answer may be waiting behind the same busy
 * CPU, so after such a stall a probe always gets another interval.
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
	u64	sent_ns;	/* when the outstanding probe went out, shifted by stalls; 0: none */
	u64	posted_ns;	/* the same, unshifted: for round-trip times */
	u64	expect_ns;	/* when rmc_detector_check() is due next */
	u64	stalls;		/* how often this side was late */
	bool	can_probe;	/* false: only proofs and explicit suspicion count */
	bool	suspected;	/* carrier lost: SUSPECT at once, DOWN from suspect_ns on */
	u64	suspect_ns;
};

/* Starts at @now with the peer just proven. */
void rmc_detector_start(struct rmc_detector *d, u32 detect_ms, u64 interval_ns,
			bool can_probe, u64 now);
/* The interval or detect_ms changed while running. */
void rmc_detector_tune(struct rmc_detector *d, u32 detect_ms, u64 interval_ns);
/* A probe went out. */
void rmc_detector_sent(struct rmc_detector *d, u64 now);
/* The outstanding probe was answered at @now; returns its round trip in ns. */
u64 rmc_detector_answered(struct rmc_detector *d, u64 now);
/* Other proof at @when (may be older than what is known: then ignored). */
void rmc_detector_proof(struct rmc_detector *d, u64 when);
/*
 * Something local hints at a dead path (carrier lost): SUSPECT now and DOWN
 * detect_ms later, unless it is lifted or, after it was raised, the peer proves
 * itself. Where probes are possible one is due at once.
 */
void rmc_detector_suspect(struct rmc_detector *d, u64 now);
void rmc_detector_lift(struct rmc_detector *d, u64 now);
/* True if a probe is to be sent now (none outstanding and the interval is over). */
bool rmc_detector_wants_probe(const struct rmc_detector *d, u64 now);
/*
 * The verdict at @now; @scheduled says that the call comes from the timer that
 * was armed for expect_ns, so that lateness can be judged.
 */
enum rmc_verdict rmc_detector_check(struct rmc_detector *d, u64 now, bool scheduled);
/* When the next check is due, absolute; also stored as expect_ns. */
u64 rmc_detector_next(struct rmc_detector *d, u64 now);

#endif /* RMC_LOGIC_DETECTOR_H */
