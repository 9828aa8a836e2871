// SPDX-License-Identifier: GPL-2.0
/* Words of the command line. What is wrong here needs no kernel and exits with 2. */
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rmc.h"

static const char * const settings[RMC_A_SETTINGS_MAX + 1] = {
	[RMC_A_SETTINGS_CONNECT_MS]	= "connect_ms",
	[RMC_A_SETTINGS_FAIL_FAST_MS]	= "fail_fast_ms",
	[RMC_A_SETTINGS_LOSS_MS]	= "loss_ms",
	[RMC_A_SETTINGS_MAX_ATTEMPTS]	= "max_attempts",
	[RMC_A_SETTINGS_BACKOFF_MIN_MS]	= "backoff_min_ms",
	[RMC_A_SETTINGS_BACKOFF_MAX_MS]	= "backoff_max_ms",
	[RMC_A_SETTINGS_DETECT_MS]	= "detect_ms",
	[RMC_A_SETTINGS_CONNS]		= "conns",
	[RMC_A_SETTINGS_DEPTH]		= "depth",
	[RMC_A_SETTINGS_TOS]		= "tos",
	[RMC_A_SETTINGS_ACK_TIMEOUT]	= "ack_timeout",
	[RMC_A_SETTINGS_RNR_TIMER]	= "rnr_timer",
	[RMC_A_SETTINGS_RETRY_COUNT]	= "retry_count",
	[RMC_A_SETTINGS_PRIVATE_DATA]	= "private_data",
};

const char *setting_name(int type)
{
	return type > 0 && type <= RMC_A_SETTINGS_MAX ? settings[type] : NULL;
}

int usage(const char *fmt, ...)
{
	va_list ap;

	fputs("rmc: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return RMC_USAGE;
}

/* Netlink and documents write '-' where the command line has '_': take both. */
bool word_is(const char *arg, const char *word)
{
	for (; *arg && *word; arg++, word++)
		if (*arg != *word && !(strchr("-_", *arg) && strchr("-_", *word)))
			return false;
	return *arg == *word;
}

int arg_u32(const char *word, const char *arg, uint32_t *value)
{
	unsigned long long v;
	char *end;

	if (!arg)
		return usage("%s needs a number", word);
	errno = 0;
	v = strtoull(arg, &end, 0);
	if (!isdigit((unsigned char)arg[0]) || *end || errno || v > UINT32_MAX)
		return usage("%s: '%s' is not a number from 0 to %u", word, arg, UINT32_MAX);
	*value = v;
	return 0;
}

int arg_address(const char *word, const char *arg, bool port, struct sockaddr_storage *to)
{
	const char *why = NULL;
	bool has_port;

	if (!arg)
		return usage("%s needs an address", word);
	if (addr_parse(arg, to, &has_port, &why))
		return usage("%s: '%s': %s", word, arg, why);
	if (has_port && !port)
		return usage("%s: '%s': a source has no port", word, arg);
	return 0;
}

/* TEXT as it is, or hex:0102ff for any bytes. */
int arg_private_data(const char *arg, uint8_t data[255], size_t *len)
{
	unsigned int byte;
	int used;

	if (!arg)
		return usage("private_data needs a value");
	*len = 0;
	if (strncmp(arg, "hex:", 4)) {
		if (strlen(arg) > 255)
			return usage("private_data: more than 255 bytes");
		*len = strlen(arg);
		memcpy(data, arg, *len);
		return 0;
	}
	for (arg += 4; *arg; arg += 2) {
		if (!isxdigit((unsigned char)arg[0]) || !isxdigit((unsigned char)arg[1]) ||
		    sscanf(arg, "%2x%n", &byte, &used) != 1 || used != 2)
			return usage("private_data: after hex: come pairs of hex digits");
		if (*len == 255)
			return usage("private_data: more than 255 bytes");
		data[(*len)++] = byte;
	}
	return 0;
}

/* A setting at *argv, if it is one, goes into the open settings nest. */
int arg_setting(struct nlmsghdr *nlh, int *argc, char ***argv, bool *known)
{
	const char *word = **argv, *arg = *argc > 1 ? (*argv)[1] : NULL;
	uint8_t data[255];
	uint32_t value;
	size_t len;
	int type, rc;

	*known = false;
	for (type = 1; type <= RMC_A_SETTINGS_MAX; type++)
		if (word_is(word, settings[type]) ||
		    (type == RMC_A_SETTINGS_DETECT_MS && word_is(word, "detect")))
			break;
	if (type > RMC_A_SETTINGS_MAX)
		return 0;
	*known = true;
	if (type == RMC_A_SETTINGS_PRIVATE_DATA) {
		rc = arg_private_data(arg, data, &len);
		if (rc)
			return rc;
		put(nlh, type, len, data);
	} else {
		rc = arg_u32(settings[type], arg, &value);
		if (rc)
			return rc;
		put_u32(nlh, type, value);
	}
	*argc -= 2;
	*argv += 2;
	return 0;
}

static void put_addr(struct nlmsghdr *nlh, const struct sockaddr_storage *addr, int type, int scope)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;

	if (addr->ss_family == AF_INET) {
		put(nlh, type, sizeof(in->sin_addr), &in->sin_addr);
		return;
	}
	put(nlh, type, sizeof(in6->sin6_addr), &in6->sin6_addr);
	if (in6->sin6_scope_id)
		put_u32(nlh, scope, in6->sin6_scope_id);
}

/* "dst ADDR": opens a path nest. A missing port is the kernel's to refuse. */
int arg_dst(struct nlmsghdr *nlh, int *argc, char ***argv, struct nlattr **nest)
{
	struct sockaddr_storage dst;
	in_port_t port;
	int rc;

	rc = arg_address("dst", *argc > 1 ? (*argv)[1] : NULL, true, &dst);
	if (rc)
		return rc;
	*nest = nest_start(nlh, RMC_A_EP_PATH);
	put_addr(nlh, &dst, RMC_A_PATH_DST, RMC_A_PATH_DST_IFINDEX);
	port = dst.ss_family == AF_INET ? ((struct sockaddr_in *)&dst)->sin_port :
					  ((struct sockaddr_in6 *)&dst)->sin6_port;
	put(nlh, RMC_A_PATH_DST_PORT, sizeof(port), &port);
	*argc -= 2;
	*argv += 2;
	return 0;
}

/* A word that says something about the path whose nest is open. */
int arg_path_word(struct nlmsghdr *nlh, int *argc, char ***argv, bool *known)
{
	const char *word = **argv, *arg = *argc > 1 ? (*argv)[1] : NULL;
	struct sockaddr_storage src;
	uint8_t down;
	uint32_t value;
	int rc, took = 2;

	*known = true;
	if (!strcmp(word, "src")) {
		rc = arg_address(word, arg, false, &src);
		if (rc)
			return rc;
		put_addr(nlh, &src, RMC_A_PATH_SRC, RMC_A_PATH_SRC_IFINDEX);
	} else if (!strcmp(word, "priority") || !strcmp(word, "weight")) {
		rc = arg_u32(word, arg, &value);
		if (rc)
			return rc;
		put_u32(nlh, *word == 'p' ? RMC_A_PATH_PRIORITY : RMC_A_PATH_WEIGHT, value);
	} else if (!strcmp(word, "up") || !strcmp(word, "down")) {
		down = *word == 'd';
		put(nlh, RMC_A_PATH_DOWN, sizeof(down), &down);
		took = 1;
	} else {
		*known = false;
		return 0;
	}
	*argc -= took;
	*argv += took;
	return 0;
}
