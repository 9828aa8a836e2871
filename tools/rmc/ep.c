// SPDX-License-Identifier: GPL-2.0
/* rmc ep ...: endpoints. */
#include <stdio.h>
#include <string.h>
#include "rmc.h"

static int need_name(const char *command, int argc, char **argv)
{
	if (argc < 1)
		return usage("ep %s needs the NAME of an endpoint", command);
	if (argc > 1)
		return usage("ep %s: '%s' is one word too many", command, argv[1]);
	return 0;
}

/* Long lines of "keyword value" broken before they get too wide. */
static void settings_lines(struct table *t, const struct endpoint *ep)
{
	char line[256] = "", item[640], data[600];
	int i;

	for (i = 1; i <= RMC_A_SETTINGS_MAX; i++) {
		if (i == RMC_A_SETTINGS_PRIVATE_DATA) {
			if (!ep->private_data_len)
				continue;
			private_data_format(ep->private_data, ep->private_data_len, data,
					    sizeof(data));
			snprintf(item, sizeof(item), "%s %s", setting_name(i), data);
		} else {
			if (ep->settings[i] < 0)
				continue;
			snprintf(item, sizeof(item), "%s %lld", setting_name(i),
				 (long long)ep->settings[i]);
		}
		if (*line && strlen(line) + strlen(item) > 90) {
			table_line(t, "  %s", line);
			*line = '\0';
		}
		if (strlen(item) > 200) {
			table_line(t, "  %s", item);
			continue;
		}
		if (*line)
			strcat(line, "  ");
		strcat(line, item);
	}
	if (*line)
		table_line(t, "  %s", line);
}

static const char *shown(const char * const *names, uint32_t value)
{
	const char *name = name_of(names, value);

	return name ? name : "?";
}

static void ep_row(struct table *t, const struct endpoint *ep, bool settings)
{
	char extra[256] = "", preferred[32] = "";
	uint64_t now = now_ns();
	const struct path *p;
	char src[128], dst[128];
	size_t i;

	if (ep->preferred >= 0)
		snprintf(preferred, sizeof(preferred), ", path %u preferred",
			 (uint32_t)ep->preferred);
	if (ep->consumer[0])
		snprintf(extra, sizeof(extra), ", of %s", ep->consumer);
	table_line(t, "%s: %s for %s%s%s  (%s %s, %s%s%s)", text_safe(ep->name),
		   shown(ep_states, ep->state),
		   text_ms(now > ep->since_ns ? (now - ep->since_ns) / 1000000 : 0),
		   ep->reason.code ? ", " : "", ep->reason.code ? text_reason(&ep->reason) : "",
		   shown(mode_names, ep->mode), shown(role_names, ep->role),
		   shown(policy_names, ep->policy), preferred, extra);
	for (i = 0; i < ep->nr_paths; i++) {
		p = &ep->paths[i];
		addr_format(&p->src, false, src, sizeof(src));
		addr_format(&p->dst, true, dst, sizeof(dst));
		table_cell(t, " %c%u", ep->preferred == (int64_t)p->id ? '*' : ' ', p->id);
		table_cell(t, "%s", shown(path_states, p->state));
		table_cell(t, "%s", text_ms(now > p->since_ns ? (now - p->since_ns) / 1000000 : 0));
		table_cell(t, "%s -> %s", p->src.ss_family ? src : "any", dst);
		table_cell(t, "%s", p->dev[0] ? text_safe(p->dev) : "-");
		table_cell(t, "%s", text_detail(p));
		table_row(t);
		if (opt.stats && p->stats.known)
			table_line(t, "      %s", text_stats(&p->stats));
	}
	if (settings)
		settings_lines(t, ep);
	if (opt.stats && ep->stats.known)
		table_line(t, "  %s", text_stats(&ep->stats));
}

