/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DCQCN a second time, slowly: floating point, three explicit timers, one tick at a time, straight from the formulas.
 *
 * Each quantity carries a bound of how far the fixed point of the real one may be off, so a comparison is as tight as
 * it can be: alpha loses at most three units of 2^-20 per period, a rate a few bits per second per step. The mean gap
 * between CNPs is in whole nanoseconds by definition, and the mean size of packets in whole bytes, so both are exact.
 */
#ifndef DCQCN_REF_H
#define DCQCN_REF_H

#include "algs.h"

/* the order of the descriptors, which the tests of the parameters check by name */
enum ref_param {
	P_CLAMP_TGT_RATE, P_CLAMP_TGT_RATE_ATI, P_TIME_RESET, P_BYTE_RESET, P_THRESHOLD, P_AI_RATE, P_MAX_RATE, P_HAI_RATE,
	P_MIN_DEC_FAC, P_MIN_RATE, P_RATE_TO_SET_ON_FIRST_CNP, P_DCE_TCP_G, P_DCE_TCP_RTT, P_RATE_REDUCE_MONITOR_PERIOD,
	P_INITIAL_ALPHA_VALUE, P_GD, P_CUT_ON_LOSS, P_CLAMP_TO_SENT, P_CNP_RATE_FLOOR, P_INCREASE_WHEN_IDLE,
	P_CNP_BYTES
};

struct ref {
	const u64 *v;
	double line, rc, rt, alpha;
	double rc_err, rt_err, alpha_err;
	u64 last_cut, next_alpha, next_increase;
	u64 bytes;
	u64 window_ns, window_bytes;
	u64 cnps, last_cnp, mean_gap;
	u64 mean_bytes, marked_bytes;
	u32 time_stage, byte_stage;
	bool started, cnp_in_period, cut_waits;
	bool unsure;	/* the bounds of the rate do not tell how many timed steps were due */
};

void ref_init(struct ref *r, const u64 *v, const struct rcc_path *path, u64 now_ns);
void ref_event(struct ref *r, const struct rcc_event *ev);
double ref_rate(const struct ref *r);

#endif /* DCQCN_REF_H */
