// SPDX-License-Identifier: GPL-2.0
/*
 * How long does the pure code take?
 *
 * Each benchmark is a function that does its operation n times. It is calibrated to batches of about 10 ms, which warms
 * it up, and run for BATCHES batches; minimum, median and maximum per operation are shown, since the neighbours' load
 * shows in the maximum. The clock is this process's processor time, so that it stands while others run. Results go into a
 * sink that the compiler cannot see through.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "algs.h"
#include "pace.h"
#include "qptab.h"
#include "reorder.h"
#include "spray.h"
#include "wheel.h"
#include "wire.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BATCHES		31
#define BATCH_NS	10000000
#define QPS		10000
#define GBPS		1000000000ULL

struct bench {
	const char *name;
	void (*prepare)(void);
	void (*run)(u64 n);
	double ns[BATCHES];
};

static u64 cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * RCC_NSEC_PER_SEC + ts.tv_nsec;
}

/* The compiler must believe that @v is used, and that memory may have changed. */
static inline void sink(u64 v)
{
	__asm__ volatile("" : : "r"(v) : "memory");
}

/* algorithms at 100 Gb/s; a packet of 4 KB every 335 ns */

static const struct rcc_alg *cc_alg;
static struct rcc_state cc_state;
static struct rcc_values cc_v;
static u64 cc_now;
static struct rcc_decision cc_d;
static const struct rcc_path cc_path = { .line_bps = 100 * GBPS, .base_rtt_ns = 10000, .mtu_bytes = 4174 };

static void cc_event(u32 type, u64 step_ns, u32 bytes)
{
	struct rcc_event ev = { .now_ns = cc_now += step_ns, .type = type, .bytes = bytes };

	cc_alg->event(&cc_state, &cc_v, &ev, &cc_d);
}

static void cc_ack(u64 step_ns, u32 rtt_ns)
{
	struct rcc_event ev = {
		.now_ns = cc_now += step_ns, .type = RCC_EV_ACK, .bytes = 4174, .packets = 1, .rtt_ns = rtt_ns,
		.fabric_ns = rtt_ns,
	};

	cc_alg->event(&cc_state, &cc_v, &ev, &cc_d);
}

static void cc_prepare(const struct rcc_alg *alg, enum rcc_profile profile)
{
	cc_alg = alg;
	memset(&cc_state, 0, sizeof(cc_state));
	memset(&cc_d, 0, sizeof(cc_d));
	cc_now = 1000000;
	rcc_params_load(alg, profile, &cc_path, &cc_v);
	alg->init(&cc_state, &cc_v, &cc_path, cc_now, &cc_d);
}

static void prepare_uncongested(void)
{
	cc_prepare(&rcc_alg_dcqcn, RCC_PROFILE_AUTO);
}

static void prepare_congested(void)
{
	cc_prepare(&rcc_alg_dcqcn, RCC_PROFILE_AUTO);
	cc_event(RCC_EV_TX, 1000000, 4174);
	cc_event(RCC_EV_CNP, 0, 0);
}

/* one CNP in ten cuts */
static void prepare_small(void)
{
	cc_prepare(&rcc_alg_dcqcn, RCC_PROFILE_AUTO);
	cc_event(RCC_EV_TX, 1000000, 110);
	cc_event(RCC_EV_NACK, 0, 0);
}

static void prepare_congested_cx(void)
{
	cc_prepare(&rcc_alg_dcqcn, RCC_PROFILE_CX);
	cc_event(RCC_EV_CNP, 1000000, 0);
}

static void prepare_none(void)
{
	cc_prepare(&rcc_alg_none, RCC_PROFILE_AUTO);
}

static void prepare_fixed(void)
{
	cc_prepare(&rcc_alg_fixed, RCC_PROFILE_AUTO);
}

static void prepare_rtt(void)
{
	cc_prepare(&rcc_alg_rtt, RCC_PROFILE_AUTO);
}

static void prepare_timely(void)
{
	cc_prepare(&rcc_alg_timely, RCC_PROFILE_AUTO);
}

static void prepare_swift(void)
{
	cc_prepare(&rcc_alg_swift, RCC_PROFILE_AUTO);
}

/* one ACK in a round trip of 20 to 60 us is news */
static void run_ack(u64 n)
{
	while (n--) {
		cc_ack(335, 20000 + (n & 7) * 5000);
		sink(cc_d.rate_bps + cc_d.cwnd_bytes);
	}
}

