/* SPDX-License-Identifier: GPL-2.0 */
/* What rxecc top shows: rows, each a QP or a group of QPs, and what they sum up to. Knows nothing of the terminal. */
#ifndef RXECC_TOP_MODEL_H
#define RXECC_TOP_MODEL_H

#include "parse.h"
#include "rails.h"
#include "tm_text.h"
#include "watch.h"

#define TOP_TREND	20	/* refreshes that a trend shows */
#define TOP_QUANTILES	4	/* columns that come from histograms */

/* what a row is */
enum top_by {
	TOP_BY_QP,
	TOP_BY_PEER,
	TOP_BY_DEVICE,
	TOP_BY_PROCESS,
	TOP_BY_RAIL,
	TOP_BYS
};

/* columns, in the order in which they stand */
enum top_column {
	TOP_MARK,
	TOP_NAME,
	TOP_PROCESS,
	TOP_PEER,
	TOP_QPS,
	TOP_RATE,
	TOP_TREND_PICTURE,
	TOP_P50,
	TOP_P99,
	TOP_P9999,
	TOP_RTT,
	TOP_HOLD,
	TOP_CNPS_IN,
	TOP_CNPS_OUT,
	TOP_CUTS,
	TOP_NAKS,
	TOP_TIMEOUTS,
	TOP_AGAIN,
	TOP_ALLOWED,
	TOP_ALGORITHM,
	TOP_CE,
	TOP_COLUMNS
};

/* what a column has */
enum top_kind {
	TOP_TEXT,
	TOP_NUMBER,	/* a count, or something per second */
	TOP_TIME,	/* nanoseconds */
	TOP_PICTURE,	/* a trend */
};

/**
 * struct top_column_info - a column
 * @title: what stands above it
 * @key: in JSON, and for --sort
 * @doc: what it says
 * @letter: key that sorts by it; 0: none
 * @kind: what it has
 * @width: in cells
 * @rank: columns of low rank stay when a terminal is narrow
 * @per_s: what is counted is so per second
 * @sums: the sum of all QPs says something
 * @qps_only: has no meaning for groups
 * @groups_only: nor for single QPs
 */
struct top_column_info {
	const char *title;
	const char *key;
	const char *doc;
	char letter;
	enum top_kind kind;
	int width;
	int rank;
	bool per_s;
	bool sums;
	bool qps_only;
	bool groups_only;
};

extern const struct top_column_info top_columns[TOP_COLUMNS];
extern const char *const top_bys[TOP_BYS];

/**
 * struct top_past - a histogram as it was
 * @turn: at which refresh
 * @first: first bucket that is kept; none before it had samples
 * @end: behind the last one
 * @total: samples in all
 * @n: of each bucket
 */
struct top_past {
	u64 turn;
	u32 first;
	u32 end;
	u64 total;
	u64 *n;
};

/**
 * struct top_row - a row
 * @name: of the group, or "rxe0/17"
 * @key: of the QP; of a device: of its own histograms
 * @qp: record of the QP, or of one of the group's
 * @member: number of its latest QP in the reading; the others follow in top.next[]
 * @stalled: how many QPs have stalled
 * @gone: how many are gone
 * @value: by column; NAN: not known
 * @ce: packets with CE in the last interval
 * @ce_span: of so many
 * @process: name and id, of a QP
 * @peer: address, of a QP
 * @algorithm: likewise, if the module is there
 * @trend: rates of the last refreshes, the latest last; negative: not known
 * @latency: of work requests, as they were
 * @hold: times in the pacer, as they were
 * @turn: of the latest refresh that saw it
 * @quantile: of histograms; [0] of the last interval, [1] of all samples
 */
struct top_row {
	char name[TM_TEXT_BYTES];
	struct tm_key key;
	const struct tm_row *qp;
	size_t member;
	u32 stalled;
	u32 gone;
	double value[TOP_COLUMNS];
	u64 ce;
	u64 ce_span;
	char process[TM_TEXT_BYTES];
	char peer[TM_TEXT_BYTES];
	char algorithm[TM_TEXT_BYTES];
	float trend[TOP_TREND];
	struct top_past latency;
	struct top_past hold;
	u64 turn;
	double quantile[2][TOP_QUANTILES];
};

/**
 * struct top - everything
 * @tm: the telemetry
 * @rails: which devices are on which rail
 * @stall_ns: how long without progress is a stall
 * @by: what a row is
 * @sort: column to sort by
 * @inverted: least first
 * @lifetime: quantiles are those of all samples, not of the last interval
 * @dead: show QPs that are gone
 * @filter: what QPs must have in their texts; words apart by '|'
 * @turn: number of the refresh
 * @readings: the last two; that of turn N is N % 2
 * @next: by number of a QP in the reading: the next one of its row
 * @next_room: for so many
 * @fresh: are all rows being made?
 * @tree: rows by name
 * @rows: all of them
 * @n: how many
 * @room: for so many
 * @shown: those that pass the filter, sorted
 * @nshown: how many
 * @total: sums of all QPs
 * @live: QPs that live
 * @gone: those that are gone
 * @stalled: those that have stalled
 * @longest: the one of these that has stalled longest
 * @slowest: the QP with the longest round trip of those that work
 * @slow_rail: the rail whose work requests take far longer than those of others; NULL: none, or rows are no rails
 * @slow_times: so many times as long
 * @lost: what could not be recorded since the start, by reason
 * @lost_before: until then
 * @module: is rxe_cc loaded?
 * @seconds: length of the last interval; 0: there was none yet
 */
struct top {
	struct telemetry *tm;
	const struct rails *rails;
	u64 stall_ns;
	enum top_by by;
	enum top_column sort;
	bool inverted;
	bool lifetime;
	bool dead;
	char filter[TM_TEXT_BYTES];
	u64 turn;
	struct reading readings[2];
	size_t *next;
	size_t next_room;
	bool fresh;
	void *tree;
	struct top_row **rows;
	size_t n;
	size_t room;
	struct top_row **shown;
	size_t nshown;
	double total[TOP_COLUMNS];
	u32 live;
	u32 gone;
	u32 stalled;
	const struct tm_row *longest;
	const struct tm_row *slowest;
	const struct top_row *slow_rail;
	double slow_times;
	u64 lost[TM_LOSTS];
	u64 lost_before[TM_LOSTS];
	bool module;
	double seconds;
};

void top_refresh(struct top *t);
void top_arrange(struct top *t);
void top_complete(struct top *t, struct top_row *row);
void top_ask_module(struct top *t, struct top_row *row);
void top_set_by(struct top *t, enum top_by by);
void top_use_filter(struct top *t);
bool top_matches(const struct top_row *row, const char *words);
bool top_has_column(const struct top *t, enum top_column c);
const struct reading *top_reading(const struct top *t);

#endif /* RXECC_TOP_MODEL_H */
