// SPDX-License-Identifier: GPL-2.0
/* Addresses as people write them: A.B.C.D:PORT, [V6%IF]:PORT, V6%IF. */
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rmc.h"

static int parse_port(const char *text, in_port_t *port)
{
	unsigned long value;
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	value = strtoul(text, &end, 10);
	if (*end || value > 65535)
		return -1;
	*port = htons(value);
	return 0;
}

static int parse_host(char *host, struct sockaddr_storage *to, in_port_t port, const char **why)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)to;
	struct sockaddr_in *in = (struct sockaddr_in *)to;
	char *scope = strchr(host, '%'), *end;

	if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = port;
		return 0;
	}
	if (scope)
		*scope++ = '\0';
	if (inet_pton(AF_INET6, host, &in6->sin6_addr) != 1) {
		*why = "not an IPv4 or IPv6 address";
		return -1;
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = port;
	if (scope) {
		in6->sin6_scope_id = if_nametoindex(scope);
		if (!in6->sin6_scope_id && *scope) {
			in6->sin6_scope_id = strtoul(scope, &end, 10);
			if (*end)
				in6->sin6_scope_id = 0;
		}
		if (!in6->sin6_scope_id) {
			*why = "there is no interface of that name";
			return -1;
		}
	}
	return 0;
}

/* 0 or -1 with *@why; without a port @has_port is false and the port zero. */
int addr_parse(const char *text, struct sockaddr_storage *to, bool *has_port, const char **why)
{
	char host[128], *port_text = NULL, *p;
	in_port_t port = 0;

	memset(to, 0, sizeof(*to));
	if (strlen(text) >= sizeof(host)) {
		*why = "not an IPv4 or IPv6 address";
		return -1;
	}
	strcpy(host, text);
	if (host[0] == '[') {
		p = strchr(host, ']');
		if (!p || (p[1] && p[1] != ':')) {
			*why = "the form is [ADDRESS]:PORT";
			return -1;
		}
		if (p[1])
			port_text = p + 2;
		*p = '\0';
		memmove(host, host + 1, strlen(host));
	} else {
		p = strchr(host, ':');
		/* more than one colon: IPv6 without brackets, which has no port */
		if (p && !strchr(p + 1, ':')) {
			*p = '\0';
			port_text = p + 1;
		}
	}
	*has_port = port_text;
	if (port_text && parse_port(port_text, &port)) {
		*why = "the port is a number from 1 to 65535";
		return -1;
	}
	return parse_host(host, to, port, why);
}

void addr_format(const struct sockaddr_storage *addr, bool port, char *buf, size_t size)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;
	char host[INET6_ADDRSTRLEN], scope[IF_NAMESIZE + 12] = "", name[IF_NAMESIZE];

	switch (addr->ss_family) {
	case AF_INET:
		inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
		if (port)
			snprintf(buf, size, "%s:%u", host, ntohs(in->sin_port));
		else
			snprintf(buf, size, "%s", host);
		break;
	case AF_INET6:
		inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
		if (in6->sin6_scope_id && if_indextoname(in6->sin6_scope_id, name))
			snprintf(scope, sizeof(scope), "%%%s", name);
		else if (in6->sin6_scope_id)
			snprintf(scope, sizeof(scope), "%%%u", in6->sin6_scope_id);
		if (port)
			snprintf(buf, size, "[%s%s]:%u", host, scope, ntohs(in6->sin6_port));
		else
			snprintf(buf, size, "%s%s", host, scope);
		break;
	default:
		snprintf(buf, size, "-");
	}
}