/* each one is, as below one packet per round trip */
static void run_ack_each(u64 n)
{
	while (n--) {
		cc_ack(100000, 20000 + (n & 7) * 10000);
		sink(cc_d.rate_bps + cc_d.cwnd_bytes);
	}
}

static void run_nack(u64 n)
{
	while (n--) {
		cc_event(RCC_EV_NACK, 51000, 0);
		sink(cc_d.rate_bps + cc_d.cwnd_bytes);
	}
}

static void run_tx(u64 n)
{
	while (n--) {
		cc_event(RCC_EV_TX, 335, 4174);
		sink(cc_d.rate_bps);
	}
}

/* as often as a NIC sends them: one in 13 cuts */
static void run_cnp(u64 n)
{
	while (n--) {
		cc_event(RCC_EV_CNP, 4000, 0);
		sink(cc_d.rate_bps);
	}
}

/* each one that counts cuts */
static void run_cnp_cut(u64 n)
{
	while (n--) {
		cc_event(RCC_EV_CNP, 51000, 0);
		sink(cc_d.rate_bps);
	}
}

/* packets: RC WRITE middle of 4096 bytes over IPv4 and IPv6, and sizes for the ICRC */

static u8 packet[8192];
static u32 packet_bytes;

static void packet_prepare(u32 version, u32 payload)
{
	u32 udp = version == 4 ? RCC_IP4_BYTES : RCC_IP6_BYTES, i;
	u32 udp_bytes = RCC_UDP_BYTES + RCC_BTH_BYTES + payload + RCC_ICRC_BYTES;

	memset(packet, 0, sizeof(packet));
	packet_bytes = udp + udp_bytes;
	packet[0] = version << 4 | (version == 4 ? 5 : 0);
	packet[version == 4 ? 9 : 6] = 17;
	rcc_put_be16(packet + (version == 4 ? 2 : 4), version == 4 ? packet_bytes : udp_bytes);
	rcc_put_be16(packet + udp, 50000);
	rcc_put_be16(packet + udp + 2, RCC_ROCE_PORT);
	rcc_put_be16(packet + udp + 4, udp_bytes);
	packet[udp + 8] = 0x07;
	for (i = 0; i < payload; i++)
		packet[udp + 20 + i] = i * 7;
}

static void prepare_parse4(void)
{
	packet_prepare(4, 4096);
}

static void prepare_parse6(void)
{
	packet_prepare(6, 4096);
}

static void run_parse(u64 n)
{
	struct rcc_pkt pkt;

	while (n--) {
		sink(rcc_wire_parse(packet, packet_bytes, packet_bytes, &pkt));
		sink(pkt.psn + pkt.dqpn);
	}
}

static void prepare_icrc64(void)
{
	packet_prepare(4, 64);
}

static void run_icrc(u64 n)
{
	struct rcc_pkt pkt;

	if (rcc_wire_parse(packet, packet_bytes, packet_bytes, &pkt))
		abort();
	while (n--)
		sink(rcc_wire_icrc(packet, &pkt));
}

static void run_ackreq_delta(u64 n)
{
	while (n--)
		sink(rcc_wire_ackreq_delta(RCC_BTH_BYTES + 4096 + RCC_ICRC_BYTES));
}

static void run_build_cnp(u64 n)
{
	struct rcc_flow flow = { .version = 4, .dscp = 48, .ttl = 64, .sport = 50000, .dqpn = 17 };

	while (n--) {
		flow.ip_id++;
		sink(rcc_wire_build_cnp(packet, &flow));
	}
}

/* QP table: the entries stand in records of 1 KB, as a QP's would */

struct qp {
	struct rcc_qpent ent;
	u8 rest[1024 - sizeof(struct rcc_qpent)];
};

static struct rcc_qptab table;
static struct qp qps[QPS];
static u32 order[1 << 16];

static void prepare_lookup(void)
{
	u64 seed = 1;
	u32 i;

	memset(&table, 0, sizeof(table));
	for (i = 0; i < QPS; i++) {
		qps[i].ent.qpn = 17 + i;
		rcc_qptab_add(&table, &qps[i].ent);
	}
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		order[i] = 17 + (seed >> 33) % QPS;
	}
}

static void run_lookup(u64 n)
{
	while (n--)
		sink(rcc_qptab_find(&table, order[n % (1 << 16)])->qpn);
}

/* departure times */

static struct rcc_pace pace;

static void prepare_pace(void)
{
	memset(&pace, 0, sizeof(pace));
	rcc_pace_set_rate(&pace, 0, 97 * GBPS);
}

static void run_pace(u64 n)
{
	while (n--) {
		rcc_pace_sent(&pace, pace.next_ns, 4174, true);
		sink(pace.next_ns);
	}
}

