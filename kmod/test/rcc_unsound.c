// SPDX-License-Identifier: GPL-2.0
/*
 * Offers rxe_cc an algorithm with one fault, which it must refuse: loading this module fails then. Without a fault it is
 * accepted, so that a refusal has no other reason.
 *
 *	insmod rcc_unsound.ko fault=bad_name
 */
#include <linux/module.h>

#include "rxe_cc.h"

#define NPARAMS	2
#define NMANY	32

static char *fault = "none";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "what is wrong: a name of the table, \"none\" or \"many\"");

static struct rcc_param params[RCC_PARAMS_MAX + 1] = {
	{ "gain", "/1024", 1, 1024, { 1, 2, 3 }, "does nothing" },
	{ "step", "Mb/s", 0, 10, { 0, 5, 10 }, "does nothing either" },
};

static void init(struct rcc_state *state, const struct rcc_values *v, const struct rcc_path *path, u64 now_ns,
		 struct rcc_decision *d)
{
	d->rate_bps = path->line_bps;
}

static void event(struct rcc_state *state, const struct rcc_values *v, const struct rcc_event *ev, struct rcc_decision *d)
{
}

static struct rcc_alg alg = {
	.name = "unsound",
	.doc = "what a test breaks",
	.paces = true,
	.events = RCC_WANT(RCC_EV_TX),
	.nparams = NPARAMS,
	.params = params,
	.init = init,
	.event = event,
};

static void no_init(void)
{
	alg.init = NULL;
}

static void no_event(void)
{
	alg.event = NULL;
}

static void no_name(void)
{
	alg.name = NULL;
}

static void nameless(void)
{
	alg.name = "";
}

static void bad_name(void)
{
	alg.name = "../up";
}

static void long_name(void)
{
	alg.name = "a_name_of_thirty_two_letters_abcd";
}

static void bad_events(void)
{
	alg.events = RCC_WANT(RCC_EV_END);
}

static void too_many(void)
{
	alg.nparams = RCC_PARAMS_MAX + 1;
}

static void no_params(void)
{
	alg.params = NULL;
}

static void bad_param_name(void)
{
	strscpy(params[0].name, "Gain", sizeof(params[0].name));
}

static void param_name_open(void)
{
	memset(params[0].name, 'g', sizeof(params[0].name));
}

static void unit_open(void)
{
	memset(params[0].unit, 'u', sizeof(params[0].unit));
}

static void doc_open(void)
{
	memset(params[1].doc, 'd', sizeof(params[1].doc));
}

static void same_param(void)
{
	params[1] = params[0];
}

static void value_too_small(void)
{
	params[0].value[RCC_PROFILE_CX] = 0;
}

static void value_too_large(void)
{
	params[1].value[RCC_PROFILE_PAPER] = 11;
}

static void range_inverted(void)
{
	params[1].min = 10;
	params[1].max = 0;
}

static void taken(void)
{
	alg.name = "dcqcn";
}

static void none(void)
{
}

#define FAULT(name)	{ #name, name }

static const struct {
	const char *name;
	void (*make)(void);
} faults[] = {
	FAULT(none), FAULT(no_init), FAULT(no_event), FAULT(no_name), FAULT(nameless), FAULT(bad_name), FAULT(long_name),
	FAULT(bad_events), FAULT(too_many), FAULT(no_params), FAULT(bad_param_name), FAULT(param_name_open),
	FAULT(unit_open), FAULT(doc_open), FAULT(same_param), FAULT(value_too_small), FAULT(value_too_large),
	FAULT(range_inverted), FAULT(taken),
};

/* Fill the table of algorithms, and leave it as it was. Returns the error that says that it is full. */
static int many(void)
{
	static char names[NMANY][RCC_NAME_BYTES];
	static struct rcc_alg algs[NMANY];
	int err = 0, n;

	for (n = 0; n < NMANY; n++) {
		snprintf(names[n], sizeof(names[n]), "unsound%d", n);
		algs[n] = alg;
		algs[n].name = names[n];
		err = rcc_alg_add(&algs[n], THIS_MODULE);
		if (err)
			break;
	}
	while (n--)
		rcc_alg_del(&algs[n]);
	return err;
}

static int __init rcc_unsound_init(void)
{
	int i;

	if (!strcmp(fault, "many"))
		return many();
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (!strcmp(fault, faults[i].name)) {
			faults[i].make();
			return rcc_alg_add(&alg, THIS_MODULE);
		}
	}
	return -ENOENT;
}

static void __exit rcc_unsound_exit(void)
{
	rcc_alg_del(&alg);
}

module_init(rcc_unsound_init);
module_exit(rcc_unsound_exit);

MODULE_DESCRIPTION("Algorithms that rxe_cc must refuse");
MODULE_AUTHOR("rxe-cc developers");
MODULE_LICENSE("GPL");
