// SPDX-License-Identifier: GPL-2.0
/* rcc_replay check: does a home decide what the vector says, bit for bit? */
#include "replay.h"

#define SHOWN_MAX	10

/* what was replayed so far, and where it is shown */
struct tally {
	const char *file;
	const struct replay_opts *opts;
	uint64_t flows;
	uint64_t events;
	uint64_t differ;
};

static void show(const char *who, const struct rcc_decision *d)
{
	printf("  %-8s rate_bps=%" PRIu64 " cwnd_bytes=%" PRIu64 " timer_ns=%" PRIu64 "\n", who, d->rate_bps, d->cwnd_bytes,
	       d->timer_ns);
}

static void compare(struct tally *t, const struct vec_flow *f, unsigned int line, const char *event,
		    const struct rcc_decision *got, const struct rcc_decision *want)
{
	if (got->rate_bps == want->rate_bps && got->cwnd_bytes == want->cwnd_bytes && got->timer_ns == want->timer_ns)
		return;
	if (t->differ++ >= SHOWN_MAX)
		return;
	printf("%s:%u: %s: %s is answered differently\n", t->file, line, f->alg->name, event);
	show("vector", want);
	show("replayed", got);
}

static void run_batch(struct tally *t, const struct vec_flow *f, size_t from, unsigned int n)
{
	static struct rcc_event ev[RCC_REPLAY_MAX];
	static struct rcc_decision d[RCC_REPLAY_MAX];
	unsigned int i;

	for (i = 0; i < n; i++)
		ev[i] = f->events[from + i].ev;
	t->opts->home->run(ev, d, n);
	for (i = 0; i < n; i++) {
		const struct vec_event *e = &f->events[from + i];

		compare(t, f, e->line, vec_event_names[e->ev.type], &d[i], &e->decision);
	}
	t->events += n;
}

static void run_flow(struct tally *t, const struct vec_flow *f)
{
	struct rcc_decision first;
	size_t i;

	t->opts->home->begin(f, &first);
	compare(t, f, f->line, "init", &first, &f->first);
	t->flows++;
	for (i = 0; i < f->n; i += RCC_REPLAY_MAX)
		run_batch(t, f, i, rcc_min64(RCC_REPLAY_MAX, f->n - i));
}

static void run_file(struct tally *t, const char *name)
{
	struct vec_flow f = {};
	struct vec_file v;

	t->file = name;
	vec_open(&v, name);
	while (vec_read(&v, &f))
		run_flow(t, &f);
	vec_close(&v);
	free(f.events);
}

/**
 * cmd_check() - replay vectors and compare
 * @o: where
 * @files: the vectors; NULL ends them
 *
 * Return: 0 if every decision is the vector's and there was any, else 1.
 */
int cmd_check(const struct replay_opts *o, char **files)
{
	struct tally t = { .opts = o };

	for (; *files; files++)
		run_file(&t, *files);
	printf("%" PRIu64 " flows, %" PRIu64 " events replayed in %s: ", t.flows, t.events, o->home_text);
	if (!t.events)
		printf("nothing to compare\n");
	else if (t.differ)
		printf("%" PRIu64 " of %" PRIu64 " decisions differ\n", t.differ, t.flows + t.events);
	else
		printf("identical\n");
	return t.events && !t.differ ? 0 : 1;
}
