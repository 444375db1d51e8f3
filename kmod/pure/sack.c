// SPDX-License-Identifier: GPL-2.0
/*
 * Which packets have come, and which are lost. See sack.h.
 *
 * How long a packet may be on its way, from when it left last (at most max_wait_ns, or two round trips if they are longer):
 *
 *	own	srtt + max(reo, 2 rttvar) of its path		something that left later by the same path has come
 *	other	max(srtt of its path, srtt) + 4 rttvar + reo	the same by another path
 *	silent	other + what the peer may hold a SACK back, doubled each time	nothing that left later has come; the oldest only
 *
 * The slack doubles with each time that the packet was sent again. reo begins at two milliseconds or a round trip, whichever is
 * longer; it becomes a quarter more than the longest lateness of a packet that was overtaken, doubles (once per round trip)
 * when a repeat was for nothing, and shrinks by 1/512 per round trip (or 2 ms, if longer) otherwise, by 1/64 as long as nothing
 * was learnt; it stays between max(srtt / 4, RCC_SACK_DELAY_NS) and half of max_wait_ns.
 *
 * Where nothing was heard for half a millisecond, "own" and "other" wait for the next SACK, or as long as "silent".
 *
 * All packets are looked at only when the first of them could be lost at all. Where one's time has come, but no evidence has,
 * its path is noted as unsure, and the next packet that comes by it has all looked at again.
 */
#include "sack.h"
#include "seqbits.h"

#define FIRST_RTT_NS	8000000ULL	/* before anything is measured */
#define FIRST_REO_NS	2000000ULL
#define DECAY_NS	2000000ULL	/* reo shrinks at most that often */
#define DECAY_SHIFT	9
#define FIRST_DECAY_SHIFT 6		/* while it is only what we began with */
#define FRESH_NS	(2 * RCC_SACK_DELAY_NS)	/* while packets come, so often there is news of them */
#define FLIGHT_MAX_NS	1000000000ULL	/* an echo of a packet that left longer ago is no news */
#define BACKOFF_MAX	6		/* doublings */
#define CE_BACK		64		/* CE is told of so many packets before the cumulative number */

static struct rcc_sack_ent *ent_of(struct rcc_sack *s, u32 seq)
{
	return &s->ent[seq % RCC_LINK_WINDOW];
}

static u64 srtt_of(const struct rcc_sack *s, u32 path)
{
	if (s->path[path].srtt_ns)
		return s->path[path].srtt_ns;
	return s->srtt_ns ? s->srtt_ns : rcc_min64(FIRST_RTT_NS, s->max_wait_ns);
}

static u64 backed_off(const struct rcc_sack_ent *e, u64 slack_ns)
{
	return slack_ns << rcc_min64(e->tries - 1, BACKOFF_MAX);
}

/* A wait that is shorter than the round trip would have every packet lost. */
static u64 cap(const struct rcc_sack *s, u32 path, u64 wait_ns)
{
	u64 srtt = rcc_max64(s->path[path].srtt_ns, s->srtt_ns);

	return rcc_min64(wait_ns, rcc_max64(s->max_wait_ns, 2 * srtt));
}

static u64 own_deadline(const struct rcc_sack *s, const struct rcc_sack_ent *e)
{
	u64 slack = rcc_max64(s->reo_ns, 2 * s->path[e->path].rttvar_ns);

	return e->sent_ns + cap(s, e->path, srtt_of(s, e->path) + backed_off(e, slack));
}

/* the same, with the deviation of round trips of all paths */
static u64 wide_srtt_of(const struct rcc_sack *s, u32 path)
{
	return rcc_max64(srtt_of(s, path), s->srtt_ns) + 4 * s->rttvar_ns;
}

static u64 other_wait(const struct rcc_sack *s, const struct rcc_sack_ent *e)
{
	return wide_srtt_of(s, e->path) + backed_off(e, s->reo_ns);
}

static u64 other_deadline(const struct rcc_sack *s, const struct rcc_sack_ent *e)
{
	return e->sent_ns + cap(s, e->path, other_wait(s, e));
}

