// SPDX-License-Identifier: GPL-2.0
/* rxecc hist: histograms of one QP or one device, as a table of quantiles and pictures, or as JSON. */
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nap.h"
#include "rxecc.h"
#include "tm_text.h"

#define BAR_CELLS	40

static const struct column columns[] = {
	{ "", "kind", FORMAT_PLAIN, true },
	{ "count", "count", FORMAT_PLAIN, false },
	{ "mean", "mean_ns", FORMAT_TIME, false },
	{ "p50", "p50_ns", FORMAT_TIME, false },
	{ "p90", "p90_ns", FORMAT_TIME, false },
	{ "p99", "p99_ns", FORMAT_TIME, false },
	{ "p99.9", "p99_9_ns", FORMAT_TIME, false },
	{ "p99.99", "p99_99_ns", FORMAT_TIME, false },
	{ "max", "max_ns", FORMAT_TIME, false },
};

static const struct quantile {
	const char *key;
	u32 ppm;
} quantiles[] = {
	{ "p50_ns", 500000 },
	{ "p90_ns", 900000 },
	{ "p99_ns", 990000 },
	{ "p99_9_ns", 999000 },
	{ "p99_99_ns", 999900 },
	{ "max_ns", 1000000 },
};

/* The row of a QP, or of any QP of a device; NULL: there is none. The last one: a device made again has a higher index. */
static const struct tm_row *find(struct telemetry *tm, const struct target *target)
{
	struct tm_row *rows;
	size_t n = tm_rows(tm, &rows);

	while (n--)
		if (tm_match(&rows[n], target))
			return &rows[n];
	return NULL;
}

/* Whose histograms? A device has its own, also while it has no QPs. Returns false if there are none. */
static bool find_key(const struct target *target, const struct tm_row *row, struct tm_key *key)
{
	if (row)
		*key = row->key;
	if (target->has_qpn)
		return row;
	key->qpn = TM_DEV_QPN;
	/* a device that was made again has another index than QPs of before */
	return tm_find_device(target->dev, &key->dev) || row;
}

static void read_hists(struct telemetry *tm, const struct tm_key *key, struct tm_hist_sum *sums)
{
	int i;

	memset(sums, 0, TM_HISTS * sizeof(*sums));
	for (i = 0; i < TM_HISTS; i++)
		tm_add_hist(tm, key, i, ~0, &sums[i]);
}

/* What @sums has more than @before. Histograms of another QP, which got the number meanwhile, count whole. */
static void subtract(struct tm_hist_sum *sums, const struct tm_hist_sum *before)
{
	int i, b;

	for (i = 0; i < TM_HISTS; i++) {
		if (sums[i].total < before[i].total)
			continue;
		sums[i].total -= before[i].total;
		sums[i].sum_ns -= before[i].sum_ns;
		for (b = 0; b < RCC_HIST_BUCKETS; b++)
			sums[i].n[b] -= before[i].n[b];
	}
}

static json_t *buckets_of(const struct tm_hist_sum *sum)
{
	json_t *buckets = json_array();
	u32 b;

	for (b = 0; b < RCC_HIST_BUCKETS; b++)
		if (sum->n[b])
			json_array_append_new(buckets, json_pack("{s:I, s:I, s:I}", "from_ns", (json_int_t)rcc_hist_low(b),
								 "below_ns", (json_int_t)rcc_hist_low(b + 1),
								 "count", (json_int_t)sum->n[b]));
	return buckets;
}

static json_t *hist_json(enum tm_hist kind, const struct tm_hist_sum *sum)
{
	json_t *object = json_pack("{s:s, s:I}", "kind", tm_hist_names[kind], "count", (json_int_t)sum->total);
	size_t i;

	json_object_set_new(object, "sum_ns", json_integer(sum->sum_ns));
	json_object_set_new(object, "mean_ns", sum->total ? json_integer(sum->sum_ns / sum->total) : json_null());
	for (i = 0; i < ARRAY_SIZE(quantiles); i++)
		json_object_set_new(object, quantiles[i].key, !sum->total ? json_null() :
				    json_integer(rcc_hist_quantile(sum->n, sum->total, quantiles[i].ppm)));
	json_object_set_new(object, "buckets", buckets_of(sum));
	return object;
}

static u64 octave_count(const struct tm_hist_sum *sum, u32 octave)
{
	u64 n = 0;
	u32 b;

	for (b = octave * RCC_HIST_SUB; b < (octave + 1) * RCC_HIST_SUB; b++)
		n += sum->n[b];
	return n;
}

static void print_bar(u32 cells)
{
	const char *cell = strcmp(nl_langinfo(CODESET), "UTF-8") ? "#" : "\u2588";

	while (cells--)
		fputs(cell, stdout);
}

