// SPDX-License-Identifier: GPL-2.0
/* What people read: aligned columns, times in units that fit. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rmc.h"

#define COLUMNS		16

/* A row of cells, or a line that keeps out of the columns. */
struct row {
	char	*line;
	int	nr;
	char	*cell[COLUMNS];
};

struct table {
	size_t		nr;
	struct row	*rows;
	struct row	open;
};

static char *format(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		exit(RMC_FAILED);
	return text;
}

struct table *table_new(void)
{
	struct table *t = grow(NULL, 1, sizeof(*t));

	memset(t, 0, sizeof(*t));
	return t;
}

void table_cell(struct table *t, const char *fmt, ...)
{
	va_list ap;

	if (t->open.nr == COLUMNS)
		return;
	va_start(ap, fmt);
	t->open.cell[t->open.nr++] = format(fmt, ap);
	va_end(ap);
}

void table_row(struct table *t)
{
	t->rows = grow(t->rows, t->nr + 1, sizeof(*t->rows));
	t->rows[t->nr++] = t->open;
	memset(&t->open, 0, sizeof(t->open));
}

void table_line(struct table *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->open.line = format(fmt, ap);
	va_end(ap);
	table_row(t);
}

static void print_row(const struct row *row, const size_t *width)
{
	int nr = row->nr, i;

	/* no blanks at the end of a line */
	while (nr && !row->cell[nr - 1][0])
		nr--;
	for (i = 0; i < nr - 1; i++)
		printf("%-*s  ", (int)width[i], row->cell[i]);
	if (nr)
		fputs(row->cell[nr - 1], stdout);
	putchar('\n');
}

/* Prints and frees. The last column may be as long as it likes. */
void table_print(struct table *t)
{
	size_t width[COLUMNS] = { 0 }, r;
	int i;

	for (r = 0; r < t->nr; r++)
		for (i = 0; i < t->rows[r].nr - 1; i++)
			if (strlen(t->rows[r].cell[i]) > width[i])
				width[i] = strlen(t->rows[r].cell[i]);
	for (r = 0; r < t->nr; r++) {
		if (t->rows[r].line)
			puts(t->rows[r].line);
		else
			print_row(&t->rows[r], width);
		free(t->rows[r].line);
		for (i = 0; i < t->rows[r].nr; i++)
			free(t->rows[r].cell[i]);
	}
	free(t->rows);
	free(t);
}

/* Several of them may stand in one printf(). */
static char *scratch(size_t size)
{
	static char bufs[8][1024];
	static unsigned int next;

	return size <= sizeof(bufs[0]) ? bufs[next++ % 8] : NULL;
}

const char *text_ms(uint64_t ms)
{
	unsigned long long s = ms / 1000;
	char *buf = scratch(64);

	if (ms < 1000)
		snprintf(buf, 64, "%llums", (unsigned long long)ms);
	else if (s < 10)
		snprintf(buf, 64, "%llu.%llus", s, (unsigned long long)ms % 1000 / 100);
	else if (s < 60)
		snprintf(buf, 64, "%llus", s);
	else if (s < 3600)
		snprintf(buf, 64, "%llum%02llus", s / 60, s % 60);
	else if (s < 86400)
		snprintf(buf, 64, "%lluh%02llum", s / 3600, s % 3600 / 60);
	else
		snprintf(buf, 64, "%llud%02lluh", s / 86400, s % 86400 / 3600);
	return buf;
}

const char *text_us(uint64_t us)
{
	unsigned long long n = us;
	char *buf = scratch(64);

	if (n < 1000)
		snprintf(buf, 64, "%lluus", n);
	else if (n < 1000000)
		snprintf(buf, 64, "%llu.%llums", n / 1000, n % 1000 / 100);
	else
		snprintf(buf, 64, "%llu.%llus", n / 1000000, n % 1000000 / 100000);
	return buf;
}

/* A name goes to a terminal: what would do more there than be read becomes '?'. */
const char *text_safe(const char *name)
{
	char *buf = scratch(256);
	size_t i;

	for (i = 0; name[i] && i < 255; i++)
		buf[i] = iscntrl((unsigned char)name[i]) ? '?' : name[i];
	buf[i] = '\0';
	return buf;
}

const char *text_reason(const struct reason *reason)
{
	const char *name = name_of(reason_names, reason->code);
	char *buf = scratch(256), *p = buf;

	if (name)
		p += sprintf(p, "%s", name);
	else
		p += sprintf(p, "reason %u", reason->code);
	if (reason->rej)
		p += sprintf(p, " (reject %u)", reason->rej);
	else if (reason->err)
		p += snprintf(p, 128, " (%s)", strerror(reason->err));
	return buf;
}

/* What matters of a path in the state it is in. */
const char *text_detail(const struct path *path)
{
	bool up = path->state == RMC_PATH_UP || path->state == RMC_PATH_SUSPECT;
	char *buf = scratch(512), *p = buf;

	*p = '\0';
	if (up && path->rtt_us >= 0)
		p += sprintf(p, ", rtt %s", text_us(path->rtt_us));
	if (up && path->probe == RMC_PROBE_NONE)
		p += sprintf(p, ", no probes");
	if (up && path->inflight)
		p += sprintf(p, ", %u in flight", path->inflight);
	if (path->down && path->state != RMC_PATH_DISABLED)
		p += sprintf(p, ", going down");
	else if (path->down)
		p += sprintf(p, ", taken down");
	if (path->reason.code != RMC_REASON_NONE && path->state != RMC_PATH_UP)
		p += sprintf(p, ", %s", text_reason(&path->reason));
	if (path->failures)
		p += sprintf(p, ", %u failed", path->failures);
	if (path->wait_ms > 0)
		p += sprintf(p, ", next try in %s", text_ms(path->wait_ms));
	if (path->orphans)
		p += sprintf(p, ", %u orphaned", path->orphans);
	return *buf ? buf + 2 : buf;
}

const char *text_stats(const struct stats *stats)
{
	char *buf = scratch(1024), *p = buf;
	int i;

	*p = '\0';
	for (i = 1; i <= RMC_A_STATS_MAX; i++)
		if (stat_name(i))
			p += sprintf(p, "%s%s %llu", p == buf ? "" : "  ", stat_name(i),
				     (unsigned long long)stats->value[i]);
	return buf;
}
