// SPDX-License-Identifier: GPL-2.0
/* Waits between attempts, deadlines within one, and the token bucket. */
#include "types.h"
#include "backoff.h"

/* @value doubled @times times, stopping at @ceiling, which it may start above. */
static u32 double_up_to(u32 value, u32 times, u32 ceiling)
{
	while (times-- && value < ceiling)
		value = value > ceiling / 2 ? ceiling : value * 2;
	return value < ceiling ? value : ceiling;
}

u32 rmc_backoff_cap_ms(u32 min_ms, u32 max_ms, u32 failures, u64 outage_ms)
{
	u32 ceiling = max_ms;

	if (outage_ms < RMC_EARLY_MS && ceiling > RMC_BACKOFF_EARLY_MS)
		ceiling = RMC_BACKOFF_EARLY_MS;
	if (!min_ms)
		min_ms = 1;
	if (ceiling < min_ms)
		ceiling = min_ms;
	return double_up_to(min_ms, failures ? failures - 1 : 0, ceiling);
}

u64 rmc_backoff_jitter_ns(u32 cap_ms, u32 random)
{
	u64 span = cap_ms * RMC_NS_PER_MS + 1;	/* so that the cap itself can come up */

	/* (span * random) >> 32 would need 84 bits; in halves it fits */
	return (span >> 32) * random + (((span & 0xffffffff) * random) >> 32);
}

u32 rmc_answer_ms(u32 last_us, u32 timeouts, u64 outage_ms, u32 left_ms)
{
	u32 ceiling = ~0U;
	u32 ms = RMC_ANSWER_MAX_MS;

	if (last_us) {
		u64 four = div_u64(4ULL * last_us + 999, 1000);

		if (four < RMC_ANSWER_MIN_MS)
			ms = RMC_ANSWER_MIN_MS;
		else if (four < RMC_ANSWER_MAX_MS)
			ms = four;
		if (outage_ms < RMC_EARLY_MS)
			ceiling = ms > RMC_ANSWER_EARLY_MS ? ms : RMC_ANSWER_EARLY_MS;
	}
	if (left_ms < ceiling)
		ceiling = left_ms;
	ms = double_up_to(ms, timeouts, ceiling);
	return ms ? ms : 1;
}

u32 rmc_addr_timeout_ms(u32 n, u32 left_ms)
{
	u32 ceiling = left_ms < RMC_ADDR_MAX_MS ? left_ms : RMC_ADDR_MAX_MS;
	u32 ms = double_up_to(RMC_ADDR_MIN_MS, n, ceiling);

	return ms ? ms : 1;
}

/* Rounded up: a rate that does not divide a second is undercut, never passed. */
static u64 token_ns(const struct rmc_bucket *b)
{
	return div_u64(RMC_NS_PER_S + b->rate - 1, b->rate);
}

static u64 bucket_full_ns(const struct rmc_bucket *b)
{
	return token_ns(b) * (b->burst ? b->burst : 1);
}

void rmc_bucket_init(struct rmc_bucket *b, u32 rate, u32 burst, u64 now_ns)
{
	b->rate = rate;
	b->burst = burst;
	b->last_ns = now_ns;
	b->tokens_ns = rate ? bucket_full_ns(b) : 0;
}

u64 rmc_bucket_take(struct rmc_bucket *b, u64 now_ns)
{
	u64 cost, full, room;

	if (!b->rate) {
		/* or a limit set later would find the unlimited time as credit */
		b->tokens_ns = 0;
		b->last_ns = now_ns;
		return 0;
	}

	cost = token_ns(b);
	full = bucket_full_ns(b);
	if (b->tokens_ns > full)
		b->tokens_ns = full;
	/* callers read the clock before they get the lock, so it may seem to go back */
	if (now_ns > b->last_ns) {
		room = full - b->tokens_ns;
		b->tokens_ns += now_ns - b->last_ns < room ? now_ns - b->last_ns : room;
		b->last_ns = now_ns;
	}
	if (b->tokens_ns < cost)
		return cost - b->tokens_ns;
	b->tokens_ns -= cost;
	return 0;
}
