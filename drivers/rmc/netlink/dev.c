// SPDX-License-Identifier: GPL-2.0
/*
 * dev-get: the devices that rmc may use, and their budgets.
 */
#include "netlink.h"

static int put_dev(struct sk_buff *skb, const struct rmc_dev_info *info)
{
	if (nla_put_string(skb, RMC_A_DEV_NAME, info->name) ||
	    nla_put_u32(skb, RMC_A_DEV_STATE,
			info->alive ? RMC_DEV_STATE_ALIVE : RMC_DEV_STATE_DEAD) ||
	    nla_put_u32(skb, RMC_A_DEV_PATHS, info->paths) ||
	    nla_put_u32(skb, RMC_A_DEV_ATTEMPTS_PER_S, info->attempts_per_s) ||
	    nla_put_u32(skb, RMC_A_DEV_PROBES_PER_S, info->probes_per_s) ||
	    nla_put_u32(skb, RMC_A_DEV_ATTEMPTS_WAITING, info->attempts_waiting) ||
	    nla_put_u32(skb, RMC_A_DEV_ORPHANS, info->orphans))
		return -EMSGSIZE;
	return 0;
}

/* The cursor is a position: a device that goes meanwhile may hide another. */
int rmc_nl_dev_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct rmc_nl_cursor *at = (struct rmc_nl_cursor *)cb->ctx;
	struct net *net = sock_net(skb->sk);
	struct rmc_dev_info info;
	void *hdr;

	for (; !rmc_dev_info(net, at->ep, &info); at->ep++) {
		hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				  &rmc_nl_family, NLM_F_MULTI, RMC_CMD_DEV_GET);
		if (!hdr)
			break;
		if (put_dev(skb, &info)) {
			genlmsg_cancel(skb, hdr);
			break;
		}
		genlmsg_end(skb, hdr);
	}
	return skb->len;
}
