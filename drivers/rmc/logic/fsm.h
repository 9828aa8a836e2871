/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: the three state tables
 *
 * A connection, a path and an endpoint each have one table[state][event] that
 * gives the next state. A pair that is not in the table has no next state; the
 * caller counts it and leaves the state alone. Each table has one caller that
 * writes the state it governs (invariant I1).
 */
#ifndef RMC_LOGIC_FSM_H
#define RMC_LOGIC_FSM_H

#include <uapi/rdma/rmc.h>

/* No such transition. */
#define RMC_FSM_NONE	(-1)

enum rmc_conn_event {
	RMC_CE_START,		/* the attempt begins: resolve the address */
	RMC_CE_ADDR_AGAIN,	/* address not resolved yet, ask again */
	RMC_CE_ADDR_OK,		/* address resolved and attempt budget granted */
	RMC_CE_ROUTE_OK,	/* route resolved: create the QP and connect */
	RMC_CE_ESTABLISHED,	/* the CM exchange is complete */
	RMC_CE_UP,		/* verbs: conn_up returned 0; session: hello done */
	RMC_CE_FAIL,		/* any error, timeout or loss */
	RMC_CE_FENCED,		/* the consumer has seen the last of it */
	RMC_CE_MAX,
};

enum rmc_path_event {
	RMC_PE_ENABLE,		/* the endpoint connects, or an admin said up */
	RMC_PE_DISABLE,		/* the endpoint disconnects, or an admin said down */
	RMC_PE_DUE,		/* the wait is over, or something hints at recovery */
	RMC_PE_UP,		/* all connections are up */
	RMC_PE_FAIL,		/* attempt failed or path lost: try again later */
	RMC_PE_ABSENT,		/* the device or address is not there */
	RMC_PE_REFUSE,		/* the peer said never */
	RMC_PE_SUSPECT,		/* a probe is overdue, or the carrier is gone */
	RMC_PE_PROVEN,		/* the peer answered after all */
	RMC_PE_RETRY,		/* an admin or a changed setting ends a refusal */
	RMC_PE_MAX,
};

enum rmc_ep_event {
	RMC_EE_CONNECT,		/* the consumer or an admin asks to connect */
	RMC_EE_DISCONNECT,
	RMC_EE_ALL_UP,		/* every enabled path is up */
	RMC_EE_SOME_UP,		/* some are */
	RMC_EE_NONE_UP,
	RMC_EE_FAIL_FAST,	/* none up for fail_fast_ms */
	RMC_EE_LOSS,		/* none up for loss_ms, or attempts used up */
	RMC_EE_CLOSE,
	RMC_EE_MAX,
};

#define RMC_CONN_STATES	(RMC_CONN_DEAD + 1)
#define RMC_PATH_STATES	(RMC_PATH_REFUSED + 1)
#define RMC_EP_STATES	(RMC_EP_CLOSED + 1)

int rmc_conn_next(enum rmc_conn_state state, enum rmc_conn_event event);
int rmc_path_next(enum rmc_path_state state, enum rmc_path_event event);
int rmc_ep_next(enum rmc_ep_state state, enum rmc_ep_event event);

const char *rmc_conn_state_name(enum rmc_conn_state state);
const char *rmc_path_state_name(enum rmc_path_state state);
const char *rmc_ep_state_name(enum rmc_ep_state state);
const char *rmc_conn_event_name(enum rmc_conn_event event);
const char *rmc_path_event_name(enum rmc_path_event event);
const char *rmc_ep_event_name(enum rmc_ep_event event);
const char *rmc_reason_str(enum rmc_reason_code code);

#endif /* RMC_LOGIC_FSM_H */
