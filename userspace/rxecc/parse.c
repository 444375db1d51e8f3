// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "parse.h"

/**
 * parse_number() - read a decimal number
 * @word: digits and nothing else
 * @value: set if @word is a number below 2^64
 *
 * Return: 0 or -1.
 */
int parse_number(const char *word, uint64_t *value)
{
	uint64_t v = 0;

	if (!*word)
		return -1;
	for (; *word; word++) {
		uint64_t digit = (uint64_t)(*word - '0');

		if (*word < '0' || *word > '9' || v > (UINT64_MAX - digit) / 10)
			return -1;
		v = v * 10 + digit;
	}
	*value = v;
	return 0;
}

/**
 * parse_seconds() - read a time
 * @word: seconds, with up to nine decimals
 * @ns: set to nanoseconds if it is one, below 2^32 s
 *
 * Return: 0 or -1.
 */
int parse_seconds(const char *word, uint64_t *ns)
{
	uint64_t unit = 1000000000, t = 0, digits = 0;
	bool point = false;

	for (; *word; word++) {
		if (*word == '.' && !point && digits) {
			point = true;
			continue;
		}
		if (*word < '0' || *word > '9' || (point && unit == 1) || t > UINT32_MAX * 100000000ULL)
			return -1;
		unit /= point ? 10 : 1;
		t = point ? t + (*word - '0') * unit : t * 10 + (*word - '0') * unit;
		digits++;
	}
	if (!digits || t >> 32 >= 1000000000)
		return -1;
	*ns = t;
	return 0;
}

/**
 * parse_switch() - read "on" or "off", or 1 or 0
 * @word: the word
 * @on: set if it is one of these
 *
 * Return: 0 or -1.
 */
int parse_switch(const char *word, bool *on)
{
	bool yes = !strcmp(word, "on") || !strcmp(word, "1");

	if (!yes && strcmp(word, "off") && strcmp(word, "0"))
		return -1;
	*on = yes;
	return 0;
}

/* Copy a name that ends before @end; fails if it is empty or too long for any name. */
static int copy_name(char *name, const char *word, const char *end)
{
	size_t len = end - word;

	if (!len || len >= NAME_BYTES)
		return -1;
	memcpy(name, word, len);
	name[len] = 0;
	return 0;
}

/**
 * parse_target() - read a device, perhaps with a QP
 * @word: "rxe0" or "rxe0/17"
 * @target: filled in
 *
 * Return: 0; -1: an empty or overlong name, no number behind the slash, or one above RXE_CC_QPN_MAX.
 */
int parse_target(const char *word, struct target *target)
{
	const char *slash = strchr(word, '/');
	uint64_t qpn = 0;

	if (copy_name(target->dev, word, slash ? slash : word + strlen(word)))
		return -1;
	if (slash && (parse_number(slash + 1, &qpn) || qpn > RXE_CC_QPN_MAX))
		return -1;
	target->qpn = qpn;
	target->has_qpn = slash;
	return 0;
}

/**
 * parse_setting() - read a parameter and its new value
 * @word: "name=value"
 * @setting: filled in
 *
 * Return: 0; -1: no '=', an empty or overlong name, or no number.
 */
int parse_setting(const char *word, struct setting *setting)
{
	const char *equals = strchr(word, '=');

	if (!equals || copy_name(setting->name, word, equals))
		return -1;
	return parse_number(equals + 1, &setting->value);
}
