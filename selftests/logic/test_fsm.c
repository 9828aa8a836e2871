// SPDX-License-Identifier: GPL-2.0
/*
 * The three state tables against what the design says, pair by pair, and what
 * must hold over any sequence of events.
 *
 * The rules below are written from the prose and in its order, not in the order
 * of the tables, and every pair they do not name must be refused.
 */
#include "test.h"
#include "fsm.h"

#define MAX_STATES	16
#define ANY		(-2)	/* in every state but those named after it */

struct rule {
	int	from;
	int	event;
	int	to;
};

struct machine {
	const char		*name;
	int			states;
	int			events;
	int			start;
	int			(*next)(int state, int event);
	const struct rule	*rules;
	int			nr_rules;
};

static int conn_next(int state, int event) { return rmc_conn_next(state, event); }
static int path_next(int state, int event) { return rmc_path_next(state, event); }
static int ep_next(int state, int event) { return rmc_ep_next(state, event); }

static const struct rule conn_rules[] = {
	/* an attempt walks down: address (asked again until it resolves), route, connect */
	{ RMC_CONN_NEW, RMC_CE_START, RMC_CONN_ADDR },
	{ RMC_CONN_ADDR, RMC_CE_ADDR_AGAIN, RMC_CONN_ADDR },
	{ RMC_CONN_ADDR, RMC_CE_ADDR_OK, RMC_CONN_ROUTE },
	{ RMC_CONN_ROUTE, RMC_CE_ROUTE_OK, RMC_CONN_CONNECT },
	/* a session says hello first, in verbs mode there is none */
	{ RMC_CONN_CONNECT, RMC_CE_ESTABLISHED, RMC_CONN_HELLO },
	{ RMC_CONN_HELLO, RMC_CE_UP, RMC_CONN_UP },
	{ RMC_CONN_CONNECT, RMC_CE_UP, RMC_CONN_UP },
	/* whatever goes wrong, and wherever, it drains; the fence ends it */
	{ RMC_CONN_NEW, RMC_CE_FAIL, RMC_CONN_DRAIN },
	{ RMC_CONN_ADDR, RMC_CE_FAIL, RMC_CONN_DRAIN },
	{ RMC_CONN_ROUTE, RMC_CE_FAIL, RMC_CONN_DRAIN },
	{ RMC_CONN_CONNECT, RMC_CE_FAIL, RMC_CONN_DRAIN },
	{ RMC_CONN_HELLO, RMC_CE_FAIL, RMC_CONN_DRAIN },
	{ RMC_CONN_UP, RMC_CE_FAIL, RMC_CONN_DRAIN },
	{ RMC_CONN_DRAIN, RMC_CE_FAIL, RMC_CONN_DRAIN },
	{ RMC_CONN_DRAIN, RMC_CE_FENCED, RMC_CONN_DEAD },
};

static const struct rule path_rules[] = {
	/* an admin's word counts in every state */
	{ RMC_PATH_DISABLED, RMC_PE_ENABLE, RMC_PATH_CONNECTING },
	{ ANY, RMC_PE_DISABLE, RMC_PATH_DISABLED },
	/* how an attempt may end */
	{ RMC_PATH_CONNECTING, RMC_PE_UP, RMC_PATH_UP },
	{ RMC_PATH_CONNECTING, RMC_PE_FAIL, RMC_PATH_BACKOFF },
	{ RMC_PATH_CONNECTING, RMC_PE_ABSENT, RMC_PATH_WAITING },
	{ RMC_PATH_CONNECTING, RMC_PE_REFUSE, RMC_PATH_REFUSED },
	/* and how the next begins: a refusal needs a reason to try again */
	{ RMC_PATH_BACKOFF, RMC_PE_DUE, RMC_PATH_CONNECTING },
	{ RMC_PATH_WAITING, RMC_PE_DUE, RMC_PATH_CONNECTING },
	{ RMC_PATH_REFUSED, RMC_PE_RETRY, RMC_PATH_CONNECTING },
	/* a probe is overdue, the peer answers after all */
	{ RMC_PATH_UP, RMC_PE_SUSPECT, RMC_PATH_SUSPECT },
	{ RMC_PATH_SUSPECT, RMC_PE_PROVEN, RMC_PATH_UP },
	/* or does not; or the device goes away under a living path */
	{ RMC_PATH_UP, RMC_PE_FAIL, RMC_PATH_BACKOFF },
	{ RMC_PATH_SUSPECT, RMC_PE_FAIL, RMC_PATH_BACKOFF },
	{ RMC_PATH_UP, RMC_PE_ABSENT, RMC_PATH_WAITING },
	{ RMC_PATH_SUSPECT, RMC_PE_ABSENT, RMC_PATH_WAITING },
};

