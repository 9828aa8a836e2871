/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: settings, their limits, and what follows from detect_ms
 */
#ifndef RMC_LOGIC_SETTINGS_H
#define RMC_LOGIC_SETTINGS_H

#include "types.h"

/* Lowest and highest that a setting may be; settings_check() reads them. */
struct rmc_settings {
	u32	connect_ms;
	u32	fail_fast_ms;
	u32	loss_ms;
	u32	max_attempts;
	u32	backoff_min_ms;
	u32	backoff_max_ms;
	u32	detect_ms;
	u32	conns;
	u32	depth;
	u32	tos;
	u32	ack_timeout;	/* 0: derived from detect_ms */
	u32	rnr_timer;
	u32	retry_count;
};

/* Index of a setting, for error messages; order of struct rmc_settings. */
enum rmc_setting {
	RMC_S_CONNECT_MS,
	RMC_S_FAIL_FAST_MS,
	RMC_S_LOSS_MS,
	RMC_S_MAX_ATTEMPTS,
	RMC_S_BACKOFF_MIN_MS,
	RMC_S_BACKOFF_MAX_MS,
	RMC_S_DETECT_MS,
	RMC_S_CONNS,
	RMC_S_DEPTH,
	RMC_S_TOS,
	RMC_S_ACK_TIMEOUT,
	RMC_S_RNR_TIMER,
	RMC_S_RETRY_COUNT,
	RMC_S_MAX,
};

/*
 * Checks every value and the combinations (backoff_max_ms >= backoff_min_ms;
 * loss_ms, where set, >= fail_fast_ms; the ack timeout, where set, short enough
 * that one repetition fits into detect_ms).
 * Returns NULL if all is well, else a sentence that says what is wrong, with
 * @which the setting to blame. The sentence is a constant.
 */
const char *rmc_settings_check(const struct rmc_settings *s, enum rmc_setting *which);

const char *rmc_setting_name(enum rmc_setting which);

/* Effective detection time: detect_ms, at least 1000 ms on iWARP. */
u32 rmc_detect_effective_ms(u32 detect_ms, bool iwarp);

/*
 * Local ack timeout exponent: largest n with 4.096 us x 2^n <= detect_ms / 6
 * (InfiniBand Architecture Specification, vol. 1, 9.7.6.1.3), within [8, 31], so
 * that a lost packet is repeated several times before the path is given up.
 */
u8 rmc_ack_timeout_for(u32 detect_ms);

/* 4.096 us x 2^exponent in ns; exponent up to 31. */
u64 rmc_ack_timeout_ns(u8 exponent);

/*
 * Interval between probes in ns: detect_ms / 5, stretched so that @paths of one
 * device together stay within @budget probes per second; never longer than
 * detect_ms * 3 / 5, for a path must be probed at least once before it is due
 * (then *@over is set: the budget cannot be kept).
 */
u64 rmc_probe_interval_ns(u32 detect_ms, u32 paths, u32 budget, bool *over);

#endif /* RMC_LOGIC_SETTINGS_H */
