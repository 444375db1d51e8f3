// SPDX-License-Identifier: GPL-2.0
/* Numbers with units, read exactly: no floating point, so 2.000000962 s is what it says. */
#include <ctype.h>
#include <strings.h>

#include "fabsim.h"

struct unit {
	const char *name;
	u64 factor;
};

/**
 * parse_decimal() - read a decimal number, perhaps with a fraction
 * @s: text that begins with a digit
 * @unit: what 1 stands for
 * @value: set to the number times @unit, rounded down
 * @rest: set to what follows the number
 *
 * Return: 0, or -1 if there is no number or it is too large; then nothing is set.
 */
int parse_decimal(const char *s, u64 unit, u64 *value, const char **rest)
{
	u128 v = 0, scale = 1;
	bool fraction = false;

	if (!isdigit((unsigned char)*s))
		return -1;
	for (; isdigit((unsigned char)*s) || (*s == '.' && !fraction); s++) {
		if (*s == '.') {
			fraction = true;
			continue;
		}
		/* more than 18 digits of a fraction say nothing */
		if (fraction && scale == PS_PER_SEC * PS_PER_US)
			continue;
		scale *= fraction ? 10 : 1;
		v = v * 10 + (*s - '0');
		if (v / scale > ~0ULL / unit)
			return -1;
	}
	v = v * unit / scale;
	if (v > ~0ULL - 1)
		return -1;
	*value = v;
	*rest = s;
	return 0;
}

static int parse_unit(const char *s, const struct unit *units, u64 *value)
{
	const char *rest;
	u64 v;

	for (; units->name; units++) {
		if (parse_decimal(s, units->factor, &v, &rest))
			continue;
		if (!strcasecmp(rest, units->name)) {
			*value = v;
			return 0;
		}
	}
	return -1;
}

/**
 * parse_rate() - read a rate
 * @s: such as 100g, 1.4Gbps, 200m, 5000000
 * @bps: set to bits per second
 *
 * Return: 0, or -1: no such thing.
 */
int parse_rate(const char *s, u64 *bps)
{
	static const struct unit units[] = {
		{ "", 1 }, { "bps", 1 }, { "k", 1000 }, { "kbps", 1000 }, { "m", 1000000 }, { "mbps", 1000000 },
		{ "g", 1000000000 }, { "gbps", 1000000000 }, { "t", 1000000000000ULL }, { "tbps", 1000000000000ULL },
		{ NULL, 0 },
	};

	return parse_unit(s, units, bps);
}

/**
 * parse_time() - read a time
 * @s: such as 1us, 0.001ms, 1000ns, 2s; a 0 needs no unit
 * @ps: set to picoseconds
 *
 * Return: 0, or -1: no such thing.
 */
int parse_time(const char *s, u64 *ps)
{
	static const struct unit units[] = {
		{ "ps", 1 }, { "ns", PS_PER_NS }, { "us", PS_PER_US }, { "ms", 1000 * PS_PER_US }, { "s", PS_PER_SEC },
		{ NULL, 0 },
	};

	if (!strcmp(s, "0")) {
		*ps = 0;
		return 0;
	}
	return parse_unit(s, units, ps);
}

/**
 * parse_bytes() - read a size
 * @s: such as 500k (500,000), 32mi (32 * 2^20), 1000
 * @bytes: set to the number of bytes
 *
 * Return: 0, or -1: no such thing.
 */
int parse_bytes(const char *s, u64 *bytes)
{
	static const struct unit units[] = {
		{ "", 1 }, { "b", 1 }, { "k", 1000 }, { "kb", 1000 }, { "m", 1000000 }, { "mb", 1000000 },
		{ "g", 1000000000 }, { "gb", 1000000000 }, { "ki", 1 << 10 }, { "kib", 1 << 10 }, { "mi", 1 << 20 },
		{ "mib", 1 << 20 }, { "gi", 1 << 30 }, { "gib", 1 << 30 }, { NULL, 0 },
	};

	return parse_unit(s, units, bytes);
}
