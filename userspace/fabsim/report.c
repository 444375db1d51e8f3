// SPDX-License-Identifier: GPL-2.0
/* The summary: figures are put together once, as JSON, and printed as that or as lines of text. */
#include "fabsim.h"

/* a share of fair +/- that counts as fair */
#define FAIR_PERCENT	10

static double us(u64 ps)
{
	return (double)ps / PS_PER_US;
}

static void put_real(json_t *o, const char *key, double value)
{
	json_object_set_new(o, key, json_real(value));
}

static void put_count(json_t *o, const char *key, u64 value)
{
	json_object_set_new(o, key, json_integer(value));
}

/* Payload delivered to all flows since the warm-up. */
static u64 delivered_bytes(const struct sim *s)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < s->nflows; i++)
		sum += s->flows[i].delivered - s->samples.at_warmup[i];
	return sum;
}

/* Fairness among the flows that were there from the warm-up to the end. */
static double fairness(const struct sim *s)
{
	u64 begin_ps = s->samples.origin_ps + s->opts->warmup_ps;
	u64 *shares = alloc_zeroed(s->nflows, sizeof(*shares));
	u32 n = 0, i;
	double index;

	for (i = 0; i < s->nflows; i++)
		if (s->flows[i].start_ps <= begin_ps && s->flows[i].done_ps == NEVER)
			shares[n++] = s->flows[i].delivered - s->samples.at_warmup[i];
	index = jain(shares, n);
	free(shares);
	return index;
}

static void put_bottleneck(const struct sim *s, json_t *o)
{
	const struct port *p = s->topo.bottleneck;
	u64 begin_ps = s->samples.origin_ps + s->opts->warmup_ps;
	double seconds = (double)(s->now_ps - begin_ps) / PS_PER_SEC;
	double line = seconds * p->rate_bps;
	double payload = (double)s->opts->mtu_bytes / (s->opts->mtu_bytes + s->opts->header_bytes);

	put_real(o, "utilisation", 8.0 * (p->tx_bytes - s->samples.tx_at_warmup) / line);
	put_real(o, "goodput_share", 8 * delivered_bytes(s) / (line * payload));
	put_real(o, "goodput_gbps", 8e-9 * delivered_bytes(s) / seconds);
	put_count(o, "queue_p50_bytes", hist_percentile(p->hist, 500));
	put_count(o, "queue_p99_bytes", hist_percentile(p->hist, 990));
	put_count(o, "queue_max_bytes", p->hist->max_bytes);
}

static u64 data_in(const struct fifo *q)
{
	const struct pkt *k;
	u64 n = 0;

	for (k = q->head; k; k = k->next)
		n += k->kind == PKT_DATA;
	return n;
}

/* Packets of data that are on links or in queues, counted one by one: sent = received + dropped + these. */
static u64 data_in_flight(const struct sim *s)
{
	const struct port *p;
	u64 n = 0;

	for (p = s->topo.ports; p < s->topo.ports + s->topo.nports; p++)
		n += data_in(&p->wire) + data_in(&p->queue[RCC_PRIO_DATA]);
	return n;
}

