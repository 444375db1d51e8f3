// SPDX-License-Identifier: GPL-2.0
/* What the exporter keeps: totals, who has series, what is of late, rails. Maps are arrays here. */
#include <string.h>

#include "ledger.h"
#include "rxecc.h"
#include "test.h"

#define QPS	100
#define START	(1000 * RCC_NSEC_PER_SEC)

static struct rails *rails;
static struct tm_row maps[QPS], copy[QPS];
static size_t nmaps;
static struct tm_hist_sum hists[QPS + 1][TM_HISTS];	/* by QP number; those of the device at the end */

void fail(int code, const char *fmt, ...)
{
	test_failed(__FILE__, __LINE__, fmt);
}

void usage(const char *fmt, ...)
{
	test_failed(__FILE__, __LINE__, fmt);
}

void *alloc(size_t bytes)
{
	return calloc(1, bytes);
}

u64 tm_now_ns(void)
{
	return START;
}

bool tm_abandoned(struct telemetry *tm)
{
	return false;
}

const char *tm_missing(struct telemetry *tm)
{
	return NULL;
}

size_t tm_rows(struct telemetry *tm, struct tm_row **rows)
{
	memcpy(copy, maps, sizeof(copy));
	*rows = copy;
	return nmaps;
}

void tm_add_hist(struct telemetry *tm, const struct tm_key *key, enum tm_hist hist, u32 octaves, struct tm_hist_sum *sum)
{
	const struct tm_hist_sum *from = &hists[key->qpn == TM_DEV_QPN ? QPS : key->qpn][hist];
	u32 i;

	for (i = 0; i < RCC_HIST_BUCKETS; i++) {
		if (!(octaves >> i / RCC_HIST_SUB & 1))
			continue;
		sum->n[i] += from->n[i];
		sum->total += from->n[i];
	}
	sum->sum_ns += from->sum_ns;
}

void tm_reap(struct telemetry *tm, const struct tm_row *row)
{
	size_t i = row - copy;

	EXPECT(i < nmaps && maps[i].qp.died_ns);
	memmove(maps + i, maps + i + 1, (--nmaps - i) * sizeof(*maps));
}

static struct tm_row *add_qp(u32 qpn)
{
	struct tm_row *row = &maps[nmaps++];

	*row = (struct tm_row){ .key = { .dev = 3, .qpn = qpn }, .qp = { .dev = "rxe3" } };
	return row;
}

static void add_samples(u32 qpn, u64 ns, u64 n)
{
	u32 bucket = rcc_hist_bucket(ns);

	hists[qpn][TM_HIST_SEND].n[bucket] += n;
	maps[qpn].qp.octaves[TM_HIST_SEND] |= 1U << bucket / RCC_HIST_SUB;
}

static void begin(struct ledger *l, u32 top)
{
	nmaps = 0;
	memset(hists, 0, sizeof(hists));
	if (!rails)
		rails = rails_open(NULL);
	*l = (struct ledger){ .rails = rails, .top = top, .stall_ns = RCC_NSEC_PER_SEC };
}

static void end(struct ledger *l)
{
	size_t i;

	nmaps = 0;
	ledger_read(l, START);
	for (i = 0; i < l->ndevices; i++)
		window_free(l->devices[i].window);
	free(l->devices);
	free(l->entries);
	free(l->shown);
}

static u64 total(struct ledger *l, const char *counter)
{
	size_t i, at = 0;

	for (i = 0; strcmp(ledger_counters[i].name, counter); i++)
		at += ledger_counters[i].n;
	return ledger_device(l, "rxe3")->totals[at];
}

static u64 late(struct ledger *l, u32 qpn)
{
	static struct tm_hist_sum sum;

	memset(&sum, 0, sizeof(sum));
	window_add(l->entries[qpn].window, NULL, &maps[qpn].key, TM_HIST_SEND, maps[qpn].qp.octaves[TM_HIST_SEND], &sum);
	return sum.total;
}