static void print_octave(const struct tm_hist_sum *sum, u32 octave, u64 most)
{
	u64 n = octave_count(sum, octave);
	char from[CELL_BYTES], to[CELL_BYTES];

	write_number(from, rcc_hist_low(octave * RCC_HIST_SUB), FORMAT_TIME);
	write_number(to, rcc_hist_low((octave + 1) * RCC_HIST_SUB), FORMAT_TIME);
	printf("  %10s - %-10s %12llu  %5.1f %%  ", from, to, (unsigned long long)n, 100.0 * n / sum->total);
	/* one cell at least for a lonely sample: that is the one which is looked for */
	print_bar((n * BAR_CELLS + most - 1) / most);
	putchar('\n');
}

static void print_picture(enum tm_hist kind, const struct tm_hist_sum *sum)
{
	u32 first = RCC_HIST_OCTAVES, last = 0, o;
	u64 most = 0;

	for (o = 0; o < RCC_HIST_OCTAVES; o++) {
		if (!octave_count(sum, o))
			continue;
		first = rcc_min64(first, o);
		last = o;
		most = rcc_max64(most, octave_count(sum, o));
	}
	printf("\n%s\n", tm_hist_names[kind]);
	for (o = first; o <= last; o++)
		print_octave(sum, o, most);
}

static void print_title(const struct target *target, const struct tm_row *row)
{
	char name[TM_TEXT_BYTES], peer[TM_TEXT_BYTES], process[TM_TEXT_BYTES];

	if (!target->has_qpn) {
		printf("%s\n", target->dev);
		return;
	}
	tm_name(row, name);
	tm_peer(&row->qp, peer);
	tm_process(&row->qp, process);
	if (*peer)
		printf("%s %s to %s/%u, %s\n", name, tm_type(&row->qp), peer, row->qp.peer_qpn, process);
	else
		printf("%s %s, %s\n", name, tm_type(&row->qp), process);
}

static void print(const struct target *target, const struct tm_row *row, const struct tm_hist_sum *sums, json_t *hists)
{
	json_t *seen = json_array(), *hist;
	size_t i;

	print_title(target, row);
	json_array_foreach(hists, i, hist)
		if (sums[i].total)
			json_array_append(seen, hist);
	if (json_array_size(seen))
		print_table(columns, ARRAY_SIZE(columns), seen);
	else
		puts("no samples");
	for (i = 0; i < TM_HISTS; i++)
		if (sums[i].total)
			print_picture(i, &sums[i]);
	json_decref(seen);
}

static void show_hists(const struct target *target, const struct tm_row *row, const struct tm_hist_sum *sums, bool json)
{
	json_t *object = json_object(), *hists = json_array();
	int i;

	for (i = 0; i < TM_HISTS; i++)
		json_array_append_new(hists, hist_json(i, &sums[i]));
	if (json) {
		if (target->has_qpn)
			tm_put_qp(object, row);
		else
			json_object_set_new(object, "dev", json_string(target->dev));
		json_object_set(object, "histograms", hists);
		print_json(object);
	} else {
		print(target, row, sums, hists);
	}
	json_decref(hists);
	json_decref(object);
}

static struct tm_hist_sum before[TM_HISTS], sums[TM_HISTS];

/**
 * cmd_hist() - rxecc hist qp DEV/QPN | dev DEV
 * @args: the words
 */
void cmd_hist(const struct args *args)
{
	u64 pause_ns = opt_seconds(args, OPT_SECONDS, 0);
	struct telemetry *tm;
	const struct tm_row *row;
	struct target target;
	struct tm_key key;
	const char *word;
	bool qp;

	if (args->n != 2)
		usage("of what? see rxecc hist --help");
	word = args->words[1];
	qp = !strcmp(args->words[0], "qp");
	if (!qp && strcmp(args->words[0], "dev"))
		usage("no histograms of '%s'; there are those of qp and dev", args->words[0]);
	if (parse_target(word, &target))
		usage("'%s' is neither a device nor a QP (DEV/QPN)", word);
	if (qp && !target.has_qpn)
		usage("'%s' is no QP (DEV/QPN)", word);
	if (!qp && target.has_qpn)
		usage("'%s' is a QP: rxecc hist qp %s", word, word);
	setlocale(LC_CTYPE, "");
	tm = tm_open(pause_ns ? TM_ANY : TM_READ, args->opts[OPT_PINS]);
	tm_say_missing(tm);
	if (tm_abandoned(tm))
		fprintf(stderr, "rxecc hist: the agent that recorded this has ended\n");
	row = find(tm, &target);
	if (pause_ns && find_key(&target, row, &key))
		read_hists(tm, &key, before);
	if (pause_ns) {
		nap(pause_ns);
		row = find(tm, &target);
	}
	if (!find_key(&target, row, &key))
		fail(EXIT_REFUSED, qp ? "telemetry has seen no QP '%s'" : "no device '%s', nor a QP of it in the past", word);
	read_hists(tm, &key, sums);
	subtract(sums, before);
	show_hists(&target, row, sums, args->json);
	tm_close(tm);
}
