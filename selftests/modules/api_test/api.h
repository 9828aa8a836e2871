/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of the exported API. Each runs in the write to debugfs
 * rmc_api_test/run, says "fail: ..." for whatever was not as promised, and
 * "ok" at the end if there was nothing.
 */
#ifndef RMC_API_TEST_H
#define RMC_API_TEST_H

#include <linux/completion.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <rdma/rmc.h>
#include "../console.h"
#include "../order.h"
#include "../words.h"

struct api {
	struct console	*c;
	const char	*args;
	unsigned int	failed;
};

__printf(3, 4) bool api_expect(struct api *a, bool good, const char *fmt, ...);
__printf(2, 3) void api_note(struct api *a, const char *fmt, ...);
u32 api_u32(struct api *a, const char *key, u32 otherwise);
/* false, and the test has failed: @key is missing or no address */
bool api_addr(struct api *a, const char *key, struct sockaddr_storage *addr);

static inline u64 ms_since(u64 start_ns)
{
	return (ktime_get_ns() - start_ns) / NSEC_PER_MSEC;
}

/* Where a consumer calls rmc_ep_close() by itself. */
enum cons_where {
	CONS_NOWHERE,
	CONS_SETUP,
	CONS_PRIVATE,
	CONS_UP,
	CONS_LOST,
	CONS_TEARDOWN,
	CONS_STATE,
	CONS_PREFERRED,
};

/* How the ops of a consumer behave; may be changed while it lives. */
struct cons_how {
	int		setup_err;
	int		private_err;
	int		up_err;
	u32		slow_setup_ms;
	u32		slow_up_ms;
	u32		slow_lost_ms;
	int		only_path;	/* the above for this path only, -1: for all */
	u8		tag;		/* the private data of its requests */
	bool		post_recvs;	/* as many as were granted */
	bool		up_blocks;	/* conn_up waits until its receives are flushed */
	enum cons_where	close_in;
};

/* One endpoint and what it was told. */
struct cons {
	struct rmc_ep		*ep;
	struct cons_how		how;
	wait_queue_head_t	wait;		/* anything below changed */

	spinlock_t		lock;		/* protects all below */
	unsigned int		setups;
	unsigned int		privates;
	unsigned int		ups;
	unsigned int		ups_good;
	unsigned int		lost;
	unsigned int		teardowns;
	unsigned int		states;
	unsigned int		violations;
	unsigned int		flushes;	/* times that up_blocks was ended by a flush */
	unsigned int		stuck;		/* times that it was not */
	unsigned int		path_ups[RMC_MAX_PATHS];
	enum rmc_ep_state	state;
	struct rmc_reason	why;		/* of the last state change */
	struct rmc_reason	lost_why;	/* of the last conn_lost */
	int			preferred;
	bool			over;		/* rmc_ep_destroy() returned */
	struct cons_box		*up[RMC_MAX_PATHS];	/* good connection of each path */
};

/* A connection's share; freed in conn_teardown. */
struct cons_box {
	struct order		order;
	struct cons		*c;
	struct rmc_conn		*conn;
	struct completion	flushed;
	struct ib_cqe		recv_cqe;
	struct rmc_conn_caps	caps;
};

/* @attr NULL: defaults. NULL, and the test has failed, if there is none to be had. */
struct cons *cons_new(struct api *a, const struct rmc_ep_attr *attr, const struct cons_how *how);
int cons_add_path(struct cons *c, const struct sockaddr_storage *dst,
		  const struct sockaddr_storage *src, u32 priority);
/* new, with the path dst= src= of the arguments, and connecting */
struct cons *cons_connect(struct api *a, const struct rmc_ep_attr *attr,
			  const struct cons_how *how, const char *key);
/* The good connection of @path with a reference, NULL if there is none. */
struct rmc_conn *cons_conn(struct cons *c, int path);
/* Returns how long rmc_ep_destroy() took; checks all that must hold then; frees @c. */
u64 cons_destroy(struct api *a, struct cons *c);

/* True as soon as @cond is, false after @ms. */
#define cons_until(c, cond, ms)						\
	(!!wait_event_timeout((c)->wait, cond, msecs_to_jiffies(ms)))

extern const struct rmc_ep_ops quiet_ops;

void test_attrs(struct api *a);
void test_paths(struct api *a);
void test_depth(struct api *a);
void test_closed(struct api *a);

void test_order(struct api *a);
void test_destroy(struct api *a);
void test_errors(struct api *a);
void test_flush(struct api *a);
void test_slow(struct api *a);
void test_wait(struct api *a);
void test_close(struct api *a);
void test_churn(struct api *a);
void test_reject(struct api *a);

void test_sendq(struct api *a);
void test_conn_ref(struct api *a);
void test_poll(struct api *a);

void test_rkey(struct api *a);

#endif /* RMC_API_TEST_H */
