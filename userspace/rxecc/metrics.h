/* SPDX-License-Identifier: GPL-2.0 */
/* The metrics of rxecc export: what a scrape is answered with. */
#ifndef RXECC_METRICS_H
#define RXECC_METRICS_H

#include "expo.h"
#include "ledger.h"

/* what goes wrong with a scrape */
enum scrape_error {
	SCRAPE_MODULE,	/* the module is loaded, but does not answer */
	SCRAPE_SEND,	/* whoever asked has not waited for all of the answer */
	SCRAPE_ERRORS
};

/* how a request was answered */
enum http_code {
	HTTP_OK,
	HTTP_NOT_FOUND,
	HTTP_BAD_METHOD,
	HTTP_CODES
};

/**
 * struct exporter - what the metrics are made of
 * @ledger: the telemetry
 * @missing: what cannot be recorded, and why; empty: nothing
 * @errors: scrapes that went wrong
 * @requests: requests by how they were answered
 */
struct exporter {
	struct ledger ledger;
	char missing[1024];
	u64 errors[SCRAPE_ERRORS];
	u64 requests[HTTP_CODES];
};

void metrics_write(struct exporter *x, struct expo *e);

#endif /* RXECC_METRICS_H */