static void put_counts(const struct sim *s, json_t *o)
{
	const struct counts *c = &s->counts;
	u64 longest = 0, marks = 0;
	u32 i;

	for (i = 0; i < s->topo.nports; i++) {
		longest = rcc_max64(longest, s->topo.ports[i].max_bytes);
		marks += s->topo.ports[i].marks;
	}
	put_count(o, "longest_queue_bytes", longest);
	put_count(o, "data_sent", c->data_sent);
	put_count(o, "data_received", c->data_received);
	put_count(o, "data_in_flight", data_in_flight(s));
	put_count(o, "drops", c->data_dropped);
	put_count(o, "resent", c->resent);
	put_count(o, "marks", marks);
	put_count(o, "cnps_sent", c->cnps_sent);
	put_count(o, "cnps_handled", c->cnps_handled);
	put_count(o, "cnps_ignored", c->cnps_ignored);
	put_count(o, "acks", c->acks);
	put_count(o, "naks", c->naks);
	put_count(o, "timeouts", c->timeouts);
	put_count(o, "pfc_pauses", c->xoffs);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* p50, p95, p99 and the greatest: value[int(n * p)] of the sorted ones */
static void put_percentiles(json_t *o, const char *key, double *values, u32 n)
{
	json_t *p = json_object();

	qsort(values, n, sizeof(*values), compare);
	put_real(p, "p50", values[n / 2]);
	put_real(p, "p95", values[(u64)n * 95 / 100]);
	put_real(p, "p99", values[(u64)n * 99 / 100]);
	put_real(p, "max", values[n - 1]);
	json_object_set_new(o, key, p);
}

static void put_fct(const struct sim *s, json_t *o)
{
	double *fct = alloc_zeroed(s->nflows, sizeof(*fct));
	double *slow = alloc_zeroed(s->nflows, sizeof(*slow));
	double sum = 0;
	u32 n = 0, i;

	for (i = 0; i < s->nflows; i++) {
		const struct flow *f = &s->flows[i];

		if (f->done_ps == NEVER || f->stopped)
			continue;
		fct[n] = us(f->done_ps - f->start_ps);
		slow[n] = fct[n] / us(ideal_fct_ps(s, f));
		slow[n] = slow[n] < 1 ? 1 : slow[n];
		sum += fct[n++];
	}
	put_count(o, "flows", s->nflows);
	put_count(o, "flows_finished", n);
	if (n) {
		put_real(o, "fct_mean_us", sum / n);
		put_percentiles(o, "fct_us", fct, n);
		put_percentiles(o, "slowdown", slow, n);
	}
	free(fct);
	free(slow);
}

static void put_speed(const struct sim *s, json_t *o, double cpu_s)
{
	json_t *p = json_object();

	put_count(p, "packet_hops", s->counts.hops);
	put_real(p, "cpu_s", cpu_s);
	put_real(p, "packet_hops_per_s", s->counts.hops / cpu_s);
	put_count(p, "bytes_per_flow", sizeof(struct flow));
	put_count(p, "bytes_per_packet", sizeof(struct pkt));
	put_count(p, "packets_in_pool", s->npkts);
	json_object_set_new(o, "speed", p);
}

static void put_converged(json_t *o, const char *key, u64 ps)
{
	json_object_set_new(o, key, ps == NEVER ? json_null() : json_real(us(ps)));
}

static json_t *summary(const struct sim *s, double cpu_s)
{
	const struct opts *o = s->opts;
	json_t *j = json_object();

	json_object_set_new(j, "algorithm", json_string(o->alg->name));
	json_object_set_new(j, "profile", json_string(rcc_profile_names[o->profile]));
	put_count(j, "seed", o->seed);
	put_real(j, "time_us", us(s->now_ps - s->samples.origin_ps));
	put_bottleneck(s, j);
	if (o->size_bytes == NEVER && !o->flows_file)
		put_real(j, "jain", fairness(s));
	put_counts(s, j);
	put_fct(s, j);
	if (o->join_ps)
		put_converged(j, "join_us", converge_join_ps(s, FAIR_PERCENT));
	if (o->leave_ps)
		put_converged(j, "leave_us", converge_leave_ps(s, FAIR_PERCENT));
	put_speed(s, j, cpu_s);
	return j;
}

static void print_value(const char *prefix, const char *key, const json_t *v)
{
	printf("%s%-*s ", prefix, (int)(24 - strlen(prefix)), key);
	if (json_is_string(v))
		printf("%s\n", json_string_value(v));
	else if (json_is_integer(v))
		printf("%lld\n", (long long)json_integer_value(v));
	else if (json_is_real(v))
		printf("%.6g\n", json_real_value(v));
	else
		printf("never\n");
}

static void print_text(json_t *j)
{
	const char *key, *inner;
	json_t *v, *w;

	json_object_foreach(j, key, v) {
		if (!json_is_object(v)) {
			print_value("", key, v);
			continue;
		}
		printf("%s\n", key);
		json_object_foreach(v, inner, w)
			print_value("  ", inner, w);
	}
}

/**
 * report() - print the summary, and write what --out asks for
 * @s: a simulation that is over
 * @cpu_s: processor time that it took
 */
void report(struct sim *s, double cpu_s)
{
	json_t *j;

	hist_change(s->topo.bottleneck->hist, s->now_ps, s->topo.bottleneck->queue_bytes);
	j = summary(s, cpu_s);
	if (s->opts->out)
		output_write(s, j);
	if (s->opts->json)
		json_dumpf(j, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	else
		print_text(j);
	if (s->opts->json)
		putchar('\n');
	json_decref(j);
}
