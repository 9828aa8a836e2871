/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Endpoints: what the three faces (api/, netlink/, chardev/) call.
 *
 * References: a face that creates an endpoint owns it and ends it with
 * rmc_ep_end(). Lookups give a reference that rmc_ep_put() drops; the
 * endpoint may be closed meanwhile, every call then says -ESHUTDOWN.
 */
#ifndef RMC_ENDPOINT_H
#define RMC_ENDPOINT_H

#include <linux/netlink.h>
#include <rdma/rmc.h>
#include "path/stats.h"

/*
 * Where a bad value is explained: @msg a constant sentence, @which the
 * %RMC_SET_* bit or 0, @value what was given. Faces turn it into an extended
 * ack or a log line. May be NULL everywhere.
 */
struct rmc_error {
	const char	*msg;
	u32		which;
	u64		value;
};

/* A snapshot; no reference is held through it. */
struct rmc_ep_info {
	u32			id;		/* unique and never reused while loaded */
	char			name[RMC_NAME_SIZE];
	enum rmc_mode		mode;
	enum rmc_role		role;
	enum rmc_ep_state	state;
	struct rmc_reason	reason;
	const char		*consumer;	/* module that made it, NULL: userspace */
	int			preferred;	/* path id or -1 */
	struct rmc_ep_attr	attr;		/* settings, defaults filled in */
	unsigned int		nr_paths;
	u64			since_ns;	/* CLOCK_MONOTONIC of the last state change */
	struct rmc_ep_stats	stats;
};

struct rmc_path_info {
	int			id;
	struct sockaddr_storage	src;		/* as bound or resolved; AF_UNSPEC: not known */
	struct sockaddr_storage	dst;
	char			dev[IB_DEVICE_NAME_MAX];	/* "" when not known */
	enum rmc_path_state	state;
	struct rmc_reason	reason;
	u32			priority;
	u32			weight;
	bool			down;		/* administratively */
	u32			generation;
	u64			attempts;
	u32			failures;	/* in a row */
	u32			conns_up;
	u32			orphans;
	u32			detect_ms;	/* effective */
	u32			probe_interval_ms;	/* effective, 0: no probes */
	u32			ack_timeout;	/* effective exponent */
	u32			depth;		/* granted; 0 while unknown */
	enum rmc_probe_kind	probe;
	int			usable_private_data;	/* bytes, -1 while unknown */
	u32			rtt_us;		/* last probe, 0: none yet */
	u32			connect_us;	/* last success, request to established */
	u64			up_ms;		/* since it came up; 0 if it is not up */
	u32			inflight;
	u64			since_ns;	/* CLOCK_MONOTONIC of the last state change */
	u64			wait_ms;	/* until the next attempt, 0: none scheduled */
	struct rmc_ep_stats	stats;		/* the path's share */
};

int rmc_ep_attr_check(const struct rmc_ep_attr *attr, struct rmc_error *err);
int rmc_path_attr_check(const struct rmc_path_attr *attr, struct rmc_error *err);

/*
 * @ops NULL: an endpoint of userspace (built-in consumer, verbs mode). It holds
 * no reference to the module and is removed with its netns or the module.
 * Errors: -EEXIST (name taken), -EINVAL, -EOPNOTSUPP, -ENOMEM.
 */
struct rmc_ep *rmc_ep_new(struct net *net, const struct rmc_ep_attr *attr,
			  const struct rmc_ep_ops *ops, void *priv, struct rmc_error *err);
/* These are behind the functions of the API; see there. */
int rmc_ep_start(struct rmc_ep *ep);
int rmc_ep_stop(struct rmc_ep *ep);
int rmc_ep_await(struct rmc_ep *ep, unsigned int timeout_ms);
void rmc_ep_shut(struct rmc_ep *ep);
/* Does nothing for an endpoint that somebody else has begun to end. */
void rmc_ep_end(struct rmc_ep *ep);
int rmc_ep_path_add(struct rmc_ep *ep, const struct rmc_path_attr *attr, struct rmc_error *err);
int rmc_ep_path_set(struct rmc_ep *ep, int path_id, const struct rmc_path_attr *attr,
		    u32 mask, struct rmc_error *err);
int rmc_ep_path_del(struct rmc_ep *ep, int path_id, struct rmc_error *err);
int rmc_ep_change(struct rmc_ep *ep, const struct rmc_ep_attr *attr, u32 mask,
		  struct rmc_error *err);

/* By name in @net, with a reference; NULL if there is none. */
struct rmc_ep *rmc_ep_find(struct net *net, const char *name);
/* The endpoint with the lowest id >= *id in @net, with a reference; sets *id. NULL at the end. */
struct rmc_ep *rmc_ep_next_from(struct net *net, u32 *id);
/* Changes whenever an endpoint comes or goes: a dump that sees two values is flagged. */
u32 rmc_ep_dump_seq(struct net *net);
void rmc_ep_put(struct rmc_ep *ep);
/* True for endpoints made by userspace: only those may be deleted by it. */
bool rmc_ep_is_user(const struct rmc_ep *ep);

void rmc_ep_info(struct rmc_ep *ep, struct rmc_ep_info *info);
/* The path with the lowest id >= *id; sets *id. Returns 0 or -ENOENT. */
int rmc_ep_path_info(struct rmc_ep *ep, int *id, struct rmc_path_info *info);

/*
 * One probe round trip on path @path_id (-1: the preferred one), waiting for
 * its answer. Returns the id of the path used and *rtt_ns, or -ENOTCONN (not
 * up), -EOPNOTSUPP (no probe on this transport), -ETIMEDOUT, -EINTR, -ENOENT.
 */
int rmc_ep_ping(struct rmc_ep *ep, int path_id, u64 *rtt_ns, unsigned int timeout_ms);

/* Events for userspace: what `rmc monitor` shows. */
enum rmc_note_kind {
	RMC_NOTE_EP,
	RMC_NOTE_PATH,
	RMC_NOTE_CONN,
};

struct rmc_note {
	enum rmc_note_kind	kind;
	u64			ts_ns;		/* CLOCK_MONOTONIC */
	const char		*ep;		/* name; valid during the call */
	u32			ep_id;
	int			path;		/* id, -1 for an endpoint's event */
	int			conn;		/* index, -1 for others */
	u32			generation;
	u32			from;
	u32			to;
	struct rmc_reason	reason;
};

/*
 * The one receiver of notes, given at init by netlink/ so that the endpoint
 * layer calls up only through it. Called in any context, must not sleep.
 */
void rmc_note_set_receiver(void (*receiver)(struct net *net, const struct rmc_note *note));
void rmc_note_send(struct net *net, const struct rmc_note *note);

/* Devices, for `rmc dev show`. */
struct rmc_dev_info {
	char	name[IB_DEVICE_NAME_MAX];
	bool	alive;
	u32	paths;		/* paths with a connection on it */
	u32	attempts_per_s;	/* budget */
	u32	probes_per_s;	/* budget */
	u32	attempts_waiting;
	u32	orphans;
};

/* The @n-th device (from 0) visible in @net: 0 or -ENOENT. */
int rmc_dev_info(struct net *net, unsigned int n, struct rmc_dev_info *info);

#endif /* RMC_ENDPOINT_H */
