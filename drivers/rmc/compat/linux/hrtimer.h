/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RMC_COMPAT_LINUX_HRTIMER_H
#define RMC_COMPAT_LINUX_HRTIMER_H

#include_next <linux/hrtimer.h>
#include <linux/version.h>

/* 6.13 gives a timer its function when it is set up. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif /* RMC_COMPAT_LINUX_HRTIMER_H */
