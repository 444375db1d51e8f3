/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes a struct_ops map of an algorithm in kmod/cc/, as it stands there:
 *
 *	#include "rcc_bpf.h"
 *	#include "../kmod/cc/foo.c"
 *	RCC_BPF_ALG(foo, FOO_PARAMS);
 *
 * The object's algorithm is called bpf_foo, so it can stand beside the built-in one. Fields of the contract are relocated to
 * where the loaded module has them (CO-RE).
 */
#ifndef RCC_BPF_H
#define RCC_BPF_H

#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* What the kernel hands to the programs. */
struct __attribute__((preserve_access_index)) rcc_event;
struct __attribute__((preserve_access_index)) rcc_decision;
struct __attribute__((preserve_access_index)) rcc_path;
#include "../kmod/cc/ops.h"

/* The table at the end of the algorithm's file serves to compile only: then nothing of it needs to be in the object. */
#pragma clang attribute push(__attribute__((internal_linkage)), apply_to = variable(is_global))
#pragma clang attribute push([[clang::always_inline]], apply_to = function)
#include "../kmod/cc/algs.h"

#define RCC_BPF_ALG(alg, list)								\
	_Pragma("clang attribute pop")							\
	_Pragma("clang attribute pop")							\
	char _license[] SEC("license") = "GPL";						\
											\
	SEC("struct_ops") void BPF_PROG(alg##_bpf_init, struct rcc_state *state,	\
					const struct rcc_values *v, const struct rcc_path *path, \
					u64 now_ns, struct rcc_decision *d)		\
	{										\
		rcc_alg_##alg.init(state, v, path, now_ns, d);				\
	}										\
											\
	SEC("struct_ops") void BPF_PROG(alg##_bpf_event, struct rcc_state *state,	\
					const struct rcc_values *v, const struct rcc_event *ev, \
					struct rcc_decision *d)				\
	{										\
		rcc_alg_##alg.event(state, v, ev, d);					\
	}										\
											\
	SEC("?struct_ops") void BPF_PROG(alg##_bpf_scale, struct rcc_values *v, const struct rcc_path *path) \
	{										\
		if (rcc_alg_##alg.scale)						\
			rcc_alg_##alg.scale(v, path);					\
	}										\
											\
	SEC("?struct_ops") int BPF_PROG(alg##_bpf_check, const struct rcc_values *v)	\
	{										\
		return rcc_alg_##alg.check ? rcc_alg_##alg.check(v) : -1;		\
	}										\
											\
	SEC(".struct_ops.link") struct rxe_cc_ops bpf_##alg = {				\
		.init = (void *)alg##_bpf_init,						\
		.event = (void *)alg##_bpf_event,					\
		.scale = rcc_alg_##alg.scale ? (void *)alg##_bpf_scale : NULL,		\
		.check = rcc_alg_##alg.check ? (void *)alg##_bpf_check : NULL,		\
		.name = "bpf_" #alg,							\
		.doc = "the file of the built-in one, in BPF",				\
		.paces = rcc_alg_##alg.paces,						\
		.events = rcc_alg_##alg.events,						\
		.nparams = RCC_NPARAMS(alg),						\
		.params = { list(RCC_PARAM_DESC) },					\
	}

#endif /* RCC_BPF_H */
