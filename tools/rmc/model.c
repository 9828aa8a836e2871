// SPDX-License-Identifier: GPL-2.0
/* From messages to structs. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/genetlink.h>
#include "rmc.h"

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

void *grow(void *array, size_t nr, size_t size)
{
	void *p = reallocarray(array, nr, size);

	if (p)
		return p;
	fputs("rmc: out of memory\n", stderr);
	exit(RMC_FAILED);
}

static uint32_t u32_or(const struct nlattr *attr, uint32_t otherwise)
{
	return attr && mnl_attr_get_payload_len(attr) >= sizeof(uint32_t) ? mnl_attr_get_u32(attr) :
									     otherwise;
}

static int64_t known_u32(const struct nlattr *attr)
{
	return attr ? (int64_t)u32_or(attr, 0) : -1;
}

static uint64_t u64_or(const struct nlattr *attr, uint64_t otherwise)
{
	uint64_t value;

	if (!attr || mnl_attr_get_payload_len(attr) < sizeof(value))
		return otherwise;
	memcpy(&value, mnl_attr_get_payload(attr), sizeof(value));
	return value;
}

static void copy_str(char *to, size_t size, const struct nlattr *attr)
{
	if (attr)
		snprintf(to, size, "%.*s", (int)mnl_attr_get_payload_len(attr),
			 (const char *)mnl_attr_get_payload(attr));
	else
		to[0] = '\0';
}

void reason_read(const struct nlattr *nest, struct reason *reason)
{
	const struct nlattr *tb[RMC_A_REASON_MAX + 1];

	memset(reason, 0, sizeof(*reason));
	if (!nest)
		return;
	parse_nest(nest, tb, RMC_A_REASON_MAX);
	reason->code = u32_or(tb[RMC_A_REASON_CODE], RMC_REASON_NONE);
	reason->err = u32_or(tb[RMC_A_REASON_ERRNO], 0);
	reason->rej = u32_or(tb[RMC_A_REASON_REJ], 0);
}

static void stats_read(const struct nlattr *nest, struct stats *stats)
{
	const struct nlattr *tb[RMC_A_STATS_MAX + 1];
	int i;

	memset(stats, 0, sizeof(*stats));
	if (!nest)
		return;
	stats->known = true;
	parse_nest(nest, tb, RMC_A_STATS_MAX);
	for (i = RMC_A_STATS_PAD + 1; i <= RMC_A_STATS_MAX; i++)
		stats->value[i] = u64_or(tb[i], 0);
}

static void addr_read(const struct nlattr *attr, const struct nlattr *scope,
		      const struct nlattr *port, struct sockaddr_storage *addr)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;

	memset(addr, 0, sizeof(*addr));
	if (!attr)
		return;
	if (mnl_attr_get_payload_len(attr) == sizeof(in->sin_addr)) {
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, mnl_attr_get_payload(attr), sizeof(in->sin_addr));
		in->sin_port = port ? mnl_attr_get_u16(port) : 0;
	} else if (mnl_attr_get_payload_len(attr) == sizeof(in6->sin6_addr)) {
		in6->sin6_family = AF_INET6;
		memcpy(&in6->sin6_addr, mnl_attr_get_payload(attr), sizeof(in6->sin6_addr));
		in6->sin6_port = port ? mnl_attr_get_u16(port) : 0;
		in6->sin6_scope_id = u32_or(scope, 0);
	}
}

static void path_read(const struct nlattr *nest, const char *ep, struct path *p)
{
	const struct nlattr *tb[RMC_A_PATH_MAX + 1];

	parse_nest(nest, tb, RMC_A_PATH_MAX);
	memset(p, 0, sizeof(*p));
	snprintf(p->ep, sizeof(p->ep), "%s", ep);
	p->id = u32_or(tb[RMC_A_PATH_ID], 0);
	addr_read(tb[RMC_A_PATH_DST], tb[RMC_A_PATH_DST_IFINDEX], tb[RMC_A_PATH_DST_PORT], &p->dst);
	addr_read(tb[RMC_A_PATH_SRC], tb[RMC_A_PATH_SRC_IFINDEX], NULL, &p->src);
	copy_str(p->dev, sizeof(p->dev), tb[RMC_A_PATH_DEV]);
	p->state = u32_or(tb[RMC_A_PATH_STATE], 0);
	reason_read(tb[RMC_A_PATH_REASON], &p->reason);
	p->priority = u32_or(tb[RMC_A_PATH_PRIORITY], 0);
	p->weight = u32_or(tb[RMC_A_PATH_WEIGHT], 0);
	p->down = tb[RMC_A_PATH_DOWN] && mnl_attr_get_u8(tb[RMC_A_PATH_DOWN]);
	p->generation = u32_or(tb[RMC_A_PATH_GENERATION], 0);
	p->attempts = u64_or(tb[RMC_A_PATH_ATTEMPTS], 0);
	p->failures = u32_or(tb[RMC_A_PATH_FAILURES], 0);
	p->conns_up = u32_or(tb[RMC_A_PATH_CONNS_UP], 0);
	p->orphans = u32_or(tb[RMC_A_PATH_ORPHANS], 0);
	p->detect_ms = u32_or(tb[RMC_A_PATH_DETECT_MS], 0);
	p->probe_interval_ms = u32_or(tb[RMC_A_PATH_PROBE_INTERVAL_MS], 0);
	p->ack_timeout = u32_or(tb[RMC_A_PATH_ACK_TIMEOUT], 0);
	p->probe = u32_or(tb[RMC_A_PATH_PROBE], 0);
	p->inflight = u32_or(tb[RMC_A_PATH_INFLIGHT], 0);
	p->since_ns = u64_or(tb[RMC_A_PATH_SINCE_NS], 0);
	p->depth = known_u32(tb[RMC_A_PATH_DEPTH]);
	p->usable_private_data = known_u32(tb[RMC_A_PATH_USABLE_PRIVATE_DATA]);
	p->rtt_us = known_u32(tb[RMC_A_PATH_RTT_US]);
	p->connect_us = known_u32(tb[RMC_A_PATH_CONNECT_US]);
	p->up_ms = (int64_t)u64_or(tb[RMC_A_PATH_UP_MS], -1);
	p->wait_ms = (int64_t)u64_or(tb[RMC_A_PATH_WAIT_MS], -1);
	stats_read(tb[RMC_A_PATH_STATS], &p->stats);
}

static void settings_read(const struct nlattr *nest, struct endpoint *ep)
{
	const struct nlattr *tb[RMC_A_SETTINGS_MAX + 1], *data;
	int i;

	parse_nest(nest, tb, RMC_A_SETTINGS_MAX);
	for (i = 1; i < RMC_A_SETTINGS_PRIVATE_DATA; i++)
		ep->settings[i] = known_u32(tb[i]);
	data = tb[RMC_A_SETTINGS_PRIVATE_DATA];
	if (data && mnl_attr_get_payload_len(data) <= sizeof(ep->private_data)) {
		ep->private_data_len = mnl_attr_get_payload_len(data);
		memcpy(ep->private_data, mnl_attr_get_payload(data), ep->private_data_len);
	}
}

static void ep_read(const struct nlattr **tb, struct endpoint *ep)
{
	memset(ep, 0, sizeof(*ep));
	ep->id = u32_or(tb[RMC_A_EP_ID], 0);
	copy_str(ep->name, sizeof(ep->name), tb[RMC_A_EP_NAME]);
	ep->mode = u32_or(tb[RMC_A_EP_MODE], 0);
	ep->role = u32_or(tb[RMC_A_EP_ROLE], 0);
	ep->state = u32_or(tb[RMC_A_EP_STATE], 0);
	ep->policy = u32_or(tb[RMC_A_EP_POLICY], 0);
	ep->preferred = known_u32(tb[RMC_A_EP_PREFERRED]);
	ep->since_ns = u64_or(tb[RMC_A_EP_SINCE_NS], 0);
	copy_str(ep->consumer, sizeof(ep->consumer), tb[RMC_A_EP_CONSUMER]);
	reason_read(tb[RMC_A_EP_REASON], &ep->reason);
	stats_read(tb[RMC_A_EP_STATS], &ep->stats);
	memset(ep->settings, -1, sizeof(ep->settings));
	if (tb[RMC_A_EP_SETTINGS])
		settings_read(tb[RMC_A_EP_SETTINGS], ep);
}

static void ep_add_paths(const struct nlmsghdr *nlh, struct endpoint *ep)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, MNL_ALIGN(sizeof(struct genlmsghdr))) {
		if (mnl_attr_get_type(attr) != RMC_A_EP_PATH)
			continue;
		ep->paths = grow(ep->paths, ep->nr_paths + 1, sizeof(*ep->paths));
		path_read(attr, ep->name, &ep->paths[ep->nr_paths++]);
	}
}

int ep_list_add(const struct nlmsghdr *nlh, void *list)
{
	const struct nlattr *tb[RMC_A_EP_MAX + 1];
	struct ep_list *l = list;
	struct endpoint *last;

	parse_message(nlh, tb, RMC_A_EP_MAX);
	if (!tb[RMC_A_EP_ID] || !tb[RMC_A_EP_NAME])
		return 0;
	/* a message without a state goes on with the paths of the last endpoint */
	last = l->nr ? &l->eps[l->nr - 1] : NULL;
	if (!tb[RMC_A_EP_STATE]) {
		if (last && last->id == mnl_attr_get_u32(tb[RMC_A_EP_ID]))
			ep_add_paths(nlh, last);
		return 0;
	}
	l->eps = grow(l->eps, l->nr + 1, sizeof(*l->eps));
	ep_read(tb, &l->eps[l->nr]);
	ep_add_paths(nlh, &l->eps[l->nr]);
	l->nr++;
	return 0;
}

void ep_list_clear(void *list)
{
	struct ep_list *l = list;
	size_t i;

	for (i = 0; i < l->nr; i++)
		free(l->eps[i].paths);
	free(l->eps);
	memset(l, 0, sizeof(*l));
}

int path_list_add(const struct nlmsghdr *nlh, void *list)
{
	const struct nlattr *tb[RMC_A_EP_MAX + 1];
	struct path_list *l = list;
	char name[RMC_NAME_SIZE];

	parse_message(nlh, tb, RMC_A_EP_MAX);
	if (!tb[RMC_A_EP_NAME] || !tb[RMC_A_EP_PATH])
		return 0;
	copy_str(name, sizeof(name), tb[RMC_A_EP_NAME]);
	l->paths = grow(l->paths, l->nr + 1, sizeof(*l->paths));
	path_read(tb[RMC_A_EP_PATH], name, &l->paths[l->nr++]);
	return 0;
}

void path_list_clear(void *list)
{
	struct path_list *l = list;

	free(l->paths);
	memset(l, 0, sizeof(*l));
}
