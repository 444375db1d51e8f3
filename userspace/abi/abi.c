// SPDX-License-Identifier: GPL-2.0
/* Print the params/ entries of the ABI page, from the descriptors that the module itself uses. */
#include <ctype.h>
#include <stdio.h>

#include "algs.h"
#include "np.h"

/* A slow and a fast path: what differs between them is scaled. */
static const struct rcc_path paths[] = {
	{ .line_bps = 10000 * RCC_BPS_PER_MBPS, .base_rtt_ns = 50000, .mtu_bytes = 4200 },
	{ .line_bps = 100000 * RCC_BPS_PER_MBPS, .base_rtt_ns = 10000, .mtu_bytes = 4200 },
};

static void print_param(const struct rcc_alg *alg, u32 i)
{
	const struct rcc_param *p = &alg->params[i];
	struct rcc_values v[2];

	rcc_params_load(alg, RCC_PROFILE_AUTO, &paths[0], &v[0]);
	rcc_params_load(alg, RCC_PROFILE_AUTO, &paths[1], &v[1]);
	printf("\nWhat:\t\t/sys/class/rxe_cc/<ibdev>/params/%s/%s\n", alg->name, p->name);
	printf("Date:\t\tNovember 2026\nKernelVersion:\t6.1\nContact:\trxe-cc developers\n");
	printf("Description:\t(RW) %c%s.\n\n", toupper(p->doc[0]), p->doc + 1);
	printf("\t\tUnit: %s.\n", *p->unit ? p->unit : "none");
	printf("\t\tRange: %llu..%llu.\n", (unsigned long long)p->min, (unsigned long long)p->max);
	printf("\t\tProfiles: auto %llu%s, cx %llu, paper %llu.\n", (unsigned long long)v[0].v[i],
	       v[0].v[i] == v[1].v[i] ? "" : " (scaled)", (unsigned long long)p->value[RCC_PROFILE_CX],
	       (unsigned long long)p->value[RCC_PROFILE_PAPER]);
}

static void print_params(const struct rcc_alg *alg)
{
	u32 i;

	for (i = 0; i < alg->nparams; i++)
		print_param(alg, i);
}

int main(void)
{
	u32 i;

	for (i = 0; i < rcc_nalgs; i++)
		print_params(rcc_algs[i]);
	print_params(&rcc_np);
	return 0;
}
