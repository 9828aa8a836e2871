// SPDX-License-Identifier: GPL-2.0
/*
 * Notifiers. They run in whatever context the network or RDMA core calls them
 * from, so they only pick the paths that may care and set a command bit (I2).
 * Picking too many is harmless: the path's work looks at what is really there.
 *
 * Locking: wake_lock protects the list against changes; readers use RCU. A
 * path leaves the list before it is closed and is freed after a grace period.
 */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <net/addrconf.h>
#include <net/arp.h>
#include <net/ipv6.h>
#include <net/ndisc.h>
#include <net/neighbour.h>
#include <net/netevent.h>
#include "path/path.h"

static LIST_HEAD(wake_list);
static DEFINE_SPINLOCK(wake_lock);

void rmc_wakeup_add(struct rmc_path *path)
{
	spin_lock_bh(&wake_lock);
	list_add_tail_rcu(&path->wake_node, &wake_list);
	spin_unlock_bh(&wake_lock);
}

void rmc_wakeup_del(struct rmc_path *path)
{
	spin_lock_bh(&wake_lock);
	list_del_rcu(&path->wake_node);
	spin_unlock_bh(&wake_lock);
}

static bool is_idle(const struct rmc_path *path)
{
	enum rmc_path_state state = READ_ONCE(path->state);

	return state == RMC_PATH_DISABLED || state == RMC_PATH_REFUSED;
}

static bool is_watched(const struct rmc_path *path)
{
	enum rmc_path_state state = READ_ONCE(path->state);

	return state == RMC_PATH_UP || state == RMC_PATH_SUSPECT;
}

/* Paths that are up look, whatever it is; the others take it as it is meant. */
static void tell(struct rmc_path *path, enum rmc_path_ask cmd)
{
	if (is_watched(path))
		rmc_path_command(path, RMC_ASK_LOOK);
	else if (!is_idle(path))
		rmc_path_command(path, cmd);
}

static int netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	enum rmc_path_ask cmd = RMC_ASK_LOOK;
	struct rmc_path *path;
	int ifindex;

	switch (event) {
	case NETDEV_UP:
	case NETDEV_CHANGE:
		if (netif_running(dev) && netif_carrier_ok(dev))
			cmd = RMC_ASK_HINT_STRONG;
		break;
	case NETDEV_DOWN:
	case NETDEV_UNREGISTER:
		break;
	default:
		return NOTIFY_DONE;
	}
	rcu_read_lock();
	list_for_each_entry_rcu(path, &wake_list, wake_node) {
		if (!net_eq(path->net, dev_net(dev)))
			continue;
		ifindex = READ_ONCE(path->where.ifindex);
		if (!ifindex || ifindex == dev->ifindex || !is_watched(path))
			tell(path, cmd);
	}
	rcu_read_unlock();
	rmc_reaper_kick();
	return NOTIFY_DONE;
}

static void address_event(struct net *net, sa_family_t family, bool up)
{
	struct rmc_path *path;

	rcu_read_lock();
	list_for_each_entry_rcu(path, &wake_list, wake_node)
		if (net_eq(path->net, net) && path->attr.dst.ss_family == family)
			tell(path, up ? RMC_ASK_HINT_STRONG : RMC_ASK_LOOK);
	rcu_read_unlock();
	rmc_reaper_kick();
}

static int inet_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct in_ifaddr *ifa = ptr;

	address_event(dev_net(ifa->ifa_dev->dev), AF_INET, event == NETDEV_UP);
	return NOTIFY_DONE;
}

static int inet6_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct inet6_ifaddr *ifa = ptr;

	address_event(dev_net(ifa->idev->dev), AF_INET6, event == NETDEV_UP);
	return NOTIFY_DONE;
}

