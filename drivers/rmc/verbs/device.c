// SPDX-License-Identifier: GPL-2.0
/* Devices: arrival, removal, and the budget of connection attempts. */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "logic/settings.h"
#include "verbs/device.h"
#include "verbs/fault.h"
#include "verbs/wq.h"

static unsigned int attempts_per_s = 200;
module_param(attempts_per_s, uint, 0644);
MODULE_PARM_DESC(attempts_per_s, "connection requests per second and device (default 200)");

static unsigned int probes_per_s = 2000;
module_param(probes_per_s, uint, 0644);
MODULE_PARM_DESC(probes_per_s,
		 "probes per second and device; intervals stretch beyond it (default 2000)");

static LIST_HEAD(rmc_dev_list);
static DEFINE_SPINLOCK(rmc_dev_list_lock);
static const struct rmc_dev_hooks *dev_hooks;

/* A tenth of a second's worth may go out at once. */
static u32 attempts_burst(u32 rate)
{
	return max(rate / 10, 1U);
}

static void dev_release(struct kref *ref)
{
	kfree(container_of(ref, struct rmc_dev, ref));
}

void rmc_dev_get(struct rmc_dev *dev)
{
	kref_get(&dev->ref);
}

void rmc_dev_put(struct rmc_dev *dev)
{
	kref_put(&dev->ref, dev_release);
}

/*
 * Hands out what the budget has, first come first served: a path has at most
 * one connection waiting here, so the order is fair between paths.
 */
static void dev_grant(struct rmc_dev *dev)
{
	u32 rate = max(READ_ONCE(attempts_per_s), 1U);
	struct rmc_dev_user *user;
	u64 wait;

	lockdep_assert_held(&dev->lock);
	dev->attempts.rate = rate;
	dev->attempts.burst = attempts_burst(rate);
	while (!list_empty(&dev->waiting)) {
		wait = rmc_bucket_take(&dev->attempts, ktime_get_ns());
		if (wait) {
			queue_delayed_work(rmc_core_wq, &dev->grant_work,
					   nsecs_to_jiffies(wait) + 1);
			return;
		}
		user = list_first_entry(&dev->waiting, struct rmc_dev_user, wait);
		list_del_init(&user->wait);
		dev->nr_waiting--;
		user->granted(user);
	}
}

static void dev_grant_work(struct work_struct *work)
{
	struct rmc_dev *dev = container_of(work, struct rmc_dev, grant_work.work);

	spin_lock_irq(&dev->lock);
	dev_grant(dev);
	spin_unlock_irq(&dev->lock);
}

void rmc_dev_user_init(struct rmc_dev_user *user,
		       void (*removed)(struct rmc_dev_user *user),
		       void (*granted)(struct rmc_dev_user *user))
{
	INIT_LIST_HEAD(&user->node);
	INIT_LIST_HEAD(&user->wait);
	user->removed = removed;
	user->granted = granted;
}

/*
 * The device is looked up in our own list, not by ib_get_client_data(): that
 * pointer stays readable until after remove() has returned and freed it.
 */
int rmc_dev_attach(struct rmc_dev_user *user, struct ib_device *ib)
{
	struct rmc_dev *dev;
	unsigned long flags;
	int ret = -ENODEV;

	spin_lock_irqsave(&rmc_dev_list_lock, flags);
	list_for_each_entry(dev, &rmc_dev_list, node) {
		if (dev->ib != ib)
			continue;
		spin_lock(&dev->lock);
		if (!dev->dead) {
			kref_get(&dev->ref);
			user->dev = dev;
			list_add_tail(&user->node, &dev->users);
			dev->nr_users++;
			ret = 0;
		}
		spin_unlock(&dev->lock);
		break;
	}
	spin_unlock_irqrestore(&rmc_dev_list_lock, flags);
	return ret;
}

void rmc_dev_detach(struct rmc_dev_user *user)
{
	struct rmc_dev *dev = user->dev;
	unsigned long flags;

	if (!dev)
		return;
	rmc_dev_withdraw(user);
	spin_lock_irqsave(&dev->lock, flags);
	list_del_init(&user->node);
	if (user->orphan)
		dev->nr_orphans--;
	user->dev = NULL;
	/* remove() frees nothing before it has seen zero under the lock */
	if (!--dev->nr_users)
		wake_up_all(&dev->idle);
	spin_unlock_irqrestore(&dev->lock, flags);
	rmc_dev_put(dev);
}

bool rmc_dev_admit(struct rmc_dev_user *user)
{
	struct rmc_dev *dev = user->dev;
	unsigned long flags;
	bool now;

	spin_lock_irqsave(&dev->lock, flags);
	now = list_empty(&dev->waiting) && !rmc_bucket_take(&dev->attempts, ktime_get_ns());
	if (!now) {
		list_add_tail(&user->wait, &dev->waiting);
		dev->nr_waiting++;
		dev_grant(dev);
	}
	spin_unlock_irqrestore(&dev->lock, flags);
	return now;
}

void rmc_dev_withdraw(struct rmc_dev_user *user)
{
	struct rmc_dev *dev = user->dev;
	unsigned long flags;

	if (!dev)
		return;
	spin_lock_irqsave(&dev->lock, flags);
	if (!list_empty(&user->wait)) {
		list_del_init(&user->wait);
		dev->nr_waiting--;
	}
	spin_unlock_irqrestore(&dev->lock, flags);
}

