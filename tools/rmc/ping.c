// SPDX-License-Identifier: GPL-2.0
/* rmc ping: probe round trips, one at a time. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "rmc.h"

struct ping {
	const char	*ep;
	uint32_t	count;		/* 0: until a signal */
	uint32_t	timeout_ms;
	uint64_t	interval_ns;
	bool		has_path;
	uint32_t	path;

	uint32_t	sent, received;
	uint64_t	min_ns, max_ns, sum_ns;
	/* of the last answer */
	uint64_t	rtt_ns;
	uint32_t	over;
};

/* lock-free, so a signal handler may write it */
static atomic_bool stop;

static void on_signal(int sig)
{
	stop = true;
}

static int on_answer(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *tb[RMC_A_PING_MAX + 1];
	struct ping *p = data;

	parse_message(nlh, tb, RMC_A_PING_MAX);
	if (tb[RMC_A_PING_RTT_NS])
		memcpy(&p->rtt_ns, mnl_attr_get_payload(tb[RMC_A_PING_RTT_NS]), sizeof(p->rtt_ns));
	if (tb[RMC_A_PING_PATH])
		p->over = mnl_attr_get_u32(tb[RMC_A_PING_PATH]);
	return 0;
}

/* 0, or the exit status where going on makes no sense. */
static int ping_once(struct ping *p, const sigset_t *blocked, const sigset_t *unblocked)
{
	struct nlmsghdr *nlh = nl_request(RMC_CMD_PING, false);
	char why[1024] = "";
	int err;

	put_str(nlh, RMC_A_PING_EP, p->ep);
	if (p->has_path)
		put_u32(nlh, RMC_A_PING_PATH, p->path);
	put_u32(nlh, RMC_A_PING_TIMEOUT_MS, p->timeout_ms);
	p->rtt_ns = 0;
	/* a signal ends the wait for an answer, too */
	sigprocmask(SIG_SETMASK, unblocked, NULL);
	err = nl_try(nlh, on_answer, p, why, sizeof(why));
	sigprocmask(SIG_BLOCK, blocked, NULL);
	if (err == -EINTR && stop)
		return 0;
	p->sent++;
	switch (err) {
	case 0:
		p->received++;
		p->sum_ns += p->rtt_ns;
		if (p->received == 1 || p->rtt_ns < p->min_ns)
			p->min_ns = p->rtt_ns;
		if (p->rtt_ns > p->max_ns)
			p->max_ns = p->rtt_ns;
		if (!opt.json)
			printf("answer over path %u: seq=%u time=%.3f ms\n", p->over, p->sent,
			       p->rtt_ns / 1e6);
		break;
	case -ETIMEDOUT:
	case -ENOTCONN:
	case -EBUSY:
	case -EINTR:
	case -EIO:
		/* a path may come back while this goes on */
		if (!opt.json)
			printf("seq=%u lost: %s\n", p->sent, why);
		break;
	default:
		fprintf(stderr, "rmc: %s\n", why);
		return RMC_FAILED;
	}
	fflush(stdout);
	return 0;
}

/* Microseconds with what fraction there is. */
static struct json_object *usec(const struct ping *p, uint64_t ns)
{
	char text[32];

	if (!p->received)
		return NULL;
	snprintf(text, sizeof(text), "%.1f", ns / 1e3);
	return json_object_new_double_s(ns / 1e3, text);
}

static void report_json(const struct ping *p)
{
	struct json_object *o = json_object_new_object(), *rtt = json_object_new_object();

	json_object_object_add(o, "ep", json_object_new_string(p->ep));
	json_object_object_add(o, "sent", json_object_new_int64(p->sent));
	json_object_object_add(o, "received", json_object_new_int64(p->received));
	json_object_object_add(rtt, "min", usec(p, p->min_ns));
	json_object_object_add(rtt, "avg", usec(p, p->received ? p->sum_ns / p->received : 0));
	json_object_object_add(rtt, "max", usec(p, p->max_ns));
	json_object_object_add(o, "rtt_us", rtt);
	json_print(o);
}

static void report_text(const struct ping *p)
{
	printf("--- %s ---\n%u probes sent, %u answered, %u%% lost\n", text_safe(p->ep), p->sent,
	       p->received, p->sent ? (p->sent - p->received) * 100 / p->sent : 0);
	if (p->received)
		printf("rtt min/avg/max = %.3f/%.3f/%.3f ms\n", p->min_ns / 1e6,
		       p->sum_ns / 1e6 / p->received, p->max_ns / 1e6);
}

static void wait_until(uint64_t when, const sigset_t *unblocked)
{
	uint64_t now = now_ns();
	struct timespec t;

	if (now >= when)
		return;
	t.tv_sec = (when - now) / 1000000000;
	t.tv_nsec = (when - now) % 1000000000;
	ppoll(NULL, 0, &t, unblocked);
}

static int parse(struct ping *p, int argc, char **argv)
{
	double seconds;
	char *end;
	int rc;

	while (argc > 0) {
		const char *word = argv[0], *arg = argc > 1 ? argv[1] : NULL;

		if (!strcmp(word, "-c")) {
			rc = arg_u32(word, arg, &p->count);
			if (!rc && !p->count)
				rc = usage("-c: at least 1");
		} else if (!strcmp(word, "-W")) {
			rc = arg_u32(word, arg, &p->timeout_ms);
		} else if (!strcmp(word, "-i")) {
			seconds = arg ? strtod(arg, &end) : -1;
			rc = 0;
			if (!arg || end == arg || *end || !(seconds >= 0 && seconds <= 86400))
				rc = usage("-i needs a number of seconds");
			else
				p->interval_ns = seconds * 1e9;
		} else if (!strcmp(word, "path")) {
			rc = arg_u32(word, arg, &p->path);
			p->has_path = true;
		} else if (!p->ep && word[0] != '-') {
			p->ep = word;
			argc--;
			argv++;
			continue;
		} else {
			return usage("ping: '%s' is unknown, see rmc help", word);
		}
		if (rc)
			return rc;
		argc -= 2;
		argv += 2;
	}
	return p->ep ? 0 : usage("ping needs the name of an EP");
}

int do_ping(int argc, char **argv)
{
	struct ping p = { .timeout_ms = 1000, .interval_ns = 1000000000 };
	struct sigaction sa = { .sa_handler = on_signal };
	sigset_t block, old;
	uint64_t next;
	int rc;

	if (argc == 1 && !strcmp(argv[0], "help")) {
		puts("usage: rmc ping EP [path ID] [-c COUNT] [-i SECONDS] [-W MILLISECONDS]");
		return RMC_OK;
	}
	rc = parse(&p, argc, argv);
	if (!rc)
		rc = nl_open();
	if (rc)
		return rc;

	/* blocked except in waits, so that none comes between a check and its wait */
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &old);
	sigdelset(&old, SIGINT);
	sigdelset(&old, SIGTERM);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);

	next = now_ns();
	while (!stop) {
		rc = ping_once(&p, &block, &old);
		if (rc)
			return rc;
		if (stop || (p.count && p.sent == p.count))
			break;
		next += p.interval_ns;
		wait_until(next, &old);
	}
	if (opt.json)
		report_json(&p);
	else
		report_text(&p);
	return p.received == p.sent ? RMC_OK : RMC_FAILED;
}
