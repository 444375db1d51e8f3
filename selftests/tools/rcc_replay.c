// SPDX-License-Identifier: GPL-2.0
/*
 * rcc_replay - one flow's events through an algorithm in the kernel and through its C file in this program.
 *
 * Both get the same events, made from a seed. Every decision must be the same; what differs is said, and how long the
 * kernel took per event. In a guest whose time counts instructions that is a count of instructions; the loop around the
 * algorithm is in it, and shown alone for an algorithm that wants no event, like `none`.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

#include "../../kmod/cc/algs.h"
#include "../../kmod/replay.h"
#include "tool.h"

#define REPLAY_FILE	"/sys/kernel/debug/rxe_cc/replay"
#define PACKET_BYTES	4214

static const char *const type_names[RCC_EV_END] = {
	[RCC_EV_TX] = "tx",
	[RCC_EV_ACK] = "ack",
	[RCC_EV_CNP] = "cnp",
	[RCC_EV_RTT] = "rtt",
	[RCC_EV_NACK] = "nack",
	[RCC_EV_TIMEOUT] = "timeout",
	[RCC_EV_INT] = "int",
	[RCC_EV_TIMER] = "timer",
};

/* how many of a thousand events are of a type, as a congested flow sees them */
static const uint32_t share[RCC_EV_END] = {
	[RCC_EV_TX] = 600,
	[RCC_EV_ACK] = 250,
	[RCC_EV_CNP] = 60,
	[RCC_EV_RTT] = 50,
	[RCC_EV_NACK] = 10,
	[RCC_EV_TIMEOUT] = 2,
	[RCC_EV_INT] = 8,
	[RCC_EV_TIMER] = 20,
};

static const struct rcc_path path = {
	.line_bps = 10000000000,
	.base_rtt_ns = 50000,
	.start_bps = 10000000000,
	.mtu_bytes = PACKET_BYTES,
};

static struct {
	const char *kernel;
	const char *here;
	uint32_t type;
	uint32_t events;
	uint64_t seed;
} opt = {
	.events = 65536,
	.seed = 1,
};

static uint64_t seed, now;
static struct rcc_event events[RCC_REPLAY_MAX];
static struct {
	struct rcc_replay_result result;
	struct rcc_decision decisions[RCC_REPLAY_MAX];
} reply;

/* xorshift64* (Vigna): the upper half */
static uint32_t chance(uint32_t below)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (seed * 0x2545f4914f6cdd1dULL >> 32) % below;
}

static uint32_t choose_type(void)
{
	uint32_t n = chance(1000), type;

	if (opt.type)
		return opt.type;
	for (type = 1; type < RCC_EV_END - 1 && n >= share[type]; type++)
		n -= share[type];
	return type;
}

/* Round trips wander between the path's least and ten times that. */
static struct rcc_event make_event(void)
{
	struct rcc_event ev = { .type = choose_type(), .random = chance(UINT32_MAX) };

	now += 1 + chance(8000);
	ev.now_ns = now;
	ev.packets = 1 + chance(4);
	ev.bytes = ev.packets * PACKET_BYTES;
	ev.ce_permille = chance(4) ? 0 : chance(1001);
	ev.rtt_ns = path.base_rtt_ns + (uint64_t)chance(3000) * chance(150);
	ev.fabric_ns = ev.rtt_ns - chance(20000);
	return ev;
}

static void kernel_write(int fd, const void *buf, size_t size)
{
	ssize_t len = write(fd, buf, size);

	if (len != (ssize_t)size)
		die("%s: %s", REPLAY_FILE, len < 0 ? strerror(errno) : "written in part");
	if (read(fd, &reply, sizeof(reply)) < (ssize_t)sizeof(reply.result))
		die("%s: %s", REPLAY_FILE, strerror(errno));
}

static void same(const struct rcc_decision *here, const struct rcc_decision *kernel, const char *what, uint32_t index)
{
	if (!memcmp(here, kernel, sizeof(*here)))
		return;
	die("%s differs from %s after %s %u: rate %llu, window %llu, timer %llu here, %llu, %llu, %llu there",
	    opt.kernel, opt.here, what, index, (unsigned long long)here->rate_bps, (unsigned long long)here->cwnd_bytes,
	    (unsigned long long)here->timer_ns, (unsigned long long)kernel->rate_bps,
	    (unsigned long long)kernel->cwnd_bytes, (unsigned long long)kernel->timer_ns);
}

