// SPDX-License-Identifier: GPL-2.0
#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rails.h"
#include "rxecc.h"
#include "tm.h"

const char *argp_program_version = "rxecc 0.1";

/**
 * struct command - a command
 * @name: its name
 * @args_doc: its words, a line each way to write them
 * @doc: what it does, and behind \v what its words mean
 * @run: does it; returns if all is well
 * @options: its options; NULL: --json only
 */
struct command {
	const char *name;
	const char *args_doc;
	const char *doc;
	void (*run)(const struct args *args);
	const struct argp_option *options;
};

#define OPTION_JSON	{ "json", 'j', NULL, 0, "print JSON", 0 }
#define OPTION_PINS	{ "pins", OPT_PINS, "DIR", 0, "where the agent has pinned its maps (" TM_PIN_DIR ")", 0 }
#define OPTION_STALL	{ "stall", OPT_STALL, "SECONDS", 0, "how long without progress a QP has stalled (1)", 0 }

static const struct argp_option options[] = {
	OPTION_JSON,
	{ 0 }
};

static const struct argp_option monitor_options[] = {
	OPTION_JSON, OPTION_PINS, OPTION_STALL,
	{ "interval", OPT_INTERVAL, "MS", 0, "how often to look, in milliseconds (200)", 0 },
	{ 0 }
};

static const struct argp_option hist_options[] = {
	OPTION_JSON, OPTION_PINS,
	{ "seconds", OPT_SECONDS, "SECONDS", 0, "what happens from now on, for so long", 0 },
	{ 0 }
};

static const struct argp_option top_options[] = {
	OPTION_JSON, OPTION_PINS, OPTION_STALL,
	{ "interval", OPT_INTERVAL, "MS", 0, "how often to look, in milliseconds (1000)", 0 },
	{ "once", 'b', NULL, 0, "print one table, of one interval, and end", 0 },
	{ "by", OPT_BY, "WHAT", 0, "a row for each qp, peer, device, process or rail", 0 },
	{ "rails", OPT_RAILS, "FILE", OPTION_ARG_OPTIONAL,
	  "a row for each rail; the file says which devices are on which (" RAILS_FILE ")", 0 },
	{ "sort", OPT_SORT, "COLUMN", 0, "the column to sort by, as JSON names it", 0 },
	{ "filter", OPT_FILTER, "TEXT", 0, "only rows with this in their names; | is or", 0 },
	{ 0 }
};

static const struct argp_option export_options[] = {
	{ "listen", OPT_LISTEN, "HOST:PORT", 0, "where to answer scrapes (127.0.0.1:9879)", 0 },
	{ "top", OPT_TOP, "N", 0, "how many QPs have series of their own (64)", 0 },
	{ "qps", OPT_QPS, "N", 0, "how many QPs, dead ones included, there is room for (16384)", 0 },
	{ "rails", OPT_RAILS, "FILE", 0, "which devices are on which rail (" RAILS_FILE ")", 0 },
	{ "pins", OPT_PINS, "DIR", 0, "load nothing: another agent has pinned its maps here", 0 },
	OPTION_STALL,
	{ 0 }
};

static const struct command commands[] = {
	{
		"show", "[dev [DEV]]\nqp [DEV[/QPN]]\nqp DEV/QPN paths\nalg",
		"Shows devices, QPs, algorithms.\v"
		"Without words: all devices. With a device or a QP: everything about it. "
		"With paths: the source ports over which the QP's packets are spread.", cmd_show,
	}, {
		"set", "dev DEV [alg NAME] [profile NAME] [ecn on|off] [line-rate MBPS] [link on|off] [spray MODE] "
		"[entropies N]\n"
		"qp DEV/QPN [alg NAME|default] [spray MODE|default]",
		"Chooses algorithm, profile, ECN, line rate, link layer.\v"
		"All of it is checked, then applied at once, under traffic; what is not named stays. "
		"line-rate 0 takes what the netdev says. 'default' gives a QP back to what its device has.", cmd_set,
	}, {
		"params", "DEV [ALG]\nDEV ALG [profile NAME] [PARAM=VALUE...]",
		"Shows and sets parameters of the algorithms.\v"
		"Without values: a table of the parameters. With a profile, its values replace the present ones of this "
		"algorithm; then values are set. All are checked first, and none is set if one is refused. "
		"ALG np is the notification point, which answers CE with CNPs.", cmd_params,
	}, {
		"top", "", "Shows what QPs do now, and how long it takes.\v"
		"Keys: h shows them all, q ends.", cmd_top, top_options,
	}, {
		"hist", "qp DEV/QPN\ndev DEV",
		"Shows histograms of latency, round trip, time in the pacer and gaps between CNPs.",
		cmd_hist, hist_options,
	}, {
		"monitor", "[DEV[/QPN]]", "Tells what happens to QPs when it happens, a line each.", cmd_monitor,
		monitor_options,
	}, {
		"export", "", "Records what QPs do, and answers Prometheus.\v"
		"Ends at SIGTERM. SIGHUP: the programs let go of the modules for 10 s, so that these can be loaded again.",
		cmd_export, export_options,
	},
};

