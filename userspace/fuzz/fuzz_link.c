// SPDX-License-Identifier: GPL-2.0
/*
 * The link layer. The input is first read as a trailer and as a control packet; then it drives a sender and a receiver with a
 * network between them that loses, doubles, overtakes and lies as the input says.
 *
 * Whatever it does: packets leave the receiver in order and never twice, every packet that either side keeps is given back
 * once, and counts agree with states. When the network behaves at last, all ends, and without lies nothing that the sender
 * has kept is missing unless the receiver was told to give up.
 */
#include "fuzz.h"
#include "linkwire.h"
#include "reorder.h"
#include "sack.h"

#define DATA_MAX	256
#define SACKS_MAX	32
#define SENT_MAX	4096
#define END_ROUNDS	3000
#define MS		1000000ULL

struct data {
	struct rcc_trailer t;
	bool ce;
};

/* a packet that somebody keeps */
struct kept {
	u32 n;			/* number, from the first of the session on */
};

static struct rcc_sack tx;
static struct rcc_reorder rx;
static struct data net[DATA_MAX];
static struct rcc_sack_msg sacks[SACKS_MAX];
static u32 first, datas, nsacks, alive, sent, out;
static u64 now;
static bool lied, gave_up, unkept[SENT_MAX], gone_early[SENT_MAX];

static struct kept *keep(u32 seq)
{
	struct kept *k = malloc(sizeof(*k));

	k->n = seq - first;
	alive++;
	return k;
}

static void release(void *pkt)
{
	MUST(alive);
	alive--;
	free(pkt);
}

/* A packet is handed on to rxe in its turn. All between the last one and it went early, or were given up. */
static void hand_on(struct kept *k)
{
	MUST(k->n >= out && k->n < sent);
	for (; out < k->n; out++)
		MUST(gone_early[out] || gave_up);
	MUST(!gone_early[out]);
	out++;
	release(k);
}

static void drain(void)
{
	void *pkt;

	while ((pkt = rcc_reorder_pop(&rx, now)))
		hand_on(pkt);
}

static void arrive(const struct data *d)
{
	struct kept *k = keep(d->t.seq);
	enum rcc_reorder_verdict v = rcc_reorder_add(&rx, now, &d->t, d->ce, k);

	switch (v) {
	case RCC_REORDER_NOW:
		hand_on(k);
		drain();
		break;
	case RCC_REORDER_EARLY:
		MUST(d->t.flags & RCC_TR_ACK && !gone_early[k->n] && k->n >= out);
		gone_early[k->n] = true;
		release(k);
		break;
	case RCC_REORDER_WAIT:
		break;
	case RCC_REORDER_TWICE:
		release(k);
		break;
	case RCC_REORDER_BEYOND:
		MUST(lied || k->n < out);
		release(k);
	}
}

static void send(const struct rcc_sack_ent *e, u32 seq)
{
	if (datas == DATA_MAX)
		return;
	net[datas].t = (struct rcc_trailer) { .seq = seq, .time_ns = e->sent_ns, .flags = e->ack ? RCC_TR_ACK : 0 };
	net[datas++].ce = seq % 5 == 0;
}

static void send_new(u8 how)
{
	bool kept = how % 8;
	u32 seq;

	if (sent == SENT_MAX || !rcc_sack_room(&tx))
		return;
	seq = rcc_sack_sent(&tx, now, kept ? keep(tx.nxt) : NULL, 100 + how, how % RCC_PATHS_MAX, how / 8 % 4 == 0);
	MUST(seq == first + sent);
	unkept[sent++] = !kept;
	send(&tx.ent[seq % RCC_LINK_WINDOW], seq);
}

static void repeat(u32 path)
{
	struct rcc_sack_ent *e;
	u32 seq;

	e = rcc_sack_repeat(&tx, &seq);
	MUST(!!e == !!tx.lost);
	if (!e)
		return;
	MUST(e->state == RCC_SACK_LOST && e->pkt && ((struct kept *)e->pkt)->n == seq - first);
	rcc_sack_repeated(&tx, now, seq, path);
	MUST(e->state == RCC_SACK_FLYING && e->tries > 1);
	send(e, seq);
}

static void done_with(const struct rcc_sack_done *d)
{
	MUST(d->path < RCC_PATHS_MAX && (d->bytes >= 100 || (d->ce && !d->pkt)));
	if (d->pkt)
		release(d->pkt);
}