static int ep_show(int argc, char **argv)
{
	struct ep_list list = { 0 };
	struct json_object *out;
	struct nlmsghdr *nlh;
	struct table *t;
	size_t i;
	int rc;

	if (argc > 1)
		return usage("ep show: '%s' is one word too many", argv[1]);
	rc = nl_open();
	if (rc)
		return rc;
	nlh = nl_request(RMC_CMD_EP_GET, !argc);
	if (argc) {
		put_str(nlh, RMC_A_EP_NAME, argv[0]);
		rc = nl_talk(nlh, ep_list_add, &list);
	} else {
		rc = nl_dump(nlh, ep_list_add, ep_list_clear, &list);
	}
	if (rc)
		return rc;
	if (opt.json) {
		out = json_object_new_array();
		for (i = 0; i < list.nr; i++)
			json_object_array_add(out, json_ep(&list.eps[i]));
		json_print(out);
	} else {
		t = table_new();
		for (i = 0; i < list.nr; i++)
			ep_row(t, &list.eps[i], argc || opt.stats);
		table_print(t);
	}
	ep_list_clear(&list);
	return RMC_OK;
}

static int arg_name_of(const char *word, const char * const *names, const char *arg, int *value)
{
	char all[256];

	*value = arg ? name_find(names, arg) : -1;
	if (*value >= 0)
		return 0;
	names_list(names, all, sizeof(all));
	if (!arg)
		return usage("%s needs one of %s", word, all);
	return usage("%s: '%s' is none of %s", word, arg, all);
}

/*
 * The words of add (@add) and set. Settings have a nest of their own and may
 * stand anywhere, so they are collected in a first round and paths in a second;
 * each round steps over what is the other's.
 */
static int settings_round(struct nlmsghdr *nlh, int argc, char **argv, bool add, bool *any)
{
	struct nlattr *nest = nest_start(nlh, RMC_A_EP_SETTINGS);
	bool known;
	int rc;

	while (argc > 0) {
		rc = arg_setting(nlh, &argc, &argv, &known);
		if (rc)
			return rc;
		if (known) {
			*any = true;
			continue;
		}
		/* a word with a value, or one alone */
		known = !strcmp(*argv, "idle") || !strcmp(*argv, "up") || !strcmp(*argv, "down");
		argc -= known ? 1 : 2;
		argv += known ? 1 : 2;
	}
	if (*any)
		mnl_attr_nest_end(nlh, nest);
	else
		mnl_attr_nest_cancel(nlh, nest);
	return 0;
}

static int skip_setting(int *argc, char ***argv, bool *known)
{
	int type;

	for (type = 1; type <= RMC_A_SETTINGS_MAX; type++)
		if (word_is(**argv, setting_name(type)) || word_is(**argv, "detect"))
			break;
	*known = type <= RMC_A_SETTINGS_MAX;
	if (*known) {
		*argc -= 2;
		*argv += 2;
	}
	return 0;
}

static int one_word(struct nlmsghdr *nlh, int *argc, char ***argv, bool add, struct nlattr **path,
		    bool *any)
{
	const char *word = **argv, *arg = *argc > 1 ? (*argv)[1] : NULL;
	bool policy = !strcmp(word, "policy");
	bool known;
	int value, rc;

	if (policy || (add && !strcmp(word, "mode"))) {
		rc = arg_name_of(word, policy ? policy_names : mode_names, arg, &value);
		if (rc)
			return rc;
		/* the nest of a path would swallow it */
		if (*path)
			mnl_attr_nest_end(nlh, *path);
		*path = NULL;
		put_u32(nlh, policy ? RMC_A_EP_POLICY : RMC_A_EP_MODE, value);
		*any = true;
		*argc -= 2;
		*argv += 2;
		return 0;
	}
	if (!strcmp(word, "key"))
		return usage("key: session mode, which has keys, is not in this version");
	if (add && !strcmp(word, "idle")) {
		if (*path)
			mnl_attr_nest_end(nlh, *path);
		*path = NULL;
		put(nlh, RMC_A_EP_IDLE, 0, NULL);
		*argc -= 1;
		*argv += 1;
		return 0;
	}
	if (add && !strcmp(word, "dst")) {
		if (*path)
			mnl_attr_nest_end(nlh, *path);
		return arg_dst(nlh, argc, argv, path);
	}
	if (add && *path) {
		rc = arg_path_word(nlh, argc, argv, &known);
		if (rc || known)
			return rc;
	} else if (add && (!strcmp(word, "src") || !strcmp(word, "priority") ||
			   !strcmp(word, "weight"))) {
		return usage("%s belongs to a path: it comes after its dst", word);
	}
	rc = skip_setting(argc, argv, &known);
	if (rc || known)
		return rc;
	return usage("ep %s: '%s' is unknown, see rmc help", add ? "add" : "set", word);
}

