// SPDX-License-Identifier: GPL-2.0
/* Parameters: names, ranges, profiles, numbers. */
#include <inttypes.h>

#include "algs.h"
#include "np.h"
#include "test.h"

static const struct rcc_path path_100g = { .line_bps = 100000000000ULL, .base_rtt_ns = 12000, .mtu_bytes = 4096 };

/* every set of descriptors that a user can reach */
static const struct rcc_alg *const sets[] = {
	&rcc_alg_dcqcn, &rcc_alg_none, &rcc_alg_fixed, &rcc_alg_rtt, &rcc_alg_timely, &rcc_alg_swift, &rcc_np,
};

#define NSETS	ARRAY_SIZE(sets)

static bool parsed(const char *s, u64 *value)
{
	return !rcc_u64_parse(s, strlen(s), value);
}

TEST("A decimal number below 2^64 is read, with or without a newline")
{
	u64 v = 77;

	EXPECT(parsed("0", &v) && v == 0);
	EXPECT(parsed("7\n", &v) && v == 7);
	EXPECT(parsed("007", &v) && v == 7);
	EXPECT(parsed("18446744073709551615", &v) && v == ~0ULL);
	EXPECT(parsed("18446744073709551615\n", &v) && v == ~0ULL);
	EXPECT(parsed("10000000000000000000", &v) && v == 10000000000000000000ULL);
}

TEST("What is not a number, or is too large, is refused and leaves the value alone")
{
	static const char *const bad[] = {
		"", "\n", "-1", "+1", " 1", "1 ", "1\n\n", "0x10", "1e3", "1.5", "12a", "a", "18446744073709551616",
		"18446744073709551620", "99999999999999999999", "184467440737095516150", "1\n2", ":", "/",
	};
	u64 v = 77;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT(!parsed(bad[i], &v));
	EXPECT_EQ(rcc_u64_parse("1\0", 2, &v), -1);
	EXPECT_EQ(v, 77);
}

TEST("A number is read back as it was printed, for a million random ones")
{
	uint64_t seed = 5;
	char text[32];
	int i;

	for (i = 0; i < 1000000; i++) {
		uint64_t want = test_random(&seed) >> (test_random(&seed) % 64), got;

		snprintf(text, sizeof(text), "%" PRIu64, want);
		EXPECT(parsed(text, &got));
		EXPECT_EQ(got, want);
	}
}

TEST("Every algorithm of the table is found by its name, and the tests of the descriptors know it")
{
	u32 i, j;

	for (i = 0; i < rcc_nalgs; i++) {
		EXPECT(rcc_alg_find(rcc_algs[i]->name, strlen(rcc_algs[i]->name)) == rcc_algs[i]);
		for (j = 0; j < NSETS && sets[j] != rcc_algs[i]; j++)
			;
		EXPECT(j < NSETS);
	}
}

TEST("Names are found whole: not by their beginning, and not with anything behind them")
{
	EXPECT(rcc_alg_find("dcqcn", 5) == &rcc_alg_dcqcn);
	EXPECT(rcc_alg_find("dcqcn\n", 5) == &rcc_alg_dcqcn);
	EXPECT(!rcc_alg_find("dcqcn\n", 6));
	EXPECT(!rcc_alg_find("dcqc", 4));
	EXPECT(!rcc_alg_find("", 0));
	EXPECT_EQ(rcc_profile_find("paper", 5), RCC_PROFILE_PAPER);
	EXPECT_EQ(rcc_profile_find("auto", 4), RCC_PROFILE_AUTO);
	EXPECT_EQ(rcc_profile_find("cx", 2), RCC_PROFILE_CX);
	EXPECT_EQ(rcc_profile_find("custom", 6), -1);
	EXPECT_EQ(rcc_profile_find("c", 1), -1);
	EXPECT_EQ(rcc_param_find(&rcc_alg_dcqcn, "rp_time_reset", 13), 2);
	EXPECT_EQ(rcc_param_find(&rcc_alg_dcqcn, "rp_time", 7), -1);
	EXPECT_EQ(rcc_param_find(&rcc_alg_none, "rp_time_reset", 13), -1);
}

