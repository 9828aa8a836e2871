// SPDX-License-Identifier: GPL-2.0
/* State tables of connection, path and endpoint: legality is data. */
#include "types.h"
#include "fsm.h"

/* Zero in a table means "not a transition", hence the offset by one. */
#define TO(state)	((state) + 1)

static const u8 conn_table[RMC_CONN_STATES][RMC_CE_MAX] = {
	[RMC_CONN_NEW] = {
		[RMC_CE_START]		= TO(RMC_CONN_ADDR),
		[RMC_CE_FAIL]		= TO(RMC_CONN_DRAIN),
	},
	[RMC_CONN_ADDR] = {
		[RMC_CE_ADDR_AGAIN]	= TO(RMC_CONN_ADDR),
		[RMC_CE_ADDR_OK]	= TO(RMC_CONN_ROUTE),
		[RMC_CE_FAIL]		= TO(RMC_CONN_DRAIN),
	},
	[RMC_CONN_ROUTE] = {
		[RMC_CE_ROUTE_OK]	= TO(RMC_CONN_CONNECT),
		[RMC_CE_FAIL]		= TO(RMC_CONN_DRAIN),
	},
	[RMC_CONN_CONNECT] = {
		[RMC_CE_ESTABLISHED]	= TO(RMC_CONN_HELLO),	/* session mode */
		[RMC_CE_UP]		= TO(RMC_CONN_UP),	/* verbs mode: no hello */
		[RMC_CE_FAIL]		= TO(RMC_CONN_DRAIN),
	},
	[RMC_CONN_HELLO] = {
		[RMC_CE_UP]		= TO(RMC_CONN_UP),
		[RMC_CE_FAIL]		= TO(RMC_CONN_DRAIN),
	},
	[RMC_CONN_UP] = {
		[RMC_CE_FAIL]		= TO(RMC_CONN_DRAIN),
	},
	[RMC_CONN_DRAIN] = {
		/* what goes wrong while draining is the same loss again */
		[RMC_CE_FAIL]		= TO(RMC_CONN_DRAIN),
		[RMC_CE_FENCED]		= TO(RMC_CONN_DEAD),
	},
};

static const u8 path_table[RMC_PATH_STATES][RMC_PE_MAX] = {
	[RMC_PATH_DISABLED] = {
		[RMC_PE_ENABLE]		= TO(RMC_PATH_CONNECTING),
		[RMC_PE_DISABLE]	= TO(RMC_PATH_DISABLED),
	},
	[RMC_PATH_WAITING] = {
		[RMC_PE_DISABLE]	= TO(RMC_PATH_DISABLED),
		[RMC_PE_DUE]		= TO(RMC_PATH_CONNECTING),
	},
	[RMC_PATH_CONNECTING] = {
		[RMC_PE_DISABLE]	= TO(RMC_PATH_DISABLED),
		[RMC_PE_UP]		= TO(RMC_PATH_UP),
		[RMC_PE_FAIL]		= TO(RMC_PATH_BACKOFF),
		[RMC_PE_ABSENT]		= TO(RMC_PATH_WAITING),
		[RMC_PE_REFUSE]		= TO(RMC_PATH_REFUSED),
	},
	[RMC_PATH_UP] = {
		[RMC_PE_DISABLE]	= TO(RMC_PATH_DISABLED),
		[RMC_PE_FAIL]		= TO(RMC_PATH_BACKOFF),
		[RMC_PE_ABSENT]		= TO(RMC_PATH_WAITING),
		[RMC_PE_SUSPECT]	= TO(RMC_PATH_SUSPECT),
	},
	[RMC_PATH_SUSPECT] = {
		[RMC_PE_DISABLE]	= TO(RMC_PATH_DISABLED),
		[RMC_PE_FAIL]		= TO(RMC_PATH_BACKOFF),
		[RMC_PE_ABSENT]		= TO(RMC_PATH_WAITING),
		[RMC_PE_PROVEN]		= TO(RMC_PATH_UP),
	},
	[RMC_PATH_BACKOFF] = {
		[RMC_PE_DISABLE]	= TO(RMC_PATH_DISABLED),
		[RMC_PE_DUE]		= TO(RMC_PATH_CONNECTING),
	},
	[RMC_PATH_REFUSED] = {
		[RMC_PE_DISABLE]	= TO(RMC_PATH_DISABLED),
		[RMC_PE_RETRY]		= TO(RMC_PATH_CONNECTING),
	},
};

