/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes metrics as Prometheus reads them: text format 0.0.4, or OpenMetrics 1.0. They differ in names of counters' families, in
 * UNIT, in how the text ends.
 *
 *	expo_family(e, "rxecc_qp_naks", EXPO_COUNTER, NULL, "NAKs received.");
 *	expo_sample(e);
 *	expo_label(e, "device", "rxe0");
 *	expo_number(e, 17);
 */
#ifndef RXECC_EXPO_H
#define RXECC_EXPO_H

#include <stdbool.h>
#include <stdio.h>

#include "../../bpf/telemetry.h"

enum expo_type {
	EXPO_COUNTER,
	EXPO_GAUGE,
	EXPO_HISTOGRAM,
	EXPO_INFO,
};

#define EXPO_NAME_BYTES	128

/**
 * struct expo - a text being written
 * @out: where to
 * @openmetrics: in this format
 * @name: of the present family
 * @type: of the present family
 * @labels: of the present sample, so far
 */
struct expo {
	FILE *out;
	bool openmetrics;
	char name[EXPO_NAME_BYTES];
	enum expo_type type;
	unsigned int labels;
};

void expo_family(struct expo *e, const char *name, enum expo_type type, const char *unit, const char *help);
void expo_sample(struct expo *e);
void expo_part(struct expo *e, const char *suffix);
void expo_label(struct expo *e, const char *name, const char *value);
void expo_label_u32(struct expo *e, const char *name, u32 value);
void expo_u64(struct expo *e, u64 value);
void expo_ns(struct expo *e, u64 ns);
void expo_double(struct expo *e, double value);
void expo_end(struct expo *e);

#endif /* RXECC_EXPO_H */
