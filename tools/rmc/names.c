// SPDX-License-Identifier: GPL-2.0
/* Numbers of the ABI and their names. */
#include <stdio.h>
#include <string.h>
#include "rmc.h"

const char * const mode_names[] = {
	[RMC_MODE_SESSION] = "session", [RMC_MODE_VERBS] = "verbs", NULL
};

const char * const role_names[] = {
	[RMC_ROLE_ACTIVE] = "active", [RMC_ROLE_PASSIVE] = "passive", NULL
};

const char * const policy_names[] = {
	[RMC_POLICY_MIN_INFLIGHT] = "min-inflight",
	[RMC_POLICY_ROUND_ROBIN] = "round-robin",
	[RMC_POLICY_MIN_LATENCY] = "min-latency",
	[RMC_POLICY_WEIGHTED] = "weighted",
	[RMC_POLICY_FAILOVER] = "failover",
	NULL
};

const char * const ep_states[] = {
	[RMC_EP_IDLE] = "idle",
	[RMC_EP_CONNECTING] = "connecting",
	[RMC_EP_UP] = "up",
	[RMC_EP_DEGRADED] = "degraded",
	[RMC_EP_RECOVERING] = "recovering",
	[RMC_EP_FAILFAST] = "failfast",
	[RMC_EP_LOST] = "lost",
	[RMC_EP_CLOSED] = "closed",
	NULL
};

const char * const path_states[] = {
	[RMC_PATH_DISABLED] = "disabled",
	[RMC_PATH_WAITING] = "waiting",
	[RMC_PATH_CONNECTING] = "connecting",
	[RMC_PATH_UP] = "up",
	[RMC_PATH_SUSPECT] = "suspect",
	[RMC_PATH_BACKOFF] = "backoff",
	[RMC_PATH_REFUSED] = "refused",
	NULL
};

const char * const conn_states[] = {
	[RMC_CONN_NEW] = "new",
	[RMC_CONN_ADDR] = "addr",
	[RMC_CONN_ROUTE] = "route",
	[RMC_CONN_CONNECT] = "connect",
	[RMC_CONN_HELLO] = "hello",
	[RMC_CONN_UP] = "up",
	[RMC_CONN_DRAIN] = "drain",
	[RMC_CONN_DEAD] = "dead",
	NULL
};

const char * const probe_names[] = {
	[RMC_PROBE_NONE] = "none", [RMC_PROBE_WRITE] = "write", [RMC_PROBE_READ] = "read", NULL
};

const char * const dev_states[] = {
	[RMC_DEV_STATE_DEAD] = "dead", [RMC_DEV_STATE_ALIVE] = "alive", NULL
};

const char * const reason_names[] = {
	[RMC_REASON_NONE] = "none",
	[RMC_REASON_ADMIN] = "admin",
	[RMC_REASON_CONSUMER] = "consumer",
	[RMC_REASON_NO_DEVICE] = "no-device",
	[RMC_REASON_NO_ADDRESS] = "no-address",
	[RMC_REASON_NO_ROUTE] = "no-route",
	[RMC_REASON_ADDR_TIMEOUT] = "addr-timeout",
	[RMC_REASON_ADDR_ERROR] = "addr-error",
	[RMC_REASON_ROUTE_ERROR] = "route-error",
	[RMC_REASON_CONNECT_TIMEOUT] = "connect-timeout",
	[RMC_REASON_CONNECT_ERROR] = "connect-error",
	[RMC_REASON_UNREACHABLE] = "unreachable",
	[RMC_REASON_REJECTED] = "rejected",
	[RMC_REASON_NO_LISTENER] = "no-listener",
	[RMC_REASON_STALE_CONNECTION] = "stale-connection",
	[RMC_REASON_RESOURCES] = "resources",
	[RMC_REASON_UNSUPPORTED] = "unsupported",
	[RMC_REASON_PROBE_TIMEOUT] = "probe-timeout",
	[RMC_REASON_QP_ERROR] = "qp-error",
	[RMC_REASON_PEER_DISCONNECT] = "peer-disconnect",
	[RMC_REASON_LINK_DOWN] = "link-down",
	[RMC_REASON_CARRIER_LOST] = "carrier-lost",
	[RMC_REASON_ADDR_REMOVED] = "addr-removed",
	[RMC_REASON_ADDR_CHANGE] = "addr-change",
	[RMC_REASON_DEVICE_REMOVED] = "device-removed",
	[RMC_REASON_GENERATION] = "generation",
	[RMC_REASON_SUPERSEDED] = "superseded",
	[RMC_REASON_TIMED_OUT] = "timed-out",
	[RMC_REASON_ATTEMPTS] = "attempts",
	[RMC_REASON_FAIL_FAST] = "fail-fast",
	[RMC_REASON_FAULT] = "fault",
	NULL
};

/* NULL for a number that a newer kernel may have. */
const char *name_of(const char * const *names, uint32_t value)
{
	uint32_t i;

	for (i = 0; names[i]; i++)
		if (i == value)
			return names[i];
	return NULL;
}

int name_find(const char * const *names, const char *text)
{
	int i;

	for (i = 0; names[i]; i++)
		if (word_is(text, names[i]))
			return i;
	return -1;
}

void names_list(const char * const *names, char *buf, size_t size)
{
	size_t len = 0;
	int i;

	buf[0] = '\0';
	for (i = 0; names[i] && len < size; i++)
		len += snprintf(buf + len, size - len, "%s%s", i ? ", " : "", names[i]);
}
