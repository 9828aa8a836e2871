/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rmc, RDMA managed connections: the kernel API.
 *
 * A consumer creates an endpoint, gives it one or more paths to its peer and
 * asks for it to be connected. From then on rmc keeps it connected and tells
 * the consumer, through &struct rmc_ep_ops, which connections it may use.
 *
 * Attributes follow one rule: zero means "the default". Units are in the name.
 */
#ifndef _RDMA_RMC_H
#define _RDMA_RMC_H

#include <linux/socket.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rmc.h>

struct module;
struct net;
struct rmc_ep;
struct rmc_conn;
struct rmc_conn_req;

/**
 * struct rmc_reason - why a state was left; the first cause is the one kept
 * @code: what happened
 * @err: negative errno that fits @code, 0 if none
 * @rej: CM reject reason the peer gave (enum ib_cm_rej_reason), 0 if none
 */
struct rmc_reason {
	enum rmc_reason_code	code;
	int			err;
	int			rej;
};

/**
 * rmc_reason_name - the stable, lower-case name of a reason
 * @code: the reason's number
 *
 * Context: any.
 * Return: a constant string; "unknown" for a number out of range.
 */
const char *rmc_reason_name(enum rmc_reason_code code);

#define RMC_PRIVATE_DATA_MAX	255

/* Values that the fields below take when left zero. */
#define RMC_CONNECT_MS_DEFAULT		5000
#define RMC_CONNECT_MS_MAX		60000
#define RMC_FAIL_FAST_MS_DEFAULT	5000
#define RMC_BACKOFF_MIN_MS_DEFAULT	200
#define RMC_BACKOFF_MAX_MS_DEFAULT	2000
#define RMC_DETECT_MS_DEFAULT		500
#define RMC_DETECT_MS_MIN		100
#define RMC_DETECT_MS_MAX		60000
#define RMC_DETECT_MS_IWARP_MIN		1000
#define RMC_DEPTH_DEFAULT		128
#define RMC_DEPTH_MAX			65536
#define RMC_RNR_TIMER_DEFAULT		12	/* 0.64 ms */
#define RMC_RETRY_COUNT_DEFAULT		6

/* rmc_ep_attr.set and the mask of rmc_ep_set(): which member is meant. */
#define RMC_SET_CONNECT_MS	BIT(0)
#define RMC_SET_FAIL_FAST_MS	BIT(1)
#define RMC_SET_LOSS_MS		BIT(2)
#define RMC_SET_MAX_ATTEMPTS	BIT(3)
#define RMC_SET_BACKOFF_MIN_MS	BIT(4)
#define RMC_SET_BACKOFF_MAX_MS	BIT(5)
#define RMC_SET_DETECT_MS	BIT(6)
#define RMC_SET_CONNS		BIT(7)
#define RMC_SET_DEPTH		BIT(8)
#define RMC_SET_TOS		BIT(9)
#define RMC_SET_ACK_TIMEOUT	BIT(10)
#define RMC_SET_RNR_TIMER	BIT(11)
#define RMC_SET_RETRY_COUNT	BIT(12)
#define RMC_SET_PRIVATE_DATA	BIT(13)
#define RMC_SET_POLICY		BIT(14)
#define RMC_SET_POLL_CTX	BIT(15)
#define RMC_SET_ALL		GENMASK(15, 0)

