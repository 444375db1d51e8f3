/* SPDX-License-Identifier: GPL-2.0 */
/* What the tools share: ending with a message, the clock, numbers of the command line, percentiles. */
#ifndef RCC_TOOL_H
#define RCC_TOOL_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define __noreturn	__attribute__((__noreturn__))
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define NSEC_PER_SEC	1000000000ULL
#define NSEC_PER_MSEC	1000000ULL

/* Exit codes: 1 it did not work, 2 wrong usage. */
static inline void __noreturn __printf(1, 2) die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static inline struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec) { .tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC };
}

/* The number that option @opt got, or the end of the program. */
static inline double to_number(int opt, const char *text, double min, double max)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (errno || end == text || *end || !(value >= min && value <= max)) {
		fprintf(stderr, "%s: -%c wants a number from %g to %g, not '%s'\n",
			program_invocation_short_name, opt, min, max, text);
		exit(2);
	}
	return value;
}

static inline int cmp_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The least of the @n sorted values that at least @permyriad / 10000 of them do not exceed (nearest rank). */
static inline uint64_t percentile(const uint64_t *sorted, uint64_t n, uint64_t permyriad)
{
	uint64_t rank = (n * permyriad + 9999) / 10000;

	return n ? sorted[rank ? rank - 1 : 0] : 0;
}

#endif /* RCC_TOOL_H */
