// SPDX-License-Identifier: GPL-2.0
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <net/addrconf.h>
#include <net/ipv6_stubs.h>
#include <net/neighbour.h>
#include <net/route.h>
#include "conn/link.h"

static bool addr_is_local(struct net *net, const struct sockaddr_storage *addr)
{
	switch (addr->ss_family) {
	case AF_INET:
		return __ip_dev_find(net, ((const struct sockaddr_in *)addr)->sin_addr.s_addr,
				     false);
#if IS_ENABLED(CONFIG_IPV6)
	case AF_INET6:
		return ipv6_chk_addr(net, &((const struct sockaddr_in6 *)addr)->sin6_addr, NULL,
				     0);
#endif
	default:
		return true;
	}
}

enum rmc_reason_code rmc_link_look(struct net *net, int ifindex,
				   const struct sockaddr_storage *src)
{
	enum rmc_reason_code code = RMC_REASON_NONE;
	struct net_device *dev;

	if (!ifindex)
		return code;
	rcu_read_lock();
	dev = dev_get_by_index_rcu(net, ifindex);
	if (!dev)
		code = RMC_REASON_NO_DEVICE;
	else if (!(dev->flags & IFF_UP))
		code = RMC_REASON_LINK_DOWN;
	else if (!addr_is_local(net, src))
		code = RMC_REASON_ADDR_REMOVED;
	else if (!netif_carrier_ok(dev))
		code = RMC_REASON_CARRIER_LOST;
	rcu_read_unlock();
	return code;
}

static struct dst_entry *route4(struct net *net, int ifindex, const struct sockaddr_storage *src,
				const struct sockaddr_storage *dst)
{
	struct flowi4 flow = {
		.flowi4_oif	= ifindex,
		.daddr		= ((const struct sockaddr_in *)dst)->sin_addr.s_addr,
	};
	struct rtable *rt;

	if (src->ss_family == AF_INET)
		flow.saddr = ((const struct sockaddr_in *)src)->sin_addr.s_addr;
	rt = ip_route_output_key(net, &flow);
	return IS_ERR(rt) ? NULL : &rt->dst;
}

static struct dst_entry *route6(struct net *net, int ifindex, const struct sockaddr_storage *src,
				const struct sockaddr_storage *dst)
{
#if IS_ENABLED(CONFIG_IPV6)
	const struct sockaddr_in6 *to = (const struct sockaddr_in6 *)dst;
	struct flowi6 flow = {
		.flowi6_oif	= ifindex ?: to->sin6_scope_id,
		.daddr		= to->sin6_addr,
	};
	struct dst_entry *entry;

	if (src->ss_family == AF_INET6)
		flow.saddr = ((const struct sockaddr_in6 *)src)->sin6_addr;
	entry = ipv6_stub->ipv6_dst_lookup_flow(net, NULL, &flow, NULL);
	return IS_ERR(entry) ? NULL : entry;
#else
	return NULL;
#endif
}

/* A reference, or NULL. */
static struct dst_entry *route_get(struct net *net, int ifindex,
				   const struct sockaddr_storage *src,
				   const struct sockaddr_storage *dst)
{
	switch (dst->ss_family) {
	case AF_INET:
		return route4(net, ifindex, src, dst);
	case AF_INET6:
		return route6(net, ifindex, src, dst);
	default:
		return NULL;
	}
}

bool rmc_link_has_route(struct net *net, int ifindex, const struct sockaddr_storage *src,
			const struct sockaddr_storage *dst)
{
	struct dst_entry *route = route_get(net, ifindex, src, dst);

	if (!route)
		return false;
	dst_release(route);
	return true;
}

void rmc_link_solicit(struct net *net, const struct sockaddr_storage *src,
		      const struct sockaddr_storage *dst)
{
	struct dst_entry *route = route_get(net, 0, src, dst);
	struct neighbour *neigh;
	const void *addr;

	if (!route)
		return;
	if (dst->ss_family == AF_INET)
		addr = &((const struct sockaddr_in *)dst)->sin_addr;
	else
		addr = &((const struct sockaddr_in6 *)dst)->sin6_addr;
	neigh = dst_neigh_lookup(route, addr);
	if (neigh) {
		if (READ_ONCE(neigh->nud_state) & NUD_INCOMPLETE)
			neigh->ops->solicit(neigh, NULL);
		neigh_release(neigh);
	}
	dst_release(route);
}
