// SPDX-License-Identifier: GPL-2.0
/* rxecc params */
#include <stdio.h>
#include <string.h>

#include "rxecc.h"

static const struct column columns[] = {
	{ "parameter", "name", FORMAT_PLAIN, true },
	{ "value", "value", FORMAT_PLAIN, false },
	{ "unit", "unit", FORMAT_PLAIN, true },
	{ "range", "range", FORMAT_PLAIN, false },
	{ "auto", "auto", FORMAT_PLAIN, false },
	{ "cx", "cx", FORMAT_PLAIN, false },
	{ "paper", "paper", FORMAT_PLAIN, false },
	{ "", "doc", FORMAT_PLAIN, true },
};

/* What the table shows in columns of its own. */
static void flatten(json_t *params)
{
	json_t *p;
	size_t i;

	json_array_foreach(params, i, p) {
		json_object_set_new(p, "range", json_sprintf("%lld..%lld", json_integer_value(json_object_get(p, "min")),
							     json_integer_value(json_object_get(p, "max"))));
		json_object_update_missing(p, json_object_get(p, "profiles"));
	}
}

/* One table for each algorithm: the kernel tells their parameters one after the other. */
static void print_tables(json_t *params)
{
	json_t *table = json_array(), *p;
	const char *alg = NULL, *of;
	size_t i;

	flatten(params);
	json_array_foreach(params, i, p) {
		of = json_string_value(json_object_get(p, "algorithm"));
		if (!alg || strcmp(alg, of)) {
			if (alg) {
				print_table(columns, ARRAY_SIZE(columns), table);
				putchar('\n');
			}
			printf("%s, profile %s\n", of, json_string_value(json_object_get(p, "profile")));
			json_array_clear(table);
		}
		alg = of;
		json_array_append(table, p);
	}
	if (alg)
		print_table(columns, ARRAY_SIZE(columns), table);
	json_decref(table);
}

static void show(const char *dev, const char *alg, bool json)
{
	json_t *params = get_params(dev, alg);

	if (json)
		print_json(params);
	else
		print_tables(params);
	json_decref(params);
}

static void put_setting(struct nlmsghdr *request, const char *word)
{
	struct setting setting;
	struct nlattr *nest;

	if (parse_setting(word, &setting))
		usage("'%s' is no PARAM=VALUE; a value is a number without sign", word);
	nest = mnl_attr_nest_start(request, RXE_CC_A_PARAM_SETTING);
	mnl_attr_put_strz(request, RXE_CC_A_SETTING_NAME, setting.name);
	mnl_attr_put_u64(request, RXE_CC_A_SETTING_VALUE, setting.value);
	mnl_attr_nest_end(request, nest);
}

static void set(const struct args *args, const char *dev)
{
	struct nlmsghdr *request = nl_request(RXE_CC_CMD_PARAM_SET, 0);
	int i = 2;

	mnl_attr_put_strz(request, RXE_CC_A_PARAM_DEV, dev);
	mnl_attr_put_strz(request, RXE_CC_A_PARAM_ALGORITHM, args->words[1]);
	if (!strcmp(args->words[2], "profile")) {
		if (args->n == 3)
			usage("which profile? auto, cx or paper");
		if (strlen(args->words[3]) >= NAME_BYTES)
			usage("'%s' is too long", args->words[3]);
		mnl_attr_put_strz(request, RXE_CC_A_PARAM_PROFILE, args->words[3]);
		i = 4;
	}
	for (; i < args->n; i++)
		put_setting(request, args->words[i]);
	nl_set(request);
}

/**
 * cmd_params() - rxecc params DEV [ALG [profile NAME] [PARAM=VALUE...]]
 * @args: the words; with JSON the new state is printed
 */
void cmd_params(const struct args *args)
{
	const char *alg = args->n > 1 ? args->words[1] : NULL;
	struct target target;

	if (!args->n)
		usage("of which device? see rxecc params --help");
	if (parse_target(args->words[0], &target) || target.has_qpn)
		usage("'%s' is no device", args->words[0]);
	if (alg && (!*alg || strlen(alg) >= NAME_BYTES))
		usage("'%s' is no algorithm", alg);
	if (args->n > 2)
		set(args, target.dev);
	if (args->n <= 2 || args->json)
		show(target.dev, alg, args->json);
}
