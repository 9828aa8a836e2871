// SPDX-License-Identifier: GPL-2.0
/*
 * Fault points, only in builds with RMC_FAULTS=y.
 *
 *	rmc/faults/POINT/errno		what the call fails with; a sign is optional
 *	rmc/faults/cm/EVENT/action	pass, swallow, double or delay
 *	rmc/faults/cm/EVENT/delay_ms	for double and delay
 *
 * and in each of these directories
 *
 *	times	how many faults are left; 0 off, -1 without end
 *	skip	how many passes are let through first; counts down while times is not 0
 *	hits	how often it has struck
 *	passes	how often it was passed, armed or not
 *
 * The last two take nothing but 0, which starts them over.
 * Write times last: it is what arms the fault.
 *
 * DOC: locking
 * Each fault has its own spinlock, taken with interrupts off, for points are
 * passed in any context. Nothing else is called under it.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <rdma/rdma_cm.h>
#include "fault.h"

enum knob {
	KNOB_ERRNO,
	KNOB_DELAY_MS,
	KNOB_SKIP,
	KNOB_TIMES,
	KNOB_HITS,
	KNOB_PASSES,
	KNOB_MAX,
};

static const struct {
	const char	*name;
	umode_t		mode;
	s64		min;
	s64		max;
} knobs[KNOB_MAX] = {
	[KNOB_ERRNO]	= { "errno", 0600, -MAX_ERRNO, MAX_ERRNO },
	[KNOB_DELAY_MS]	= { "delay_ms", 0600, 0, 60000 },
	[KNOB_SKIP]	= { "skip", 0600, 0, INT_MAX },
	[KNOB_TIMES]	= { "times", 0600, -1, INT_MAX },
	[KNOB_HITS]	= { "hits", 0600 },
	[KNOB_PASSES]	= { "passes", 0600 },
};

struct fault;

/* What a debugfs file has as its private data. */
struct fault_file {
	struct fault	*fault;
	enum knob	knob;
};

struct fault {
	spinlock_t		lock;		/* protects value and action */
	s64			value[KNOB_MAX];
	enum rmc_fault_cm	action;		/* CM events only */
	struct fault_file	files[KNOB_MAX]; /* constant after init */
};

static const char * const point_names[] = {
	[RMC_FAULT_EP_ALLOC]		= "ep_alloc",
	[RMC_FAULT_PATH_ALLOC]		= "path_alloc",
	[RMC_FAULT_CONN_ALLOC]		= "conn_alloc",
	[RMC_FAULT_PD_ALLOC]		= "pd_alloc",
	[RMC_FAULT_CQ_GET]		= "cq_get",
	[RMC_FAULT_QP_CREATE]		= "qp_create",
	[RMC_FAULT_ID_CREATE]		= "id_create",
	[RMC_FAULT_RESOLVE_ADDR]	= "resolve_addr",
	[RMC_FAULT_RESOLVE_ROUTE]	= "resolve_route",
	[RMC_FAULT_CONNECT]		= "connect",
	[RMC_FAULT_DISCONNECT]		= "disconnect",
	[RMC_FAULT_PROBE_POST]		= "probe_post",
	[RMC_FAULT_DEV_ALLOC]		= "dev_alloc",
	[RMC_FAULT_NOTE_ALLOC]		= "note_alloc",
};

static_assert(ARRAY_SIZE(point_names) == RMC_FAULT_MAX);

static const char * const event_names[] = {
	[RDMA_CM_EVENT_ADDR_RESOLVED]	 = "addr_resolved",
	[RDMA_CM_EVENT_ADDR_ERROR]	 = "addr_error",
	[RDMA_CM_EVENT_ROUTE_RESOLVED]	 = "route_resolved",
	[RDMA_CM_EVENT_ROUTE_ERROR]	 = "route_error",
	[RDMA_CM_EVENT_CONNECT_REQUEST]	 = "connect_request",
	[RDMA_CM_EVENT_CONNECT_RESPONSE] = "connect_response",
	[RDMA_CM_EVENT_CONNECT_ERROR]	 = "connect_error",
	[RDMA_CM_EVENT_UNREACHABLE]	 = "unreachable",
	[RDMA_CM_EVENT_REJECTED]	 = "rejected",
	[RDMA_CM_EVENT_ESTABLISHED]	 = "established",
	[RDMA_CM_EVENT_DISCONNECTED]	 = "disconnected",
	[RDMA_CM_EVENT_DEVICE_REMOVAL]	 = "device_removal",
	[RDMA_CM_EVENT_MULTICAST_JOIN]	 = "multicast_join",
	[RDMA_CM_EVENT_MULTICAST_ERROR]	 = "multicast_error",
	[RDMA_CM_EVENT_ADDR_CHANGE]	 = "addr_change",
	[RDMA_CM_EVENT_TIMEWAIT_EXIT]	 = "timewait_exit",
};

static const char * const action_names[] = {
	[RMC_FAULT_CM_PASS]	= "pass",
	[RMC_FAULT_CM_SWALLOW]	= "swallow",
	[RMC_FAULT_CM_DOUBLE]	= "double",
	[RMC_FAULT_CM_DELAY]	= "delay",
};

