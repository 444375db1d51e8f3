// SPDX-License-Identifier: GPL-2.0
/* See expo.h. */
#include "expo.h"

/**
 * expo_family() - begin metrics of one name
 * @e: the text
 * @name: it, without the _total of a counter
 * @type: what they are
 * @unit: how the name ends if it has a unit, else NULL
 * @help: what they say
 */
void expo_family(struct expo *e, const char *name, enum expo_type type, const char *unit, const char *help)
{
	static const char *const types[] = { "counter", "gauge", "histogram", "info" };
	const char *total = type == EXPO_COUNTER && !e->openmetrics ? "_total" : "";
	const char *info = type == EXPO_INFO && !e->openmetrics ? "_info" : "";

	snprintf(e->name, sizeof(e->name), "%s", name);
	e->type = type;
	fprintf(e->out, "# HELP %s%s%s %s\n", name, total, info, help);
	fprintf(e->out, "# TYPE %s%s%s %s\n", name, total, info, *info ? "gauge" : types[type]);
	if (unit && e->openmetrics)
		fprintf(e->out, "# UNIT %s %s\n", name, unit);
}

/**
 * expo_part() - begin a sample of a family of several names
 * @e: the text
 * @suffix: behind the family's name
 */
void expo_part(struct expo *e, const char *suffix)
{
	fprintf(e->out, "%s%s", e->name, suffix);
	e->labels = 0;
}

/**
 * expo_sample() - begin a sample
 * @e: the text
 */
void expo_sample(struct expo *e)
{
	expo_part(e, e->type == EXPO_COUNTER ? "_total" : e->type == EXPO_INFO ? "_info" : "");
}

/**
 * expo_label() - add a label to a sample
 * @e: the text
 * @name: of the label
 * @value: its value; what is not plain ASCII is written as ?, because a single wrong byte makes the whole text worthless
 */
void expo_label(struct expo *e, const char *name, const char *value)
{
	fprintf(e->out, "%c%s=\"", e->labels++ ? ',' : '{', name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', e->out);
		fputc(*value < ' ' || *value > '~' ? '?' : *value, e->out);
	}
	fputc('"', e->out);
}

/**
 * expo_label_u32() - add a label that is a number
 * @e: the text
 * @name: of the label
 * @value: its value
 */
void expo_label_u32(struct expo *e, const char *name, u32 value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	expo_label(e, name, text);
}

static void end_labels(struct expo *e)
{
	fputs(e->labels ? "} " : " ", e->out);
}

/**
 * expo_u64() - the value of a sample
 * @e: the text
 * @value: it
 */
void expo_u64(struct expo *e, u64 value)
{
	end_labels(e);
	fprintf(e->out, "%llu\n", (unsigned long long)value);
}

/**
 * expo_ns() - the value of a sample, in seconds
 * @e: the text
 * @ns: it, in nanoseconds
 */
void expo_ns(struct expo *e, u64 ns)
{
	end_labels(e);
	fprintf(e->out, "%llu.%09llu\n", (unsigned long long)(ns / RCC_NSEC_PER_SEC),
		(unsigned long long)(ns % RCC_NSEC_PER_SEC));
}

/**
 * expo_double() - the value of a sample
 * @e: the text
 * @value: it
 */
void expo_double(struct expo *e, double value)
{
	end_labels(e);
	fprintf(e->out, "%.15g\n", value);
}

/**
 * expo_end() - end the text
 * @e: the text
 */
void expo_end(struct expo *e)
{
	if (e->openmetrics)
		fputs("# EOF\n", e->out);
}
