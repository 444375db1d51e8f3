// SPDX-License-Identifier: GPL-2.0
/* Puts packets in order, and says what has come. See reorder.h. */
#include "reorder.h"
#include "seqbits.h"

/* A packet that far behind the window may still be a late or repeated one of this session. */
#define BEHIND	(2 * RCC_LINK_WINDOW)

/* CE is told of so many packets that have gone already. */
#define CE_BACK	64

static union rcc_reorder_slot *slot_of(struct rcc_reorder *r, u32 seq)
{
	return &r->slot[seq % RCC_LINK_WINDOW];
}

static bool has_come(const struct rcc_reorder *r, u32 seq)
{
	return rcc_seqbit_test(r->rcvd, RCC_LINK_WORDS, seq);
}

/* The window moves on by one. The word of CE bits that it now begins to reach has those of long ago. */
static void advance(struct rcc_reorder *r)
{
	if (r->high == r->next)
		r->high++;
	r->next++;
	if (!(r->next % 64))
		r->ce[(r->next / 64 + RCC_LINK_WORDS) % RCC_REORDER_CE_WORDS] = 0;
}

/* Take the packet at @next out of the window. NULL: it went early. */
static void *leave(struct rcc_reorder *r)
{
	void *pkt = slot_of(r, r->next)->pkt;

	rcc_seqbit_clear(r->rcvd, RCC_LINK_WORDS, r->next);
	advance(r);
	if (pkt)
		r->waiting--;
	return pkt;
}

/**
 * rcc_reorder_init() - begin a session
 * @r: the window; whatever waited in it must be gone
 * @first: number of the first packet
 */
void rcc_reorder_init(struct rcc_reorder *r, u32 first)
{
	memset(r, 0, sizeof(*r));
	r->next = first;
	r->high = first;
}

/* What the sender can make a round trip of. */
static void note(struct rcc_reorder *r, u64 now_ns, const struct rcc_trailer *t)
{
	r->pending++;
	r->echo_seq = t->seq;
	r->echo_time_ns = t->time_ns;
	r->echo_at_ns = now_ns;
}

/* The sender learns most from an echo of what came twice, so this stays until it is told. */
static enum rcc_reorder_verdict twice(struct rcc_reorder *r, u64 now_ns, const struct rcc_trailer *t)
{
	note(r, now_ns, t);
	r->dups++;
	r->echo_twice = true;
	return RCC_REORDER_TWICE;
}

static void come(struct rcc_reorder *r, u64 now_ns, const struct rcc_trailer *t, bool ce)
{
	if (r->echo_twice)
		r->pending++;
	else
		note(r, now_ns, t);
	if (ce)
		rcc_seqbit_set(r->ce, RCC_REORDER_CE_WORDS, t->seq);
}

/* A packet beyond the gap at @next: those that it is the first to overtake are missing from now on. */
static void keep(struct rcc_reorder *r, u64 now_ns, u32 seq, void *pkt)
{
	if (r->high == r->next)
		r->gap_ns = now_ns;
	for (; rcc_seq_before(r->high, seq); r->high++)
		slot_of(r, r->high)->missed_ns = now_ns;
	if (r->high == seq)
		r->high++;
	rcc_seqbit_set(r->rcvd, RCC_LINK_WORDS, seq);
	slot_of(r, seq)->pkt = pkt;
	if (pkt)
		r->waiting++;
}

/**
 * rcc_reorder_add() - a packet has come
 * @r: the window
 * @now_ns: time
 * @t: its trailer
 * @ce: it came with CE
 * @pkt: the packet, not NULL; belongs to the window if the verdict is RCC_REORDER_WAIT, else to the caller
 *
 * After RCC_REORDER_NOW the caller hands on what rcc_reorder_pop() gives, until it gives NULL.
 *
 * A packet behind the window that is not more than twice its size behind has come twice, or its gap was given up. One still
 * further behind is none of this session, or so late that nobody counts it.
 *
 * Return: what to do with it.
 */
enum rcc_reorder_verdict rcc_reorder_add(struct rcc_reorder *r, u64 now_ns, const struct rcc_trailer *t, bool ce, void *pkt)
{
	u32 ahead = t->seq - r->next;

	if (ahead >= RCC_LINK_WINDOW)
		return r->next - t->seq <= BEHIND ? twice(r, now_ns, t) : RCC_REORDER_BEYOND;
	if (has_come(r, t->seq))
		return twice(r, now_ns, t);
	come(r, now_ns, t, ce);
	if (!ahead) {
		advance(r);
		return RCC_REORDER_NOW;
	}
	if (t->flags & RCC_TR_ACK) {
		keep(r, now_ns, t->seq, NULL);
		return RCC_REORDER_EARLY;
	}
	keep(r, now_ns, t->seq, pkt);
	return RCC_REORDER_WAIT;
}

/**
 * rcc_reorder_pop() - the next packet in order
 * @r: the window
 * @now_ns: time
 *
 * Packets that went early are passed over.
 *
 * Return: the caller's packet again, or NULL: the next one has not come.
 */
void *rcc_reorder_pop(struct rcc_reorder *r, u64 now_ns)
{
	void *pkt;

	while (has_come(r, r->next)) {
		pkt = leave(r);
		if (pkt)
			return pkt;
	}
	r->gap_ns = rcc_reorder_gap(r) ? slot_of(r, r->next)->missed_ns : 0;
	return NULL;
}

/**
 * rcc_reorder_give_up() - wait no longer for what is missing at the head of the window
 * @r: the window
 *
 * The caller hands on what rcc_reorder_pop() gives then.
 *
 * Return: how many packets were missing there.
 */
u32 rcc_reorder_give_up(struct rcc_reorder *r)
{
	u32 skipped = 0;

	while (rcc_reorder_gap(r) && !has_come(r, r->next)) {
		advance(r);
		skipped++;
	}
	return skipped;
}

/**
 * rcc_reorder_purge() - empty the window at a session's end
 * @r: the window
 *
 * Return: a packet that waited, lowest number first, or NULL: no more does.
 */
void *rcc_reorder_purge(struct rcc_reorder *r)
{
	void *pkt = NULL;

	while (!pkt && rcc_reorder_gap(r)) {
		if (has_come(r, r->next))
			pkt = leave(r);
		else
			advance(r);
	}
	r->gap_ns = 0;
	return pkt;
}

/**
 * rcc_reorder_report() - what has come, for the sender
 * @r: the window; counts packets for the next report from now on
 * @now_ns: time
 * @m: filled in
 */
void rcc_reorder_report(struct rcc_reorder *r, u64 now_ns, struct rcc_sack_msg *m)
{
	u32 i;

	m->cum = r->next;
	m->echo_seq = r->echo_seq;
	m->echo_time_ns = r->echo_time_ns;
	m->delay_ns = rcc_min64(now_ns - r->echo_at_ns, ~0U);
	m->dups = r->dups;
	m->words = (r->high - r->next + 63) / 64;
	for (i = 0; i < m->words; i++)
		m->rcvd[i] = rcc_seqbit_word(r->rcvd, RCC_LINK_WORDS, r->next + 64 * i);
	for (i = 0; i <= m->words; i++)
		m->ce[i] = rcc_seqbit_word(r->ce, RCC_REORDER_CE_WORDS, r->next - CE_BACK + 64 * i);
	r->pending = 0;
	r->echo_twice = false;
}
