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

/* A new point needs its name in fault.c too, which does not build without. */
enum rmc_fault_point {
	RMC_FAULT_EP_ALLOC,
	RMC_FAULT_PATH_ALLOC,
	RMC_FAULT_CONN_ALLOC,
	RMC_FAULT_PD_ALLOC,
	RMC_FAULT_CQ_GET,
	RMC_FAULT_QP_CREATE,
	RMC_FAULT_ID_CREATE,
	RMC_FAULT_RESOLVE_ADDR,
	RMC_FAULT_RESOLVE_ROUTE,
	RMC_FAULT_CONNECT,
	RMC_FAULT_DISCONNECT,
	RMC_FAULT_PROBE_POST,
	RMC_FAULT_DEV_ALLOC,
	RMC_FAULT_NOTE_ALLOC,
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
