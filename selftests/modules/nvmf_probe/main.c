// SPDX-License-Identifier: GPL-2.0
/*
 * rmc_nvmf_probe: speaks NVMe over Fabrics to nvmet-rdma through rmc.
 *
 * One endpoint with a path to each of "addrs"; each path carries an association
 * of its own, made anew after every reconnect. What happened is in debugfs
 * rmc_nvmf_probe/status, "key value" lines; rmc_nvmf_probe/control takes
 * connect, disconnect, "fail PATH" and "priority PATH N".
 */
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>
#include "../words.h"
#include "probe.h"

static char *addrs[RMC_MAX_PATHS];
static unsigned int nr_addrs;
module_param_array(addrs, charp, &nr_addrs, 0444);
MODULE_PARM_DESC(addrs, "ADDR:PORT,... of the target, one for each path");

static char *srcs[RMC_MAX_PATHS];
static unsigned int nr_srcs;
module_param_array(srcs, charp, &nr_srcs, 0444);
MODULE_PARM_DESC(srcs, "source address of each path");

char *probe_nqn = "nqn.2014-08.org.rmc:target";
module_param_named(nqn, probe_nqn, charp, 0444);
MODULE_PARM_DESC(nqn, "subsystem to connect to");

char *probe_hostnqn = "nqn.2014-08.org.rmc:probe";
module_param_named(hostnqn, probe_hostnqn, charp, 0444);
MODULE_PARM_DESC(hostnqn, "who we say we are");

unsigned int probe_kato_ms = 5000;
module_param_named(kato_ms, probe_kato_ms, uint, 0444);
MODULE_PARM_DESC(kato_ms, "keep-alive timeout; a Keep Alive is sent twice as often");

unsigned int probe_command_ms = 2000;
module_param_named(command_ms, probe_command_ms, uint, 0444);
MODULE_PARM_DESC(command_ms, "how long a command may take");

static unsigned int detect_ms;
module_param(detect_ms, uint, 0444);
MODULE_PARM_DESC(detect_ms, "how long a dead path may stay unnoticed; 0: rmc's default");

static unsigned int wait_ms;
module_param(wait_ms, uint, 0444);
MODULE_PARM_DESC(wait_ms, "loading waits so long for the endpoint, and fails if it is not up then");

static char *name = "nvmf-probe";
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "of the endpoint");

#define PROBE_HISTORY	64

DEFINE_SPINLOCK(probe_lock);
struct workqueue_struct *probe_wq;
uuid_t probe_hostid;

static struct probe_path probe_paths[RMC_MAX_PATHS];
static struct rmc_ep *probe_ep;
static struct dentry *probe_dir;
static atomic_t probe_violations;
static bool probe_over;			/* rmc_ep_destroy() has returned */
static unsigned int probe_queues;	/* under probe_lock */
static int probe_preferred = -1;	/* under probe_lock */
static unsigned int probe_switches;	/* under probe_lock */

/* under probe_lock; a ring of what the state op said */
static struct {
	u64			ns;
	enum rmc_ep_state	from;
	enum rmc_ep_state	to;
	struct rmc_reason	why;
} probe_history[PROBE_HISTORY];
static unsigned int probe_transitions;

static const char * const ep_states[] = {
	"idle", "connecting", "up", "degraded", "recovering", "failfast", "lost", "closed",
};

static const char * const path_states[] = {
	[PROBE_DOWN]		= "down",
	[PROBE_SETUP]		= "connecting",
	[PROBE_ASSOCIATING]	= "associating",
	[PROBE_ASSOCIATED]	= "associated",
};

static void check(bool kept, const char *op)
{
	if (kept && !READ_ONCE(probe_over))
		return;
	atomic_inc(&probe_violations);
	pr_err("rmc_nvmf_probe: %s came out of order\n", op);
}

void probe_note_error(struct probe_queue *q, const char *step, int err)
{
	struct probe_path *p = q->path;

	spin_lock_irq(&probe_lock);
	p->last_step = step;
	p->last_error = err < 0 ? err : 0;
	p->last_status = err > 0 ? err : 0;
	spin_unlock_irq(&probe_lock);
}

static void path_note(struct probe_path *p, enum probe_path_state state, u64 *counter)
{
	spin_lock_irq(&probe_lock);
	p->state = state;
	if (counter)
		(*counter)++;
	spin_unlock_irq(&probe_lock);
}

