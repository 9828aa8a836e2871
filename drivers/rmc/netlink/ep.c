// SPDX-License-Identifier: GPL-2.0
/*
 * ep-*: endpoints.
 *
 * DOC: who ends an endpoint
 *
 * Two requests that delete one endpoint, or one that deletes it while ep-new
 * takes it back after a failed path, must not both call rmc_ep_end(). Who
 * ends an endpoint first puts it into ending_list under ending_lock, which is
 * not held while rmc_ep_end() waits, so that a slow one delays no other. An
 * endpoint that was ended is CLOSED, so a reference from before does not get it
 * into the list again. ep-new holds the lock between making an endpoint and
 * having a reference of its own.
 *
 * Nobody else ends an endpoint of userspace meanwhile: its netns cannot go while
 * a request from it runs, and unloading unregisters the family first.
 */
#include <linux/list.h>
#include <linux/mutex.h>
#include "netlink.h"

struct ending {
	struct list_head	entry;
	struct rmc_ep		*ep;
};

static DEFINE_MUTEX(ending_lock);
static LIST_HEAD(ending_list);

/* Ends an endpoint that the caller has a reference to; -ESHUTDOWN: another does. */
static int end_ep(struct rmc_ep *ep)
{
	struct ending mine = { .ep = ep };
	struct ending *e;
	int err = 0;

	mutex_lock(&ending_lock);
	list_for_each_entry(e, &ending_list, entry)
		if (e->ep == ep)
			err = -ESHUTDOWN;
	if (rmc_ep_state(ep) == RMC_EP_CLOSED)
		err = -ESHUTDOWN;
	if (!err)
		list_add(&mine.entry, &ending_list);
	mutex_unlock(&ending_lock);
	if (err)
		return err;

	rmc_ep_end(ep);

	mutex_lock(&ending_lock);
	list_del(&mine.entry);
	mutex_unlock(&ending_lock);
	return 0;
}

static int put_head(struct sk_buff *skb, const struct rmc_ep_info *info)
{
	if (nla_put_u32(skb, RMC_A_EP_MODE, info->mode) ||
	    nla_put_u32(skb, RMC_A_EP_ROLE, info->role) ||
	    nla_put_u32(skb, RMC_A_EP_STATE, info->state) ||
	    rmc_nl_put_reason(skb, RMC_A_EP_REASON, &info->reason) ||
	    nla_put_u32(skb, RMC_A_EP_POLICY, info->attr.policy) ||
	    (info->consumer && nla_put_string(skb, RMC_A_EP_CONSUMER, info->consumer)) ||
	    (info->preferred >= 0 && nla_put_u32(skb, RMC_A_EP_PREFERRED, info->preferred)) ||
	    nla_put_u64_64bit(skb, RMC_A_EP_SINCE_NS, info->since_ns, RMC_A_EP_PAD) ||
	    rmc_nl_put_settings(skb, &info->attr) ||
	    rmc_nl_put_stats(skb, RMC_A_EP_STATS, &info->stats))
		return -EMSGSIZE;
	return 0;
}

static int put_head_of(struct sk_buff *skb, struct rmc_ep *ep, bool whole)
{
	struct rmc_ep_info info;

	rmc_ep_info(ep, &info);
	if (nla_put_u32(skb, RMC_A_EP_ID, info.id) ||
	    nla_put_string(skb, RMC_A_EP_NAME, info.name))
		return -EMSGSIZE;
	return whole ? put_head(skb, &info) : 0;
}

/* Paths from *id on. -EMSGSIZE: *id and later ones did not fit. */
static int put_paths(struct sk_buff *skb, struct rmc_ep *ep, int *id)
{
	struct rmc_path_info info;
	int err;

	for (; !rmc_ep_path_info(ep, id, &info); ++*id) {
		err = rmc_nl_put_path(skb, &info);
		if (err)
			return err;
	}
	return 0;
}

int rmc_nl_ep_get(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *reply;
	struct rmc_ep *ep;
	int path = 0;
	void *hdr;

	ep = rmc_nl_ep(info);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	reply = genlmsg_new(RMC_NL_EP_ROOM + RMC_MAX_PATHS * RMC_NL_PATH_ROOM, GFP_KERNEL);
	if (!reply)
		goto put;
	hdr = genlmsg_put_reply(reply, info, &rmc_nl_family, 0, RMC_CMD_EP_GET);
	if (!hdr || put_head_of(reply, ep, true) || put_paths(reply, ep, &path))
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

/*
 * One message about one endpoint. What does not fit goes on in the next one, for
 * the room of a dump depends on the reader's buffer and is a page at first.
 */
static int dump_one(struct sk_buff *skb, struct netlink_callback *cb, struct rmc_ep *ep,
		    struct rmc_nl_cursor *at)
{
	int first = at->path;
	void *hdr;
	int err;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &rmc_nl_family,
			  NLM_F_MULTI, RMC_CMD_EP_GET);
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	err = put_head_of(skb, ep, !first);
	if (err) {
		genlmsg_cancel(skb, hdr);
		return err;
	}
	err = put_paths(skb, ep, &at->path);
	if (err && at->path == first) {
		genlmsg_cancel(skb, hdr);
		return err;
	}
	genlmsg_end(skb, hdr);
	return err;
}

