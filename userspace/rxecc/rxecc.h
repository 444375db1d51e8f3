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
 *	monitor.c hist.c top.c	the commands that show telemetry
 *	tm.c tm_load.c tm_alive.c	reads it, loads what writes it
 *	tm_text.c	its words
 *	watch.c		what happened from one reading of it to the next
 *	top_model.c top_text.c top_screen.c	what rxecc top shows
 *	nap.c		waiting
 *	export.c serve.c drop.c	the agent: two processes
 *	ledger.c window.c	what it keeps
 *	scrape.c metrics*.c expo.c	what it tells Prometheus
 *	rails.c		which devices are on which rail
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

/* options that have no letter */
enum {
	OPT_PINS = 256,
	OPT_INTERVAL,
	OPT_STALL,
	OPT_SECONDS,
	OPT_BY,
	OPT_SORT,
	OPT_FILTER,
	OPT_RAILS,
	OPT_LISTEN,
	OPT_TOP,
	OPT_QPS,
	OPTS
};

/**
 * struct args - command line of a command
 * @json: print JSON
 * @opts: values of other options by letter or OPT_*; "": it is there and has none; NULL: it is not there
 * @n: number of words
 * @words: those that are no options
 */
struct args {
	bool json;
	const char *opts[OPTS];
	int n;
	char *words[MAX_WORDS];
};

/* main.c */
void __noreturn __printf(1, 2) usage(const char *fmt, ...);
void __noreturn __printf(2, 3) fail(int code, const char *fmt, ...);
void *alloc(size_t bytes);
uint64_t opt_number(const struct args *args, int opt, uint64_t otherwise, uint64_t min, uint64_t max);
uint64_t opt_seconds(const struct args *args, int opt, uint64_t otherwise);
extern void (*before_stop)(void);

/* show.c, set.c, params.c, monitor.c, hist.c, top.c */
void cmd_show(const struct args *args);
void cmd_set(const struct args *args);
void cmd_params(const struct args *args);
void cmd_monitor(const struct args *args);
void cmd_hist(const struct args *args);
void cmd_top(const struct args *args);
void cmd_export(const struct args *args);
void show_devs(const char *dev, bool json);
void show_qps(const struct target *target, bool json);

/* nl.c */

/* largest request: every parameter of an algorithm, with room to spare */
#define REQUEST_BYTES	8192

struct nlmsghdr *nl_request(uint8_t cmd, uint16_t flags);
json_t *nl_get(struct nlmsghdr *request);
json_t *nl_try(struct nlmsghdr *request);
bool nl_present(void);
void nl_set(struct nlmsghdr *request);

/* attr.c */
json_t *attr_reply(const struct nlmsghdr *reply);
const struct nlattr *attr_guess(const struct nlmsghdr *request, int code);
char *attr_hint(const struct nlmsghdr *request, const struct nlattr *bad, const char *text);
json_t *get_devs(const char *dev);
json_t *get_qps(const struct target *target, bool paths);
json_t *try_qps(const struct target *target);
json_t *try_devs(void);
json_t *get_algs(void);
json_t *get_params(const char *dev, const char *alg);

/* table.c */

/* how a value is written */
enum format {
	FORMAT_PLAIN,
	FORMAT_RATE,	/* bits per second */
	FORMAT_MBPS,	/* Mb/s */
	FORMAT_TIME,	/* nanoseconds */
	FORMAT_PERMILLE,	/* as percent */
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

/* room for a value in words */
#define CELL_BYTES	256

void write_number(char *cell, double value, enum format format);
void print_json(json_t *value);
void print_table(const struct column *columns, size_t n, json_t *rows);
void print_list(const struct column *columns, size_t n, json_t *row);

#endif /* RXECC_H */
