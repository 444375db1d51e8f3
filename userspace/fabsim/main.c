// SPDX-License-Identifier: GPL-2.0
/* fabsim: reads its options, runs one simulation, reports. */
#include <time.h>

#include "fabsim.h"

/**
 * alloc_zeroed() - memory that is there
 * @count: number of elements
 * @bytes: of each
 *
 * Return: zeroed memory, to be freed with free().
 */
void *alloc_zeroed(size_t count, size_t bytes)
{
	void *p = calloc(count, bytes);

	if (!p)
		die("out of memory");
	return p;
}

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* The receivers' parameters; the profile is the senders'. */
static void np_load(struct sim *s)
{
	const struct opts *o = s->opts;
	const struct rcc_path path = { .line_bps = o->host_bps };
	u32 i;

	rcc_params_load(&rcc_np, o->profile, &path, &s->np);
	for (i = 0; i < o->nsettings; i++)
		if (o->settings[i].alg == &rcc_np)
			s->np.v[o->settings[i].index] = o->settings[i].value;
}

int main(int argc, char **argv)
{
	static struct opts opts;
	static struct sim sim;
	double begin_s;

	opts_parse(&opts, argc, argv);
	sim.opts = &opts;
	sim.random = opts.seed;
	np_load(&sim);
	topo_build(&sim);
	workload_build(&sim);
	samples_init(&sim);
	if (opts.out)
		output_prepare(&sim);
	begin_s = cpu_s();
	sim_run(&sim, opts.duration_ps ? sim.samples.origin_ps + opts.duration_ps : ENDLESS);
	report(&sim, cpu_s() - begin_s);
	sim_free(&sim);
	return 0;
}
