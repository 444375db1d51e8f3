// SPDX-License-Identifier: GPL-2.0
/* Tables of algorithms and profiles; finding, parsing, checking and loading parameters by their descriptors. */
#include "algs.h"

/* tools show values as signed numbers */
#define S64_MAX_VALUE	(~0ULL >> 1)

const struct rcc_alg *const rcc_algs[] = {
	&rcc_alg_dcqcn,
	&rcc_alg_none,
	&rcc_alg_fixed,
	&rcc_alg_rtt,
	&rcc_alg_timely,
	&rcc_alg_swift,
};

const u32 rcc_nalgs = sizeof(rcc_algs) / sizeof(rcc_algs[0]);

const char *const rcc_profile_names[] = {
	[RCC_PROFILE_AUTO] = "auto",
	[RCC_PROFILE_CX] = "cx",
	[RCC_PROFILE_PAPER] = "paper",
	[RCC_PROFILE_CUSTOM] = "custom",
};

static bool same_name(const char *name, const char *s, size_t len)
{
	return strlen(name) == len && !memcmp(name, s, len);
}

/**
 * rcc_alg_find() - look a built-in algorithm up
 * @name: its name, not terminated
 * @len: length of @name
 *
 * Return: the algorithm, or NULL.
 */
const struct rcc_alg *rcc_alg_find(const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < rcc_nalgs; i++)
		if (same_name(rcc_algs[i]->name, name, len))
			return rcc_algs[i];
	return NULL;
}

static bool text_ok(const char *s, size_t size)
{
	return memchr(s, 0, size);
}

static bool name_ok(const char *s, size_t size)
{
	size_t i;

	for (i = 0; i < size && s[i]; i++)
		if (s[i] != '_' && !(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= '0' && s[i] <= '9'))
			return false;
	return i > 0 && i < size;
}

static const char *param_fault(const struct rcc_alg *alg, u32 index)
{
	const struct rcc_param *p = &alg->params[index];
	u32 i;

	if (!name_ok(p->name, sizeof(p->name)))
		return "a parameter's name is not [a-z0-9_]+, or too long";
	if (!text_ok(p->unit, sizeof(p->unit)) || !text_ok(p->doc, sizeof(p->doc)))
		return "a parameter's text has no end";
	if (p->max > S64_MAX_VALUE)
		return "a parameter's range goes beyond 2^63 - 1";
	for (i = 0; i < index; i++)
		if (!strcmp(alg->params[i].name, p->name))
			return "two parameters have one name";
	for (i = 0; i < RCC_PROFILES_SET; i++)
		if (p->value[i] < p->min || p->value[i] > p->max)
			return "a profile's value lies outside its parameter's range";
	return NULL;
}

/**
 * rcc_alg_fault() - is an algorithm of somebody else's sound?
 * @alg: the algorithm; pointers of it that are set are valid
 *
 * Return: NULL, or what is wrong with it, in a few words.
 */
const char *rcc_alg_fault(const struct rcc_alg *alg)
{
	const char *fault;
	u32 i;

	if (!alg->init || !alg->event)
		return "init or event is missing";
	if (!alg->name || !name_ok(alg->name, RCC_NAME_BYTES))
		return "the name is not [a-z0-9_]+, or too long";
	if (alg->events & ~RCC_WANT_ALL)
		return "it wants events that there are not";
	if (alg->nparams > RCC_PARAMS_MAX || (alg->nparams && !alg->params))
		return "too many parameters, or none where some are said to be";
	for (i = 0; i < alg->nparams; i++) {
		fault = param_fault(alg, i);
		if (fault)
			return fault;
	}
	return NULL;
}

/**
 * rcc_profile_find() - look a profile that can be chosen up
 * @name: its name, not terminated
 * @len: length of @name
 *
 * Return: enum rcc_profile, or -1.
 */
int rcc_profile_find(const char *name, size_t len)
{
	int i;

	for (i = 0; i < RCC_PROFILES_SET; i++)
		if (same_name(rcc_profile_names[i], name, len))
			return i;
	return -1;
}

/**
 * rcc_param_find() - look a parameter up
 * @alg: the algorithm
 * @name: the parameter's name, not terminated
 * @len: length of @name
 *
 * Return: its index, or -1.
 */
int rcc_param_find(const struct rcc_alg *alg, const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < alg->nparams; i++)
		if (same_name(alg->params[i].name, name, len))
			return i;
	return -1;
}

/**
 * rcc_param_set() - change one value of a set, if the set stays sound
 * @alg: the algorithm
 * @v: the set
 * @index: which one
 * @value: the new value
 *
 * Return: 0, or -1 if @value is out of range or contradicts another parameter; then nothing is changed.
 */
int rcc_param_set(const struct rcc_alg *alg, struct rcc_values *v, u32 index, u64 value)
{
	u64 old = v->v[index];

	if (value < alg->params[index].min || value > alg->params[index].max)
		return -1;
	v->v[index] = value;
	if (alg->check && alg->check(v) >= 0) {
		v->v[index] = old;
		return -1;
	}
	return 0;
}

/**
 * rcc_params_load() - fill a set from a profile
 * @alg: the algorithm
 * @profile: one that can be chosen
 * @path: what AUTO is scaled to
 * @v: the set to fill
 */
void rcc_params_load(const struct rcc_alg *alg, enum rcc_profile profile, const struct rcc_path *path,
		     struct rcc_values *v)
{
	u32 i;

	for (i = 0; i < alg->nparams; i++)
		v->v[i] = alg->params[i].value[profile];
	if (profile != RCC_PROFILE_AUTO || !alg->scale)
		return;
	alg->scale(v, path);
	for (i = 0; i < alg->nparams; i++)
		v->v[i] = rcc_clamp64(v->v[i], alg->params[i].min, alg->params[i].max);
}

/**
 * rcc_u64_parse() - read a decimal number
 * @s: digits, not terminated; one newline at the end is allowed
 * @len: length of @s
 * @value: set if all of @s is a number below 2^64
 *
 * Return: 0, or -1: empty, a sign, a blank, any other character, or too large.
 */
int rcc_u64_parse(const char *s, size_t len, u64 *value)
{
	u64 v = 0;
	size_t i;

	if (len && s[len - 1] == '\n')
		len--;
	if (!len || len > 20)
		return -1;
	for (i = 0; i < len; i++) {
		u64 digit = (u64)(s[i] - '0');

		if (s[i] < '0' || s[i] > '9' || v > (~0ULL - digit) / 10)
			return -1;
		v = v * 10 + digit;
	}
	*value = v;
	return 0;
}