static const struct rule ep_rules[] = {
	/* closing is final and may be asked for anywhere */
	{ ANY, RMC_EE_CLOSE, RMC_EP_CLOSED },
	/* disconnecting leads to IDLE, from LOST too */
	{ RMC_EP_IDLE, RMC_EE_DISCONNECT, RMC_EP_IDLE },
	{ RMC_EP_CONNECTING, RMC_EE_DISCONNECT, RMC_EP_IDLE },
	{ RMC_EP_UP, RMC_EE_DISCONNECT, RMC_EP_IDLE },
	{ RMC_EP_DEGRADED, RMC_EE_DISCONNECT, RMC_EP_IDLE },
	{ RMC_EP_RECOVERING, RMC_EE_DISCONNECT, RMC_EP_IDLE },
	{ RMC_EP_FAILFAST, RMC_EE_DISCONNECT, RMC_EP_IDLE },
	{ RMC_EP_LOST, RMC_EE_DISCONNECT, RMC_EP_IDLE },
	/* connect starts a resting endpoint, also a lost one, and is nothing to a busy one */
	{ RMC_EP_IDLE, RMC_EE_CONNECT, RMC_EP_CONNECTING },
	{ RMC_EP_LOST, RMC_EE_CONNECT, RMC_EP_CONNECTING },
	{ RMC_EP_CONNECTING, RMC_EE_CONNECT, RMC_EP_CONNECTING },
	{ RMC_EP_UP, RMC_EE_CONNECT, RMC_EP_UP },
	{ RMC_EP_DEGRADED, RMC_EE_CONNECT, RMC_EP_DEGRADED },
	{ RMC_EP_RECOVERING, RMC_EE_CONNECT, RMC_EP_RECOVERING },
	{ RMC_EP_FAILFAST, RMC_EE_CONNECT, RMC_EP_FAILFAST },
	/* all paths up is UP, some is DEGRADED, wherever attempts are made */
	{ RMC_EP_CONNECTING, RMC_EE_ALL_UP, RMC_EP_UP },
	{ RMC_EP_UP, RMC_EE_ALL_UP, RMC_EP_UP },
	{ RMC_EP_DEGRADED, RMC_EE_ALL_UP, RMC_EP_UP },
	{ RMC_EP_RECOVERING, RMC_EE_ALL_UP, RMC_EP_UP },
	{ RMC_EP_FAILFAST, RMC_EE_ALL_UP, RMC_EP_UP },
	{ RMC_EP_CONNECTING, RMC_EE_SOME_UP, RMC_EP_DEGRADED },
	{ RMC_EP_UP, RMC_EE_SOME_UP, RMC_EP_DEGRADED },
	{ RMC_EP_DEGRADED, RMC_EE_SOME_UP, RMC_EP_DEGRADED },
	{ RMC_EP_RECOVERING, RMC_EE_SOME_UP, RMC_EP_DEGRADED },
	{ RMC_EP_FAILFAST, RMC_EE_SOME_UP, RMC_EP_DEGRADED },
	/* none up: what was up recovers, what was not stays what it was */
	{ RMC_EP_UP, RMC_EE_NONE_UP, RMC_EP_RECOVERING },
	{ RMC_EP_DEGRADED, RMC_EE_NONE_UP, RMC_EP_RECOVERING },
	{ RMC_EP_CONNECTING, RMC_EE_NONE_UP, RMC_EP_CONNECTING },
	{ RMC_EP_RECOVERING, RMC_EE_NONE_UP, RMC_EP_RECOVERING },
	{ RMC_EP_FAILFAST, RMC_EE_NONE_UP, RMC_EP_FAILFAST },
	/* held for too long; given up while no path is up */
	{ RMC_EP_RECOVERING, RMC_EE_FAIL_FAST, RMC_EP_FAILFAST },
	{ RMC_EP_CONNECTING, RMC_EE_LOSS, RMC_EP_LOST },
	{ RMC_EP_RECOVERING, RMC_EE_LOSS, RMC_EP_LOST },
	{ RMC_EP_FAILFAST, RMC_EE_LOSS, RMC_EP_LOST },
};

