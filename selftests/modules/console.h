/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A debugfs folder with two files: a line written to "run" is carried out
 * before the write returns, and "result" says how it went.
 */
#ifndef RMC_SELFTEST_CONSOLE_H
#define RMC_SELFTEST_CONSOLE_H

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/stdarg.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#define CONSOLE_SIZE	65536

struct console {
	struct mutex	lock;		/* one command at a time; protects text and used */
	char		*text;
	size_t		used;
	struct dentry	*dir;
	/* an errno fails the write; what went wrong inside a test is said instead */
	int		(*run)(struct console *c, const char *name, const char *args);
};

static __printf(2, 3) inline void console_say(struct console *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	c->used += vscnprintf(c->text + c->used, CONSOLE_SIZE - c->used, fmt, args);
	va_end(args);
}

static inline ssize_t console_write(struct file *file, const char __user *from, size_t len,
				    loff_t *pos)
{
	struct console *c = file->private_data;
	char *line, *name, *args;
	int err;

	if (len > 512)
		return -EINVAL;
	line = memdup_user_nul(from, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	args = strim(line);
	name = strsep(&args, " \t");
	if (mutex_lock_interruptible(&c->lock)) {
		kfree(line);
		return -EINTR;
	}
	c->used = 0;
	err = c->run(c, name, args ?: "");
	mutex_unlock(&c->lock);
	kfree(line);
	return err ?: len;
}

static inline int console_show(struct seq_file *m, void *unused)
{
	struct console *c = m->private;

	if (mutex_lock_interruptible(&c->lock))
		return -EINTR;
	seq_write(m, c->text, c->used);
	mutex_unlock(&c->lock);
	return 0;
}

static inline int console_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, console_show, inode->i_private, CONSOLE_SIZE);
}

static const struct file_operations console_run_fops = {
	.owner		= THIS_MODULE,
	.open		= simple_open,
	.write		= console_write,
};

static const struct file_operations console_result_fops = {
	.owner		= THIS_MODULE,
	.open		= console_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static inline int console_init(struct console *c, const char *dir,
			       int (*run)(struct console *c, const char *name, const char *args))
{
	c->text = vzalloc(CONSOLE_SIZE);
	if (!c->text)
		return -ENOMEM;
	c->run = run;
	c->used = 0;
	mutex_init(&c->lock);
	c->dir = debugfs_create_dir(dir, NULL);
	debugfs_create_file("run", 0200, c->dir, c, &console_run_fops);
	debugfs_create_file("result", 0444, c->dir, c, &console_result_fops);
	return 0;
}

static inline void console_exit(struct console *c)
{
	debugfs_remove(c->dir);
	vfree(c->text);
}

#endif /* RMC_SELFTEST_CONSOLE_H */
