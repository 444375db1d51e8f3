/* SPDX-License-Identifier: GPL-2.0 */
/* A flow under DCQCN as a caller of the contract keeps it, and what can happen to it: for the tests of the algorithm. */
#ifndef RCC_TEST_FLOW_H
#define RCC_TEST_FLOW_H

#include "dcqcn_ref.h"
#include "test.h"

#define US	1000ULL
#define MS	1000000ULL
#define SEC	1000000000ULL
#define MBPS	1000000ULL
#define GBPS	1000000000ULL

/* a flow under test: what a caller of the contract keeps */
struct flow {
	struct rcc_state state;
	union {
		struct rcc_values values;
		u64 v[RCC_PARAMS_MAX];
	};
	struct rcc_path path;
	struct rcc_decision d;
};

static inline void set(struct flow *f, const char *name, u64 value)
{
	int i = rcc_param_find(&rcc_alg_dcqcn, name, strlen(name));

	EXPECT(i >= 0);
	EXPECT_EQ(rcc_param_set(&rcc_alg_dcqcn, &f->values, i, value), 0);
}

static inline void load(struct flow *f, enum rcc_profile profile, u64 line_bps)
{
	memset(f, 0, sizeof(*f));
	f->path.line_bps = line_bps;
	f->path.base_rtt_ns = 10000;
	f->path.mtu_bytes = 4096;
	rcc_params_load(&rcc_alg_dcqcn, profile, &f->path, &f->values);
	if (profile != RCC_PROFILE_AUTO)
		return;
	/* the stories about the rules of auto are told with these periods, whatever it scales them to */
	set(f, "rp_time_reset", 1280);
	set(f, "rp_dce_tcp_rtt", 480);
}

static inline u64 start(struct flow *f, u64 now_ns)
{
	memset(&f->state, 0, sizeof(f->state));
	rcc_alg_dcqcn.init(&f->state, &f->values, &f->path, now_ns, &f->d);
	return f->d.rate_bps;
}

/* One event for several packets. */
static inline u64 sent(struct flow *f, u64 now_ns, u32 bytes, u32 packets)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = RCC_EV_TX, .bytes = bytes, .packets = packets };

	rcc_alg_dcqcn.event(&f->state, &f->values, &ev, &f->d);
	return f->d.rate_bps;
}

static inline u64 event(struct flow *f, u32 type, u64 now_ns, u32 bytes)
{
	struct rcc_event ev = { .now_ns = now_ns, .type = type, .bytes = bytes };

	rcc_alg_dcqcn.event(&f->state, &f->values, &ev, &f->d);
	return f->d.rate_bps;
}

static inline u64 cnp(struct flow *f, u64 now_ns)
{
	return event(f, RCC_EV_CNP, now_ns, 0);
}

/* A packet of no bytes: asks for the rate at a time. */
static inline u64 rate_at(struct flow *f, u64 now_ns)
{
	return event(f, RCC_EV_TX, now_ns, 0);
}

#endif /* RCC_TEST_FLOW_H */
