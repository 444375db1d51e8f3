// SPDX-License-Identifier: GPL-2.0
/*
 * A first algorithm to begin from: add when all is well, multiply when it is not.
 *
 *	each period_us with something sent:			rate = rate + add
 *	a CNP, NAK or timeout, at most once per period_us:	rate = rate * keep / 100
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

extern u64 bpf_rcc_mul_div(u64 a, u64 b, u64 c) __ksym;

/* what we remember of a QP, in the 192 bytes of its state */
struct aimd {
	u64 rate_bps, line_bps, add_ns, cut_ns;
};

/* a u64 for each of .params below, in their order */
struct aimd_params {
	u64 add, keep, period_us;
};

SEC("struct_ops") void BPF_PROG(aimd_init, struct aimd *s, struct aimd_params *p, struct rcc_path *path, u64 now_ns,
				struct rcc_decision *d)
{
	s->line_bps = path->line_bps;
	s->rate_bps = path->line_bps;
	d->rate_bps = path->line_bps;
}

SEC("struct_ops") void BPF_PROG(aimd_event, struct aimd *s, struct aimd_params *p, struct rcc_event *ev,
				struct rcc_decision *d)
{
	if (ev->type == RCC_EV_TX && ev->now_ns >= s->add_ns + p->period_us * 1000) {
		s->rate_bps += p->add * 1000000;
		s->add_ns = ev->now_ns;
	} else if (ev->type != RCC_EV_TX && ev->now_ns >= s->cut_ns + p->period_us * 1000) {
		s->rate_bps = bpf_rcc_mul_div(s->rate_bps, p->keep, 100);
		s->cut_ns = ev->now_ns;
	}
	if (s->rate_bps > s->line_bps)
		s->rate_bps = s->line_bps;
	d->rate_bps = s->rate_bps;
}

SEC(".struct_ops.link") struct rxe_cc_ops aimd = {
	.init = (void *)aimd_init, .event = (void *)aimd_event,
	.name = "aimd", .doc = "additive increase, multiplicative decrease", .paces = 1,
	.events = 1 << RCC_EV_TX | 1 << RCC_EV_CNP | 1 << RCC_EV_NACK | 1 << RCC_EV_TIMEOUT,
	.nparams = 3, .params = { /* name, unit, min, max, { auto, cx, paper }, doc */
		{ "add", "Mb/s", 1, 1000, { 1, 1, 1 }, "added per period" },
		{ "keep", "%", 1, 99, { 80, 80, 50 }, "share of the rate that a cut leaves" },
		{ "period_us", "us", 1, 1000000, { 1000, 1000, 1000 }, "least time between steps" },
	},
};
