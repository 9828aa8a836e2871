// SPDX-License-Identifier: GPL-2.0
/*
 * From attributes to the structs of the endpoint layer, and from its errors
 * back to the attribute that is to blame.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/log2.h>
#include <net/sock.h>
#include "netlink.h"

/*
 * NL_SET_ERR_MSG_ATTR() takes literals only, and many sentences come from the
 * endpoint layer. They are constants of this module, which stays until the
 * answer is built: unregistering the family waits for that.
 */
int rmc_nl_fail(struct netlink_ext_ack *extack, const struct nlattr *attr, int err,
		const char *msg)
{
	if (extack) {
		extack->_msg = msg;
		if (attr)
			NL_SET_BAD_ATTR(extack, attr);
	}
	return err;
}

int rmc_nl_missing(struct netlink_ext_ack *extack, struct nlattr *nest, int type, const char *msg)
{
	if (extack) {
		extack->_msg = msg;
		NL_SET_ERR_ATTR_MISS(extack, nest, type);
	}
	return -EINVAL;
}

/* For errors that come without a sentence of their own. */
static const char *fallback(int err)
{
	switch (err) {
	case -EEXIST:
		return "an endpoint of that name exists already";
	case -ENOENT:
		return "there is no such path";
	case -ENOMEM:
	case -ENOBUFS:
		return "out of memory";
	case -ESHUTDOWN:
		return "the endpoint is being deleted";
	case -EOPNOTSUPP:
		return "not supported";
	case -ENOSPC:
	case -E2BIG:
		return "an endpoint has at most 8 paths";
	case -ENOTCONN:
		return "the path is not up";
	case -EBUSY:
		return "busy, try again";
	default:
		return "this cannot be done";
	}
}

/* Attribute of an RMC_SET_* bit, if the request has it. */
static const struct nlattr *find_setting(struct genl_info *info, u32 bit)
{
	struct nlattr *nest = info->attrs[RMC_A_EP_SETTINGS];
	int type;

	if (bit == RMC_SET_POLICY)
		return info->attrs[RMC_A_EP_POLICY];
	if (!bit || !nest)
		return nest;
	/* the bits and the attributes stand in one order */
	BUILD_BUG_ON(ilog2(RMC_SET_CONNECT_MS) + 1 != RMC_A_SETTINGS_CONNECT_MS);
	BUILD_BUG_ON(ilog2(RMC_SET_PRIVATE_DATA) + 1 != RMC_A_SETTINGS_PRIVATE_DATA);
	type = ilog2(bit) + 1;
	return nla_find(nla_data(nest), nla_len(nest), type) ?: nest;
}

/* An endpoint request failed in the endpoint layer: say why, and at what. */
int rmc_nl_fail_ep(struct genl_info *info, int err, const struct rmc_error *why)
{
	const struct nlattr *attr = NULL;

	if (why && why->which)
		attr = find_setting(info, why->which);
	else if (err == -EOPNOTSUPP)
		attr = info->attrs[RMC_A_EP_MODE];
	if (!attr && err != -ENOMEM)
		attr = info->attrs[RMC_A_EP_NAME];
	return rmc_nl_fail(info->extack, attr, err, why && why->msg ? why->msg : fallback(err));
}

int rmc_nl_fail_path(struct netlink_ext_ack *extack, const struct nlattr *path, int err,
		     const struct rmc_error *why)
{
	return rmc_nl_fail(extack, path, err, why && why->msg ? why->msg : fallback(err));
}

/* What GENL_UNS_ADMIN_PERM asks for, with a sentence. */
int rmc_nl_admin(struct sk_buff *skb, struct genl_info *info)
{
	if (netlink_ns_capable(skb, genl_info_net(info)->user_ns, CAP_NET_ADMIN))
		return 0;
	return rmc_nl_fail(info->extack, NULL, -EPERM,
			   "needs CAP_NET_ADMIN in the user namespace that owns this network namespace");
}

