/* SPDX-License-Identifier: GPL-2.0 */
/* An algorithm as one object without pointers to data, as a BPF program brings it: struct rcc_alg for struct_ops. */
#ifndef RCC_OPS_H
#define RCC_OPS_H

#include "cc.h"

/**
 * struct rxe_cc_ops - a congestion control algorithm in BPF
 * @init: a QP begins under this algorithm, or begins anew: it was connected, the algorithm was chosen for it, or the rate
 *	of the line changed. @state and @d are zero; say the first decision. Must be there
 * @event: something happened that @events asks for. @d holds the last decision, as it was clamped, and is changed in
 *	place; what is left alone stays. Must be there
 * @scale: profile `auto` is loaded for a device, or its base RTT has dropped: change @v to fit @path. The result is clamped
 *	to each parameter's range. May be missing: then the values stay as the descriptors say
 * @check: somebody changes a value, or a profile was loaded: may the values stand together? The index of a parameter that
 *	contradicts others, or -1. May be missing: then all may
 * @name: as written to sysfs: [a-z0-9_], terminated; no other algorithm may have it
 * @doc: what it is, in one line, terminated
 * @paces: 0: the rate is never limited and @event serves to count; else packets are sent at the rate of the decision
 * @events: the events that it wants: 1 << RCC_EV_CNP and so on. With ACK or RTT the peer is asked for ACKs about once per
 *	round trip
 * @nparams: number of parameters, at most RCC_PARAMS_MAX
 * @params: their descriptors: a name [a-z0-9_] for each, a range, and a value within it for each profile
 *
 * Functions come first, then data.
 *
 * The programs may read all of what they are given, and write what their prototypes give them without const: @state
 * (RCC_STATE_BYTES of their own, kept for the QP's life under this algorithm), the fields of @d, and @v in @scale. Nothing
 * they are given is theirs any more when they return. They may call the helpers that every BPF program may call, but for
 * tail calls, and bpf_rcc_mul_div().
 *
 * @init and @event run in softirq, or in process context with bottom halves off, under rcu_read_lock() and the QP's
 * spinlock, which serializes them for one QP; those of different QPs run at once. @scale and @check run in process
 * context, under a mutex of the device. None of them can sleep. A rate that is no rate (0, or above 800 Gb/s) is clamped
 * and counted; see Documentation/ABI/testing/sysfs-class-rxe_cc.
 *
 * Registering fails with EINVAL (the kernel's log says why), EEXIST if the name is in use, or ENOSPC. Updating a link puts
 * another object of the same name in its place: QPs go on at their rates, with @init. When the link goes, they fall back
 * to the algorithm of their device, without loss.
 */
struct rxe_cc_ops {
	void (*init)(struct rcc_state *state, const struct rcc_values *v, const struct rcc_path *path, u64 now_ns,
		     struct rcc_decision *d);
	void (*event)(struct rcc_state *state, const struct rcc_values *v, const struct rcc_event *ev,
		      struct rcc_decision *d);
	void (*scale)(struct rcc_values *v, const struct rcc_path *path);
	int (*check)(const struct rcc_values *v);
	char name[RCC_NAME_BYTES];
	char doc[RCC_DOC_BYTES];
	u32 paces;
	u32 events;
	u32 nparams;
	struct rcc_param params[RCC_PARAMS_MAX];
};

#endif /* RCC_OPS_H */
