// SPDX-License-Identifier: GPL-2.0
/* The simulator of spray_sim.h. Events that are on their way stand in a heap; timers are looked at each time. */
#include "spray_sim.h"
#include "test.h"

#define EVENTS_MAX	8192
#define SACKS		2048
#define NEVER		RCC_SACK_NEVER
#define ONE_PPM		1000000
#define HOLD_NS		40000000ULL	/* the receiver waits so long for what is missing */
#define MAX_WAIT_NS	16000000ULL
#define BAD_PATH	0	/* the real path that is other than usual for a while */

enum sim_type {
	SIM_DATA,
	SIM_SACK,
	SIM_REPLY,
};

struct sim_event {
	u64 at_ns;
	u64 order;
	enum sim_type type;
	u32 n;			/* number of the packet, of the SACK, or path */
	u32 time_ns;
	bool ce;
};

static const struct sim_opts *o;
static struct sim_result *res;
static struct rcc_reorder rx;
static struct rcc_sack tx;
static struct rcc_spray sp;
static struct sim_event heap[EVENTS_MAX];
static struct rcc_sack_msg sacks[SACKS];
static u32 events, sacks_sent, real_of[RCC_PATHS_MAX];
static u64 now, order, seed, free_ns[SIM_PATHS_MAX];
static u64 delivered, sack_due_ns;
static double rate_bps, next_ns, alpha;

/* the round of the rate's control */
static struct {
	u64 end_ns, packets, losses;
	double marks;
} turn;

static bool chance(u32 ppm)
{
	return ppm && test_random(&seed) % ONE_PPM < ppm;
}

