/* SPDX-License-Identifier: GPL-2.0 */
/* What the telemetry's records say, as words. */
#ifndef RXECC_TM_TEXT_H
#define RXECC_TM_TEXT_H

#include <jansson.h>

#include "parse.h"
#include "tm.h"

#define TM_TEXT_BYTES	64

extern const char *const tm_hist_names[TM_HISTS];
extern const char *const tm_nak_names[TM_NAKS];
extern const char *const tm_lost_names[TM_LOSTS];
extern const char *const tm_lost_docs[TM_LOSTS];

void tm_name(const struct tm_row *row, char *text);
void tm_peer(const struct tm_qp *qp, char *text);
void tm_comm(const struct tm_qp *qp, char *text);
void tm_process(const struct tm_qp *qp, char *text);
const char *tm_type(const struct tm_qp *qp);
const char *tm_event(const struct tm_qp *qp);
void tm_wall_time(u64 ns, bool utc, char *text);
bool tm_match(const struct tm_row *row, const struct target *target);
void tm_put_qp(json_t *object, const struct tm_row *row);
void tm_say_missing(struct telemetry *tm);

#endif /* RXECC_TM_TEXT_H */
