// SPDX-License-Identifier: GPL-2.0
/*
 * Swift (Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter", SIGCOMM 2020).
 *
 *	target	= base_target + hops * hop_target + flow scaling
 *	flow scaling	= clamp(fs_alpha / sqrt(cwnd) - fs_beta, 0, fs_range)
 *
 *	delay < target:	cwnd += ai * acked / cwnd		cwnd below 1: += ai * acked
 *	else:		cwnd *= max(1 - beta * (delay - target) / delay, 1 - max_mdf)	once per round trip
 *	NAK:		cwnd *= 1 - max_mdf			once per round trip
 *	timeout:	the same, each time; from the retx_reset-th in a row on cwnd = min_cwnd
 *
 * Windows count full packets. There are two: one follows the delay of the network, the other that of the hosts (the round
 * trip less the network's part), and the smaller one rules. Where the peer cannot tell them apart, all of the round trip is
 * the network's, and the hosts' window stays at its greatest.
 *
 * Below one packet the window is one packet, and the rate is cwnd / rtt: so that many flows may share a short queue.
 */
#include "rate.h"
#include "algs.h"

#define CWND_SHIFT	16
#define CWND_ONE	(1ULL << CWND_SHIFT)
#define FS_ALPHA_PERMILLE	327	/* of fs_range: all of it for a window of 0.1 packets, as in the paper */
#define MTU_MIN_BYTES	256	/* the least of RoCE: bounds the packets in a number of bytes */

/* name, unit, min, max, auto (before scaling), cx, paper, doc */
#define SWIFT_PARAMS(p) \
	p(base_target, "ns", 1000, 4000000000, 25000, 25000, 25000, "delay to aim at, without what follows") \
	p(hop_target, "ns", 0, 1000000, 0, 1000, 1000, "added per hop") \
	p(hops, "", 0, 64, 0, 5, 5, "hops of the longest path") \
	p(fs_range, "ns", 0, 4000000000, 125000, 125000, 125000, "most that flow scaling adds") \
	p(fs_alpha, "ns", 0, 4000000000, 40820, 40820, 40820, "what it adds for a window of one packet, but for fs_beta") \
	p(fs_beta, "ns", 0, 4000000000, 4082, 4082, 4082, "taken off that; fs_alpha / 10: nothing is added from 100 packets on") \
	p(host_target, "ns", 1000, 4000000000, 100000, 100000, 100000, "delay of the hosts to aim at") \
	p(ai, "/1024", 1, 65536, 512, 1024, 1024, "packets added to the window per round trip") \
	p(beta, "/1024", 0, 1024, 819, 819, 819, "strength of decreases") \
	p(max_mdf, "%", 1, 99, 50, 50, 50, "greatest share of the window that one round trip takes") \
	p(retx_reset, "", 1, 100, 5, 5, 5, "timeouts in a row that leave the least window") \
	p(min_cwnd, "/1024", 1, 1024, 10, 10, 10, "least window, in packets") \
	p(max_cwnd, "", 1, 65536, 256, 256, 256, "greatest window, in packets")

RCC_PARAMS_DEFINE(swift, SWIFT_PARAMS);

static const struct rcc_param swift_params[] = { SWIFT_PARAMS(RCC_PARAM_DESC) };

/* packets with CWND_SHIFT fractional bits */
struct window {
	u64 cwnd;
	u64 cut_ns;		/* last decrease */
};

struct swift {
	struct window fabric;
	struct window host;
	u64 line_bps;
	u64 start_bps;		/* rate until a round trip was measured */
	u64 target_ns;		/* of the network */
	u64 scaled_ns;		/* when the target was last fitted to the window */
	u64 rtt_ns;		/* last round trip; 0: none yet */
	u32 mtu_bytes;
	u32 timeouts;		/* in a row */
};

/* Square root, rounded down: Newton's steps from a power of two above it; six suffice for 64 bits. */
static u64 root(u64 v)
{
	u64 r, next;
	u32 i;

	if (!v)
		return 0;
	r = 1ULL << (65 - __builtin_clzll(v)) / 2;
	for (i = 0; i < 6; i++) {
		next = (r + rcc_div64(v, r)) / 2;
		if (next >= r)
			break;
		r = next;
	}
	return r;
}

/*
 * A flow with a small window tolerates more delay: that makes windows alike, and leaves room for many flows. The root has
 * as many fractional bits as the window.
 */
static u64 flow_scaling_ns(const struct swift_params *p, u64 cwnd)
{
	u64 ns = rcc_div64(p->fs_alpha << CWND_SHIFT, rcc_max64(root(cwnd << CWND_SHIFT), 1));

	return ns < p->fs_beta ? 0 : rcc_min64(ns - p->fs_beta, p->fs_range);
}

/* Once per round trip: the window changes little in between. */
static void set_target(struct swift *s, const struct swift_params *p, u64 now_ns)
{
	s->target_ns = p->base_target + p->hops * p->hop_target + flow_scaling_ns(p, s->fabric.cwnd);
	s->scaled_ns = now_ns;
}

static void set_cwnd(struct window *w, const struct swift_params *p, u64 cwnd)
{
	w->cwnd = rcc_clamp64(cwnd, p->min_cwnd << (CWND_SHIFT - 10), p->max_cwnd << CWND_SHIFT);
}

/* @acked: packets with CWND_SHIFT fractional bits */
static void increase(struct window *w, const struct swift_params *p, u64 acked)
{
	u64 more = acked * p->ai >> 10;

	set_cwnd(w, p, w->cwnd + (w->cwnd < CWND_ONE ? more : rcc_div64(more << CWND_SHIFT, w->cwnd)));
}

