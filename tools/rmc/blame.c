// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel did not like: its sentence, the word of the command line that
 * the position in the extended ack stands for, the value given there, and the
 * error number. The kernel cannot print the value into its sentence on 6.1, but
 * the request is still here.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <linux/genetlink.h>
#include "rmc.h"

enum kind { NUMBER, BYTE, TEXT, BYTES, ADDRESS, NEST };

struct field {
	const char		*name;
	enum kind		kind;
	const struct field	*nest;
	unsigned int		nest_max;
};

static const struct field path_fields[RMC_A_PATH_MAX + 1] = {
	[RMC_A_PATH_ID]			= { "path", NUMBER },
	[RMC_A_PATH_DST]		= { "dst", ADDRESS },
	[RMC_A_PATH_DST_PORT]		= { "port of dst", BYTES },
	[RMC_A_PATH_DST_IFINDEX]	= { "interface of dst", NUMBER },
	[RMC_A_PATH_SRC]		= { "src", ADDRESS },
	[RMC_A_PATH_SRC_IFINDEX]	= { "interface of src", NUMBER },
	[RMC_A_PATH_PRIORITY]		= { "priority", NUMBER },
	[RMC_A_PATH_WEIGHT]		= { "weight", NUMBER },
	[RMC_A_PATH_DOWN]		= { "down", BYTE },
};

/* Names are filled in from the settings themselves. */
static const struct field settings_fields[RMC_A_SETTINGS_MAX + 1] = {
	[RMC_A_SETTINGS_PRIVATE_DATA]	= { NULL, BYTES },
};

static const struct field ep_fields[RMC_A_EP_MAX + 1] = {
	[RMC_A_EP_NAME]		= { "name", TEXT },
	[RMC_A_EP_MODE]		= { "mode", NUMBER },
	[RMC_A_EP_POLICY]	= { "policy", NUMBER },
	[RMC_A_EP_IDLE]		= { "idle", BYTES },
	[RMC_A_EP_SETTINGS]	= { "settings", NEST, settings_fields, RMC_A_SETTINGS_MAX },
	[RMC_A_EP_PATH]		= { "dst", NEST, path_fields, RMC_A_PATH_MAX },
};

static const struct field ping_fields[RMC_A_PING_MAX + 1] = {
	[RMC_A_PING_EP]		= { "name", TEXT },
	[RMC_A_PING_PATH]	= { "path", NUMBER },
	[RMC_A_PING_TIMEOUT_MS]	= { "-W", NUMBER },
};

static const char *field_name(const struct field *table, unsigned int type)
{
	return table == settings_fields ? setting_name(type) : table[type].name;
}

static const char *value_name(const struct nlattr *attr, const struct field *table)
{
	if (table != ep_fields)
		return NULL;
	if (mnl_attr_get_type(attr) == RMC_A_EP_MODE)
		return name_of(mode_names, mnl_attr_get_u32(attr));
	if (mnl_attr_get_type(attr) == RMC_A_EP_POLICY)
		return name_of(policy_names, mnl_attr_get_u32(attr));
	return NULL;
}

/* The address at @attr with the port and the scope that stand beside it. */
static void address(const struct nlattr *attr, const struct nlattr *nest, char *buf, size_t size)
{
	bool dst = mnl_attr_get_type(attr) == RMC_A_PATH_DST;
	struct sockaddr_storage addr = { .ss_family = AF_INET };
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&addr;
	const struct nlattr *tb[RMC_A_PATH_MAX + 1], *scope, *port;

	parse_nest(nest, tb, RMC_A_PATH_MAX);
	scope = tb[dst ? RMC_A_PATH_DST_IFINDEX : RMC_A_PATH_SRC_IFINDEX];
	port = dst ? tb[RMC_A_PATH_DST_PORT] : NULL;
	if (mnl_attr_get_payload_len(attr) == sizeof(in->sin_addr)) {
		memcpy(&in->sin_addr, mnl_attr_get_payload(attr), sizeof(in->sin_addr));
		in->sin_port = port ? mnl_attr_get_u16(port) : 0;
	} else if (mnl_attr_get_payload_len(attr) == sizeof(in6->sin6_addr)) {
		addr.ss_family = AF_INET6;
		memcpy(&in6->sin6_addr, mnl_attr_get_payload(attr), sizeof(in6->sin6_addr));
		in6->sin6_port = port ? mnl_attr_get_u16(port) : 0;
		in6->sin6_scope_id = scope ? mnl_attr_get_u32(scope) : 0;
	}
	addr_format(&addr, port && mnl_attr_get_u16(port), buf, size);
}

static void describe(const struct nlattr *attr, const struct nlattr *nest,
		     const struct field *table, char *buf, size_t size);

