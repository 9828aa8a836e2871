// SPDX-License-Identifier: GPL-2.0
/*
 * rmc_api_test: a consumer that asks for trouble. See api.h for how it is used;
 * "hold N dst=" keeps N endpoints until "release", for what needs a module with
 * a consumer.
 */
#include <linux/slab.h>
#include "api.h"

#define HOLD_MAX	1000

static struct console api_console;
static struct rmc_ep *held[HOLD_MAX];
static unsigned int nr_held;

bool api_expect(struct api *a, bool good, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	if (good)
		return true;
	va_start(args, fmt);
	vaf.va = &args;
	console_say(a->c, "fail: %pV\n", &vaf);
	va_end(args);
	a->failed++;
	return false;
}

void api_note(struct api *a, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	console_say(a->c, "# %pV\n", &vaf);
	va_end(args);
}

u32 api_u32(struct api *a, const char *key, u32 otherwise)
{
	return words_u32(a->args, key, otherwise);
}

bool api_addr(struct api *a, const char *key, struct sockaddr_storage *addr)
{
	int err = words_get_addr(a->args, key, addr);

	return api_expect(a, !err && addr->ss_family, "%s= is missing or no address", key);
}

/* Ops that do nothing, for endpoints that are only there. */
static int quiet_setup(struct rmc_conn *conn)
{
	return 0;
}

static int quiet_up(struct rmc_conn *conn, const void *peer_private, size_t len)
{
	return 0;
}

static void quiet_teardown(struct rmc_conn *conn)
{
}

static void quiet_lost(struct rmc_conn *conn, const struct rmc_reason *why)
{
}

const struct rmc_ep_ops quiet_ops = {
	.owner		= THIS_MODULE,
	.conn_setup	= quiet_setup,
	.conn_up	= quiet_up,
	.conn_lost	= quiet_lost,
	.conn_teardown	= quiet_teardown,
};

static void release(struct api *a)
{
	while (nr_held)
		rmc_ep_destroy(held[--nr_held]);
}

static void hold(struct api *a)
{
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS };
	struct rmc_path_attr path = { };
	u32 n = api_u32(a, "n", 1), idle = api_u32(a, "idle", 0), i;
	struct rmc_ep *ep;
	int err = 0;

	if (!api_addr(a, "dst", &path.dst) ||
	    !api_expect(a, !words_get_addr(a->args, "src", &path.src), "src is no address") ||
	    !api_expect(a, n <= HOLD_MAX - nr_held, "at most %u endpoints", HOLD_MAX))
		return;
	for (i = 0; i < n; i++) {
		ep = rmc_ep_create(&init_net, &attr, &quiet_ops, NULL);
		if (!api_expect(a, !IS_ERR(ep), "rmc_ep_create: %ld", PTR_ERR(ep)))
			return;
		held[nr_held++] = ep;
		err = rmc_ep_add_path(ep, &path);
		if (err >= 0 && !idle)
			err = rmc_ep_connect(ep);
		if (!api_expect(a, err >= 0, "endpoint %u: %d", i, err))
			return;
	}
	if (api_u32(a, "wait_ms", 0) && !idle)
		for (i = 0; i < nr_held; i++) {
			err = rmc_ep_wait(held[i], api_u32(a, "wait_ms", 0));
			api_expect(a, !err, "endpoint %u is not up: %d", i, err);
		}
}

static const struct {
	const char	*name;
	void		(*run)(struct api *a);
} tests[] = {
	{ "attrs",	test_attrs },
	{ "paths",	test_paths },
	{ "depth",	test_depth },
	{ "closed",	test_closed },
	{ "order",	test_order },
	{ "destroy",	test_destroy },
	{ "errors",	test_errors },
	{ "flush",	test_flush },
	{ "slow",	test_slow },
	{ "wait",	test_wait },
	{ "close",	test_close },
	{ "churn",	test_churn },
	{ "reject",	test_reject },
	{ "sendq",	test_sendq },
	{ "conn_ref",	test_conn_ref },
	{ "poll",	test_poll },
	{ "rkey",	test_rkey },
	{ "hold",	hold },
	{ "release",	release },
};

static int api_run(struct console *console, const char *name, const char *args)
{
	struct api a = { .c = console, .args = args };
	int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		if (strcmp(tests[i].name, name))
			continue;
		tests[i].run(&a);
		if (!a.failed)
			console_say(console, "ok\n");
		return 0;
	}
	return -ENOENT;
}

static int __init api_init(void)
{
	return console_init(&api_console, "rmc_api_test", api_run);
}
module_init(api_init);

static void __exit api_exit(void)
{
	console_exit(&api_console);
	release(NULL);
}
module_exit(api_exit);

MODULE_DESCRIPTION("Tests of the kernel API of rmc");
MODULE_LICENSE("GPL");
