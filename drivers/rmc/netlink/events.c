// SPDX-License-Identifier: GPL-2.0
/*
 * The events group. A message that cannot be built or does not fit into a
 * reader's socket is lost, and the reader's next receive says so with ENOBUFS:
 * nothing here waits for a slow reader.
 */
#include "netlink.h"
#include "verbs/fault.h"

#define RMC_NL_EVENTS	0	/* index in the family's groups */

static int put_event(struct sk_buff *skb, const struct rmc_note *note)
{
	if (nla_put_u64_64bit(skb, RMC_A_EVENT_TS_NS, note->ts_ns, RMC_A_EVENT_PAD) ||
	    nla_put_u32(skb, RMC_A_EVENT_KIND, note->kind) ||
	    nla_put_string(skb, RMC_A_EVENT_EP, note->ep) ||
	    nla_put_u32(skb, RMC_A_EVENT_EP_ID, note->ep_id) ||
	    (note->path >= 0 && nla_put_u32(skb, RMC_A_EVENT_PATH, note->path)) ||
	    (note->conn >= 0 && nla_put_u32(skb, RMC_A_EVENT_CONN, note->conn)) ||
	    (note->path >= 0 && nla_put_u32(skb, RMC_A_EVENT_GENERATION, note->generation)) ||
	    nla_put_u32(skb, RMC_A_EVENT_FROM, note->from) ||
	    nla_put_u32(skb, RMC_A_EVENT_TO, note->to) ||
	    rmc_nl_put_reason(skb, RMC_A_EVENT_REASON, &note->reason))
		return -EMSGSIZE;
	return 0;
}

void rmc_nl_event(struct net *net, const struct rmc_note *note)
{
	struct sk_buff *skb;
	void *hdr;

	BUILD_BUG_ON((int)RMC_NOTE_EP != RMC_EVENT_KIND_EP);
	BUILD_BUG_ON((int)RMC_NOTE_PATH != RMC_EVENT_KIND_PATH);
	BUILD_BUG_ON((int)RMC_NOTE_CONN != RMC_EVENT_KIND_CONN);

	if (!genl_has_listeners(&rmc_nl_family, net, RMC_NL_EVENTS))
		return;
	skb = rmc_fault(RMC_FAULT_NOTE_ALLOC) ? NULL :
	      genlmsg_new(NLMSG_ALIGN(RMC_NAME_SIZE) + 192, GFP_ATOMIC);
	if (!skb)
		goto lost;
	hdr = genlmsg_put(skb, 0, 0, &rmc_nl_family, 0, RMC_CMD_EVENT);
	if (!hdr || WARN_ON_ONCE(put_event(skb, note))) {
		nlmsg_free(skb);
		goto lost;
	}
	genlmsg_end(skb, hdr);
	genlmsg_multicast_netns(&rmc_nl_family, net, skb, 0, RMC_NL_EVENTS, GFP_ATOMIC);
	return;

lost:
	genl_set_err(&rmc_nl_family, net, 0, RMC_NL_EVENTS, -ENOBUFS);
}