TEST("Every name that mlx5 has for DCQCN's parameters is there, in the order that programs may rely on")
{
	static const char *const rp[] = {
		"rp_clamp_tgt_rate", "rp_clamp_tgt_rate_ati", "rp_time_reset", "rp_byte_reset", "rp_threshold",
		"rp_ai_rate", "rp_max_rate", "rp_hai_rate", "rp_min_dec_fac", "rp_min_rate", "rp_rate_to_set_on_first_cnp",
		"rp_dce_tcp_g", "rp_dce_tcp_rtt", "rp_rate_reduce_monitor_period", "rp_initial_alpha_value", "rp_gd",
		/* ours */
		"rp_cut_on_loss", "rp_clamp_to_sent", "rp_cnp_rate_floor", "rp_increase_when_idle",
		"rp_cnp_bytes",
	};
	static const char *const np[] = {
		"np_min_time_between_cnps", "np_cnp_dscp", "np_cnp_prio_mode", "np_cnp_prio",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rp); i++)
		EXPECT_EQ(rcc_param_find(&rcc_alg_dcqcn, rp[i], strlen(rp[i])), i);
	EXPECT_EQ(rcc_alg_dcqcn.nparams, i);
	for (i = 0; i < ARRAY_SIZE(np); i++)
		EXPECT_EQ(rcc_param_find(&rcc_np, np[i], strlen(np[i])), i);
}

TEST("Descriptors are sound: names unique, every profile's value in range, texts present, sizes within bounds")
{
	u32 i, j, k, p;

	for (k = 0; k < NSETS; k++) {
		const struct rcc_alg *a = sets[k];

		EXPECT(a->nparams <= RCC_PARAMS_MAX);
		EXPECT(strlen(a->name) > 0 && strlen(a->name) < RCC_NAME_BYTES);
		EXPECT(strlen(a->doc) > 0);
		for (i = 0; i < a->nparams; i++) {
			const struct rcc_param *d = &a->params[i];

			EXPECT(strlen(d->doc) > 0 && strlen(d->doc) < RCC_DOC_BYTES);
			EXPECT(strlen(d->name) > 0 && strlen(d->name) < RCC_NAME_BYTES);
			EXPECT(strlen(d->unit) < RCC_UNIT_BYTES);
			EXPECT(d->min <= d->max);
			for (p = 0; p < RCC_PROFILES_SET; p++)
				EXPECT(d->value[p] >= d->min && d->value[p] <= d->max);
			for (j = 0; j < i; j++)
				EXPECT(strcmp(d->name, a->params[j].name));
		}
	}
}

TEST("A parameter takes its least and greatest value, and nothing outside")
{
	u32 i, k;

	for (k = 0; k < NSETS; k++) {
		struct rcc_values v, before;

		for (i = 0; i < sets[k]->nparams; i++) {
			const struct rcc_param *d = &sets[k]->params[i];

			rcc_params_load(sets[k], RCC_PROFILE_CX, &path_100g, &v);
			before = v;
			EXPECT_EQ(rcc_param_set(sets[k], &v, i, d->max + 1), -1);
			if (d->min)
				EXPECT_EQ(rcc_param_set(sets[k], &v, i, d->min - 1), -1);
			EXPECT_EQ(rcc_param_set(sets[k], &v, i, ~0ULL), -1);
			EXPECT(!memcmp(&before, &v, sizeof(u64) * sets[k]->nparams));
			EXPECT_EQ(rcc_param_set(sets[k], &v, i, d->max), 0);
			EXPECT_EQ(v.v[i], d->max);
			EXPECT_EQ(rcc_param_set(sets[k], &v, i, d->min), 0);
			EXPECT_EQ(v.v[i], d->min);
		}
	}
}

static int set(struct rcc_values *v, const char *name, u64 value)
{
	int i = rcc_param_find(&rcc_alg_dcqcn, name, strlen(name));

	EXPECT(i >= 0);
	return rcc_param_set(&rcc_alg_dcqcn, v, i, value);
}

