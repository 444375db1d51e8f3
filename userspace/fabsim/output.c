// SPDX-License-Identifier: GPL-2.0
/*
 * What --out writes:
 *
 *	flows.fct	HPCC's columns: sip dip sport dport bytes start_ns fct_ns standalone_ns, in order of completion
 *	queue.csv	queue of the bottleneck by time
 *	rates.csv	payload rate of each flow by time, delivered; allowed.csv: what its algorithm allowed
 *	summary.json	the summary
 *	run.png, .svg	the same as a picture, if gnuplot is installed
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fabsim.h"

#define ROWS_MAX	1000

static FILE *open_in(const struct sim *s, const char *name, char *path, size_t room)
{
	FILE *f;

	snprintf(path, room, "%s/%s", s->opts->out, name);
	f = fopen(path, "w");
	if (!f)
		die("--out: %s: %s", path, strerror(errno));
	return f;
}

static void done(FILE *f, const char *path)
{
	if (ferror(f) | fclose(f))
		die("--out: %s: %s", path, strerror(errno));
}

static int by_end(const void *a, const void *b)
{
	const struct flow *x = *(const struct flow *const *)a, *y = *(const struct flow *const *)b;

	if (x->done_ps != y->done_ps)
		return x->done_ps < y->done_ps ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

static void write_fct(const struct sim *s)
{
	const struct flow **order = alloc_zeroed(s->nflows, sizeof(*order));
	char path[4096];
	FILE *f = open_in(s, "flows.fct", path, sizeof(path));
	u32 i;

	for (i = 0; i < s->nflows; i++)
		order[i] = &s->flows[i];
	qsort(order, s->nflows, sizeof(*order), by_end);
	for (i = 0; i < s->nflows && order[i]->done_ps != NEVER; i++) {
		const struct flow *w = order[i];

		if (w->stopped)
			continue;
		fprintf(f, "%08x %08x %u %u %llu %llu %llu %llu\n", node_address(w->port->node),
			node_address(w->to->node), w->sport, w->dport,
			(unsigned long long)w->bytes, (unsigned long long)(w->start_ps / PS_PER_NS),
			(unsigned long long)((w->done_ps - w->start_ps) / PS_PER_NS),
			(unsigned long long)(ideal_fct_ps(s, w) / PS_PER_NS));
	}
	free(order);
	done(f, path);
}

static double sample_us(const struct sim *s, u32 sample)
{
	return (double)sample * s->opts->sample_ps / PS_PER_US;
}

static void write_queue(const struct sim *s)
{
	char path[4096];
	FILE *f = open_in(s, "queue.csv", path, sizeof(path));
	u32 i;

	fprintf(f, "time_us,queue_bytes\n");
	for (i = 0; i < s->samples.n; i++)
		fprintf(f, "%.3f,%llu\n", sample_us(s, i), (unsigned long long)s->samples.queue_bytes[i]);
	done(f, path);
}

/* One row for so many samples. */
static u32 row_step(const struct sim *s)
{
	return 1 + s->samples.n / ROWS_MAX;
}

static double delivered_mbps(const struct sim *s, u32 sample, u32 flow)
{
	const u64 *end = &s->samples.delivered[(size_t)sample * s->nflows + flow];
	u32 step = row_step(s);

	return (double)(*end - *(end - (size_t)step * s->nflows)) * 8 * PS_PER_US / (step * s->opts->sample_ps);
}

static double allowed_mbps(const struct sim *s, u32 sample, u32 flow)
{
	return s->samples.rate_bps[(size_t)sample * s->nflows + flow] * 1e-6;
}

static void write_rates(const struct sim *s, const char *name, double (*mbps)(const struct sim *s, u32 sample, u32 flow))
{
	char path[4096];
	FILE *f = open_in(s, name, path, sizeof(path));
	u32 i, flow;

	fprintf(f, "time_us");
	for (flow = 0; flow < s->nflows; flow++)
		fprintf(f, ",flow%u_mbps", flow);
	for (i = row_step(s); i < s->samples.n; i += row_step(s)) {
		fprintf(f, "\n%.3f", sample_us(s, i));
		for (flow = 0; flow < s->nflows; flow++)
			fprintf(f, ",%.3f", mbps(s, i, flow));
	}
	fprintf(f, "\n");
	done(f, path);
}

static void draw(const struct sim *s, const char *terminal, const char *suffix)
{
	FILE *g = popen("gnuplot 2>/dev/null", "w");

	if (!g)
		return;
	fprintf(g, "set terminal %s size 900,600\nset output '%s/run.%s'\n", terminal, s->opts->out, suffix);
	fprintf(g, "set datafile separator ','\nset multiplot layout 2,1\nset grid\nset xlabel 'ms'\nset key off\n");
	if (s->samples.delivered) {
		fprintf(g, "set title '%s, %u flows: rate of each, Gb/s'\n", s->opts->alg->name, s->nflows);
		fprintf(g, "plot for [i=2:%u] '%s/rates.csv' skip 1 using ($1/1e3):(column(i)/1e3) with lines\n",
			s->nflows + 1, s->opts->out);
	}
	fprintf(g, "set title 'queue of the bottleneck, KB'\n");
	fprintf(g, "plot '%s/queue.csv' skip 1 using ($1/1e3):($2/1e3) with lines\n", s->opts->out);
	if (pclose(g))
		fprintf(stderr, "fabsim: gnuplot failed: no picture in %s\n", s->opts->out);
}

static void pictures(const struct sim *s)
{
	/* nothing to draw a line between */
	if (s->samples.n < 3)
		return;
	if (system("command -v gnuplot > /dev/null")) {
		fprintf(stderr, "fabsim: no gnuplot, so no picture: install the package gnuplot-nox\n");
		return;
	}
	draw(s, "pngcairo", "png");
	draw(s, "svg", "svg");
}

/**
 * output_prepare() - make the directory of --out before time is spent on a run
 * @s: the simulation, with its flows
 */
void output_prepare(const struct sim *s)
{
	if (mkdir(s->opts->out, 0777) && errno != EEXIST)
		die("--out=%s: %s", s->opts->out, strerror(errno));
	if (access(s->opts->out, W_OK | X_OK))
		die("--out=%s: %s", s->opts->out, strerror(errno));
}

/**
 * output_write() - write the files that --out asks for
 * @s: a simulation that is over
 * @summary: its summary
 */
void output_write(const struct sim *s, const json_t *summary)
{
	char path[4096];
	FILE *f;

	write_fct(s);
	write_queue(s);
	if (s->samples.delivered) {
		write_rates(s, "rates.csv", delivered_mbps);
		write_rates(s, "allowed.csv", allowed_mbps);
	}
	f = open_in(s, "summary.json", path, sizeof(path));
	json_dumpf(summary, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	done(f, path);
	pictures(s);
}
