// SPDX-License-Identifier: GPL-2.0
/* The names that people and scripts read; those of states and reasons are ABI. */
#include "types.h"
#include "fsm.h"

static const char *name_of(const char * const *names, u32 n, u32 value)
{
	return value < n ? names[value] : "unknown";
}

static const char * const conn_states[RMC_CONN_STATES] = {
	[RMC_CONN_NEW]		= "new",
	[RMC_CONN_ADDR]		= "addr",
	[RMC_CONN_ROUTE]	= "route",
	[RMC_CONN_CONNECT]	= "connect",
	[RMC_CONN_HELLO]	= "hello",
	[RMC_CONN_UP]		= "up",
	[RMC_CONN_DRAIN]	= "drain",
	[RMC_CONN_DEAD]		= "dead",
};

static const char * const path_states[RMC_PATH_STATES] = {
	[RMC_PATH_DISABLED]	= "disabled",
	[RMC_PATH_WAITING]	= "waiting",
	[RMC_PATH_CONNECTING]	= "connecting",
	[RMC_PATH_UP]		= "up",
	[RMC_PATH_SUSPECT]	= "suspect",
	[RMC_PATH_BACKOFF]	= "backoff",
	[RMC_PATH_REFUSED]	= "refused",
};

static const char * const ep_states[RMC_EP_STATES] = {
	[RMC_EP_IDLE]		= "idle",
	[RMC_EP_CONNECTING]	= "connecting",
	[RMC_EP_UP]		= "up",
	[RMC_EP_DEGRADED]	= "degraded",
	[RMC_EP_RECOVERING]	= "recovering",
	[RMC_EP_FAILFAST]	= "failfast",
	[RMC_EP_LOST]		= "lost",
	[RMC_EP_CLOSED]		= "closed",
};

static const char * const conn_events[RMC_CE_MAX] = {
	[RMC_CE_START]		= "start",
	[RMC_CE_ADDR_AGAIN]	= "addr-again",
	[RMC_CE_ADDR_OK]	= "addr-ok",
	[RMC_CE_ROUTE_OK]	= "route-ok",
	[RMC_CE_ESTABLISHED]	= "established",
	[RMC_CE_UP]		= "up",
	[RMC_CE_FAIL]		= "fail",
	[RMC_CE_FENCED]		= "fenced",
};

static const char * const path_events[RMC_PE_MAX] = {
	[RMC_PE_ENABLE]		= "enable",
	[RMC_PE_DISABLE]	= "disable",
	[RMC_PE_DUE]		= "due",
	[RMC_PE_UP]		= "up",
	[RMC_PE_FAIL]		= "fail",
	[RMC_PE_ABSENT]		= "absent",
	[RMC_PE_REFUSE]		= "refuse",
	[RMC_PE_SUSPECT]	= "suspect",
	[RMC_PE_PROVEN]		= "proven",
	[RMC_PE_RETRY]		= "retry",
};

static const char * const ep_events[RMC_EE_MAX] = {
	[RMC_EE_CONNECT]	= "connect",
	[RMC_EE_DISCONNECT]	= "disconnect",
	[RMC_EE_ALL_UP]		= "all-up",
	[RMC_EE_SOME_UP]	= "some-up",
	[RMC_EE_NONE_UP]	= "none-up",
	[RMC_EE_FAIL_FAST]	= "fail-fast",
	[RMC_EE_LOSS]		= "loss",
	[RMC_EE_CLOSE]		= "close",
};

static const char * const reasons[RMC_REASON_MAX] = {
	[RMC_REASON_NONE]		= "none",
	[RMC_REASON_ADMIN]		= "admin",
	[RMC_REASON_CONSUMER]		= "consumer",
	[RMC_REASON_NO_DEVICE]		= "no-device",
	[RMC_REASON_NO_ADDRESS]		= "no-address",
	[RMC_REASON_NO_ROUTE]		= "no-route",
	[RMC_REASON_ADDR_TIMEOUT]	= "addr-timeout",
	[RMC_REASON_ADDR_ERROR]		= "addr-error",
	[RMC_REASON_ROUTE_ERROR]	= "route-error",
	[RMC_REASON_CONNECT_TIMEOUT]	= "connect-timeout",
	[RMC_REASON_CONNECT_ERROR]	= "connect-error",
	[RMC_REASON_UNREACHABLE]	= "unreachable",
	[RMC_REASON_REJECTED]		= "rejected",
	[RMC_REASON_NO_LISTENER]	= "no-listener",
	[RMC_REASON_STALE_CONNECTION]	= "stale-connection",
	[RMC_REASON_RESOURCES]		= "resources",
	[RMC_REASON_UNSUPPORTED]	= "unsupported",
	[RMC_REASON_PROBE_TIMEOUT]	= "probe-timeout",
	[RMC_REASON_QP_ERROR]		= "qp-error",
	[RMC_REASON_PEER_DISCONNECT]	= "peer-disconnect",
	[RMC_REASON_LINK_DOWN]		= "link-down",
	[RMC_REASON_CARRIER_LOST]	= "carrier-lost",
	[RMC_REASON_ADDR_REMOVED]	= "addr-removed",
	[RMC_REASON_ADDR_CHANGE]	= "addr-change",
	[RMC_REASON_DEVICE_REMOVED]	= "device-removed",
	[RMC_REASON_GENERATION]		= "generation",
	[RMC_REASON_SUPERSEDED]		= "superseded",
	[RMC_REASON_TIMED_OUT]		= "timed-out",
	[RMC_REASON_ATTEMPTS]		= "attempts",
	[RMC_REASON_FAIL_FAST]		= "fail-fast",
	[RMC_REASON_FAULT]		= "fault",
};

const char *rmc_conn_state_name(enum rmc_conn_state state)
{
	return name_of(conn_states, ARRAY_SIZE(conn_states), state);
}

const char *rmc_path_state_name(enum rmc_path_state state)
{
	return name_of(path_states, ARRAY_SIZE(path_states), state);
}

const char *rmc_ep_state_name(enum rmc_ep_state state)
{
	return name_of(ep_states, ARRAY_SIZE(ep_states), state);
}

const char *rmc_conn_event_name(enum rmc_conn_event event)
{
	return name_of(conn_events, ARRAY_SIZE(conn_events), event);
}

const char *rmc_path_event_name(enum rmc_path_event event)
{
	return name_of(path_events, ARRAY_SIZE(path_events), event);
}

const char *rmc_ep_event_name(enum rmc_ep_event event)
{
	return name_of(ep_events, ARRAY_SIZE(ep_events), event);
}

const char *rmc_reason_str(enum rmc_reason_code code)
{
	return name_of(reasons, ARRAY_SIZE(reasons), code);
}
