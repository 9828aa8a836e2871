// SPDX-License-Identifier: GPL-2.0
/*
 * Order, promptness and independence of what a consumer is told, with peers
 * that do not help: I2, I4, I6, C02, C03, C22.
 */
#include <linux/delay.h>
#include <linux/random.h>
#include <linux/workqueue.h>
#include "api.h"

#define DESTROY_LIMIT_MS	2000

static u32 random_up_to(u32 n)
{
	return n ? get_random_u32() % n : 0;
}

static void expect_prompt(struct api *a, struct cons *c, const char *when)
{
	u64 took = cons_destroy(a, c);

	api_expect(a, took < DESTROY_LIMIT_MS, "destroy %s took %llu ms", when, took);
	api_note(a, "destroy %s: %llu ms", when, took);
}

struct late_fail {
	struct timer_list	timer;
	struct rmc_conn		*conn;
};

static void late_fail_fire(struct timer_list *t)
{
	struct late_fail *f = container_of(t, struct late_fail, timer);

	rmc_conn_fail(f->conn, -ECANCELED);
}

/* From a place where nothing may sleep, twice, for the second must not matter. */
static void fail_from_timer(struct rmc_conn *conn)
{
	struct late_fail f = { .conn = conn };

	timer_setup_on_stack(&f.timer, late_fail_fire, 0);
	mod_timer(&f.timer, jiffies + 1);
	while (timer_pending(&f.timer))
		usleep_range(500, 1000);
	timer_delete_sync(&f.timer);
	destroy_timer_on_stack(&f.timer);
	rmc_conn_fail(conn, -EIO);
}

/* I4: dst=, rounds=, ms=: connections that are failed at random moments */
void test_order(struct api *a)
{
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS, .backoff_min_ms = 1,
				    .backoff_max_ms = 20 };
	struct cons_how how = { .only_path = -1, .post_recvs = true };
	u32 rounds = api_u32(a, "rounds", 20), ms = api_u32(a, "ms", 20), i, before;
	struct rmc_conn *conn;
	struct cons *c;

	c = cons_connect(a, &attr, &how, "dst");
	if (!c)
		return;
	for (i = 0; i < rounds; i++) {
		if (!api_expect(a, cons_until(c, READ_ONCE(c->up[0]), 10000),
				"not up again in round %u, endpoint state %d, reason %s %d", i,
				c->state, rmc_reason_name(c->why.code), c->why.err))
			break;
		msleep(random_up_to(ms));
		before = READ_ONCE(c->lost);
		conn = cons_conn(c, 0);
		if (!conn)
			continue;
		if (i % 3 == 0) {
			fail_from_timer(conn);
		} else if (i % 3 == 1) {
			rmc_conn_fail(conn, -ECANCELED);
		} else {
			rmc_ep_disconnect(c->ep);
			rmc_ep_connect(c->ep);
		}
		api_expect(a, cons_until(c, READ_ONCE(c->lost) != before, 2000),
			   "conn_lost does not come in round %u", i);
		if (i % 3 == 2)
			api_expect(a, c->lost_why.code == RMC_REASON_ADMIN,
				   "reason %s instead of admin", rmc_reason_name(c->lost_why.code));
		else
			api_expect(a, c->lost_why.code == RMC_REASON_CONSUMER &&
				   c->lost_why.err == -ECANCELED,
				   "reason %s %d, not the first cause",
				   rmc_reason_name(c->lost_why.code), c->lost_why.err);
		rmc_conn_put(conn);
	}
	api_note(a, "%u setups, %u ups, %u lost", c->setups, c->ups, c->lost);
	expect_prompt(a, c, "after that");
}

/*
 * I6: dst= accepts, silent= never answers, dead= nobody listens, gone= nobody
 * is there; each of the last three may be missing
 */