static bool sooner(const struct sim_event *a, const struct sim_event *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void push(struct sim_event ev)
{
	u32 i = events++;

	EXPECT(events <= EVENTS_MAX);
	ev.order = order++;
	for (; i && sooner(&ev, &heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = ev;
}

static struct sim_event pop(void)
{
	struct sim_event top = heap[0], last = heap[--events];
	u32 i = 0, child;

	while ((child = 2 * i + 1) < events) {
		if (child + 1 < events && sooner(&heap[child + 1], &heap[child]))
			child++;
		if (!sooner(&heap[child], &last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return top;
}

static bool is_bad(u32 real)
{
	return real == BAD_PATH && now >= o->bad_from_ns && now < o->bad_to_ns;
}

static u64 path_bps(u32 real)
{
	return is_bad(real) && o->bad_bps ? o->bad_bps : o->rate_bps;
}

static bool path_dead(u32 real)
{
	return is_bad(real) && !o->bad_bps;
}

static bool red(u64 queued)
{
	if (!o->red_max || queued < o->red_min)
		return false;
	return queued >= o->red_max || test_random(&seed) % (o->red_max - o->red_min) < queued - o->red_min;
}

static void note_bad(u32 real, bool dropped)
{
	if (real != BAD_PATH || !o->bad_to_ns || now < o->bad_from_ns)
		return;
	if (dropped && !res->bad_first_ns)
		res->bad_first_ns = now;
	if (!dropped && now >= o->bad_to_ns && !res->bad_back_ns)
		res->bad_back_ns = now;
}

/* A data packet goes into a real path's queue. */
static void travel(u32 seq, u32 path)
{
	struct sim_event ev = { .type = SIM_DATA, .n = seq, .time_ns = now };
	u32 real = real_of[path];
	u64 bps = path_bps(real), queued;

	if (free_ns[real] < now)
		free_ns[real] = now;
	queued = (free_ns[real] - now) * bps / 8000000000ULL;
	if (path_dead(real) || queued + SIM_BYTES > o->queue_bytes || chance(o->loss_ppm)) {
		res->drops++;
		note_bad(real, true);
		return;
	}
	note_bad(real, false);
	ev.ce = red(queued);
	res->marks += ev.ce;
	free_ns[real] += SIM_BYTES * 8000000000ULL / bps;
	ev.at_ns = free_ns[real] + o->delay_ns + (chance(o->late_ppm) ? o->late_ns : 0);
	push(ev);
	if (chance(o->twice_ppm))
		push(ev);
}

static void set_rate(double bps)
{
	double all = o->paths * o->rate_bps;

	rate_bps = bps < all / 100 ? all / 100 : bps > 2 * all ? 2 * all : bps;
}

/* Once per round trip. */
static void control(void)
{
	double all = o->paths * o->rate_bps, rtt = rcc_spray_median_rtt(&sp), share;

	if (now < turn.end_ns || !turn.packets)
		return;
	share = turn.marks / turn.packets;
	if (!o->red_max && turn.losses)
		share += 0.5;
	alpha += (share - alpha) / 8;
	if (o->control == SIM_MARKS)
		set_rate(share > 0 ? rate_bps * (1 - alpha / 2) : rate_bps + all / 200);
	if (o->control == SIM_DELAY)
		set_rate(rtt > o->target_ns ? rate_bps * (1 - 0.4 * (rtt - o->target_ns) / rtt) : rate_bps + all / 200);
	memset(&turn, 0, sizeof(turn));
	turn.end_ns = now + rtt;
}

static void note_death(u32 path)
{
	res->deaths++;
	if (path_dead(real_of[path]))
		res->bad_known_ns = now;
}

static void look_for_losses(void)
{
	struct rcc_sack_loss loss;

	while (rcc_sack_lost(&tx, now, &loss)) {
		turn.losses++;
		res->timeouts += loss.timeout;
		if (rcc_spray_lost(&sp, now, loss.path))
			note_death(loss.path);
	}
}

static void one_came(const struct rcc_sack_done *done)
{
	res->births += rcc_spray_came(&sp, now, done->path, done->ce);
	turn.packets++;
	if (done->ce)
		turn.marks += rcc_spray_mark_weight(&sp, done->path) / 1024.0;
}

static void sack_came(const struct rcc_sack_msg *m)
{
	struct rcc_sack_news news;
	struct rcc_sack_done done;
	u32 at = 0;

	EXPECT(rcc_sack_take(&tx, now, m, &news));
	if (news.rtt_ns)
		rcc_spray_rtt(&sp, now, news.rtt_path, news.rtt_ns);
	while (rcc_sack_done(&tx, now, m, &at, &done))
		one_came(&done);
	look_for_losses();
	control();
}

static void send_sack(void)
{
	struct rcc_sack_msg *m = &sacks[sacks_sent % SACKS];
	struct sim_event ev = { .type = SIM_SACK, .at_ns = now + o->delay_ns, .n = sacks_sent++ % SACKS };

	rcc_reorder_report(&rx, now, m);
	sack_due_ns = NEVER;
	if (!chance(o->sack_loss_ppm))
		push(ev);
}

/* Packets leave the receiver in the order of their numbers, unless some were given up. */
static void deliver(void)
{
	delivered++;
	if (now < o->warm_ns)
		delivered = 0;
}

static void drain(void)
{
	while (rcc_reorder_pop(&rx, now))
		deliver();
}

static void data_came(const struct sim_event *ev)
{
	struct rcc_trailer t = { .seq = ev->n, .time_ns = ev->time_ns };
	enum rcc_reorder_verdict v = rcc_reorder_add(&rx, now, &t, ev->ce, &rx);

	EXPECT(v != RCC_REORDER_BEYOND);
	if (v == RCC_REORDER_NOW) {
		deliver();
		drain();
	}
	if (rx.high - rx.next > res->deepest)
		res->deepest = rx.high - rx.next;
	if (rx.pending >= 4 || v == RCC_REORDER_TWICE)
		send_sack();
	else if (sack_due_ns == NEVER)
		sack_due_ns = now + RCC_SACK_DELAY_NS;
}

static bool may_send(void)
{
	return tx.lost || tx.nxt - tx.una < o->window;
}

/* Repeats go before new packets, at the same rate. */
static void send_one(void)
{
	struct rcc_sack_ent *e;
	u32 seq, path, random = test_random(&seed) >> 32;

	e = rcc_sack_repeat(&tx, &seq);
	if (e) {
		path = rcc_spray_detour(&sp, now, random, e->path);
		rcc_sack_repeated(&tx, now, seq, path);
		res->repeats++;
	} else {
		path = rcc_spray_pick(&sp, now, random);
		seq = rcc_sack_sent(&tx, now, &tx, SIM_BYTES, path, false);
	}
	travel(seq, path);
	next_ns = (next_ns > now ? next_ns : now) + SIM_BYTES * 8e9 / rate_bps;
}

static void send_probes(void)
{
	int path;

	while ((path = rcc_spray_probe(&sp, now)) >= 0)
		if (!path_dead(real_of[path]))
			push((struct sim_event) { .type = SIM_REPLY, .at_ns = now + 2 * o->delay_ns, .n = path });
}

static void give_up_late(void)
{
	if (!rx.gap_ns || now < rx.gap_ns + HOLD_NS)
		return;
	res->skipped += rcc_reorder_give_up(&rx);
	drain();
}

static u64 min3(u64 a, u64 b, u64 c)
{
	return rcc_min64(a, rcc_min64(b, c));
}

static u64 next_time(void)
{
	u64 send = may_send() ? (next_ns > now ? (u64)next_ns : now) : NEVER;
	u64 gap = rx.gap_ns ? rx.gap_ns + HOLD_NS : NEVER;

	return min3(min3(events ? heap[0].at_ns : NEVER, send, tx.due_ns), min3(sack_due_ns, gap, rcc_spray_probe_due(&sp)),
		    NEVER);
}

static void handle(const struct sim_event *ev)
{
	if (ev->type == SIM_DATA)
		data_came(ev);
	else if (ev->type == SIM_SACK)
		sack_came(&sacks[ev->n]);
	else
		res->births += rcc_spray_came(&sp, now, ev->n, false);
}

static void step(void)
{
	now = rcc_max64(now, next_time());
	if (events && heap[0].at_ns <= now) {
		struct sim_event ev = pop();

		handle(&ev);
	}
	if (sack_due_ns <= now)
		send_sack();
	give_up_late();
	look_for_losses();
	send_probes();
	if (may_send() && next_ns < now + 1)
		send_one();
}

static void begin(void)
{
	u32 i;

	memset(res, 0, sizeof(*res));
	memset(free_ns, 0, sizeof(free_ns));
	memset(&turn, 0, sizeof(turn));
	seed = o->seed;
	now = 1000000;
	events = 0;
	order = 0;
	delivered = 0;
	alpha = 1;
	next_ns = 0;
	sack_due_ns = NEVER;
	rate_bps = o->start_bps;
	rcc_reorder_init(&rx, 0 - 1000u);
	rcc_sack_init(&tx, 0 - 1000u, MAX_WAIT_NS);
	rcc_spray_init(&sp, o->mode, o->ports, 0xc001, test_random(&seed) >> 32);
	for (i = 0; i < RCC_PATHS_MAX; i++)
		real_of[i] = test_random(&seed) % o->paths;
}

/**
 * sim_run() - simulate
 * @opts: what
 * @result: filled in
 */
void sim_run(const struct sim_opts *opts, struct sim_result *result)
{
	o = opts;
	res = result;
	begin();
	while (now < o->end_ns)
		step();
	res->used = delivered * SIM_BYTES * 8e9 / (o->end_ns - o->warm_ns) / (o->paths * o->rate_bps);
}
