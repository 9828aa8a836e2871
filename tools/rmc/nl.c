// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to the family and their answers.
 *
 * libmnl builds and walks messages; the receive loop is ours, for it has to
 * keep the request to say what in it was wrong, and to notice a dump that was
 * interrupted by a change.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/genetlink.h>
#include "rmc.h"

#ifndef NETLINK_EXT_ACK
#define NETLINK_EXT_ACK		11
#endif
#ifndef NETLINK_CAP_ACK
#define NETLINK_CAP_ACK		10
#endif

/* How often a dump is begun anew when the list changes under it. */
#define DUMP_TRIES	5

static struct mnl_socket *sock;
static uint16_t family;
static uint32_t events_group;
static unsigned int next_seq;

/* Large, because the kernel gives a dump as much room as the reader offers. */
static char *answer;
#define ANSWER_SIZE	65536

static int family_attr(const struct nlattr *attr, void *data)
{
	const struct nlattr **tb = data;

	if (mnl_attr_get_type(attr) <= CTRL_ATTR_MAX)
		tb[mnl_attr_get_type(attr)] = attr;
	return MNL_CB_OK;
}

static int on_family(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *tb[CTRL_ATTR_MAX + 1] = { NULL }, *grp, *a;

	mnl_attr_parse(nlh, GENL_HDRLEN, family_attr, tb);
	if (tb[CTRL_ATTR_FAMILY_ID])
		family = mnl_attr_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
	if (!tb[CTRL_ATTR_MCAST_GROUPS])
		return 0;
	mnl_attr_for_each_nested(grp, tb[CTRL_ATTR_MCAST_GROUPS]) {
		const char *name = "";
		uint32_t id = 0;

		mnl_attr_for_each_nested(a, grp) {
			if (mnl_attr_get_type(a) == CTRL_ATTR_MCAST_GRP_NAME)
				name = mnl_attr_get_str(a);
			else if (mnl_attr_get_type(a) == CTRL_ATTR_MCAST_GRP_ID)
				id = mnl_attr_get_u32(a);
		}
		if (!strcmp(name, RMC_MCGRP_EVENTS))
			events_group = id;
	}
	return 0;
}

static struct nlmsghdr *request(void *buf, uint16_t type, uint8_t cmd, bool dump)
{
	struct genlmsghdr *genl;
	struct nlmsghdr *nlh;

	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | (dump ? NLM_F_DUMP : NLM_F_ACK);
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = RMC_FAMILY_VERSION;
	return nlh;
}

/* 0 or -errno; says nothing. */
int nl_family_resolve(void)
{
	uint32_t buf[64] = { 0 };
	struct nlmsghdr *nlh = request(buf, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, false);
	char ignored[256];

	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, RMC_FAMILY_NAME);
	return nl_try(nlh, on_family, NULL, ignored, sizeof(ignored));
}

int nl_open(void)
{
	int one = 1, err;

	if (sock)
		return RMC_OK;
	answer = grow(NULL, ANSWER_SIZE, 1);
	next_seq = time(NULL);
	sock = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!sock || mnl_socket_bind(sock, 0, MNL_SOCKET_AUTOPID) < 0) {
		fprintf(stderr, "rmc: cannot open a netlink socket (%s)\n", strerror(errno));
		return RMC_FAILED;
	}
	mnl_socket_setsockopt(sock, NETLINK_EXT_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(sock, NETLINK_CAP_ACK, &one, sizeof(one));
	err = nl_family_resolve();
	if (!err)
		return RMC_OK;
	if (err == -ENOENT)
		fprintf(stderr, "rmc: the kernel module rmc is not loaded (%s)\n", strerror(-err));
	else
		fprintf(stderr, "rmc: cannot find the netlink family (%s)\n", strerror(-err));
	return RMC_FAILED;
}

void nl_close(void)
{
	if (sock)
		mnl_socket_close(sock);
	sock = NULL;
}

int nl_fd(void)
{
	return mnl_socket_get_fd(sock);
}

/*
 * One request at a time. It may be built before nl_open(), so that usage errors
 * need no kernel; what its family is called is filled in when it is sent.
 */
struct nlmsghdr *nl_request(uint8_t cmd, bool dump)
{
	static char *buf;

	if (!buf)
		buf = grow(NULL, RMC_REQUEST_MAX, 1);
	memset(buf, 0, RMC_REQUEST_MAX);
	return request(buf, 0, cmd, dump);
}

int nl_join_events(void)
{
	int size = 4 << 20;

	/* a burst of events has to wait somewhere while this prints; root gets more */
	if (setsockopt(nl_fd(), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(nl_fd(), SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (!mnl_socket_setsockopt(sock, NETLINK_ADD_MEMBERSHIP, &events_group,
				   sizeof(events_group)))
		return RMC_OK;
	fprintf(stderr, "rmc: cannot join the events (%s)\n", strerror(errno));
	return RMC_FAILED;
}

ssize_t nl_receive(void **buf)
{
	*buf = answer;
	return mnl_socket_recvfrom(sock, answer, ANSWER_SIZE);
}

static int parse_error(const struct nlmsghdr *request, const struct nlmsghdr *nlh, char *why,
		       size_t size)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);
	size_t at = sizeof(*e);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*e))
		return -EBADMSG;
	if (!e->error)
		return 0;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		at += mnl_nlmsg_get_payload_len(&e->msg);
	blame(request, -e->error, nlh, at, why, size);
	return e->error;
}

