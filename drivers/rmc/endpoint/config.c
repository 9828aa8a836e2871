// SPDX-License-Identifier: GPL-2.0
/* Attributes of endpoints and paths: defaults, checks, changes. */
#include <linux/ctype.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/string.h>
#include <net/ipv6.h>
#include "endpoint/ep.h"
#include "logic/settings.h"

/* RMC_SET_* and enum rmc_setting count the same settings in the same order. */
static_assert(BIT(RMC_S_CONNECT_MS) == RMC_SET_CONNECT_MS);
static_assert(BIT(RMC_S_RETRY_COUNT) == RMC_SET_RETRY_COUNT);

/* Endpoints take what they are made with; these can be changed while they exist. */
#define CHANGEABLE	(RMC_SET_ALL & ~(RMC_SET_POLL_CTX))

static int fail(struct rmc_error *err, int errno, u32 which, u64 value, const char *msg)
{
	if (err)
		*err = (struct rmc_error){ .msg = msg, .which = which, .value = value };
	return errno;
}

static void default_to(u32 *value, u32 set, u32 bit, u32 standard)
{
	if (!*value && !(set & bit))
		*value = standard;
}

void rmc_ep_attr_defaults(struct rmc_ep_attr *attr)
{
	u32 set = attr->set;

	default_to(&attr->connect_ms, set, RMC_SET_CONNECT_MS, RMC_CONNECT_MS_DEFAULT);
	default_to(&attr->fail_fast_ms, set, RMC_SET_FAIL_FAST_MS, RMC_FAIL_FAST_MS_DEFAULT);
	default_to(&attr->backoff_min_ms, set, RMC_SET_BACKOFF_MIN_MS, RMC_BACKOFF_MIN_MS_DEFAULT);
	default_to(&attr->backoff_max_ms, set, RMC_SET_BACKOFF_MAX_MS, RMC_BACKOFF_MAX_MS_DEFAULT);
	default_to(&attr->detect_ms, set, RMC_SET_DETECT_MS, RMC_DETECT_MS_DEFAULT);
	default_to(&attr->conns, set, RMC_SET_CONNS, 1);
	default_to(&attr->depth, set, RMC_SET_DEPTH, RMC_DEPTH_DEFAULT);
	if (!attr->rnr_timer && !(set & RMC_SET_RNR_TIMER))
		attr->rnr_timer = RMC_RNR_TIMER_DEFAULT;
	if (!attr->retry_count && !(set & RMC_SET_RETRY_COUNT))
		attr->retry_count = RMC_RETRY_COUNT_DEFAULT;
	if (!(set & RMC_SET_POLICY))
		attr->policy = RMC_POLICY_FAILOVER;
	if (!(set & RMC_SET_POLL_CTX))
		attr->poll_ctx = IB_POLL_WORKQUEUE;
	attr->send_sge = attr->send_sge ?: 1;
	attr->recv_sge = attr->recv_sge ?: 1;
	attr->responder_resources = attr->responder_resources ?: 4;
	attr->initiator_depth = attr->initiator_depth ?: 4;
}

/* Printable and without blanks, so that it survives every shell and every log. */
static int name_check(const char *name, struct rmc_error *err)
{
	size_t i, len = strnlen(name, RMC_NAME_SIZE);

	if (len == RMC_NAME_SIZE)
		return fail(err, -ENAMETOOLONG, 0, len, "a name has at most 63 bytes");
	for (i = 0; i < len; i++)
		if (!isascii(name[i]) || !isgraph(name[i]) || name[i] == '/')
			return fail(err, -EINVAL, 0, (u8)name[i],
				    "a name has printable ASCII characters, no blank and no slash");
	return 0;
}

static int settings_check(const struct rmc_ep_attr *attr, struct rmc_error *err)
{
	const struct rmc_settings s = {
		.connect_ms	= attr->connect_ms,
		.fail_fast_ms	= attr->fail_fast_ms,
		.loss_ms	= attr->loss_ms,
		.max_attempts	= attr->max_attempts,
		.backoff_min_ms	= attr->backoff_min_ms,
		.backoff_max_ms	= attr->backoff_max_ms,
		.detect_ms	= attr->detect_ms,
		.conns		= attr->conns,
		.depth		= attr->depth,
		.tos		= attr->tos,
		.ack_timeout	= attr->ack_timeout,
		.rnr_timer	= attr->rnr_timer,
		.retry_count	= attr->retry_count,
	};
	enum rmc_setting which;
	const char *msg;

	msg = rmc_settings_check(&s, &which);
	if (!msg)
		return 0;
	return fail(err, -EINVAL, BIT(which), ((const u32 *)&s)[which], msg);
}

int rmc_ep_attr_check(const struct rmc_ep_attr *attr, struct rmc_error *err)
{
	int ret;

	ret = name_check(attr->name, err);
	if (ret)
		return ret;
	if (attr->mode == RMC_MODE_SESSION)
		return fail(err, -EOPNOTSUPP, 0, attr->mode,
			    "session mode does not exist yet, use verbs mode");
	if (attr->mode != RMC_MODE_VERBS)
		return fail(err, -EINVAL, 0, attr->mode, "unknown mode");
	if (attr->policy > RMC_POLICY_FAILOVER)
		return fail(err, -EINVAL, RMC_SET_POLICY, attr->policy, "unknown policy");
	if (attr->policy != RMC_POLICY_FAILOVER)
		return fail(err, -EOPNOTSUPP, RMC_SET_POLICY, attr->policy,
			    "verbs mode knows only policy failover so far");
	if (attr->set & ~RMC_SET_ALL)
		return fail(err, -EINVAL, attr->set & ~RMC_SET_ALL, attr->set,
			    "unknown bit in the mask of settings");
	if (attr->poll_ctx > IB_POLL_LAST_POOL_TYPE)
		return fail(err, -EINVAL, RMC_SET_POLL_CTX, attr->poll_ctx,
			    "completion queues are shared, so poll_ctx cannot be direct");
	return settings_check(attr, err);
}

