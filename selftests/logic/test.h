/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all logic tests share: cmocka, and random numbers that can be repeated.
 */
#ifndef RMC_TEST_H
#define RMC_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "types.h"

#define MS	RMC_NS_PER_MS

static u64 rnd_state;

static inline u32 rnd(void)
{
	u64 z = rnd_state += 0x9e3779b97f4a7c15ULL;	/* splitmix64 (Steele et al., 2014) */

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (z ^ (z >> 31)) >> 32;
}

/* Uniform in [low, high]. */
static inline u64 rnd_range(u64 low, u64 high)
{
	u64 r = (u64)rnd() << 32;

	return low + (r | rnd()) % (high - low + 1);
}

static inline bool rnd_chance(u32 percent)
{
	return rnd() % 100 < percent;
}

static inline void rnd_start(const char *what)
{
	const char *seed = getenv("RMC_SEED");

	rnd_state = seed ? strtoull(seed, NULL, 0) : (u64)time(NULL);
	printf("# %s: RMC_SEED=%llu\n", what, rnd_state);
	fflush(stdout);
}

#endif /* RMC_TEST_H */