static const struct machine conn = {
	"connection", RMC_CONN_STATES, RMC_CE_MAX, RMC_CONN_NEW, conn_next,
	conn_rules, ARRAY_SIZE(conn_rules),
};

static const struct machine path = {
	"path", RMC_PATH_STATES, RMC_PE_MAX, RMC_PATH_DISABLED, path_next,
	path_rules, ARRAY_SIZE(path_rules),
};

static const struct machine ep = {
	"endpoint", RMC_EP_STATES, RMC_EE_MAX, RMC_EP_IDLE, ep_next,
	ep_rules, ARRAY_SIZE(ep_rules),
};

static int expected(const struct machine *m, int state, int event)
{
	int i;

	for (i = 0; i < m->nr_rules; i++)
		if (m->rules[i].event == event &&
		    (m->rules[i].from == state || m->rules[i].from == ANY))
			return m->rules[i].to;
	return RMC_FSM_NONE;
}

static void every_pair(const struct machine *m)
{
	int state, event, bad = 0;

	for (state = 0; state < m->states; state++) {
		for (event = 0; event < m->events; event++) {
			int is = m->next(state, event);
			int should = expected(m, state, event);

			if (is == should)
				continue;
			print_error("%s: state %d, event %d: goes to %d, should go to %d\n",
				    m->name, state, event, is, should);
			bad++;
		}
	}
	assert_int_equal(bad, 0);
}

static void every_pair_of_a_connection_is_as_designed(void **state)
{
	every_pair(&conn);
}

static void every_pair_of_a_path_is_as_designed(void **state)
{
	every_pair(&path);
}

static void every_pair_of_an_endpoint_is_as_designed(void **state)
{
	every_pair(&ep);
}

static void numbers_out_of_range_are_no_transition(void **state)
{
	static const struct machine * const all[] = { &conn, &path, &ep };
	static const int wild[] = { -1, -1000, 1000, 0x7fffffff, -0x7fffffff };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		const struct machine *m = all[i];

		assert_int_equal(m->next(m->states, 0), RMC_FSM_NONE);
		assert_int_equal(m->next(0, m->events), RMC_FSM_NONE);
		for (j = 0; j < ARRAY_SIZE(wild); j++) {
			assert_int_equal(m->next(wild[j], 0), RMC_FSM_NONE);
			assert_int_equal(m->next(0, wild[j]), RMC_FSM_NONE);
		}
	}
}

static void every_state_can_be_reached(const struct machine *m)
{
	bool seen[MAX_STATES] = {};
	bool more = true;
	int s, e;

	seen[m->start] = true;
	while (more) {
		more = false;
		for (s = 0; s < m->states; s++) {
			for (e = 0; seen[s] && e < m->events; e++) {
				int to = m->next(s, e);

				if (to < 0 || seen[to])
					continue;
				seen[to] = true;
				more = true;
			}
		}
	}
	for (s = 0; s < m->states; s++)
		assert_true(seen[s]);
}

static void no_state_is_out_of_reach(void **state)
{
	every_state_can_be_reached(&conn);
	every_state_can_be_reached(&path);
	every_state_can_be_reached(&ep);
}

static void a_dead_connection_stays_dead(void **state)
{
	int e;

	for (e = 0; e < RMC_CE_MAX; e++)
		assert_int_equal(rmc_conn_next(RMC_CONN_DEAD, e), RMC_FSM_NONE);
}

static void a_closed_endpoint_stays_closed(void **state)
{
	int e;

	for (e = 0; e < RMC_EE_MAX; e++) {
		int to = rmc_ep_next(RMC_EP_CLOSED, e);

		assert_true(to == RMC_FSM_NONE || to == RMC_EP_CLOSED);
	}
}

static void everything_can_be_brought_to_rest_from_everywhere(void **state)
{
	int s;

	for (s = 0; s < RMC_CONN_DEAD; s++) {
		int to = rmc_conn_next(s, RMC_CE_FAIL);

		assert_int_equal(to, RMC_CONN_DRAIN);
		assert_int_equal(rmc_conn_next(to, RMC_CE_FENCED), RMC_CONN_DEAD);
	}
	for (s = 0; s < RMC_PATH_STATES; s++)
		assert_int_equal(rmc_path_next(s, RMC_PE_DISABLE), RMC_PATH_DISABLED);
	for (s = 0; s < RMC_EP_STATES; s++)
		assert_int_equal(rmc_ep_next(s, RMC_EE_CLOSE), RMC_EP_CLOSED);
}

