/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RMC_COMPAT_NET_GENETLINK_H
#define RMC_COMPAT_NET_GENETLINK_H

#include_next <net/genetlink.h>
#include <linux/version.h>

/* 6.7 moved a dump's attributes into the genl_info it shares with a do. */
static inline struct nlattr **rmc_compat_dump_attrs(struct netlink_callback *cb)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return genl_dumpit_info(cb)->info.attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#endif /* RMC_COMPAT_NET_GENETLINK_H */
