// SPDX-License-Identifier: GPL-2.0
/*
 * The sending side of a QP with one message: departure times, windows, and go-back-N as RoCE NICs and rxe have it.
 *
 *	     una        nxt       max                 packets
 *	------|----------|---------|---------------------|
 *	 acked  in flight  resent?          never sent
 *
 * A NAK or a timeout sets nxt back to una. Until an ACK comes after that, NAKs say nothing new and are ignored.
 */
#include "fabsim.h"

/**
 * flow_wire_bytes() - size of a packet
 * @s: the simulation
 * @f: the flow
 * @psn: the packet's number
 *
 * Return: bytes on the wire.
 */
u32 flow_wire_bytes(const struct sim *s, const struct flow *f, u32 psn)
{
	const struct opts *o = s->opts;

	if (f->bytes != NEVER && psn == f->packets - 1)
		return f->bytes - (u64)psn * o->mtu_bytes + o->header_bytes;
	return o->mtu_bytes + o->header_bytes;
}

/**
 * flow_span_bytes() - size of several packets
 * @s: the simulation
 * @f: the flow
 * @from: the first
 * @to: the one after the last
 *
 * Return: bytes on the wire.
 */
u64 flow_span_bytes(const struct sim *s, const struct flow *f, u32 from, u32 to)
{
	u32 full = s->opts->mtu_bytes + s->opts->header_bytes;

	if (from == to)
		return 0;
	return (u64)(to - from - 1) * full + flow_wire_bytes(s, f, to - 1);
}

/**
 * flow_departs_ps() - when the pacer lets the next packet go
 * @f: the flow
 *
 * At the line's rate or above the NIC alone holds it back.
 *
 * Return: the time, perhaps a past one.
 */
u64 flow_departs_ps(const struct flow *f)
{
	return f->paced ? f->gap.next_ns * PS_PER_NS : 0;
}

/* Would the windows let one more packet go if everything up to @nxt were sent? */
static bool window_open(const struct sim *s, const struct flow *f, u32 nxt)
{
	if (s->opts->window_psn && nxt - f->una >= s->opts->window_psn)
		return false;
	if (!f->decision.cwnd_bytes)
		return true;
	return rcc_window_open(f->decision.cwnd_bytes, flow_span_bytes(s, f, f->una, nxt), flow_wire_bytes(s, f, nxt));
}

static bool has_work(const struct sim *s, const struct flow *f)
{
	return f->state != FLOW_DONE && f->nxt < f->packets && window_open(s, f, f->nxt);
}

/**
 * flow_may_send() - may a packet leave now?
 * @s: the simulation
 * @f: a flow that has started
 *
 * Return: true if there is one, the windows are open and its time has come.
 */
bool flow_may_send(const struct sim *s, const struct flow *f)
{
	return has_work(s, f) && flow_departs_ps(f) <= s->now_ps;
}

/**
 * flow_schedule() - find out what a flow waits for
 * @s: the simulation
 * @f: the flow; something about it may have changed
 */
void flow_schedule(struct sim *s, struct flow *f)
{
	u64 departs_ps = flow_departs_ps(f);

	if (f->state != FLOW_PACED && f->state != FLOW_BLOCKED)
		return;
	timer_stop(&f->pace);
	f->state = FLOW_BLOCKED;
	if (!has_work(s, f))
		return;
	if (departs_ps > rcc_max64(s->now_ps, f->port->free_ps)) {
		f->state = FLOW_PACED;
		timer_arm(s, &f->pace, departs_ps);
		return;
	}
	host_ready(s, f);
	host_kick(s, f->port);
}

/*
 * Account for the departure. What is late by less than a packet waited for the pacer, and the rate is kept in the mean. What
 * is later had no work or waited for other flows of the NIC: that time is gone.
 */
static void pace_sent(struct sim *s, struct flow *f, u32 bytes)
{
	u64 now_ns = sim_ns(s);
	u64 late_ns;

	if (!f->paced)
		f->gap.next_ns = now_ns;
	late_ns = now_ns - rcc_min64(f->gap.next_ns, now_ns);
	rcc_pace_sent(&f->gap, now_ns, bytes, late_ns * PS_PER_NS <= link_ser_ps(s, f->port, bytes));
}

/* An ACK is asked for now and then, at the end, and when nothing more may leave without it. */
static bool wants_ack(const struct sim *s, const struct flow *f, u32 psn)
{
	return (psn + 1) % s->opts->ack_every == 0 || psn + 1 == f->packets || !window_open(s, f, psn + 1);
}

/**
 * flow_emit() - make the next packet
 * @s: the simulation
 * @f: a flow that may send and does not stand in line
 *
 * Return: the packet, which leaves now.
 */
struct pkt *flow_emit(struct sim *s, struct flow *f)
{
	struct pkt *k = pkt_alloc(s);
	u32 psn = f->nxt;
	struct rcc_event ev;

