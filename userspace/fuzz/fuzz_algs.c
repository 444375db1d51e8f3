// SPDX-License-Identifier: GPL-2.0
/*
 * The input is an algorithm, a path, a set of parameters and a stream of events, with parameters changed in between. The
 * rate stays between 1 bit/s and the line, nothing wraps, and a second run of the same stream agrees bit for bit.
 */
#include "algs.h"
#include "fuzz.h"

#define MAX_LINE_BPS	800000000000ULL
#define MAX_RTT_NS	4000000000ULL

struct flow {
	const struct rcc_alg *alg;
	struct rcc_state state;
	struct rcc_values values;
	struct rcc_path path;
	struct rcc_decision d;
	u64 now_ns;
};

static void check_decision(const struct flow *f)
{
	MUST(f->d.rate_bps >= 1 && f->d.rate_bps <= f->path.line_bps);
	/* ten times what is on its way in the longest round trip */
	MUST(f->d.cwnd_bytes <= 10 * (MAX_LINE_BPS / 8 * (MAX_RTT_NS / 1000000000)));
	MUST(!f->d.timer_ns || f->d.timer_ns > f->now_ns);
}

static void change_param(struct flow *f, struct input *in)
{
	u32 index = input_number(in, 1);
	const struct rcc_param *d;

	if (!f->alg->nparams)
		return;
	d = &f->alg->params[index % f->alg->nparams];
	rcc_param_set(f->alg, &f->values, index % f->alg->nparams, d->min + input_number(in, 4) % (d->max - d->min + 1));
}

static void begin(struct flow *f, struct input *in)
{
	u32 changes;

	memset(f, 0, sizeof(*f));
	f->alg = rcc_algs[input_number(in, 1) % rcc_nalgs];
	f->path.line_bps = RCC_BPS_PER_MBPS + input_number(in, 5) % (MAX_LINE_BPS - RCC_BPS_PER_MBPS + 1);
	f->path.base_rtt_ns = input_number(in, 4) % (MAX_RTT_NS + 1);
	f->path.start_bps = input_number(in, 5);
	f->path.mtu_bytes = input_number(in, 2);
	f->now_ns = input_number(in, 7);
	rcc_params_load(f->alg, input_number(in, 1) % RCC_PROFILES_SET, &f->path, &f->values);
	for (changes = input_number(in, 1) % 24; changes; changes--)
		change_param(f, in);
	f->alg->init(&f->state, &f->values, &f->path, f->now_ns, &f->d);
	check_decision(f);
}

/* Steps of time from nothing to hours: a mantissa of 16 bits and an exponent. */
static u64 step_ns(struct input *in)
{
	u64 mantissa = input_number(in, 2);

	return mantissa << input_number(in, 1) % 32;
}

static void next_event(struct input *in, u64 now_ns, u32 code, struct rcc_event *ev)
{
	*ev = (struct rcc_event) { .now_ns = now_ns, .type = 1 + code % RCC_EV_TIMER, .packets = code / 16 };
	ev->bytes = input_number(in, 3);
	if (ev->type != RCC_EV_ACK && ev->type != RCC_EV_RTT)
		return;
	/* what is measured since the flow began, and the network's part of it */
	ev->rtt_ns = rcc_min64(input_number(in, 4) % (MAX_RTT_NS + 1), now_ns);
	ev->fabric_ns = code & 128 ? ev->rtt_ns / 2 : ev->rtt_ns;
	ev->ce_permille = input_number(in, 2) % 1001;
	ev->random = input_number(in, 4);
}

static void run(struct flow *f, struct input in)
{
	begin(f, &in);
	while (in.left) {
		u32 code = input_number(&in, 1);
		struct rcc_event ev;

		f->now_ns += step_ns(&in);
		if (code % 16 == 15)
			change_param(f, &in);
		next_event(&in, f->now_ns, code, &ev);
		f->alg->event(&f->state, &f->values, &ev, &f->d);
		check_decision(f);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	static struct flow first, second;

	run(&first, in);
	run(&second, in);
	MUST(!memcmp(&first, &second, sizeof(first)));
	return 0;
}