static void batch(int fd, const struct rcc_alg *alg, const struct rcc_values *v, struct rcc_state *state,
		  struct rcc_decision *d, uint32_t count, uint32_t done)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		events[i] = make_event();
	kernel_write(fd, events, count * sizeof(events[0]));
	for (i = 0; i < count; i++) {
		if (alg->events & RCC_WANT(events[i].type))
			alg->event(state, v, &events[i], d);
		same(d, &reply.decisions[i], "event", done + i);
	}
}

/* Returns what the kernel took, in nanoseconds. */
static uint64_t replay(const struct rcc_alg *alg)
{
	struct rcc_replay_head head = { .path = path, .now_ns = NSEC_PER_SEC };
	int fd = open(REPLAY_FILE, O_RDWR);
	struct rcc_decision d = {};
	struct rcc_state state = {};
	uint64_t ns = 0;
	uint32_t i;

	if (fd < 0)
		die("%s: %s", REPLAY_FILE, strerror(errno));
	seed = opt.seed;
	now = head.now_ns;
	strncpy(head.alg, opt.kernel, sizeof(head.alg) - 1);
	rcc_params_load(alg, RCC_PROFILE_AUTO, &path, &head.values);
	kernel_write(fd, &head, sizeof(head));
	alg->init(&state, &head.values, &path, head.now_ns, &d);
	same(&d, &reply.decisions[0], "init", 0);
	for (i = 0; i < opt.events; i += RCC_REPLAY_MAX) {
		batch(fd, alg, &head.values, &state, &d, RCC_REPLAY_MAX, i);
		ns += reply.result.ns;
	}
	close(fd);
	return ns;
}

static uint32_t type_of(const char *name)
{
	uint32_t i;

	for (i = 1; i < RCC_EV_END; i++)
		if (!strcmp(type_names[i], name))
			return i;
	fprintf(stderr, "rcc_replay: -t wants tx, ack, cnp, rtt, nack, timeout, int or timer, not '%s'\n", name);
	exit(2);
}

static void usage(FILE *to)
{
	fprintf(to,
		"usage: rcc_replay -k NAME -c NAME [options]\n"
		"\n"
		"Send the events of one flow through an algorithm in the kernel and one here.\n"
		"\n"
		"  -k NAME    algorithm in the kernel, e.g. bpf_dcqcn\n"
		"  -c NAME    algorithm in this program, e.g. dcqcn\n"
		"  -t TYPE    events of this type only: tx, ack, cnp, ... (a mix)\n"
		"  -n EVENTS  how many, rounded up to %u (65536)\n"
		"  -s SEED    of what happens (1)\n", RCC_REPLAY_MAX);
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "k:c:t:n:s:h")) != -1) {
		switch (c) {
		case 'k':
			opt.kernel = optarg;
			break;
		case 'c':
			opt.here = optarg;
			break;
		case 't':
			opt.type = type_of(optarg);
			break;
		case 'n':
			opt.events = to_number(c, optarg, 1, 1e8);
			break;
		case 's':
			opt.seed = to_number(c, optarg, 1, 1e15);
			break;
		default:
			usage(c == 'h' ? stdout : stderr);
			exit(c == 'h' ? 0 : 2);
		}
	}
	if (!opt.kernel || !opt.here || optind != argc) {
		usage(stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	const struct rcc_alg *alg;
	uint64_t ns;

	parse(argc, argv);
	alg = rcc_alg_find(opt.here, strlen(opt.here));
	if (!alg)
		die("no algorithm '%s' here", opt.here);
	ns = replay(alg);
	printf("{ \"kernel\": \"%s\", \"here\": \"%s\", \"events\": %u, \"ns_per_event\": %.1f }\n", opt.kernel, opt.here,
	       opt.events, (double)ns / ((opt.events + RCC_REPLAY_MAX - 1) / RCC_REPLAY_MAX * RCC_REPLAY_MAX));
	return 0;
}