/**
 * struct rmc_ep_attr - what a consumer wants of an endpoint
 * @name: unique in the network namespace; empty: rmc makes one from the
 *	consumer's module name
 * @mode: only %RMC_MODE_VERBS exists so far
 * @policy: how a path is chosen; verbs mode knows %RMC_POLICY_FAILOVER so far,
 *	which is what it uses when @set lacks %RMC_SET_POLICY
 * @set: %RMC_SET_* of the members whose zero is meant as zero (loss_ms and
 *	max_attempts: never; fail_fast_ms: at once; retry_count: none; tos: 0)
 * @connect_ms: how long one attempt may take, address and route included,
 *	waiting for the device's attempt budget excluded; 1 to 60000, default 5000
 * @fail_fast_ms: no path for so long and the endpoint goes to FAILFAST;
 *	default 5000
 * @loss_ms: no path for so long and the endpoint is LOST; default 0, never
 * @max_attempts: so many failed attempts in a row on every path and the
 *	endpoint is LOST; default 0, unlimited
 * @backoff_min_ms: upper bound of the first random wait between attempts,
 *	default 200; at least 1
 * @backoff_max_ms: upper bound of any later one, default 2000; not below
 *	@backoff_min_ms, at most 600000
 * @detect_ms: how long a dead path may stay unnoticed; 100 to 60000, default
 *	500; raised to 1000 on iWARP
 * @conns: connections (queues) of each path, 1 to 64, default 1
 * @depth: work requests the consumer may have outstanding on the send and on
 *	the receive queue of each connection, each; at most 65536, default 128;
 *	clamped to what the device can do, see rmc_conn_caps()
 * @send_sge: scatter entries of a send work request, default 1
 * @recv_sge: scatter entries of a receive work request, default 1
 * @inline_bytes: inline data of a send work request, default 0
 * @responder_resources: RDMA READs and atomics the peer may have outstanding
 *	to this side; default 4, clamped to the device's maximum
 * @initiator_depth: the same from this side to the peer; default 4, clamped
 * @tos: IP type of service or traffic class; only with %RMC_SET_TOS
 * @ack_timeout: local ack timeout exponent (4.096 us * 2^n), 8 to 31; default
 *	derived from @detect_ms
 * @rnr_timer: minimum RNR NAK timer code, 1 to 31, default 12 (0.64 ms)
 * @retry_count: transport retries, at most 6, default 6; 7 would mean
 *	"for ever" to some devices and is refused
 * @poll_ctx: where completions run; %IB_POLL_WORKQUEUE without
 *	%RMC_SET_POLL_CTX. The CQs are shared, so %IB_POLL_DIRECT is refused
 * @private_data_len: bytes used in @private_data
 * @private_data: sent with every connection request unless the conn_private
 *	op is there; longer than a transport carries: the path reports EINVAL
 */
struct rmc_ep_attr {
	char			name[RMC_NAME_SIZE];
	enum rmc_mode		mode;
	enum rmc_policy		policy;
	u32			set;
	u32			connect_ms;
	u32			fail_fast_ms;
	u32			loss_ms;
	u32			max_attempts;
	u32			backoff_min_ms;
	u32			backoff_max_ms;
	u32			detect_ms;
	u32			conns;
	u32			depth;
	u32			send_sge;
	u32			recv_sge;
	u32			inline_bytes;
	u8			responder_resources;
	u8			initiator_depth;
	u8			tos;
	u8			ack_timeout;
	u8			rnr_timer;
	u8			retry_count;
	enum ib_poll_context	poll_ctx;
	u8			private_data_len;
	u8			private_data[RMC_PRIVATE_DATA_MAX];
};

/**
 * struct rmc_path_attr - one way to the peer
 * @dst: IPv4 or IPv6 destination with its port; a link-local IPv6 address
 *	needs its scope
 * @src: source address to bind to, port 0; %AF_UNSPEC: the route decides
 * @priority: policy failover uses the lowest number that is up
 * @weight: for policy weighted; default 1
 * @down: the administrator keeps this path down
 */
struct rmc_path_attr {
	struct sockaddr_storage	dst;
	struct sockaddr_storage	src;
	u32			priority;
	u32			weight;
	bool			down;
};

/* The mask of rmc_ep_set_path(). */
#define RMC_PATH_SET_PRIORITY	BIT(0)
#define RMC_PATH_SET_WEIGHT	BIT(1)
#define RMC_PATH_SET_DOWN	BIT(2)

/**
 * struct rmc_ep_ops - what rmc tells a consumer
 *
 * All ops run in process context, may sleep, and run without any lock of rmc.
 * Ops of one connection never run two at a time. Nothing runs any more once
 * rmc_ep_destroy() has returned.
 *
 * For each connection: conn_setup, conn_private, conn_up, conn_lost and
 * conn_teardown are called at most once each and in that order. conn_lost
 * comes only after a conn_up that returned 0. conn_teardown comes after every
 * conn_setup, also one that failed, so that is the place to free; all work
 * requests have completed by then.
 *
 * An op that waits for work on a connection must not wait for ever: when the
 * connection dies while conn_setup or conn_up runs, its QP goes to the error
 * state, the work completes as flushed, and the op has to return. conn_lost must
 * not wait for work requests at all: they complete after it has returned.
 *
 * state, preferred, conn_lost and conn_teardown run on a queue that memory reclaim
 * may depend on (%WQ_MEM_RECLAIM): they must not flush or cancel-and-wait for work
 * on a queue that is not.
 */
