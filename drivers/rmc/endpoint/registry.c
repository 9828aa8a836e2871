// SPDX-License-Identifier: GPL-2.0
/*
 * Names and ids of endpoints, and their end with a namespace or the module.
 *
 * The registry holds no reference. An endpoint leaves it before its creator's
 * reference goes, so whoever finds it under the mutex finds it alive.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include "endpoint/ep.h"

static DEFINE_MUTEX(registry_mutex);
static DEFINE_HASHTABLE(names, 10);		/* registry_mutex */
static DEFINE_XARRAY_ALLOC1(ids);		/* registry_mutex */
static u32 next_id;				/* registry_mutex */
static atomic_t changes = ATOMIC_INIT(0);	/* for dumps: has anything come or gone? */

static u32 name_key(const struct net *net, const char *name)
{
	return jhash(name, strlen(name), net->hash_mix);
}

static struct rmc_ep *name_find(const struct net *net, const char *name)
{
	struct rmc_ep *ep;

	lockdep_assert_held(&registry_mutex);
	hash_for_each_possible(names, ep, name_node, name_key(net, name))
		if (net_eq(ep->net, net) && !strcmp(ep->attr.name, name))
			return ep;
	return NULL;
}

/* A name for a consumer that gave none. */
static void name_make(struct rmc_ep *ep)
{
	const struct module *owner = ep->gate.ops->owner;

	snprintf(ep->attr.name, sizeof(ep->attr.name), "%.48s-%u",
		 owner ? owner->name : "kernel", ep->id);
}

int rmc_ep_register(struct rmc_ep *ep)
{
	int ret;

	mutex_lock(&registry_mutex);
	if (ep->attr.name[0] && name_find(ep->net, ep->attr.name)) {
		ret = -EEXIST;
		goto out;
	}
	/* cyclic: an id comes again only after all others have been used */
	ret = xa_alloc_cyclic(&ids, &ep->id, ep, XA_LIMIT(1, INT_MAX), &next_id, GFP_KERNEL);
	if (ret < 0)
		goto out;
	ret = 0;
	if (!ep->attr.name[0])
		name_make(ep);
	if (name_find(ep->net, ep->attr.name)) {
		xa_erase(&ids, ep->id);
		ret = -EEXIST;
		goto out;
	}
	hash_add(names, &ep->name_node, name_key(ep->net, ep->attr.name));
	atomic_inc(&changes);
out:
	mutex_unlock(&registry_mutex);
	return ret;
}

bool rmc_ep_unregister(struct rmc_ep *ep)
{
	bool mine;

	mutex_lock(&registry_mutex);
	mine = xa_load(&ids, ep->id) == ep;
	if (mine) {
		xa_erase(&ids, ep->id);
		hash_del(&ep->name_node);
		atomic_inc(&changes);
	}
	mutex_unlock(&registry_mutex);
	return mine;
}

u32 rmc_ep_dump_seq(struct net *net)
{
	return atomic_read(&changes);
}

struct rmc_ep *rmc_ep_find(struct net *net, const char *name)
{
	struct rmc_ep *ep;

	mutex_lock(&registry_mutex);
	ep = name_find(net, name);
	if (ep)
		rmc_ep_get(ep);
	mutex_unlock(&registry_mutex);
	return ep;
}

static struct rmc_ep *next_from(struct net *net, u32 *id, bool user_only)
{
	struct rmc_ep *ep, *found = NULL;
	unsigned long index;

	mutex_lock(&registry_mutex);
	xa_for_each_start(&ids, index, ep, *id) {
		if (net && !net_eq(ep->net, net))
			continue;
		if (user_only && !ep->user)
			continue;
		rmc_ep_get(ep);
		*id = index;
		found = ep;
		break;
	}
	mutex_unlock(&registry_mutex);
	return found;
}

struct rmc_ep *rmc_ep_next_from(struct net *net, u32 *id)
{
	return next_from(net, id, false);
}

/* Ends all endpoints of userspace in @net, or everywhere. */
static void user_destroy_all(struct net *net)
{
	struct rmc_ep *ep;
	u32 id = 0;

	/* all begin to close before the first is waited for */
	while ((ep = next_from(net, &id, true))) {
		rmc_ep_shut(ep);
		rmc_ep_put(ep);
		id++;
	}
	for (id = 0; (ep = next_from(net, &id, true)); id++) {
		rmc_ep_end(ep);
		rmc_ep_put(ep);
	}
}

static void __net_exit registry_net_exit(struct net *net)
{
	user_destroy_all(net);
}

static struct pernet_operations registry_net_ops = {
	.exit = registry_net_exit,
};

int rmc_registry_init(void)
{
	return register_pernet_subsys(&registry_net_ops);
}

void rmc_registry_exit(void)
{
	user_destroy_all(NULL);
	unregister_pernet_subsys(&registry_net_ops);
	xa_destroy(&ids);
}
