/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: connections
 *
 * A connection is one rdma_cm_id with one QP: one attempt, never used again
 * (invariant I3). Its owner is a path. The work is split in three so that the
 * owner never blocks:
 *
 *   rmc_conn_run()	the head. Runs in the owner's work under the owner's
 *			mutex: takes what was recorded, moves the state, says
 *			what is to be done next.
 *   job		the hands. One at a time on rmc_attempt_wq: calls into
 *			rdma_cm and verbs, conn_setup, conn_private, conn_up.
 *   fence, destroy	the end, see fence.c and reaper.c.
 *
 * Callbacks (CM, CQ, device) record a fact as a bit in .recorded, with what
 * belongs to it under .lock, and kick the owner.
 *
 * Locking. [o] owner's mutex (.owner_lock), [l] .lock, [j] written by the job
 * while it runs, read by others only while no job runs (.phase says so under
 * .lock) or in phase CALL, when the member is no longer written.
 *
 * References: creation gives one to the owner, which it hands over to the
 * reaper with rmc_conn_reap(). A queued work holds one. The consumer may hold
 * more by rmc_conn_get(). The rdma_cm_id points here without a reference, for
 * it is destroyed before the reaper's reference goes. Each connection holds a
 * reference to its owner as long as it exists, so that kicking it is safe from
 * wherever a connection can be held.
 */
#ifndef RMC_CONN_H
#define RMC_CONN_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>
#include <rdma/rmc.h>
#include "conn/gate.h"
#include "conn/who.h"
#include "logic/fsm.h"
#include "verbs/device.h"
#include "verbs/probe.h"
#include "verbs/qp.h"

/* What a connection is made with; does not change afterwards. */
struct rmc_conn_cfg {
	struct net		*net;
	struct rmc_conn_who	who;
	struct sockaddr_storage	src;
	struct sockaddr_storage	dst;
	struct rmc_qp_want	want;
	u32			connect_ms;
	u32			last_connect_us;	/* of the path, 0: none */
	u32			timeouts;		/* of the path, in a row */
	u64			outage_ms;		/* of the path */
	bool			tos_set;
	u8			tos;
	u8			ack_timeout;
	u8			rnr_timer;
	u8			retry_count;
	u8			responder_resources;
	u8			initiator_depth;
	u8			private_data_len;
	u8			private_data[RMC_PRIVATE_DATA_MAX];
};

/* What the owner gives at creation; upward calls go only through it. */
struct rmc_conn_host {
	/* any context: run the owner's work */
	void (*kick)(void *owner);
	void (*get)(void *owner);
	void (*put)(void *owner);
	/* process context: the connection is destroyed, its slot is free */
	void (*reaped)(void *owner, unsigned int index);
	/* under the owner's mutex: the state has changed */
	void (*moved)(void *owner, struct rmc_conn *conn, enum rmc_conn_state from);
	/* the same: a probe was answered at @done_ns, or (0) completed in error */
	void (*probed)(void *owner, struct rmc_conn *conn, u64 done_ns);
	/* the same: a pair that is not in the table */
	void (*misfit)(void *owner, struct rmc_conn *conn, enum rmc_conn_event event);
};

/* Bits of rmc_conn.recorded, in the order in which rmc_conn_run() takes them. */
enum rmc_conn_fact {
	RMC_FACT_JOB_DONE,
	RMC_FACT_ADDR_OK,
	RMC_FACT_ADDR_ERROR,
	RMC_FACT_GRANTED,
	RMC_FACT_ROUTE_OK,
	RMC_FACT_ROUTE_ERROR,
	RMC_FACT_ESTABLISHED,
	RMC_FACT_REJECTED,
	RMC_FACT_UNREACHABLE,
	RMC_FACT_CONNECT_ERROR,
	RMC_FACT_DISCONNECTED,
	RMC_FACT_ADDR_CHANGE,
	RMC_FACT_DEVICE_REMOVED,
	RMC_FACT_CONSUMER,
	RMC_FACT_QP_EVENT,
	RMC_FACT_PROBE,
	RMC_FACT_FENCED,
};

enum rmc_job {
	RMC_JOB_NONE,
	RMC_JOB_ADDR,		/* create the id, resolve the address */
	RMC_JOB_ROUTE,
	RMC_JOB_CONNECT,	/* PD, CQ, QP, conn_setup, conn_private, rdma_connect */
	RMC_JOB_UP,		/* conn_up */
};

enum rmc_job_phase {
	RMC_PHASE_IDLE,
	RMC_PHASE_QUEUED,
	RMC_PHASE_BUSY,		/* short, uninterruptible work of our own */
	RMC_PHASE_OP,		/* inside an op of the consumer */
	RMC_PHASE_CALL,		/* inside rdma_cm; no op and no QP change follows if aborted */
};

struct rmc_conn {
	struct kref			ref;
	const struct rmc_conn_host	*host;
	void				*owner;
	struct mutex			*owner_lock;	/* the owner's, protects what is [o] */
	struct rmc_gate			*gate;
	struct rmc_pd_set		*pds;
	struct rmc_conn_cfg		cfg;
	void				*priv;		/* the consumer's */

	struct list_head		node;		/* [o] the owner's, then the reaper's */
	bool				slot_free;	/* the reaper's: .reaped() was called */
	enum rmc_conn_state		state;		/* [o] */
	struct rmc_reason		reason;		/* [o] until DRAIN, then constant */
	u64				start_ns;	/* [o] */
	u64				deadline_ns;	/* [o] 0: none (waiting for budget) */
	u64				answer_ns;	/* [o] deadline of the CM answer, 0: none */
	u64				flushed_ns;	/* [o] a cause is waited for until */
	u64				wait_ns;	/* [o] since when it waits for budget */
	u32				answer_ms;	/* [o] what answer_ns was made of */
	u32				addr_tries;	/* [o] */
	enum rmc_job			next_job;	/* [o] to start once the hands are free */
	bool				up_asked;	/* [o] conn_up has been scheduled */
	bool				fencing;	/* [o] fence is queued */
	bool				erring;		/* [o] err is queued */

