// SPDX-License-Identifier: GPL-2.0
/* See rails.h. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rails.h"
#include "rxecc.h"

#define BLANKS	" \t\n"

/**
 * struct rule - a pattern of a rail
 * @pattern: devices whose names fit
 * @rail: are on this one
 */
struct rule {
	char pattern[NAME_BYTES];
	char rail[RAIL_BYTES];
};

/**
 * struct rails - all rules
 * @n: how many
 * @rules: the first that fits counts
 */
struct rails {
	size_t n;
	struct rule *rules;
};

static void copy_word(char *to, const char *word, size_t room, const char *path, unsigned int line)
{
	if (strlen(word) >= room)
		usage("%s:%u: '%s' is too long", path, line, word);
	strcpy(to, word);
}

static void add_rule(struct rails *rails, const char *name, const char *pattern, const char *path, unsigned int line)
{
	struct rule *rule;

	rails->rules = realloc(rails->rules, (rails->n + 1) * sizeof(*rails->rules));
	if (!rails->rules)
		fail(EXIT_REFUSED, "out of memory");
	rule = &rails->rules[rails->n++];
	copy_word(rule->rail, name, sizeof(rule->rail), path, line);
	copy_word(rule->pattern, pattern, sizeof(rule->pattern), path, line);
}

static void read_line(struct rails *rails, char *text, const char *path, unsigned int line)
{
	const char *first, *name, *pattern;

	text[strcspn(text, "#")] = 0;
	first = strtok(text, BLANKS);
	if (!first)
		return;
	if (strcmp(first, "rail"))
		usage("%s:%u: a line begins with 'rail', not '%s'", path, line, first);
	name = strtok(NULL, BLANKS);
	pattern = strtok(NULL, BLANKS);
	if (!pattern)
		usage("%s:%u: a line is 'rail NAME PATTERN...'", path, line);
	for (; pattern; pattern = strtok(NULL, BLANKS))
		add_rule(rails, name, pattern, path, line);
}

/**
 * rails_open() - learn which rails there are
 * @path: the file; NULL: RAILS_FILE, if it is there
 *
 * Ends the program if the file is wrong.
 *
 * Return: the rails.
 */
struct rails *rails_open(const char *path)
{
	struct rails *rails = alloc(sizeof(*rails));
	unsigned int n = 0;
	char *line = NULL;
	size_t room = 0;
	FILE *file;

	if (!path && access(RAILS_FILE, F_OK))
		return rails;
	if (!path)
		path = RAILS_FILE;
	file = fopen(path, "re");
	if (!file)
		usage("cannot read %s: %s", path, strerror(errno));
	while (getline(&line, &room, file) >= 0)
		read_line(rails, line, path, ++n);
	if (ferror(file))
		usage("cannot read %s: %s", path, strerror(errno));
	if (!rails->n)
		usage("%s: there is no rail in it", path);
	free(line);
	fclose(file);
	return rails;
}

/* The digits at the end of a name, else all of it. */
static const char *number_of(const char *dev)
{
	const char *end = dev + strlen(dev), *p = end;

	while (p > dev && isdigit((unsigned char)p[-1]))
		p--;
	return p < end ? p : dev;
}

/**
 * rails_find() - on which rail is a device?
 * @rails: the rails
 * @dev: its name
 * @rail: set to the rail's name, of at most RAIL_BYTES
 */
void rails_find(const struct rails *rails, const char *dev, char *rail)
{
	size_t i;

	for (i = 0; i < rails->n && fnmatch(rails->rules[i].pattern, dev, 0); i++)
		;
	snprintf(rail, RAIL_BYTES, "%s", i < rails->n ? rails->rules[i].rail : number_of(dev));
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/**
 * rails_median() - the middle one
 * @values: figures of rails; will be sorted
 * @n: how many, at least 1
 *
 * A rail is slow if its figure is well above this. Of an even number it is the smaller one of the middle two: of two rails the
 * slow one is compared with the other.
 *
 * Return: it.
 */
u64 rails_median(u64 *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[(n - 1) / 2];
}