void rmc_dev_orphaned(struct rmc_dev_user *user)
{
	struct rmc_dev *dev = user->dev;
	unsigned long flags;

	if (!dev)
		return;
	spin_lock_irqsave(&dev->lock, flags);
	if (!user->orphan) {
		user->orphan = true;
		dev->nr_orphans++;
	}
	spin_unlock_irqrestore(&dev->lock, flags);
}

void rmc_dev_name(struct rmc_dev *dev, char name[IB_DEVICE_NAME_MAX])
{
	unsigned long flags;

	spin_lock_irqsave(&dev->lock, flags);
	strscpy(name, dev->name, IB_DEVICE_NAME_MAX);
	spin_unlock_irqrestore(&dev->lock, flags);
}

u32 rmc_dev_probes_per_s(void)
{
	return max(READ_ONCE(probes_per_s), 1U);
}

u64 rmc_dev_probe_interval_ns(struct rmc_dev *dev, u32 detect_ms)
{
	u32 paths = max(atomic_read(&dev->probing), 1);
	bool over;

	return rmc_probe_interval_ns(detect_ms, paths, rmc_dev_probes_per_s(), &over);
}

void rmc_dev_path_up(struct rmc_dev *dev, bool probes)
{
	rmc_dev_get(dev);
	atomic_inc(&dev->paths);
	if (probes)
		atomic_inc(&dev->probing);
}

void rmc_dev_path_down(struct rmc_dev *dev, bool probes)
{
	if (probes)
		atomic_dec(&dev->probing);
	atomic_dec(&dev->paths);
	rmc_dev_put(dev);
}

struct rmc_dev *rmc_dev_nth(unsigned int n)
{
	struct rmc_dev *dev, *found = NULL;
	unsigned long flags;

	spin_lock_irqsave(&rmc_dev_list_lock, flags);
	list_for_each_entry(dev, &rmc_dev_list, node) {
		if (n--)
			continue;
		kref_get(&dev->ref);
		found = dev;
		break;
	}
	spin_unlock_irqrestore(&rmc_dev_list_lock, flags);
	return found;
}

static void dev_event(struct ib_event_handler *handler, struct ib_event *event)
{
	dev_hooks->event(event->device, event->element.port_num, event->event);
}

static int dev_add(struct ib_device *ib)
{
	u32 rate = max(READ_ONCE(attempts_per_s), 1U);
	struct rmc_dev *dev;
	unsigned long flags;

	/* No rdma_cm, no business of ours; not an error for the other clients. */
	if (!rdma_cap_ib_cm(ib, rdma_start_port(ib)) && !rdma_cap_iw_cm(ib, rdma_start_port(ib)))
		return -EOPNOTSUPP;
	dev = rmc_fault(RMC_FAULT_DEV_ALLOC) ? NULL : kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	kref_init(&dev->ref);
	spin_lock_init(&dev->lock);
	INIT_LIST_HEAD(&dev->users);
	INIT_LIST_HEAD(&dev->waiting);
	INIT_DELAYED_WORK(&dev->grant_work, dev_grant_work);
	init_waitqueue_head(&dev->idle);
	dev->ib = ib;
	strscpy(dev->name, dev_name(&ib->dev), sizeof(dev->name));
	rmc_bucket_init(&dev->attempts, rate, attempts_burst(rate), ktime_get_ns());

	spin_lock_irqsave(&rmc_dev_list_lock, flags);
	list_add_tail(&dev->node, &rmc_dev_list);
	spin_unlock_irqrestore(&rmc_dev_list_lock, flags);

	ib_set_client_data(ib, &rmc_ib_client, dev);
	INIT_IB_EVENT_HANDLER(&dev->events, ib, dev_event);
	ib_register_event_handler(&dev->events);
	dev_hooks->added(ib);
	return 0;
}

/*
 * Runs before rdma_cm's own removal, for clients leave in reverse order: from
 * here on nothing can attach, and everything that is attached is torn down. An
 * id that is still resolving belongs to no device yet as far as we know; it
 * finds the device dead when it resolves, or hears of it from rdma_cm.
 */
static void dev_remove(struct ib_device *ib, void *client_data)
{
	struct rmc_dev *dev = client_data;
	struct rmc_dev_user *user;

	ib_unregister_event_handler(&dev->events);
	spin_lock_irq(&rmc_dev_list_lock);
	list_del_init(&dev->node);
	spin_lock(&dev->lock);
	dev->dead = true;
	list_for_each_entry(user, &dev->users, node)
		user->removed(user);
	spin_unlock(&dev->lock);
	spin_unlock_irq(&rmc_dev_list_lock);

	spin_lock_irq(&dev->lock);
	wait_event_lock_irq(dev->idle, !dev->nr_users, dev->lock);
	spin_unlock_irq(&dev->lock);
	cancel_delayed_work_sync(&dev->grant_work);
	rmc_dev_put(dev);
}

static void dev_rename(struct ib_device *ib, void *client_data)
{
	struct rmc_dev *dev = client_data;

	spin_lock_irq(&dev->lock);
	strscpy(dev->name, dev_name(&ib->dev), sizeof(dev->name));
	spin_unlock_irq(&dev->lock);
}

struct ib_client rmc_ib_client = {
	.name	= "rmc",
	.add	= dev_add,
	.remove	= dev_remove,
	.rename	= dev_rename,
};

int rmc_dev_init(const struct rmc_dev_hooks *hooks)
{
	dev_hooks = hooks;
	return ib_register_client(&rmc_ib_client);
}

void rmc_dev_exit(void)
{
	ib_unregister_client(&rmc_ib_client);
}
