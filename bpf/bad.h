/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sound algorithm, of which each cc_bad_*.bpf.c spoils one thing by a macro of its own:
 *
 *	BAD_INIT, BAD_EVENT		a statement more in that program
 *	BAD_NAME, BAD_MAX, BAD_MASK	another name, greatest value of its parameter, mask of events
 *	BAD_EVENT_PROG			another program for events, or NULL
 *	BAD_EVENT_SEC			another section for it
 *
 * None of them may be registered; selftests/bpf_ops.sh knows what has to be said of each.
 */
#ifndef RCC_BAD_H
#define RCC_BAD_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* for the one that calls others */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} progs SEC(".maps");

#ifndef BAD_INIT
#define BAD_INIT
#endif
#ifndef BAD_EVENT
#define BAD_EVENT
#endif
#ifndef BAD_NAME
#define BAD_NAME		"bad"
#endif
#ifndef BAD_MAX
#define BAD_MAX		10
#endif
#ifndef BAD_MASK
#define BAD_MASK		(1 << RCC_EV_CNP)
#endif
#ifndef BAD_EVENT_SEC
#define BAD_EVENT_SEC	"?struct_ops"
#endif
#ifndef BAD_EVENT_PROG
#define BAD_EVENT_PROG	((void *)bad_event)
#endif

char _license[] SEC("license") = "GPL";

SEC("struct_ops") void BPF_PROG(bad_init, struct rcc_state *state, struct rcc_values *v, struct rcc_path *path, u64 now_ns,
				struct rcc_decision *d)
{
	d->rate_bps = path->line_bps;
	BAD_INIT;
}

SEC(BAD_EVENT_SEC) void BPF_PROG(bad_event, struct rcc_state *state, struct rcc_values *v, struct rcc_event *ev,
				 struct rcc_decision *d)
{
	state->words[0]++;
	BAD_EVENT;
}

SEC(".struct_ops.link") struct rxe_cc_ops bad = {
	.init = (void *)bad_init,
	.event = BAD_EVENT_PROG,
	.name = BAD_NAME,
	.doc = "must be refused",
	.paces = 1,
	.events = BAD_MASK,
	.nparams = 1,
	.params = { { "value", "", 1, BAD_MAX, { 5, 5, 5 }, "a parameter" } },
};

#endif /* RCC_BAD_H */