TEST("A greatest rate below the least one is refused from either side, and the set stays as it was")
{
	struct rcc_values v, before = { 0 };

	rcc_params_load(&rcc_alg_dcqcn, RCC_PROFILE_PAPER, &path_100g, &v);
	EXPECT_EQ(set(&v, "rp_max_rate", 1000), 0);
	before = v;
	EXPECT_EQ(set(&v, "rp_min_rate", 1001), -1);
	EXPECT(!memcmp(&before, &v, sizeof(u64) * rcc_alg_dcqcn.nparams));
	EXPECT_EQ(set(&v, "rp_max_rate", 99), -1);
	EXPECT(!memcmp(&before, &v, sizeof(u64) * rcc_alg_dcqcn.nparams));
	EXPECT_EQ(set(&v, "rp_min_rate", 1000), 0);
	EXPECT_EQ(set(&v, "rp_max_rate", 0), 0);
	EXPECT_EQ(set(&v, "rp_min_rate", 5000), 0);
}

/* Rows of cc-reference's table: name, cx, paper. */
TEST("The profiles hold the values of the field")
{
	static const struct {
		const char *name;
		u64 cx;
		u64 paper;
	} want[] = {
		{ "rp_dce_tcp_g", 1019, 1020 }, { "rp_dce_tcp_rtt", 1, 55 }, { "rp_initial_alpha_value", 1023, 1024 },
		{ "rp_rate_reduce_monitor_period", 4, 50 }, { "rp_time_reset", 300, 55 },
		{ "rp_byte_reset", 2097088, 10000000 }, { "rp_threshold", 1, 5 }, { "rp_ai_rate", 5, 40 },
		{ "rp_hai_rate", 50, 400 }, { "rp_min_rate", 1, 100 }, { "rp_gd", 11, 11 }, { "rp_min_dec_fac", 50, 50 },
		{ "rp_clamp_tgt_rate", 0, 1 }, { "rp_clamp_tgt_rate_ati", 1, 1 }, { "rp_max_rate", 0, 0 },
		{ "rp_cut_on_loss", 0, 0 }, { "rp_clamp_to_sent", 0, 0 },
		{ "rp_rate_to_set_on_first_cnp", 0, 0 }, { "rp_cnp_rate_floor", 0, 0 }, { "rp_increase_when_idle", 1, 1 },
		{ "rp_cnp_bytes", 0, 0 },
	};
	struct rcc_values cx, paper;
	size_t i;

	rcc_params_load(&rcc_alg_dcqcn, RCC_PROFILE_CX, &path_100g, &cx);
	rcc_params_load(&rcc_alg_dcqcn, RCC_PROFILE_PAPER, &path_100g, &paper);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		int at = rcc_param_find(&rcc_alg_dcqcn, want[i].name, strlen(want[i].name));

		EXPECT(at >= 0);
		EXPECT_EQ(cx.v[at], want[i].cx);
		EXPECT_EQ(paper.v[at], want[i].paper);
	}
}

TEST("The automatic profile stays in range and free of contradiction on any path from 1 Mb/s to 800 Gb/s")
{
	static const u64 line[] = { 0, 1, 999999, 1000000, 100000000, 10000000000ULL, 400000000000ULL, 800000000000ULL };
	static const u64 rtt[] = { 0, 1, 999, 5000, 100000, 10000000, 4000000000ULL };
	size_t i, j;
	u32 k, n;

	for (n = 0; n < NSETS; n++) {
		for (i = 0; i < ARRAY_SIZE(line); i++) {
			for (j = 0; j < ARRAY_SIZE(rtt); j++) {
				struct rcc_path path = { .line_bps = line[i], .base_rtt_ns = rtt[j] };
				struct rcc_values v;

				rcc_params_load(sets[n], RCC_PROFILE_AUTO, &path, &v);
				for (k = 0; k < sets[n]->nparams; k++)
					EXPECT(v.v[k] >= sets[n]->params[k].min && v.v[k] <= sets[n]->params[k].max);
				if (sets[n]->check)
					EXPECT_EQ(sets[n]->check(&v), -1);
			}
		}
	}
}

