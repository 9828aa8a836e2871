// SPDX-License-Identifier: GPL-2.0
/* What may be asked for, and what is refused with which errno. No network. */
#include <linux/delay.h>
#include <net/ipv6.h>
#include "api.h"

/* One bad thing in attributes that are good otherwise. */
struct bad {
	const char	*what;
	size_t		offset;
	size_t		size;
	u32		value;
	u32		set;
	int		err;
	int		or_err;		/* where both are right; 0: only @err */
};

/* the value as it is written here is passed on as text: expanded it would say nothing */
#define BAD_SIZED(member, bytes, text, v, s, e) {			\
	.what = #member " " text,					\
	.offset = offsetof(struct rmc_ep_attr, member),			\
	.size = (bytes), .value = (v), .set = (s), .err = (e),		\
}

#define BAD(member, v, s, e)	BAD_SIZED(member, sizeof(u32), #v, v, s, e)
#define BAD8(member, v, s, e)	BAD_SIZED(member, sizeof(u8), #v, v, s, e)

static const struct bad bads[] = {
	BAD(set, RMC_SET_ALL + 1, 0, -EINVAL),
	BAD(connect_ms, RMC_CONNECT_MS_MAX + 1, 0, -EINVAL),
	BAD(connect_ms, 0, RMC_SET_CONNECT_MS, -EINVAL),
	BAD(backoff_min_ms, RMC_BACKOFF_MAX_MS_DEFAULT + 1, 0, -EINVAL),
	BAD(backoff_min_ms, 0, RMC_SET_BACKOFF_MIN_MS, -EINVAL),
	BAD(backoff_max_ms, RMC_BACKOFF_MIN_MS_DEFAULT - 1, 0, -EINVAL),
	BAD(backoff_max_ms, 600001, 0, -EINVAL),
	BAD(detect_ms, RMC_DETECT_MS_MIN - 1, 0, -EINVAL),
	BAD(detect_ms, RMC_DETECT_MS_MAX + 1, 0, -EINVAL),
	BAD(detect_ms, 0x80000000, 0, -EINVAL),
	BAD(conns, RMC_MAX_CONNS + 1, 0, -EINVAL),
	BAD(conns, 0, RMC_SET_CONNS, -EINVAL),
	BAD(depth, RMC_DEPTH_MAX + 1, 0, -EINVAL),
	BAD(depth, 0x80000000, 0, -EINVAL),
	BAD(depth, 0xffffffff, 0, -EINVAL),
	BAD(depth, 0, RMC_SET_DEPTH, -EINVAL),
	BAD8(ack_timeout, 7, 0, -EINVAL),
	BAD8(ack_timeout, 32, 0, -EINVAL),
	BAD8(rnr_timer, 32, 0, -EINVAL),
	BAD8(retry_count, 7, 0, -EINVAL),
	BAD8(retry_count, 255, 0, -EINVAL),
	BAD(poll_ctx, IB_POLL_DIRECT, RMC_SET_POLL_CTX, -EINVAL),
	BAD(poll_ctx, IB_POLL_DIRECT + 1, RMC_SET_POLL_CTX, -EINVAL),
	{
		.what = "mode session", .offset = offsetof(struct rmc_ep_attr, mode),
		.size = sizeof(enum rmc_mode), .value = RMC_MODE_SESSION, .err = -EOPNOTSUPP,
	}, {
		.what = "an unknown mode", .offset = offsetof(struct rmc_ep_attr, mode),
		.size = sizeof(enum rmc_mode), .value = 7, .err = -EINVAL, .or_err = -EOPNOTSUPP,
	}, {
		.what = "policy round-robin", .offset = offsetof(struct rmc_ep_attr, policy),
		.size = sizeof(enum rmc_policy), .value = RMC_POLICY_ROUND_ROBIN,
		.set = RMC_SET_POLICY, .err = -EOPNOTSUPP, .or_err = -EINVAL,
	}, {
		.what = "an unknown policy", .offset = offsetof(struct rmc_ep_attr, policy),
		.size = sizeof(enum rmc_policy), .value = 99, .set = RMC_SET_POLICY,
		.err = -EINVAL, .or_err = -EOPNOTSUPP,
	},
};

static void expect_create(struct api *a, const char *what, struct net *net,
			  const struct rmc_ep_attr *attr, const struct rmc_ep_ops *ops, int err,
			  int or_err)
{
	struct rmc_ep *ep = rmc_ep_create(net, attr, ops, NULL);
	long got = PTR_ERR_OR_ZERO(ep);

	api_expect(a, got == err || (or_err && got == or_err), "%s: %ld instead of %d", what, got,
		   err);
	if (!got)
		rmc_ep_destroy(ep);
}

