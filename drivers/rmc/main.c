// SPDX-License-Identifier: GPL-2.0
/* Load and unload: one ladder each way. */
#include <linux/module.h>
#include "conn/conn.h"
#include "endpoint/ep.h"
#include "netlink/netlink.h"
#include "path/path.h"
#include "verbs/fault.h"
#include "verbs/wq.h"

#define CREATE_TRACE_POINTS
#include <trace/events/rmc.h>

static int __init rmc_init(void)
{
	int ret;

	ret = rmc_fault_init();
	if (ret)
		return ret;
	ret = rmc_wq_init();
	if (ret)
		goto err_fault;
	ret = rmc_wakeup_init();
	if (ret)
		goto err_wq;
	ret = rmc_registry_init();
	if (ret)
		goto err_wakeup;
	ret = rmc_netlink_init();
	if (ret)
		goto err_registry;
	return 0;

err_registry:
	rmc_registry_exit();
err_wakeup:
	rmc_wakeup_exit();
err_wq:
	rmc_wq_exit();
err_fault:
	rmc_fault_exit();
	return ret;
}

/*
 * Endpoints of the kernel hold this module by the symbols they use, so only
 * those of userspace can be left; they go first. What the core still holds of
 * their connections is waited for, then nothing can queue work any more.
 */
static void __exit rmc_exit(void)
{
	rmc_netlink_exit();
	rmc_registry_exit();
	rmc_conn_wait_all();
	rmc_wakeup_exit();
	rmc_wq_exit();
	rmc_fault_exit();
}

module_init(rmc_init);
module_exit(rmc_exit);
MODULE_DESCRIPTION("RDMA managed connections");
MODULE_LICENSE("GPL");
