// SPDX-License-Identifier: GPL-2.0
#include "verbs/wq.h"

struct workqueue_struct *rmc_core_wq;
struct workqueue_struct *rmc_fence_wq;
struct workqueue_struct *rmc_attempt_wq;

int rmc_wq_init(void)
{
	/* as important as the completions it competes with, hence high priority */
	rmc_core_wq = alloc_workqueue("rmc_core", WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_HIGHPRI, 0);
	if (!rmc_core_wq)
		return -ENOMEM;
	rmc_fence_wq = alloc_workqueue("rmc_fence", WQ_UNBOUND | WQ_MEM_RECLAIM, WQ_MAX_ACTIVE);
	if (!rmc_fence_wq)
		goto err_core;
	rmc_attempt_wq = alloc_workqueue("rmc_attempt", WQ_UNBOUND, WQ_MAX_ACTIVE);
	if (!rmc_attempt_wq)
		goto err_fence;
	return 0;

err_fence:
	destroy_workqueue(rmc_fence_wq);
err_core:
	destroy_workqueue(rmc_core_wq);
	return -ENOMEM;
}

void rmc_wq_exit(void)
{
	destroy_workqueue(rmc_attempt_wq);
	destroy_workqueue(rmc_fence_wq);
	destroy_workqueue(rmc_core_wq);
}
