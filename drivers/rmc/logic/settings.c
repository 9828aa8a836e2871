// SPDX-License-Identifier: GPL-2.0
/* Limits of the settings, and the values that follow from detect_ms. */
#include "types.h"
#include "settings.h"
#include <uapi/rdma/rmc.h>

/* Longer does not fit into what msecs_to_jiffies() takes for a finite time. */
#define FOREVER_MS		0x7fffffff

#define ACK_TIMEOUT_MIN		8
#define ACK_TIMEOUT_MAX		31
#define DETECT_IWARP_MIN_MS	1000

struct limit {
	const char	*name;
	size_t		offset;
	u32		min;
	u32		max;
	const char	*wrong;
};

#define LIMIT(member, low, high, text) {			\
	.name = #member,					\
	.offset = offsetof(struct rmc_settings, member),	\
	.min = (low),						\
	.max = (high),						\
	.wrong = #member " must be " text,			\
}

static const struct limit limits[RMC_S_MAX] = {
	[RMC_S_CONNECT_MS] = LIMIT(connect_ms, 1, 60000, "from 1 to 60000"),
	[RMC_S_FAIL_FAST_MS] = LIMIT(fail_fast_ms, 0, FOREVER_MS, "at most 2147483647"),
	[RMC_S_LOSS_MS] = LIMIT(loss_ms, 0, FOREVER_MS, "at most 2147483647"),
	[RMC_S_MAX_ATTEMPTS] = LIMIT(max_attempts, 0, ~0U, "a number"),
	[RMC_S_BACKOFF_MIN_MS] = LIMIT(backoff_min_ms, 1, 600000, "from 1 to 600000"),
	[RMC_S_BACKOFF_MAX_MS] = LIMIT(backoff_max_ms, 1, 600000, "from 1 to 600000"),
	[RMC_S_DETECT_MS] = LIMIT(detect_ms, 100, 60000, "from 100 to 60000"),
	[RMC_S_CONNS] = LIMIT(conns, 1, RMC_MAX_CONNS, "from 1 to 64"),
	[RMC_S_DEPTH] = LIMIT(depth, 1, 65536, "from 1 to 65536"),
	[RMC_S_TOS] = LIMIT(tos, 0, 255, "at most 255"),
	[RMC_S_ACK_TIMEOUT] = LIMIT(ack_timeout, ACK_TIMEOUT_MIN, ACK_TIMEOUT_MAX,
				    "from 8 to 31, or 0 to follow from detect_ms"),
	[RMC_S_RNR_TIMER] = LIMIT(rnr_timer, 1, 31, "from 1 to 31"),
	[RMC_S_RETRY_COUNT] = LIMIT(retry_count, 0, 6, "at most 6"),
};

static u32 value_of(const struct rmc_settings *s, const struct limit *limit)
{
	return *(const u32 *)((const u8 *)s + limit->offset);
}

static const char *blame(enum rmc_setting *which, enum rmc_setting setting, const char *why)
{
	*which = setting;
	return why;
}

const char *rmc_settings_check(const struct rmc_settings *s, enum rmc_setting *which)
{
	unsigned int i;

	for (i = 0; i < RMC_S_MAX; i++) {
		u32 value = value_of(s, &limits[i]);

		if (i == RMC_S_ACK_TIMEOUT && !value)
			continue;
		if (value < limits[i].min || value > limits[i].max)
			return blame(which, i, limits[i].wrong);
	}

	if (s->backoff_max_ms < s->backoff_min_ms)
		return blame(which, RMC_S_BACKOFF_MAX_MS,
			     "backoff_max_ms must not be below backoff_min_ms");
	if (s->loss_ms && s->loss_ms < s->fail_fast_ms)
		return blame(which, RMC_S_LOSS_MS,
			     "loss_ms must be 0 or not below fail_fast_ms");
	/* the repetition goes out after one ack timeout and is answered within another */
	if (s->ack_timeout &&
	    2 * rmc_ack_timeout_ns(s->ack_timeout) > s->detect_ms * RMC_NS_PER_MS)
		return blame(which, RMC_S_ACK_TIMEOUT,
			     "ack_timeout is too long: no packet would be repeated within detect_ms");
	return NULL;
}

const char *rmc_setting_name(enum rmc_setting which)
{
	return (u32)which < RMC_S_MAX ? limits[which].name : "unknown";
}

u32 rmc_detect_effective_ms(u32 detect_ms, bool iwarp)
{
	return iwarp && detect_ms < DETECT_IWARP_MIN_MS ? DETECT_IWARP_MIN_MS : detect_ms;
}

u8 rmc_ack_timeout_for(u32 detect_ms)
{
	u64 limit_ns = detect_ms * RMC_NS_PER_MS;
	u8 n = ACK_TIMEOUT_MAX;

	while (n > ACK_TIMEOUT_MIN && 6 * rmc_ack_timeout_ns(n) > limit_ns)
		n--;
	return n;
}

u64 rmc_ack_timeout_ns(u8 exponent)
{
	return 4096ULL << (exponent < ACK_TIMEOUT_MAX ? exponent : ACK_TIMEOUT_MAX);
}

u64 rmc_probe_interval_ns(u32 detect_ms, u32 paths, u32 budget, bool *over)
{
	u64 detect_ns = detect_ms * RMC_NS_PER_MS;
	u64 interval_ns = div_u64(detect_ns, 5);
	u64 longest_ns = div_u64(detect_ns * 3, 5);
	u64 share_ns = 0;

	/* rounded up, or the paths together would pass the budget by a hair */
	if (budget)
		share_ns = div_u64(paths * RMC_NS_PER_S + budget - 1, budget);
	*over = share_ns > longest_ns;
	if (*over)
		return longest_ns;
	return share_ns > interval_ns ? share_ns : interval_ns;
}