int rmc_nl_name(struct netlink_ext_ack *extack, const struct nlattr *attr, char name[RMC_NAME_SIZE])
{
	BUILD_BUG_ON(RMC_NAME_SIZE != 64);
	if (nla_strscpy(name, attr, RMC_NAME_SIZE) < 0)
		return rmc_nl_fail(extack, attr, -ENAMETOOLONG,
				   "the name of an endpoint has at most 63 characters");
	if (!name[0])
		return rmc_nl_fail(extack, attr, -EINVAL, "the name of an endpoint is empty");
	return 0;
}

/* The endpoint that the request names, with a reference, or an error pointer. */
struct rmc_ep *rmc_nl_ep(struct genl_info *info)
{
	struct nlattr *attr = info->attrs[RMC_A_EP_NAME];
	char name[RMC_NAME_SIZE];
	struct rmc_ep *ep;
	int err;

	if (!attr)
		return ERR_PTR(rmc_nl_missing(info->extack, NULL, RMC_A_EP_NAME,
					      "the request names no endpoint"));
	err = rmc_nl_name(info->extack, attr, name);
	if (err)
		return ERR_PTR(err);
	ep = rmc_ep_find(genl_info_net(info), name);
	if (!ep)
		return ERR_PTR(rmc_nl_fail(info->extack, attr, -ENOENT,
					   "there is no endpoint of that name"));
	return ep;
}

/* The same for a request that changes it, which not everybody may. */
struct rmc_ep *rmc_nl_user_ep(struct sk_buff *skb, struct genl_info *info)
{
	struct rmc_ep *ep;
	int err;

	err = rmc_nl_admin(skb, info);
	if (err)
		return ERR_PTR(err);
	ep = rmc_nl_ep(info);
	if (IS_ERR(ep) || rmc_ep_is_user(ep))
		return ep;
	rmc_ep_put(ep);
	return ERR_PTR(rmc_nl_fail(info->extack, info->attrs[RMC_A_EP_NAME], -EPERM,
				   "only the kernel module that made it may change it"));
}

/* A setting that the endpoint layer keeps in a byte. */
static int get_u8(struct netlink_ext_ack *extack, const struct nlattr *attr, u8 *to,
		  const char *msg)
{
	u32 value = nla_get_u32(attr);

	if (value > U8_MAX)
		return rmc_nl_fail(extack, attr, -EINVAL, msg);
	*to = value;
	return 0;
}

