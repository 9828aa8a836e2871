// SPDX-License-Identifier: GPL-2.0
/*
 * Pieces that several answers share. What is not known is left out, so a reader
 * never takes a zero for a measurement. All return 0 or -EMSGSIZE.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include "netlink.h"

int rmc_nl_put_reason(struct sk_buff *skb, int type, const struct rmc_reason *reason)
{
	struct nlattr *nest;

	if (reason->code == RMC_REASON_NONE)
		return 0;
	nest = nla_nest_start(skb, type);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, RMC_A_REASON_CODE, reason->code) ||
	    nla_put_u32(skb, RMC_A_REASON_ERRNO, abs(reason->err)) ||
	    nla_put_u32(skb, RMC_A_REASON_REJ, reason->rej)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

int rmc_nl_put_stats(struct sk_buff *skb, int type, const struct rmc_ep_stats *stats)
{
	const struct {
		int	type;
		u64	value;
	} all[] = {
		{ RMC_A_STATS_ATTEMPTS,		stats->attempts },
		{ RMC_A_STATS_FAILURES,		stats->failures },
		{ RMC_A_STATS_CONNECTS,		stats->connects },
		{ RMC_A_STATS_LOSSES,		stats->losses },
		{ RMC_A_STATS_PROBES,		stats->probes },
		{ RMC_A_STATS_PROBE_ERRORS,	stats->probe_errors },
		{ RMC_A_STATS_SUSPECTS,		stats->suspects },
		{ RMC_A_STATS_STALLS,		stats->stalls },
		{ RMC_A_STATS_WAKEUPS,		stats->wakeups },
		{ RMC_A_STATS_BAD_EVENTS,	stats->bad_events },
		{ RMC_A_STATS_ORPHANS,		stats->orphans },
	};
	struct nlattr *nest;
	int i;

	nest = nla_nest_start(skb, type);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		if (nla_put_u64_64bit(skb, all[i].type, all[i].value, RMC_A_STATS_PAD)) {
			nla_nest_cancel(skb, nest);
			return -EMSGSIZE;
		}
	}
	nla_nest_end(skb, nest);
	return 0;
}

int rmc_nl_put_settings(struct sk_buff *skb, const struct rmc_ep_attr *attr)
{
	const u32 values[RMC_A_SETTINGS_MAX] = {
		attr->connect_ms, attr->fail_fast_ms, attr->loss_ms, attr->max_attempts,
		attr->backoff_min_ms, attr->backoff_max_ms, attr->detect_ms, attr->conns,
		attr->depth, attr->tos, attr->ack_timeout, attr->rnr_timer, attr->retry_count,
	};
	struct nlattr *nest;
	int type;

	BUILD_BUG_ON(RMC_A_SETTINGS_RETRY_COUNT != 13);
	nest = nla_nest_start(skb, RMC_A_EP_SETTINGS);
	if (!nest)
		return -EMSGSIZE;
	for (type = RMC_A_SETTINGS_CONNECT_MS; type <= RMC_A_SETTINGS_RETRY_COUNT; type++)
		if (nla_put_u32(skb, type, values[type - 1]))
			goto cancel;
	if (attr->private_data_len &&
	    nla_put(skb, RMC_A_SETTINGS_PRIVATE_DATA, attr->private_data_len, attr->private_data))
		goto cancel;
	nla_nest_end(skb, nest);
	return 0;

cancel:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

static int put_addr(struct sk_buff *skb, const struct sockaddr_storage *addr, int type, int scope,
		    int port)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;

	switch (addr->ss_family) {
	case AF_INET:
		if (nla_put(skb, type, sizeof(in->sin_addr), &in->sin_addr) ||
		    (port && nla_put_be16(skb, port, in->sin_port)))
			return -EMSGSIZE;
		return 0;
	case AF_INET6:
		if (nla_put(skb, type, sizeof(in6->sin6_addr), &in6->sin6_addr) ||
		    (in6->sin6_scope_id && nla_put_u32(skb, scope, in6->sin6_scope_id)) ||
		    (port && nla_put_be16(skb, port, in6->sin6_port)))
			return -EMSGSIZE;
		return 0;
	default:
		return 0;
	}
}

/* What is only sometimes there. */
static int put_known(struct sk_buff *skb, const struct rmc_path_info *info)
{
	if (info->dev[0] && nla_put_string(skb, RMC_A_PATH_DEV, info->dev))
		return -EMSGSIZE;
	if (info->depth && nla_put_u32(skb, RMC_A_PATH_DEPTH, info->depth))
		return -EMSGSIZE;
	if (info->usable_private_data >= 0 &&
	    nla_put_u32(skb, RMC_A_PATH_USABLE_PRIVATE_DATA, info->usable_private_data))
		return -EMSGSIZE;
	if (info->rtt_us && nla_put_u32(skb, RMC_A_PATH_RTT_US, info->rtt_us))
		return -EMSGSIZE;
	if (info->connect_us && nla_put_u32(skb, RMC_A_PATH_CONNECT_US, info->connect_us))
		return -EMSGSIZE;
	if ((info->state == RMC_PATH_UP || info->state == RMC_PATH_SUSPECT) &&
	    nla_put_u64_64bit(skb, RMC_A_PATH_UP_MS, info->up_ms, RMC_A_PATH_PAD))
		return -EMSGSIZE;
	if (info->wait_ms &&
	    nla_put_u64_64bit(skb, RMC_A_PATH_WAIT_MS, info->wait_ms, RMC_A_PATH_PAD))
		return -EMSGSIZE;
	return 0;
}

