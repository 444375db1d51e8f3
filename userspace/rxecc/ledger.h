/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the exporter knows beyond the maps: totals of devices that never go back although QPs come and go, which QPs are worth
 * series of their own, and what their histograms were a while ago.
 *
 * A QP's record stays TM_KEEP_NS after its end, so that its last figures are seen, and is then taken out of the maps.
 */
#ifndef RXECC_LEDGER_H
#define RXECC_LEDGER_H

#include "rails.h"
#include "tm.h"
#include "window.h"

#define LEDGER_READ_NS	(5 * RCC_NSEC_PER_SEC)	/* records are read at least that often */
#define LEDGER_TURN_NS	(30 * RCC_NSEC_PER_SEC)	/* "of late" is the last one or two of these */

#define COUNTERS_MAX	27

/**
 * struct counter - a counter of a QP's record
 * @name: in metrics, behind rxecc_qp_ and rxecc_device_, before _total
 * @unit: how the name ends if it has a unit, else NULL
 * @help: what it counts
 * @offset: where in struct tm_qp its values are
 * @label: tells the values apart; NULL: there is one only
 * @values: of the label
 * @n: number of values
 */
struct counter {
	const char *name;
	const char *unit;
	const char *help;
	size_t offset;
	const char *label;
	const char *const *values;
	u32 n;
};

extern const struct counter ledger_counters[];
extern const size_t ledger_ncounters;

/**
 * struct entry - what is known of a QP beside its record
 * @key: which
 * @born_ns: of its record; a number may belong to another QP later
 * @id: likewise
 * @bytes: its traffic
 * @heat: its traffic of late; halves in about half a minute
 * @stalled: work is outstanding, and nothing happens
 * @window: its histograms as they were; NULL: it has no series
 * @counted: its counters as they are in the totals, one counter's values behind the other's
 */
struct entry {
	struct tm_key key;
	u64 born_ns;
	u64 id;
	u64 bytes;
	u64 heat;
	bool stalled;
	struct window *window;
	u64 counted[COUNTERS_MAX];
};

/**
 * struct device - a device
 * @name: its name
 * @rail: its rail
 * @index: in keys; ~0: not known, no QP has been seen
 * @octaves: which octaves its histograms may have, by bit: those that histograms of its QPs have had
 * @qps: QPs that live
 * @stalled: those that have stalled
 * @totals: counters of all its QPs
 * @window: its histograms as they were
 */
struct device {
	char name[TM_NAME_BYTES + 1];
	char rail[RAIL_BYTES];
	u32 index;
	u32 octaves[TM_HISTS];
	u32 qps;
	u32 stalled;
	u64 totals[COUNTERS_MAX];
	struct window *window;
};

/**
 * struct ledger - all of it
 * @tm: the telemetry
 * @rails: the rails
 * @top: so many QPs have series
 * @stall_ns: without progress for so long a QP has stalled
 * @n: number of QPs
 * @rows: their records
 * @entries: what else is known, in the same order
 * @shown: numbers of those that have series, in the same order; room for @top of them
 * @nshown: how many
 * @devices: the devices
 * @ndevices: how many
 * @read_ns: when was read last
 * @before_ns: when before that; 0: never
 * @turn_ns: when the windows turned last
 */
struct ledger {
	struct telemetry *tm;
	const struct rails *rails;
	u32 top;
	u64 stall_ns;
	size_t n;
	struct tm_row *rows;
	struct entry *entries;
	size_t *shown;
	size_t nshown;
	struct device *devices;
	size_t ndevices;
	u64 read_ns;
	u64 before_ns;
	u64 turn_ns;
};

void ledger_read(struct ledger *l, u64 now_ns);
void ledger_tick(struct ledger *l, u64 now_ns);
struct device *ledger_device(struct ledger *l, const char *name);

#endif /* RXECC_LEDGER_H */
