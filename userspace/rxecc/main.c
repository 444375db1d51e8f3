// SPDX-License-Identifier: GPL-2.0
#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rxecc.h"

const char *argp_program_version = "rxecc 0.1";

/**
 * struct command - a command
 * @name: its name
 * @args_doc: its words, a line each way to write them
 * @doc: what it does, and behind \v what its words mean
 * @run: does it; returns if all is well
 */
struct command {
	const char *name;
	const char *args_doc;
	const char *doc;
	void (*run)(const struct args *args);
};

static const struct command commands[] = {
	{
		"show", "[dev [DEV]]\nqp [DEV[/QPN]]\nalg",
		"Shows devices, QPs, algorithms.\v"
		"Without words: all devices. With a device or a QP: everything about it.", cmd_show,
	}, {
		"set", "dev DEV [alg NAME] [profile NAME] [ecn on|off] [line-rate MBPS]\nqp DEV/QPN alg NAME|default",
		"Chooses algorithm, profile, ECN, line rate.\v"
		"All of it is checked, then applied at once, under traffic; what is not named stays. "
		"line-rate 0 takes what the netdev says. 'alg default' gives a QP back to its device's algorithm.", cmd_set,
	}, {
		"params", "DEV [ALG]\nDEV ALG [profile NAME] [PARAM=VALUE...]",
		"Shows and sets parameters of the algorithms.\v"
		"Without values: a table of the parameters. With a profile, its values replace the present ones of this "
		"algorithm; then values are set. All are checked first, and none is set if one is refused. "
		"ALG np is the notification point, which answers CE with CNPs.", cmd_params,
	},
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 }
};

static const struct command *command;

static void __noreturn stop(int code, const char *fmt, va_list ap)
{
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
		return ARGP_ERR_UNKNOWN;
	}
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
			argp_error(state, "no command '%s'; commands are show, set and params", arg);
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
	"  set       choose algorithm, profile, ECN, line rate\n"
	"  params    parameters of the algorithms\n"
	"\n"
	"'rxecc COMMAND --help' tells more, rxecc(8) everything.\n"
	"Exit codes: 0 all is well, 1 the kernel refused, 2 wrong usage, 3 rxe_cc is not loaded.";

static void parse_command(struct args *args, int argc, char **argv)
{
	const struct argp argp = { options, parse_word, command->args_doc, command->doc, NULL, NULL, NULL };
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
