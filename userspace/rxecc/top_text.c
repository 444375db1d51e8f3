// SPDX-License-Identifier: GPL-2.0
/* See top_text.h. */
#include <math.h>
#include <string.h>

#include "rxecc.h"
#include "top_text.h"

/* Three digits and a letter, in at most five characters; the first letter is the unit of @value, a blank is none. */
static void write_short(char *text, double value, const char *units)
{
	bool whole = value == (u64)value;
	int decimals;

	for (; value >= 999.5 && units[1]; units++) {
		value /= 1000;
		whole = false;
	}
	decimals = whole || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	snprintf(text, TM_TEXT_BYTES, "%.*f%.1s", decimals, value, *units == ' ' ? "" : units);
}

static void write_count(char *text, double value)
{
	write_short(text, isnan(value) ? 0 : value, " kMGT");
}

static bool all_gone(const struct top_row *row)
{
	return row->gone == row->value[TOP_QPS];
}

/* A round trip or a limit of 0 is one that is not known. */
static bool unknown(const struct top_row *row, enum top_column c)
{
	return isnan(row->value[c]) || (!row->value[c] && (c == TOP_RTT || c == TOP_ALLOWED));
}

static const char *text_of(const struct top_row *row, enum top_column c)
{
	switch (c) {
	case TOP_MARK:
		return row->stalled ? "S" : all_gone(row) ? "x" : "";
	case TOP_NAME:
		return row->name;
	case TOP_PROCESS:
		return row->process;
	case TOP_PEER:
		return *row->peer ? row->peer : "-";
	default:
		return *row->algorithm ? row->algorithm : "-";
	}
}

/**
 * top_cell() - what stands in a cell
 * @row: the row
 * @c: the column; not that of trends
 * @text: set to it
 */
void top_cell(const struct top_row *row, enum top_column c, char *text)
{
	if (top_columns[c].kind == TOP_TEXT)
		strcpy(text, text_of(row, c));
	else if (unknown(row, c))
		strcpy(text, "-");
	else if (top_columns[c].kind == TOP_TIME)
		write_short(text, row->value[c], "nums");
	else
		write_count(text, row->value[c]);
}

static void say_who(const struct tm_row *qp, char *line)
{
	char name[TM_TEXT_BYTES], peer[TM_TEXT_BYTES];

	tm_name(qp, name);
	tm_peer(&qp->qp, peer);
	snprintf(line, TOP_LINE_BYTES, "Slow: %s to %s/%u", name, *peer ? peer : "?", qp->qp.peer_qpn);
}

static void say_slow(const struct top *t, char *line)
{
	const struct tm_qp *qp;
	char time[CELL_BYTES];
	size_t at;

	strcpy(line, "Slow: nobody");
	if (t->longest) {
		qp = &t->longest->qp;
		say_who(t->longest, line);
		at = strlen(line);
		write_number(time, top_reading(t)->ns - tm_progress_ns(qp), FORMAT_TIME);
		snprintf(line + at, TOP_LINE_BYTES - at, " stalled %.16s, %llu outstanding, last event %s", time,
			 (unsigned long long)tm_outstanding(qp), tm_event(qp));
	} else if (t->slowest && t->slowest->qp.rtt_ns) {
		say_who(t->slowest, line);
		at = strlen(line);
		write_number(time, t->slowest->qp.rtt_ns, FORMAT_TIME);
		snprintf(line + at, TOP_LINE_BYTES - at, ", RTT %.16s", time);
	}
}

/* Empty if no rail is slow. */
static void say_slow_rail(const struct top *t, char *line)
{
	char time[CELL_BYTES];

	*line = 0;
	if (!t->slow_rail)
		return;
	write_number(time, t->slow_rail->value[TOP_P99], FORMAT_TIME);
	snprintf(line, TOP_LINE_BYTES, "Slow rail: %s, P99 %.16s, %.1f times the median of the rails", t->slow_rail->name, time,
		 t->slow_times);
}