static void run_pace_rate(u64 n)
{
	u64 now = pace.next_ns - 100;

	while (n--) {
		rcc_pace_set_rate(&pace, now, (90 + n % 8) * GBPS);
		sink(pace.next_ns);
	}
}

/* wheel: the first flow that is due leaves and comes back a random time later */

static struct rcc_wheel wheel;
static struct rcc_wnode nodes[QPS];
static u64 wheel_seed;

static u64 wheel_random(u64 below)
{
	wheel_seed = wheel_seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (wheel_seed >> 33) % below;
}

static void wheel_prepare(u32 flows)
{
	u32 i;

	rcc_wheel_init(&wheel, 0);
	wheel_seed = 1;
	for (i = 0; i < flows; i++)
		rcc_wheel_add(&wheel, &nodes[i], 0, wheel_random(1 << 20));
}

static void prepare_wheel10(void)
{
	wheel_prepare(10);
}

static void prepare_wheel10000(void)
{
	wheel_prepare(10000);
}

static void run_wheel(u64 n)
{
	while (n--) {
		u64 now = rcc_wheel_next(&wheel);
		struct rcc_wnode *node = rcc_wheel_pop(&wheel, now);

		rcc_wheel_add(&wheel, node, now, now + (wheel_seed & 0xfffff));
		wheel_seed = wheel_seed * 6364136223846793005ULL + 1442695040888963407ULL;
	}
	sink(wheel.count);
}

/*
 * Link layer: packets over SPRAY_PATHS paths, in pairs that overtake each other now and then; each fourth makes the receiver
 * tell what has come, and the sender take it in. A tenth of a microsecond between packets, a round trip of SPRAY_FLYING of them.
 */

#define SPRAY_PATHS	32
#define SPRAY_FLYING	64

static struct rcc_reorder link_rx;
static struct rcc_sack link_tx;
static struct rcc_spray link_spray;
static u64 link_now;
static u32 link_came;

static void link_prepare(enum rcc_spray_mode mode)
{
	rcc_reorder_init(&link_rx, 0);
	rcc_sack_init(&link_tx, 0, 16000000);
	rcc_spray_init(&link_spray, mode, SPRAY_PATHS, 50000, 1);
	link_now = 1000000;
	link_came = 0;
}

static void link_send(void)
{
	sink(rcc_sack_sent(&link_tx, link_now, &link_tx, 4174, link_tx.nxt % SPRAY_PATHS, false));
}

static void link_arrive(u32 seq)
{
	struct rcc_trailer t = { .seq = seq, .time_ns = link_tx.ent[seq % RCC_LINK_WINDOW].sent_ns };

	sink(rcc_reorder_add(&link_rx, link_now, &t, seq % 16 == 0, &link_rx));
	while (rcc_reorder_pop(&link_rx, link_now))
		;
}

/* Of eight packets the first comes last. */
static u32 link_order(u32 i)
{
	return i / 8 * 8 + (i + 1) % 8;
}

static void link_report(void)
{
	struct rcc_sack_msg m;
	struct rcc_sack_news news;
	struct rcc_sack_done done;
	struct rcc_sack_loss loss;
	u32 at = 0;

	rcc_reorder_report(&link_rx, link_now, &m);
	sink(rcc_sack_take(&link_tx, link_now, &m, &news));
	while (rcc_sack_done(&link_tx, link_now, &m, &at, &done))
		sink(done.path);
	sink(rcc_sack_lost(&link_tx, link_now, &loss));
}

static void run_link(u64 n)
{
	while (n--) {
		link_now += 100;
		link_send();
		if (link_tx.nxt - link_came <= SPRAY_FLYING)
			continue;
		link_arrive(link_order(link_came++));
		if (link_came % 4 == 0)
			link_report();
	}
}

static void prepare_rr(void)
{
	link_prepare(RCC_SPRAY_RR);
}

static void prepare_random(void)
{
	link_prepare(RCC_SPRAY_RANDOM);
}

static void prepare_reps(void)
{
	link_prepare(RCC_SPRAY_REPS);
}

static void prepare_adaptive(void)
{
	link_prepare(RCC_SPRAY_ADAPTIVE);
}

/* A packet leaves, and the one that left SPRAY_FLYING before has come. */
static void run_spray(u64 n)
{
	static u8 by[SPRAY_FLYING];
	u64 random = 1;

	while (n--) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		link_now += 100;
		sink(rcc_spray_came(&link_spray, link_now, by[n % SPRAY_FLYING], false));
		by[n % SPRAY_FLYING] = rcc_spray_pick(&link_spray, link_now, random >> 32);
	}
}