/* Each time that silence has cost a packet, the next one is given twice as long, from then on. */
static u64 silent_deadline(const struct rcc_sack *s, const struct rcc_sack_ent *e)
{
	u64 wait = other_wait(s, e) + (e->ack ? RCC_SACK_ACK_DELAY_NS : RCC_SACK_IDLE_NS);

	u64 deadline = rcc_max64(e->sent_ns, s->silence_ns) + cap(s, e->path, wait << s->silences);

	return rcc_max64(deadline, own_deadline(s, e));
}

/**
 * rcc_sack_init() - begin a session
 * @s: the window; whatever it kept must be gone
 * @first: number of the first packet
 * @max_wait_ns: longest wait before a packet is taken for lost
 */
void rcc_sack_init(struct rcc_sack *s, u32 first, u64 max_wait_ns)
{
	memset(s, 0, sizeof(*s));
	s->una = first;
	s->nxt = first;
	s->max_wait_ns = max_wait_ns;
	s->reo_ns = rcc_min64(FIRST_REO_NS, max_wait_ns / 2);
	s->due_ns = RCC_SACK_NEVER;
}

/* A packet that leaves while others fly is seldom the first that could be found lost, and if so, they are looked at first. */
static void fly(struct rcc_sack *s, struct rcc_sack_ent *e, u64 now_ns, u32 path)
{
	e->sent_ns = now_ns;
	e->path = path;
	e->state = RCC_SACK_FLYING;
	s->flying_bytes += e->bytes;
	if (!s->flying++)
		s->due_ns = own_deadline(s, e);
}

static void land(struct rcc_sack *s, struct rcc_sack_ent *e)
{
	s->flying_bytes -= e->bytes;
	if (--s->flying)
		return;
	s->due_ns = RCC_SACK_NEVER;
	s->looking = false;
}

/**
 * rcc_sack_sent() - a packet leaves
 * @s: the window, with room
 * @now_ns: time
 * @pkt: what is kept of it; NULL: nothing, so it cannot be sent again
 * @bytes: on the wire
 * @path: by which path
 * @ack: it is an ACK
 *
 * Return: its number.
 */
u32 rcc_sack_sent(struct rcc_sack *s, u64 now_ns, void *pkt, u32 bytes, u32 path, bool ack)
{
	struct rcc_sack_ent *e = ent_of(s, s->nxt);

	e->pkt = pkt;
	e->bytes = bytes;
	e->tries = 1;
	e->ack = ack;
	rcc_seqbit_clear(s->come, RCC_LINK_WORDS, s->nxt);
	rcc_seqbit_clear(s->untold, RCC_LINK_WORDS, s->nxt);
	fly(s, e, now_ns, path);
	return s->nxt++;
}

/* Is all that a SACK says of packets that have been sent? */
static bool plausible(const struct rcc_sack *s, const struct rcc_sack_msg *m)
{
	u32 ahead = s->nxt - m->cum, w;

	if ((s32)ahead < 0)
		return false;
	for (w = ahead / 64; w < m->words; w++) {
		u64 sent = w == ahead / 64 ? (1ULL << ahead % 64) - 1 : 0;

		if (m->rcvd[w] & ~sent)
			return false;
	}
	return true;
}

static void set_reo(struct rcc_sack *s, u64 reo_ns)
{
	u64 least = rcc_max64(s->srtt_ns / 4, RCC_SACK_DELAY_NS);

	s->reo_ns = rcc_min64(rcc_max64(reo_ns, least), s->max_wait_ns / 2);
}

/* A packet came that late although one that left after it had come before. */
static void learn_late(struct rcc_sack *s, u64 flight_ns, u64 srtt_ns)
{
	u64 late = flight_ns > srtt_ns ? flight_ns - srtt_ns : 0;

	if (late + late / 4 <= s->reo_ns)
		return;
	s->reordered = true;
	set_reo(s, late + late / 4);
}

