/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happened to QPs between two readings of the telemetry.
 *
 * Records have counters, and the exact times of the latest events only. So of several events of a kind their number is known,
 * and when the latest was. A stall is a state: it is told when it begins and when it ends, by comparing what both readings say.
 */
#ifndef RXECC_WATCH_H
#define RXECC_WATCH_H

#include "tm.h"

/* how long without progress is a stall, unless the user says otherwise */
#define STALL_NS	RCC_NSEC_PER_SEC

/**
 * struct reading - all QPs at a time
 * @ns: when
 * @n: number of QPs
 * @rows: by device and QP number
 * @room: for so many
 */
struct reading {
	u64 ns;
	size_t n;
	struct tm_row *rows;
	size_t room;
};

enum watch_what {
	WATCH_BORN,		/* a QP was created */
	WATCH_CNPS,		/* CNPs came */
	WATCH_CNPS_SENT,	/* CNPs were sent: what came was marked */
	WATCH_CUT,		/* its rate was lowered */
	WATCH_NAK,		/* NAKs came */
	WATCH_TIMEOUT,		/* rxe's timer expired */
	WATCH_AGAIN,		/* requests were sent again */
	WATCH_FAILED,		/* work requests completed with errors */
	WATCH_ERROR,		/* it went into the error state */
	WATCH_STALL,		/* work is outstanding, and nothing happens */
	WATCH_STALL_END,	/* something happens again */
	WATCH_DIED,		/* it was destroyed */
	WATCH_WHATS
};

/**
 * struct watch_event - something that happened
 * @what: kind
 * @row: the QP, as the later reading has it; as the earlier one has it if it is gone from the later
 * @ns: when, of several the latest; the later reading's time if the record does not say
 * @n: how often
 * @nak: WATCH_NAK: which
 * @from_bps: WATCH_CUT: rate in the earlier reading; 0: not known
 * @since_ns: WATCH_STALL, WATCH_STALL_END: when anything happened last, before the stall
 */
struct watch_event {
	enum watch_what what;
	const struct tm_row *row;
	u64 ns;
	u64 n;
	enum tm_nak nak;
	u64 from_bps;
	u64 since_ns;
};

extern const char *const watch_names[WATCH_WHATS];

void reading_take(struct reading *r, struct telemetry *tm);
void watch_pairs(const struct reading *was, const struct reading *now,
		 void (*take)(const struct tm_row *was, const struct tm_row *now, void *data), void *data);
bool watch_stalled(const struct tm_row *row, u64 now_ns, u64 stall_ns);
size_t watch_compare(const struct reading *was, const struct reading *now, u64 stall_ns, const struct watch_event **events);

#endif /* RXECC_WATCH_H */