static struct bench benches[] = {
	{ "dcqcn TX, uncongested", prepare_uncongested, run_tx },
	{ "dcqcn TX, in congestion, auto", prepare_congested, run_tx },
	{ "dcqcn TX, in congestion, cx", prepare_congested_cx, run_tx },
	{ "dcqcn CNP, every 4 us", prepare_congested, run_cnp },
	{ "dcqcn CNP, each one cuts", prepare_congested, run_cnp_cut },
	{ "dcqcn CNP, small packets", prepare_small, run_cnp_cut },
	{ "dcqcn CNP, each one cuts, cx", prepare_congested_cx, run_cnp_cut },
	{ "dcqcn NAK", prepare_congested, run_nack },
	{ "none TX", prepare_none, run_tx },
	{ "fixed TX", prepare_fixed, run_tx },
	{ "rtt ACK", prepare_rtt, run_ack },
	{ "rtt ACK, each a reaction", prepare_rtt, run_ack_each },
	{ "rtt NAK", prepare_rtt, run_nack },
	{ "timely ACK", prepare_timely, run_ack },
	{ "timely ACK, each a reaction", prepare_timely, run_ack_each },
	{ "timely NAK", prepare_timely, run_nack },
	{ "swift ACK", prepare_swift, run_ack },
	{ "swift ACK, each a reaction", prepare_swift, run_ack_each },
	{ "swift NAK", prepare_swift, run_nack },
	{ "wire parse, IPv4 RC 4096 B", prepare_parse4, run_parse },
	{ "wire parse, IPv6 RC 4096 B", prepare_parse6, run_parse },
	{ "ICRC, 64 B (zlib)", prepare_icrc64, run_icrc },
	{ "ICRC, 4 KB (zlib)", prepare_parse4, run_icrc },
	{ "AckReq delta, 4 KB (zlib)", NULL, run_ackreq_delta },
	{ "build CNP (zlib)", NULL, run_build_cnp },
	{ "QP lookup, random of 10000", prepare_lookup, run_lookup },
	{ "pace_sent", prepare_pace, run_pace },
	{ "pace_set_rate, waiting", prepare_pace, run_pace_rate },
	{ "wheel pop + add, 10 flows", prepare_wheel10, run_wheel },
	{ "wheel pop + add, 10000 flows", prepare_wheel10000, run_wheel },
	{ "reorder + sack, both ends", prepare_rr, run_link },
	{ "spray pick + came, rr", prepare_rr, run_spray },
	{ "spray pick + came, random", prepare_random, run_spray },
	{ "spray pick + came, reps", prepare_reps, run_spray },
	{ "spray pick + came, adaptive", prepare_adaptive, run_spray },
};

#define NBENCHES	ARRAY_SIZE(benches)

static int compare_ns(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static u64 timed(const struct bench *b, u64 n)
{
	u64 begin = cpu_ns();

	b->run(n);
	return cpu_ns() - begin;
}

static void measure(struct bench *b)
{
	u64 n = 1000;
	u32 i;

	if (b->prepare)
		b->prepare();
	while (timed(b, n) < BATCH_NS)
		n *= 2;
	for (i = 0; i < BATCHES; i++)
		b->ns[i] = (double)timed(b, n) / n;
	qsort(b->ns, BATCHES, sizeof(b->ns[0]), compare_ns);
}

static int write_json(const char *path)
{
	FILE *f = fopen(path, "w");
	size_t i;

	if (!f)
		return -1;
	fprintf(f, "[");
	for (i = 0; i < NBENCHES; i++)
		fprintf(f, "%s\n\t{\"name\": \"%s\", \"unit\": \"ns\", \"min\": %.2f, \"median\": %.2f, \"max\": %.2f}",
			i ? "," : "", benches[i].name, benches[i].ns[0], benches[i].ns[BATCHES / 2],
			benches[i].ns[BATCHES - 1]);
	fprintf(f, "\n]\n");
	return fclose(f);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE.json\n", argv[0]);
		return 2;
	}
	printf("%-32s %10s %10s %10s\n", "ns per operation", "min", "median", "max");
	for (i = 0; i < NBENCHES; i++) {
		measure(&benches[i]);
		printf("%-32s %10.2f %10.2f %10.2f\n", benches[i].name, benches[i].ns[0], benches[i].ns[BATCHES / 2],
		       benches[i].ns[BATCHES - 1]);
		fflush(stdout);
	}
	if (write_json(argv[1])) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
