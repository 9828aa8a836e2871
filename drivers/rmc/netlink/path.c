// SPDX-License-Identifier: GPL-2.0
/*
 * path-*: paths.
 */
#include "netlink.h"

static int put_one(struct sk_buff *skb, struct rmc_ep *ep, u32 ep_id, const struct rmc_path_info *p)
{
	if (nla_put_u32(skb, RMC_A_EP_ID, ep_id) ||
	    nla_put_string(skb, RMC_A_EP_NAME, rmc_ep_name(ep)) ||
	    rmc_nl_put_path(skb, p))
		return -EMSGSIZE;
	return 0;
}

/* Frame of its own: an endpoint's snapshot and a path's are large. */
static noinline_for_stack u32 id_of(struct rmc_ep *ep)
{
	struct rmc_ep_info info;

	rmc_ep_info(ep, &info);
	return info.id;
}

int rmc_nl_path_get(struct sk_buff *skb, struct genl_info *info)
{
	struct rmc_path_attr unused;
	struct rmc_path_info path;
	struct sk_buff *reply;
	struct rmc_ep *ep;
	int id, at, err;
	void *hdr;
	u32 mask;

	err = rmc_nl_path_ref(info, &unused, &mask, &id);
	if (err)
		return err;
	ep = rmc_nl_ep(info);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	at = id;
	if (rmc_ep_path_info(ep, &at, &path) || at != id) {
		rmc_ep_put(ep);
		return rmc_nl_fail(info->extack, info->attrs[RMC_A_EP_PATH], -ENOENT,
				   "the endpoint has no path of that id");
	}
	reply = genlmsg_new(RMC_NL_PATH_ROOM, GFP_KERNEL);
	if (!reply)
		goto put;
	hdr = genlmsg_put_reply(reply, info, &rmc_nl_family, 0, RMC_CMD_PATH_GET);
	if (!hdr || put_one(reply, ep, id_of(ep), &path))
		goto free;
	rmc_ep_put(ep);
	genlmsg_end(reply, hdr);
	return genlmsg_reply(reply, info);

free:
	nlmsg_free(reply);
put:
	rmc_ep_put(ep);
	return rmc_nl_fail(info->extack, NULL, -ENOMEM, "out of memory");
}

/* All paths of @ep from at->path on. */
static int dump_ep(struct sk_buff *skb, struct netlink_callback *cb, struct rmc_ep *ep,
		   struct rmc_nl_cursor *at)
{
	struct rmc_path_info path;
	void *hdr;

	for (; !rmc_ep_path_info(ep, &at->path, &path); at->path++) {
		hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				  &rmc_nl_family, NLM_F_MULTI, RMC_CMD_PATH_GET);
		if (!hdr)
			return -EMSGSIZE;
		genl_dump_check_consistent(cb, hdr);
		if (put_one(skb, ep, at->part, &path)) {
			genlmsg_cancel(skb, hdr);
			return -EMSGSIZE;
		}
		genlmsg_end(skb, hdr);
	}
	return 0;
}

/*
 * Finds the endpoint of a dump that is restricted to one. This is the dump's
 * start, because what fails later has no position in the extended ack of 6.1.
 */
int rmc_nl_path_dump_start(struct netlink_callback *cb)
{
	struct rmc_nl_cursor *at = (struct rmc_nl_cursor *)cb->ctx;
	struct nlattr **attrs = rmc_compat_dump_attrs(cb);
	char name[RMC_NAME_SIZE];
	struct rmc_ep *ep;
	int err;

	if (attrs[RMC_A_EP_PATH])
		return rmc_nl_fail(cb->extack, attrs[RMC_A_EP_PATH], -EINVAL,
				   "a dump of paths takes no path");
	if (!attrs[RMC_A_EP_NAME])
		return 0;
	err = rmc_nl_name(cb->extack, attrs[RMC_A_EP_NAME], name);
	if (err)
		return err;
	ep = rmc_ep_find(sock_net(cb->skb->sk), name);
	if (!ep)
		return rmc_nl_fail(cb->extack, attrs[RMC_A_EP_NAME], -ENOENT,
				   "there is no endpoint of that name");
	at->ep = id_of(ep);
	at->only = true;
	rmc_ep_put(ep);
	return 0;
}

int rmc_nl_path_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct rmc_nl_cursor *at = (struct rmc_nl_cursor *)cb->ctx;
	struct net *net = sock_net(skb->sk);
	struct rmc_ep *ep;
	u32 want;
	int err;

	cb->seq = rmc_ep_dump_seq(net) + 1;
	while (!at->end) {
		want = at->ep;
		ep = rmc_ep_next_from(net, &at->ep);
		if (!ep || (at->only && at->ep != want)) {
			if (ep)
				rmc_ep_put(ep);
			at->end = true;
			break;
		}
		if (at->part != at->ep)
			at->path = 0;
		at->part = at->ep;
		err = dump_ep(skb, cb, ep, at);
		rmc_ep_put(ep);
		if (err)
			return skb->len ? skb->len : err;
		at->path = 0;
		if (at->only || !++at->ep)
			at->end = true;
	}
	return skb->len;
}

int rmc_nl_path_new(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *nest = info->attrs[RMC_A_EP_PATH];
	struct rmc_path_attr attr;
	struct rmc_error why = {};
	struct rmc_ep *ep;
	int err;

	ep = rmc_nl_user_ep(skb, info);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	if (!nest) {
		err = rmc_nl_missing(info->extack, NULL, RMC_A_EP_PATH,
				     "a new path needs a destination");
		goto put;
	}
	err = rmc_nl_path_attr(info->extack, nest, &attr);
	if (err)
		goto put;
	err = rmc_ep_path_add(ep, &attr, &why);
	if (err < 0)
		rmc_nl_fail_path(info->extack, nest, err, &why);
	else
		err = 0;
put:
	rmc_ep_put(ep);
	return err;
}

static int change(struct sk_buff *skb, struct genl_info *info, u32 force, bool down)
{
	struct rmc_path_attr attr;
	struct rmc_error why = {};
	struct rmc_ep *ep;
	int id, err;
	u32 mask;

	ep = rmc_nl_user_ep(skb, info);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	err = rmc_nl_path_ref(info, &attr, &mask, &id);
	if (err)
		goto put;
	if (force)
		attr.down = down;
	mask |= force;
	err = rmc_ep_path_set(ep, id, &attr, mask, &why);
	if (err)
		rmc_nl_fail_path(info->extack, info->attrs[RMC_A_EP_PATH], err, &why);
put:
	rmc_ep_put(ep);
	return err;
}

int rmc_nl_path_set(struct sk_buff *skb, struct genl_info *info)
{
	return change(skb, info, 0, false);
}

int rmc_nl_path_connect(struct sk_buff *skb, struct genl_info *info)
{
	return change(skb, info, RMC_PATH_SET_DOWN, false);
}

int rmc_nl_path_disconnect(struct sk_buff *skb, struct genl_info *info)
{
	return change(skb, info, RMC_PATH_SET_DOWN, true);
}

int rmc_nl_path_del(struct sk_buff *skb, struct genl_info *info)
{
	struct rmc_path_attr unused;
	struct rmc_error why = {};
	struct rmc_ep *ep;
	int id, err;
	u32 mask;

	ep = rmc_nl_user_ep(skb, info);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	err = rmc_nl_path_ref(info, &unused, &mask, &id);
	if (!err) {
		err = rmc_ep_path_del(ep, id, &why);
		if (err)
			rmc_nl_fail_path(info->extack, info->attrs[RMC_A_EP_PATH], err, &why);
	}
	rmc_ep_put(ep);
	return err;
}
