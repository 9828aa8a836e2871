// SPDX-License-Identifier: GPL-2.0
/*
 * Is the local side of a path still there? Notifiers only say "look"; what has
 * become of the interface, the address and the port is read here, in the path's
 * work, as it is now. An event that was late, doubled or already undone thus
 * does no harm.
 */
#include <rdma/ib_cache.h>
#include "conn/link.h"
#include "path/path.h"

/* The path is watched, so its connections are attached and the device is there. */
static bool port_is_active(const struct rmc_path *path)
{
	enum ib_port_state state;

	if (ib_get_cached_port_state(path->watch.dev->ib, path->where.port, &state))
		return true;
	return state == IB_PORT_ACTIVE;
}

/* Has the attempt got as far as to depend on where it leads? */
static bool attempt_has_route(const struct rmc_path *path)
{
	unsigned int i;

	for (i = 0; i < path->nr_conns; i++)
		if (path->conns[i] && path->conns[i]->state >= RMC_CONN_ROUTE)
			return true;
	return false;
}

void rmc_path_look(struct rmc_path *path, u64 now)
{
	struct rmc_reason why = { .err = -ENETDOWN };

	lockdep_assert_held(&path->lock);
	if (!path->watch.dev && !attempt_has_route(path))
		return;
	why.code = rmc_link_look(path->net, path->where.ifindex, &path->where.src);
	switch (why.code) {
	case RMC_REASON_NO_DEVICE:
		why.code = RMC_REASON_LINK_DOWN;
		break;
	case RMC_REASON_ADDR_REMOVED:
		why.err = -EADDRNOTAVAIL;
		break;
	default:
		break;
	}
	if (why.code == RMC_REASON_LINK_DOWN || why.code == RMC_REASON_ADDR_REMOVED) {
		rmc_path_ended(path, &why, now);
		return;
	}
	if (!path->watch.dev)
		return;
	/* a carrier may come back before anybody has missed it: suspect, do not tear down */
	if (why.code == RMC_REASON_CARRIER_LOST || !port_is_active(path)) {
		path->watch.local_down = true;
		rmc_detector_suspect(&path->watch.det, now);
	} else if (path->watch.local_down) {
		path->watch.local_down = false;
		rmc_detector_lift(&path->watch.det, now);
	}
}
