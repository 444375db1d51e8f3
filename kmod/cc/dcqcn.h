/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parameters of DCQCN's reaction point: mlx5's by their names, then ours; and how `auto` fits them to a path.
 *
 * Five rules are ours, off in the profiles `cx` and `paper`. A lossy port without ECN is congested too (rp_cut_on_loss).
 * The first cut starts from what was really sent (rp_clamp_to_sent): a soft NIC never reaches its line rate. A cut leaves
 * most of the rate at which marked packets arrive (rp_cnp_rate_floor), and a QP that is silent does not gain rate
 * (rp_increase_when_idle): with queues of many milliseconds, feedback is that old. And CNPs count by the size of the
 * QP's packets (rp_cnp_bytes): switches mark packets, but links carry bytes, and a QP of small messages would be cut as
 * often as one with full packets that takes forty times its share.
 */
#ifndef RCC_DCQCN_H
#define RCC_DCQCN_H

#include "rate.h"

/* name, unit, min, max, auto (before scaling), cx, paper, doc */
#define DCQCN_PARAMS(p) \
	p(rp_clamp_tgt_rate, "", 0, 1, 0, 0, 1, "every cut sets the target rate to the current one") \
	p(rp_clamp_tgt_rate_ati, "", 0, 1, 1, 1, 1, "a cut after a timed increase sets the target rate too") \
	p(rp_time_reset, "us", 1, 131071, 80, 300, 55, "time between timed increases") \
	p(rp_byte_reset, "bytes", 0, 1ULL << 32, 0, 32767 * 64, 10000000, "bytes between counted increases; 0: none") \
	p(rp_threshold, "", 1, 31, 5, 1, 5, "increases of either kind before fast recovery ends (F)") \
	p(rp_ai_rate, "Mb/s", 1, 400000, 5, 5, 40, "additive increase") \
	p(rp_max_rate, "Mb/s", 0, 1000000, 0, 0, 0, "greatest rate; 0: the line rate") \
	p(rp_hai_rate, "Mb/s", 1, 400000, 50, 50, 400, "hyper increase") \
	p(rp_min_dec_fac, "%", 0, 100, 50, 50, 50, "share of the rate that a cut always leaves") \
	p(rp_min_rate, "Mb/s", 1, 400000, 1, 1, 100, "least rate") \
	p(rp_rate_to_set_on_first_cnp, "Mb/s", 0, 400000, 0, 0, 0, "rate that the first CNP cuts from; 0: the current one") \
	p(rp_dce_tcp_g, "/1024", 1, 1023, 1020, 1019, 1020, "share of alpha kept per period (1 - g of the paper)") \
	p(rp_dce_tcp_rtt, "us", 1, 131071, 120, 1, 55, "alpha period") \
	p(rp_rate_reduce_monitor_period, "us", 1, 131071, 50, 4, 50, "least time between two cuts") \
	p(rp_initial_alpha_value, "/1024", 1, 1024, 1024, 1023, 1024, "alpha before the first CNP") \
	p(rp_gd, "", 10, 15, 11, 11, 11, "a cut takes alpha (in 1/1024) / 2^gd of the rate; 11: alpha / 2") \
	p(rp_cut_on_loss, "", 0, 1, 1, 0, 0, "a NAK or timeout counts as a CNP") \
	p(rp_clamp_to_sent, "", 0, 1, 1, 0, 0, "the first CNP cuts from the rate really sent, if that is lower") \
	p(rp_cnp_rate_floor, "%", 0, 100, 70, 0, 0, "share of the rate at which marked packets arrive that a cut leaves") \
	p(rp_increase_when_idle, "", 0, 1, 0, 1, 1, "timed increases go on while nothing is sent") \
	p(rp_cnp_bytes, "bytes", 0, 65535, 1024, 0, 0, "a CNP for smaller packets counts in proportion only; 0: every CNP counts")

RCC_PARAMS_DEFINE(dcqcn, DCQCN_PARAMS);

/*
 * Rates follow the line: 20 Mb/s of additive increase at 100 Gb/s, as in HPCC's simulator. Between NICs times are about the
 * paper's. Where software answers, packets meet queues of many milliseconds, and feedback is that old: times are 80, 30 and
 * 2 times 64 us. They do not follow the base RTT further: a port's flows must agree on how fast they may grow, and the least
 * round trip that hosts have seen differs.
 */
static inline void dcqcn_scale(struct rcc_values *v, const struct rcc_path *path)
{
	struct dcqcn_params *p = (struct dcqcn_params *)v->v;
	u64 line_mbps = rcc_div64(path->line_bps, RCC_BPS_PER_MBPS);

	p->rp_ai_rate = rcc_div64(line_mbps, 5000);
	p->rp_hai_rate = rcc_div64(line_mbps, 500);
	p->rp_min_rate = rcc_div64(line_mbps, 10000);
	if (!rcc_soft_path(path))
		return;
	p->rp_time_reset = 5120;
	p->rp_dce_tcp_rtt = 1920;
	p->rp_rate_reduce_monitor_period = 128;
}

static inline int dcqcn_check(const struct rcc_values *v)
{
	const struct dcqcn_params *p = RCC_VALUES(dcqcn, v);

	return p->rp_max_rate && p->rp_max_rate < p->rp_min_rate ? (int)RCC_PARAM_INDEX(dcqcn, rp_max_rate) : -1;
}

#endif /* RCC_DCQCN_H */
