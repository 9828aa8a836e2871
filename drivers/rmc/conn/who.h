/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RMC_CONN_WHO_H
#define RMC_CONN_WHO_H

#include <linux/types.h>

/* What names a connection: in traces, in events, in logs. */
struct rmc_conn_who {
	u32		ep_id;
	int		path_id;
	unsigned int	index;
	u32		generation;
};

#endif /* RMC_CONN_WHO_H */