static void say_total(const struct top *t, char *line)
{
	char rate[TM_TEXT_BYTES], in[TM_TEXT_BYTES], out[TM_TEXT_BYTES], cuts[TM_TEXT_BYTES];

	write_count(rate, t->total[TOP_RATE]);
	write_count(in, t->total[TOP_CNPS_IN]);
	write_count(out, t->total[TOP_CNPS_OUT]);
	write_count(cuts, t->total[TOP_CUTS]);
	snprintf(line, TOP_LINE_BYTES, "%u QPs, %u stalled, %u gone  %.8s B/s  CNP/s %.8s in %.8s out  cuts/s %.8s  "
		 "NAKs %.0f  TMO %.0f", t->live, t->stalled, t->gone, rate, in, out, cuts,
		 t->total[TOP_NAKS], t->total[TOP_TIMEOUTS]);
}

/* What is not seen; empty if everything is. */
static void say_unseen(const struct top *t, char *line)
{
	const char *missing = tm_missing(t->tm);
	size_t at = 0;
	u64 n;
	int i;

	*line = 0;
	for (i = 0; i < TM_LOSTS; i++) {
		n = t->lost[i] - t->lost_before[i];
		if (n && at < TOP_LINE_BYTES)
			at += snprintf(line + at, TOP_LINE_BYTES - at, "%s%llu %s", at ? ", " : "Not recorded: ",
				       (unsigned long long)n, tm_lost_docs[i]);
	}
	if (missing && at < TOP_LINE_BYTES)
		snprintf(line + at, TOP_LINE_BYTES - at, "%s%s", at ? "; " : "", missing);
}

/**
 * top_title() - what stands above a column
 * @t: the top
 * @c: the column
 *
 * Return: its title; that of names says what they are.
 */
const char *top_title(const struct top *t, enum top_column c)
{
	static const char *const names[TOP_BYS] = { "QP", "PEER", "DEVICE", "PROCESS", "RAIL" };

	return c == TOP_NAME ? names[t->by] : top_columns[c].title;
}

/**
 * top_lines() - what stands above the rows
 * @t: the top
 * @lines: set
 *
 * Return: how many lines.
 */
int top_lines(const struct top *t, char lines[TOP_LINES][TOP_LINE_BYTES])
{
	char time[TM_TEXT_BYTES];
	int n = 3;

	tm_wall_time(top_reading(t)->ns, false, time);
	snprintf(lines[0], TOP_LINE_BYTES, "rxecc top %.8s  by %s  sort %s%s%s%s  latencies: %s", time + strlen("2026-01-01 "),
		 top_bys[t->by], t->inverted ? "-" : "", top_title(t, t->sort), *t->filter ? "  only " : "", t->filter,
		 t->lifetime ? "all" : "interval");
	say_total(t, lines[1]);
	say_slow(t, lines[2]);
	say_slow_rail(t, lines[3]);
	if (*lines[3])
		n++;
	say_unseen(t, lines[n]);
	return *lines[n] ? n + 1 : n;
}

static void print_cell(enum top_column c, int width, const char *text, bool last)
{
	bool left = top_columns[c].kind == TOP_TEXT;

	if (left && last)
		puts(text);
	else
		printf("%*s%s", left ? -width : width, text, last ? "\n" : "  ");
}

static bool printed(const struct top *t, enum top_column c)
{
	return top_columns[c].kind != TOP_PICTURE && top_has_column(t, c);
}

static enum top_column last_printed(const struct top *t)
{
	enum top_column c = TOP_COLUMNS - 1;

	while (!printed(t, c))
		c--;
	return c;
}

/**
 * top_print() - print everything as one table
 * @t: the top
 */
void top_print(struct top *t)
{
	char lines[TOP_LINES][TOP_LINE_BYTES], text[TM_TEXT_BYTES];
	enum top_column c, last = last_printed(t);
	int width[TOP_COLUMNS] = { 0 }, n = top_lines(t, lines), i;
	size_t r;

	for (i = 0; i < n; i++)
		puts(lines[i]);
	putchar('\n');
	for (c = 0; c <= last; c++) {
		if (!printed(t, c))
			continue;
		width[c] = strlen(top_title(t, c));
		for (r = 0; r < t->nshown; r++) {
			top_cell(t->shown[r], c, text);
			width[c] = (int)strlen(text) > width[c] ? (int)strlen(text) : width[c];
		}
		print_cell(c, width[c], top_title(t, c), c == last);
	}
	for (r = 0; r < t->nshown; r++) {
		for (c = 0; c <= last; c++) {
			if (!printed(t, c))
				continue;
			top_cell(t->shown[r], c, text);
			print_cell(c, width[c], text, c == last);
		}
	}
}