TEST("Totals of a device are the sums of its QPs' counters, and stay when QPs go")
{
	struct ledger l;

	begin(&l, 10);
	add_qp(0)->qp.cnps_rcvd = 5;
	add_qp(1)->qp.cnps_rcvd = 7;
	ledger_read(&l, START);
	EXPECT_EQ(total(&l, "cnps_received"), 12);
	EXPECT_EQ(l.devices[0].qps, 2);
	maps[0].qp.cnps_rcvd = 6;
	nmaps = 1;
	ledger_read(&l, START);
	EXPECT_EQ(total(&l, "cnps_received"), 13);
	EXPECT_EQ(l.devices[0].qps, 1);
	end(&l);
	EXPECT_EQ(l.ndevices, 1);
}

TEST("A QP that takes the number of one that is gone begins anew; what both did is in the total")
{
	struct ledger l;

	begin(&l, 10);
	add_qp(0)->qp = (struct tm_qp){ .dev = "rxe3", .born_ns = 1, .id = 11, .cnps_rcvd = 5 };
	ledger_read(&l, START);
	maps[0].qp.born_ns = 2;
	ledger_read(&l, START);
	EXPECT_EQ(total(&l, "cnps_received"), 10);
	maps[0].qp.id = 12;
	ledger_read(&l, START);
	EXPECT_EQ(total(&l, "cnps_received"), 15);
	maps[0].qp.cnps_rcvd = 1;
	ledger_read(&l, START);
	EXPECT_EQ(total(&l, "cnps_received"), 16);
	end(&l);
}

TEST("A total never goes back, whatever becomes of a record")
{
	struct ledger l;

	begin(&l, 10);
	add_qp(0)->qp.started = 100;
	ledger_read(&l, START);
	maps[0].qp.started = 90;
	ledger_read(&l, START);
	EXPECT_EQ(total(&l, "requests_started"), 100);
	maps[0].qp.started = 95;
	ledger_read(&l, START);
	EXPECT_EQ(total(&l, "requests_started"), 105);
	end(&l);
}

TEST("A device that was made again: what its QPs of before did counts, but only those of now have series")
{
	struct ledger l;

	begin(&l, 10);
	add_qp(0)->qp.cnps_rcvd = 5;
	ledger_read(&l, START);
	maps[0].qp.died_ns = START;
	add_qp(0)->qp.cnps_rcvd = 2;
	maps[1].key.dev = 4;
	ledger_read(&l, START);
	EXPECT_EQ(total(&l, "cnps_received"), 7);
	EXPECT_EQ(l.nshown, 1);
	EXPECT_EQ(l.shown[0], 1);
	ledger_tick(&l, START + 1);
	EXPECT_EQ(nmaps, 1);
	EXPECT_EQ(maps[0].key.dev, 4);
	end(&l);
}

TEST("What a QP did before it had series is not of late")
{
	struct ledger l;

	begin(&l, 1);
	add_qp(0)->qp.op_bytes[0] = 100;
	add_qp(1)->qp.op_bytes[0] = 10;
	add_samples(1, 1000, 50);
	ledger_read(&l, START);
	maps[1].qp.op_bytes[0] = 1000;
	ledger_read(&l, START + 1);
	EXPECT_EQ(l.shown[0], 1);
	EXPECT_EQ(late(&l, 1), 0);
	add_samples(1, 1000, 7);
	EXPECT_EQ(late(&l, 1), 7);
	end(&l);
}

TEST("QPs that have stalled have series first, then those with most traffic of late")
{
	struct ledger l;
	u32 i;

	begin(&l, 3);
	for (i = 0; i < QPS; i++)
		add_qp(i)->qp.op_bytes[TM_OP_WRITE] = i == 50 || i == 60 ? 1000 * i : 10;
	maps[70].qp.started = 1;
	maps[70].qp.started_ns = START - 2 * RCC_NSEC_PER_SEC;
	ledger_read(&l, START);
	EXPECT_EQ(l.nshown, 3);
	EXPECT_EQ(l.shown[0], 50);
	EXPECT_EQ(l.shown[1], 60);
	EXPECT_EQ(l.shown[2], 70);
	EXPECT_EQ(l.devices[0].stalled, 1);
	/* traffic of long ago counts for less and less */
	for (i = 0; i < 100; i++)
		ledger_tick(&l, START);
	maps[5].qp.op_bytes[TM_OP_WRITE] += 1000;
	ledger_read(&l, START);
	EXPECT_EQ(l.shown[0], 0);
	EXPECT_EQ(l.shown[1], 5);
	EXPECT_EQ(l.shown[2], 70);
	for (i = 0; i < QPS; i++)
		EXPECT_EQ(!!l.entries[i].window, i == l.shown[0] || i == l.shown[1] || i == l.shown[2]);
	end(&l);
}