void test_destroy(struct api *a)
{
	static const char * const keys[] = { "silent", "dead", "gone", "dst" };
	struct cons_how how = { .only_path = -1, .post_recvs = true };
	struct sockaddr_storage addr;
	char when[WORD_MAX], value[WORD_MAX];
	struct cons *c;
	u32 i, k;

	c = cons_new(a, NULL, &how);
	if (c)
		expect_prompt(a, c, "when idle without a path");
	c = cons_new(a, NULL, &how);
	if (c) {
		if (api_addr(a, "dst", &addr))
			cons_add_path(c, &addr, NULL, 0);
		expect_prompt(a, c, "when idle");
	}
	for (k = 0; k < ARRAY_SIZE(keys); k++) {
		if (!words_get(a->args, keys[k], value))
			continue;
		for (i = 0; i < 4; i++) {
			static const u32 after[] = { 0, 30, 300, 1200 };

			c = cons_connect(a, NULL, &how, keys[k]);
			if (!c)
				return;
			msleep(after[i]);
			snprintf(when, sizeof(when), "%s after %u ms in state %d", keys[k],
				 after[i], rmc_ep_state(c->ep));
			expect_prompt(a, c, when);
		}
	}

	c = cons_connect(a, NULL, &how, "dst");
	if (!c)
		return;
	api_expect(a, !rmc_ep_wait(c->ep, 10000), "not up");
	rmc_ep_close(c->ep);
	expect_prompt(a, c, "right after close");

	how.slow_setup_ms = 300;
	c = cons_connect(a, NULL, &how, "dst");
	if (!c)
		return;
	api_expect(a, cons_until(c, READ_ONCE(c->setups), 5000), "no conn_setup");
	expect_prompt(a, c, "while conn_setup runs");

	how.slow_setup_ms = 0;
	how.up_blocks = true;
	c = cons_connect(a, NULL, &how, "dst");
	if (!c)
		return;
	api_expect(a, cons_until(c, READ_ONCE(c->ups), 5000), "no conn_up");
	expect_prompt(a, c, "while conn_up waits for a flush");
}

static void expect_retried(struct api *a, const char *what, const struct cons_how *how,
			   unsigned int at_least, unsigned int at_most)
{
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS, .backoff_min_ms = 10,
				    .backoff_max_ms = 50 };
	struct cons *c = cons_connect(a, &attr, how, "dst");
	int err;

	if (!c)
		return;
	err = rmc_ep_wait(c->ep, 1500);
	api_expect(a, err, "%s, and yet it is up", what);
	/* wait may say at once that it is useless; nothing more must come after that */
	msleep(500);
	api_expect(a, c->setups >= at_least && c->setups <= at_most,
		   "%s: %u attempts, not %u to %u", what, c->setups, at_least, at_most);
	api_expect(a, !c->lost, "%s: conn_lost without a good conn_up", what);
	api_note(a, "%s: %u setups, %u ups, wait says %d", what, c->setups, c->ups, err);
	expect_prompt(a, c, what);
}

/* dst=: ops that fail end the generation with their errno, and only two of them for good */
void test_errors(struct api *a)
{
	struct cons_how how = { .only_path = -1, .setup_err = -ENOMEM };

	expect_retried(a, "conn_setup fails", &how, 2, 200);
	how.setup_err = 0;
	how.private_err = -EFAULT;
	expect_retried(a, "conn_private fails", &how, 2, 200);
	how.private_err = 0;
	how.up_err = -EPROTO;
	expect_retried(a, "conn_up fails", &how, 2, 200);
	how.up_err = -EKEYREJECTED;
	expect_retried(a, "conn_up says that the key is wrong", &how, 1, 1);
	how.up_err = -EPROTONOSUPPORT;
	expect_retried(a, "conn_up says that the protocol is wrong", &how, 1, 1);
}

/* dst= a peer that drops or dies soon: conn_up waits for a flush and must get it; limit_ms= */
void test_flush(struct api *a)
{
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS, .backoff_min_ms = 10,
				    .backoff_max_ms = 50 };
	struct cons_how how = { .only_path = -1, .up_blocks = true };
	u32 limit = api_u32(a, "limit_ms", 3000), i;
	struct cons *c = cons_connect(a, &attr, &how, "dst");

	if (!c)
		return;
	for (i = 1; i <= 3; i++) {
		u64 start = ktime_get_ns();

		if (!api_expect(a, cons_until(c, READ_ONCE(c->flushes) >= i, limit),
				"conn_up number %u is not flushed within %u ms", i, limit))
			break;
		api_note(a, "flushed after %llu ms", ms_since(start));
	}
	api_expect(a, !c->lost, "conn_lost without a good conn_up");
	expect_prompt(a, c, "after that");
}

