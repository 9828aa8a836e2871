// SPDX-License-Identifier: GPL-2.0
/*
 * ping: one probe round trip.
 *
 * While it waits the genetlink core counts it as a running operation, and
 * registering a family waits for those; hence the upper limit. A path that dies
 * ends the wait after detect_ms anyway.
 */
#include "netlink.h"

static const char *why_not(int err)
{
	switch (err) {
	case -ENOTCONN:
		return "the path is not up";
	case -EOPNOTSUPP:
		return "the path has no probes";
	case -ETIMEDOUT:
		return "no answer";
	case -ENOENT:
		return "the endpoint has no path of that id";
	case -ESHUTDOWN:
		return "the endpoint is being deleted";
	case -EINTR:
	case -ERESTARTSYS:
		return "interrupted";
	case -EBUSY:
		return "another ping is running on this path";
	default:
		return "the probe could not be sent";
	}
}

static int reply_rtt(struct genl_info *info, const char *name, int path, u64 rtt_ns)
{
	struct sk_buff *reply;
	void *hdr;

	reply = genlmsg_new(nla_total_size(RMC_NAME_SIZE) + nla_total_size(sizeof(u32)) +
			    nla_total_size_64bit(sizeof(u64)), GFP_KERNEL);
	if (!reply)
		return rmc_nl_fail(info->extack, NULL, -ENOMEM, "out of memory");
	hdr = genlmsg_put_reply(reply, info, &rmc_nl_family, 0, RMC_CMD_PING);
	if (!hdr || nla_put_string(reply, RMC_A_PING_EP, name) ||
	    nla_put_u32(reply, RMC_A_PING_PATH, path) ||
	    nla_put_u64_64bit(reply, RMC_A_PING_RTT_NS, rtt_ns, RMC_A_PING_PAD)) {
		nlmsg_free(reply);
		return rmc_nl_fail(info->extack, NULL, -EMSGSIZE, "the answer does not fit");
	}
	genlmsg_end(reply, hdr);
	return genlmsg_reply(reply, info);
}

int rmc_nl_ping(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *path_attr = info->attrs[RMC_A_PING_PATH];
	struct nlattr *wait_attr = info->attrs[RMC_A_PING_TIMEOUT_MS];
	u32 timeout_ms = RMC_NL_PING_MS_DEFAULT;
	char name[RMC_NAME_SIZE];
	struct rmc_ep *ep;
	u64 rtt_ns = 0;
	int path = -1;
	int err;

	err = rmc_nl_admin(skb, info);
	if (err)
		return err;
	if (!info->attrs[RMC_A_PING_EP])
		return rmc_nl_missing(info->extack, NULL, RMC_A_PING_EP,
				      "the request names no endpoint");
	err = rmc_nl_name(info->extack, info->attrs[RMC_A_PING_EP], name);
	if (err)
		return err;
	if (wait_attr)
		timeout_ms = nla_get_u32(wait_attr);
	if (!timeout_ms || timeout_ms > RMC_NL_PING_MS_MAX)
		return rmc_nl_fail(info->extack, wait_attr, -EINVAL,
				   "a ping waits 1 to 10000 ms");
	if (path_attr) {
		if (nla_get_u32(path_attr) > INT_MAX)
			return rmc_nl_fail(info->extack, path_attr, -ENOENT, why_not(-ENOENT));
		path = nla_get_u32(path_attr);
	}
	ep = rmc_ep_find(genl_info_net(info), name);
	if (!ep)
		return rmc_nl_fail(info->extack, info->attrs[RMC_A_PING_EP], -ENOENT,
				   "there is no endpoint of that name");
	err = rmc_ep_ping(ep, path, &rtt_ns, timeout_ms);
	rmc_ep_put(ep);
	if (err == -ERESTARTSYS)
		err = -EINTR;
	if (err < 0)
		return rmc_nl_fail(info->extack, path_attr ?: info->attrs[RMC_A_PING_EP], err,
				   why_not(err));
	return reply_rtt(info, name, err, rtt_ns);
}
