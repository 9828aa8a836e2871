/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rmc

#if !defined(_TRACE_RMC_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_RMC_H

#include <linux/tracepoint.h>
#include <rdma/rdma_cm.h>
#include <rdma/rmc.h>
#include "logic/fsm.h"

/* A connection is named by endpoint id, path id, index and generation. */
#define RMC_CONN_PROTO	u32 ep, int path, unsigned int conn, u32 generation
#define RMC_CONN_ARGS	ep, path, conn, generation
#define RMC_CONN_ENTRY	__field(u32, ep) __field(int, path) \
			__field(unsigned int, conn) __field(u32, generation)
#define RMC_CONN_ASSIGN	(__entry->ep = ep, __entry->path = path, \
			 __entry->conn = conn, __entry->generation = generation)
#define RMC_CONN_FMT	"ep=%u path=%d conn=%u gen=%u "
#define RMC_CONN_VALUES	__entry->ep, __entry->path, __entry->conn, __entry->generation

/* Every change of a connection's state. */
TRACE_EVENT(rmc_conn_state,
	TP_PROTO(RMC_CONN_PROTO, u32 from, u32 to, const struct rmc_reason *why),
	TP_ARGS(RMC_CONN_ARGS, from, to, why),
	TP_STRUCT__entry(
		RMC_CONN_ENTRY
		__field(u32, from)
		__field(u32, to)
		__field(u32, code)
		__field(int, err)
		__field(int, rej)
	),
	TP_fast_assign(
		RMC_CONN_ASSIGN;
		__entry->from = from;
		__entry->to = to;
		__entry->code = why->code;
		__entry->err = why->err;
		__entry->rej = why->rej;
	),
	TP_printk(RMC_CONN_FMT "%s -> %s reason=%s errno=%d rej=%d", RMC_CONN_VALUES,
		  rmc_conn_state_name(__entry->from), rmc_conn_state_name(__entry->to),
		  rmc_reason_name(__entry->code), __entry->err, __entry->rej)
);

/* Every event of rdma_cm, as it arrives. */
TRACE_EVENT(rmc_cm_event,
	TP_PROTO(RMC_CONN_PROTO, u32 event, int status),
	TP_ARGS(RMC_CONN_ARGS, event, status),
	TP_STRUCT__entry(
		RMC_CONN_ENTRY
		__field(u32, event)
		__field(int, status)
	),
	TP_fast_assign(
		RMC_CONN_ASSIGN;
		__entry->event = event;
		__entry->status = status;
	),
	TP_printk(RMC_CONN_FMT "%s status=%d", RMC_CONN_VALUES,
		  rdma_event_msg(__entry->event), __entry->status)
);

/* A probe was posted (ret 0) or could not be. */
TRACE_EVENT(rmc_probe,
	TP_PROTO(RMC_CONN_PROTO, int ret),
	TP_ARGS(RMC_CONN_ARGS, ret),
	TP_STRUCT__entry(
		RMC_CONN_ENTRY
		__field(int, ret)
	),
	TP_fast_assign(
		RMC_CONN_ASSIGN;
		__entry->ret = ret;
	),
	TP_printk(RMC_CONN_FMT "ret=%d", RMC_CONN_VALUES, __entry->ret)
);

TRACE_EVENT(rmc_probe_answer,
	TP_PROTO(RMC_CONN_PROTO, u64 rtt_ns),
	TP_ARGS(RMC_CONN_ARGS, rtt_ns),
	TP_STRUCT__entry(
		RMC_CONN_ENTRY
		__field(u64, rtt_ns)
	),
	TP_fast_assign(
		RMC_CONN_ASSIGN;
		__entry->rtt_ns = rtt_ns;
	),
	TP_printk(RMC_CONN_FMT "rtt_ns=%llu", RMC_CONN_VALUES, __entry->rtt_ns)
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
		  rmc_reason_name(__entry->code), __entry->err, __entry->rej)
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
		  rmc_reason_name(__entry->code), __entry->err, __entry->rej)
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
