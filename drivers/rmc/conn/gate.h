/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The gate through which the consumer's ops are called. It only remembers which
 * tasks are inside an op of an endpoint, so that rmc_ep_destroy(), which waits
 * for ops, can tell when it is called from one.
 *
 * Locking: rmc_gate.lock protects the list; nothing else is taken under it.
 */
#ifndef RMC_CONN_GATE_H
#define RMC_CONN_GATE_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <rdma/rmc.h>

struct rmc_gate {
	const struct rmc_ep_ops	*ops;
	spinlock_t		lock;	/* protects .inside */
	struct list_head	inside;
};

/* Lives on the stack of the caller of an op. */
struct rmc_gate_pass {
	struct list_head	node;
	struct task_struct	*task;
};

static inline void rmc_gate_init(struct rmc_gate *gate, const struct rmc_ep_ops *ops)
{
	gate->ops = ops;
	spin_lock_init(&gate->lock);
	INIT_LIST_HEAD(&gate->inside);
}

static inline void rmc_gate_enter(struct rmc_gate *gate, struct rmc_gate_pass *pass)
{
	might_sleep();
	pass->task = current;
	spin_lock(&gate->lock);
	list_add(&pass->node, &gate->inside);
	spin_unlock(&gate->lock);
}

static inline void rmc_gate_leave(struct rmc_gate *gate, struct rmc_gate_pass *pass)
{
	spin_lock(&gate->lock);
	list_del(&pass->node);
	spin_unlock(&gate->lock);
}

static inline bool rmc_gate_inside(struct rmc_gate *gate)
{
	struct rmc_gate_pass *pass;
	bool found = false;

	spin_lock(&gate->lock);
	list_for_each_entry(pass, &gate->inside, node)
		found |= pass->task == current;
	spin_unlock(&gate->lock);
	return found;
}

#endif /* RMC_CONN_GATE_H */
