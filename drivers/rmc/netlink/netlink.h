/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: the generic netlink family
 *
 * A face: it checks and translates, endpoint/ decides. Documentation/netlink/
 * specs/rmc.yaml is the source of names and numbers; <uapi/linux/rmc_netlink.h>
 * is generated from it.
 *
 * Ops run in parallel (a ping may wait, and must not stop other families), so
 * whatever two of them could do to one endpoint at the same time is settled in
 * ep.c, see "who ends an endpoint" there.
 *
 * Every error leaves a sentence in the extended ack and, where one is to blame,
 * the position of the attribute. Sentences are constants: 6.1 cannot format one,
 * and whoever asked knows the value that he gave at that position.
 */
#ifndef RMC_NETLINK_H
#define RMC_NETLINK_H

#include <net/genetlink.h>
#include <uapi/linux/rmc_netlink.h>
#include "endpoint/endpoint.h"

/* Room for what one endpoint without its paths, and what one path, may take. */
#define RMC_NL_EP_ROOM		2048
#define RMC_NL_PATH_ROOM	1024

#define RMC_NL_PING_MS_DEFAULT	1000
#define RMC_NL_PING_MS_MAX	10000

/* Where a dump goes on; lives in netlink_callback.ctx, which starts zeroed. */
struct rmc_nl_cursor {
	u32	ep;	/* lowest endpoint id not yet told in full */
	u32	part;	/* endpoint that @path belongs to */
	int	path;	/* lowest path id of @part not yet told */
	bool	only;	/* one endpoint was asked for, and found */
	bool	end;
};

extern struct genl_family rmc_nl_family;

int rmc_netlink_init(void);
void rmc_netlink_exit(void);

/* parse.c: requests and what is wrong with them */
int rmc_nl_fail(struct netlink_ext_ack *extack, const struct nlattr *attr, int err,
		const char *msg);
int rmc_nl_missing(struct netlink_ext_ack *extack, struct nlattr *nest, int type, const char *msg);
int rmc_nl_fail_ep(struct genl_info *info, int err, const struct rmc_error *why);
int rmc_nl_fail_path(struct netlink_ext_ack *extack, const struct nlattr *path, int err,
		     const struct rmc_error *why);
int rmc_nl_admin(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_name(struct netlink_ext_ack *extack, const struct nlattr *attr,
		char name[RMC_NAME_SIZE]);
struct rmc_ep *rmc_nl_ep(struct genl_info *info);
struct rmc_ep *rmc_nl_user_ep(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_settings(struct genl_info *info, struct rmc_ep_attr *attr, u32 *mask);
int rmc_nl_path_attr(struct netlink_ext_ack *extack, const struct nlattr *nest,
		     struct rmc_path_attr *attr);
int rmc_nl_path_ref(struct genl_info *info, struct rmc_path_attr *attr, u32 *mask, int *id);

/* fill.c: pieces of answers */
int rmc_nl_put_reason(struct sk_buff *skb, int type, const struct rmc_reason *reason);
int rmc_nl_put_stats(struct sk_buff *skb, int type, const struct rmc_ep_stats *stats);
int rmc_nl_put_settings(struct sk_buff *skb, const struct rmc_ep_attr *attr);
int rmc_nl_put_path(struct sk_buff *skb, const struct rmc_path_info *info);

/* policy.c */
extern const struct nla_policy rmc_nl_ep_get_policy[RMC_A_EP_MAX + 1];
extern const struct nla_policy rmc_nl_ep_new_policy[RMC_A_EP_MAX + 1];
extern const struct nla_policy rmc_nl_ep_set_policy[RMC_A_EP_MAX + 1];
extern const struct nla_policy rmc_nl_path_id_policy[RMC_A_EP_MAX + 1];
extern const struct nla_policy rmc_nl_path_new_policy[RMC_A_EP_MAX + 1];
extern const struct nla_policy rmc_nl_path_set_policy[RMC_A_EP_MAX + 1];
extern const struct nla_policy rmc_nl_ping_policy[RMC_A_PING_MAX + 1];
extern const struct nla_policy rmc_nl_settings_nest[RMC_A_SETTINGS_MAX + 1];
extern const struct nla_policy rmc_nl_path_new_nest[RMC_A_PATH_MAX + 1];
extern const struct nla_policy rmc_nl_path_set_nest[RMC_A_PATH_MAX + 1];

/* the operations */
int rmc_nl_ep_get(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_ep_dump(struct sk_buff *skb, struct netlink_callback *cb);
int rmc_nl_ep_new(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_ep_set(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_ep_del(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_ep_connect(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_ep_disconnect(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_path_get(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_path_dump_start(struct netlink_callback *cb);
int rmc_nl_path_dump(struct sk_buff *skb, struct netlink_callback *cb);
int rmc_nl_path_new(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_path_set(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_path_del(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_path_connect(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_path_disconnect(struct sk_buff *skb, struct genl_info *info);
int rmc_nl_dev_dump(struct sk_buff *skb, struct netlink_callback *cb);
int rmc_nl_ping(struct sk_buff *skb, struct genl_info *info);

/* events.c; any context */
void rmc_nl_event(struct net *net, const struct rmc_note *note);

#endif /* RMC_NETLINK_H */
