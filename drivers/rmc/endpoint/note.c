// SPDX-License-Identifier: GPL-2.0
/* Events for userspace go to one receiver, which a face above installs. */
#include <linux/rcupdate.h>
#include "endpoint/endpoint.h"

typedef void (*receiver_fn)(struct net *net, const struct rmc_note *note);

static receiver_fn note_receiver;

void rmc_note_set_receiver(receiver_fn receiver)
{
	WRITE_ONCE(note_receiver, receiver);
	/* none is inside the old one when this returns */
	if (!receiver)
		synchronize_rcu();
}

void rmc_note_send(struct net *net, const struct rmc_note *note)
{
	receiver_fn receiver;

	rcu_read_lock();
	receiver = READ_ONCE(note_receiver);
	if (receiver)
		receiver(net, note);
	rcu_read_unlock();
}
