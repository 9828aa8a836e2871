/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RMC_CONN_LINK_H
#define RMC_CONN_LINK_H

#include <linux/socket.h>
#include <uapi/rdma/rmc.h>

struct net;

/*
 * What has become of the interface @ifindex (0: not known) and of @src on this
 * host, as it is now. Any context.
 *
 * NONE: all is well as far as can be seen from here. NO_DEVICE: the interface
 * does not exist any more. Else LINK_DOWN, ADDR_REMOVED or CARRIER_LOST.
 */
enum rmc_reason_code rmc_link_look(struct net *net, int ifindex,
				   const struct sockaddr_storage *src);

/*
 * Whether there is a route from @src to @dst over the interface @ifindex (0: over
 * any). Process context.
 */
bool rmc_link_has_route(struct net *net, int ifindex, const struct sockaddr_storage *src,
			const struct sockaddr_storage *dst);

/*
 * Asks the neighbour on the way to @dst for its link address once more, if it is
 * being asked already. The kernel itself repeats the question only after a
 * second. Process context.
 */
void rmc_link_solicit(struct net *net, const struct sockaddr_storage *src,
		      const struct sockaddr_storage *dst);

#endif /* RMC_CONN_LINK_H */
