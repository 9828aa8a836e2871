/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rmc, the command: a file per object (ep.c path.c dev.c monitor.c ping.c), each
 * with a table of its commands; the rest is shared.
 *
 *	args.c	words of the command line, settings
 *	nl.c	netlink requests; blame.c says what the kernel did not like
 *	model.c	answers into structs; json.c and text.c print those
 */
#ifndef RMC_TOOL_H
#define RMC_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <libmnl/libmnl.h>
#include <json-c/json.h>
#include <linux/rmc_netlink.h>
#include <rdma/rmc.h>

#define RMC_VERSION	"0.1"

/* Exit status. */
#define RMC_OK		0
#define RMC_FAILED	1	/* the kernel said no */
#define RMC_USAGE	2

#ifndef __printf
#define ATTRIBUTE(a)		__attribute__((a))
#define __printf(fmt, args)	ATTRIBUTE(format(printf, fmt, args))
#endif
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Room of a request; the most that one message may be. */
#define RMC_REQUEST_MAX	65536

struct options {
	bool	json;
	bool	pretty;
	bool	stats;
};

extern struct options opt;

/* A word of a table; @run gets what follows it and returns the exit status. */
struct command {
	const char	*name;
	int		(*run)(int argc, char **argv);
};

/* rmc.c */
int command_run(const char *object, const struct command *table, int argc, char **argv);

/* args.c */
int usage(const char *fmt, ...) __printf(1, 2);
bool word_is(const char *arg, const char *word);
int arg_u32(const char *word, const char *arg, uint32_t *value);
int arg_address(const char *word, const char *arg, bool port, struct sockaddr_storage *to);
int arg_private_data(const char *arg, uint8_t data[255], size_t *len);
const char *setting_name(int type);
int arg_path_word(struct nlmsghdr *nlh, int *argc, char ***argv, bool *known);
int arg_setting(struct nlmsghdr *nlh, int *argc, char ***argv, bool *known);
int arg_dst(struct nlmsghdr *nlh, int *argc, char ***argv, struct nlattr **nest);

/* addr.c */
int addr_parse(const char *text, struct sockaddr_storage *to, bool *has_port, const char **why);
void addr_format(const struct sockaddr_storage *addr, bool port, char *buf, size_t size);

/* names.c */
extern const char * const mode_names[], * const role_names[], * const policy_names[];
extern const char * const ep_states[], * const path_states[], * const conn_states[];
extern const char * const probe_names[], * const reason_names[], * const dev_states[];
const char *name_of(const char * const *names, uint32_t value);
int name_find(const char * const *names, const char *text);
void names_list(const char * const *names, char *buf, size_t size);

/* nl.c */
typedef int (*nl_handler)(const struct nlmsghdr *nlh, void *data);

int nl_open(void);
void nl_close(void);
int nl_family_resolve(void);
struct nlmsghdr *nl_request(uint8_t cmd, bool dump);
int nl_talk(struct nlmsghdr *nlh, nl_handler handler, void *data);
int nl_try(struct nlmsghdr *nlh, nl_handler handler, void *data, char *why, size_t size);
int nl_dump(struct nlmsghdr *nlh, nl_handler handler, void (*restart)(void *data), void *data);
int nl_join_events(void);
int nl_fd(void);
ssize_t nl_receive(void **buf);
struct nlattr *nest_start(struct nlmsghdr *nlh, uint16_t type);
void put(struct nlmsghdr *nlh, uint16_t type, size_t len, const void *data);
void put_u32(struct nlmsghdr *nlh, uint16_t type, uint32_t value);
void put_str(struct nlmsghdr *nlh, uint16_t type, const char *value);
void parse_attrs(const struct nlattr *first, size_t len, const struct nlattr **tb,
		 unsigned int max);
void parse_message(const struct nlmsghdr *nlh, const struct nlattr **tb, unsigned int max);
void parse_nest(const struct nlattr *nest, const struct nlattr **tb, unsigned int max);

/* blame.c */
void blame(const struct nlmsghdr *request, int err, const struct nlmsghdr *ack, size_t tlvs,
	   char *buf, size_t size);

/* model.c: what the kernel told; a member is -1 or NULL where it is not known */
struct reason {
	uint32_t	code;	/* RMC_REASON_NONE: none */
	uint32_t	err;
	uint32_t	rej;
};

struct stats {
	bool		known;
	uint64_t	value[RMC_A_STATS_MAX + 1];
};

struct path {
	char		ep[RMC_NAME_SIZE];
	uint32_t	id;
	struct sockaddr_storage	src, dst;
	char		dev[64];
	int		state;
	struct reason	reason;
	uint32_t	priority, weight, generation, failures, conns_up, orphans;
	uint32_t	detect_ms, probe_interval_ms, ack_timeout, probe, inflight;
	bool		down;
	uint64_t	attempts;
	uint64_t	since_ns;
	int64_t		depth, usable_private_data, rtt_us, connect_us, up_ms, wait_ms;
	struct stats	stats;
};

struct endpoint {
	uint32_t	id;
	char		name[RMC_NAME_SIZE];
	int		mode, role, state, policy;
	struct reason	reason;
	char		consumer[64];
	int64_t		preferred;
	int64_t		settings[RMC_A_SETTINGS_MAX + 1];
	uint8_t		private_data[255];
	size_t		private_data_len;
	uint64_t	since_ns;
	struct stats	stats;
	size_t		nr_paths;
	struct path	*paths;
};

struct ep_list {
	size_t		nr;
	struct endpoint	*eps;
};

struct path_list {
	size_t		nr;
	struct path	*paths;
};

int ep_list_add(const struct nlmsghdr *nlh, void *list);
void ep_list_clear(void *list);
int path_list_add(const struct nlmsghdr *nlh, void *list);
void path_list_clear(void *list);
void reason_read(const struct nlattr *nest, struct reason *reason);
uint64_t now_ns(void);
void *grow(void *array, size_t nr, size_t size);

/* json.c */
void json_print(struct json_object *object);
struct json_object *json_ep(const struct endpoint *ep);
struct json_object *json_path(const struct path *path);
struct json_object *json_reason(const struct reason *reason);
struct json_object *json_name(const char * const *names, uint32_t value);
const char *stat_name(int type);
void private_data_format(const uint8_t *data, size_t len, char *buf, size_t size);

/* text.c */
struct table;

struct table *table_new(void);
void table_cell(struct table *t, const char *fmt, ...) __printf(2, 3);
void table_line(struct table *t, const char *fmt, ...) __printf(2, 3);
void table_row(struct table *t);
void table_print(struct table *t);
const char *text_ms(uint64_t ms);
const char *text_us(uint64_t us);
const char *text_reason(const struct reason *reason);
const char *text_detail(const struct path *path);
const char *text_stats(const struct stats *stats);
const char *text_safe(const char *name);

/* the objects */
int do_ep(int argc, char **argv);
int do_path(int argc, char **argv);
int do_dev(int argc, char **argv);
int do_monitor(int argc, char **argv);
int do_ping(int argc, char **argv);

#endif /* RMC_TOOL_H */
