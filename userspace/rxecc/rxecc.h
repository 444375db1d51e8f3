/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxecc: shows and sets congestion control of soft-RoCE devices.
 *
 *	main.c		options and commands
 *	parse.c		words of the command line
 *	show.c set.c params.c	the commands
 *	nl.c		talks to the kernel, and says why it refused
 *	attr.c		replies to JSON, which is what all output is made of
 *	table.c		JSON to columns
 */
#ifndef RXECC_H
#define RXECC_H

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

#include <jansson.h>

#include "parse.h"

#define __noreturn	__attribute__((__noreturn__))
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* exit codes */
enum {
	EXIT_OK,
	EXIT_REFUSED,	/* the kernel refused, or there is no such thing */
	EXIT_USAGE,	/* wrong words on the command line */
	EXIT_NO_MODULE,	/* rxe_cc is not loaded */
};

#define MAX_WORDS	64

/**
 * struct args - command line of a command
 * @json: print JSON
 * @n: number of words
 * @words: those that are no options
 */
struct args {
	bool json;
	int n;
	char *words[MAX_WORDS];
};

/* main.c */
void __noreturn __printf(1, 2) usage(const char *fmt, ...);
void __noreturn __printf(2, 3) fail(int code, const char *fmt, ...);
void *alloc(size_t bytes);

/* show.c, set.c, params.c */
void cmd_show(const struct args *args);
void cmd_set(const struct args *args);
void cmd_params(const struct args *args);
void show_devs(const char *dev, bool json);
void show_qps(const struct target *target, bool json);

/* nl.c */

/* largest request: every parameter of an algorithm, with room to spare */
#define REQUEST_BYTES	8192

struct nlmsghdr *nl_request(uint8_t cmd, uint16_t flags);
json_t *nl_get(struct nlmsghdr *request);
void nl_set(struct nlmsghdr *request);

/* attr.c */
json_t *attr_reply(const struct nlmsghdr *reply);
const struct nlattr *attr_guess(const struct nlmsghdr *request, int code);
char *attr_hint(const struct nlmsghdr *request, const struct nlattr *bad, const char *text);
json_t *get_devs(const char *dev);
json_t *get_qps(const struct target *target);
json_t *get_algs(void);
json_t *get_params(const char *dev, const char *alg);

/* table.c */

/* how a value is written */
enum format {
	FORMAT_PLAIN,
	FORMAT_RATE,	/* bits per second */
	FORMAT_MBPS,	/* Mb/s */
	FORMAT_TIME,	/* nanoseconds */
	FORMAT_ON_OFF,
	FORMAT_LIST,
};

/**
 * struct column - a column of a table, or a line of a list
 * @title: what stands above it
 * @key: of the JSON object
 * @format: how its value is written
 * @left: words begin at its left edge; numbers end at the right one
 */
struct column {
	const char *title;
	const char *key;
	enum format format;
	bool left;
};

void print_json(json_t *value);
void print_table(const struct column *columns, size_t n, json_t *rows);
void print_list(const struct column *columns, size_t n, json_t *row);

#endif /* RXECC_H */