TEST("No QP has series if none is to have")
{
	struct ledger l;

	begin(&l, 0);
	add_qp(0)->qp.op_bytes[TM_OP_READ] = 1000;
	ledger_tick(&l, START);
	EXPECT_EQ(l.nshown, 0);
	EXPECT(!l.entries[0].window);
	EXPECT_EQ(l.devices[0].qps, 1);
	end(&l);
}

TEST("A QP's record is taken out of the maps a minute after its end")
{
	struct ledger l;

	begin(&l, 10);
	add_qp(0)->qp.died_ns = START;
	add_qp(1)->qp.died_ns = 0;
	ledger_tick(&l, START + TM_KEEP_NS);
	EXPECT_EQ(nmaps, 2);
	EXPECT_EQ(l.devices[0].qps, 1);
	ledger_tick(&l, START + TM_KEEP_NS + 1);
	EXPECT_EQ(nmaps, 1);
	EXPECT_EQ(maps[0].key.qpn, 1);
	end(&l);
}

TEST("Of late is what was counted since the last turn but one")
{
	struct ledger l;
	u64 now = START;

	begin(&l, 10);
	add_qp(0);
	add_samples(0, 1000, 100);
	ledger_tick(&l, now);
	EXPECT_EQ(late(&l, 0), 100);
	add_samples(0, 5000, 10);
	ledger_tick(&l, now += LEDGER_TURN_NS);
	EXPECT_EQ(late(&l, 0), 110);
	add_samples(0, 1000000, 1);
	ledger_read(&l, now);
	EXPECT_EQ(late(&l, 0), 111);
	ledger_tick(&l, now += LEDGER_TURN_NS - 1);
	EXPECT_EQ(late(&l, 0), 111);
	ledger_tick(&l, now += 1);
	EXPECT_EQ(late(&l, 0), 1);
	ledger_tick(&l, now += LEDGER_TURN_NS);
	EXPECT_EQ(late(&l, 0), 0);
	end(&l);
}

TEST("A device that was made again under its old name has histograms that begin anew")
{
	struct ledger l;

	begin(&l, 10);
	add_qp(0)->qp.cnps_rcvd = 1;
	ledger_read(&l, START);
	EXPECT_EQ(l.devices[0].index, 3);
	maps[0].qp.died_ns = START;
	maps[1] = (struct tm_row){ .key = { .dev = 4, .qpn = 0 }, .qp = { .dev = "rxe3", .cnps_rcvd = 1 } };
	nmaps = 2;
	ledger_read(&l, START);
	EXPECT_EQ(l.ndevices, 1);
	EXPECT_EQ(l.devices[0].index, 4);
	EXPECT_EQ(total(&l, "cnps_received"), 2);
	end(&l);
}

TEST("Samples that QPs left which are gone are found when a device is first seen")
{
	struct ledger l;

	begin(&l, 10);
	hists[QPS][TM_HIST_READ].n[rcc_hist_bucket(5000)] = 1;
	add_qp(0)->qp.octaves[TM_HIST_SEND] = 2;
	ledger_read(&l, START);
	EXPECT_EQ(l.devices[0].octaves[TM_HIST_READ], 1U << rcc_hist_bucket(5000) / RCC_HIST_SUB);
	EXPECT_EQ(l.devices[0].octaves[TM_HIST_SEND], 2);
	end(&l);
}

TEST("A device without a rule is on the rail of its number; the median of two rails is the smaller figure")
{
	u64 two[] = { 30, 10 }, three[] = { 30, 10, 20 };
	char rail[RAIL_BYTES];
	struct ledger l;

	begin(&l, 0);
	rails_find(l.rails, "rxe12", rail);
	EXPECT(!strcmp(rail, "12"));
	rails_find(l.rails, "rocep1s0", rail);
	EXPECT(!strcmp(rail, "0"));
	rails_find(l.rails, "left", rail);
	EXPECT(!strcmp(rail, "left"));
	EXPECT_EQ(rails_median(two, 2), 10);
	EXPECT_EQ(rails_median(three, 3), 20);
}