static json_t *number_json(enum top_column c, double value)
{
	if (isnan(value))
		return json_null();
	/* others are of whole things */
	return top_columns[c].per_s || c == TOP_CE ? json_real(value) : json_integer(value);
}

static json_t *row_json(const struct top *t, const struct top_row *row)
{
	json_t *object = json_object();
	enum top_column c;

	if (t->by == TOP_BY_QP)
		tm_put_qp(object, row->qp);
	else
		json_object_set_new(object, top_bys[t->by], json_string(row->name));
	json_object_set_new(object, "stalled", json_integer(row->stalled));
	json_object_set_new(object, "gone", json_integer(row->gone));
	if (top_has_column(t, TOP_ALGORITHM))
		json_object_set_new(object, "algorithm", *row->algorithm ? json_string(row->algorithm) : json_null());
	for (c = 0; c < TOP_COLUMNS; c++)
		if (printed(t, c) && top_columns[c].kind != TOP_TEXT)
			json_object_set_new(object, top_columns[c].key,
					    unknown(row, c) ? json_null() : number_json(c, row->value[c]));
	return object;
}

static json_t *lost_json(const struct top *t)
{
	json_t *object = json_object();
	int i;

	for (i = 0; i < TM_LOSTS; i++)
		json_object_set_new(object, tm_lost_names[i], json_integer(t->lost[i]));
	return object;
}

static json_t *slow_json(const struct tm_row *qp)
{
	json_t *object;

	if (!qp)
		return json_null();
	object = json_object();
	tm_put_qp(object, qp);
	return object;
}

/**
 * top_json() - everything as JSON
 * @t: the top
 *
 * Return: an object.
 */
json_t *top_json(struct top *t)
{
	json_t *object = json_object(), *total = json_object(), *rows = json_array();
	const char *missing = tm_missing(t->tm);
	char time[TM_TEXT_BYTES];
	enum top_column c;
	size_t i;

	tm_wall_time(top_reading(t)->ns, true, time);
	json_object_set_new(object, "time", json_string(time));
	json_object_set_new(object, "seconds", json_real(t->seconds));
	json_object_set_new(object, "by", json_string(top_bys[t->by]));
	json_object_set_new(object, "live", json_integer(t->live));
	json_object_set_new(object, "stalled", json_integer(t->stalled));
	json_object_set_new(object, "gone", json_integer(t->gone));
	json_object_set_new(object, "longest_stall", slow_json(t->longest));
	json_object_set_new(object, "longest_rtt", slow_json(t->slowest));
	json_object_set_new(object, "slow_rail", t->slow_rail ? json_string(t->slow_rail->name) : json_null());
	json_object_set_new(object, "missing", missing ? json_string(missing) : json_null());
	json_object_set_new(object, "lost", lost_json(t));
	for (c = TOP_RATE; c <= TOP_AGAIN; c++)
		if (top_columns[c].sums)
			json_object_set_new(total, top_columns[c].key, number_json(c, t->total[c]));
	json_object_set_new(object, "total", total);
	for (i = 0; i < t->nshown; i++)
		json_array_append_new(rows, row_json(t, t->shown[i]));
	json_object_set_new(object, "rows", rows);
	return object;
}

static void print_ago(FILE *out, const struct top *t, u64 ns)
{
	char text[CELL_BYTES];

	if (!ns)
		return;
	write_number(text, ns < top_reading(t)->ns ? top_reading(t)->ns - ns : 0, FORMAT_TIME);
	fprintf(out, ", %s ago", text);
}

static void print_count(FILE *out, const struct top *t, const char *what, u64 n, u64 last_ns)
{
	fprintf(out, "  %-22s %llu", what, (unsigned long long)n);
	print_ago(out, t, n ? last_ns : 0);
	fputc('\n', out);
}

