// SPDX-License-Identifier: GPL-2.0
/* rmc path ...: paths of endpoints. */
#include <stdio.h>
#include <string.h>
#include "rmc.h"

static void path_row(struct table *t, const struct path *p)
{
	const char *state = name_of(path_states, p->state);
	uint64_t now = now_ns();
	char src[128], dst[128];

	addr_format(&p->src, false, src, sizeof(src));
	addr_format(&p->dst, true, dst, sizeof(dst));
	table_cell(t, "%s", text_safe(p->ep));
	table_cell(t, "%u", p->id);
	table_cell(t, "%s", state ? state : "?");
	table_cell(t, "%s", text_ms(now > p->since_ns ? (now - p->since_ns) / 1000000 : 0));
	table_cell(t, "%s", p->src.ss_family ? src : "any");
	table_cell(t, "%s", dst);
	table_cell(t, "%s", p->dev[0] ? text_safe(p->dev) : "-");
	table_cell(t, "%s", text_detail(p));
	table_row(t);
}

static const char *probing(const struct path *p)
{
	const char *name = name_of(probe_names, p->probe);
	static char buf[64];

	if (p->probe_interval_ms)
		snprintf(buf, sizeof(buf), "%s every %ums", name ? name : "?",
			 p->probe_interval_ms);
	else
		snprintf(buf, sizeof(buf), "%s", name ? name : "?");
	return buf;
}

static const char *number(int64_t value)
{
	static char buf[4][24];
	static unsigned int next;
	char *b = buf[next++ % 4];

	if (value < 0)
		return "-";
	snprintf(b, sizeof(buf[0]), "%lld", (long long)value);
	return b;
}

/* With -s: everything that one line has no room for. */
static void path_more(struct table *t, const struct path *p)
{
	table_line(t, "    generation %u  attempts %llu  conns_up %u  priority %u  weight %u",
		   p->generation, (unsigned long long)p->attempts, p->conns_up, p->priority,
		   p->weight);
	table_line(t, "    detect_ms %u  probe %s  ack_timeout %u  depth %s  connect %s",
		   p->detect_ms, probing(p), p->ack_timeout, number(p->depth),
		   p->connect_us < 0 ? "-" : text_us(p->connect_us));
	table_line(t, "    usable_private_data %s  inflight %u", number(p->usable_private_data),
		   p->inflight);
	if (p->stats.known)
		table_line(t, "    %s", text_stats(&p->stats));
}

static void print_text(const struct path_list *list)
{
	static const char * const heads[] = {
		"EP", "ID", "STATE", "FOR", "SOURCE", "DESTINATION", "DEVICE", "DETAIL"
	};
	struct table *t = table_new();
	size_t i;

	for (i = 0; list->nr && i < ARRAY_SIZE(heads); i++)
		table_cell(t, "%s", heads[i]);
	if (list->nr)
		table_row(t);
	for (i = 0; i < list->nr; i++) {
		path_row(t, &list->paths[i]);
		if (opt.stats)
			path_more(t, &list->paths[i]);
	}
	table_print(t);
}

/*
 * The paths of one endpoint come with it in one answer. A dump could be asked
 * for them too, but when that fails 6.1 does not tell the position.
 */
static int get_of(const char *name, struct path_list *list)
{
	struct nlmsghdr *nlh = nl_request(RMC_CMD_EP_GET, false);
	struct ep_list eps = { 0 };
	int rc;

	put_str(nlh, RMC_A_EP_NAME, name);
	rc = nl_talk(nlh, ep_list_add, &eps);
	if (!rc && eps.nr) {
		list->nr = eps.eps[0].nr_paths;
		list->paths = eps.eps[0].paths;
		eps.eps[0].paths = NULL;
	}
	ep_list_clear(&eps);
	return rc;
}

static int path_show(int argc, char **argv)
{
	struct path_list list = { 0 };
	struct json_object *out;
	size_t i;
	int rc;

	if (argc > 1)
		return usage("path show: '%s' is one word too many", argv[1]);
	rc = nl_open();
	if (rc)
		return rc;
	if (argc)
		rc = get_of(argv[0], &list);
	else
		rc = nl_dump(nl_request(RMC_CMD_PATH_GET, true), path_list_add, path_list_clear,
			     &list);
	if (rc)
		return rc;
	if (opt.json) {
		out = json_object_new_array();
		for (i = 0; i < list.nr; i++)
			json_object_array_add(out, json_path(&list.paths[i]));
		json_print(out);
	} else {
		print_text(&list);
	}
	path_list_clear(&list);
	return RMC_OK;
}

