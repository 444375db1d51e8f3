// SPDX-License-Identifier: GPL-2.0
/* JSON to text: as it is, as a table of objects, or as a list of what one object says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rxecc.h"

/* The largest unit that leaves at least 1, with four digits. */
static void scaled(char *cell, double value, const char *const *units, size_t n)
{
	size_t i = 0;

	while (i + 1 < n && value >= 1000) {
		value /= 1000;
		i++;
	}
	snprintf(cell, CELL_BYTES, "%.4g %s", value, units[i]);
}

static void write_list(char *cell, json_t *array)
{
	size_t i, at = 0;
	json_t *word;

	*cell = 0;
	json_array_foreach(array, i, word)
		if (at < CELL_BYTES)
			at += snprintf(cell + at, CELL_BYTES - at, "%s%s", i ? "," : "", json_string_value(word));
}

static void write_plain(char *cell, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_INTEGER:
		snprintf(cell, CELL_BYTES, "%lld", json_integer_value(value));
		break;
	case JSON_STRING:
		snprintf(cell, CELL_BYTES, "%s", json_string_value(value));
		break;
	case JSON_TRUE:
		strcpy(cell, "yes");
		break;
	case JSON_FALSE:
		strcpy(cell, "no");
		break;
	default:
		strcpy(cell, "-");
		break;
	}
}

/**
 * write_number() - a number with its unit
 * @cell: set to it, in at most CELL_BYTES
 * @value: the number
 * @format: FORMAT_RATE, FORMAT_MBPS, FORMAT_TIME or FORMAT_PERMILLE
 */
void write_number(char *cell, double value, enum format format)
{
	static const char *const rates[] = { "b/s", "kb/s", "Mb/s", "Gb/s" };
	static const char *const times[] = { "ns", "us", "ms", "s" };

	if (format == FORMAT_TIME)
		scaled(cell, value, times, ARRAY_SIZE(times));
	else if (format == FORMAT_PERMILLE)
		snprintf(cell, CELL_BYTES, "%.1f %%", value / 10);
	else
		scaled(cell, format == FORMAT_MBPS ? value * 1e6 : value, rates, ARRAY_SIZE(rates));
}

static void write_cell(char *cell, json_t *value, enum format format)
{
	if (json_is_null(value))
		format = FORMAT_PLAIN;
	switch (format) {
	case FORMAT_PLAIN:
		write_plain(cell, value);
		break;
	case FORMAT_RATE:
	case FORMAT_MBPS:
	case FORMAT_TIME:
	case FORMAT_PERMILLE:
		write_number(cell, json_integer_value(value), format);
		break;
	case FORMAT_ON_OFF:
		strcpy(cell, json_is_true(value) ? "on" : "off");
		break;
	case FORMAT_LIST:
		write_list(cell, value);
		break;
	}
}

/**
 * print_json() - print a value
 * @value: the value
 */
void print_json(json_t *value)
{
	json_dumpf(value, stdout, JSON_INDENT(2));
	putchar('\n');
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

/* The last column is not padded: lines do not end in blanks. */
static void print_cell(const struct column *c, int width, const char *cell, bool last)
{
	if (c->left && last)
		puts(cell);
	else
		printf("%*s%s", c->left ? -width : width, cell, last ? "\n" : "  ");
}

/**
 * print_table() - print a line for each object, below a line of titles
 * @columns: what of it
 * @n: how many columns
 * @rows: array of objects
 */
void print_table(const struct column *columns, size_t n, json_t *rows)
{
	int *width = alloc(n * sizeof(*width));
	char cell[CELL_BYTES];
	size_t i, r;
	json_t *row;

	for (i = 0; i < n; i++) {
		width[i] = strlen(columns[i].title);
		json_array_foreach(rows, r, row) {
			write_cell(cell, json_object_get(row, columns[i].key), columns[i].format);
			width[i] = max_int(width[i], strlen(cell));
		}
	}
	for (i = 0; i < n; i++)
		print_cell(&columns[i], width[i], columns[i].title, i + 1 == n);
	json_array_foreach(rows, r, row) {
		for (i = 0; i < n; i++) {
			write_cell(cell, json_object_get(row, columns[i].key), columns[i].format);
			print_cell(&columns[i], width[i], cell, i + 1 == n);
		}
	}
	free(width);
}

/**
 * print_list() - print a line for each thing that an object says
 * @columns: which
 * @n: how many
 * @row: the object
 */
void print_list(const struct column *columns, size_t n, json_t *row)
{
	char cell[CELL_BYTES];
	int width = 0;
	size_t i;

	for (i = 0; i < n; i++)
		width = max_int(width, strlen(columns[i].title));
	for (i = 0; i < n; i++) {
		write_cell(cell, json_object_get(row, columns[i].key), columns[i].format);
		printf("%-*s  %s\n", width, columns[i].title, cell);
	}
}