static void decrease(struct window *w, const struct swift_params *p, u64 cut, u64 now_ns)
{
	set_cwnd(w, p, w->cwnd - rcc_min64(cut, rcc_percent(w->cwnd, p->max_mdf)));
	w->cut_ns = now_ns;
}

static void react(struct window *w, const struct swift_params *p, const struct rcc_event *ev, u64 delay_ns, u64 target_ns,
		  u64 acked)
{
	if (delay_ns < target_ns)
		increase(w, p, acked);
	else if (rcc_left_since(ev, w->cut_ns))
		decrease(w, p, rcc_share(w->cwnd, delay_ns - target_ns, delay_ns) * p->beta >> 10, ev->now_ns);
}

static void measured(struct swift *s, const struct swift_params *p, const struct rcc_event *ev)
{
	u64 acked = rcc_div64((u64)ev->bytes << CWND_SHIFT, s->mtu_bytes);
	u64 fabric_ns = ev->fabric_ns ? rcc_min64(ev->fabric_ns, ev->rtt_ns) : ev->rtt_ns;

	s->rtt_ns = ev->rtt_ns;
	s->timeouts = 0;
	if (rcc_left_since(ev, s->scaled_ns))
		set_target(s, p, ev->now_ns);
	react(&s->fabric, p, ev, fabric_ns, s->target_ns, acked);
	react(&s->host, p, ev, ev->rtt_ns - fabric_ns, p->host_target, acked);
}

static void lost(struct swift *s, const struct swift_params *p, const struct rcc_event *ev)
{
	bool timeout = ev->type == RCC_EV_TIMEOUT;

	s->timeouts += timeout;
	if (s->timeouts >= p->retx_reset)
		set_cwnd(&s->fabric, p, 0);
	else if (timeout || ev->now_ns >= s->fabric.cut_ns + s->rtt_ns)
		decrease(&s->fabric, p, s->fabric.cwnd, ev->now_ns);
}

static void decide(const struct swift *s, struct rcc_decision *d)
{
	u64 cwnd = rcc_min64(s->fabric.cwnd, s->host.cwnd);

	d->cwnd_bytes = rcc_max64(cwnd, CWND_ONE) * s->mtu_bytes >> CWND_SHIFT;
	if (!s->rtt_ns)
		d->rate_bps = s->start_bps;
	else if (cwnd >= CWND_ONE)
		d->rate_bps = s->line_bps;
	else
		d->rate_bps = rcc_clamp64(rcc_div64((cwnd * s->mtu_bytes >> CWND_SHIFT) * 8 * RCC_NSEC_PER_SEC, s->rtt_ns), 1,
					  s->line_bps);
}

/*
 * Half of the paper's flow scaling, so that queues of 32 KB have room for the target of small windows. It reaches to the largest
 * window: where it adds nothing, windows that differ stay so. Half a packet, since a window is a few packets where many flows
 * meet.
 */
static void swift_scale(struct rcc_values *v, const struct rcc_path *path)
{
	struct swift_params *p = (struct swift_params *)v->v;
	u64 rtt_ns = rcc_scale_rtt_ns(path);

	p->base_target = 2 * rtt_ns;
	p->max_cwnd = rcc_div64(rcc_in_flight(path->line_bps, p->base_target), rcc_max64(path->mtu_bytes, MTU_MIN_BYTES)) + 1;
	p->fs_range = 5 * rtt_ns;
	p->fs_alpha = rcc_div64(p->fs_range * FS_ALPHA_PERMILLE, 1000);
	p->fs_beta = rcc_div64(p->fs_alpha, root(p->max_cwnd));
	p->host_target = p->base_target;
}

static void swift_init(struct rcc_state *state, const struct rcc_values *v, const struct rcc_path *path, u64 now_ns,
		       struct rcc_decision *d)
{
	const struct swift_params *p = RCC_VALUES(swift, v);
	struct swift *s = RCC_STATE(struct swift, state);

	s->line_bps = path->line_bps;
	s->start_bps = rcc_start_bps(path);
	s->mtu_bytes = rcc_max64(path->mtu_bytes, MTU_MIN_BYTES);
	set_cwnd(&s->host, p, ~0ULL);
	/* what is on its way at that rate, without a queue */
	set_cwnd(&s->fabric, p, rcc_div64(rcc_in_flight(s->start_bps, path->base_rtt_ns) << CWND_SHIFT, s->mtu_bytes));
	set_target(s, p, now_ns);
	decide(s, d);
}

static void swift_event(struct rcc_state *state, const struct rcc_values *v, const struct rcc_event *ev,
			struct rcc_decision *d)
{
	const struct swift_params *p = RCC_VALUES(swift, v);
	struct swift *s = RCC_STATE(struct swift, state);

	if (ev->type == RCC_EV_NACK || ev->type == RCC_EV_TIMEOUT)
		lost(s, p, ev);
	else if (ev->rtt_ns)
		measured(s, p, ev);
	decide(s, d);
}

const struct rcc_alg rcc_alg_swift = {
	.name = "swift",
	.doc = "window by the delay against a target; SIGCOMM 2020",
	.paces = true,
	.events = RCC_WANT(RCC_EV_ACK) | RCC_WANT(RCC_EV_RTT) | RCC_WANT(RCC_EV_NACK) | RCC_WANT(RCC_EV_TIMEOUT),
	.nparams = RCC_NPARAMS(swift),
	.params = swift_params,
	.scale = swift_scale,
	.init = swift_init,
	.event = swift_event,
};