	*k = (struct pkt){
		.kind = PKT_DATA, .flow = f->index, .psn = psn, .sent_ps = s->now_ps,
		.bytes = flow_wire_bytes(s, f, psn),
		.flags = (psn < f->max ? PKT_RESENT : 0) | (wants_ack(s, f, psn) ? PKT_ACKREQ : 0),
	};
	f->state = FLOW_BLOCKED;
	f->nxt = psn + 1;
	s->counts.resent += psn < f->max;
	f->max = rcc_max64(f->max, f->nxt);
	s->counts.data_sent++;
	pace_sent(s, f, k->bytes);
	if (!timer_armed(&f->rto))
		timer_arm(s, &f->rto, s->now_ps + s->opts->rto_ps);
	ev = (struct rcc_event){ .type = RCC_EV_TX, .bytes = k->bytes, .packets = 1 };
	cc_event(s, f, &ev);
	return k;
}

static void flow_done(struct sim *s, struct flow *f)
{
	f->state = FLOW_DONE;
	f->done_ps = s->now_ps;
	timer_stop(&f->pace);
	timer_stop(&f->rto);
	timer_stop(&f->alg);
	if (f->bytes == NEVER)
		return;
	if (!--s->running && !s->opts->duration_ps)
		s->end_ps = s->now_ps;
}

/**
 * flow_stop() - a flow leaves before its end
 * @s: the simulation
 * @f: the flow; nothing happens if it is done
 */
void flow_stop(struct sim *s, struct flow *f)
{
	if (f->state == FLOW_DONE)
		return;
	f->stopped = true;
	flow_done(s, f);
}

static void cnp_handle(struct sim *s, struct flow *f)
{
	struct rcc_event ev = { .type = RCC_EV_CNP };

	s->counts.cnps_handled++;
	cc_event(s, f, &ev);
}

/* What an ACK, or a NAK, says of everything before its number. */
static void progress(struct sim *s, struct flow *f, const struct pkt *k)
{
	u64 rtt_ns = (s->now_ps - k->sent_ps) / PS_PER_NS;
	struct rcc_event ev = {
		.type = RCC_EV_ACK,
		.bytes = rcc_min64(flow_span_bytes(s, f, f->una, k->psn), 0xffffffff),
		.packets = k->psn - f->una,
		.rtt_ns = k->flags & PKT_RESENT ? 0 : rtt_ns,
		.fabric_ns = k->flags & PKT_RESENT ? 0 : rtt_ns,
		.ce_permille = s->opts->cnp_echo && k->acked ? 1000 * k->marked / k->acked : 0,
	};

	f->una = k->psn;
	f->nxt = rcc_max64(f->nxt, f->una);
	f->recovering = false;
	timer_stop(&f->rto);
	if (f->una < f->nxt)
		timer_arm(s, &f->rto, s->now_ps + s->opts->rto_ps);
	cc_event(s, f, &ev);
}

/* Go back; nothing is known to be in flight any more. */
static void go_back(struct sim *s, struct flow *f, u32 type)
{
	struct rcc_event ev = { .type = type };

	f->recovering = true;
	f->nxt = f->una;
	cc_event(s, f, &ev);
}

/**
 * flow_receive() - an ACK, NAK or CNP came
 * @s: the simulation
 * @f: the flow
 * @k: the packet
 */
void flow_receive(struct sim *s, struct flow *f, const struct pkt *k)
{
	bool cnp = k->kind == PKT_CNP || k->flags & PKT_ECHO;

	if (f->state == FLOW_DONE) {
		s->counts.cnps_ignored += cnp;
		return;
	}
	if (k->kind != PKT_CNP && k->psn > f->una)
		progress(s, f, k);
	if (k->kind == PKT_NAK && !f->recovering)
		go_back(s, f, RCC_EV_NACK);
	if (cnp)
		cnp_handle(s, f);
	if (f->una == f->packets)
		flow_done(s, f);
	else
		flow_schedule(s, f);
}

static void flow_timeout(struct sim *s, struct timer *t)
{
	struct flow *f = container_of(t, struct flow, rto);

	if (f->una == f->nxt)
		return;
	s->counts.timeouts++;
	go_back(s, f, RCC_EV_TIMEOUT);
	flow_schedule(s, f);
}

/* The start, and later each departure time that the NIC has not reached by itself. */
static void flow_pace(struct sim *s, struct timer *t)
{
	struct flow *f = container_of(t, struct flow, pace);

	if (f->state == FLOW_NEW) {
		cc_init(s, f);
		f->state = FLOW_BLOCKED;
	}
	flow_schedule(s, f);
}

/**
 * flow_init() - get a flow ready whose ends, size and start are known
 * @s: the simulation
 * @f: the flow
 */
void flow_init(struct sim *s, struct flow *f)
{
	f->state = FLOW_NEW;
	f->done_ps = NEVER;
	f->packets = 0xffffffff;
	if (f->bytes != NEVER) {
		f->packets = (f->bytes + s->opts->mtu_bytes - 1) / s->opts->mtu_bytes;
		s->running++;
	}
	timer_init(s, &f->pace, flow_pace);
	timer_init(s, &f->rto, flow_timeout);
	timer_init(s, &f->alg, cc_timer);
	timer_arm(s, &f->pace, f->start_ps);
}