	unsigned long			recorded;	/* atomic bits, enum rmc_conn_fact */
	spinlock_t			lock;

	struct {
		struct work_struct	work;
		enum rmc_job		what;		/* [l] */
		enum rmc_job_phase	phase;		/* [l] */
		bool			aborted;	/* [l] start no op and no call */
		bool			reap;		/* [l] destroy when idle */
		struct task_struct	*caller;	/* [l] is inside rdma_connect() for us */
		enum rmc_reason_code	code;		/* [l] of a job that failed */
		int			err;		/* [l] */
		u32			addr_timeout_ms;	/* [o] for RMC_JOB_ADDR */
	} job;

	struct {
		struct rdma_cm_id	*id;		/* [j] */
		int			addr_err;	/* [l] */
		int			route_err;	/* [l] */
		int			status;		/* [l] of the event that ended it */
		u64			established_ns;	/* [l] */
		u64			sent_ns;	/* [l] when rdma_connect() was called */
		bool			established;	/* [l] */
		u8			peer_initiator;	/* [l] what the peer granted */
		u8			peer_responder;	/* [l] */
		u8			private_len;	/* [l] */
		u8			private[RMC_PRIVATE_DATA_MAX];	/* [l] */
		struct sockaddr_storage	src;		/* [l] as resolved */
		int			ifindex;	/* [l] as resolved, 0: unknown */
		u32			port;		/* [l] */
		bool			iwarp;		/* [l] */
#ifdef RMC_FAULTS
		struct delayed_work	late;		/* an event held back */
		unsigned long		late_fact;
#endif
	} cm;

	struct rmc_dev_user		dev;
	struct rmc_pd			*pd;		/* [j] */
	struct rmc_qp			qp;		/* [j] */
	bool				setup_called;	/* [j] conn_teardown is owed */
	bool				up_called;	/* [j] it returned 0: conn_lost is owed */

	struct {
		struct rmc_probe	wr;
		enum rmc_probe_kind	kind;		/* [o] */
		bool			outstanding;	/* [o] */
		u64			done_ns;	/* [l] */
		enum ib_wc_status	status;		/* [l] */
	} probe;

	atomic64_t			rx_ns;		/* rmc_conn_note_rx() */
	int				consumer_err;	/* rmc_conn_fail(), first wins */

	struct work_struct		err_work;
	struct work_struct		fence_work;
	struct work_struct		destroy_work;
};

/* conn.c: the head */
struct rmc_conn *rmc_conn_create(const struct rmc_conn_cfg *cfg, const struct rmc_conn_host *host,
				 void *owner, struct mutex *owner_lock, struct rmc_gate *gate,
				 struct rmc_pd_set *pds);
void rmc_conn_hold(struct rmc_conn *conn);
void rmc_conn_drop(struct rmc_conn *conn);
void rmc_conn_start(struct rmc_conn *conn, u64 now);
void rmc_conn_run(struct rmc_conn *conn, u64 now);
/* Ends it from any state; the first cause is kept. */
void rmc_conn_abort(struct rmc_conn *conn, enum rmc_reason_code code, int err);
/* When rmc_conn_run() wants to run next, U64_MAX if it does not mind. */
u64 rmc_conn_next_ns(const struct rmc_conn *conn);
/* Sends a probe; the answer is RMC_FACT_PROBE. Owner's lock; never blocks. */
int rmc_conn_probe(struct rmc_conn *conn);
void rmc_conn_record(struct rmc_conn *conn, enum rmc_conn_fact fact);
u8 rmc_conn_usable_private(bool iwarp);

/* cm.c: the only place that knows RDMA_CM_EVENT_* */
int rmc_conn_cm_handler(struct rdma_cm_id *id, struct rdma_cm_event *event);
void rmc_conn_cm_init(struct rmc_conn *conn);
void rmc_conn_cm_fini(struct rmc_conn *conn);
void rmc_conn_cm_reason(const struct rmc_conn *conn, enum rmc_conn_fact fact,
			struct rmc_reason *why);

/* job.c: the hands */
void rmc_conn_job_init(struct rmc_conn *conn);
void rmc_conn_job_start(struct rmc_conn *conn);

/* call.c: rdma_connect() */
int rmc_conn_call_connect(struct rmc_conn *conn, struct rdma_conn_param *param);
void rmc_conn_call_break(struct rmc_conn *conn);

/* fence.c: the end, as far as the consumer has a part in it */
void rmc_conn_fence_init(struct rmc_conn *conn);
void rmc_conn_fence(struct rmc_conn *conn);

/* reaper.c: the end of what is left */
void rmc_conn_reaper_init(struct rmc_conn *conn);
/* Takes the owner's reference; destroys as soon as no job runs. */
void rmc_conn_reap(struct rmc_conn *conn);
/* Called by the end of a job: the reaper may be waiting for it. */
void rmc_conn_reap_queue(struct rmc_conn *conn);
/* Whether what the CM sends for its id can leave this host. */
bool rmc_conn_has_way(const struct rmc_conn *conn);
/* A link, an address or a device has changed. Any context. */
void rmc_reaper_kick(void);
/* Waits until every connection is gone; for unload. */
void rmc_conn_wait_all(void);
void rmc_conn_born(void);
void rmc_conn_gone(void);

#endif /* RMC_CONN_H */
