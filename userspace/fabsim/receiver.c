// SPDX-License-Identifier: GPL-2.0
/*
 * The receiving side of a QP: sequence, ACKs and NAKs; and the notification point, which answers CE.
 *
 * As in RoCE a gap is reported once: no further NAK until the missing packet has come. CE is answered by CNPs, packets of
 * their own, at most one per np_min_time_between_cnps and QP; or, as HPCC's simulator does, by a bit on the next ACK.
 */
#include "fabsim.h"

static struct pkt *reply(struct sim *s, struct flow *f, enum pkt_kind kind)
{
	struct pkt *k = pkt_alloc(s);

	*k = (struct pkt){ .kind = kind, .flow = f->index, .bytes = s->opts->ack_bytes, .psn = f->expected };
	return k;
}

/* An ACK or a NAK for everything before the number that is expected, because @data came. */
static void acknowledge(struct sim *s, struct flow *f, enum pkt_kind kind, const struct pkt *data)
{
	struct pkt *k = reply(s, f, kind);

	k->sent_ps = data->sent_ps;
	k->flags = data->flags & PKT_RESENT;
	k->acked = f->acked;
	k->marked = f->marked;
	if (s->opts->cnp_echo && f->marked) {
		k->flags |= PKT_ECHO;
		s->counts.cnps_sent++;
	}
	f->acked = 0;
	f->marked = 0;
	s->counts.acks += kind == PKT_ACK;
	s->counts.naks += kind == PKT_NAK;
	host_send(s, f->to, k);
}

static void notify(struct sim *s, struct flow *f)
{
	if (s->now_ps < f->cnp_ps)
		return;
	f->cnp_ps = s->now_ps + RCC_VALUES(np, &s->np)->np_min_time_between_cnps * PS_PER_US;
	s->counts.cnps_sent++;
	host_send(s, f->to, reply(s, f, PKT_CNP));
}

static void count(struct sim *s, struct flow *f, const struct pkt *k)
{
	bool ce = k->flags & PKT_CE;

	s->counts.data_received++;
	f->acked += f->acked < 0xffff;
	f->marked += ce && f->marked < 0xffff;
	if (ce && !s->opts->cnp_echo)
		notify(s, f);
}

/**
 * receiver_take() - a packet of data came
 * @s: the simulation
 * @f: its flow
 * @k: the packet
 */
void receiver_take(struct sim *s, struct flow *f, struct pkt *k)
{
	count(s, f, k);
	if (k->psn == f->expected) {
		f->expected++;
		f->delivered += k->bytes - s->opts->header_bytes;
		f->nak_sent = false;
	} else if (k->psn > f->expected) {
		if (!f->nak_sent)
			acknowledge(s, f, PKT_NAK, k);
		f->nak_sent = true;
		return;
	}
	if (k->flags & PKT_ACKREQ)
		acknowledge(s, f, PKT_ACK, k);
}
