// SPDX-License-Identifier: GPL-2.0
/* The state of an endpoint: what its paths make of it, timers, and who is told. */
#include <linux/ktime.h>
#include <trace/events/rmc.h>
#include "endpoint/ep.h"
#include "verbs/wq.h"

static void news_work(struct work_struct *work)
{
	struct rmc_ep *ep = container_of(work, struct rmc_ep, news.work);
	const struct rmc_ep_ops *ops = ep->gate.ops;
	struct rmc_gate_pass pass;
	struct rmc_news news;

	rmc_gate_enter(&ep->gate, &pass);
	spin_lock_irq(&ep->lock);
	while (ep->news.count) {
		news = ep->news.ring[ep->news.head];
		ep->news.head = (ep->news.head + 1) % RMC_NEWS_MAX;
		ep->news.count--;
		ep->news.busy = true;
		spin_unlock_irq(&ep->lock);
		if (news.is_state && ops->state)
			ops->state(ep, news.from, news.to, &news.why);
		else if (!news.is_state && ops->preferred)
			ops->preferred(ep, news.path_id);
		spin_lock_irq(&ep->lock);
		ep->news.busy = false;
	}
	spin_unlock_irq(&ep->lock);
	rmc_gate_leave(&ep->gate, &pass);
	wake_up_all(&ep->wait);
	rmc_ep_put(ep);
}

static struct rmc_news *news_at(struct rmc_ep *ep, unsigned int i)
{
	return &ep->news.ring[(ep->news.head + i) % RMC_NEWS_MAX];
}

/*
 * A consumer that is a whole ring behind misses steps, never the way: the oldest
 * two of a kind become one that leads from the first to the last.
 */
static void news_fold(struct rmc_ep *ep)
{
	struct rmc_news *oldest = news_at(ep, 0);
	unsigned int i;

	for (i = 1; i < ep->news.count; i++)
		if (news_at(ep, i)->is_state == oldest->is_state)
			break;
	if (i < ep->news.count) {
		news_at(ep, i)->from = oldest->from;
	} else {
		/* the only one of its kind stays, and the two behind it become one */
		news_at(ep, 2)->from = news_at(ep, 1)->from;
		*news_at(ep, 1) = *oldest;
	}
	ep->news.head = (ep->news.head + 1) % RMC_NEWS_MAX;
	ep->news.count--;
}

static void news_add(struct rmc_ep *ep, const struct rmc_news *news)
{
	lockdep_assert_held(&ep->lock);
	if (news->is_state ? !ep->gate.ops->state : !ep->gate.ops->preferred)
		return;
	if (ep->news.count == RMC_NEWS_MAX)
		news_fold(ep);
	ep->news.ring[(ep->news.head + ep->news.count++) % RMC_NEWS_MAX] = *news;
	rmc_ep_get(ep);
	if (!queue_work(rmc_fence_wq, &ep->news.work))
		rmc_ep_put(ep);
}

bool rmc_ep_news_told(struct rmc_ep *ep)
{
	unsigned long flags;
	bool told;

	spin_lock_irqsave(&ep->lock, flags);
	told = !ep->news.count && !ep->news.busy;
	spin_unlock_irqrestore(&ep->lock, flags);
	return told;
}

/* The paths run, or would if they could. */
bool rmc_ep_is_wanted(const struct rmc_ep *ep)
{
	switch (ep->state) {
	case RMC_EP_CONNECTING:
	case RMC_EP_UP:
	case RMC_EP_DEGRADED:
	case RMC_EP_RECOVERING:
	case RMC_EP_FAILFAST:
		return true;
	default:
		return false;
	}
}

static bool state_is_up(enum rmc_ep_state state)
{
	return state == RMC_EP_UP || state == RMC_EP_DEGRADED;
}

static void want_paths(struct rmc_ep *ep)
{
	bool wanted = rmc_ep_is_wanted(ep);
	unsigned int i;

	for (i = 0; i < RMC_MAX_PATHS; i++) {
		struct rmc_path *path = ep->paths[i];

		if (!path)
			continue;
		WRITE_ONCE(path->given_up, ep->state == RMC_EP_LOST);
		rmc_path_want(path, wanted && !READ_ONCE(path->attr.down));
	}
}

/* The one writer of rmc_ep.state (I1). */
bool rmc_ep_event(struct rmc_ep *ep, enum rmc_ep_event event, const struct rmc_reason *why)
{
	enum rmc_ep_state from = ep->state;
	int next = rmc_ep_next(from, event);
	struct rmc_news news = { .is_state = true, .from = from, .to = next, .why = *why };
	struct rmc_note note = { .kind = RMC_NOTE_EP, .ep = ep->attr.name, .ep_id = ep->id,
				 .path = -1, .conn = -1, .from = from, .to = next,
				 .reason = *why };
	bool wanted = rmc_ep_is_wanted(ep);

	lockdep_assert_held(&ep->lock);
	if (next == RMC_FSM_NONE) {
		ep->misfits++;
		trace_rmc_misfit(ep->id, -1, "ep", rmc_ep_state_name(from),
				 rmc_ep_event_name(event));
		return false;
	}
	if (next == from)
		return true;
	note.ts_ns = ktime_get_ns();
	ep->since_ns = note.ts_ns;
	ep->reason = *why;
	WRITE_ONCE(ep->state, next);
	if (state_is_up(next))
		ep->none_ns = 0;
	else if (state_is_up(from) || !wanted)
		ep->none_ns = note.ts_ns;
	trace_rmc_ep_state(ep->id, from, next, why);
	news_add(ep, &news);
	rmc_note_send(ep->net, &note);
	if (wanted != rmc_ep_is_wanted(ep))
		want_paths(ep);
	wake_up_all(&ep->wait);
	return true;
}

