/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is read for one answer to Prometheus, and how its samples begin. Everything is read first, then written family by family,
 * because all samples of a name have to stand together.
 */
#ifndef RXECC_SCRAPE_H
#define RXECC_SCRAPE_H

#include <jansson.h>

#include "metrics.h"

#define QUANTILES	3

extern const u32 quantile_ppm[QUANTILES];
extern const char *const quantile_names[QUANTILES];

/**
 * struct percentiles - of one histogram
 * @known: are there samples?
 * @ns: the percentiles
 */
struct percentiles {
	bool known;
	u64 ns[QUANTILES];
};

/**
 * struct shown - a QP that has series
 * @row: its record
 * @entry: what else is known
 * @dev: its device
 * @module: what the module says; NULL: nothing
 * @late: percentiles of late
 */
struct shown {
	const struct tm_row *row;
	const struct entry *entry;
	const struct device *dev;
	json_t *module;
	struct percentiles late[TM_HISTS];
};

/**
 * struct rail - a rail
 * @name: its name
 * @devices: how many are on it
 * @late: percentiles of all its devices' work requests, of late
 */
struct rail {
	const char *name;
	u32 devices;
	struct percentiles late;
};

/**
 * struct scrape - what was read for one answer
 * @x: the exporter
 * @l: its ledger
 * @e: the answer
 * @qps: QPs that have series, as many as the ledger says
 * @modules: what the module says of each of the ledger's devices; NULL: nothing
 * @loaded: is the module there?
 * @rails: the rails
 * @nrails: how many
 * @began_ns: when it began
 */
struct scrape {
	struct exporter *x;
	struct ledger *l;
	struct expo *e;
	struct shown *qps;
	json_t **modules;
	bool loaded;
	struct rail *rails;
	size_t nrails;
	u64 began_ns;
};

#define for_each_qp(s, qp)	for (qp = (s)->qps; qp < (s)->qps + (s)->l->nshown; qp++)
#define for_each_dev(s, dev)	for (dev = (s)->l->devices; dev < (s)->l->devices + (s)->l->ndevices; dev++)
#define for_each_rail(s, rail)	for (rail = (s)->rails; rail < (s)->rails + (s)->nrails; rail++)

void scrape_read(struct scrape *s);
void scrape_free(struct scrape *s);
void qp_sample(struct scrape *s, const struct shown *qp);
void dev_sample(struct scrape *s, const struct device *dev);
json_t *module_of(const struct scrape *s, const struct device *dev);
const char *text_of(json_t *object, const char *key);

/* metrics_qp.c, metrics_dev.c, metrics_both.c */
void metrics_qps(struct scrape *s);
void metrics_devices(struct scrape *s);
void metrics_rails(struct scrape *s);
void metrics_both(struct scrape *s);

#endif /* RXECC_SCRAPE_H */