static int addr_check(const struct sockaddr_storage *addr, bool is_dst, struct rmc_error *err)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;
	int type;

	switch (addr->ss_family) {
	case AF_INET:
		if (is_dst && !in->sin_port)
			return fail(err, -EINVAL, 0, 0, "the destination needs a port");
		if (ipv4_is_zeronet(in->sin_addr.s_addr) ||
		    ipv4_is_multicast(in->sin_addr.s_addr) ||
		    ipv4_is_lbcast(in->sin_addr.s_addr))
			return fail(err, -EINVAL, 0, 0, "the address is not one host's");
		return 0;
	case AF_INET6:
		if (is_dst && !in6->sin6_port)
			return fail(err, -EINVAL, 0, 0, "the destination needs a port");
		type = ipv6_addr_type(&in6->sin6_addr);
		if (type == IPV6_ADDR_ANY || type & IPV6_ADDR_MULTICAST)
			return fail(err, -EINVAL, 0, 0, "the address is not one host's");
		if (type & IPV6_ADDR_LINKLOCAL && !in6->sin6_scope_id)
			return fail(err, -EINVAL, 0, 0,
				    "a link-local address needs its interface");
		return 0;
	default:
		return fail(err, -EAFNOSUPPORT, 0, addr->ss_family,
			    "an address is IPv4 or IPv6");
	}
}

int rmc_path_attr_check(const struct rmc_path_attr *attr, struct rmc_error *err)
{
	int ret;

	ret = addr_check(&attr->dst, true, err);
	if (ret || attr->src.ss_family == AF_UNSPEC)
		return ret;
	if (attr->src.ss_family != attr->dst.ss_family)
		return fail(err, -EINVAL, 0, attr->src.ss_family,
			    "source and destination are of different families");
	/* same place in both families; a fixed port would collide with the attempt before */
	if (((const struct sockaddr_in *)&attr->src)->sin_port)
		return fail(err, -EINVAL, 0, 0, "a source has no port");
	return addr_check(&attr->src, false, err);
}

static void take_settings(struct rmc_ep_attr *to, const struct rmc_ep_attr *from, u32 mask)
{
	if (mask & RMC_SET_CONNECT_MS)
		to->connect_ms = from->connect_ms;
	if (mask & RMC_SET_FAIL_FAST_MS)
		to->fail_fast_ms = from->fail_fast_ms;
	if (mask & RMC_SET_LOSS_MS)
		to->loss_ms = from->loss_ms;
	if (mask & RMC_SET_MAX_ATTEMPTS)
		to->max_attempts = from->max_attempts;
	if (mask & RMC_SET_BACKOFF_MIN_MS)
		to->backoff_min_ms = from->backoff_min_ms;
	if (mask & RMC_SET_BACKOFF_MAX_MS)
		to->backoff_max_ms = from->backoff_max_ms;
	if (mask & RMC_SET_DETECT_MS)
		to->detect_ms = from->detect_ms;
	if (mask & RMC_SET_CONNS)
		to->conns = from->conns;
	if (mask & RMC_SET_DEPTH)
		to->depth = from->depth;
	if (mask & RMC_SET_TOS)
		to->tos = from->tos;
	if (mask & RMC_SET_ACK_TIMEOUT)
		to->ack_timeout = from->ack_timeout;
	if (mask & RMC_SET_RNR_TIMER)
		to->rnr_timer = from->rnr_timer;
	if (mask & RMC_SET_RETRY_COUNT)
		to->retry_count = from->retry_count;
	if (mask & RMC_SET_POLICY)
		to->policy = from->policy;
	if (mask & RMC_SET_PRIVATE_DATA) {
		to->private_data_len = from->private_data_len;
		memcpy(to->private_data, from->private_data, from->private_data_len);
	}
	to->set |= mask;
}

int rmc_ep_change(struct rmc_ep *ep, const struct rmc_ep_attr *attr, u32 mask,
		  struct rmc_error *err)
{
	const struct rmc_reason why = { .code = RMC_REASON_ADMIN };
	struct rmc_ep_attr set;
	unsigned int i;
	int ret;

	if (mask & ~CHANGEABLE)
		return fail(err, -EINVAL, mask & ~CHANGEABLE, mask, "this cannot be changed");
	mutex_lock(&ep->config);
	spin_lock_irq(&ep->lock);
	set = ep->attr;
	spin_unlock_irq(&ep->lock);
	take_settings(&set, attr, mask);
	ret = rmc_ep_attr_check(&set, err);
	if (ret)
		goto out;
	spin_lock_irq(&ep->lock);
	if (ep->state == RMC_EP_CLOSED) {
		ret = -ESHUTDOWN;
	} else {
		ep->attr = set;
		rmc_ep_evaluate(ep, &why);
		for (i = 0; i < RMC_MAX_PATHS; i++) {
			if (!ep->paths[i])
				continue;
			rmc_path_command(ep->paths[i], RMC_ASK_TUNE);
			/* what the peer refused for ever may do with other settings */
			if (READ_ONCE(ep->paths[i]->state) == RMC_PATH_REFUSED)
				rmc_path_command(ep->paths[i], RMC_ASK_RETRY);
		}
	}
	spin_unlock_irq(&ep->lock);
out:
	mutex_unlock(&ep->config);
	return ret;
}
