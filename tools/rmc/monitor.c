// SPDX-License-Identifier: GPL-2.0
/* rmc monitor: changes of state as they happen, a line each. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <linux/genetlink.h>
#include "rmc.h"

/* lock-free, so a signal handler may write it */
static atomic_bool stop;

static void on_signal(int sig)
{
	stop = true;
}

static const char * const kinds[] = {
	[RMC_EVENT_KIND_EP] = "ep",
	[RMC_EVENT_KIND_PATH] = "path",
	[RMC_EVENT_KIND_CONN] = "conn",
	NULL
};

static const char * const * const states[] = {
	[RMC_EVENT_KIND_EP] = ep_states,
	[RMC_EVENT_KIND_PATH] = path_states,
	[RMC_EVENT_KIND_CONN] = conn_states,
};

/*
 * By people's clock, but compared with the kernel's only once: a correction of
 * it must not put lines out of order.
 */
static void print_clock(uint64_t ts_ns)
{
	static uint64_t offset;
	struct timespec now;
	uint64_t real;
	struct tm tm;
	time_t s;

	if (!offset) {
		clock_gettime(CLOCK_REALTIME, &now);
		offset = now.tv_sec * 1000000000ull + now.tv_nsec - now_ns();
	}
	real = ts_ns + offset;
	s = real / 1000000000;
	localtime_r(&s, &tm);
	printf("%02d:%02d:%02d.%06u  ", tm.tm_hour, tm.tm_min, tm.tm_sec,
	       (unsigned int)(real % 1000000000 / 1000));
}

static void add_u32(struct json_object *o, const char *key, const struct nlattr *attr)
{
	json_object_object_add(o, key, attr ? json_object_new_int64(mnl_attr_get_u32(attr)) : NULL);
}

static void print_json(const struct nlattr **tb, uint64_t ts_ns, uint32_t kind,
		       const struct reason *reason)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "ts_ns", json_object_new_int64(ts_ns));
	json_object_object_add(o, "type", json_object_new_string(kinds[kind]));
	json_object_object_add(o, "ep",
			       json_object_new_string(mnl_attr_get_str(tb[RMC_A_EVENT_EP])));
	add_u32(o, "path", tb[RMC_A_EVENT_PATH]);
	if (kind != RMC_EVENT_KIND_EP)
		add_u32(o, "generation", tb[RMC_A_EVENT_GENERATION]);
	if (kind == RMC_EVENT_KIND_CONN)
		add_u32(o, "conn", tb[RMC_A_EVENT_CONN]);
	json_object_object_add(o, "from",
			       json_name(states[kind], mnl_attr_get_u32(tb[RMC_A_EVENT_FROM])));
	json_object_object_add(o, "to",
			       json_name(states[kind], mnl_attr_get_u32(tb[RMC_A_EVENT_TO])));
	json_object_object_add(o, "reason", json_reason(reason));
	json_print(o);
}

static void print_text(const struct nlattr **tb, uint64_t ts_ns, uint32_t kind,
		       const struct reason *reason)
{
	const char *from = name_of(states[kind], mnl_attr_get_u32(tb[RMC_A_EVENT_FROM]));
	const char *to = name_of(states[kind], mnl_attr_get_u32(tb[RMC_A_EVENT_TO]));

	print_clock(ts_ns);
	printf("%-4s  %s", kinds[kind], text_safe(mnl_attr_get_str(tb[RMC_A_EVENT_EP])));
	if (tb[RMC_A_EVENT_PATH])
		printf(" path %u", mnl_attr_get_u32(tb[RMC_A_EVENT_PATH]));
	if (tb[RMC_A_EVENT_CONN])
		printf(" conn %u", mnl_attr_get_u32(tb[RMC_A_EVENT_CONN]));
	if (tb[RMC_A_EVENT_GENERATION])
		printf(" generation %u", mnl_attr_get_u32(tb[RMC_A_EVENT_GENERATION]));
	printf(": %s -> %s", from ? from : "?", to ? to : "?");
	if (reason->code != RMC_REASON_NONE)
		printf(", %s", text_reason(reason));
	putchar('\n');
	fflush(stdout);
}

static void on_event(const struct nlmsghdr *nlh, unsigned int wanted)
{
	const struct nlattr *tb[RMC_A_EVENT_MAX + 1];
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	struct reason reason;
	uint64_t ts_ns;
	uint32_t kind;

	if (nlh->nlmsg_type < NLMSG_MIN_TYPE || genl->cmd != RMC_CMD_EVENT)
		return;
	parse_message(nlh, tb, RMC_A_EVENT_MAX);
	if (!tb[RMC_A_EVENT_TS_NS] || !tb[RMC_A_EVENT_KIND] || !tb[RMC_A_EVENT_EP] ||
	    !tb[RMC_A_EVENT_FROM] || !tb[RMC_A_EVENT_TO])
		return;
	kind = mnl_attr_get_u32(tb[RMC_A_EVENT_KIND]);
	if (kind > RMC_EVENT_KIND_CONN || !(wanted & (1u << kind)))
		return;
	memcpy(&ts_ns, mnl_attr_get_payload(tb[RMC_A_EVENT_TS_NS]), sizeof(ts_ns));
	reason_read(tb[RMC_A_EVENT_REASON], &reason);
	if (opt.json)
		print_json(tb, ts_ns, kind, &reason);
	else
		print_text(tb, ts_ns, kind, &reason);
}

/* This was too slow and some events are lost; what follows is whole again. */
static void overrun(void)
{
	struct json_object *o;

	if (!opt.json) {
		print_clock(now_ns());
		puts("events were lost");
		fflush(stdout);
		return;
	}
	o = json_object_new_object();
	json_object_object_add(o, "ts_ns", json_object_new_int64(now_ns()));
	json_object_object_add(o, "type", json_object_new_string("overrun"));
	json_print(o);
}

static int watch(unsigned int wanted, const sigset_t *unblocked)
{
	struct pollfd pfd = { .fd = nl_fd(), .events = POLLIN };
	const struct nlmsghdr *nlh;
	ssize_t got;
	void *buf;
	int len;

	while (!stop) {
		/* signals come only here, so none is missed between check and wait */
		if (ppoll(&pfd, 1, NULL, unblocked) < 0)
			continue;
		got = nl_receive(&buf);
		if (got < 0 && errno == ENOBUFS) {
			overrun();
			continue;
		}
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			fprintf(stderr, "rmc: monitor: %s\n", strerror(errno));
			return RMC_FAILED;
		}
		len = got;
		for (nlh = buf; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len))
			on_event(nlh, wanted);
		/* the reader of a pipe may be gone */
		if (ferror(stdout))
			return RMC_FAILED;
	}
	return RMC_OK;
}

int do_monitor(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };
	unsigned int wanted = 7;
	sigset_t block, old;
	int kind, rc;

	if (argc > 1)
		return usage("monitor: '%s' is one word too many", argv[1]);
	if (argc && !strcmp(argv[0], "help")) {
		puts("usage: rmc monitor [ep|path|conn|all]");
		return RMC_OK;
	}
	if (argc && strcmp(argv[0], "all")) {
		kind = name_find(kinds, argv[0]);
		if (kind < 0)
			return usage("monitor: '%s' is none of ep, path, conn, all", argv[0]);
		wanted = 1u << kind;
	}

	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &old);
	/* a shell starts what is in the background with SIGINT ignored */
	sigdelset(&old, SIGINT);
	sigdelset(&old, SIGTERM);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);

	rc = nl_open();
	if (!rc)
		rc = nl_join_events();
	return rc ? rc : watch(wanted, &old);
}