static void a_resting_path_and_endpoint_can_be_started_again(void **state)
{
	assert_int_equal(rmc_path_next(RMC_PATH_DISABLED, RMC_PE_ENABLE), RMC_PATH_CONNECTING);
	assert_int_equal(rmc_ep_next(RMC_EP_IDLE, RMC_EE_CONNECT), RMC_EP_CONNECTING);
	assert_int_equal(rmc_ep_next(RMC_EP_LOST, RMC_EE_CONNECT), RMC_EP_CONNECTING);
}

/* I4: setup, up, lost, teardown of a connection each at most once, in order. */
static void i4_a_connection_is_up_at_most_once(void **state)
{
	int round, step;

	for (round = 0; round < 20000; round++) {
		int s = RMC_CONN_NEW, ups = 0, deaths = 0;

		for (step = 0; step < 60; step++) {
			int to = rmc_conn_next(s, rnd() % RMC_CE_MAX);

			if (to == RMC_FSM_NONE)
				continue;
			assert_in_range(to, 0, RMC_CONN_STATES - 1);
			/* I3: nothing leads back to an earlier stage */
			assert_true(to >= s);
			ups += to == RMC_CONN_UP && s != RMC_CONN_UP;
			deaths += to == RMC_CONN_DEAD;
			s = to;
		}
		assert_true(ups <= 1);
		assert_true(deaths <= 1);
	}
}

static void random_events_never_leave_the_states(void **state)
{
	static const struct machine * const all[] = { &path, &ep };
	size_t i;
	int step;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		int s = all[i]->start;

		for (step = 0; step < 200000; step++) {
			int to = all[i]->next(s, rnd() % all[i]->events);

			assert_true(to >= RMC_FSM_NONE && to < all[i]->states);
			if (to != RMC_FSM_NONE)
				s = to;
			if (all[i] == &ep && s == RMC_EP_CLOSED)
				s = ep.start;
		}
	}
}

static void a_path_comes_up_only_from_an_attempt_or_a_suspicion(void **state)
{
	int s, e;

	for (s = 0; s < RMC_PATH_STATES; s++)
		for (e = 0; e < RMC_PE_MAX; e++)
			if (rmc_path_next(s, e) == RMC_PATH_UP)
				assert_true(s == RMC_PATH_CONNECTING || s == RMC_PATH_SUSPECT);
}

static void only_a_word_from_outside_leaves_lost_and_refused(void **state)
{
	int e;

	for (e = 0; e < RMC_EE_MAX; e++)
		if (e != RMC_EE_CONNECT && e != RMC_EE_DISCONNECT && e != RMC_EE_CLOSE)
			assert_int_equal(rmc_ep_next(RMC_EP_LOST, e), RMC_FSM_NONE);
	for (e = 0; e < RMC_PE_MAX; e++)
		if (e != RMC_PE_RETRY && e != RMC_PE_DISABLE)
			assert_int_equal(rmc_path_next(RMC_PATH_REFUSED, e), RMC_FSM_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_of_a_connection_is_as_designed),
		cmocka_unit_test(every_pair_of_a_path_is_as_designed),
		cmocka_unit_test(every_pair_of_an_endpoint_is_as_designed),
		cmocka_unit_test(numbers_out_of_range_are_no_transition),
		cmocka_unit_test(no_state_is_out_of_reach),
		cmocka_unit_test(a_dead_connection_stays_dead),
		cmocka_unit_test(a_closed_endpoint_stays_closed),
		cmocka_unit_test(everything_can_be_brought_to_rest_from_everywhere),
		cmocka_unit_test(a_resting_path_and_endpoint_can_be_started_again),
		cmocka_unit_test(i4_a_connection_is_up_at_most_once),
		cmocka_unit_test(random_events_never_leave_the_states),
		cmocka_unit_test(a_path_comes_up_only_from_an_attempt_or_a_suspicion),
		cmocka_unit_test(only_a_word_from_outside_leaves_lost_and_refused),
	};

	rnd_start("state tables");
	return cmocka_run_group_tests_name("state tables", tests, NULL, NULL);
}
