/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Numbers that both the kernel API and userspace speak: states, policies and
 * the reasons behind a state change. They are ABI: never renumber, only append.
 */
#ifndef _UAPI_RDMA_RMC_H
#define _UAPI_RDMA_RMC_H

/* Longest name of an endpoint, the terminating NUL included. */
#define RMC_NAME_SIZE		64
#define RMC_MAX_PATHS		8
#define RMC_MAX_CONNS		64

/* What the consumer speaks on the wire. */
enum rmc_mode {
	RMC_MODE_SESSION,	/* rmc's own protocol */
	RMC_MODE_VERBS,		/* the consumer's protocol; rmc adds nothing */
};

enum rmc_role {
	RMC_ROLE_ACTIVE,
	RMC_ROLE_PASSIVE,
};

enum rmc_policy {
	RMC_POLICY_MIN_INFLIGHT,
	RMC_POLICY_ROUND_ROBIN,
	RMC_POLICY_MIN_LATENCY,
	RMC_POLICY_WEIGHTED,
	RMC_POLICY_FAILOVER,
};

enum rmc_ep_state {
	RMC_EP_IDLE,
	RMC_EP_CONNECTING,
	RMC_EP_UP,
	RMC_EP_DEGRADED,
	RMC_EP_RECOVERING,
	RMC_EP_FAILFAST,
	RMC_EP_LOST,
	RMC_EP_CLOSED,
};

enum rmc_path_state {
	RMC_PATH_DISABLED,
	RMC_PATH_WAITING,
	RMC_PATH_CONNECTING,
	RMC_PATH_UP,
	RMC_PATH_SUSPECT,
	RMC_PATH_BACKOFF,
	RMC_PATH_REFUSED,
};

enum rmc_conn_state {
	RMC_CONN_NEW,
	RMC_CONN_ADDR,
	RMC_CONN_ROUTE,
	RMC_CONN_CONNECT,
	RMC_CONN_HELLO,
	RMC_CONN_UP,
	RMC_CONN_DRAIN,
	RMC_CONN_DEAD,
};

/* How a path proves that its peer is there. */
enum rmc_probe_kind {
	RMC_PROBE_NONE,
	RMC_PROBE_WRITE,	/* zero-length RDMA WRITE (InfiniBand, RoCE) */
	RMC_PROBE_READ,		/* zero-length RDMA READ (iWARP) */
};

/*
 * Why something left the state it was in. The name that tools print is the
 * lower-case constant without its prefix and with '-' for '_'.
 */
enum rmc_reason_code {
	RMC_REASON_NONE,
	RMC_REASON_ADMIN,		/* an administrator or the consumer asked for it */
	RMC_REASON_CONSUMER,		/* rmc_conn_fail(), or an op returned an error */
	RMC_REASON_NO_DEVICE,		/* the source address belongs to no RDMA device */
	RMC_REASON_NO_ADDRESS,		/* the source address is not on this host */
	RMC_REASON_NO_ROUTE,		/* no route to the destination */
	RMC_REASON_ADDR_TIMEOUT,	/* the destination's link address did not resolve */
	RMC_REASON_ADDR_ERROR,		/* address resolution failed otherwise */
	RMC_REASON_ROUTE_ERROR,		/* route resolution failed */
	RMC_REASON_CONNECT_TIMEOUT,	/* own deadline passed before the peer answered */
	RMC_REASON_CONNECT_ERROR,	/* the CM exchange failed */
	RMC_REASON_UNREACHABLE,		/* the CM gave up on the peer */
	RMC_REASON_REJECTED,		/* the peer rejected; see the reject reason */
	RMC_REASON_NO_LISTENER,		/* nobody listens on that port */
	RMC_REASON_STALE_CONNECTION,	/* the peer still held an older connection */
	RMC_REASON_RESOURCES,		/* memory or verbs objects could not be had */
	RMC_REASON_UNSUPPORTED,		/* this transport or namespace cannot do it */
	RMC_REASON_PROBE_TIMEOUT,	/* the peer did not answer for detect_ms */
	RMC_REASON_QP_ERROR,		/* a probe completed in error, or the QP did */
	RMC_REASON_PEER_DISCONNECT,	/* the peer disconnected */
	RMC_REASON_LINK_DOWN,		/* the local interface was taken down */
	RMC_REASON_CARRIER_LOST,	/* the local interface lost its carrier */
	RMC_REASON_ADDR_REMOVED,	/* the source address was taken off this host */
	RMC_REASON_ADDR_CHANGE,		/* the interface's link address changed */
	RMC_REASON_DEVICE_REMOVED,	/* the RDMA device went away */
	RMC_REASON_GENERATION,		/* another connection of the path was lost */
	RMC_REASON_SUPERSEDED,		/* a hint of recovery started a new attempt */
	RMC_REASON_TIMED_OUT,		/* loss_ms passed without a path */
	RMC_REASON_ATTEMPTS,		/* max_attempts were used up on every path */
	RMC_REASON_FAIL_FAST,		/* fail_fast_ms passed without a path */
	RMC_REASON_FAULT,		/* an injected fault (RMC_FAULTS builds) */
	RMC_REASON_MAX,
};

#endif /* _UAPI_RDMA_RMC_H */