static void smooth(u64 *srtt_ns, u64 *rttvar_ns, u64 rtt_ns, u64 first_rttvar_ns)
{
	u64 diff = rtt_ns > *srtt_ns ? rtt_ns - *srtt_ns : *srtt_ns - rtt_ns;

	if (!*srtt_ns) {
		*srtt_ns = rtt_ns;
		*rttvar_ns = first_rttvar_ns;
		return;
	}
	*rttvar_ns += diff / 4 - *rttvar_ns / 4;
	*srtt_ns += rtt_ns / 8 - *srtt_ns / 8;
}

static void sample(struct rcc_sack *s, u32 path, u64 rtt_ns)
{
	if (!s->min_rtt_ns || rtt_ns < s->min_rtt_ns)
		s->min_rtt_ns = rtt_ns;
	if (!s->srtt_ns)
		set_reo(s, rcc_max64(s->reo_ns, rtt_ns));
	smooth(&s->srtt_ns, &s->rttvar_ns, rtt_ns, rtt_ns / 2);
	smooth(&s->path[path].srtt_ns, &s->path[path].rttvar_ns, rtt_ns, s->rttvar_ns);
}

static void decay(struct rcc_sack *s, u64 now_ns)
{
	if (now_ns < s->decay_ns)
		return;
	s->decay_ns = now_ns + rcc_max64(s->srtt_ns, DECAY_NS);
	set_reo(s, s->reo_ns - (s->reo_ns >> (s->reordered ? DECAY_SHIFT : FIRST_DECAY_SHIFT)));
}

/* The packet that a SACK echoes, if it was sent lately. */
static struct rcc_sack_ent *echoed(struct rcc_sack *s, const struct rcc_sack_msg *m)
{
	struct rcc_sack_ent *e = ent_of(s, m->echo_seq);

	return s->nxt - m->echo_seq - 1 < RCC_LINK_WINDOW && e->tries ? e : NULL;
}

static void measure(struct rcc_sack *s, u64 now_ns, const struct rcc_sack_msg *m, const struct rcc_sack_ent *e,
		    struct rcc_sack_news *news)
{
	u64 flight = now_ns - e->sent_ns;

	if ((u32)e->sent_ns != m->echo_time_ns || flight <= m->delay_ns || flight > FLIGHT_MAX_NS)
		return;
	news->rtt_ns = flight - m->delay_ns;
	news->rtt_path = e->path;
	sample(s, e->path, news->rtt_ns);
	decay(s, now_ns);
}

/*
 * More packets have come twice. The one that is echoed is one of them, so if it was sent again, that was for nothing; if not,
 * the network makes copies. An echo of its first sending tells how late that was.
 */
static void count_twice(struct rcc_sack *s, u64 now_ns, const struct rcc_sack_msg *m, const struct rcc_sack_ent *e,
			struct rcc_sack_news *news)
{
	u32 dups = m->dups - s->dups, flight = (u32)now_ns - m->echo_time_ns - m->delay_ns;

	if ((s32)dups <= 0)
		return;
	s->dups = m->dups;
	if (!e || e->tries < 2)
		return;
	news->spurious = rcc_min64(dups, RCC_LINK_WINDOW);
	if ((u32)e->sent_ns != m->echo_time_ns && (s32)flight > 0)
		learn_late(s, flight, srtt_of(s, e->path));
	if (now_ns < s->widen_ns)
		return;
	s->widen_ns = now_ns + s->srtt_ns;
	s->reordered = true;
	set_reo(s, 2 * s->reo_ns);
}

/* The peer has said something: what only waited for that may be lost now. */
static void hear(struct rcc_sack *s, u64 now_ns)
{
	s->heard_ns = now_ns;
	if (s->flying && s->unsure == ~0ULL)
		s->due_ns = rcc_min64(s->due_ns, now_ns);
}

/**
 * rcc_sack_take() - a SACK came
 * @s: the window
 * @now_ns: time
 * @m: what it says
 * @news: filled in
 *
 * First this, then rcc_sack_done() until it returns false, then rcc_sack_lost() likewise. SACKs may be old, or come in any
 * order.
 *
 * Return: true; false if it speaks of packets that were never sent: then it is worth nothing, and nothing has changed.
 */
