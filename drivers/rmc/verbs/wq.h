/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: work queues (invariants I2 and I14)
 *
 *   rmc_core_wq	the paths' work. Decides, never blocks.
 *   rmc_fence_wq	tells the consumer that a connection is lost, drains its
 *			queues, gives everything back to the consumer, and runs
 *			the endpoint's own ops. Usable while memory is being
 *			reclaimed, because storage waits for it.
 *   rmc_attempt_wq	attempts, and the destruction of what an attempt left:
 *			calls into rdma_cm, whose own queues are not safe for
 *			reclaim and which may block for long on iWARP.
 *
 * The first two never wait for the third.
 */
#ifndef RMC_VERBS_WQ_H
#define RMC_VERBS_WQ_H

#include <linux/workqueue.h>

extern struct workqueue_struct *rmc_core_wq;
extern struct workqueue_struct *rmc_fence_wq;
extern struct workqueue_struct *rmc_attempt_wq;

int rmc_wq_init(void);
void rmc_wq_exit(void);

#endif /* RMC_VERBS_WQ_H */
