/* SPDX-License-Identifier: GPL-2.0 */
/* A flow under any algorithm, as a caller of the contract keeps it, and what can happen to it. */
#ifndef RCC_TEST_ALG_FLOW_H
#define RCC_TEST_ALG_FLOW_H

#include "algs.h"
#include "test.h"

#define US	1000ULL
#define MS	1000000ULL
#define SEC	1000000000ULL
#define MBPS	1000000ULL
#define GBPS	1000000000ULL
#define MTU	4174

struct alg_flow {
	const struct rcc_alg *alg;
	struct rcc_path path;
	struct rcc_values values;
	struct rcc_state state;
	struct rcc_decision d;
};

static inline void flow_load(struct alg_flow *f, const struct rcc_alg *alg, enum rcc_profile profile, u64 line_bps,
			     u64 base_rtt_ns)
{
	memset(f, 0, sizeof(*f));
	f->alg = alg;
	f->path.line_bps = line_bps;
	f->path.base_rtt_ns = base_rtt_ns;
	f->path.start_bps = line_bps;
	f->path.mtu_bytes = MTU;
	rcc_params_load(alg, profile, &f->path, &f->values);
}

static inline void flow_set(struct alg_flow *f, const char *name, u64 value)
{
	int i = rcc_param_find(f->alg, name, strlen(name));

	EXPECT(i >= 0);
	EXPECT_EQ(rcc_param_set(f->alg, &f->values, i, value), 0);
}

static inline u64 flow_start(struct alg_flow *f, u64 now_ns)
{
	memset(&f->state, 0, sizeof(f->state));
	memset(&f->d, 0, sizeof(f->d));
	f->alg->init(&f->state, &f->values, &f->path, now_ns, &f->d);
	return f->d.rate_bps;
}

static inline u64 flow_event(struct alg_flow *f, const struct rcc_event *ev)
{
	f->alg->event(&f->state, &f->values, ev, &f->d);
	return f->d.rate_bps;
}

/* An ACK of @packets full packets, the newest of which left @rtt_ns ago. */
static inline u64 flow_acked(struct alg_flow *f, u64 now_ns, u32 rtt_ns, u32 packets)
{
	struct rcc_event ev = {
		.now_ns = now_ns, .type = RCC_EV_ACK, .bytes = packets * MTU, .packets = packets, .rtt_ns = rtt_ns,
		.fabric_ns = rtt_ns,
	};

	return flow_event(f, &ev);
}

static inline u64 flow_plain(struct alg_flow *f, u32 type, u64 now_ns)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = type };

	return flow_event(f, &ev);
}

#endif /* RCC_TEST_ALG_FLOW_H */