static bool slow_up(struct api *a, struct cons *c, u32 limit)
{
	u64 start = ktime_get_ns();
	bool ok;

	ok = api_expect(a, cons_until(c, READ_ONCE(c->path_ups[1]), limit),
			"path 1 is not up within %u ms while conn_up of path 0 is slow", limit);
	ok = ok && api_expect(a, cons_until(c, READ_ONCE(c->state) == RMC_EP_DEGRADED, limit),
			      "the endpoint is not DEGRADED, but %d", c->state);
	api_expect(a, !c->path_ups[0], "path 0 was not slow");
	api_note(a, "path 1 up in %llu ms beside a slow conn_up", ms_since(start));
	return ok;
}

/* I2: dst= src= dst1= src1=, limit_ms=: an op that sleeps delays only its own connection */
void test_slow(struct api *a)
{
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS, .backoff_min_ms = 10,
				    .backoff_max_ms = 50 };
	struct cons_how how = { .only_path = 0, .slow_up_ms = 3000, .slow_lost_ms = 3000 };
	struct sockaddr_storage dst[2], src[2];
	u32 limit = api_u32(a, "limit_ms", 1000);
	struct rmc_conn *conn[2];
	struct cons *c;
	u64 start;
	u32 ups;

	if (!api_addr(a, "dst", &dst[0]) || !api_addr(a, "dst1", &dst[1]) ||
	    !api_addr(a, "src", &src[0]) || !api_addr(a, "src1", &src[1]))
		return;
	c = cons_new(a, &attr, &how);
	if (!c)
		return;
	cons_add_path(c, &dst[0], &src[0], 0);
	cons_add_path(c, &dst[1], &src[1], 1);
	rmc_ep_connect(c->ep);
	if (!slow_up(a, c, limit))
		goto destroy;
	api_expect(a, cons_until(c, READ_ONCE(c->state) == RMC_EP_UP, 8000), "never UP, but %d",
		   c->state);

	/* now conn_lost of path 0 sleeps, and path 1 comes back meanwhile */
	c->how.slow_up_ms = 0;
	conn[0] = cons_conn(c, 0);
	conn[1] = cons_conn(c, 1);
	if (!api_expect(a, conn[0] && conn[1], "both paths should be up"))
		goto put;
	rmc_conn_fail(conn[0], -ECANCELED);
	api_expect(a, cons_until(c, READ_ONCE(c->lost) == 1, 1000), "no conn_lost for path 0");
	ups = READ_ONCE(c->path_ups[1]);
	start = ktime_get_ns();
	rmc_conn_fail(conn[1], -ECANCELED);
	api_expect(a, cons_until(c, READ_ONCE(c->path_ups[1]) > ups, limit),
		   "path 1 is not back within %u ms while conn_lost of path 0 is slow", limit);
	api_note(a, "path 1 back in %llu ms beside a slow conn_lost", ms_since(start));
put:
	if (conn[0])
		rmc_conn_put(conn[0]);
	if (conn[1])
		rmc_conn_put(conn[1]);
destroy:
	c->how.slow_up_ms = 0;
	c->how.slow_lost_ms = 0;
	cons_destroy(a, c);
}

/* dst= accepts, silent= never answers: what rmc_ep_wait() says */
void test_wait(struct api *a)
{
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS };
	struct cons *c;
	u64 start, took;
	int err;

	c = cons_connect(a, NULL, NULL, "dst");
	if (!c)
		return;
	err = rmc_ep_wait(c->ep, 10000);
	api_expect(a, !err && rmc_ep_state(c->ep) == RMC_EP_UP, "wait: %d in state %d", err,
		   rmc_ep_state(c->ep));
	err = rmc_ep_wait(c->ep, 0);
	api_expect(a, !err, "wait without time when it is up: %d", err);
	api_expect(a, cons_until(c, READ_ONCE(c->preferred) == 0, 1000), "path %d is preferred",
		   c->preferred);
	err = rmc_ep_disconnect(c->ep);
	api_expect(a, !err, "disconnect: %d", err);
	api_expect(a, cons_until(c, READ_ONCE(c->state) == RMC_EP_IDLE, 2000),
		   "in state %d after disconnect", c->state);
	api_expect(a, cons_until(c, READ_ONCE(c->preferred) == -1, 1000),
		   "path %d is preferred after disconnect", c->preferred);
	cons_destroy(a, c);

	c = cons_connect(a, &attr, NULL, "silent");
	if (!c)
		return;
	start = ktime_get_ns();
	err = rmc_ep_wait(c->ep, 200);
	took = ms_since(start);
	api_expect(a, err == -ETIMEDOUT, "wait for a silent peer: %d", err);
	api_expect(a, took >= 190 && took < 1000, "200 ms of waiting took %llu ms", took);
	cons_destroy(a, c);
}

