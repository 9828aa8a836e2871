/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A peer that does what it is told, also when that is bad manners.
 *
 * References: a listener owns its connections and outlives them; a connection
 * is freed by its own work, which takes it off the listener's list first.
 */
#ifndef RMC_TEST_PEER_H
#define RMC_TEST_PEER_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>

struct dentry;
struct peer_conn;

enum peer_behaviour {
	PEER_ACCEPT,		/* grants READs, posts receives, discards what comes */
	PEER_ECHO,		/* as accept, and sends every message back */
	PEER_NO_READ,		/* as accept, grants no READs */
	PEER_NO_RECV,		/* as accept, posts no receives */
	PEER_REJECT,		/* from the callback; arg: CM reject reason, 0: consumer's */
	PEER_REJECT_FIRST,	/* rejects so many (arg), accepts the rest */
	PEER_REJECT_AFTER_MS,	/* later, from work */
	PEER_SILENT,		/* never answers */
	PEER_SLOW_ACCEPT_MS,
	PEER_DROP_AFTER_MS,	/* accepts and disconnects so long after ESTABLISHED */
	PEER_QP_ERR_AFTER_MS,	/* accepts, later its QP dies and nobody tells */
	PEER_STALE,		/* rejects as the CM does for a connection it still holds */
};

struct peer_listener {
	struct list_head	entry;		/* in the list of main.c, under its mutex */
	u16			port;
	struct rdma_cm_id	*id[2];		/* IPv4 and IPv6; either may be NULL */
	struct dentry		*file;

	spinlock_t		lock;		/* protects all below */
	enum peer_behaviour	behaviour;
	u32			arg;
	u8			data[64];	/* goes with a reject or an accept */
	u8			data_len;
	bool			closing;	/* refuse whatever still comes */
	struct list_head	conns;
	unsigned int		nr_conns;
	struct {
		u64	requests;
		u64	accepted;
		u64	rejected;
		u64	established;
		u64	disconnected;
		u64	failed;		/* given up before or instead of ESTABLISHED */
		u64	errors;		/* verbs or CM calls of this side that failed */
		u64	received;	/* messages */
		u64	removals;
	} n;
	struct {
		u8	data[256];
		u8	len;
		int	tos;		/* -1: not visible */
		u8	retry_count;
		u8	rnr_retry_count;
		u8	responder_resources;
		u8	initiator_depth;
		u32	qpn;
		char	src[64];
		u64	when_ns;	/* CLOCK_MONOTONIC */
	} last;
	wait_queue_head_t	empty;		/* nr_conns fell to 0 */
};

extern struct workqueue_struct *peer_wq;
extern unsigned int peer_recvs;

/* The CM event handler of listeners; connections switch to their own. */
int peer_request(struct rdma_cm_id *id, struct rdma_cm_event *event);

/* Ends all connections of @l; does not wait. */
void peer_conns_end(struct peer_listener *l);

#endif /* RMC_TEST_PEER_H */