struct rmc_ep_ops {
	/** @owner: the consumer, shown to administrators */
	struct module *owner;
	/**
	 * @state: the endpoint changed its state; every change is told, in
	 * order, unless the consumer is so slow that 32 of them wait: then the
	 * oldest waiting ones are folded into one. UP comes after the last
	 * conn_up returned.
	 */
	void (*state)(struct rmc_ep *ep, enum rmc_ep_state from,
		      enum rmc_ep_state to, const struct rmc_reason *why);
	/**
	 * @conn_setup: PD and QP of a new connection exist, the QP is in INIT:
	 * allocate and post receives. A negative errno ends the path's
	 * generation.
	 */
	int (*conn_setup)(struct rmc_conn *conn);
	/**
	 * @conn_private: fill @buf, which has @room bytes, with the private
	 * data of the connection request. @req is the peer's request on the
	 * accepting side and NULL on the asking side. Returns the length or a
	 * negative errno, which ends the path's generation.
	 */
	int (*conn_private)(struct rmc_conn *conn, const struct rmc_conn_req *req,
			    void *buf, size_t room);
	/**
	 * @conn_up: the connection is established; the consumer may use both
	 * queues. @peer_private has @len bytes and may be padded with zeros.
	 * Connections of a path come up in index order, each after conn_up of
	 * the one before returned 0. A negative errno ends the path's
	 * generation; -EKEYREJECTED and -EPROTONOSUPPORT also say that trying
	 * again is useless: the path is REFUSED.
	 */
	int (*conn_up)(struct rmc_conn *conn, const void *peer_private, size_t len);
	/**
	 * @conn_lost: the connection is gone. When this returns the consumer
	 * posts nothing any more on either queue.
	 */
	void (*conn_lost)(struct rmc_conn *conn, const struct rmc_reason *why);
	/** @conn_teardown: both queues are drained; free what belongs to @conn */
	void (*conn_teardown)(struct rmc_conn *conn);
	/** @preferred: the path to use from now on, -1 for none */
	void (*preferred)(struct rmc_ep *ep, int path_id);
};

/**
 * rmc_ep_create - make an endpoint
 * @net: network namespace; the endpoint holds it
 * @attr: what it shall be like; copied
 * @ops: what to tell the consumer; must stay valid until rmc_ep_destroy() has
 *	returned. No op runs before rmc_ep_connect().
 * @priv: the consumer's, given back by rmc_ep_priv()
 *
 * Context: process context, may sleep.
 * Return: the endpoint in state IDLE, or an ERR_PTR: -EINVAL (a value is out of
 * range or contradicts another), -ENAMETOOLONG, -EEXIST (the name is taken),
 * -EOPNOTSUPP (mode or policy does not exist yet), -ENOMEM. The kernel log says
 * what was wrong with which value.
 */
struct rmc_ep *rmc_ep_create(struct net *net, const struct rmc_ep_attr *attr,
			     const struct rmc_ep_ops *ops, void *priv);

/**
 * rmc_ep_add_path - give an endpoint one more way to its peer
 * @ep: the endpoint
 * @attr: addresses and preferences; copied
 *
 * If the endpoint is connected or connecting, the path is tried at once.
 *
 * Context: process context, may sleep; also from an op.
 * Return: the path's id, counted from 0 and never used again, or -EINVAL (no
 * port, no scope, not one host's address, families differ), -EAFNOSUPPORT,
 * -ENOSPC (there are 8), -ESHUTDOWN (closed), -ENOMEM.
 */
int rmc_ep_add_path(struct rmc_ep *ep, const struct rmc_path_attr *attr);

/**
 * rmc_ep_set_path - change what a path is preferred for
 * @ep: the endpoint
 * @path_id: the path
 * @attr: where the members that @mask names are taken from
 * @mask: RMC_PATH_SET_* bits
 *
 * Taking a path down ends its connections; taking it up also ends a refusal.
 *
 * Context: process context, may sleep; also from an op.
 * Return: 0, -ENOENT (no such path), -EINVAL (unknown bit, weight 0).
 */
int rmc_ep_set_path(struct rmc_ep *ep, int path_id,
		    const struct rmc_path_attr *attr, u32 mask);

/**
 * rmc_ep_del_path - take a path away
 * @ep: the endpoint
 * @path_id: the path
 *
 * Its connections end as in a loss: conn_lost and conn_teardown have returned
 * for each of them when this returns.
 *
 * Context: process context, sleeps; not from an op (warns, -EDEADLK).
 * Return: 0 or -ENOENT.
 */
