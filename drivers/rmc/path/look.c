// SPDX-License-Identifier: GPL-2.0
/*
 * Is the local side of a path still there? Notifiers only say "look"; what has
 * become of the interface, the address and the port is read here, in the path's
 * work, as it is now. An event that was late, doubled or already undone thus
 * does no harm.
 */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <net/addrconf.h>
#include <rdma/ib_cache.h>
#include "path/path.h"

static bool addr_is_local(const struct rmc_path *path)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&path->where.src;
	const struct sockaddr_in *in = (const struct sockaddr_in *)&path->where.src;

	switch (path->where.src.ss_family) {
	case AF_INET:
		return __ip_dev_find(path->net, in->sin_addr.s_addr, false);
#if IS_ENABLED(CONFIG_IPV6)
	case AF_INET6:
		return ipv6_chk_addr(path->net, &in6->sin6_addr, NULL, 0);
#endif
	default:
		return true;
	}
}

/* RMC_REASON_NONE: all is well as far as can be seen from here. */
static enum rmc_reason_code look_link(const struct rmc_path *path)
{
	enum rmc_reason_code code = RMC_REASON_NONE;
	struct net_device *dev;

	if (!path->where.ifindex)
		return code;
	rcu_read_lock();
	dev = dev_get_by_index_rcu(path->net, path->where.ifindex);
	if (!dev || !(dev->flags & IFF_UP))
		code = RMC_REASON_LINK_DOWN;
	else if (!addr_is_local(path))
		code = RMC_REASON_ADDR_REMOVED;
	else if (!netif_carrier_ok(dev))
		code = RMC_REASON_CARRIER_LOST;
	rcu_read_unlock();
	return code;
}

/* The path is watched, so its connections are attached and the device is there. */
static bool port_is_active(const struct rmc_path *path)
{
	enum ib_port_state state;

	if (ib_get_cached_port_state(path->watch.dev->ib, path->where.port, &state))
		return true;
	return state == IB_PORT_ACTIVE;
}

void rmc_path_look(struct rmc_path *path, u64 now)
{
	struct rmc_reason why = { .err = -ENETDOWN };

	lockdep_assert_held(&path->lock);
	if (!path->watch.dev)
		return;
	why.code = look_link(path);
	if (why.code == RMC_REASON_LINK_DOWN || why.code == RMC_REASON_ADDR_REMOVED) {
		if (why.code == RMC_REASON_ADDR_REMOVED)
			why.err = -EADDRNOTAVAIL;
		rmc_path_ended(path, &why, now);
		return;
	}
	/* a carrier may come back before anybody has missed it: suspect, do not tear down */
	if (why.code == RMC_REASON_CARRIER_LOST || !port_is_active(path)) {
		path->watch.local_down = true;
		rmc_detector_suspect(&path->watch.det, now);
	} else if (path->watch.local_down) {
		path->watch.local_down = false;
		rmc_detector_lift(&path->watch.det, now);
	}
}
