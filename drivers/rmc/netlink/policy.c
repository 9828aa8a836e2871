// SPDX-License-Identifier: GPL-2.0
/*
 * What each operation takes. An attribute that is not listed for an operation
 * is refused with its position, so a request never means less than it says.
 * Names have no length here and integers no range: those are told apart by
 * parse.c and endpoint/, which have a sentence for each.
 */
#include "netlink.h"

#define RMC_NL_NAME	{ .type = NLA_NUL_STRING }

const struct nla_policy rmc_nl_settings_nest[RMC_A_SETTINGS_MAX + 1] = {
	[RMC_A_SETTINGS_CONNECT_MS]	= { .type = NLA_U32 },
	[RMC_A_SETTINGS_FAIL_FAST_MS]	= { .type = NLA_U32 },
	[RMC_A_SETTINGS_LOSS_MS]	= { .type = NLA_U32 },
	[RMC_A_SETTINGS_MAX_ATTEMPTS]	= { .type = NLA_U32 },
	[RMC_A_SETTINGS_BACKOFF_MIN_MS]	= { .type = NLA_U32 },
	[RMC_A_SETTINGS_BACKOFF_MAX_MS]	= { .type = NLA_U32 },
	[RMC_A_SETTINGS_DETECT_MS]	= { .type = NLA_U32 },
	[RMC_A_SETTINGS_CONNS]		= { .type = NLA_U32 },
	[RMC_A_SETTINGS_DEPTH]		= { .type = NLA_U32 },
	[RMC_A_SETTINGS_TOS]		= { .type = NLA_U32 },
	[RMC_A_SETTINGS_ACK_TIMEOUT]	= { .type = NLA_U32 },
	[RMC_A_SETTINGS_RNR_TIMER]	= { .type = NLA_U32 },
	[RMC_A_SETTINGS_RETRY_COUNT]	= { .type = NLA_U32 },
	[RMC_A_SETTINGS_PRIVATE_DATA]	= { .type = NLA_BINARY },
};

const struct nla_policy rmc_nl_path_new_nest[RMC_A_PATH_MAX + 1] = {
	[RMC_A_PATH_DST]		= { .type = NLA_BINARY },
	[RMC_A_PATH_DST_PORT]		= { .type = NLA_BE16 },
	[RMC_A_PATH_DST_IFINDEX]	= { .type = NLA_U32 },
	[RMC_A_PATH_SRC]		= { .type = NLA_BINARY },
	[RMC_A_PATH_SRC_IFINDEX]	= { .type = NLA_U32 },
	[RMC_A_PATH_PRIORITY]		= { .type = NLA_U32 },
	[RMC_A_PATH_WEIGHT]		= { .type = NLA_U32 },
	[RMC_A_PATH_DOWN]		= NLA_POLICY_MAX(NLA_U8, 1),
};

const struct nla_policy rmc_nl_path_set_nest[RMC_A_PATH_MAX + 1] = {
	[RMC_A_PATH_ID]			= { .type = NLA_U32 },
	[RMC_A_PATH_PRIORITY]		= { .type = NLA_U32 },
	[RMC_A_PATH_WEIGHT]		= { .type = NLA_U32 },
	[RMC_A_PATH_DOWN]		= NLA_POLICY_MAX(NLA_U8, 1),
};

static const struct nla_policy path_id_nest[RMC_A_PATH_MAX + 1] = {
	[RMC_A_PATH_ID]			= { .type = NLA_U32 },
};

/* Also of ep-del, ep-connect and ep-disconnect. */
const struct nla_policy rmc_nl_ep_get_policy[RMC_A_EP_MAX + 1] = {
	[RMC_A_EP_NAME]		= RMC_NL_NAME,
};

const struct nla_policy rmc_nl_ep_new_policy[RMC_A_EP_MAX + 1] = {
	[RMC_A_EP_NAME]		= RMC_NL_NAME,
	[RMC_A_EP_MODE]		= { .type = NLA_U32 },
	[RMC_A_EP_POLICY]	= { .type = NLA_U32 },
	[RMC_A_EP_IDLE]		= { .type = NLA_FLAG },
	[RMC_A_EP_SETTINGS]	= NLA_POLICY_NESTED(rmc_nl_settings_nest),
	[RMC_A_EP_PATH]		= NLA_POLICY_NESTED(rmc_nl_path_new_nest),
};

const struct nla_policy rmc_nl_ep_set_policy[RMC_A_EP_MAX + 1] = {
	[RMC_A_EP_NAME]		= RMC_NL_NAME,
	[RMC_A_EP_POLICY]	= { .type = NLA_U32 },
	[RMC_A_EP_SETTINGS]	= NLA_POLICY_NESTED(rmc_nl_settings_nest),
};

/* Of path-get, path-del, path-connect and path-disconnect. */
const struct nla_policy rmc_nl_path_id_policy[RMC_A_EP_MAX + 1] = {
	[RMC_A_EP_NAME]		= RMC_NL_NAME,
	[RMC_A_EP_PATH]		= NLA_POLICY_NESTED(path_id_nest),
};

const struct nla_policy rmc_nl_path_new_policy[RMC_A_EP_MAX + 1] = {
	[RMC_A_EP_NAME]		= RMC_NL_NAME,
	[RMC_A_EP_PATH]		= NLA_POLICY_NESTED(rmc_nl_path_new_nest),
};

const struct nla_policy rmc_nl_path_set_policy[RMC_A_EP_MAX + 1] = {
	[RMC_A_EP_NAME]		= RMC_NL_NAME,
	[RMC_A_EP_PATH]		= NLA_POLICY_NESTED(rmc_nl_path_set_nest),
};

const struct nla_policy rmc_nl_ping_policy[RMC_A_PING_MAX + 1] = {
	[RMC_A_PING_EP]		= RMC_NL_NAME,
	[RMC_A_PING_PATH]	= { .type = NLA_U32 },
	[RMC_A_PING_TIMEOUT_MS]	= { .type = NLA_U32 },
};
