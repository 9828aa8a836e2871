/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rmc

#if !defined(_TRACE_RMC_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_RMC_H

#include <linux/tracepoint.h>
#include <rdma/rdma_cm.h>
#include <rdma/rmc.h>
#include "conn/who.h"
#include "logic/fsm.h"

/* Every change of a connection's state. */
TRACE_EVENT(rmc_conn_state,
	TP_PROTO(const struct rmc_conn_who *who, u32 from, u32 to, const struct rmc_reason *why),
	TP_ARGS(who, from, to, why),
	TP_STRUCT__entry(
		__field(u32, ep)
		__field(int, path)
		__field(unsigned int, conn)
		__field(u32, generation)
		__field(u32, from)
		__field(u32, to)
		__field(u32, code)
		__field(int, err)
		__field(int, rej)
	),
	TP_fast_assign(
		__entry->ep = who->ep_id;
		__entry->path = who->path_id;
		__entry->conn = who->index;
		__entry->generation = who->generation;
		__entry->from = from;
		__entry->to = to;
		__entry->code = why->code;
		__entry->err = why->err;
		__entry->rej = why->rej;
	),
	TP_printk("ep=%u path=%d conn=%u gen=%u %s -> %s reason=%s errno=%d rej=%d",
		  __entry->ep, __entry->path, __entry->conn, __entry->generation,
		  rmc_conn_state_name(__entry->from), rmc_conn_state_name(__entry->to),
		  rmc_reason_str(__entry->code), __entry->err, __entry->rej)
);

/* Every event of rdma_cm, as it arrives. */
TRACE_EVENT(rmc_cm_event,
	TP_PROTO(const struct rmc_conn_who *who, u32 event, int status),
	TP_ARGS(who, event, status),
	TP_STRUCT__entry(
		__field(u32, ep)
		__field(int, path)
		__field(unsigned int, conn)
		__field(u32, generation)
		__field(u32, event)
		__field(int, status)
	),
	TP_fast_assign(
		__entry->ep = who->ep_id;
		__entry->path = who->path_id;
		__entry->conn = who->index;
		__entry->generation = who->generation;
		__entry->event = event;
		__entry->status = status;
	),
	TP_printk("ep=%u path=%d conn=%u gen=%u %s status=%d",
		  __entry->ep, __entry->path, __entry->conn, __entry->generation,
		  rdma_event_msg(__entry->event), __entry->status)
);

/* A probe was posted (ret 0) or could not be. */
TRACE_EVENT(rmc_probe,
	TP_PROTO(const struct rmc_conn_who *who, int ret),
	TP_ARGS(who, ret),
	TP_STRUCT__entry(
		__field(u32, ep)
		__field(int, path)
		__field(unsigned int, conn)
		__field(u32, generation)
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->ep = who->ep_id;
		__entry->path = who->path_id;
		__entry->conn = who->index;
		__entry->generation = who->generation;
		__entry->ret = ret;
	),
	TP_printk("ep=%u path=%d conn=%u gen=%u ret=%d",
		  __entry->ep, __entry->path, __entry->conn, __entry->generation,
		  __entry->ret)
);

TRACE_EVENT(rmc_probe_answer,
	TP_PROTO(const struct rmc_conn_who *who, u64 rtt_ns),
	TP_ARGS(who, rtt_ns),
	TP_STRUCT__entry(
		__field(u32, ep)
		__field(int, path)
		__field(unsigned int, conn)
		__field(u32, generation)
		__field(u64, rtt_ns)
	),
	TP_fast_assign(
		__entry->ep = who->ep_id;
		__entry->path = who->path_id;
		__entry->conn = who->index;
		__entry->generation = who->generation;
		__entry->rtt_ns = rtt_ns;
	),
	TP_printk("ep=%u path=%d conn=%u gen=%u rtt_ns=%llu",
		  __entry->ep, __entry->path, __entry->conn, __entry->generation,
		  __entry->rtt_ns)
);

/* A path starts an attempt, its generation'th. */
TRACE_EVENT(rmc_attempt,
	TP_PROTO(u32 ep, int path, u32 generation, u32 failures, u64 outage_ms),
	TP_ARGS(ep, path, generation, failures, outage_ms),
	TP_STRUCT__entry(
		__field(u32, ep)
		__field(int, path)
		__field(u32, generation)
		__field(u32, failures)
		__field(u64, outage_ms)
	),
	TP_fast_assign(
		__entry->ep = ep;
		__entry->path = path;
		__entry->generation = generation;
		__entry->failures = failures;
		__entry->outage_ms = outage_ms;
	),
	TP_printk("ep=%u path=%d gen=%u failures=%u outage_ms=%llu", __entry->ep, __entry->path,
		  __entry->generation, __entry->failures, __entry->outage_ms)
);

TRACE_EVENT(rmc_path_state,
	TP_PROTO(u32 ep, int path, u32 generation, u32 from, u32 to,
		 const struct rmc_reason *why),
	TP_ARGS(ep, path, generation, from, to, why),
	TP_STRUCT__entry(
		__field(u32, ep)
		__field(int, path)
		__field(u32, generation)
		__field(u32, from)
		__field(u32, to)
		__field(u32, code)
		__field(int, err)
		__field(int, rej)
	),
	TP_fast_assign(
		__entry->ep = ep;
		__entry->path = path;
		__entry->generation = generation;
		__entry->from = from;
		__entry->to = to;
		__entry->code = why->code;
		__entry->err = why->err;
		__entry->rej = why->rej;
	),
	TP_printk("ep=%u path=%d gen=%u %s -> %s reason=%s errno=%d rej=%d",
		  __entry->ep, __entry->path, __entry->generation,
		  rmc_path_state_name(__entry->from), rmc_path_state_name(__entry->to),
		  rmc_reason_str(__entry->code), __entry->err, __entry->rej)
);

TRACE_EVENT(rmc_ep_state,
	TP_PROTO(u32 ep, u32 from, u32 to, const struct rmc_reason *why),
	TP_ARGS(ep, from, to, why),
	TP_STRUCT__entry(
		__field(u32, ep)
		__field(u32, from)
		__field(u32, to)
		__field(u32, code)
		__field(int, err)
		__field(int, rej)
	),
	TP_fast_assign(
		__entry->ep = ep;
		__entry->from = from;
		__entry->to = to;
		__entry->code = why->code;
		__entry->err = why->err;
		__entry->rej = why->rej;
	),
	TP_printk("ep=%u %s -> %s reason=%s errno=%d rej=%d", __entry->ep,
		  rmc_ep_state_name(__entry->from), rmc_ep_state_name(__entry->to),
		  rmc_reason_str(__entry->code), __entry->err, __entry->rej)
);

/* A (state, event) pair that is in no table. */
TRACE_EVENT(rmc_misfit,
	TP_PROTO(u32 ep, int path, const char *what, const char *state, const char *event),
	TP_ARGS(ep, path, what, state, event),
	TP_STRUCT__entry(
		__field(u32, ep)
		__field(int, path)
		__field(const char *, what)
		__field(const char *, state)
		__field(const char *, event)
	),
	TP_fast_assign(
		__entry->ep = ep;
		__entry->path = path;
		__entry->what = what;
		__entry->state = state;
		__entry->event = event;
	),
	/* the three strings are constants of this module */
	TP_printk("ep=%u path=%d %s state=%s event=%s", __entry->ep, __entry->path,
		  __entry->what, __entry->state, __entry->event)
);

#endif /* _TRACE_RMC_H */

#include <trace/define_trace.h>
