// SPDX-License-Identifier: GPL-2.0
/* Options, and which object the command is about. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "rmc.h"

struct options opt;

static const char help_text[] =
	"usage: rmc [OPTIONS] ep show [NAME]\n"
	"       rmc [OPTIONS] ep add NAME [mode session|verbs] [policy POLICY] [SETTING VALUE]... [idle]\n"
	"                     [dst ADDR:PORT [src ADDR] [priority N] [weight N] [up|down]]...\n"
	"       rmc [OPTIONS] ep set NAME [policy POLICY] [SETTING VALUE]...\n"
	"       rmc [OPTIONS] ep connect|disconnect|del NAME\n"
	"       rmc [OPTIONS] path show [EP]\n"
	"       rmc [OPTIONS] path add EP dst ADDR:PORT [src ADDR] [priority N] [weight N] [up|down]\n"
	"       rmc [OPTIONS] path set EP ID [up|down] [priority N] [weight N]\n"
	"       rmc [OPTIONS] path del EP ID\n"
	"       rmc [OPTIONS] dev show\n"
	"       rmc [OPTIONS] monitor [ep|path|conn|all]\n"
	"       rmc [OPTIONS] ping EP [path ID] [-c COUNT] [-i SECONDS] [-W MILLISECONDS]\n"
	"OPTIONS: -j JSON, -p pretty, -s statistics, -n NETNS, -V version, -h help\n"
	"POLICY:  min-inflight round-robin min-latency weighted failover\n"
	"SETTING: connect_ms fail_fast_ms loss_ms max_attempts backoff_min_ms backoff_max_ms detect_ms\n"
	"         conns depth tos ack_timeout rnr_timer retry_count private_data; detect is detect_ms\n"
	"private_data is a TEXT, or hex:0102ff for any bytes.\n"
	"ADDR:    10.9.0.2:4420, [fd09::2]:4420, [fe80::1%eth0]:4420; a src has no port.\n"
	"Exit status: 0; 1 the kernel refused, or a ping was lost; 2 usage.\n";

static int do_help(int argc, char **argv)
{
	fputs(help_text, stdout);
	return RMC_OK;
}

static int not_yet(int argc, char **argv)
{
	return usage("%s is not in this version", argv[-1]);
}

static const struct command objects[] = {
	{ "ep",		do_ep },
	{ "path",	do_path },
	{ "dev",	do_dev },
	{ "monitor",	do_monitor },
	{ "ping",	do_ping },
	{ "help",	do_help },
	{ "listen",	not_yet },
	{ "perf",	not_yet },
	{ "conf",	not_yet },
	{ "metrics",	not_yet },
	{ }
};

static int say_commands(const char *object, const struct command *table, FILE *to)
{
	fprintf(to, "%s: one of", object);
	for (; table->name; table++)
		if (table->run != not_yet)
			fprintf(to, " %s", table->name);
	fputc('\n', to);
	return RMC_USAGE;
}

/* Full words win; a beginning will do where it can mean only one thing. */
int command_run(const char *object, const struct command *table, int argc, char **argv)
{
	const struct command *c, *found = NULL;

	for (c = table; c->name; c++)
		if (!strcmp(argv[0], c->name))
			return c->run(argc - 1, argv + 1);
	for (c = table; c->name; c++) {
		if (strncmp(argv[0], c->name, strlen(argv[0])) || !*argv[0])
			continue;
		if (found && found->run != c->run) {
			usage("%s '%s' is ambiguous", object, argv[0]);
			return say_commands(object, table, stderr);
		}
		found = c;
	}
	if (found)
		return found->run(argc - 1, argv + 1);
	usage("%s '%s' is unknown", object, argv[0]);
	return say_commands(object, table, stderr);
}

static int enter_netns(const char *name)
{
	char path[256];
	int fd;

	if (strchr(name, '/'))
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "/var/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		fprintf(stderr, "rmc: cannot enter network namespace \"%s\" (%s)\n", name,
			strerror(errno));
		return RMC_FAILED;
	}
	close(fd);
	return RMC_OK;
}

/* One letter of "-jp", or a long word; -1 where options end the program well. */
static int one_option(char letter, const char *arg)
{
	switch (letter) {
	case 'j':
		opt.json = true;
		return RMC_OK;
	case 'p':
		opt.pretty = true;
		return RMC_OK;
	case 's':
		opt.stats = true;
		return RMC_OK;
	case 'n':
		return arg ? enter_netns(arg) : usage("-n needs the name of a network namespace");
	case 'V':
		printf("rmc %s\n", RMC_VERSION);
		return -1;
	case 'h':
		do_help(0, NULL);
		return -1;
	default:
		return usage("there is no option -%c, see rmc help", letter);
	}
}

/* Consumes the options; *used says how many words. */
static int options(int argc, char **argv, int *used)
{
	static const char * const words[] = {
		"json", "pretty", "statistics", "netns", "Version", "help", NULL
	};
	int i, w, rc = RMC_OK;
	const char *o;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		o = argv[i] + 1;
		if (!strcmp(o, "-")) {
			i++;
			break;
		}
		if (*o == '-')
			o++;
		for (w = 0; words[w]; w++)
			if (o[1] && !strncmp(o, words[w], strlen(o)))
				break;
		if (words[w]) {
			rc = one_option(words[w][0], argv[i + 1]);
			i += words[w][0] == 'n';
			if (rc)
				break;
			continue;
		}
		for (; *o && !rc; o++) {
			if (*o == 'n' && o[1]) {
				rc = usage("-n: its name is a word of its own");
				break;
			}
			rc = one_option(*o, argv[i + 1]);
			if (*o == 'n')
				i++;
		}
		if (rc)
			break;
	}
	*used = i;
	return rc;
}

int main(int argc, char **argv)
{
	int used, rc;

	rc = options(argc, argv, &used);
	if (rc < 0)
		return RMC_OK;
	if (rc)
		return rc;
	if (used >= argc) {
		fputs(help_text, stderr);
		return RMC_USAGE;
	}
	rc = command_run("object", objects, argc - used, argv + used);
	nl_close();
	/* an answer that did not reach its reader is no success */
	if ((fflush(stdout) || ferror(stdout)) && !rc) {
		fprintf(stderr, "rmc: cannot write (%s)\n", strerror(errno));
		rc = RMC_FAILED;
	}
	return rc;
}
