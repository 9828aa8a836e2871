/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fault points. In a build with RMC_FAULTS=y each named point can be told
 * through debugfs (rmc/faults/POINT/) to fail with an errno on its n-th pass,
 * and each CM event to be swallowed, delayed or doubled. In a normal build all
 * of this is nothing.
 */
#ifndef RMC_FAULT_H
#define RMC_FAULT_H

#include <linux/types.h>

/* One line a point: constant, name in debugfs. */
#define RMC_FAULT_POINTS(X)			\
	X(EP_ALLOC, "ep_alloc")			\
	X(PATH_ALLOC, "path_alloc")		\
	X(CONN_ALLOC, "conn_alloc")		\
	X(PD_ALLOC, "pd_alloc")			\
	X(CQ_GET, "cq_get")			\
	X(QP_CREATE, "qp_create")		\
	X(ID_CREATE, "id_create")		\
	X(RESOLVE_ADDR, "resolve_addr")		\
	X(RESOLVE_ROUTE, "resolve_route")	\
	X(CONNECT, "connect")			\
	X(DISCONNECT, "disconnect")		\
	X(PROBE_POST, "probe_post")		\
	X(DEV_ALLOC, "dev_alloc")		\
	X(NOTE_ALLOC, "note_alloc")

enum rmc_fault_point {
#define X(point, name) RMC_FAULT_##point,
	RMC_FAULT_POINTS(X)
#undef X
	RMC_FAULT_MAX,
};

/* What to do with a CM event that has just arrived. */
enum rmc_fault_cm {
	RMC_FAULT_CM_PASS,
	RMC_FAULT_CM_SWALLOW,
	RMC_FAULT_CM_DOUBLE,	/* record it now and once more after delay_ms */
	RMC_FAULT_CM_DELAY,	/* record it after delay_ms */
};

#ifdef RMC_FAULTS
/* Returns 0 or the errno to fail with. Any context. */
int rmc_fault(enum rmc_fault_point point);
/* @event: enum rdma_cm_event_type; *delay_ms is set for DOUBLE and DELAY. */
enum rmc_fault_cm rmc_fault_cm_event(int event, unsigned int *delay_ms);
int rmc_fault_init(void);
void rmc_fault_exit(void);
#else
static inline int rmc_fault(enum rmc_fault_point point) { return 0; }
static inline enum rmc_fault_cm rmc_fault_cm_event(int event, unsigned int *delay_ms)
{
	return RMC_FAULT_CM_PASS;
}
static inline int rmc_fault_init(void) { return 0; }
static inline void rmc_fault_exit(void) { }
#endif

#endif /* RMC_FAULT_H */