static int probe_conn_setup(struct rmc_conn *conn)
{
	struct probe_path *p;
	struct probe_queue *q;
	int path = rmc_conn_path(conn), err;

	if (path < 0 || path >= nr_addrs || rmc_conn_get_priv(conn)) {
		check(false, "conn_setup");
		return -EINVAL;
	}
	p = &probe_paths[path];
	q = queue_alloc(conn, p);
	if (IS_ERR(q)) {
		/* there is no queue for the other ops to find: they see that */
		return PTR_ERR(q);
	}
	check(order_enter(&q->order, ORDER_SETUP), "conn_setup");
	rmc_conn_set_priv(conn, q);
	spin_lock_irq(&probe_lock);
	probe_queues++;
	/* allowed, for nothing promises otherwise; shown, for it is of interest */
	if (p->q)
		p->overlaps++;
	p->q = q;
	p->state = PROBE_SETUP;
	p->setups++;
	spin_unlock_irq(&probe_lock);

	err = queue_post_recvs(q);
	if (err)
		probe_note_error(q, "post-receives", err);
	check(order_leave(&q->order, ORDER_SETUP, !err), "conn_setup");
	return err;
}

static int probe_conn_private(struct rmc_conn *conn, const struct rmc_conn_req *req, void *buf,
			      size_t room)
{
	struct probe_queue *q = rmc_conn_get_priv(conn);
	struct nvme_rdma_cm_req priv = { };
	int ret;

	check(order_enter(&q->order, ORDER_PRIVATE), "conn_private");
	check(!req, "conn_private");
	priv.recfmt = cpu_to_le16(NVME_RDMA_CM_FMT_1_0);
	priv.qid = 0;
	/* of the admin queue: the first counts from one, the second from zero */
	priv.hrqsize = cpu_to_le16(QUEUE_DEPTH);
	priv.hsqsize = cpu_to_le16(QUEUE_DEPTH - 1);
	if (room < sizeof(priv)) {
		ret = -EMSGSIZE;
	} else {
		memcpy(buf, &priv, sizeof(priv));
		ret = sizeof(priv);
	}
	check(order_leave(&q->order, ORDER_PRIVATE, ret > 0), "conn_private");
	return ret;
}

static int probe_conn_up(struct rmc_conn *conn, const void *peer_private, size_t len)
{
	const struct nvme_rdma_cm_rep *rep = peer_private;
	struct probe_queue *q = rmc_conn_get_priv(conn);
	int err;

	check(order_enter(&q->order, ORDER_UP), "conn_up");
	path_note(q->path, PROBE_ASSOCIATING, &q->path->ups);
	if (len < sizeof(*rep) || rep->recfmt != cpu_to_le16(NVME_RDMA_CM_FMT_1_0)) {
		err = -EPROTO;
		probe_note_error(q, "reply", err);
	} else {
		err = admin_associate(q);
	}
	if (!err)
		path_note(q->path, PROBE_ASSOCIATED, NULL);
	check(order_leave(&q->order, ORDER_UP, !err), "conn_up");
	return err;
}

static void probe_conn_lost(struct rmc_conn *conn, const struct rmc_reason *why)
{
	struct probe_queue *q = rmc_conn_get_priv(conn);

	check(order_enter(&q->order, ORDER_LOST), "conn_lost");
	spin_lock_irq(&probe_lock);
	if (q->path->q == q)
		q->path->state = PROBE_DOWN;
	q->path->lost++;
	spin_unlock_irq(&probe_lock);
	/* the keep-alive may be waiting for an answer that will not come: abort it, then wait */
	queue_stop(q);
	cancel_delayed_work_sync(&q->keep_alive);
	check(order_leave(&q->order, ORDER_LOST, true), "conn_lost");
}

static void probe_conn_teardown(struct rmc_conn *conn)
{
	struct probe_queue *q = rmc_conn_get_priv(conn);
	struct probe_path *p;

	/* after a conn_setup that could not make one */
	if (!q)
		return;
	p = q->path;
	check(order_enter(&q->order, ORDER_TEARDOWN), "conn_teardown");
	spin_lock_irq(&probe_lock);
	if (p->q == q) {
		p->q = NULL;
		p->state = PROBE_DOWN;
	}
	p->teardowns++;
	probe_queues--;
	spin_unlock_irq(&probe_lock);
	rmc_conn_set_priv(conn, NULL);
	check(order_leave(&q->order, ORDER_TEARDOWN, true), "conn_teardown");
	queue_free(q);
}