int rmc_nl_ep_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct rmc_nl_cursor *at = (struct rmc_nl_cursor *)cb->ctx;
	struct net *net = sock_net(skb->sk);
	struct rmc_ep *ep;
	int err;

	BUILD_BUG_ON(sizeof(*at) > sizeof(cb->ctx));
	/* zero means no sequence to the core */
	cb->seq = rmc_ep_dump_seq(net) + 1;
	while (!at->end) {
		ep = rmc_ep_next_from(net, &at->ep);
		if (!ep) {
			at->end = true;
			break;
		}
		/* the one that was told in part may be gone by now */
		if (at->part != at->ep)
			at->path = 0;
		at->part = at->ep;
		err = dump_one(skb, cb, ep, at);
		rmc_ep_put(ep);
		if (err)
			return skb->len ? skb->len : err;
		at->path = 0;
		if (!++at->ep)
			at->end = true;
	}
	return skb->len;
}

static int add_paths(struct genl_info *info, struct rmc_ep *ep)
{
	struct rmc_path_attr attr;
	struct rmc_error why = {};
	struct nlattr *nest;
	int err, rem;

	nla_for_each_attr(nest, genlmsg_data(info->genlhdr), genlmsg_len(info->genlhdr), rem) {
		if (nla_type(nest) != RMC_A_EP_PATH)
			continue;
		err = rmc_nl_path_attr(info->extack, nest, &attr);
		if (err)
			return err;
		err = rmc_ep_path_add(ep, &attr, &why);
		if (err < 0)
			return rmc_nl_fail_path(info->extack, nest, err, &why);
	}
	return 0;
}

/* Makes the endpoint and gets a reference before anyone can end it. */
static struct rmc_ep *make_ep(struct genl_info *info, const struct rmc_ep_attr *attr)
{
	struct net *net = genl_info_net(info);
	struct rmc_error why = {};
	struct rmc_ep *ep;

	mutex_lock(&ending_lock);
	ep = rmc_ep_new(net, attr, NULL, NULL, &why);
	if (!IS_ERR(ep) && WARN_ON_ONCE(rmc_ep_find(net, attr->name) != ep))
		ep = ERR_PTR(-ESHUTDOWN);
	mutex_unlock(&ending_lock);
	if (IS_ERR(ep))
		return ERR_PTR(rmc_nl_fail_ep(info, PTR_ERR(ep), &why));
	return ep;
}

int rmc_nl_ep_new(struct sk_buff *skb, struct genl_info *info)
{
	struct rmc_ep_attr attr = {};
	struct rmc_ep *ep;
	int err;

	err = rmc_nl_admin(skb, info);
	if (err)
		return err;
	if (!info->attrs[RMC_A_EP_NAME])
		return rmc_nl_missing(info->extack, NULL, RMC_A_EP_NAME,
				      "a new endpoint needs a name");
	err = rmc_nl_name(info->extack, info->attrs[RMC_A_EP_NAME], attr.name);
	if (err)
		return err;
	if (info->attrs[RMC_A_EP_MODE]) {
		attr.mode = nla_get_u32(info->attrs[RMC_A_EP_MODE]);
		if (attr.mode > RMC_MODE_VERBS)
			return rmc_nl_fail(info->extack, info->attrs[RMC_A_EP_MODE], -EINVAL,
					   "unknown mode");
	}
	err = rmc_nl_settings(info, &attr, &attr.set);
	if (err)
		return err;

	ep = make_ep(info, &attr);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	err = add_paths(info, ep);
	if (!err && !nla_get_flag(info->attrs[RMC_A_EP_IDLE])) {
		const struct rmc_error no_path = {
			.msg = "an endpoint that is not idle needs a path",
		};

		err = rmc_ep_start(ep);
		if (err)
			rmc_nl_fail_ep(info, err, err == -EINVAL ? &no_path : NULL);
	}
	if (err)
		end_ep(ep);
	rmc_ep_put(ep);
	return err;
}

int rmc_nl_ep_set(struct sk_buff *skb, struct genl_info *info)
{
	struct rmc_ep_attr attr = {};
	struct rmc_error why = {};
	struct rmc_ep *ep;
	u32 mask;
	int err;

	ep = rmc_nl_user_ep(skb, info);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	err = rmc_nl_settings(info, &attr, &mask);
	if (!err && mask) {
		attr.set = mask;
		err = rmc_ep_change(ep, &attr, mask, &why);
		if (err)
			rmc_nl_fail_ep(info, err, &why);
	}
	rmc_ep_put(ep);
	return err;
}

int rmc_nl_ep_del(struct sk_buff *skb, struct genl_info *info)
{
	struct rmc_ep *ep;
	int err;

	ep = rmc_nl_user_ep(skb, info);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	err = end_ep(ep);
	rmc_ep_put(ep);
	return err ? rmc_nl_fail_ep(info, err, NULL) : 0;
}

static int rmc_nl_ep_do(struct sk_buff *skb, struct genl_info *info, int (*op)(struct rmc_ep *ep))
{
	struct rmc_ep *ep;
	int err;

	ep = rmc_nl_user_ep(skb, info);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	err = op(ep);
	rmc_ep_put(ep);
	if (err == -EINVAL)
		return rmc_nl_fail(info->extack, info->attrs[RMC_A_EP_NAME], err,
				   "the endpoint has no path");
	return err ? rmc_nl_fail_ep(info, err, NULL) : 0;
}

int rmc_nl_ep_connect(struct sk_buff *skb, struct genl_info *info)
{
	return rmc_nl_ep_do(skb, info, rmc_ep_start);
}

int rmc_nl_ep_disconnect(struct sk_buff *skb, struct genl_info *info)
{
	return rmc_nl_ep_do(skb, info, rmc_ep_stop);
}