/* Settings that do not go together with what was there: all that were given. */
static void describe_all(const struct nlattr *nest, const struct field *table, unsigned int max,
			 char *buf, size_t size)
{
	const struct nlattr *a;
	size_t len = 0;

	buf[0] = '\0';
	mnl_attr_for_each_nested(a, nest) {
		if (len)
			len += snprintf(buf + len, size - len, ", ");
		if (mnl_attr_get_type(a) <= max && len < size)
			describe(a, nest, table, buf + len, size - len);
		len = strlen(buf);
	}
}

static void describe(const struct nlattr *attr, const struct nlattr *nest,
		     const struct field *table, char *buf, size_t size)
{
	unsigned int type = mnl_attr_get_type(attr);
	const struct nlattr *tb[RMC_A_PATH_MAX + 1];
	const char *name = field_name(table, type);
	char text[128];

	if (!name) {
		snprintf(buf, size, "attribute %u", type);
		return;
	}
	switch (table[type].kind) {
	case NUMBER:
		if (mnl_attr_get_payload_len(attr) != sizeof(uint32_t))
			break;
		if (value_name(attr, table))
			snprintf(buf, size, "%s %s", name, value_name(attr, table));
		else
			snprintf(buf, size, "%s %u", name, mnl_attr_get_u32(attr));
		return;
	case BYTE:
		snprintf(buf, size, "%s %u", name, mnl_attr_get_u8(attr));
		return;
	case TEXT:
		snprintf(buf, size, "\"%s\"", text_safe(mnl_attr_get_str(attr)));
		return;
	case ADDRESS:
		address(attr, nest, text, sizeof(text));
		snprintf(buf, size, "%s %s", name, text);
		return;
	case NEST:
		if (table[type].nest != path_fields) {
			describe_all(attr, table[type].nest, table[type].nest_max, buf, size);
			return;
		}
		/* a path as a whole is known by its id or by where it leads */
		parse_nest(attr, tb, RMC_A_PATH_MAX);
		if (tb[RMC_A_PATH_ID])
			describe(tb[RMC_A_PATH_ID], attr, path_fields, buf, size);
		else if (tb[RMC_A_PATH_DST])
			describe(tb[RMC_A_PATH_DST], attr, path_fields, buf, size);
		return;
	default:
		break;
	}
	snprintf(buf, size, "%s", name);
}

/* The attribute at @offset of the request, looked for in nests too. */
static bool find(const struct nlmsghdr *request, const struct nlattr *nest,
		 const struct nlattr *first, size_t len, const struct field *table,
		 unsigned int max, size_t offset, char *buf, size_t size)
{
	const struct nlattr *a = first;
	const struct field *f;
	unsigned int type;

	for (; mnl_attr_ok(a, (const char *)first + len - (const char *)a); a = mnl_attr_next(a)) {
		type = mnl_attr_get_type(a);
		if ((size_t)((const char *)a - (const char *)request) == offset) {
			if (type <= max)
				describe(a, nest, table, buf, size);
			else
				snprintf(buf, size, "attribute %u", type);
			return true;
		}
		f = type <= max ? &table[type] : NULL;
		if (f && f->kind == NEST &&
		    find(request, a, mnl_attr_get_payload(a), mnl_attr_get_payload_len(a),
			 f->nest, f->nest_max, offset, buf, size))
			return true;
	}
	return false;
}

void blame(const struct nlmsghdr *request, int err, const struct nlmsghdr *ack, size_t tlvs,
	   char *buf, size_t size)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(request);
	bool ping = genl->cmd == RMC_CMD_PING;
	const struct nlattr *tb[NLMSGERR_ATTR_OFFS + 1] = { NULL };
	const char *msg = NULL;
	char where[512] = "";

	if ((ack->nlmsg_flags & NLM_F_ACK_TLVS) && mnl_nlmsg_get_payload_len(ack) > tlvs)
		parse_attrs(mnl_nlmsg_get_payload_offset(ack, tlvs),
			    mnl_nlmsg_get_payload_len(ack) - tlvs, tb, NLMSGERR_ATTR_OFFS);
	if (tb[NLMSGERR_ATTR_MSG])
		msg = mnl_attr_get_str(tb[NLMSGERR_ATTR_MSG]);
	if (tb[NLMSGERR_ATTR_OFFS])
		find(request, NULL, mnl_nlmsg_get_payload_offset(request, GENL_HDRLEN),
		     mnl_nlmsg_get_payload_len(request) - GENL_HDRLEN,
		     ping ? ping_fields : ep_fields, ping ? RMC_A_PING_MAX : RMC_A_EP_MAX,
		     mnl_attr_get_u32(tb[NLMSGERR_ATTR_OFFS]), where, sizeof(where));
	if (msg && where[0])
		snprintf(buf, size, "%s: %s (%s)", msg, where, strerror(err));
	else if (msg)
		snprintf(buf, size, "%s (%s)", msg, strerror(err));
	else if (where[0])
		snprintf(buf, size, "%s: %s", where, strerror(err));
	else
		snprintf(buf, size, "%s", strerror(err));
}