static int path_add(int argc, char **argv)
{
	struct nlmsghdr *nlh = nl_request(RMC_CMD_PATH_NEW, false);
	struct nlattr *nest;
	bool known;
	int rc;

	if (argc < 1)
		return usage("path add needs the name of an EP");
	put_str(nlh, RMC_A_EP_NAME, argv[0]);
	argc--;
	argv++;
	if (argc < 1 || strcmp(*argv, "dst"))
		return usage("path add: the first word about a path is dst");
	rc = arg_dst(nlh, &argc, &argv, &nest);
	while (!rc && argc > 0) {
		rc = arg_path_word(nlh, &argc, &argv, &known);
		if (!rc && !known)
			return usage("path add: '%s' is unknown, see rmc help", *argv);
	}
	if (rc)
		return rc;
	mnl_attr_nest_end(nlh, nest);
	rc = nl_open();
	return rc ? rc : nl_talk(nlh, NULL, NULL);
}

/* EP ID, which begin the words of set and del; opens the nest. */
static int path_ref(const char *command, struct nlmsghdr *nlh, int *argc, char ***argv,
		    struct nlattr **nest)
{
	uint32_t id;
	int rc;

	if (*argc < 2)
		return usage("path %s needs an EP and the ID of its path", command);
	rc = arg_u32("ID", (*argv)[1], &id);
	if (rc)
		return rc;
	put_str(nlh, RMC_A_EP_NAME, (*argv)[0]);
	*nest = nest_start(nlh, RMC_A_EP_PATH);
	put_u32(nlh, RMC_A_PATH_ID, id);
	*argc -= 2;
	*argv += 2;
	return 0;
}

static int path_set(int argc, char **argv)
{
	struct nlmsghdr *nlh = nl_request(RMC_CMD_PATH_SET, false);
	struct nlattr *nest;
	bool known;
	int rc;

	rc = path_ref("set", nlh, &argc, &argv, &nest);
	if (rc)
		return rc;
	if (!argc)
		return usage("path set needs something to set: up, down, priority N or weight N");
	while (argc > 0) {
		if (!strcmp(*argv, "src"))
			return usage("path set: the addresses of a path cannot be changed");
		rc = arg_path_word(nlh, &argc, &argv, &known);
		if (rc)
			return rc;
		if (!known)
			return usage("path set: '%s' is unknown, see rmc help", *argv);
	}
	mnl_attr_nest_end(nlh, nest);
	rc = nl_open();
	return rc ? rc : nl_talk(nlh, NULL, NULL);
}

static int path_del(int argc, char **argv)
{
	struct nlmsghdr *nlh = nl_request(RMC_CMD_PATH_DEL, false);
	struct nlattr *nest;
	int rc;

	rc = path_ref("del", nlh, &argc, &argv, &nest);
	if (rc)
		return rc;
	if (argc)
		return usage("path del: '%s' is one word too many", *argv);
	mnl_attr_nest_end(nlh, nest);
	rc = nl_open();
	return rc ? rc : nl_talk(nlh, NULL, NULL);
}

static int path_help(int argc, char **argv)
{
	puts("usage: rmc path show [EP]\n"
	     "       rmc path add EP dst ADDR:PORT [src ADDR] [priority N] [weight N] [up|down]\n"
	     "       rmc path set EP ID [up|down] [priority N] [weight N]\n"
	     "       rmc path del EP ID");
	return RMC_OK;
}

static const struct command commands[] = {
	{ "show",	path_show },
	{ "list",	path_show },
	{ "add",	path_add },
	{ "set",	path_set },
	{ "del",	path_del },
	{ "delete",	path_del },
	{ "help",	path_help },
	{ }
};

int do_path(int argc, char **argv)
{
	return argc ? command_run("path", commands, argc, argv) : path_show(0, NULL);
}
