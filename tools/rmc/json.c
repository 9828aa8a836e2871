// SPDX-License-Identifier: GPL-2.0
/* The JSON of the contract: always a list, null for what is not known. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "rmc.h"

void json_print(struct json_object *object)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;

	flags |= opt.pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED :
			      JSON_C_TO_STRING_PLAIN;
	puts(json_object_to_json_string_ext(object, flags));
	fflush(stdout);
	json_object_put(object);
}

static void add_int(struct json_object *o, const char *key, int64_t value)
{
	json_object_object_add(o, key, json_object_new_int64(value));
}

/* Not known below zero. */
static void add_known(struct json_object *o, const char *key, int64_t value)
{
	json_object_object_add(o, key, value < 0 ? NULL : json_object_new_int64(value));
}

static void add_str(struct json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, value && *value ? json_object_new_string(value) : NULL);
}

struct json_object *json_name(const char * const *names, uint32_t value)
{
	const char *name = name_of(names, value);

	return name ? json_object_new_string(name) : NULL;
}

struct json_object *json_reason(const struct reason *reason)
{
	struct json_object *o;

	if (reason->code == RMC_REASON_NONE)
		return NULL;
	o = json_object_new_object();
	add_int(o, "code", reason->code);
	json_object_object_add(o, "name", json_name(reason_names, reason->code));
	add_int(o, "errno", reason->err);
	add_int(o, "rej", reason->rej);
	return o;
}

const char *stat_name(int type)
{
	static const char * const names[RMC_A_STATS_MAX + 1] = {
		[RMC_A_STATS_ATTEMPTS]		= "attempts",
		[RMC_A_STATS_FAILURES]		= "failures",
		[RMC_A_STATS_CONNECTS]		= "connects",
		[RMC_A_STATS_LOSSES]		= "losses",
		[RMC_A_STATS_PROBES]		= "probes",
		[RMC_A_STATS_PROBE_ERRORS]	= "probe_errors",
		[RMC_A_STATS_SUSPECTS]		= "suspects",
		[RMC_A_STATS_STALLS]		= "stalls",
		[RMC_A_STATS_WAKEUPS]		= "wakeups",
		[RMC_A_STATS_BAD_EVENTS]	= "bad_events",
		[RMC_A_STATS_ORPHANS]		= "orphans",
	};

	return names[type];
}

static struct json_object *json_stats(const struct stats *stats)
{
	struct json_object *o;
	int i;

	if (!stats->known)
		return NULL;
	o = json_object_new_object();
	for (i = 1; i <= RMC_A_STATS_MAX; i++)
		if (stat_name(i))
			add_int(o, stat_name(i), stats->value[i]);
	return o;
}

/* As it can be typed: text, or hex: where that would be misread. */
void private_data_format(const uint8_t *data, size_t len, char *buf, size_t size)
{
	bool text = len < 4 || memcmp(data, "hex:", 4);
	size_t i;

	for (i = 0; i < len; i++)
		text &= data[i] < 0x80 && isgraph(data[i]);
	if (text) {
		snprintf(buf, size, "%.*s", (int)len, (const char *)data);
		return;
	}
	snprintf(buf, size, "hex:");
	for (i = 0; i < len; i++)
		snprintf(buf + 4 + 2 * i, size - 4 - 2 * i, "%02x", data[i]);
}

static struct json_object *json_settings(const struct endpoint *ep)
{
	struct json_object *o = json_object_new_object();
	char data[600];
	int i;

	for (i = 1; i < RMC_A_SETTINGS_PRIVATE_DATA; i++)
		add_known(o, setting_name(i), ep->settings[i]);
	private_data_format(ep->private_data, ep->private_data_len, data, sizeof(data));
	add_str(o, setting_name(RMC_A_SETTINGS_PRIVATE_DATA), data);
	return o;
}

static void add_addr(struct json_object *o, const char *key, const struct sockaddr_storage *addr,
		     bool port)
{
	char text[128];

	if (addr->ss_family == AF_UNSPEC) {
		json_object_object_add(o, key, NULL);
		return;
	}
	addr_format(addr, port, text, sizeof(text));
	json_object_object_add(o, key, json_object_new_string(text));
}

static int64_t since_ms(uint64_t since_ns)
{
	uint64_t now = now_ns();

	if (!since_ns)
		return -1;
	return now > since_ns ? (now - since_ns) / 1000000 : 0;
}

static void fill_path(struct json_object *o, const struct path *p)
{
	add_int(o, "id", p->id);
	add_addr(o, "src", &p->src, false);
	add_addr(o, "dst", &p->dst, true);
	add_str(o, "dev", p->dev);
	json_object_object_add(o, "state", json_name(path_states, p->state));
	json_object_object_add(o, "reason", json_reason(&p->reason));
	add_int(o, "generation", p->generation);
	add_int(o, "attempts", p->attempts);
	add_int(o, "failures", p->failures);
	add_int(o, "detect_ms", p->detect_ms);
	json_object_object_add(o, "probe", json_name(probe_names, p->probe));
	add_int(o, "probe_interval_ms", p->probe_interval_ms);
	add_known(o, "usable_private_data", p->usable_private_data);
	add_known(o, "rtt_us", p->rtt_us);
	add_known(o, "connect_us", p->connect_us);
	add_int(o, "inflight", p->inflight);
	add_known(o, "up_ms", p->up_ms);
	add_known(o, "wait_ms", p->wait_ms);
	add_known(o, "since_ms", since_ms(p->since_ns));
	add_int(o, "ack_timeout", p->ack_timeout);
	add_known(o, "depth", p->depth);
	add_int(o, "priority", p->priority);
	add_int(o, "weight", p->weight);
	json_object_object_add(o, "down", json_object_new_boolean(p->down));
	add_int(o, "conns_up", p->conns_up);
	add_int(o, "orphans", p->orphans);
	json_object_object_add(o, "stats", json_stats(&p->stats));
}

/* Of "path show": says whose path it is. */
struct json_object *json_path(const struct path *p)
{
	struct json_object *o = json_object_new_object();

	add_str(o, "ep", p->ep);
	fill_path(o, p);
	return o;
}

struct json_object *json_ep(const struct endpoint *ep)
{
	struct json_object *o = json_object_new_object(), *paths = json_object_new_array(), *p;
	size_t i;

	add_str(o, "name", ep->name);
	add_int(o, "id", ep->id);
	json_object_object_add(o, "mode", json_name(mode_names, ep->mode));
	json_object_object_add(o, "role", json_name(role_names, ep->role));
	json_object_object_add(o, "state", json_name(ep_states, ep->state));
	json_object_object_add(o, "reason", json_reason(&ep->reason));
	add_known(o, "since_ms", since_ms(ep->since_ns));
	json_object_object_add(o, "policy", json_name(policy_names, ep->policy));
	add_known(o, "preferred", ep->preferred);
	add_str(o, "consumer", ep->consumer);
	json_object_object_add(o, "settings", json_settings(ep));
	for (i = 0; i < ep->nr_paths; i++) {
		p = json_object_new_object();
		fill_path(p, &ep->paths[i]);
		json_object_array_add(paths, p);
	}
	json_object_object_add(o, "paths", paths);
	json_object_object_add(o, "stats", json_stats(&ep->stats));
	return o;
}
