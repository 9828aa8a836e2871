/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: how long to wait before the next attempt, and how long for this one
 *
 * Both are full of numbers that an outage is felt by, so both are pure
 * functions: the simulator runs these very files with 100,000 endpoints.
 */
#ifndef RMC_LOGIC_BACKOFF_H
#define RMC_LOGIC_BACKOFF_H

#include "types.h"

/* An outage younger than this is probed eagerly. */
#define RMC_EARLY_MS		120000
/* Ceiling of the wait between attempts while an outage is young. */
#define RMC_BACKOFF_EARLY_MS	500
/* Bounds of the first deadline for an answer to a connection request. */
#define RMC_ANSWER_MIN_MS	250
#define RMC_ANSWER_MAX_MS	1000
/* Where doubling it ends while an outage is young and the peer known to be quick. */
#define RMC_ANSWER_EARLY_MS	750
/*
 * Resolving an address is asked again after this, doubling to the maximum. The
 * core may lose the event that would answer a question, which then sleeps for
 * its whole time, so a long one would only be found out late.
 */
#define RMC_ADDR_MIN_MS		50
#define RMC_ADDR_MAX_MS		200

/*
 * Upper bound of the wait before attempt number @failures + 1, in ms:
 * min_ms doubled per failure in a row (the first wait, after 1 failure, is
 * min_ms), at most RMC_BACKOFF_EARLY_MS while the outage is younger than
 * RMC_EARLY_MS (but never below min_ms), at most max_ms later. Never 0.
 */
u32 rmc_backoff_cap_ms(u32 min_ms, u32 max_ms, u32 failures, u64 outage_ms);

/*
 * Full jitter (Brooker, "Exponential Backoff And Jitter", 2015): uniform in
 * [0, cap_ms] in ns, picked by 32 random bits.
 */
u64 rmc_backoff_jitter_ns(u32 cap_ms, u32 random);

/*
 * How long to wait for the answer to a connection request, in ms: four times
 * what the last successful exchange took (@last_us, 0: there was none, then
 * RMC_ANSWER_MAX_MS), within [RMC_ANSWER_MIN_MS, RMC_ANSWER_MAX_MS], doubled
 * for each @timeouts in a row. For a peer that has answered before, doubling
 * ends at RMC_ANSWER_EARLY_MS while the outage is younger than RMC_EARLY_MS: a
 * request lost in the outage must not delay the one that would get through. Never
 * more than @left_ms, what is left of connect_ms; never 0.
 */
u32 rmc_answer_ms(u32 last_us, u32 timeouts, u64 outage_ms, u32 left_ms);

/* Timeout of the @n-th (from 0) request to resolve one address, in ms. */
u32 rmc_addr_timeout_ms(u32 n, u32 left_ms);

/*
 * Token bucket, time in ns. @rate per second, 0 for no limit; holds at most
 * @burst, at least one. Initialise with rmc_bucket_init(), which fills it; a
 * changed rate takes effect at the next take without losing the time that has
 * accumulated (only more than a burst of the new rate is dropped).
 */
struct rmc_bucket {
	u32	rate;
	u32	burst;
	u64	tokens_ns;	/* accumulated credit; one token is 1e9 / rate */
	u64	last_ns;
};

void rmc_bucket_init(struct rmc_bucket *b, u32 rate, u32 burst, u64 now_ns);
/* Takes a token and returns 0, or takes none and returns the ns until one is there. */
u64 rmc_bucket_take(struct rmc_bucket *b, u64 now_ns);

#endif /* RMC_LOGIC_BACKOFF_H */
