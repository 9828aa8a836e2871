/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only thing logic/ takes from its surroundings: integer types. The same
 * files build into the module, the userspace tests and the simulator.
 */
#ifndef RMC_LOGIC_TYPES_H
#define RMC_LOGIC_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/array_size.h>
#else
#include <stdbool.h>
#include <stddef.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed long long s64;

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static inline u64 div_u64(u64 n, u32 d)
{
	return n / d;
}

static inline u64 div64_u64(u64 n, u64 d)
{
	return n / d;
}
#endif

#define RMC_NS_PER_MS	1000000ULL
#define RMC_NS_PER_US	1000ULL
#define RMC_NS_PER_S	1000000000ULL

#endif /* RMC_LOGIC_TYPES_H */