bool rcc_sack_take(struct rcc_sack *s, u64 now_ns, const struct rcc_sack_msg *m, struct rcc_sack_news *news)
{
	struct rcc_sack_ent *e = echoed(s, m);

	memset(news, 0, sizeof(*news));
	if (!plausible(s, m))
		return false;
	hear(s, now_ns);
	if (e)
		measure(s, now_ns, m, e, news);
	count_twice(s, now_ns, m, e, news);
	return true;
}

/* What the coming of a packet says of others. One that came too soon for its last sending says nothing. */
static void evidence(struct rcc_sack *s, u64 now_ns, const struct rcc_sack_ent *e)
{
	struct rcc_sack_path *p = &s->path[e->path];

	if (e->tries > 1 && now_ns - e->sent_ns < s->min_rtt_ns)
		return;
	if (e->sent_ns < s->newest_ns && e->tries == 1)
		learn_late(s, now_ns - e->sent_ns, e->sent_ns < p->newest_ns ? srtt_of(s, e->path) : wide_srtt_of(s, e->path));
	p->newest_ns = rcc_max64(p->newest_ns, e->sent_ns);
	s->newest_ns = rcc_max64(s->newest_ns, e->sent_ns);
	s->silences = 0;
	if (s->flying && s->unsure >> e->path & 1)
		s->due_ns = rcc_min64(s->due_ns, now_ns);
}

static void come(struct rcc_sack *s, u64 now_ns, u32 seq, struct rcc_sack_done *done)
{
	struct rcc_sack_ent *e = ent_of(s, seq);

	done->pkt = e->pkt;
	done->bytes = e->bytes;
	done->path = e->path;
	done->ce = false;
	evidence(s, now_ns, e);
	if (e->state == RCC_SACK_FLYING) {
		land(s, e);
	} else if (e->state == RCC_SACK_LOST) {
		s->lost--;
		rcc_seqbit_clear(s->again, RCC_LINK_WORDS, seq);
	}
	e->pkt = NULL;
	e->state = RCC_SACK_CAME;
	s->looking = false;
	rcc_seqbit_set(s->come, RCC_LINK_WORDS, seq);
}

/* Those of @base to @base + 63 that have come. */
static u64 known(const struct rcc_sack *s, u32 base)
{
	s32 before = s->una - base;

	if (before >= 64)
		return ~0ULL;
	return rcc_seqbit_word(s->come, RCC_LINK_WORDS, base) | (before > 0 ? (1ULL << before) - 1 : 0);
}

/* Move on over what has come, up to @cum at most: the first that had not, or @cum. */
static u32 pass(struct rcc_sack *s, u32 cum)
{
	while (rcc_seq_before(s->una, cum) && ent_of(s, s->una)->state == RCC_SACK_CAME)
		s->una++;
	return s->una;
}

static bool ce_of(const struct rcc_sack_msg *m, u32 seq)
{
	u32 i = seq - (m->cum - CE_BACK);

	return i < 64 * (m->words + 1) && m->ce[i / 64] >> i % 64 & 1;
}

/* The next packet that the bitmap says has come, which was not known. */
static bool next_bit(const struct rcc_sack *s, const struct rcc_sack_msg *m, u32 *at, u32 *seq)
{
	for (; *at < m->words; ++*at) {
		u32 base = m->cum + 64 * *at;
		u64 fresh = m->rcvd[*at] & ~known(s, base);

		if (fresh) {
			*seq = base + __builtin_ctzll(fresh);
			return true;
		}
	}
	return false;
}

/* The next packet that came with CE and was taken by a trailer's ack, which could not say so. */
static bool late_ce(struct rcc_sack *s, const struct rcc_sack_msg *m, struct rcc_sack_done *done)
{
	u32 base = m->cum - CE_BACK;
	u64 marks;

	/* of older packets the ring knows nothing any more */
	if (s->nxt - base > RCC_LINK_WINDOW)
		return false;
	marks = m->ce[0] & rcc_seqbit_word(s->untold, RCC_LINK_WORDS, base);
	if (!marks)
		return false;
	base += __builtin_ctzll(marks);
	rcc_seqbit_clear(s->untold, RCC_LINK_WORDS, base);
	*done = (struct rcc_sack_done) { .path = ent_of(s, base)->path, .ce = true };
	return true;
}

