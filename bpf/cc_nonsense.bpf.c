// SPDX-License-Identifier: GPL-2.0
/* An algorithm that decides nonsense on demand: the verifier cannot know, so the module must cope. For tests. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

/* values of the parameter `what` */
enum {
	SENSE,
	RATE_ZERO,
	RATE_HUGE,
	CWND_ONE,
	TIMER_PAST,
	RATE_RANDOM,
};

SEC("struct_ops") void BPF_PROG(nonsense_init, struct rcc_state *state, struct rcc_values *v, struct rcc_path *path,
				u64 now_ns, struct rcc_decision *d)
{
	state->words[0] = path->line_bps;
	d->rate_bps = path->line_bps;
}

SEC("struct_ops") void BPF_PROG(nonsense_event, struct rcc_state *state, struct rcc_values *v, struct rcc_event *ev,
				struct rcc_decision *d)
{
	u64 what = v->v[0];

	d->rate_bps = what == RATE_ZERO ? 0 : what == RATE_HUGE ? ~0ULL : state->words[0];
	d->cwnd_bytes = what == CWND_ONE;
	d->timer_ns = what == TIMER_PAST ? 1 : 0;
	if (what == RATE_RANDOM)
		d->rate_bps = (u64)ev->random << (ev->random & 63);
}

SEC(".struct_ops.link") struct rxe_cc_ops nonsense = {
	.init = (void *)nonsense_init,
	.event = (void *)nonsense_event,
	.name = "nonsense",
	.doc = "decides nonsense on demand",
	.paces = 1,
	.events = 1 << RCC_EV_TX | 1 << RCC_EV_ACK | 1 << RCC_EV_CNP | 1 << RCC_EV_TIMER,
	.nparams = 1,
	.params = { { "what", "", SENSE, RATE_RANDOM, { SENSE, SENSE, SENSE }, "which nonsense; 0: none" } },
};