static const struct command *command;

/* Called before the reason is told why the program ends; NULL: nothing is to be done. */
void (*before_stop)(void);

static void __noreturn stop(int code, const char *fmt, va_list ap)
{
	if (before_stop)
		before_stop();
	fflush(stdout);
	fprintf(stderr, "rxecc%s%s: ", command ? " " : "", command ? command->name : "");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	exit(code);
}

/**
 * usage() - end because of wrong words on the command line
 * @fmt: what is wrong, and what is allowed
 */
void usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	stop(EXIT_USAGE, fmt, ap);
}

/**
 * fail() - end because of anything else
 * @code: exit code
 * @fmt: what went wrong
 */
void fail(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	stop(code, fmt, ap);
}

/**
 * alloc() - get zeroed memory, or end
 * @bytes: how much
 *
 * Return: the memory.
 */
void *alloc(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p)
		fail(EXIT_REFUSED, "out of memory");
	return p;
}

static error_t parse_word(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->n == MAX_WORDS)
			argp_error(state, "at most %d words", MAX_WORDS);
		args->words[args->n++] = arg;
		return 0;
	default:
		if (key <= 0 || key >= OPTS)
			return ARGP_ERR_UNKNOWN;
		args->opts[key] = arg ? arg : "";
		return 0;
	}
}

/**
 * opt_number() - value of an option
 * @args: the command line
 * @opt: its letter, or OPT_*
 * @otherwise: if it is not there
 * @min: least value
 * @max: greatest value
 *
 * Return: the value.
 */
uint64_t opt_number(const struct args *args, int opt, uint64_t otherwise, uint64_t min, uint64_t max)
{
	const char *word = args->opts[opt];
	uint64_t value;

	if (!word)
		return otherwise;
	if (parse_number(word, &value) || value < min || value > max)
		usage("'%s' is no number from %llu to %llu", word, (unsigned long long)min, (unsigned long long)max);
	return value;
}

/**
 * opt_seconds() - value of an option that is a time
 * @args: the command line
 * @opt: its letter, or OPT_*
 * @otherwise: if it is not there
 *
 * Return: nanoseconds.
 */
uint64_t opt_seconds(const struct args *args, int opt, uint64_t otherwise)
{
	const char *word = args->opts[opt];
	uint64_t ns;

	if (!word)
		return otherwise;
	if (parse_seconds(word, &ns) || !ns)
		usage("'%s' is no time in seconds, like 2 or 0.5", word);
	return ns;
}

/* What stands before the words of a command. */
struct top {
	struct args args;
	int command_at;
};

/* Options before the command; from there on all is left to it. */
static error_t parse_top(int key, char *arg, struct argp_state *state)
{
	struct top *top = state->input;
	size_t i;

	switch (key) {
	case 'j':
		top->args.json = true;
		return 0;
	case ARGP_KEY_ARG:
		for (i = 0; i < ARRAY_SIZE(commands); i++)
			if (!strcmp(arg, commands[i].name))
				command = &commands[i];
		if (!command)
			argp_error(state, "no command '%s'; commands are show, set, params, top, hist, monitor and export", arg);
		top->command_at = state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char top_doc[] =
	"Shows and sets congestion control of soft-RoCE devices.\v"
	"Commands:\n"
	"  show      devices, QPs, algorithms\n"
	"  set       choose algorithm, profile, ECN, line rate, link layer\n"
	"  params    parameters of the algorithms\n"
	"  top       what QPs do now\n"
	"  hist      histograms of latency\n"
	"  monitor   events of QPs\n"
	"  export    record all that, and answer Prometheus\n"
	"\n"
	"'rxecc COMMAND --help' tells more, rxecc(8) everything.\n"
	"Exit codes: 0 all is well, 1 the kernel refused, 2 wrong usage, 3 rxe_cc is not loaded.";

static void parse_command(struct args *args, int argc, char **argv)
{
	const struct argp argp = {
		command->options ? command->options : options, parse_word, command->args_doc, command->doc, NULL, NULL, NULL
	};
	char name[32];

	snprintf(name, sizeof(name), "rxecc %s", command->name);
	argv[0] = name;
	argp_parse(&argp, argc, argv, 0, NULL, args);
}

int main(int argc, char **argv)
{
	const struct argp argp = { options, parse_top, "COMMAND [WORD...]", top_doc, NULL, NULL, NULL };
	struct top top = { 0 };

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &top);
	parse_command(&top.args, argc - top.command_at, argv + top.command_at);
	command->run(&top.args);
	if (fflush(stdout) || ferror(stdout))
		fail(EXIT_REFUSED, "cannot write: %s", strerror(errno));
	return EXIT_OK;
}