/* What seldom happens has a line only if it did: all is to fit on a terminal of 24 lines. */
static void print_rare(FILE *out, const struct top *t, const char *what, u64 n, u64 last_ns)
{
	if (n)
		print_count(out, t, what, n, last_ns);
}

static void print_history(FILE *out, const struct top *t, const struct tm_qp *qp)
{
	char text[TM_TEXT_BYTES];
	int i;

	fprintf(out, "  %-22s %s", "last event", tm_event(qp));
	print_ago(out, t, qp->event_ns);
	fputs(qp->born_ns ? "\n  born" : "\n  born before telemetry", out);
	print_ago(out, t, qp->born_ns);
	fputs(qp->died_ns ? "\n  died" : "", out);
	print_ago(out, t, qp->died_ns);
	fputc('\n', out);
	print_count(out, t, "work requests begun", qp->started, qp->started_ns);
	print_count(out, t, "completed", qp->done, qp->done_ns);
	print_rare(out, t, "with errors", qp->failed, 0);
	print_rare(out, t, "flushed", qp->flushed, 0);
	print_rare(out, t, "ended unseen", qp->unseen, 0);
	print_count(out, t, "requests sent again", qp->again, 0);
	print_count(out, t, "timeouts", qp->timeouts, 0);
	print_rare(out, t, "error states", qp->errors, qp->error_ns);
	print_count(out, t, "CNPs received", qp->cnps_rcvd, qp->cnp_rcvd_ns);
	print_rare(out, t, "CNPs ignored", qp->cnps_ignored, 0);
	print_count(out, t, "CNPs sent", qp->cnps_sent, qp->cnp_sent_ns);
	print_rare(out, t, "packets with CE", qp->ce_rcvd, qp->ce_ns);
	print_rare(out, t, "of so many received", qp->ce_span, 0);
	print_count(out, t, "rate cuts", qp->rate_cuts, qp->cut_ns);
	for (i = 0; i < TM_NAKS; i++) {
		snprintf(text, sizeof(text), "NAKs, %s", tm_nak_names[i]);
		print_count(out, t, text, qp->naks[i], 0);
	}
}

static void print_quantiles(FILE *out, const struct top *t, const struct tm_row *qp)
{
	static const u32 ppm[] = { 500000, 900000, 990000, 999000, 999900, 1000000 };
	static struct tm_hist_sum h;
	char text[TM_TEXT_BYTES];
	enum tm_hist k;
	size_t i;

	fprintf(out, "\n  all samples      count    P50    P90    P99  P99.9 P99.99    max\n");
	for (k = 0; k < TM_HISTS; k++) {
		memset(&h, 0, sizeof(h));
		tm_add_hist(t->tm, &qp->key, k, qp->qp.octaves[k], &h);
		if (!h.total)
			continue;
		fprintf(out, "  %-11s %10llu", tm_hist_names[k], (unsigned long long)h.total);
		for (i = 0; i < ARRAY_SIZE(ppm); i++) {
			write_short(text, rcc_hist_quantile(h.n, h.total, ppm[i]), "nums");
			fprintf(out, " %6s", text);
		}
		fputc('\n', out);
	}
}

/**
 * top_details() - all about a QP
 * @t: the top
 * @row: its row
 * @out: where to
 */
void top_details(struct top *t, const struct top_row *row, FILE *out)
{
	char limit[CELL_BYTES], rtt[CELL_BYTES];

	write_number(limit, row->value[TOP_ALLOWED], FORMAT_RATE);
	write_number(rtt, row->value[TOP_RTT], FORMAT_TIME);
	fprintf(out, "%s %s to %s/%u, %s%s\n", row->name, tm_type(&row->qp->qp), text_of(row, TOP_PEER), row->qp->qp.peer_qpn,
		row->process, row->stalled ? ", STALLED" : "");
	fprintf(out, "  algorithm %s, limit %s, RTT %s\n", text_of(row, TOP_ALGORITHM), unknown(row, TOP_ALLOWED) ? "-" : limit,
		unknown(row, TOP_RTT) ? "-" : rtt);
	print_history(out, t, &row->qp->qp);
	print_quantiles(out, t, row->qp);
}