static const u8 ep_table[RMC_EP_STATES][RMC_EE_MAX] = {
	[RMC_EP_IDLE] = {
		[RMC_EE_CONNECT]	= TO(RMC_EP_CONNECTING),
		[RMC_EE_DISCONNECT]	= TO(RMC_EP_IDLE),
		[RMC_EE_CLOSE]		= TO(RMC_EP_CLOSED),
	},
	[RMC_EP_CONNECTING] = {
		[RMC_EE_CONNECT]	= TO(RMC_EP_CONNECTING),
		[RMC_EE_DISCONNECT]	= TO(RMC_EP_IDLE),
		[RMC_EE_ALL_UP]		= TO(RMC_EP_UP),
		[RMC_EE_SOME_UP]	= TO(RMC_EP_DEGRADED),
		[RMC_EE_NONE_UP]	= TO(RMC_EP_CONNECTING),
		[RMC_EE_LOSS]		= TO(RMC_EP_LOST),
		[RMC_EE_CLOSE]		= TO(RMC_EP_CLOSED),
	},
	[RMC_EP_UP] = {
		[RMC_EE_CONNECT]	= TO(RMC_EP_UP),
		[RMC_EE_DISCONNECT]	= TO(RMC_EP_IDLE),
		[RMC_EE_ALL_UP]		= TO(RMC_EP_UP),
		[RMC_EE_SOME_UP]	= TO(RMC_EP_DEGRADED),
		[RMC_EE_NONE_UP]	= TO(RMC_EP_RECOVERING),
		[RMC_EE_CLOSE]		= TO(RMC_EP_CLOSED),
	},
	[RMC_EP_DEGRADED] = {
		[RMC_EE_CONNECT]	= TO(RMC_EP_DEGRADED),
		[RMC_EE_DISCONNECT]	= TO(RMC_EP_IDLE),
		[RMC_EE_ALL_UP]		= TO(RMC_EP_UP),
		[RMC_EE_SOME_UP]	= TO(RMC_EP_DEGRADED),
		[RMC_EE_NONE_UP]	= TO(RMC_EP_RECOVERING),
		[RMC_EE_CLOSE]		= TO(RMC_EP_CLOSED),
	},
	[RMC_EP_RECOVERING] = {
		[RMC_EE_CONNECT]	= TO(RMC_EP_RECOVERING),
		[RMC_EE_DISCONNECT]	= TO(RMC_EP_IDLE),
		[RMC_EE_ALL_UP]		= TO(RMC_EP_UP),
		[RMC_EE_SOME_UP]	= TO(RMC_EP_DEGRADED),
		[RMC_EE_NONE_UP]	= TO(RMC_EP_RECOVERING),
		[RMC_EE_FAIL_FAST]	= TO(RMC_EP_FAILFAST),
		[RMC_EE_LOSS]		= TO(RMC_EP_LOST),
		[RMC_EE_CLOSE]		= TO(RMC_EP_CLOSED),
	},
	[RMC_EP_FAILFAST] = {
		[RMC_EE_CONNECT]	= TO(RMC_EP_FAILFAST),
		[RMC_EE_DISCONNECT]	= TO(RMC_EP_IDLE),
		[RMC_EE_ALL_UP]		= TO(RMC_EP_UP),
		[RMC_EE_SOME_UP]	= TO(RMC_EP_DEGRADED),
		[RMC_EE_NONE_UP]	= TO(RMC_EP_FAILFAST),
		[RMC_EE_LOSS]		= TO(RMC_EP_LOST),
		[RMC_EE_CLOSE]		= TO(RMC_EP_CLOSED),
	},
	[RMC_EP_LOST] = {
		/* its paths are disabled: what they still say changes nothing */
		[RMC_EE_CONNECT]	= TO(RMC_EP_CONNECTING),
		[RMC_EE_DISCONNECT]	= TO(RMC_EP_IDLE),
		[RMC_EE_CLOSE]		= TO(RMC_EP_CLOSED),
	},
	[RMC_EP_CLOSED] = {
		[RMC_EE_CLOSE]		= TO(RMC_EP_CLOSED),
	},
};

int rmc_conn_next(enum rmc_conn_state state, enum rmc_conn_event event)
{
	if ((u32)state >= RMC_CONN_STATES || (u32)event >= RMC_CE_MAX)
		return RMC_FSM_NONE;
	return conn_table[state][event] - 1;
}

int rmc_path_next(enum rmc_path_state state, enum rmc_path_event event)
{
	if ((u32)state >= RMC_PATH_STATES || (u32)event >= RMC_PE_MAX)
		return RMC_FSM_NONE;
	return path_table[state][event] - 1;
}

int rmc_ep_next(enum rmc_ep_state state, enum rmc_ep_event event)
{
	if ((u32)state >= RMC_EP_STATES || (u32)event >= RMC_EE_MAX)
		return RMC_FSM_NONE;
	return ep_table[state][event] - 1;
}