/* Reads the settings nest and the policy into @attr; @mask tells what was there. */
int rmc_nl_settings(struct genl_info *info, struct rmc_ep_attr *attr, u32 *mask)
{
	u32 *const words[RMC_A_SETTINGS_MAX + 1] = {
		[RMC_A_SETTINGS_CONNECT_MS]	= &attr->connect_ms,
		[RMC_A_SETTINGS_FAIL_FAST_MS]	= &attr->fail_fast_ms,
		[RMC_A_SETTINGS_LOSS_MS]	= &attr->loss_ms,
		[RMC_A_SETTINGS_MAX_ATTEMPTS]	= &attr->max_attempts,
		[RMC_A_SETTINGS_BACKOFF_MIN_MS]	= &attr->backoff_min_ms,
		[RMC_A_SETTINGS_BACKOFF_MAX_MS]	= &attr->backoff_max_ms,
		[RMC_A_SETTINGS_DETECT_MS]	= &attr->detect_ms,
		[RMC_A_SETTINGS_CONNS]		= &attr->conns,
		[RMC_A_SETTINGS_DEPTH]		= &attr->depth,
	};
	static const struct {
		int		type;
		size_t		at;
		const char	*msg;
	} bytes[] = {
		{ RMC_A_SETTINGS_TOS, offsetof(struct rmc_ep_attr, tos),
		  "tos must be 0 to 255" },
		{ RMC_A_SETTINGS_ACK_TIMEOUT, offsetof(struct rmc_ep_attr, ack_timeout),
		  "ack_timeout must be 8 to 31, or 0 to derive it from detect_ms" },
		{ RMC_A_SETTINGS_RNR_TIMER, offsetof(struct rmc_ep_attr, rnr_timer),
		  "rnr_timer must be 1 to 31" },
		{ RMC_A_SETTINGS_RETRY_COUNT, offsetof(struct rmc_ep_attr, retry_count),
		  "retry_count must be 0 to 6" },
	};
	struct netlink_ext_ack *extack = info->extack;
	struct nlattr *tb[RMC_A_SETTINGS_MAX + 1];
	int err, i;

	*mask = 0;
	if (info->attrs[RMC_A_EP_POLICY]) {
		attr->policy = nla_get_u32(info->attrs[RMC_A_EP_POLICY]);
		*mask |= RMC_SET_POLICY;
	}
	if (!info->attrs[RMC_A_EP_SETTINGS])
		return 0;

	err = nla_parse_nested(tb, RMC_A_SETTINGS_MAX, info->attrs[RMC_A_EP_SETTINGS],
			       rmc_nl_settings_nest, extack);
	if (err)
		return err;
	for (i = 1; i <= RMC_A_SETTINGS_MAX; i++) {
		if (!tb[i])
			continue;
		*mask |= BIT(i - 1);
		if (words[i])
			*words[i] = nla_get_u32(tb[i]);
	}
	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		const struct nlattr *a = tb[bytes[i].type];

		err = a ? get_u8(extack, a, (u8 *)attr + bytes[i].at, bytes[i].msg) : 0;
		if (err)
			return err;
	}
	if (tb[RMC_A_SETTINGS_PRIVATE_DATA]) {
		const struct nlattr *data = tb[RMC_A_SETTINGS_PRIVATE_DATA];

		if (nla_len(data) > RMC_PRIVATE_DATA_MAX)
			return rmc_nl_fail(extack, data, -EINVAL,
					   "private_data has at most 255 bytes");
		attr->private_data_len = nla_len(data);
		memcpy(attr->private_data, nla_data(data), nla_len(data));
	}
	return 0;
}

static int get_addr(struct netlink_ext_ack *extack, const struct nlattr *addr,
		    const struct nlattr *scope, __be16 port, struct sockaddr_storage *to)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)to;
	struct sockaddr_in *in = (struct sockaddr_in *)to;

	switch (nla_len(addr)) {
	case sizeof(in->sin_addr):
		if (scope)
			return rmc_nl_fail(extack, scope, -EINVAL,
					   "only an IPv6 address has a scope");
		in->sin_family = AF_INET;
		in->sin_port = port;
		memcpy(&in->sin_addr, nla_data(addr), sizeof(in->sin_addr));
		return 0;
	case sizeof(in6->sin6_addr):
		in6->sin6_family = AF_INET6;
		in6->sin6_port = port;
		memcpy(&in6->sin6_addr, nla_data(addr), sizeof(in6->sin6_addr));
		in6->sin6_scope_id = scope ? nla_get_u32(scope) : 0;
		return 0;
	default:
		return rmc_nl_fail(extack, addr, -EINVAL,
				   "an address has 4 bytes (IPv4) or 16 bytes (IPv6)");
	}
}

/* A path nest that says where a new path leads. */
int rmc_nl_path_attr(struct netlink_ext_ack *extack, const struct nlattr *nest,
		     struct rmc_path_attr *attr)
{
	struct nlattr *tb[RMC_A_PATH_MAX + 1];
	struct rmc_error why = {};
	__be16 port;
	int err;

