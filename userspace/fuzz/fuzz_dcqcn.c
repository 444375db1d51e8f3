// SPDX-License-Identifier: GPL-2.0
/*
 * The input is a line rate, a set of parameters and a stream of events, with parameters changed in between. The rate
 * stays in its range, nothing wraps, CNPs alone change nothing where they count by the size of packets, and a second
 * run of the same stream agrees bit for bit.
 */
#include "algs.h"
#include "fuzz.h"

#define P_MAX_RATE	6
#define P_MIN_RATE	9
#define P_CNP_BYTES	20
#define MAX_LINE_BPS	800000000000ULL

struct flow {
	struct rcc_state state;
	union {
		struct rcc_values values;
		u64 v[RCC_PARAMS_MAX];
	};
	struct rcc_path path;
	struct rcc_decision d;
	u64 now_ns;
	bool touched;	/* something came that may change the rate */
};

static void check_rate(const struct flow *f)
{
	u64 max = f->path.line_bps;

	if (f->v[P_MAX_RATE])
		max = rcc_min64(max, f->v[P_MAX_RATE] * RCC_BPS_PER_MBPS);
	MUST(f->d.rate_bps <= max);
	MUST(f->touched || f->d.rate_bps == max);
	MUST(f->d.rate_bps >= rcc_min64(f->v[P_MIN_RATE] * RCC_BPS_PER_MBPS, max));
	MUST(!f->d.cwnd_bytes && !f->d.timer_ns);
}

static void change_param(struct flow *f, struct input *in)
{
	u32 index = input_number(in, 1) % rcc_alg_dcqcn.nparams;
	const struct rcc_param *d = &rcc_alg_dcqcn.params[index];

	rcc_param_set(&rcc_alg_dcqcn, &f->values, index, d->min + input_number(in, 4) % (d->max - d->min + 1));
}

static void begin(struct flow *f, struct input *in)
{
	u32 changes;

	memset(f, 0, sizeof(*f));
	f->path.line_bps = RCC_BPS_PER_MBPS + input_number(in, 5) % (MAX_LINE_BPS - RCC_BPS_PER_MBPS + 1);
	f->path.base_rtt_ns = input_number(in, 4);
	f->path.mtu_bytes = 4174;
	f->now_ns = input_number(in, 7);
	rcc_params_load(&rcc_alg_dcqcn, input_number(in, 1) % RCC_PROFILES_SET, &f->path, &f->values);
	for (changes = input_number(in, 1) % 24; changes; changes--)
		change_param(f, in);
	rcc_alg_dcqcn.init(&f->state, &f->values, &f->path, f->now_ns, &f->d);
	check_rate(f);
}

/* Steps of time from nothing to hours: a mantissa of 16 bits and an exponent. */
static u64 step_ns(struct input *in)
{
	u64 mantissa = input_number(in, 2);

	return mantissa << input_number(in, 1) % 32;
}

static void run(struct flow *f, struct input in)
{
	begin(f, &in);
	while (in.left) {
		u32 code = input_number(&in, 1);
		struct rcc_event ev = { .type = code % 16, .packets = code / 16 };

		if (ev.type > RCC_EV_TIMER) {
			/* half of the remaining codes are packets, the others change a parameter */
			if (ev.type & 1)
				change_param(f, &in);
			ev.type = RCC_EV_TX;
		}
		f->now_ns += step_ns(&in);
		ev.now_ns = f->now_ns;
		ev.bytes = input_number(&in, 3);
		if (ev.type == RCC_EV_TX || ev.type == RCC_EV_NACK || ev.type == RCC_EV_TIMEOUT ||
		    (ev.type == RCC_EV_CNP && !f->v[P_CNP_BYTES]))
			f->touched = true;
		rcc_alg_dcqcn.event(&f->state, &f->values, &ev, &f->d);
		check_rate(f);
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
