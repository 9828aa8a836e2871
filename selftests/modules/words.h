/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every test module needs: addresses as people write them, and commands
 * of the form "name key=value key=value".
 */
#ifndef RMC_SELFTEST_WORDS_H
#define RMC_SELFTEST_WORDS_H

#include <linux/ctype.h>
#include <linux/inet.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#define WORD_MAX	96

/*
 * "10.9.0.2:4420", "[fd09:0::2]:4420", "[fe80::1%a0]:4420", or either without
 * the port, which is then 0. An empty text is %AF_UNSPEC.
 */
static inline int words_addr(const char *text, struct sockaddr_storage *addr)
{
	char host[WORD_MAX], *port = NULL, *at = host;

	memset(addr, 0, sizeof(*addr));
	if (!text || !*text)
		return 0;
	if (strscpy(host, text, sizeof(host)) < 0)
		return -EINVAL;
	if (host[0] == '[') {
		char *end = strchr(host, ']');

		if (!end)
			return -EINVAL;
		at = host + 1;
		*end = '\0';
		if (end[1] == ':')
			port = end + 2;
	} else {
		char *colon = strchr(host, ':');

		if (colon && !strchr(colon + 1, ':')) {
			*colon = '\0';
			port = colon + 1;
		}
	}
	return inet_pton_with_scope(&init_net, AF_UNSPEC, at, port ?: "0", addr);
}

/* Copies the value of @key to @value, which has %WORD_MAX bytes; false: not there */
static inline bool words_get(const char *args, const char *key, char *value)
{
	size_t len = strlen(key), n;

	while (args && *args) {
		args = skip_spaces(args);
		n = strcspn(args, " \t\n");
		if (n > len && !strncmp(args, key, len) && args[len] == '=') {
			n = min_t(size_t, n - len - 1, WORD_MAX - 1);
			memcpy(value, args + len + 1, n);
			value[n] = '\0';
			return true;
		}
		args += n;
	}
	return false;
}

static inline u32 words_u32(const char *args, const char *key, u32 otherwise)
{
	char value[WORD_MAX];
	u32 n;

	if (!words_get(args, key, value) || kstrtou32(value, 0, &n))
		return otherwise;
	return n;
}

static inline int words_get_addr(const char *args, const char *key,
				 struct sockaddr_storage *addr)
{
	char value[WORD_MAX];

	if (!words_get(args, key, value))
		value[0] = '\0';
	return words_addr(value, addr);
}

#endif /* RMC_SELFTEST_WORDS_H */