/* The end of a dump: an error number, and why. */
static int parse_done(const struct nlmsghdr *request, const struct nlmsghdr *nlh, char *why,
		      size_t size)
{
	int err;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(err))
		return 0;
	memcpy(&err, mnl_nlmsg_get_payload(nlh), sizeof(err));
	if (err >= 0)
		return 0;
	blame(request, -err, nlh, sizeof(err), why, size);
	return err;
}

/* Returns 0 or -errno with a sentence in @why; *changed: a dump was interrupted. */
static int exchange(struct nlmsghdr *nlh, nl_handler handler, void *data, char *why, size_t size,
		    bool *changed)
{
	const struct nlmsghdr *in;
	ssize_t got;
	int len, err;

	nlh->nlmsg_seq = ++next_seq;
	if (nlh->nlmsg_type != GENL_ID_CTRL)
		nlh->nlmsg_type = family;
	if (mnl_socket_sendto(sock, nlh, nlh->nlmsg_len) < 0)
		goto broken;
	for (;;) {
		got = mnl_socket_recvfrom(sock, answer, ANSWER_SIZE);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			goto broken;
		len = got;
		for (in = (void *)answer; mnl_nlmsg_ok(in, len); in = mnl_nlmsg_next(in, &len)) {
			if (in->nlmsg_seq != nlh->nlmsg_seq)
				continue;
			if (in->nlmsg_flags & NLM_F_DUMP_INTR)
				*changed = true;
			if (in->nlmsg_type == NLMSG_ERROR)
				return parse_error(nlh, in, why, size);
			if (in->nlmsg_type == NLMSG_DONE)
				return parse_done(nlh, in, why, size);
			if (in->nlmsg_type < NLMSG_MIN_TYPE || !handler)
				continue;
			err = handler(in, data);
			if (err)
				return err;
		}
	}

broken:
	err = -errno;
	snprintf(why, size, "netlink: %s", strerror(errno));
	return err;
}

int nl_try(struct nlmsghdr *nlh, nl_handler handler, void *data, char *why, size_t size)
{
	bool changed = false;

	return exchange(nlh, handler, data, why, size, &changed);
}

int nl_talk(struct nlmsghdr *nlh, nl_handler handler, void *data)
{
	char why[1024];

	if (!nl_try(nlh, handler, data, why, sizeof(why)))
		return RMC_OK;
	fprintf(stderr, "rmc: %s\n", why);
	return RMC_FAILED;
}

/*
 * Every object that is there all the time is in the answer exactly once even if
 * the list changes meanwhile, yet try to get one that is of one moment.
 */
int nl_dump(struct nlmsghdr *nlh, nl_handler handler, void (*restart)(void *data), void *data)
{
	char why[1024];
	bool changed;
	int i;

	for (i = 0; i < DUMP_TRIES; i++) {
		changed = false;
		restart(data);
		if (exchange(nlh, handler, data, why, sizeof(why), &changed)) {
			fprintf(stderr, "rmc: %s\n", why);
			return RMC_FAILED;
		}
		if (!changed)
			return RMC_OK;
	}
	fputs("rmc: the list changed while it was read\n", stderr);
	return RMC_OK;
}

static void too_long(void)
{
	exit(usage("that is more than one request can carry"));
}

struct nlattr *nest_start(struct nlmsghdr *nlh, uint16_t type)
{
	struct nlattr *nest = mnl_attr_nest_start_check(nlh, RMC_REQUEST_MAX, type);

	if (!nest)
		too_long();
	return nest;
}

void put(struct nlmsghdr *nlh, uint16_t type, size_t len, const void *data)
{
	if (!mnl_attr_put_check(nlh, RMC_REQUEST_MAX, type, len, data))
		too_long();
}

void put_u32(struct nlmsghdr *nlh, uint16_t type, uint32_t value)
{
	put(nlh, type, sizeof(value), &value);
}

void put_str(struct nlmsghdr *nlh, uint16_t type, const char *value)
{
	/* an attribute is no longer than 64 KiB, and the kernel judges the rest */
	put(nlh, type, strnlen(value, 4096) + 1, value);
}

void parse_attrs(const struct nlattr *first, size_t len, const struct nlattr **tb, unsigned int max)
{
	const struct nlattr *a = first;

	memset(tb, 0, (max + 1) * sizeof(*tb));
	for (; mnl_attr_ok(a, (const char *)first + len - (const char *)a); a = mnl_attr_next(a))
		if (mnl_attr_get_type(a) <= max)
			tb[mnl_attr_get_type(a)] = a;
}

void parse_message(const struct nlmsghdr *nlh, const struct nlattr **tb, unsigned int max)
{
	parse_attrs(mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN),
		    mnl_nlmsg_get_payload_len(nlh) - GENL_HDRLEN, tb, max);
}

void parse_nest(const struct nlattr *nest, const struct nlattr **tb, unsigned int max)
{
	parse_attrs(mnl_attr_get_payload(nest), mnl_attr_get_payload_len(nest), tb, max);
}
