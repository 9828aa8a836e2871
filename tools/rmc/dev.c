// SPDX-License-Identifier: GPL-2.0
/* rmc dev ...: the devices that rmc may use. */
#include <stdio.h>
#include <string.h>
#include "rmc.h"

struct dev_out {
	struct json_object	*json;
};

static void dev_restart(void *data)
{
	struct dev_out *out = data;

	if (out->json)
		json_object_put(out->json);
	out->json = json_object_new_array();
}

static uint32_t number(const struct nlattr *attr)
{
	return attr ? mnl_attr_get_u32(attr) : 0;
}

static int on_dev(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *tb[RMC_A_DEV_MAX + 1];
	struct dev_out *out = data;
	struct json_object *o;

	parse_message(nlh, tb, RMC_A_DEV_MAX);
	if (!tb[RMC_A_DEV_NAME])
		return 0;
	o = json_object_new_object();
	json_object_object_add(o, "dev",
			       json_object_new_string(mnl_attr_get_str(tb[RMC_A_DEV_NAME])));
	json_object_object_add(o, "state", json_name(dev_states, number(tb[RMC_A_DEV_STATE])));
	json_object_object_add(o, "paths", json_object_new_int64(number(tb[RMC_A_DEV_PATHS])));
	json_object_object_add(o, "attempts_per_s",
			       json_object_new_int64(number(tb[RMC_A_DEV_ATTEMPTS_PER_S])));
	json_object_object_add(o, "probes_per_s",
			       json_object_new_int64(number(tb[RMC_A_DEV_PROBES_PER_S])));
	json_object_object_add(o, "orphans", json_object_new_int64(number(tb[RMC_A_DEV_ORPHANS])));
	json_object_object_add(o, "attempts_waiting",
			       json_object_new_int64(number(tb[RMC_A_DEV_ATTEMPTS_WAITING])));
	json_object_array_add(out->json, o);
	return 0;
}

static void print_text(struct json_object *list)
{
	static const char * const keys[] = {
		"dev", "state", "paths", "attempts_per_s", "probes_per_s", "attempts_waiting",
		"orphans"
	};
	static const char * const heads[] = {
		"DEVICE", "STATE", "PATHS", "ATTEMPTS/S", "PROBES/S", "WAITING", "ORPHANS"
	};
	struct table *t = table_new();
	struct json_object *dev, *v;
	size_t i, k;

	for (k = 0; json_object_array_length(list) && k < ARRAY_SIZE(heads); k++)
		table_cell(t, "%s", heads[k]);
	if (k)
		table_row(t);
	for (i = 0; i < json_object_array_length(list); i++) {
		dev = json_object_array_get_idx(list, i);
		for (k = 0; k < ARRAY_SIZE(keys); k++) {
			v = json_object_object_get(dev, keys[k]);
			table_cell(t, "%s", v ? text_safe(json_object_get_string(v)) : "-");
		}
		table_row(t);
	}
	table_print(t);
}

static int dev_show(int argc, char **argv)
{
	struct dev_out out = { NULL };
	int rc;

	if (argc)
		return usage("dev show: '%s' is one word too many", argv[0]);
	rc = nl_open();
	if (!rc)
		rc = nl_dump(nl_request(RMC_CMD_DEV_GET, true), on_dev, dev_restart, &out);
	if (rc)
		return rc;
	if (opt.json) {
		json_print(out.json);
		return RMC_OK;
	}
	print_text(out.json);
	json_object_put(out.json);
	return RMC_OK;
}

static int dev_help(int argc, char **argv)
{
	puts("usage: rmc dev show");
	return RMC_OK;
}

static const struct command commands[] = {
	{ "show",	dev_show },
	{ "list",	dev_show },
	{ "help",	dev_help },
	{ }
};

int do_dev(int argc, char **argv)
{
	return argc ? command_run("dev", commands, argc, argv) : dev_show(0, NULL);
}