int rmc_ep_del_path(struct rmc_ep *ep, int path_id);

/**
 * rmc_ep_connect - connect, and keep connected from then on
 * @ep: the endpoint
 *
 * Only starts; the outcome comes by the state op or rmc_ep_wait(). Makes a
 * waiting attempt due at once and ends a refusal. On an endpoint that is
 * connected it changes nothing.
 *
 * Context: any.
 * Return: 0, or -EINVAL (the endpoint has no path) or -ESHUTDOWN (closed), and
 * then no op follows.
 */
int rmc_ep_connect(struct rmc_ep *ep);

/**
 * rmc_ep_disconnect - end all connections and try no more
 * @ep: the endpoint
 *
 * Only starts; conn_lost and conn_teardown of each connection follow, and the
 * state op with IDLE. rmc_ep_connect() begins anew.
 *
 * Context: any.
 * Return: 0 or -ESHUTDOWN (closed).
 */
int rmc_ep_disconnect(struct rmc_ep *ep);

/**
 * rmc_ep_wait - wait until an endpoint is UP or DEGRADED
 * @ep: the endpoint
 * @timeout_ms: how long, in milliseconds
 *
 * Context: process context, sleeps, interruptible.
 * Return: 0; the errno of the last attempt when the endpoint is LOST;
 * -ENOTCONN (IDLE: nobody asked to connect), -ESHUTDOWN (closed), -ETIMEDOUT,
 * -EINTR.
 */
int rmc_ep_wait(struct rmc_ep *ep, unsigned int timeout_ms);

/**
 * rmc_ep_set - change settings
 * @ep: the endpoint
 * @attr: where the members that @mask names are taken from
 * @mask: RMC_SET_* bits of what to change
 *
 * detect_ms, the backoff and the endpoint's own limits take effect at once, the
 * rest with the next attempt. A path that was refused is tried again.
 *
 * Context: process context, may sleep; also from an op.
 * Return: 0, -EINVAL (out of range, contradiction, or not changeable: then
 * nothing has changed), -EOPNOTSUPP, -ESHUTDOWN.
 */
int rmc_ep_set(struct rmc_ep *ep, const struct rmc_ep_attr *attr, u32 mask);

/**
 * rmc_ep_state - the state an endpoint is in
 * @ep: the endpoint
 *
 * Context: any. It may have changed before the caller looks at it.
 */
enum rmc_ep_state rmc_ep_state(struct rmc_ep *ep);

/**
 * rmc_ep_preferred - the path to use now
 * @ep: the endpoint
 *
 * Context: any.
 * Return: a path id, -1 if no path is up.
 */
int rmc_ep_preferred(struct rmc_ep *ep);

/**
 * rmc_ep_priv - the consumer's own pointer
 * @ep: the endpoint
 *
 * Context: any.
 */
void *rmc_ep_priv(struct rmc_ep *ep);

/**
 * rmc_ep_name - the name under which an administrator sees it
 * @ep: the endpoint
 *
 * Context: any. Valid as long as the endpoint.
 */
const char *rmc_ep_name(struct rmc_ep *ep);

/**
 * rmc_ep_close - end an endpoint for good
 * @ep: the endpoint
 *
 * Only starts; conn_lost and conn_teardown of each connection follow, and the
 * state op with CLOSED. What is left to do is rmc_ep_destroy().
 *
 * Context: any, ops included.
 */
void rmc_ep_close(struct rmc_ep *ep);

/**
 * rmc_ep_destroy - close an endpoint, wait, and free it
 * @ep: the endpoint; not to be used afterwards
 *
 * When it returns, no op runs and none will, and every work request on every
 * connection has completed. It waits for the consumer's ops, not for the
 * network.
 *
 * Context: process context, sleeps; not from an op (warns and does nothing).
 */
void rmc_ep_destroy(struct rmc_ep *ep);

/**
 * struct rmc_conn_caps - what a connection was granted
 * @max_send_wr: send work requests the consumer may have outstanding; rmc's
 *	own reserve is already taken off
 * @max_recv_wr: receive work requests likewise
 * @max_send_sge: scatter entries of a send work request
 * @max_recv_sge: scatter entries of a receive work request
 * @max_inline_data: inline bytes of a send work request
 * @responder_resources: RDMA READs and atomics granted to the peer
 * @initiator_depth: RDMA READs and atomics granted to this side
 * @usable_private_data: bytes of private data that a request can carry
 */
