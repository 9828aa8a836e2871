// SPDX-License-Identifier: GPL-2.0
/* The names that scripts read are ABI: spelled out here once more. */
#include <ctype.h>
#include "test.h"
#include "fsm.h"
#include "settings.h"

static const char *conn_state(int n) { return rmc_conn_state_name(n); }
static const char *path_state(int n) { return rmc_path_state_name(n); }
static const char *ep_state(int n) { return rmc_ep_state_name(n); }
static const char *conn_event(int n) { return rmc_conn_event_name(n); }
static const char *path_event(int n) { return rmc_path_event_name(n); }
static const char *ep_event(int n) { return rmc_ep_event_name(n); }
static const char *reason(int n) { return rmc_reason_str(n); }
static const char *setting(int n) { return rmc_setting_name(n); }

static const struct {
	const char		*(*name)(int n);
	int			count;
	const char * const	*all;	/* in the order of their numbers */
} lists[] = {
	{ conn_state, RMC_CONN_STATES,
	  (const char * const []) {
	    "new", "addr", "route", "connect", "hello", "up", "drain", "dead", NULL } },
	{ path_state, RMC_PATH_STATES,
	  (const char * const []) {
	    "disabled", "waiting", "connecting", "up", "suspect", "backoff", "refused", NULL } },
	{ ep_state, RMC_EP_STATES,
	  (const char * const []) {
	    "idle", "connecting", "up", "degraded", "recovering", "failfast", "lost",
	    "closed", NULL } },
	{ conn_event, RMC_CE_MAX,
	  (const char * const []) {
	    "start", "addr-again", "addr-ok", "route-ok", "established", "up", "fail",
	    "fenced", NULL } },
	{ path_event, RMC_PE_MAX,
	  (const char * const []) {
	    "enable", "disable", "due", "up", "fail", "absent", "refuse", "suspect", "proven",
	    "retry", NULL } },
	{ ep_event, RMC_EE_MAX,
	  (const char * const []) {
	    "connect", "disconnect", "all-up", "some-up", "none-up", "fail-fast", "loss",
	    "close", NULL } },
	{ reason, RMC_REASON_MAX,
	  (const char * const []) {
	    "none", "admin", "consumer", "no-device", "no-address", "no-route", "addr-timeout",
	    "addr-error", "route-error", "connect-timeout", "connect-error", "unreachable",
	    "rejected", "no-listener", "stale-connection", "resources", "unsupported",
	    "probe-timeout", "qp-error", "peer-disconnect", "link-down", "carrier-lost",
	    "addr-removed", "addr-change", "device-removed", "generation", "superseded",
	    "timed-out", "attempts", "fail-fast", "fault", NULL } },
	{ setting, RMC_S_MAX,
	  (const char * const []) {
	    "connect_ms", "fail_fast_ms", "loss_ms", "max_attempts", "backoff_min_ms",
	    "backoff_max_ms", "detect_ms", "conns", "depth", "tos", "ack_timeout", "rnr_timer",
	    "retry_count", NULL } },
};

static void every_name_is_the_one_promised(void **state)
{
	size_t i;
	int n;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		for (n = 0; n < lists[i].count; n++) {
			assert_non_null(lists[i].all[n]);
			assert_string_equal(lists[i].name(n), lists[i].all[n]);
		}
		assert_null(lists[i].all[n]);
	}
}

static void names_are_unique_lower_case_words(void **state)
{
	size_t i;
	int n, m;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		for (n = 0; n < lists[i].count; n++) {
			const char *c, *name = lists[i].name(n);

			for (c = name; *c; c++)
				assert_true(islower(*c) || *c == '-' || *c == '_');
			for (m = 0; m < n; m++)
				assert_string_not_equal(name, lists[i].name(m));
		}
	}
}

static void a_number_out_of_range_is_unknown(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		assert_string_equal(lists[i].name(lists[i].count), "unknown");
		assert_string_equal(lists[i].name(-1), "unknown");
		assert_string_equal(lists[i].name(0x7fffffff), "unknown");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_is_the_one_promised),
		cmocka_unit_test(names_are_unique_lower_case_words),
		cmocka_unit_test(a_number_out_of_range_is_unknown),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
