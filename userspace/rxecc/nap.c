// SPDX-License-Identifier: GPL-2.0
/* See nap.h. */
#include <errno.h>
#include <time.h>

#include "nap.h"

/**
 * nap_signals() - hold back the signals that end a command
 *
 * From here on they do not end the program; whoever waits looks for them.
 *
 * Return: them.
 */
const sigset_t *nap_signals(void)
{
	static sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return &set;
}

/**
 * nap() - wait
 * @ns: how long
 *
 * Return: true when the time is over; false: a signal came first.
 */
bool nap(uint64_t ns)
{
	const struct timespec ts = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
	const sigset_t *set = nap_signals();
	int got;

	do {
		got = sigtimedwait(set, NULL, &ts);
	} while (got < 0 && errno == EINTR);
	return got < 0;
}