static bool neigh_is(const struct neighbour *neigh, const struct sockaddr_storage *addr)
{
	if (neigh->tbl->family != addr->ss_family)
		return false;
	if (addr->ss_family == AF_INET) {
		__be32 ip = ((const struct sockaddr_in *)addr)->sin_addr.s_addr;

		return !memcmp(neigh->primary_key, &ip, sizeof(ip));
	}
	return !memcmp(neigh->primary_key, &((const struct sockaddr_in6 *)addr)->sin6_addr,
		       sizeof(struct in6_addr));
}

static int neigh_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct neighbour *neigh = ptr;
	struct rmc_path *path;

	/* known to be alive, as opposed to remembered */
	if (event != NETEVENT_NEIGH_UPDATE || !(READ_ONCE(neigh->nud_state) & NUD_CONNECTED))
		return NOTIFY_DONE;
	rcu_read_lock();
	list_for_each_entry_rcu(path, &wake_list, wake_node)
		if (!is_watched(path) && net_eq(path->net, dev_net(neigh->dev)) &&
		    neigh_is(neigh, &path->attr.dst))
			tell(path, RMC_ASK_HINT);
	rcu_read_unlock();
	return NOTIFY_DONE;
}

static void device_added(struct ib_device *ib)
{
	struct rmc_path *path;

	rcu_read_lock();
	list_for_each_entry_rcu(path, &wake_list, wake_node)
		if (!is_watched(path))
			tell(path, RMC_ASK_HINT_STRONG);
	rcu_read_unlock();
}

static void device_event(struct ib_device *ib, u32 port, enum ib_event_type event)
{
	enum rmc_path_ask cmd = RMC_ASK_LOOK;
	struct rmc_path *path;

	switch (event) {
	case IB_EVENT_PORT_ACTIVE:
		cmd = RMC_ASK_HINT_STRONG;
		break;
	case IB_EVENT_GID_CHANGE:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_SM_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
	case IB_EVENT_PKEY_CHANGE:
		cmd = RMC_ASK_HINT;
		break;
	case IB_EVENT_PORT_ERR:
		break;
	default:
		return;
	}
	rcu_read_lock();
	list_for_each_entry_rcu(path, &wake_list, wake_node)
		if (READ_ONCE(path->where.ib) == ib || !is_watched(path))
			tell(path, cmd);
	rcu_read_unlock();
}

static struct notifier_block netdev_nb = { .notifier_call = netdev_event };
static struct notifier_block inet_nb = { .notifier_call = inet_event };
static struct notifier_block inet6_nb = { .notifier_call = inet6_event };
static struct notifier_block neigh_nb = { .notifier_call = neigh_event };

static const struct rmc_dev_hooks device_hooks = {
	.added	= device_added,
	.event	= device_event,
};

int rmc_wakeup_init(void)
{
	int ret;

	ret = register_netdevice_notifier(&netdev_nb);
	if (ret)
		return ret;
	ret = register_inetaddr_notifier(&inet_nb);
	if (ret)
		goto err_netdev;
	ret = register_inet6addr_notifier(&inet6_nb);
	if (ret)
		goto err_inet;
	ret = register_netevent_notifier(&neigh_nb);
	if (ret)
		goto err_inet6;
	ret = rmc_dev_init(&device_hooks);
	if (ret)
		goto err_neigh;
	return 0;

err_neigh:
	unregister_netevent_notifier(&neigh_nb);
err_inet6:
	unregister_inet6addr_notifier(&inet6_nb);
err_inet:
	unregister_inetaddr_notifier(&inet_nb);
err_netdev:
	unregister_netdevice_notifier(&netdev_nb);
	return ret;
}

void rmc_wakeup_exit(void)
{
	rmc_dev_exit();
	unregister_netevent_notifier(&neigh_nb);
	unregister_inet6addr_notifier(&inet6_nb);
	unregister_inetaddr_notifier(&inet_nb);
	unregister_netdevice_notifier(&netdev_nb);
	/* a walker of the list may still be at it */
	synchronize_rcu();
}
