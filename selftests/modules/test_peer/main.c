// SPDX-License-Identifier: GPL-2.0
/*
 * rmc_test_peer: rdma_cm listeners that misbehave as they are told.
 *
 * Told by the parameter "listeners" (7001:accept,7002:reject:28) or by lines
 * written to debugfs rmc_test_peer/control:
 *
 *	listen PORT BEHAVIOUR [ARG]	a listener on all addresses
 *	set PORT BEHAVIOUR [ARG]	for requests that come from now on
 *	data PORT [HEX]			private data of its answers
 *	drop PORT			disconnect whatever it has
 *	unlisten PORT
 *
 * Behaviours: accept, echo, no_read, no_recv, reject [REASON], reject_first N,
 * reject_after_ms MS, silent, slow_accept_ms MS, drop_after_ms MS,
 * qp_err_after_ms MS, stale. What a listener saw is in rmc_test_peer/PORT.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "peer.h"

static const char * const behaviours[] = {
	[PEER_ACCEPT]		= "accept",
	[PEER_ECHO]		= "echo",
	[PEER_NO_READ]		= "no_read",
	[PEER_NO_RECV]		= "no_recv",
	[PEER_REJECT]		= "reject",
	[PEER_REJECT_FIRST]	= "reject_first",
	[PEER_REJECT_AFTER_MS]	= "reject_after_ms",
	[PEER_SILENT]		= "silent",
	[PEER_SLOW_ACCEPT_MS]	= "slow_accept_ms",
	[PEER_DROP_AFTER_MS]	= "drop_after_ms",
	[PEER_QP_ERR_AFTER_MS]	= "qp_err_after_ms",
	[PEER_STALE]		= "stale",
};

static char *listeners[16];
static unsigned int nr_listeners;
module_param_array(listeners, charp, &nr_listeners, 0444);
MODULE_PARM_DESC(listeners, "PORT:BEHAVIOUR[:ARG],... to begin with");

unsigned int peer_recvs = 16;
module_param_named(recvs, peer_recvs, uint, 0644);
MODULE_PARM_DESC(recvs, "receives that each connection keeps posted");

struct workqueue_struct *peer_wq;
static struct dentry *peer_dir, *peer_control;
static LIST_HEAD(peer_listeners);
/* protects peer_listeners; listeners come and go under it */
static DEFINE_MUTEX(peer_mutex);

static struct peer_listener *peer_find(u16 port)
{
	struct peer_listener *l;

	list_for_each_entry(l, &peer_listeners, entry)
		if (l->port == port)
			return l;
	return NULL;
}

