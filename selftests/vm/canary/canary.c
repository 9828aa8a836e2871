// SPDX-License-Identifier: GPL-2.0
/* canary.ko mode=NAME commits one deliberate sin, to prove that the test machine reports it. */
#include <linux/delay.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

static char *mode = "none";
module_param(mode, charp, 0444);
MODULE_PARM_DESC(mode, "what to do wrong");

struct victim {
	struct list_head list;
	char buf[40];
	refcount_t ref;
	struct delayed_work work;
};

static DEFINE_MUTEX(lock_a);	/* protects nothing, is taken in the wrong order */
static DEFINE_MUTEX(lock_b);	/* protects nothing, is taken in the wrong order */
static DEFINE_SPINLOCK(spin);	/* protects nothing, is slept under */
static LIST_HEAD(victims);

static void work_fn(struct work_struct *work)
{
}

static void sin_leak(struct victim *v)
{
}

static void sin_oob(struct victim *v)
{
	size_t end = sizeof(*v);

	OPTIMIZER_HIDE_VAR(end);
	WRITE_ONCE(((char *)v)[end], 1);
	kfree(v);
}

static void sin_uaf(struct victim *v)
{
	kfree(v);
	WRITE_ONCE(v->buf[3], 1);
}

static void sin_abba(struct victim *v)
{
	mutex_lock(&lock_a);
	mutex_lock(&lock_b);
	mutex_unlock(&lock_b);
	mutex_unlock(&lock_a);
	mutex_lock(&lock_b);
	mutex_lock(&lock_a);
	mutex_unlock(&lock_a);
	mutex_unlock(&lock_b);
	kfree(v);
}

static void sin_atomic(struct victim *v)
{
	spin_lock(&spin);
	msleep(20);
	spin_unlock(&spin);
	kfree(v);
}

static void sin_ref(struct victim *v)
{
	refcount_set(&v->ref, 0);
	refcount_inc(&v->ref);
	kfree(v);
}

static void sin_workfree(struct victim *v)
{
	INIT_DELAYED_WORK(&v->work, work_fn);
	schedule_delayed_work(&v->work, HZ);
	kfree(v);
}

static void sin_ubsan(struct victim *v)
{
	int far = 40;

	OPTIMIZER_HIDE_VAR(far);
	WRITE_ONCE(v->buf[0], 1 << far);
	kfree(v);
}

static void sin_list(struct victim *v)
{
	list_add(&v->list, &victims);
	list_add(&v->list, &victims);
}

static void sin_warn(struct victim *v)
{
	kfree(v);
	WARN(1, "canary\n");
}

static void sin_panic(struct victim *v)
{
	panic("canary");
}

static const struct {
	const char *name;
	void (*commit)(struct victim *v);
} sins[] = {
	{ "leak", sin_leak },
	{ "oob", sin_oob },
	{ "uaf", sin_uaf },
	{ "abba", sin_abba },
	{ "atomic", sin_atomic },
	{ "ref", sin_ref },
	{ "workfree", sin_workfree },
	{ "ubsan", sin_ubsan },
	{ "list", sin_list },
	{ "warn", sin_warn },
	{ "panic", sin_panic },
};

static int __init canary_init(void)
{
	struct victim *v;
	int i;

	for (i = 0; i < ARRAY_SIZE(sins); i++) {
		if (strcmp(mode, sins[i].name))
			continue;
		v = kzalloc(sizeof(*v), GFP_KERNEL);
		if (!v)
			return -ENOMEM;
		sins[i].commit(v);
		return 0;
	}
	return -EINVAL;
}

static void __exit canary_exit(void)
{
}

module_init(canary_init);
module_exit(canary_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("rmc: proves that the test machine finds what it should find");