	memset(attr, 0, sizeof(*attr));
	err = nla_parse_nested(tb, RMC_A_PATH_MAX, nest, rmc_nl_path_new_nest, extack);
	if (err)
		return err;
	if (!tb[RMC_A_PATH_DST])
		return rmc_nl_missing(extack, (struct nlattr *)nest, RMC_A_PATH_DST,
				      "a path needs a destination");
	port = tb[RMC_A_PATH_DST_PORT] ? nla_get_be16(tb[RMC_A_PATH_DST_PORT]) : 0;
	if (!port)
		return rmc_nl_fail(extack, tb[RMC_A_PATH_DST], -EINVAL,
				   "a destination needs a port");
	err = get_addr(extack, tb[RMC_A_PATH_DST], tb[RMC_A_PATH_DST_IFINDEX], port, &attr->dst);
	if (err)
		return err;
	if (tb[RMC_A_PATH_SRC]) {
		err = get_addr(extack, tb[RMC_A_PATH_SRC], tb[RMC_A_PATH_SRC_IFINDEX], 0,
			       &attr->src);
		if (err)
			return err;
		if (attr->src.ss_family != attr->dst.ss_family)
			return rmc_nl_fail(extack, tb[RMC_A_PATH_SRC], -EINVAL,
					   "source and destination must be of one address family");
	} else if (tb[RMC_A_PATH_SRC_IFINDEX]) {
		return rmc_nl_fail(extack, tb[RMC_A_PATH_SRC_IFINDEX], -EINVAL,
				   "a source scope needs a source address");
	}
	if (tb[RMC_A_PATH_PRIORITY])
		attr->priority = nla_get_u32(tb[RMC_A_PATH_PRIORITY]);
	if (tb[RMC_A_PATH_WEIGHT]) {
		attr->weight = nla_get_u32(tb[RMC_A_PATH_WEIGHT]);
		/* zero would silently mean the default */
		if (!attr->weight)
			return rmc_nl_fail(extack, tb[RMC_A_PATH_WEIGHT], -EINVAL,
					   "weight must be at least 1");
	}
	if (tb[RMC_A_PATH_DOWN])
		attr->down = nla_get_u8(tb[RMC_A_PATH_DOWN]);

	err = rmc_path_attr_check(attr, &why);
	if (err)
		return rmc_nl_fail_path(extack, tb[RMC_A_PATH_DST], err, &why);
	return 0;
}

/* The path that a request names by its id, and what it says about it. */
int rmc_nl_path_ref(struct genl_info *info, struct rmc_path_attr *attr, u32 *mask, int *id)
{
	struct nlattr *nest = info->attrs[RMC_A_EP_PATH];
	struct netlink_ext_ack *extack = info->extack;
	struct nlattr *tb[RMC_A_PATH_MAX + 1];
	int err;

	memset(attr, 0, sizeof(*attr));
	*mask = 0;
	if (!nest)
		return rmc_nl_missing(extack, NULL, RMC_A_EP_PATH, "the request names no path");
	/* what the operation does not take was refused by its policy */
	err = nla_parse_nested(tb, RMC_A_PATH_MAX, nest, rmc_nl_path_set_nest, extack);
	if (err)
		return err;
	if (!tb[RMC_A_PATH_ID])
		return rmc_nl_missing(extack, nest, RMC_A_PATH_ID, "a path is named by its id");
	if (nla_get_u32(tb[RMC_A_PATH_ID]) > INT_MAX)
		return rmc_nl_fail(extack, tb[RMC_A_PATH_ID], -ENOENT,
				   "the endpoint has no path of that id");
	*id = nla_get_u32(tb[RMC_A_PATH_ID]);
	if (tb[RMC_A_PATH_PRIORITY]) {
		attr->priority = nla_get_u32(tb[RMC_A_PATH_PRIORITY]);
		*mask |= RMC_PATH_SET_PRIORITY;
	}
	if (tb[RMC_A_PATH_WEIGHT]) {
		attr->weight = nla_get_u32(tb[RMC_A_PATH_WEIGHT]);
		if (!attr->weight)
			return rmc_nl_fail(extack, tb[RMC_A_PATH_WEIGHT], -EINVAL,
					   "weight must be at least 1");
		*mask |= RMC_PATH_SET_WEIGHT;
	}
	if (tb[RMC_A_PATH_DOWN]) {
		attr->down = nla_get_u8(tb[RMC_A_PATH_DOWN]);
		*mask |= RMC_PATH_SET_DOWN;
	}
	return 0;
}
