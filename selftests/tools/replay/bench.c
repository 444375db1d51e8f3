// SPDX-License-Identifier: GPL-2.0
/*
 * rcc_replay bench: what an event costs in a home, in nanoseconds; under an emulator that counts instructions, in those.
 *
 * Each flow is replayed several times, and of each batch or event the fastest one counts, so interrupts do not. What the loop
 * and the clock take is measured with events that the algorithm did not ask for, and taken off. Only events that it asked
 * for count.
 */
#include "replay.h"

#define REPEATS		5
#define BATCH		128	/* events that are measured together */

/* sums over all flows of one algorithm */
struct cost {
	uint64_t batch_ns;
	uint64_t ns[RCC_EV_END];
	uint64_t n[RCC_EV_END];
};

struct bench {
	const struct replay_opts *opts;
	struct cost cost[RCC_PARAMS_MAX];	/* by the index in rcc_algs[] */
};

static unsigned int alg_index(const struct rcc_alg *alg)
{
	unsigned int i = 0;

	while (rcc_algs[i] != alg)
		i++;
	return i;
}

/* Only what was asked for, closed up. */
static void drop_unwanted(struct vec_flow *f)
{
	size_t i, kept = 0;

	for (i = 0; i < f->n; i++)
		if (f->alg->events & RCC_WANT(f->events[i].ev.type))
			f->events[kept++] = f->events[i];
	f->n = kept;
}

/* What @n events cost that nobody hears of. */
static uint64_t empty_ns(const struct bench *b, const struct vec_flow *f, unsigned int n)
{
	struct rcc_event ev[BATCH] = {};
	struct rcc_decision d[BATCH];
	uint64_t best = UINT64_MAX;
	unsigned int type = 1, i;

	while (f->alg->events & RCC_WANT(type))
		type++;
	if (type == RCC_EV_END)
		return 0;
	for (i = 0; i < n; i++)
		ev[i].type = type;
	for (i = 0; i < REPEATS; i++)
		best = rcc_min64(best, b->opts->home->run(ev, d, n));
	return best;
}

/* Replays @f in batches of @n; @best gets the least time of each batch so far. */
static void replay(const struct bench *b, const struct vec_flow *f, unsigned int n, uint64_t *best)
{
	struct rcc_event ev[BATCH];
	struct rcc_decision d[BATCH];
	unsigned int i, count;
	size_t from;

	b->opts->home->begin(f, d);
	for (from = 0; from < f->n; from += n, best++) {
		count = rcc_min64(n, f->n - from);
		for (i = 0; i < count; i++)
			ev[i] = f->events[from + i].ev;
		*best = rcc_min64(*best, b->opts->home->run(ev, d, count));
	}
}

/* The least times of batches of @n, without what @n events cost that nobody hears of. */
static void measure(const struct bench *b, const struct vec_flow *f, unsigned int n, uint64_t *best)
{
	size_t batches = (f->n + n - 1) / n, i;
	uint64_t empty;

	memset(best, 0xff, batches * sizeof(*best));
	for (i = 0; i < REPEATS; i++)
		replay(b, f, n, best);
	empty = empty_ns(b, f, n);
	for (i = 0; i < batches; i++)
		best[i] -= rcc_min64(best[i], empty);
}

static void bench_flow(struct bench *b, struct vec_flow *f)
{
	struct cost *c = &b->cost[alg_index(f->alg)];
	uint64_t *best;
	size_t i;

	drop_unwanted(f);
	/* the rest of a last batch would be compared with a whole empty one */
	f->n -= f->n % BATCH;
	best = calloc(f->n + 1, sizeof(*best));
	if (!best)
		die("no memory for %zu events", f->n);
	measure(b, f, BATCH, best);
	for (i = 0; i < f->n / BATCH; i++)
		c->batch_ns += best[i];
	measure(b, f, 1, best);
	for (i = 0; i < f->n; i++) {
		c->ns[f->events[i].ev.type] += best[i];
		c->n[f->events[i].ev.type]++;
	}
	free(best);
}

static void bench_file(struct bench *b, const char *name)
{
	struct vec_flow f = {};
	struct vec_file v;

	vec_open(&v, name);
	while (vec_read(&v, &f))
		bench_flow(b, &f);
	vec_close(&v);
	free(f.events);
}

static void print_row(const struct bench *b, const char *alg, const char *event, uint64_t n, uint64_t ns)
{
	printf("%-10s %-20s %-8s %9" PRIu64 " %9.1f\n", alg, b->opts->home_text, event, n, (double)ns / n);
}

static uint64_t print_cost(const struct bench *b, const char *alg, const struct cost *c)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 1; i < RCC_EV_END; i++)
		n += c->n[i];
	if (!n)
		return 0;
	print_row(b, alg, "all", n, c->batch_ns);
	for (i = 1; i < RCC_EV_END; i++)
		if (c->n[i])
			print_row(b, alg, vec_event_names[i], c->n[i], c->ns[i]);
	return n;
}

/**
 * cmd_bench() - measure and print a table: algorithm, home, event, how many, nanoseconds for each
 * @o: where
 * @files: vectors with flows of at least 128 events that the algorithm asks for; NULL ends them
 *
 * Return: 0, or 1 if there was nothing to measure.
 */
int cmd_bench(const struct replay_opts *o, char **files)
{
	struct bench b = { .opts = o };
	uint64_t n = 0;
	unsigned int i;

	for (; *files; files++)
		bench_file(&b, *files);
	for (i = 0; i < rcc_nalgs; i++)
		n += print_cost(&b, rcc_algs[i]->name, &b.cost[i]);
	if (!n)
		die("no flow has %d events that its algorithm asks for", BATCH);
	return 0;
}