/* dst=: rmc_ep_close() from within each op */
void test_close(struct api *a)
{
	static const char * const where[] = {
		[CONS_SETUP] = "conn_setup", [CONS_PRIVATE] = "conn_private",
		[CONS_UP] = "conn_up", [CONS_LOST] = "conn_lost",
		[CONS_TEARDOWN] = "conn_teardown", [CONS_STATE] = "state",
		[CONS_PREFERRED] = "preferred",
	};
	struct cons_how how = { .only_path = -1, .post_recvs = true };
	struct rmc_conn *conn;
	struct cons *c;
	u32 i;

	for (i = CONS_SETUP; i <= CONS_PREFERRED; i++) {
		how.close_in = i;
		c = cons_connect(a, NULL, &how, "dst");
		if (!c)
			return;
		if (i == CONS_LOST || i == CONS_TEARDOWN) {
			api_expect(a, cons_until(c, READ_ONCE(c->up[0]), 10000), "not up");
			conn = cons_conn(c, 0);
			if (conn) {
				rmc_conn_fail(conn, -ECANCELED);
				rmc_conn_put(conn);
			}
		}
		api_expect(a, cons_until(c, READ_ONCE(c->state) == RMC_EP_CLOSED, 5000),
			   "close in %s leads to state %d", where[i], c->state);
		expect_prompt(a, c, where[i]);
	}
}

/* C03, C22: dst=, n=, ms=: endpoints that are destroyed at random moments */
void test_churn(struct api *a)
{
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS, .backoff_min_ms = 1,
				    .backoff_max_ms = 5 };
	struct cons_how how = { .only_path = -1, .post_recvs = true };
	u32 n = api_u32(a, "n", 50), ms = api_u32(a, "ms", 20), i, setups = 0, ups = 0;
	u64 took, longest = 0;
	struct cons *c;

	for (i = 0; i < n && a->failed < 5; i++) {
		c = cons_connect(a, &attr, &how, "dst");
		if (!c)
			return;
		msleep(random_up_to(ms));
		setups += c->setups;
		ups += c->ups;
		took = cons_destroy(a, c);
		longest = max(longest, took);
		api_expect(a, took < DESTROY_LIMIT_MS, "destroy %u took %llu ms", i, took);
	}
	api_note(a, "%u endpoints, %u setups, %u ups, longest destroy %llu ms", i, setups, ups,
		 longest);
}

/* C02: dst= rejects, n=, limit_ms=: the waiter learns of it at once */
void test_reject(struct api *a)
{
	struct rmc_ep_attr attr = { .mode = RMC_MODE_VERBS, .max_attempts = 1 };
	u32 n = api_u32(a, "n", 50), limit = api_u32(a, "limit_ms", 1000), i;
	u64 start, took, longest = 0;
	struct cons *c;
	int err = 0;

	attr.connect_ms = api_u32(a, "connect_ms", 0);
	for (i = 0; i < n && a->failed < 5; i++) {
		start = ktime_get_ns();
		c = cons_connect(a, &attr, NULL, "dst");
		if (!c)
			return;
		err = rmc_ep_wait(c->ep, 10000);
		took = ms_since(start);
		longest = max(longest, took);
		/* around the deadline it may be that which comes first */
		api_expect(a, err == -ECONNREFUSED || (attr.connect_ms && err == -ETIMEDOUT),
			   "wait number %u: %d", i, err);
		api_expect(a, took < limit, "wait number %u took %llu ms", i, took);
		api_expect(a, cons_until(c, READ_ONCE(c->state) == RMC_EP_LOST, 1000),
			   "state %d, not LOST", c->state);
		cons_destroy(a, c);
	}
	api_note(a, "%u rejects, the last errno is %d, the longest wait %llu ms", i, err, longest);
}
