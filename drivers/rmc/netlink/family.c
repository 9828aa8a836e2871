// SPDX-License-Identifier: GPL-2.0
/*
 * The family, its operations, and coming and going of it.
 */
#include <linux/module.h>
#include "netlink.h"

MODULE_ALIAS_GENL_FAMILY(RMC_FAMILY_NAME);

static const struct genl_ops rmc_nl_ops[] = {
	{
		.cmd	= RMC_CMD_EP_GET,
		.doit	= rmc_nl_ep_get,
		.dumpit	= rmc_nl_ep_dump,
		.policy	= rmc_nl_ep_get_policy,
		.maxattr = RMC_A_EP_MAX,
	}, {
		.cmd	= RMC_CMD_EP_NEW,
		.doit	= rmc_nl_ep_new,
		.policy	= rmc_nl_ep_new_policy,
		.maxattr = RMC_A_EP_MAX,
	}, {
		.cmd	= RMC_CMD_EP_SET,
		.doit	= rmc_nl_ep_set,
		.policy	= rmc_nl_ep_set_policy,
		.maxattr = RMC_A_EP_MAX,
	}, {
		.cmd	= RMC_CMD_EP_DEL,
		.doit	= rmc_nl_ep_del,
		.policy	= rmc_nl_ep_get_policy,
		.maxattr = RMC_A_EP_MAX,
	}, {
		.cmd	= RMC_CMD_EP_CONNECT,
		.doit	= rmc_nl_ep_connect,
		.policy	= rmc_nl_ep_get_policy,
		.maxattr = RMC_A_EP_MAX,
	}, {
		.cmd	= RMC_CMD_EP_DISCONNECT,
		.doit	= rmc_nl_ep_disconnect,
		.policy	= rmc_nl_ep_get_policy,
		.maxattr = RMC_A_EP_MAX,
	}, {
		.cmd	= RMC_CMD_PATH_GET,
		.doit	= rmc_nl_path_get,
		.start	= rmc_nl_path_dump_start,
		.dumpit	= rmc_nl_path_dump,
		.policy	= rmc_nl_path_id_policy,
		.maxattr = RMC_A_EP_MAX,
	}, {
		.cmd	= RMC_CMD_PATH_NEW,
		.doit	= rmc_nl_path_new,
		.policy	= rmc_nl_path_new_policy,
		.maxattr = RMC_A_EP_MAX,
	}, {
		.cmd	= RMC_CMD_PATH_SET,
		.doit	= rmc_nl_path_set,
		.policy	= rmc_nl_path_set_policy,
		.maxattr = RMC_A_EP_MAX,
	}, {
		.cmd	= RMC_CMD_PATH_DEL,
		.doit	= rmc_nl_path_del,
		.policy	= rmc_nl_path_id_policy,
		.maxattr = RMC_A_EP_MAX,
	}, {
		.cmd	= RMC_CMD_PATH_CONNECT,
		.doit	= rmc_nl_path_connect,
		.policy	= rmc_nl_path_id_policy,
		.maxattr = RMC_A_EP_MAX,
	}, {
		.cmd	= RMC_CMD_PATH_DISCONNECT,
		.doit	= rmc_nl_path_disconnect,
		.policy	= rmc_nl_path_id_policy,
		.maxattr = RMC_A_EP_MAX,
	}, {
		/* without a policy the core refuses every attribute */
		.cmd	= RMC_CMD_DEV_GET,
		.dumpit	= rmc_nl_dev_dump,
	}, {
		.cmd	= RMC_CMD_PING,
		.doit	= rmc_nl_ping,
		.policy	= rmc_nl_ping_policy,
		.maxattr = RMC_A_PING_MAX,
	},
};

static const struct genl_multicast_group rmc_nl_groups[] = {
	{ .name = RMC_MCGRP_EVENTS },
};

/*
 * No admin flags on the operations: the core refuses those without a word, and
 * rmc_nl_admin() says which capability is missing where. resv_start_op stays
 * zero, so all validation is strict.
 */
struct genl_family rmc_nl_family __ro_after_init = {
	.name		= RMC_FAMILY_NAME,
	.version	= RMC_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.ops		= rmc_nl_ops,
	.n_ops		= ARRAY_SIZE(rmc_nl_ops),
	.mcgrps		= rmc_nl_groups,
	.n_mcgrps	= ARRAY_SIZE(rmc_nl_groups),
};

int __init rmc_netlink_init(void)
{
	int err;

	err = genl_register_family(&rmc_nl_family);
	if (err)
		return err;
	rmc_note_set_receiver(rmc_nl_event);
	return 0;
}

/*
 * Unregistering waits for operations that run; a dump that is still open holds
 * a reference to the module, so none is when this is called by unloading.
 */
void rmc_netlink_exit(void)
{
	rmc_note_set_receiver(NULL);
	genl_unregister_family(&rmc_nl_family);
}