static int peer_show(struct seq_file *m, void *unused)
{
	struct peer_listener *l = m->private, *snap;

	/* no printing under a lock that CM callbacks need */
	snap = kmalloc(sizeof(*snap), GFP_KERNEL);
	if (!snap)
		return -ENOMEM;
	spin_lock_irq(&l->lock);
	*snap = *l;
	spin_unlock_irq(&l->lock);

	seq_printf(m, "behaviour %s\narg %u\n", behaviours[snap->behaviour], snap->arg);
	seq_printf(m, "requests %llu\n", snap->n.requests);
	seq_printf(m, "accepted %llu\n", snap->n.accepted);
	seq_printf(m, "rejected %llu\n", snap->n.rejected);
	seq_printf(m, "established %llu\n", snap->n.established);
	seq_printf(m, "disconnected %llu\n", snap->n.disconnected);
	seq_printf(m, "failed %llu\n", snap->n.failed);
	seq_printf(m, "errors %llu\n", snap->n.errors);
	seq_printf(m, "received %llu\n", snap->n.received);
	seq_printf(m, "removals %llu\n", snap->n.removals);
	seq_printf(m, "open %u\n", snap->nr_conns);
	if (snap->n.requests) {
		seq_printf(m, "last_src %s\n", snap->last.src);
		seq_printf(m, "last_ns %llu\n", snap->last.when_ns);
		seq_printf(m, "last_tos %d\n", snap->last.tos);
		seq_printf(m, "last_retry_count %u\n", snap->last.retry_count);
		seq_printf(m, "last_rnr_retry_count %u\n", snap->last.rnr_retry_count);
		seq_printf(m, "last_responder_resources %u\n", snap->last.responder_resources);
		seq_printf(m, "last_initiator_depth %u\n", snap->last.initiator_depth);
		seq_printf(m, "last_qpn %u\n", snap->last.qpn);
		seq_printf(m, "last_private_len %u\n", snap->last.len);
		seq_printf(m, "last_private %*phN\n", min_t(int, snap->last.len, 64),
			   snap->last.data);
	}
	kfree(snap);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(peer);

static struct rdma_cm_id *peer_bind(struct peer_listener *l, int family)
{
	struct sockaddr_storage addr = { .ss_family = family };
	struct rdma_cm_id *id;
	int err;

	if (family == AF_INET)
		((struct sockaddr_in *)&addr)->sin_port = htons(l->port);
	else
		((struct sockaddr_in6 *)&addr)->sin6_port = htons(l->port);

	id = rdma_create_id(&init_net, peer_request, l, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return id;
	err = family == AF_INET6 ? rdma_set_afonly(id, 1) : 0;
	if (!err)
		err = rdma_bind_addr(id, (struct sockaddr *)&addr);
	if (!err)
		err = rdma_listen(id, 128);
	if (err) {
		rdma_destroy_id(id);
		return ERR_PTR(err);
	}
	return id;
}

static void peer_unlisten(struct peer_listener *l)
{
	int i;

	debugfs_remove(l->file);
	spin_lock_irq(&l->lock);
	l->closing = true;
	spin_unlock_irq(&l->lock);
	for (i = 0; i < 2; i++)
		if (l->id[i])
			rdma_destroy_id(l->id[i]);
	/*
	 * No request callback runs any more. A connection whose callback ran
	 * just before is on the list, so this finds all of them.
	 */
	peer_conns_end(l);
	wait_event(l->empty, !READ_ONCE(l->nr_conns));
	/* the last one may still be inside the lock that it woke us from */
	spin_lock_irq(&l->lock);
	spin_unlock_irq(&l->lock);
	list_del(&l->entry);
	kfree(l);
}

static int peer_listen(u16 port, enum peer_behaviour behaviour, u32 arg)
{
	struct peer_listener *l;
	char name[8];

	if (peer_find(port))
		return -EADDRINUSE;
	l = kzalloc(sizeof(*l), GFP_KERNEL);
	if (!l)
		return -ENOMEM;
	l->port = port;
	l->behaviour = behaviour;
	l->arg = arg;
	spin_lock_init(&l->lock);
	INIT_LIST_HEAD(&l->conns);
	init_waitqueue_head(&l->empty);
	l->id[0] = peer_bind(l, AF_INET);
	if (IS_ERR(l->id[0])) {
		int err = PTR_ERR(l->id[0]);

		kfree(l);
		return err;
	}
	/* a kernel or a transport without IPv6 is still worth listening on */
	l->id[1] = peer_bind(l, AF_INET6);
	if (IS_ERR(l->id[1])) {
		pr_info("rmc_test_peer: port %u is IPv4 only (%ld)\n", port, PTR_ERR(l->id[1]));
		l->id[1] = NULL;
	}
	snprintf(name, sizeof(name), "%u", port);
	l->file = debugfs_create_file(name, 0444, peer_dir, l, &peer_fops);
	list_add_tail(&l->entry, &peer_listeners);
	return 0;
}

static int peer_parse(char *words[], int nr, enum peer_behaviour *behaviour, u32 *arg)
{
	int i;

	*arg = 0;
	if (nr < 1 || nr > 2 || (nr == 2 && kstrtou32(words[1], 0, arg)))
		return -EINVAL;
	i = match_string(behaviours, ARRAY_SIZE(behaviours), words[0]);
	if (i < 0)
		return -EINVAL;
	*behaviour = i;
	return 0;
}

static int peer_set_data(struct peer_listener *l, const char *hex)
{
	size_t len = strlen(hex) / 2;
	u8 data[sizeof(l->data)];

	if (len > sizeof(data) || hex2bin(data, hex, len))
		return -EINVAL;
	spin_lock_irq(&l->lock);
	memcpy(l->data, data, len);
	l->data_len = len;
	spin_unlock_irq(&l->lock);
	return 0;
}

static int peer_command(char *words[], int nr)
{
	enum peer_behaviour behaviour;
	struct peer_listener *l;
	u16 port;
	u32 arg;
	int err;

	if (nr < 2 || kstrtou16(words[1], 10, &port) || !port)
		return -EINVAL;
	if (!strcmp(words[0], "listen"))
		return peer_parse(words + 2, nr - 2, &behaviour, &arg) ?:
		       peer_listen(port, behaviour, arg);

	l = peer_find(port);
	if (!l)
		return -ENOENT;
	if (!strcmp(words[0], "set")) {
		err = peer_parse(words + 2, nr - 2, &behaviour, &arg);
		if (err)
			return err;
		spin_lock_irq(&l->lock);
		l->behaviour = behaviour;
		l->arg = arg;
		spin_unlock_irq(&l->lock);
		return 0;
	}
	if (!strcmp(words[0], "data"))
		return peer_set_data(l, nr > 2 ? words[2] : "");
	if (!strcmp(words[0], "drop")) {
		peer_conns_end(l);
		return 0;
	}
	if (!strcmp(words[0], "unlisten")) {
		peer_unlisten(l);
		return 0;
	}
	return -EINVAL;
}

static int peer_split(char *line, const char *sep, char *words[], int max)
{
	char *word;
	int nr = 0;

	while ((word = strsep(&line, sep))) {
		if (!*word)
			continue;
		if (nr == max)
			return -EINVAL;
		words[nr++] = word;
	}
	return nr;
}

static ssize_t control_write(struct file *file, const char __user *from, size_t len,
			     loff_t *pos)
{
	char *words[5], *line;
	int nr, err;

	if (len >= 256)
		return -EINVAL;
	line = memdup_user_nul(from, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	nr = peer_split(line, " \t\n", words, ARRAY_SIZE(words));
	mutex_lock(&peer_mutex);
	err = nr < 0 ? nr : peer_command(words, nr);
	mutex_unlock(&peer_mutex);
	kfree(line);
	return err ?: len;
}

static const struct file_operations control_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= control_write,
};

static void peer_unlisten_all(void)
{
	struct peer_listener *l, *next;

	mutex_lock(&peer_mutex);
	list_for_each_entry_safe(l, next, &peer_listeners, entry)
		peer_unlisten(l);
	mutex_unlock(&peer_mutex);
}

static int __init peer_init(void)
{
	unsigned int i;
	int err = 0;

	peer_wq = alloc_workqueue("rmc_test_peer", WQ_UNBOUND, 0);
	if (!peer_wq)
		return -ENOMEM;
	peer_dir = debugfs_create_dir("rmc_test_peer", NULL);

	mutex_lock(&peer_mutex);
	for (i = 0; !err && i < nr_listeners; i++) {
		char *words[4], *text = kstrdup(listeners[i], GFP_KERNEL);
		enum peer_behaviour behaviour;
		u32 arg;
		u16 port;
		int nr;

		if (!text) {
			err = -ENOMEM;
			break;
		}
		nr = peer_split(text, ":", words, ARRAY_SIZE(words));
		err = nr < 2 || kstrtou16(words[0], 10, &port) || !port ? -EINVAL :
		      peer_parse(words + 1, nr - 1, &behaviour, &arg);
		if (!err)
			err = peer_listen(port, behaviour, arg);
		kfree(text);
	}
	mutex_unlock(&peer_mutex);
	if (err) {
		pr_err("rmc_test_peer: listener %u (%s): %d\n", i, listeners[i - 1], err);
		goto unlisten;
	}
	peer_control = debugfs_create_file("control", 0200, peer_dir, NULL, &control_fops);
	return 0;

unlisten:
	peer_unlisten_all();
	debugfs_remove(peer_dir);
	destroy_workqueue(peer_wq);
	return err;
}
module_init(peer_init);

static void __exit peer_exit(void)
{
	debugfs_remove(peer_control);
	peer_unlisten_all();
	debugfs_remove(peer_dir);
	destroy_workqueue(peer_wq);
}
module_exit(peer_exit);

MODULE_DESCRIPTION("rdma_cm listeners that misbehave on request, for the tests of rmc");
MODULE_LICENSE("GPL");
