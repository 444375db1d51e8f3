// SPDX-License-Identifier: GPL-2.0
/* The homes of an algorithm: this program, and the kernel, where it may be one of the module's or one in BPF. */
#include <fcntl.h>
#include <unistd.h>

#include "replay.h"

#define REPLAY_FILE	"/sys/kernel/debug/rxe_cc/replay"

static struct {
	const struct rcc_alg *alg;
	struct rcc_values values;
	struct rcc_state state;
	struct rcc_decision decision;
} user;

static void user_begin(const struct vec_flow *f, struct rcc_decision *d)
{
	memset(&user, 0, sizeof(user));
	user.alg = f->alg;
	user.values = f->head.values;
	user.alg->init(&user.state, &user.values, &f->head.path, f->head.now_ns, &user.decision);
	*d = user.decision;
}

/* As every caller does it: a timer runs once, and nobody hears of what it did not ask for. */
static void user_tell(const struct rcc_event *ev)
{
	if (!(user.alg->events & RCC_WANT(ev->type)))
		return;
	if (ev->type == RCC_EV_TIMER)
		user.decision.timer_ns = 0;
	user.alg->event(&user.state, &user.values, ev, &user.decision);
}

static uint64_t user_run(const struct rcc_event *ev, struct rcc_decision *d, unsigned int n)
{
	uint64_t start_ns = now_ns();
	unsigned int i;

	for (i = 0; i < n; i++) {
		user_tell(&ev[i]);
		d[i] = user.decision;
	}
	return now_ns() - start_ns;
}

const struct home home_user = {
	.begin = user_begin,
	.run = user_run,
};

static struct {
	const char *as;
	int fd;
} kernel = { .fd = -1 };

/**
 * home_kernel_alg() - replay with another algorithm of the kernel
 * @name: one that has the same parameters as the vector's; NULL: the vector's own
 */
void home_kernel_alg(const char *name)
{
	kernel.as = name;
}

static void __noreturn refused(const char *what, const struct vec_flow *f)
{
	int err = errno;

	if (err == ENOENT)
		die("the kernel has no algorithm '%s' (any more)", kernel.as ?: f->head.alg);
	die("%s: %s: %s", REPLAY_FILE, what, strerror(err));
}

/* One answer of the file: @n decisions. Returns the time that they took. */
static uint64_t take(struct rcc_decision *d, unsigned int n)
{
	struct {
		struct rcc_replay_result result;
		struct rcc_decision decisions[RCC_REPLAY_MAX];
	} answer;
	ssize_t size = sizeof(answer.result) + n * sizeof(answer.decisions[0]);
	ssize_t got = read(kernel.fd, &answer, sizeof(answer));

	if (got < 0)
		die("%s: %s", REPLAY_FILE, strerror(errno));
	if (got != size || answer.result.count != n)
		die("%s: %zd bytes where %u decisions are %zd", REPLAY_FILE, got, n, size);
	memcpy(d, answer.decisions, n * sizeof(*d));
	return answer.result.ns;
}

static void kernel_begin(const struct vec_flow *f, struct rcc_decision *d)
{
	struct rcc_replay_head head = f->head;

	if (kernel.fd < 0)
		kernel.fd = open(REPLAY_FILE, O_RDWR);
	if (kernel.fd < 0)
		die("%s: %s", REPLAY_FILE, strerror(errno));
	if (kernel.as) {
		memset(head.alg, 0, sizeof(head.alg));
		strncpy(head.alg, kernel.as, sizeof(head.alg) - 1);
	}
	if (write(kernel.fd, &head, sizeof(head)) != sizeof(head))
		refused("a flow's beginning", f);
	take(d, 1);
}

static uint64_t kernel_run(const struct rcc_event *ev, struct rcc_decision *d, unsigned int n)
{
	ssize_t size = n * sizeof(*ev);

	if (write(kernel.fd, ev, size) != size)
		die("%s: %u events: %s", REPLAY_FILE, n, strerror(errno));
	return take(d, n);
}

const struct home home_kernel = {
	.begin = kernel_begin,
	.run = kernel_run,
};