static void probe_state(struct rmc_ep *ep, enum rmc_ep_state from, enum rmc_ep_state to,
			const struct rmc_reason *why)
{
	unsigned int i;

	check(true, "state");
	spin_lock_irq(&probe_lock);
	/* each state told starts where the last one ended */
	if (probe_transitions) {
		i = (probe_transitions - 1) % PROBE_HISTORY;
		check(probe_history[i].to == from, "state");
	}
	i = probe_transitions++ % PROBE_HISTORY;
	probe_history[i].ns = ktime_get_ns();
	probe_history[i].from = from;
	probe_history[i].to = to;
	probe_history[i].why = *why;
	spin_unlock_irq(&probe_lock);
}

static void probe_prefer(struct rmc_ep *ep, int path_id)
{
	check(path_id >= -1 && path_id < (int)nr_addrs, "preferred");
	spin_lock_irq(&probe_lock);
	probe_preferred = path_id;
	probe_switches++;
	spin_unlock_irq(&probe_lock);
}

static const struct rmc_ep_ops probe_ops = {
	.owner		= THIS_MODULE,
	.state		= probe_state,
	.conn_setup	= probe_conn_setup,
	.conn_private	= probe_conn_private,
	.conn_up	= probe_conn_up,
	.conn_lost	= probe_conn_lost,
	.conn_teardown	= probe_conn_teardown,
	.preferred	= probe_prefer,
};

static void path_show(struct seq_file *m, int i, const struct probe_path *p)
{
	seq_printf(m, "path%d.dst %pISpc\n", i, &p->dst);
	seq_printf(m, "path%d.state %s\n", i, path_states[p->state]);
	seq_printf(m, "path%d.associations %llu\n", i, p->associations);
	seq_printf(m, "path%d.cntlid %u\n", i, p->cntlid);
	seq_printf(m, "path%d.version %#x\n", i, p->version);
	seq_printf(m, "path%d.keep_alives %llu\n", i, p->keep_alives);
	seq_printf(m, "path%d.keep_alive_errors %llu\n", i, p->keep_alive_errors);
	seq_printf(m, "path%d.model %s\n", i, p->model);
	seq_printf(m, "path%d.serial %s\n", i, p->serial);
	seq_printf(m, "path%d.subnqn %s\n", i, p->subnqn);
	seq_printf(m, "path%d.last_step %s\n", i, p->last_step ?: "none");
	seq_printf(m, "path%d.last_error %d\n", i, p->last_error);
	seq_printf(m, "path%d.last_status %#x\n", i, p->last_status);
	seq_printf(m, "path%d.setups %llu\n", i, p->setups);
	seq_printf(m, "path%d.ups %llu\n", i, p->ups);
	seq_printf(m, "path%d.lost %llu\n", i, p->lost);
	seq_printf(m, "path%d.teardowns %llu\n", i, p->teardowns);
	seq_printf(m, "path%d.overlaps %llu\n", i, p->overlaps);
}