static int ep_change(const char *command, uint8_t cmd, int argc, char **argv)
{
	bool add = cmd == RMC_CMD_EP_NEW, any = false;
	struct nlattr *path = NULL;
	struct nlmsghdr *nlh;
	int rc;

	if (argc < 1)
		return usage("ep %s needs the NAME of an endpoint", command);
	/* words are judged before the kernel is asked, so this needs no module */
	nlh = nl_request(cmd, false);
	put_str(nlh, RMC_A_EP_NAME, argv[0]);
	rc = settings_round(nlh, argc - 1, argv + 1, add, &any);
	if (rc)
		return rc;
	argc--;
	argv++;
	while (argc > 0) {
		rc = one_word(nlh, &argc, &argv, add, &path, &any);
		if (rc)
			return rc;
	}
	if (path)
		mnl_attr_nest_end(nlh, path);
	if (!add && !any)
		return usage("ep set needs something to set");
	rc = nl_open();
	return rc ? rc : nl_talk(nlh, NULL, NULL);
}

static int ep_add(int argc, char **argv)
{
	return ep_change("add", RMC_CMD_EP_NEW, argc, argv);
}

static int ep_set(int argc, char **argv)
{
	return ep_change("set", RMC_CMD_EP_SET, argc, argv);
}

static int by_name(const char *command, uint8_t cmd, int argc, char **argv)
{
	struct nlmsghdr *nlh;
	int rc;

	rc = need_name(command, argc, argv);
	if (!rc)
		rc = nl_open();
	if (rc)
		return rc;
	nlh = nl_request(cmd, false);
	put_str(nlh, RMC_A_EP_NAME, argv[0]);
	return nl_talk(nlh, NULL, NULL);
}

static int ep_del(int argc, char **argv)
{
	return by_name("del", RMC_CMD_EP_DEL, argc, argv);
}

static int ep_connect(int argc, char **argv)
{
	return by_name("connect", RMC_CMD_EP_CONNECT, argc, argv);
}

static int ep_disconnect(int argc, char **argv)
{
	return by_name("disconnect", RMC_CMD_EP_DISCONNECT, argc, argv);
}

static int ep_help(int argc, char **argv);

static const struct command commands[] = {
	{ "show",	ep_show },
	{ "list",	ep_show },
	{ "add",	ep_add },
	{ "set",	ep_set },
	{ "del",	ep_del },
	{ "delete",	ep_del },
	{ "connect",	ep_connect },
	{ "disconnect",	ep_disconnect },
	{ "help",	ep_help },
	{ }
};

static int ep_help(int argc, char **argv)
{
	puts("usage: rmc ep show [NAME]\n"
	     "       rmc ep add NAME [mode session|verbs] [policy POLICY] [SETTING VALUE]... [idle]\n"
	     "                  [dst ADDR:PORT [src ADDR] [priority N] [weight N] [up|down]]...\n"
	     "       rmc ep set NAME [policy POLICY] [SETTING VALUE]...\n"
	     "       rmc ep connect|disconnect|del NAME");
	return RMC_OK;
}

int do_ep(int argc, char **argv)
{
	return argc ? command_run("ep", commands, argc, argv) : ep_show(0, NULL);
}