static void look(void)
{
	struct rcc_sack_loss loss;
	u32 last = 0;

	for (; rcc_sack_lost(&tx, now, &loss); last++) {
		MUST(last < RCC_LINK_WINDOW && loss.path < RCC_PATHS_MAX);
		MUST(tx.ent[loss.seq % RCC_LINK_WINDOW].state == (unkept[loss.seq - first] ? RCC_SACK_GONE : RCC_SACK_LOST));
	}
	MUST(tx.due_ns > now);
}

static void take(const struct rcc_sack_msg *m, bool honest)
{
	struct rcc_sack_news news;
	struct rcc_sack_done done;
	u32 at = 0, una = tx.una;
	bool good = rcc_sack_take(&tx, now, m, &news);

	MUST(good || !honest);
	while (good && rcc_sack_done(&tx, now, m, &at, &done))
		done_with(&done);
	MUST(tx.una - una <= RCC_LINK_WINDOW && (s32)(tx.nxt - tx.una) >= 0);
	look();
}

static void lie(struct input *in)
{
	struct rcc_sack_msg m;
	u32 i;

	rcc_reorder_report(&rx, now, &m);
	m.cum += (s32)input_number(in, 1) - 128;
	m.words = input_number(in, 1) % (RCC_LINK_WORDS + 1);
	for (i = 0; i < m.words; i++)
		m.rcvd[i] = input_number(in, 3);
	for (i = 0; i <= m.words; i++)
		m.ce[i] = input_number(in, 1);
	m.echo_seq += (s32)input_number(in, 1) - 128;
	m.dups += input_number(in, 1);
	lied = true;
	take(&m, false);
}

static void ack(u32 seq)
{
	struct rcc_sack_done done;

	while (rcc_sack_cum(&tx, now, seq, &done))
		done_with(&done);
}

static void report(void)
{
	if (nsacks == SACKS_MAX)
		memmove(sacks, sacks + 1, --nsacks * sizeof(sacks[0]));
	rcc_reorder_report(&rx, now, &sacks[nsacks++]);
}

static void check(void)
{
	u32 seq, flying = 0, lost = 0, waiting = 0;
	u64 bytes = 0;

	for (seq = tx.una; seq != tx.nxt; seq++) {
		const struct rcc_sack_ent *e = &tx.ent[seq % RCC_LINK_WINDOW];

		MUST(e->state >= RCC_SACK_FLYING && e->state <= RCC_SACK_CAME);
		MUST(!e->pkt == (e->state == RCC_SACK_CAME || unkept[seq - first]));
		flying += e->state == RCC_SACK_FLYING;
		lost += e->state == RCC_SACK_LOST;
		bytes += e->state == RCC_SACK_FLYING ? e->bytes : 0;
	}
	MUST(tx.flying == flying && tx.lost == lost && tx.flying_bytes == bytes);
	MUST((tx.due_ns == RCC_SACK_NEVER) == !flying);
	for (seq = rx.next; seq != rx.high; seq++)
		if (rx.rcvd[seq / 64 % RCC_LINK_WORDS] >> seq % 64 & 1)
			waiting += !!rx.slot[seq % RCC_LINK_WINDOW].pkt;
	MUST(rx.waiting == waiting && rx.high - rx.next <= RCC_LINK_WINDOW);
	MUST(!rx.gap_ns == !rcc_reorder_gap(&rx));
}

static void remove_data(u32 i)
{
	net[i] = net[--datas];
}

/* One thing happens; false: the input is at its end. */
static bool event(struct input *in)
{
	u32 what = input_number(in, 1), arg = input_number(in, 1), i = datas ? arg % datas : 0;

	now += (what >> 4) * (what >> 4) * 10000ULL;
	if (what % 16 <= 4) {
		send_new(arg);
	} else if (what % 16 <= 8 && datas) {
		struct data d = net[i];

		if (what % 16 != 8)
			remove_data(i);
		arrive(&d);
	} else if (what % 16 == 9 && datas) {
		remove_data(i);
	} else if (what % 16 == 10) {
		report();
	} else if (what % 16 <= 12 && nsacks) {
		take(&sacks[arg % nsacks], true);
	} else if (what % 16 == 13) {
		look();
		repeat(arg % RCC_PATHS_MAX);
	} else if (what % 16 == 14) {
		ack(arg < 200 ? rx.next : rx.next + arg - 200);
		lied |= arg > 200;
	} else if (what % 16 == 15 && arg < 8) {
		gave_up |= rcc_reorder_give_up(&rx) > 0;
		drain();
	} else if (what % 16 == 15 && arg < 16) {
		lie(in);
	}
	return in->left > 0;
}