static struct fault points[RMC_FAULT_MAX];
static struct fault events[ARRAY_SIZE(event_names)];
static struct dentry *root;

/* Counts a pass and says whether the fault strikes on it. */
static bool fault_strikes(struct fault *fault)
{
	lockdep_assert_held(&fault->lock);

	fault->value[KNOB_PASSES]++;
	if (!fault->value[KNOB_TIMES])
		return false;
	if (fault->value[KNOB_SKIP]) {
		fault->value[KNOB_SKIP]--;
		return false;
	}
	if (fault->value[KNOB_TIMES] > 0)
		fault->value[KNOB_TIMES]--;
	fault->value[KNOB_HITS]++;
	return true;
}

int rmc_fault(enum rmc_fault_point point)
{
	struct fault *fault = &points[point];
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&fault->lock, flags);
	if (fault_strikes(fault))
		ret = fault->value[KNOB_ERRNO];
	spin_unlock_irqrestore(&fault->lock, flags);
	return ret;
}

enum rmc_fault_cm rmc_fault_cm_event(int event, unsigned int *delay_ms)
{
	enum rmc_fault_cm action = RMC_FAULT_CM_PASS;
	struct fault *fault;
	unsigned long flags;

	*delay_ms = 0;
	/* a newer kernel may know more events than this list */
	if (event < 0 || event >= (int)ARRAY_SIZE(events))
		return action;

	fault = &events[event];
	spin_lock_irqsave(&fault->lock, flags);
	if (fault_strikes(fault)) {
		action = fault->action;
		*delay_ms = fault->value[KNOB_DELAY_MS];
	}
	spin_unlock_irqrestore(&fault->lock, flags);
	return action;
}

static int knob_get(void *data, u64 *value)
{
	struct fault_file *file = data;

	spin_lock_irq(&file->fault->lock);
	*value = file->fault->value[file->knob];
	spin_unlock_irq(&file->fault->lock);
	return 0;
}

static int knob_set(void *data, u64 value)
{
	struct fault_file *file = data;
	s64 number = value;

	if (number < knobs[file->knob].min || number > knobs[file->knob].max)
		return -EINVAL;
	if (file->knob == KNOB_ERRNO) {
		/* a call that fails with 0 would look like one that worked */
		if (!number)
			return -EINVAL;
		number = number < 0 ? number : -number;
	}

	spin_lock_irq(&file->fault->lock);
	file->fault->value[file->knob] = number;
	spin_unlock_irq(&file->fault->lock);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE_SIGNED(knob_fops, knob_get, knob_set, "%lld\n");

static ssize_t action_read(struct file *file, char __user *ubuf, size_t count, loff_t *pos)
{
	struct fault *fault = file->private_data;
	enum rmc_fault_cm action;
	char buf[16];
	int len;

	spin_lock_irq(&fault->lock);
	action = fault->action;
	spin_unlock_irq(&fault->lock);

	len = scnprintf(buf, sizeof(buf), "%s\n", action_names[action]);
	return simple_read_from_buffer(ubuf, count, pos, buf, len);
}

static ssize_t action_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	struct fault *fault = file->private_data;
	char buf[16] = {};
	int action;

	if (*pos || count >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, ubuf, count))
		return -EFAULT;
	action = match_string(action_names, ARRAY_SIZE(action_names), strim(buf));
	if (action < 0)
		return action;

	spin_lock_irq(&fault->lock);
	fault->action = action;
	spin_unlock_irq(&fault->lock);
	return count;
}

static const struct file_operations action_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= action_read,
	.write	= action_write,
	.llseek	= default_llseek,
};

static struct dentry *fault_init(struct dentry *parent, const char *name, struct fault *fault,
				 enum knob not_here)
{
	struct dentry *dir = debugfs_create_dir(name, parent);
	enum knob knob;

	spin_lock_init(&fault->lock);
	fault->value[KNOB_ERRNO] = -ENOMEM;
	for (knob = 0; knob < KNOB_MAX; knob++) {
		fault->files[knob] = (struct fault_file) { fault, knob };
		if (knob != not_here)
			debugfs_create_file(knobs[knob].name, knobs[knob].mode, dir,
					    &fault->files[knob], &knob_fops);
	}
	return dir;
}

int rmc_fault_init(void)
{
	struct dentry *faults, *cm, *dir;
	unsigned int i;

	root = debugfs_create_dir("rmc", NULL);
	faults = debugfs_create_dir("faults", root);
	cm = debugfs_create_dir("cm", faults);
	for (i = 0; i < RMC_FAULT_MAX; i++)
		fault_init(faults, point_names[i], &points[i], KNOB_DELAY_MS);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		dir = fault_init(cm, event_names[i], &events[i], KNOB_ERRNO);
		debugfs_create_file("action", 0600, dir, &events[i], &action_fops);
	}

	/* in this build the knobs are the point: a test must not run without them */
	if (IS_ERR(cm)) {
		debugfs_remove(root);
		return PTR_ERR(cm);
	}
	return 0;
}

void rmc_fault_exit(void)
{
	debugfs_remove(root);
}
