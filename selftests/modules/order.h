/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What rmc promises about the ops of one connection, as a checker: setup,
 * private, up, lost, teardown at most once each and in this order, never two
 * at a time, lost only and always after an up that returned 0.
 */
#ifndef RMC_SELFTEST_ORDER_H
#define RMC_SELFTEST_ORDER_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/types.h>

enum order_op {
	ORDER_SETUP,
	ORDER_PRIVATE,
	ORDER_UP,
	ORDER_LOST,
	ORDER_TEARDOWN,
};

struct order {
	atomic_t	inside;		/* an op is running */
	unsigned int	begun;		/* BIT() of each op that was called */
	unsigned int	good;		/* of those, the ones that returned no error */
};

/* False: this call breaks the promise. */
static inline bool order_enter(struct order *o, enum order_op op)
{
	bool ok = !atomic_xchg(&o->inside, 1);

	/* no op may follow one that comes later in the list, or itself */
	ok = ok && !(o->begun >> op);
	switch (op) {
	case ORDER_SETUP:
		break;
	case ORDER_PRIVATE:
		ok = ok && o->good == BIT(ORDER_SETUP);
		break;
	case ORDER_UP:
		ok = ok && o->good == (BIT(ORDER_SETUP) | BIT(ORDER_PRIVATE));
		break;
	case ORDER_LOST:
		ok = ok && (o->good & BIT(ORDER_UP));
		break;
	case ORDER_TEARDOWN:
		ok = ok && (o->begun & BIT(ORDER_SETUP)) &&
		     (!(o->good & BIT(ORDER_UP)) || (o->begun & BIT(ORDER_LOST)));
		break;
	}
	o->begun |= BIT(op);
	return ok;
}

static inline bool order_leave(struct order *o, enum order_op op, bool good)
{
	if (good)
		o->good |= BIT(op);
	return atomic_xchg(&o->inside, 0) == 1;
}

#endif /* RMC_SELFTEST_ORDER_H */