static int status_show(struct seq_file *m, void *unused)
{
	unsigned int i, n, first;

	seq_printf(m, "state %s\n", ep_states[rmc_ep_state(probe_ep)]);
	/* a read by a test is rare, and seq_printf() does not sleep */
	spin_lock_irq(&probe_lock);
	seq_printf(m, "preferred %d\n", probe_preferred);
	seq_printf(m, "preferred_switches %u\n", probe_switches);
	seq_printf(m, "violations %d\n", atomic_read(&probe_violations));
	seq_printf(m, "queues %u\n", probe_queues);
	for (i = 0; i < nr_addrs; i++)
		path_show(m, i, &probe_paths[i]);
	n = probe_transitions;
	first = n > PROBE_HISTORY ? n - PROBE_HISTORY : 0;
	seq_printf(m, "transitions %u\n", n);
	for (i = first; i < n; i++) {
		unsigned int at = i % PROBE_HISTORY;

		seq_printf(m, "transition%u %llu %s %s %s %d\n", i, probe_history[at].ns / 1000,
			   ep_states[probe_history[at].from], ep_states[probe_history[at].to],
			   rmc_reason_name(probe_history[at].why.code), probe_history[at].why.err);
	}
	spin_unlock_irq(&probe_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(status);

static int probe_fail_path(unsigned int path)
{
	struct rmc_conn *conn = NULL;

	if (path >= nr_addrs)
		return -ENOENT;
	spin_lock_irq(&probe_lock);
	if (probe_paths[path].q) {
		conn = probe_paths[path].q->conn;
		rmc_conn_get(conn);
	}
	spin_unlock_irq(&probe_lock);
	if (!conn)
		return -ENOTCONN;
	rmc_conn_fail(conn, -ECANCELED);
	rmc_conn_put(conn);
	return 0;
}

static int probe_command(char *line)
{
	struct rmc_path_attr attr = { };
	unsigned int path;

	line = strim(line);
	if (!strcmp(line, "connect"))
		return rmc_ep_connect(probe_ep);
	if (!strcmp(line, "disconnect"))
		return rmc_ep_disconnect(probe_ep);
	if (sscanf(line, "fail %u", &path) == 1)
		return probe_fail_path(path);
	if (sscanf(line, "priority %u %u", &path, &attr.priority) == 2)
		return rmc_ep_set_path(probe_ep, path, &attr, RMC_PATH_SET_PRIORITY);
	return -EINVAL;
}

static ssize_t control_write(struct file *file, const char __user *from, size_t len,
			     loff_t *pos)
{
	char *line;
	int err;

	if (len >= WORD_MAX)
		return -EINVAL;
	line = memdup_user_nul(from, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	err = probe_command(line);
	kfree(line);
	return err ?: len;
}

static const struct file_operations control_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= control_write,
};

static int probe_add_path(unsigned int i)
{
	struct probe_path *p = &probe_paths[i];
	struct rmc_path_attr attr = { .priority = i };
	int ret;

	ret = words_addr(addrs[i], &p->dst) ?: words_addr(i < nr_srcs ? srcs[i] : "", &p->src);
	if (ret)
		return ret;
	attr.dst = p->dst;
	attr.src = p->src;
	ret = rmc_ep_add_path(probe_ep, &attr);
	/* ids count from 0, so they are the index of ours */
	return ret < 0 ? ret : ret == i ? 0 : -EPROTO;
}

static int __init probe_init(void)
{
	struct rmc_ep_attr attr = {
		.mode		= RMC_MODE_VERBS,
		.policy		= RMC_POLICY_FAILOVER,
		.set		= RMC_SET_POLICY,
		.detect_ms	= detect_ms,
		.depth		= QUEUE_DEPTH,
	};
	unsigned int i;
	int err;

	if (!nr_addrs || probe_kato_ms < 2 || !probe_command_ms ||
	    strscpy(attr.name, name, sizeof(attr.name)) < 0)
		return -EINVAL;
	uuid_gen(&probe_hostid);
	probe_wq = alloc_workqueue("rmc_nvmf_probe", WQ_UNBOUND, 0);
	if (!probe_wq)
		return -ENOMEM;
	probe_ep = rmc_ep_create(&init_net, &attr, &probe_ops, NULL);
	if (IS_ERR(probe_ep)) {
		err = PTR_ERR(probe_ep);
		goto destroy_wq;
	}
	for (i = 0; i < nr_addrs; i++) {
		err = probe_add_path(i);
		if (err) {
			pr_err("rmc_nvmf_probe: path to %s: %d\n", addrs[i], err);
			goto destroy_ep;
		}
	}
	err = rmc_ep_connect(probe_ep);
	if (err)
		goto destroy_ep;
	if (wait_ms) {
		err = rmc_ep_wait(probe_ep, wait_ms);
		if (err)
			goto destroy_ep;
	}
	probe_dir = debugfs_create_dir("rmc_nvmf_probe", NULL);
	debugfs_create_file("status", 0444, probe_dir, NULL, &status_fops);
	debugfs_create_file("control", 0200, probe_dir, NULL, &control_fops);
	return 0;

destroy_ep:
	rmc_ep_destroy(probe_ep);
destroy_wq:
	destroy_workqueue(probe_wq);
	return err;
}
module_init(probe_init);

static void __exit probe_exit(void)
{
	debugfs_remove(probe_dir);
	rmc_ep_destroy(probe_ep);
	WRITE_ONCE(probe_over, true);
	destroy_workqueue(probe_wq);
	WARN(probe_queues, "rmc_nvmf_probe: %u queues were not torn down\n", probe_queues);
	WARN(atomic_read(&probe_violations), "rmc_nvmf_probe: %d ops out of order\n",
	     atomic_read(&probe_violations));
}
module_exit(probe_exit);

MODULE_DESCRIPTION("NVMe over Fabrics admin queue as a consumer of rmc, for its tests");
MODULE_LICENSE("GPL");
