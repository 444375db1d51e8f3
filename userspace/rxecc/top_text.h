/* SPDX-License-Identifier: GPL-2.0 */
/* What rxecc top says, as text and JSON. */
#ifndef RXECC_TOP_TEXT_H
#define RXECC_TOP_TEXT_H

#include <stdio.h>

#include "top_model.h"

#define TOP_LINES		5
#define TOP_LINE_BYTES		256

void top_cell(const struct top_row *row, enum top_column c, char *text);
const char *top_title(const struct top *t, enum top_column c);
int top_lines(const struct top *t, char lines[TOP_LINES][TOP_LINE_BYTES]);
void top_print(struct top *t);
void top_details(struct top *t, const struct top_row *row, FILE *out);
json_t *top_json(struct top *t);

#endif /* RXECC_TOP_TEXT_H */