static void expect_names(struct api *a)
{
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS };
	struct rmc_ep *one, *two;

	memset(attr.name, 'a', sizeof(attr.name));
	expect_create(a, "a name without an end", &init_net, &attr, &quiet_ops, -ENAMETOOLONG,
		      -EINVAL);
	attr.name[sizeof(attr.name) - 1] = '\0';
	expect_create(a, "the longest name", &init_net, &attr, &quiet_ops, 0, 0);

	strscpy(attr.name, "twice", sizeof(attr.name));
	one = rmc_ep_create(&init_net, &attr, &quiet_ops, NULL);
	if (!api_expect(a, !IS_ERR(one), "a name: %ld", PTR_ERR(one)))
		return;
	api_expect(a, !strcmp(rmc_ep_name(one), "twice"), "its name is %s", rmc_ep_name(one));
	expect_create(a, "a name that is taken", &init_net, &attr, &quiet_ops, -EEXIST, 0);
	rmc_ep_destroy(one);
	expect_create(a, "a name that is free again", &init_net, &attr, &quiet_ops, 0, 0);

	attr.name[0] = '\0';
	one = rmc_ep_create(&init_net, &attr, &quiet_ops, NULL);
	two = rmc_ep_create(&init_net, &attr, &quiet_ops, NULL);
	if (api_expect(a, !IS_ERR(one) && !IS_ERR(two), "without a name")) {
		api_expect(a, strstr(rmc_ep_name(one), "rmc_api_test"), "its name is %s",
			   rmc_ep_name(one));
		api_expect(a, strcmp(rmc_ep_name(one), rmc_ep_name(two)), "both are called %s",
			   rmc_ep_name(one));
		api_expect(a, rmc_ep_state(one) == RMC_EP_IDLE, "a new one is in state %d",
			   rmc_ep_state(one));
		api_expect(a, rmc_ep_preferred(one) == -1, "a new one prefers path %d",
			   rmc_ep_preferred(one));
	}
	if (!IS_ERR(one))
		rmc_ep_destroy(one);
	if (!IS_ERR(two))
		rmc_ep_destroy(two);
}

void test_attrs(struct api *a)
{
	struct rmc_ep_attr good = { .mode = RMC_MODE_VERBS }, attr;
	const struct bad *b;
	u8 *at;

	for (b = bads; b < bads + ARRAY_SIZE(bads); b++) {
		attr = good;
		attr.set = b->set;
		at = (u8 *)&attr + b->offset;
		if (b->size == sizeof(u8))
			*at = b->value;
		else
			memcpy(at, &b->value, sizeof(u32));
		expect_create(a, b->what, &init_net, &attr, &quiet_ops, b->err, b->or_err);
	}
	expect_create(a, "defaults", &init_net, &good, &quiet_ops, 0, 0);
	expect_create(a, "no ops", &init_net, &good, NULL, -EINVAL, 0);

	attr = good;
	attr.set = RMC_SET_FAIL_FAST_MS | RMC_SET_LOSS_MS | RMC_SET_MAX_ATTEMPTS | RMC_SET_TOS |
		   RMC_SET_RETRY_COUNT;
	expect_create(a, "zeros that are meant", &init_net, &attr, &quiet_ops, 0, 0);

	attr = good;
	attr.connect_ms = RMC_CONNECT_MS_MAX;
	attr.backoff_min_ms = 600000;
	attr.backoff_max_ms = 600000;
	attr.detect_ms = RMC_DETECT_MS_MAX;
	attr.conns = RMC_MAX_CONNS;
	attr.depth = RMC_DEPTH_MAX;
	attr.rnr_timer = 31;
	attr.retry_count = 6;
	attr.tos = 255;
	attr.set = RMC_SET_TOS;
	attr.private_data_len = RMC_PRIVATE_DATA_MAX;
	expect_create(a, "the highest of everything", &init_net, &attr, &quiet_ops, 0, 0);

	expect_names(a);
}

void test_closed(struct api *a)
{
	struct cons *c = cons_new(a, NULL, NULL);
	struct rmc_path_attr path = { };
	int err;

	if (!c)
		return;
	words_addr("10.9.0.2:7001", &path.dst);
	err = rmc_ep_add_path(c->ep, &path);
	api_expect(a, err == 0, "a path: %d", err);
	rmc_ep_close(c->ep);
	rmc_ep_close(c->ep);
	api_expect(a, cons_until(c, READ_ONCE(c->state) == RMC_EP_CLOSED, 2000),
		   "the state op does not say CLOSED, but %d", c->state);
	api_expect(a, rmc_ep_state(c->ep) == RMC_EP_CLOSED, "in state %d after close",
		   rmc_ep_state(c->ep));
	err = rmc_ep_connect(c->ep);
	api_expect(a, err == -ESHUTDOWN, "connect after close: %d", err);
	err = rmc_ep_disconnect(c->ep);
	api_expect(a, err == -ESHUTDOWN, "disconnect after close: %d", err);
	err = rmc_ep_add_path(c->ep, &path);
	api_expect(a, err == -ESHUTDOWN, "add_path after close: %d", err);
	err = rmc_ep_wait(c->ep, 1000);
	api_expect(a, err == -ESHUTDOWN, "wait after close: %d", err);
	cons_destroy(a, c);
}