/**
 * rcc_sack_done() - the next packet that has come, as a SACK says
 * @s: the window
 * @now_ns: time
 * @m: a SACK that rcc_sack_take() has taken
 * @at: how far it was read; 0 at first
 * @done: filled in; CE is not known, and false, of packets further than 64 before the SACK's cumulative number. Without packet
 *	and bytes: one that rcc_sack_cum() has given before, of which it is now known that it came with CE
 *
 * Return: true if there is one, false at the end.
 */
bool rcc_sack_done(struct rcc_sack *s, u64 now_ns, const struct rcc_sack_msg *m, u32 *at, struct rcc_sack_done *done)
{
	u32 seq = pass(s, m->cum);

	if (!rcc_seq_before(seq, m->cum) && !next_bit(s, m, at, &seq)) {
		pass(s, s->nxt);
		return late_ce(s, m, done);
	}
	come(s, now_ns, seq, done);
	done->ce = ce_of(m, seq);
	return true;
}

/**
 * rcc_sack_cum() - the next packet that has come, as the ack in a trailer says
 * @s: the window
 * @now_ns: time
 * @ack: from the trailer; one of a packet that was never sent changes nothing
 * @done: filled in, without CE: if it came with CE, a SACK will say so, and rcc_sack_done() then
 *
 * Return: true if there is one, false at the end.
 */
bool rcc_sack_cum(struct rcc_sack *s, u64 now_ns, u32 ack, struct rcc_sack_done *done)
{
	u32 seq;

	if (rcc_seq_before(s->nxt, ack))
		return false;
	hear(s, now_ns);
	seq = pass(s, ack);
	if (!rcc_seq_before(seq, ack)) {
		pass(s, s->nxt);
		return false;
	}
	come(s, now_ns, seq, done);
	rcc_seqbit_set(s->untold, RCC_LINK_WORDS, seq);
	return true;
}

/* The packet does not fly any longer. One that was not kept waits for nothing but the receiver to give up. */
static void lose(struct rcc_sack *s, u32 seq, bool timeout, struct rcc_sack_loss *loss)
{
	struct rcc_sack_ent *e = ent_of(s, seq);

	loss->seq = seq;
	loss->path = e->path;
	loss->timeout = timeout;
	e->state = RCC_SACK_GONE;
	if (e->pkt) {
		e->state = RCC_SACK_LOST;
		s->lost++;
		rcc_seqbit_set(s->again, RCC_LINK_WORDS, seq);
	}
	land(s, e);
}

/* Is there evidence that a flying packet is lost? If not, note when there might be. */
static bool is_lost(struct rcc_sack *s, u64 now_ns, const struct rcc_sack_ent *e)
{
	u64 deadline = own_deadline(s, e);

	if (now_ns >= deadline && s->path[e->path].newest_ns <= e->sent_ns) {
		s->unsure |= 1ULL << e->path;
		deadline = other_deadline(s, e);
	}
	/* a host that has stood still has not read yet what came meanwhile */
	if (now_ns >= deadline && now_ns - s->heard_ns > FRESH_NS) {
		s->unsure = ~0ULL;
		deadline = silent_deadline(s, e);
	}
	if (now_ns >= deadline)
		return true;
	s->look_due_ns = rcc_min64(s->look_due_ns, deadline);
	return false;
}

static void note_oldest(struct rcc_sack *s, const struct rcc_sack_ent *e)
{
	if (e->sent_ns >= s->oldest_ns)
		return;
	s->oldest_ns = e->sent_ns;
	s->oldest = s->look;
}

/*
 * Look at what flies, from where the last look has stopped. Of a packet that left after all that have come nothing tells before
 * the next one comes; nor of those with higher numbers, which have left later, for the first or for the last time.
 */
