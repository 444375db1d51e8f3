// SPDX-License-Identifier: GPL-2.0
/*
 * The input is a profile, a path, and lines "name value", as somebody might write to sysfs. A set of parameters stays in
 * range and free of contradiction, and what is refused changes nothing.
 */
#include "algs.h"
#include "fuzz.h"
#include "np.h"

typedef unsigned __int128 u128;

static const struct rcc_alg *const sets[] = { &rcc_alg_dcqcn, &rcc_np };

/* decimal digits and at most one newline behind them; the value in 128 bits, saturated */
static bool plain_number(const char *s, size_t len, u128 *value)
{
	size_t i;

	*value = 0;
	if (len && s[len - 1] == '\n')
		len--;
	for (i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		if (*value < (u128)1 << 100)
			*value = *value * 10 + s[i] - '0';
	}
	/* the parser takes 20 digits at most */
	return len && len <= 20;
}

static bool parse(const char *s, size_t len, u64 *value)
{
	char *exact = malloc(len ? len : 1);
	u128 want;
	bool number = plain_number(s, len, &want), ok;

	memcpy(exact, s, len);
	*value = 4242;
	ok = !rcc_u64_parse(exact, len, value);
	MUST(ok == (number && want <= ~0ULL));
	MUST(*value == (ok ? (u64)want : 4242));
	free(exact);
	return ok;
}

static void check_set(const struct rcc_alg *alg, const struct rcc_values *v)
{
	u32 i;

	for (i = 0; i < alg->nparams; i++)
		MUST(v->v[i] >= alg->params[i].min && v->v[i] <= alg->params[i].max);
	MUST(!alg->check || alg->check(v) < 0);
}

static void set_one(const struct rcc_alg *alg, struct rcc_values *v, int index, u64 value)
{
	struct rcc_values before = *v;
	u32 i;
	int err;

	err = rcc_param_set(alg, v, index, value);
	for (i = 0; i < alg->nparams; i++)
		MUST(v->v[i] == (!err && i == (u32)index ? value : before.v[i]));
	check_set(alg, v);
}

static void one_line(const struct rcc_alg *alg, struct rcc_values *v, const char *line, size_t len)
{
	const char *space = memchr(line, ' ', len);
	size_t name = space ? (size_t)(space - line) : 0;
	int index;
	u64 value;

	if (!space || !parse(space + 1, len - name - 1, &value))
		return;
	/* a single character stands for a name too, so that the fuzzer need not guess names */
	index = rcc_param_find(alg, line, name);
	if (index >= 0)
		MUST(strlen(alg->params[index].name) == name && !memcmp(alg->params[index].name, line, name));
	else if (name == 1)
		index = (u8)line[0] % alg->nparams;
	if (index >= 0)
		set_one(alg, v, index, value);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct rcc_path path = { 0 };
	struct input in = { data, size };
	const struct rcc_alg *alg = sets[input_number(&in, 1) % 2];
	enum rcc_profile profile = input_number(&in, 1) % RCC_PROFILES_SET;
	struct rcc_values v;

	path.line_bps = input_number(&in, 6);
	path.base_rtt_ns = input_number(&in, 5);
	rcc_params_load(alg, profile, &path, &v);
	check_set(alg, &v);
	while (in.left) {
		const u8 *end = memchr(in.data, '\n', in.left);
		size_t len = end ? (size_t)(end - in.data) + 1 : in.left;

		one_line(alg, &v, (const char *)in.data, len);
		rcc_alg_find((const char *)in.data, len);
		rcc_profile_find((const char *)in.data, len);
		in.data += len;
		in.left -= len;
	}
	return 0;
}