/* The network behaves: all that is sent comes, in order, and the receiver tells. */
static void end_round(u64 pause_ns)
{
	u32 i;

	now += pause_ns;
	look();
	while (tx.lost && datas < DATA_MAX)
		repeat(7);
	for (i = 0; i < datas; i++)
		arrive(&net[i]);
	datas = 0;
	report();
	take(&sacks[nsacks - 1], true);
}

/* Is what is missing lost for good? After a lie the sender may be further than the receiver's window reaches. */
static bool hopeless(void)
{
	return rcc_reorder_gap(&rx) && ((!tx.lost && !tx.flying) || (lied && now - rx.gap_ns > 1000 * MS));
}

static void end(void)
{
	u32 i;

	for (i = 0; i < END_ROUNDS && (tx.lost || tx.flying || rcc_reorder_gap(&rx)); i++) {
		/* round trips may have become long, and what silence takes for lost is one packet each time */
		end_round(i < END_ROUNDS / 2 ? 20 * MS : 1000 * MS);
		if (!hopeless())
			continue;
		MUST(lied || unkept[rx.next - first]);
		gave_up |= rcc_reorder_give_up(&rx) > 0;
		drain();
	}
	MUST(i < END_ROUNDS);
	check();
	MUST(!rx.waiting && !tx.flying && !tx.lost);
}

static void run(struct input *in)
{
	void *pkt;

	first = input_number(in, 4);
	datas = 0;
	nsacks = 0;
	sent = 0;
	out = 0;
	now = MS;
	lied = false;
	gave_up = false;
	memset(unkept, 0, sizeof(unkept));
	memset(gone_early, 0, sizeof(gone_early));
	rcc_sack_init(&tx, first, (input_number(in, 1) + 1) * MS / 4);
	rcc_reorder_init(&rx, first);
	while (event(in))
		check();
	if (first % 4)
		end();
	while ((pkt = rcc_sack_purge(&tx)))
		release(pkt);
	MUST(!tx.flying && !tx.lost && tx.una == tx.nxt);
	while ((pkt = rcc_reorder_purge(&rx)))
		release(pkt);
	MUST(!alive && !rx.waiting);
}

/* Raw bytes in a block of exactly their size. What is taken says the same when it is written again, and so does any content. */
static void check_trailer(const u8 *data, size_t size)
{
	u8 *raw = malloc(RCC_TRAILER_BYTES), again[RCC_TRAILER_BYTES];
	struct rcc_trailer t, u;

	if (size >= RCC_TRAILER_BYTES) {
		memcpy(raw, data, RCC_TRAILER_BYTES);
		if (rcc_trailer_read(raw, 0x12345678, &t)) {
			rcc_trailer_write(again, &t, 0x12345678);
			MUST(!memcmp(raw, again, RCC_TRAILER_BYTES));
		}
		t = (struct rcc_trailer) {
			.seq = rcc_get_be32(raw), .time_ns = rcc_get_be32(raw + 4), .ack = rcc_get_be32(raw + 8),
			.sport = rcc_get_be16(raw + 12), .flags = raw[14],
		};
		rcc_trailer_write(raw, &t, rcc_get_be32(data + 16));
		MUST(rcc_trailer_read(raw, rcc_get_be32(data + 16), &u));
		MUST(t.seq == u.seq && t.time_ns == u.time_ns && t.ack == u.ack && t.sport == u.sport && t.flags == u.flags);
	}
	free(raw);
}

/* The input as the body of a control packet. */
static void check_ctl(const u8 *data, size_t size)
{
	struct rcc_flow flow = { .version = 4, .sport = 0xc000, .dqpn = 17 };
	u8 room[RCC_CTL_MAX_BYTES], again[RCC_CTL_MAX_BYTES], *ip;
	struct rcc_pkt pkt;
	struct rcc_ctl ctl;
	u32 bytes;

	if (size > RCC_CTL_HDR_BYTES + RCC_SACK_BYTES(RCC_LINK_WORDS))
		return;
	bytes = rcc_wire_build(room, &flow, RCC_OP_CTL, 0, data, size);
	ip = malloc(bytes);
	memcpy(ip, room, bytes);
	MUST(rcc_wire_parse(ip, bytes, bytes, &pkt) == RCC_WIRE_OK && pkt.class == RCC_OC_CTL);
	if (rcc_ctl_parse(ip, &pkt, &ctl)) {
		MUST(ctl.type && ctl.type < RCC_CTL_END);
		MUST(rcc_ctl_build(again, &flow, &ctl) == bytes);
	}
	free(ip);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };

	check_trailer(data, size);
	check_ctl(data, size);
	run(&in);
	return 0;
}
