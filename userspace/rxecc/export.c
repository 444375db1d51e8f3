// SPDX-License-Identifier: GPL-2.0
/*
 * rxecc export, the agent: two processes.
 *
 *	parent	loads the programs, and may do so again when modules are loaded again; talks to nobody but its child
 *	child	opens the pinned maps, gives up all rights, and answers scrapes
 *
 * To attach to a module takes CAP_SYS_ADMIN, because only that reads a module's BTF. Who has it can do about anything, so what
 * listens on the network does not. The parent tells the child what cannot be recorded; either ends when the other does.
 */
#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drop.h"
#include "rxecc.h"
#include "serve.h"

#define LISTEN		"127.0.0.1:9879"
#define TOP		64
#define STALL_NS	RCC_NSEC_PER_SEC
#define QPS_MAX		(8 * TM_QPS_MAX)

#define RELOAD_MS	10000	/* so long modules may be unloaded after SIGHUP */
#define RETRY_MS	2000	/* so often what is missing is tried again, and what programs missed is counted */

/**
 * struct agent - the parent
 * @tm: its programs, or somebody else's that are looked at
 * @own: they are its own
 * @child: the child
 * @socket: to it
 * @signals: come here
 * @told: what the child was told last
 */
struct agent {
	struct telemetry *tm;
	bool own;
	pid_t child;
	int socket;
	int signals;
	char told[sizeof(((struct exporter *)0)->missing)];
};

/* Tell the child what cannot be recorded, with its final NUL, so that no message is empty. */
static void tell(struct agent *a, const char *missing)
{
	snprintf(a->told, sizeof(a->told), "%s", missing ? missing : "");
	if (send(a->socket, a->told, strlen(a->told) + 1, MSG_NOSIGNAL) < 0 && errno != EPIPE)
		fail(EXIT_REFUSED, "cannot talk to the process that answers: %s", strerror(errno));
	if (*a->told)
		fprintf(stderr, "missing: %s\n", a->told);
}

/* Attach what can be, or see whether somebody else does. */
static void attach(struct agent *a)
{
	const char *missing;

	tm_attach(a->tm);
	missing = tm_abandoned(a->tm) ? "everything: the agent that recorded this has ended" : tm_missing(a->tm);
	if (!strcmp(a->told, missing ? missing : ""))
		return;
	tell(a, missing);
	if (!missing)
		fprintf(stderr, "nothing is missing any more\n");
}

/* Returns 0 if there is none for @ms milliseconds. */
static int wait_signal(struct agent *a, int ms)
{
	struct pollfd fd = { .fd = a->signals, .events = POLLIN };
	struct signalfd_siginfo info;
	int n;

	do {
		n = poll(&fd, 1, ms);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return 0;
	return read(a->signals, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

/* Until it is to end, or has nobody to work for. */
static void run(struct agent *a)
{
	int ms = RETRY_MS;

	for (;;) {
		switch (wait_signal(a, ms)) {
		case SIGTERM:
		case SIGINT:
		case SIGCHLD:
			return;
		case SIGHUP:
			if (!a->own)
				break;
			tm_detach(a->tm);
			tell(a, "everything: detached for 10 s, so that modules can be reloaded");
			ms = RELOAD_MS;
			break;
		case 0:
			attach(a);
			ms = RETRY_MS;
			break;
		}
	}
}

static int signals_fd(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* The child ends when its socket says that the parent has, and never by a signal meant for both. */
static void __noreturn be_child(struct exporter *x, int listener, int parent, const char *pins)
{
	char ready;

	if (recv(parent, &ready, 1, MSG_PEEK) != 1)
		exit(EXIT_OK);
	x->ledger.tm = tm_open(TM_READ, pins);
	drop_all();
	serve(x, listener, parent);
	exit(EXIT_OK);
}

static void start_child(struct agent *a, struct exporter *x, int listener, const char *pins)
{
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		fail(EXIT_REFUSED, "no socket: %s", strerror(errno));
	a->child = fork();
	if (a->child < 0)
		fail(EXIT_REFUSED, "no process: %s", strerror(errno));
	if (!a->child) {
		close(sockets[0]);
		be_child(x, listener, sockets[1], pins);
	}
	close(sockets[1]);
	a->socket = sockets[0];
}

/* Let the child end. Returns false if it had trouble. */
static bool end_child(struct agent *a)
{
	int status = 0;

	close(a->socket);
	waitpid(a->child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK;
}

/**
 * cmd_export() - rxecc export
 * @args: the words
 */
void cmd_export(const struct args *args)
{
	const char *pins = args->opts[OPT_PINS];
	struct exporter x = { .ledger = {
		.top = opt_number(args, OPT_TOP, TOP, 0, TM_QPS_MAX),
		.stall_ns = opt_seconds(args, OPT_STALL, STALL_NS),
		.rails = rails_open(args->opts[OPT_RAILS]),
	} };
	int listener = serve_listen(args->opts[OPT_LISTEN] ? args->opts[OPT_LISTEN] : LISTEN);
	struct agent a = { .own = !pins, .signals = signals_fd() };
	char url[128];
	bool well;

	if (args->n)
		usage("no words, only options; see rxecc export --help");
	tm_qps_max = opt_number(args, OPT_QPS, TM_QPS_MAX, 1, QPS_MAX);
	if (pins)
		a.tm = tm_open(TM_READ, pins);
	/* before anything is loaded, so that the child has nothing of it */
	start_child(&a, &x, listener, pins);
	if (!pins)
		a.tm = tm_open(TM_AGENT, NULL);
	drop_to(1ULL << CAP_BPF | 1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN);
	tell(&a, tm_missing(a.tm));
	serve_url(listener, url, sizeof(url));
	printf("metrics at %s\n", url);
	fflush(stdout);
	close(listener);
	run(&a);
	well = end_child(&a);
	tm_close(a.tm);
	if (!well)
		fail(EXIT_REFUSED, "the process that answers has ended");
}