static void expect_path(struct api *a, struct cons *c, const char *dst, const char *src, int err)
{
	struct rmc_path_attr attr = { .priority = 1 };
	int got;

	if (!api_expect(a, !words_addr(dst, &attr.dst) && !words_addr(src, &attr.src),
			"%s or %s is no address", dst, src))
		return;
	got = rmc_ep_add_path(c->ep, &attr);
	api_expect(a, got == err, "path dst %s src %s: %d instead of %d", dst, src, got, err);
}

/* words_addr() cannot say an unscoped link-local address: the kernel refuses to parse it */
static void expect_unscoped(struct api *a, struct cons *c)
{
	struct rmc_path_attr attr = { };
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&attr.dst;
	int got;

	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(7001);
	in6->sin6_addr.s6_addr[0] = 0xfe;
	in6->sin6_addr.s6_addr[1] = 0x80;
	in6->sin6_addr.s6_addr[15] = 1;
	got = rmc_ep_add_path(c->ep, &attr);
	api_expect(a, got == -EINVAL, "a link-local address without a scope: %d", got);
}

void test_paths(struct api *a)
{
	struct rmc_path_attr attr = { .priority = 3 };
	struct cons *c = cons_new(a, NULL, NULL);
	char dst[32];
	int err, i;

	if (!c)
		return;
	expect_path(a, c, "", "", -EAFNOSUPPORT);
	expect_path(a, c, "10.9.0.2", "", -EINVAL);
	expect_path(a, c, "10.9.0.2:7001", "fd09:0::1", -EINVAL);
	expect_unscoped(a, c);

	/* ids count from 0 and are never used again */
	expect_path(a, c, "10.9.0.2:7001", "10.9.0.1", 0);
	expect_path(a, c, "10.9.1.2:7001", "10.9.1.1", 1);
	err = rmc_ep_del_path(c->ep, 1);
	api_expect(a, !err, "deleting path 1: %d", err);
	err = rmc_ep_del_path(c->ep, 1);
	api_expect(a, err == -ENOENT, "deleting path 1 again: %d", err);
	err = rmc_ep_del_path(c->ep, -1);
	api_expect(a, err == -ENOENT || err == -EINVAL, "deleting path -1: %d", err);
	expect_path(a, c, "10.9.1.2:7001", "10.9.1.1", 2);

	err = rmc_ep_set_path(c->ep, 0, &attr, RMC_PATH_SET_PRIORITY);
	api_expect(a, !err, "setting path 0: %d", err);
	err = rmc_ep_set_path(c->ep, 1, &attr, RMC_PATH_SET_PRIORITY);
	api_expect(a, err == -ENOENT, "setting path 1, which is gone: %d", err);
	err = rmc_ep_set_path(c->ep, 0, &attr, BIT(20));
	api_expect(a, err == -EINVAL, "an unknown mask: %d", err);

	for (i = 2; i < RMC_MAX_PATHS; i++) {
		snprintf(dst, sizeof(dst), "10.9.0.2:%d", 7100 + i);
		expect_path(a, c, dst, "", i + 1);
	}
	words_addr("10.9.0.2:7199", &attr.dst);
	err = rmc_ep_add_path(c->ep, &attr);
	api_expect(a, err < 0, "a ninth path has the id %d", err);
	api_note(a, "a ninth path: %d", err);
	cons_destroy(a, c);
}

/* C34: the drain slot is counted, what is granted is told, and there is no loop without end */
void test_depth(struct api *a)
{
	static const u32 depths[] = { 1, 2, 128, 4096, 32760, RMC_DEPTH_MAX };
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS };
	struct cons_how how = { .only_path = -1 };
	struct rmc_conn_caps caps;
	struct rmc_conn *conn;
	struct cons *c;
	int err, i;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		attr.depth = depths[i];
		c = cons_connect(a, &attr, &how, "dst");
		if (!c)
			return;
		err = rmc_ep_wait(c->ep, 10000);
		conn = cons_conn(c, 0);
		if (api_expect(a, !err && conn, "depth %u: %d", depths[i], err)) {
			rmc_conn_caps(conn, &caps);
			api_note(a, "depth %u: %u sends, %u receives", depths[i], caps.max_send_wr,
				 caps.max_recv_wr);
			api_expect(a, caps.max_send_wr && caps.max_send_wr <= depths[i] &&
				   caps.max_recv_wr && caps.max_recv_wr <= depths[i],
				   "depth %u: granted %u sends, %u receives", depths[i],
				   caps.max_send_wr, caps.max_recv_wr);
			/* every device here can do these */
			if (depths[i] <= 4096)
				api_expect(a, caps.max_send_wr == depths[i] &&
					   caps.max_recv_wr == depths[i],
					   "depth %u was clamped", depths[i]);
		}
		if (conn)
			rmc_conn_put(conn);
		cons_destroy(a, c);
	}
}