static void expect_auto(u64 line_bps, u64 rtt_ns, const char *name, u64 want)
{
	struct rcc_path path = { .line_bps = line_bps, .base_rtt_ns = rtt_ns };
	struct rcc_values v;
	int at = rcc_param_find(&rcc_alg_dcqcn, name, strlen(name));

	EXPECT(at >= 0);
	rcc_params_load(&rcc_alg_dcqcn, RCC_PROFILE_AUTO, &path, &v);
	EXPECT_EQ(v.v[at], want);
}

TEST("The automatic profile scales increases to the line, and has one set of periods up to 16 us of round trip and one beyond")
{
	static const struct {
		u64 line_mbps;
		u64 ai;
		u64 hai;
		u64 min;
	} rates[] = {
		{ 200000, 40, 400, 20 }, { 100000, 20, 200, 10 }, { 10000, 2, 20, 1 }, { 1000, 1, 2, 1 }, { 1, 1, 1, 1 },
	};
	static const struct {
		u64 rtt_ns;
		u64 time_reset;
		u64 alpha_period;
		u64 monitor;
	} times[] = {
		{ 0, 80, 120, 50 }, { 4200, 80, 120, 50 }, { 16000, 80, 120, 50 },
		{ 16001, 5120, 1920, 128 }, { 50000, 5120, 1920, 128 }, { 187400, 5120, 1920, 128 },
		{ 10000000, 5120, 1920, 128 }, { 4000000000, 5120, 1920, 128 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		expect_auto(rates[i].line_mbps * 1000000, 100000, "rp_ai_rate", rates[i].ai);
		expect_auto(rates[i].line_mbps * 1000000, 100000, "rp_hai_rate", rates[i].hai);
		expect_auto(rates[i].line_mbps * 1000000, 100000, "rp_min_rate", rates[i].min);
	}
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		expect_auto(200000000000ULL, times[i].rtt_ns, "rp_time_reset", times[i].time_reset);
		expect_auto(200000000000ULL, times[i].rtt_ns, "rp_dce_tcp_rtt", times[i].alpha_period);
		expect_auto(200000000000ULL, times[i].rtt_ns, "rp_rate_reduce_monitor_period", times[i].monitor);
	}
}

TEST("What the automatic profile does not scale has one value on every path")
{
	static const struct {
		const char *name;
		u64 value;
	} want[] = {
		{ "rp_clamp_tgt_rate", 0 }, { "rp_clamp_tgt_rate_ati", 1 }, { "rp_byte_reset", 0 }, { "rp_threshold", 5 },
		{ "rp_max_rate", 0 }, { "rp_min_dec_fac", 50 }, { "rp_rate_to_set_on_first_cnp", 0 },
		{ "rp_dce_tcp_g", 1020 }, { "rp_initial_alpha_value", 1024 }, { "rp_gd", 11 }, { "rp_cut_on_loss", 1 },
		{ "rp_clamp_to_sent", 1 }, { "rp_cnp_rate_floor", 70 }, { "rp_increase_when_idle", 0 },
		{ "rp_cnp_bytes", 1024 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		expect_auto(1000000, 0, want[i].name, want[i].value);
		expect_auto(100000000000ULL, 12000, want[i].name, want[i].value);
		expect_auto(800000000000ULL, 4000000000ULL, want[i].name, want[i].value);
	}
}

TEST("The algorithm none asks for the line rate and keeps to it, whatever happens")
{
	struct rcc_decision d = { 0 };
	struct rcc_event ev = { .now_ns = 1, .type = RCC_EV_CNP };

	rcc_alg_none.init(NULL, NULL, &path_100g, 0, &d);
	EXPECT_EQ(d.rate_bps, path_100g.line_bps);
	rcc_alg_none.event(NULL, NULL, &ev, &d);
	EXPECT_EQ(d.rate_bps, path_100g.line_bps);
	EXPECT(!rcc_alg_none.paces);
}
