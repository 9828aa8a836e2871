/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: devices
 *
 * One &struct rmc_dev per ib_device, made and unmade by the ib_client. It holds
 * the budget of attempts, counts who uses the device, and lets removal wait
 * until nobody does.
 *
 * Locking
 *   rmc_dev_list_lock	the list of devices
 *   rmc_dev.lock	all members marked [l]; a leaf: the two callbacks of a
 *			user run under it and may only record and queue work
 *
 * References: the list holds one; each attached user holds one. Memory goes
 * with the last, which may be after the ib_device is gone: .ib is valid only
 * for an attached user, for removal waits until the last one has left.
 */
#ifndef RMC_VERBS_DEVICE_H
#define RMC_VERBS_DEVICE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "logic/backoff.h"

struct rmc_dev {
	struct kref		ref;
	struct list_head	node;		/* rmc_dev_list_lock */
	struct ib_device	*ib;
	char			name[IB_DEVICE_NAME_MAX];	/* [l] as of the last renaming */
	spinlock_t		lock;
	bool			dead;		/* [l] removal has begun */
	struct list_head	users;		/* [l] attached connections */
	unsigned int		nr_users;	/* [l] */
	unsigned int		nr_orphans;	/* [l] of those, only the core holds */
	struct rmc_bucket	attempts;	/* [l] */
	struct list_head	waiting;	/* [l] users that wait for an attempt, FIFO */
	unsigned int		nr_waiting;	/* [l] */
	struct delayed_work	grant_work;
	wait_queue_head_t	idle;		/* nr_users became 0 */
	atomic_t		paths;		/* that are up over it */
	atomic_t		probing;	/* of those, that probe */
	struct ib_event_handler	events;
};

/* What a connection embeds to use a device. */
struct rmc_dev_user {
	struct rmc_dev		*dev;		/* set by attach, cleared by detach */
	struct list_head	node;		/* rmc_dev.users */
	struct list_head	wait;		/* rmc_dev.waiting, empty when not waiting */
	bool			orphan;		/* counted in nr_orphans */
	/* Both under rmc_dev.lock, any context: record only. */
	void			(*removed)(struct rmc_dev_user *user);
	void			(*granted)(struct rmc_dev_user *user);
};

/* What a device tells the path layer. Any context: record only. */
struct rmc_dev_hooks {
	void	(*added)(struct ib_device *ib);
	void	(*event)(struct ib_device *ib, u32 port, enum ib_event_type event);
};

int rmc_dev_init(const struct rmc_dev_hooks *hooks);
void rmc_dev_exit(void);

extern struct ib_client rmc_ib_client;

void rmc_dev_user_init(struct rmc_dev_user *user,
		       void (*removed)(struct rmc_dev_user *user),
		       void (*granted)(struct rmc_dev_user *user));
/* -ENODEV: rmc does not know the device, or it is being removed. */
int rmc_dev_attach(struct rmc_dev_user *user, struct ib_device *ib);
void rmc_dev_detach(struct rmc_dev_user *user);
/* True: go ahead. False: user->granted() will say when. */
bool rmc_dev_admit(struct rmc_dev_user *user);
/* No longer waits; granted() does not run after this returned. */
void rmc_dev_withdraw(struct rmc_dev_user *user);
void rmc_dev_orphaned(struct rmc_dev_user *user);

void rmc_dev_name(struct rmc_dev *dev, char name[IB_DEVICE_NAME_MAX]);
/* Interval between probes of one path on @dev, in ns. */
u64 rmc_dev_probe_interval_ns(struct rmc_dev *dev, u32 detect_ms);
/* A path came up over @dev, and went down. */
void rmc_dev_path_up(struct rmc_dev *dev, bool probes);
void rmc_dev_path_down(struct rmc_dev *dev, bool probes);
u32 rmc_dev_probes_per_s(void);

void rmc_dev_get(struct rmc_dev *dev);
void rmc_dev_put(struct rmc_dev *dev);
/* The @n-th device with a reference, or NULL. */
struct rmc_dev *rmc_dev_nth(unsigned int n);

#endif /* RMC_VERBS_DEVICE_H */