static void choose(struct rmc_ep *ep)
{
	struct rmc_candidate candidates[RMC_MAX_PATHS];
	struct rmc_news news = {};
	unsigned int i, n = 0;

	for (i = 0; i < RMC_MAX_PATHS; i++) {
		const struct rmc_path *path = ep->paths[i];

		if (!path)
			continue;
		candidates[n++] = (struct rmc_candidate){
			.id = path->id,
			.up = READ_ONCE(path->state) == RMC_PATH_UP,
			.priority = READ_ONCE(path->attr.priority),
			.weight = READ_ONCE(path->attr.weight),
		};
	}
	news.path_id = rmc_choose(ep->attr.policy, &ep->choice, candidates, n);
	if (news.path_id == ep->preferred)
		return;
	WRITE_ONCE(ep->preferred, news.path_id);
	news_add(ep, &news);
}

/* Every enabled path has failed as often as it may. */
static bool is_exhausted(const struct rmc_ep *ep)
{
	unsigned int i, enabled = 0;

	if (!ep->attr.max_attempts)
		return false;
	for (i = 0; i < RMC_MAX_PATHS; i++) {
		const struct rmc_path *path = ep->paths[i];

		if (!path || READ_ONCE(path->attr.down))
			continue;
		enabled++;
		/* what failed before it was asked anew does not count */
		if (smp_load_acquire(&path->restart) || READ_ONCE(path->state) == RMC_PATH_DISABLED)
			return false;
		if (READ_ONCE(path->retry.failures) < ep->attr.max_attempts)
			return false;
	}
	return enabled;
}

void rmc_ep_evaluate(struct rmc_ep *ep, const struct rmc_reason *why)
{
	const struct rmc_reason attempts = { .code = RMC_REASON_ATTEMPTS, .err = -ETIMEDOUT };
	unsigned int i, enabled = 0, up = 0;

	lockdep_assert_held(&ep->lock);
	choose(ep);
	if (!rmc_ep_is_wanted(ep))
		return;
	for (i = 0; i < RMC_MAX_PATHS; i++) {
		const struct rmc_path *path = ep->paths[i];

		if (!path || READ_ONCE(path->attr.down))
			continue;
		enabled++;
		up += READ_ONCE(path->state) == RMC_PATH_UP && !READ_ONCE(path->restart);
	}
	if (up && up == enabled)
		rmc_ep_event(ep, RMC_EE_ALL_UP, why);
	else if (up)
		rmc_ep_event(ep, RMC_EE_SOME_UP, why);
	else
		rmc_ep_event(ep, RMC_EE_NONE_UP, why);
	/* the cause of the last attempt says more than that there were too many */
	if (!up && is_exhausted(ep))
		rmc_ep_event(ep, RMC_EE_LOSS, why->code ? why : &attempts);
	rmc_ep_arm(ep);
}

/* ns until @ms after @since, 0 when that is over. */
static u64 left_ns(u64 since, u32 ms, u64 now)
{
	u64 end = since + ms * RMC_NS_PER_MS;

	return end > now ? end - now : 0;
}

static bool may_fail_fast(const struct rmc_ep *ep)
{
	return ep->state == RMC_EP_RECOVERING;
}

/* Arms the timer for whichever limit comes next. */
void rmc_ep_arm(struct rmc_ep *ep)
{
	u64 now = ktime_get_ns();
	u64 next = U64_MAX;

	lockdep_assert_held(&ep->lock);
	if (ep->none_ns && rmc_ep_is_wanted(ep)) {
		if (may_fail_fast(ep))
			next = left_ns(ep->none_ns, ep->attr.fail_fast_ms, now);
		if (ep->attr.loss_ms)
			next = min(next, left_ns(ep->none_ns, ep->attr.loss_ms, now));
	}
	if (next == U64_MAX) {
		if (cancel_delayed_work(&ep->timeout))
			rmc_ep_put(ep);
		return;
	}
	rmc_ep_get(ep);
	/* it was pending with its reference: only the time has changed */
	if (mod_delayed_work(rmc_core_wq, &ep->timeout, nsecs_to_jiffies(next) + 1))
		rmc_ep_put(ep);
}

static void timeout_work(struct work_struct *work)
{
	struct rmc_ep *ep = container_of(work, struct rmc_ep, timeout.work);
	const struct rmc_reason fast = { .code = RMC_REASON_FAIL_FAST, .err = -ETIMEDOUT };
	const struct rmc_reason lost = { .code = RMC_REASON_TIMED_OUT, .err = -ETIMEDOUT };
	u64 now = ktime_get_ns();

	spin_lock_irq(&ep->lock);
	if (ep->none_ns && rmc_ep_is_wanted(ep)) {
		if (may_fail_fast(ep) && !left_ns(ep->none_ns, ep->attr.fail_fast_ms, now))
			rmc_ep_event(ep, RMC_EE_FAIL_FAST, &fast);
		if (ep->attr.loss_ms && !left_ns(ep->none_ns, ep->attr.loss_ms, now))
			rmc_ep_event(ep, RMC_EE_LOSS, &lost);
		rmc_ep_arm(ep);
	}
	spin_unlock_irq(&ep->lock);
	rmc_ep_put(ep);
}

void rmc_ep_state_init(struct rmc_ep *ep)
{
	INIT_WORK(&ep->news.work, news_work);
	INIT_DELAYED_WORK(&ep->timeout, timeout_work);
	ep->preferred = -1;
}