struct rmc_conn_caps {
	u32	max_send_wr;
	u32	max_recv_wr;
	u32	max_send_sge;
	u32	max_recv_sge;
	u32	max_inline_data;
	u8	responder_resources;
	u8	initiator_depth;
	u8	usable_private_data;
};

/*
 * What a connection consists of. Any context; valid from conn_setup until
 * conn_teardown has returned. A reference by rmc_conn_get() keeps @conn itself
 * readable for longer, and with it index, path, generation and priv; never the
 * QP, CQ or PD.
 */

/**
 * rmc_conn_qp - the QP of a connection
 * @conn: the connection
 *
 * The consumer posts on it from conn_setup (receives) and conn_up (sends) until
 * conn_lost returns. It leaves modifying and destroying it to rmc.
 *
 * Context: any.
 */
struct ib_qp *rmc_conn_qp(const struct rmc_conn *conn);

/**
 * rmc_conn_pd - the PD of a connection, one per endpoint and device
 * @conn: the connection
 *
 * Context: any.
 */
struct ib_pd *rmc_conn_pd(const struct rmc_conn *conn);

/**
 * rmc_conn_cq - the CQ of both queues; shared, so completions use wr_cqe
 * @conn: the connection
 *
 * Context: any.
 */
struct ib_cq *rmc_conn_cq(const struct rmc_conn *conn);

/**
 * rmc_conn_ep - the endpoint a connection belongs to
 * @conn: the connection
 *
 * Context: any, until rmc_ep_destroy() returns.
 */
struct rmc_ep *rmc_conn_ep(const struct rmc_conn *conn);

/**
 * rmc_conn_index - which of its path's connections it is, from 0
 * @conn: the connection
 *
 * Context: any.
 */
unsigned int rmc_conn_index(const struct rmc_conn *conn);

/**
 * rmc_conn_path - id of the path a connection belongs to
 * @conn: the connection
 *
 * Context: any.
 */
int rmc_conn_path(const struct rmc_conn *conn);

/**
 * rmc_conn_generation - which attempt of its path it is, from 1
 * @conn: the connection
 *
 * Context: any.
 */
u32 rmc_conn_generation(const struct rmc_conn *conn);

/**
 * rmc_conn_caps - what was granted
 * @conn: the connection
 * @caps: filled in; rmc's own reserve is taken off
 *
 * Context: any, from conn_setup on. The two depths of READs are the peer's
 * answer and 0 before conn_up.
 */
void rmc_conn_caps(const struct rmc_conn *conn, struct rmc_conn_caps *caps);

/**
 * rmc_conn_get_priv - the pointer set by rmc_conn_set_priv()
 * @conn: the connection
 *
 * Context: any.
 */
void *rmc_conn_get_priv(const struct rmc_conn *conn);

/**
 * rmc_conn_set_priv - keep a pointer of the consumer with a connection
 * @conn: the connection
 * @priv: NULL until set
 *
 * Context: any; the consumer orders it against its own readers.
 */
void rmc_conn_set_priv(struct rmc_conn *conn, void *priv);

/**
 * rmc_conn_get - hold a connection's memory
 * @conn: the connection
 *
 * Context: any. Each needs an rmc_conn_put(), before the consumer unloads.
 */
void rmc_conn_get(struct rmc_conn *conn);

/**
 * rmc_conn_put - let go of a connection's memory
 * @conn: the connection
 *
 * Context: any.
 */
void rmc_conn_put(struct rmc_conn *conn);

/**
 * rmc_conn_note_rx - report that something arrived from the peer
 * @conn: where it arrived
 *
 * Counts as proof that the path works; the next probe moves an interval away.
 *
 * Context: any; cheap enough for each completion.
 */
void rmc_conn_note_rx(struct rmc_conn *conn);

/**
 * rmc_conn_fail - report that a connection is of no use any more
 * @conn: the connection
 * @err: negative errno, kept as the reason's; the first report wins
 *
 * Ends the path's generation with reason "consumer"; conn_lost and conn_teardown
 * follow as in any loss. May be called any number of times.
 *
 * Context: any.
 */
void rmc_conn_fail(struct rmc_conn *conn, int err);

#endif /* _RDMA_RMC_H */
