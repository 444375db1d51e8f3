// SPDX-License-Identifier: GPL-2.0
/* rcc_replay - replay events through the homes of an algorithm, and compare what it decides; the command line. */
#include <getopt.h>

#include "replay.h"

static void usage(FILE *to)
{
	fputs("usage: rcc_replay check [-k [-a NAME]] FILE...\n"
	      "       rcc_replay bench [-k [-a NAME]] FILE...\n"
	      "       rcc_replay generate -a NAME [-p PROFILE] [-s SEED] [-f FLOWS] [-n EVENTS]\n"
	      "       rcc_replay record -b FILE -e FILE [-n EVENTS] TRACE\n"
	      "       rcc_replay list\n"
	      "\n"
	      "check     replay vectors and compare all decisions; exit code 1 if one differs\n"
	      "bench     measure what an event costs\n"
	      "generate  write a vector of random flows to standard output\n"
	      "record    write a vector of what the tracepoints cc_init and cc_event said\n"
	      "list      print the names of the algorithms\n"
	      "\n"
	      "  -k          in the kernel, through debugfs, instead of in this program\n"
	      "  -a NAME     the algorithm; with -k: which one of the kernel stands in for the vector's\n"
	      "  -p PROFILE  of parameters: auto (default), cx, paper, or custom: random ones\n"
	      "  -s SEED     of random numbers (1)\n"
	      "  -f FLOWS    so many flows (1)\n"
	      "  -n EVENTS   so many events in each (1000); record: at most so many (all)\n"
	      "  -b, -e FILE parameters before the recording and at its end, as printed by\n"
	      "              cd /sys/class/rxe_cc && grep . */params/*/*\n", to);
}

static void __noreturn wrong(const char *what)
{
	fprintf(stderr, "rcc_replay: %s\n\n", what);
	usage(stderr);
	exit(2);
}

static uint64_t to_u64(const char *text, const char *what)
{
	char message[200];
	u64 value;

	if (!rcc_u64_parse(text, strlen(text), &value))
		return value;
	snprintf(message, sizeof(message), "%s wants a number, not '%s'", what, text);
	wrong(message);
}

static int to_profile(const char *text)
{
	int profile;

	for (profile = 0; profile <= RCC_PROFILE_CUSTOM; profile++)
		if (!strcmp(text, rcc_profile_names[profile]))
			return profile;
	wrong("-p wants auto, cx, paper or custom");
}

static int cmd_list(const struct replay_opts *o, char **files)
{
	unsigned int i;

	for (i = 0; i < rcc_nalgs; i++)
		puts(rcc_algs[i]->name);
	return 0;
}

/* what a command is and takes */
static const struct command {
	const char *name;
	const char *opts;
	int files_min;
	int files_max;
	int (*run)(const struct replay_opts *o, char **files);
} commands[] = {
	{ "check", "ka:", 1, INT32_MAX, cmd_check },
	{ "bench", "ka:", 1, INT32_MAX, cmd_bench },
	{ "generate", "a:p:s:f:n:", 0, 0, cmd_generate },
	{ "record", "b:e:n:", 1, 1, cmd_record },
	{ "list", "", 0, 0, cmd_list },
};

static const struct command *find_command(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	wrong("the commands are check, bench, generate, record and list");
}

static void take_option(struct replay_opts *o, int c)
{
	switch (c) {
	case 'k':
		o->home = &home_kernel;
		break;
	case 'a':
		o->as = optarg;
		break;
	case 'p':
		o->profile = to_profile(optarg);
		break;
	case 's':
		o->seed = to_u64(optarg, "-s");
		break;
	case 'f':
		o->flows = to_u64(optarg, "-f");
		break;
	case 'n':
		o->events = to_u64(optarg, "-n");
		break;
	case 'b':
		o->before = optarg;
		break;
	case 'e':
		o->after = optarg;
		break;
	default:
		wrong("an option that this command does not have, or without its value");
	}
}

/* What one option says about another. */
static void finish_opts(struct replay_opts *o, const struct command *cmd)
{
	static char text[RCC_NAME_BYTES + 32];

	if (cmd->run == cmd_generate) {
		if (!o->as)
			wrong("generate needs -a");
		o->alg = need_alg(o->as, "-a");
		return;
	}
	if (cmd->run == cmd_record) {
		if (!o->before || !o->after)
			wrong("record needs -b and -e");
		return;
	}
	if (o->as && o->home != &home_kernel)
		wrong("-a needs -k: here an algorithm has no other build");
	if (o->as && strlen(o->as) >= RCC_NAME_BYTES)
		wrong("-a: the name is too long");
	home_kernel_alg(o->as);
	snprintf(text, sizeof(text), "%s%s%s", o->home == &home_kernel ? "kernel" : "user", o->as ? ":" : "", o->as ?: "");
	o->home_text = text;
}

int main(int argc, char **argv)
{
	struct replay_opts o = { .home = &home_user, .seed = 1, .flows = 1, .events = 1000 };
	const struct command *cmd;
	int c, files;

	if (argc < 2)
		wrong("no command");
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	cmd = find_command(argv[1]);
	if (cmd->run == cmd_record)
		o.events = UINT64_MAX;
	argv++;
	argc--;
	while ((c = getopt(argc, argv, cmd->opts)) != -1)
		take_option(&o, c);
	files = argc - optind;
	if (files < cmd->files_min || files > cmd->files_max)
		wrong("wrong number of files");
	finish_opts(&o, cmd);
	c = cmd->run(&o, argv + optind);
	if (fflush(stdout) || ferror(stdout))
		die("standard output: %s", strerror(errno));
	return c;
}