static bool look(struct rcc_sack *s, u64 now_ns, u32 *seq)
{
	for (; s->look != s->nxt; s->look++) {
		const struct rcc_sack_ent *e = ent_of(s, s->look);

		if (e->state != RCC_SACK_FLYING)
			continue;
		if (e->sent_ns < s->newest_ns && is_lost(s, now_ns, e)) {
			*seq = s->look++;
			return true;
		}
		note_oldest(s, e);
		if (e->sent_ns < s->newest_ns)
			continue;
		if (now_ns < own_deadline(s, e))
			s->look_due_ns = rcc_min64(s->look_due_ns, own_deadline(s, e));
		else
			s->unsure = ~0ULL;
		if (e->tries == 1)
			s->look = s->nxt - 1;
	}
	return false;
}

static void look_from_start(struct rcc_sack *s)
{
	s->looking = true;
	s->look = s->una;
	s->look_due_ns = RCC_SACK_NEVER;
	s->oldest_ns = RCC_SACK_NEVER;
	s->unsure = 0;
}

/* All were looked at, and @oldest is the one that left first. Has nothing later come, for so long that it must be lost? */
static bool silence(struct rcc_sack *s, u64 now_ns)
{
	u64 deadline;

	s->looking = false;
	s->due_ns = s->look_due_ns;
	if (s->oldest_ns == RCC_SACK_NEVER || s->newest_ns > s->oldest_ns)
		return false;
	deadline = silent_deadline(s, ent_of(s, s->oldest));
	s->due_ns = rcc_min64(s->due_ns, deadline);
	if (now_ns < deadline)
		return false;
	s->silence_ns = now_ns;
	s->silences += s->silences < BACKOFF_MAX;
	return true;
}

/**
 * rcc_sack_lost() - the next packet that is lost
 * @s: the window
 * @now_ns: time
 * @loss: filled in
 *
 * To be called after each SACK, and when @s->due_ns has come, until it returns false.
 *
 * Return: true if there is one.
 */
bool rcc_sack_lost(struct rcc_sack *s, u64 now_ns, struct rcc_sack_loss *loss)
{
	u32 seq;

	if (now_ns < s->due_ns)
		return false;
	if (!s->looking)
		look_from_start(s);
	if (look(s, now_ns, &seq)) {
		lose(s, seq, false, loss);
		return true;
	}
	if (silence(s, now_ns)) {
		lose(s, s->oldest, true, loss);
		return true;
	}
	return false;
}

/**
 * rcc_sack_repeat() - the packet that is to be sent again first
 * @s: the window
 * @seq: set to its number
 *
 * Return: it, or NULL: none. It stays the first until rcc_sack_repeated() or a SACK says otherwise.
 */
struct rcc_sack_ent *rcc_sack_repeat(struct rcc_sack *s, u32 *seq)
{
	u64 word = 0;

	if (!s->lost)
		return NULL;
	for (*seq = s->una; !word; *seq += word ? __builtin_ctzll(word) : 64)
		word = rcc_seqbit_word(s->again, RCC_LINK_WORDS, *seq);
	return ent_of(s, *seq);
}

/**
 * rcc_sack_repeated() - a lost packet was sent again
 * @s: the window
 * @now_ns: time
 * @seq: its number
 * @path: by which path
 */
void rcc_sack_repeated(struct rcc_sack *s, u64 now_ns, u32 seq, u32 path)
{
	struct rcc_sack_ent *e = ent_of(s, seq);
	u64 deadline;

	if (e->state != RCC_SACK_LOST)
		return;
	s->lost--;
	rcc_seqbit_clear(s->again, RCC_LINK_WORDS, seq);
	e->tries += e->tries < 255;
	fly(s, e, now_ns, path);
	deadline = own_deadline(s, e);
	s->due_ns = rcc_min64(s->due_ns, deadline);
	s->look_due_ns = rcc_min64(s->look_due_ns, deadline);
}

/**
 * rcc_sack_purge() - forget all packets at a session's end
 * @s: the window
 *
 * Return: the caller's packet again, lowest number first, or NULL: no more is kept.
 */
void *rcc_sack_purge(struct rcc_sack *s)
{
	struct rcc_sack_done done = { .pkt = NULL };

	while (!done.pkt && pass(s, s->nxt) != s->nxt)
		come(s, 0, s->una, &done);
	return done.pkt;
}