/* Leaves @skb as it was if the path does not fit. */
int rmc_nl_put_path(struct sk_buff *skb, const struct rmc_path_info *info)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, RMC_A_EP_PATH);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, RMC_A_PATH_ID, info->id) ||
	    put_addr(skb, &info->dst, RMC_A_PATH_DST, RMC_A_PATH_DST_IFINDEX,
		     RMC_A_PATH_DST_PORT) ||
	    put_addr(skb, &info->src, RMC_A_PATH_SRC, RMC_A_PATH_SRC_IFINDEX, 0) ||
	    nla_put_u32(skb, RMC_A_PATH_PRIORITY, info->priority) ||
	    nla_put_u32(skb, RMC_A_PATH_WEIGHT, info->weight) ||
	    nla_put_u8(skb, RMC_A_PATH_DOWN, info->down) ||
	    nla_put_u32(skb, RMC_A_PATH_STATE, info->state) ||
	    rmc_nl_put_reason(skb, RMC_A_PATH_REASON, &info->reason) ||
	    nla_put_u32(skb, RMC_A_PATH_GENERATION, info->generation) ||
	    nla_put_u64_64bit(skb, RMC_A_PATH_ATTEMPTS, info->attempts, RMC_A_PATH_PAD) ||
	    nla_put_u32(skb, RMC_A_PATH_FAILURES, info->failures) ||
	    nla_put_u32(skb, RMC_A_PATH_CONNS_UP, info->conns_up) ||
	    nla_put_u32(skb, RMC_A_PATH_ORPHANS, info->orphans) ||
	    nla_put_u32(skb, RMC_A_PATH_DETECT_MS, info->detect_ms) ||
	    nla_put_u32(skb, RMC_A_PATH_PROBE_INTERVAL_MS, info->probe_interval_ms) ||
	    nla_put_u32(skb, RMC_A_PATH_ACK_TIMEOUT, info->ack_timeout) ||
	    nla_put_u32(skb, RMC_A_PATH_PROBE, info->probe) ||
	    nla_put_u32(skb, RMC_A_PATH_INFLIGHT, info->inflight) ||
	    nla_put_u64_64bit(skb, RMC_A_PATH_SINCE_NS, info->since_ns, RMC_A_PATH_PAD) ||
	    put_known(skb, info) ||
	    rmc_nl_put_stats(skb, RMC_A_PATH_STATS, &info->stats)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}
