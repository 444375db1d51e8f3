// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to each QP, written to the maps of telemetry.h.
 *
 *	from rdma_rxe, as its functions are called:
 *		rxe_create_qp, rxe_modify_qp, rxe_destroy_qp	birth, peer, death
 *		rxe_xmit_packet		a request's first packet: the work request is on its way; its last: a round trip begins
 *		rxe_comp_queue_pkt	ACK: the round trip ends; NAK
 *		do_complete		the work request is done: its latency
 *		retransmit_timer, rxe_qp_error
 *	from rxe_cc, by its tracepoints:
 *		cnp_rcvd, cnp_sent, cnp_ignored, ce, rate, hold, rtt
 *		qp_new, qp_del		where rxe_create_qp and rxe_destroy_qp are missing
 *
 * One object serves all kernels: the few fields that are read of their structs are found by BTF (CO-RE), and what is missing
 * is not loaded (userspace/rxecc/tm_load.c). Of rxe_cc's structs nothing is read, so that its events need no BTF.
 *
 * A packet in the middle of a request costs a call and a look at its opcode. A QP's record is looked up for a request's first
 * packet, its completion, an ACK; a histogram directly (telemetry_rec.h).
 */
#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/errno.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "../kmod/pure/psn.h"
#include "telemetry_rec.h"

char _license[] SEC("license") = "GPL";

/* of so many packets of a READ response one is looked at */
#define READ_LOOK	64
/* packets with CE that are farther apart have nothing to do with each other */
#define CE_GAP		65536

/* set by user space: round trips come from the module */
bool module_rtt;

static bool same(const struct tm_key *a, const struct tm_key *b)
{
	return a->dev == b->dev && a->qpn == b->qpn;
}

/* What a work request does; TM_OPS: nothing on the wire. */
static u32 op_of(u32 wr_opcode)
{
	switch (wr_opcode) {
	case 0:		/* write */
	case 1:		/* with immediate */
	case 14:	/* flush */
		return TM_OP_WRITE;
	case 2:		/* send */
	case 3:		/* with immediate */
	case 9:		/* with invalidate */
		return TM_OP_SEND;
	case 4:		/* read */
	case 11:	/* with invalidate */
		return TM_OP_READ;
	case 5:		/* compare and swap */
	case 6:		/* fetch and add */
	case 15:	/* atomic write */
		return TM_OP_ATOMIC;
	}
	return TM_OPS;
}

/* How many PSNs a work request takes. */
static u32 psns_of(struct rxe_qp *qp, struct rxe_pkt_info *pkt)
{
	u32 mtu = qp->mtu, bytes = pkt->wqe->dma.length;

	if (!(OP(pkt->opcode & OPCODE_MASK) & (SEND_FIRST | WRITE_FIRST | READ_REQUEST)))
		return 1;
	return mtu && bytes > mtu ? (bytes + mtu - 1) / mtu : 1;
}

/* A work request's first packet leaves. One whose PSN is not beyond those of all that have begun goes again. */
static void begin(struct tm_qp *rec, const struct tm_key *key, struct rxe_qp *qp, struct rxe_pkt_info *pkt, u64 now_ns)
{
	struct tm_flying new = { .qp = *key, .op = op_of(pkt->wqe->wr.opcode), .first_ns = now_ns };
	u64 wqe = (u64)pkt->wqe;
	struct tm_flying *f;

	/* it has failed meanwhile: nobody will tell how this one ends */
	if (qp->attr.qp_state == IB_QPS_ERR)
		return;
	if (rec->begun_psn && rcc_psn_diff(pkt->psn, rec->begun_psn) <= 0) {
		count(rec->again);
		note(rec, TM_EVENT_AGAIN, now_ns);
		return;
	}
	rec->begun_psn = rcc_psn_add(pkt->psn, psns_of(qp, pkt) - 1) | TM_PSN_VALID;
	f = bpf_map_lookup_elem(&tm_flying, &wqe);
	/* its place in the queue is another's now, so that one has ended */
	if (f && same(&f->qp, key))
		count(rec->unseen);
	if (bpf_map_update_elem(&tm_flying, &wqe, &new, BPF_ANY)) {
		lose(TM_LOST_FLYING);
		count(rec->untracked);
	}
	count(rec->started);
	rec->started_ns = now_ns;
}

/*
 * A request's last packet, which asks for an ACK, leaves: time it, if none is timed. But not one that goes again: its ACK would
 * not tell which of them came.
 */
static void begin_rtt(struct tm_qp *rec, u32 psn, u64 now_ns)
{
	if (rec->sent_psn && rcc_psn_diff(psn, rec->sent_psn) <= 0) {
		rec->timed_ns = 0;
		return;
	}
	rec->sent_psn = psn | TM_PSN_VALID;
	if (rec->timed_ns)
		return;
	rec->timed_psn = psn;
	rec->timed_ns = now_ns;
}

static void count_done(struct tm_qp *rec, u32 op, u32 bytes)
{
	if (op >= TM_OPS)
		return;
	count(rec->op_done[op]);
	count_n(rec->op_bytes[op], bytes);
}

/* A work request completes whose beginning was not recorded. */
static void end_unknown(struct tm_qp *rec, struct rxe_send_wqe *wqe, u64 now_ns)
{
	u32 op = op_of(wqe->wr.opcode);

	if (wqe->status != IB_WC_SUCCESS) {
		/* it failed before its first packet left */
		count(rec->started);
		rec->started_ns = now_ns;
		count(rec->failed);
		note(rec, TM_EVENT_FAILED, now_ns);
	} else if (op >= TM_OPS) {
		return;
	} else if (rec->untracked) {
		count_n(rec->untracked, -1);
		count_done(rec, op, wqe->dma.length);
	} else {
		lose(TM_LOST_BEFORE);
		return;
	}
	count(rec->done);
	rec->done_ns = now_ns;
}

/* Attached before tm_xmit, as programs are in their order here: no request shall be seen to begin, and then not to end. */
SEC("?fentry/do_complete")
int BPF_PROG(tm_complete, struct rxe_qp *qp, struct rxe_send_wqe *wqe)
{
	struct tm_key key = { .dev = qp->ibqp.device->index, .qpn = qp->ibqp.qp_num };
	u64 address = (u64)wqe, now_ns = bpf_ktime_get_ns(), first_ns = 0;
	struct tm_flying *f;
	struct tm_qp *rec;
	u32 op = TM_OPS;

	if (key.qpn < QPN_MIN)
		return 0;
	f = bpf_map_lookup_elem(&tm_flying, &address);
	if (f && same(&f->qp, &key)) {
		first_ns = f->first_ns;
		op = f->op;
		bpf_map_delete_elem(&tm_flying, &address);
	} else if (wqe->status == IB_WC_WR_FLUSH_ERR) {
		/* it never began, or the QP's error has ended it */
		return 0;
	}
	rec = record(qp, &key);
	if (!rec)
		return 0;
	if (!first_ns) {
		end_unknown(rec, wqe, now_ns);
		return 0;
	}
	count(rec->done);
	rec->done_ns = now_ns;
	if (wqe->status == IB_WC_WR_FLUSH_ERR) {
		count(rec->flushed);
		return 0;
	}
	if (wqe->status != IB_WC_SUCCESS) {
		count(rec->failed);
		note(rec, TM_EVENT_FAILED, now_ns);
		return 0;
	}
	if (op >= TM_OPS)
		return 0;
	count_done(rec, op, wqe->dma.length);
	add_both(&key, op, now_ns - first_ns);
	return 0;
}

SEC("?fentry/rxe_xmit_packet")
int BPF_PROG(tm_xmit, struct rxe_qp *qp, struct rxe_pkt_info *pkt)
{
	u32 op = OP(pkt->opcode & OPCODE_MASK);
	struct tm_key key;
	struct tm_qp *rec;
	u64 now_ns;

	/* of a QP that only receives nothing but ACKs leave: so its record has an owner and a peer */
	if (!(op & (FIRSTS | OP(OPCODE_ACK) | (module_rtt ? 0 : LASTS))))
		return 0;
	key.dev = qp->ibqp.device->index;
	key.qpn = qp->ibqp.qp_num;
	if (key.qpn < QPN_MIN)
		return 0;
	rec = record(qp, &key);
	if (!rec)
		return 0;
	now_ns = bpf_ktime_get_ns();
	if (op & FIRSTS)
		begin(rec, &key, qp, pkt, now_ns);
	if ((op & LASTS) && !module_rtt)
		begin_rtt(rec, pkt->psn, now_ns);
	return 0;
}

static void end_rtt(struct tm_qp *rec, const struct tm_key *key, u32 psn, u64 now_ns)
{
	u64 sent_ns = rec->timed_ns;

	if (!sent_ns || rcc_psn_diff(psn, rec->timed_psn) < 0 ||
	    __sync_val_compare_and_swap(&rec->timed_ns, sent_ns, 0) != sent_ns)
		return;
	rec->rtt_ns = now_ns - sent_ns;
	add_both(key, TM_HIST_RTT, now_ns - sent_ns);
}

static void naked(struct tm_qp *rec, u8 syndrome, u64 now_ns)
{
	u64 code = syndrome & AETH_CODE_MASK;

	if (syndrome >> AETH_SHIFT == AETH_RNR)
		code = TM_NAK_RNR;
	else if (syndrome >> AETH_SHIFT != AETH_NAK || code > TM_NAK_OP)
		return;
	barrier_var(code);
	if (code < TM_NAKS)
		count(rec->naks[code]);
	rec->timed_ns = 0;
	note(rec, TM_EVENT_NAK, now_ns);
}

SEC("?fentry/rxe_comp_queue_pkt")
int BPF_PROG(tm_response, struct rxe_qp *qp, struct sk_buff *skb)
{
	struct rxe_pkt_info *pkt = (struct rxe_pkt_info *)skb->cb;
	u8 opcode = BPF_CORE_READ(pkt, opcode), syndrome = 0;
	struct tm_key key;
	struct tm_qp *rec;
	u64 now_ns;

	/* a long READ has to be seen to get on, but not by each of its packets */
	if (OP(opcode & OPCODE_MASK) & READ_MIDDLE) {
		if (BPF_CORE_READ(pkt, psn) % READ_LOOK)
			return 0;
	} else if (!(OP(opcode & OPCODE_MASK) & ACKS)) {
		return 0;
	}
	if ((opcode & OPCODE_MASK) == OPCODE_ACK)
		bpf_probe_read_kernel(&syndrome, sizeof(syndrome), BPF_CORE_READ(pkt, hdr) + BTH_BYTES);
	key.dev = qp->ibqp.device->index;
	key.qpn = qp->ibqp.qp_num;
	rec = record(qp, &key);
	if (!rec)
		return 0;
	now_ns = bpf_ktime_get_ns();
	if (syndrome >> AETH_SHIFT) {
		naked(rec, syndrome, now_ns);
		return 0;
	}
	rec->heard_ns = now_ns;
	if (!module_rtt)
		end_rtt(rec, &key, BPF_CORE_READ(pkt, psn), now_ns);
	return 0;
}

SEC("?fentry/retransmit_timer")
int BPF_PROG(tm_timeout, struct timer_list *timer)
{
	struct rxe_qp *qp = (void *)timer - bpf_core_field_offset(struct rxe_qp, retrans_timer);
	struct tm_key key = { .dev = BPF_CORE_READ(qp, ibqp.device, index), .qpn = BPF_CORE_READ(qp, ibqp.qp_num) };
	struct tm_qp *rec;

	/* the driver lets the timer expire rather than stop it: is anything not acknowledged? */
	if (rcc_psn_diff(BPF_CORE_READ(qp, req.psn), BPF_CORE_READ(qp, comp.psn)) <= 0)
		return 0;
	rec = record(qp, &key);
	if (!rec)
		return 0;
	count(rec->timeouts);
	rec->timed_ns = 0;
	note(rec, TM_EVENT_TIMEOUT, bpf_ktime_get_ns());
	return 0;
}

/* Look through a QP's send queue for work requests on their way. */
struct sweep {
	struct tm_key key;
	u64 queue;
	u32 shift;
	u32 found;
};

static long sweep_slot(u32 i, struct sweep *s)
{
	u64 address = s->queue + ((u64)i << s->shift);
	struct tm_flying *f = bpf_map_lookup_elem(&tm_flying, &address);

	if (f && same(&f->qp, &s->key) && !bpf_map_delete_elem(&tm_flying, &address))
		s->found++;
	return 0;
}

/* A QP fails, is reset or goes: what was on its way will not complete one by one. Returns how much that was. */
static __noinline u64 sweep(struct tm_qp *rec, struct rxe_qp *qp, struct tm_key *key)
{
	struct sweep s = { .key = *key };
	struct rxe_queue *queue = BPF_CORE_READ(qp, sq.queue);

	if (rec->started == rec->done + rec->unseen || !queue)
		return 0;
	s.queue = (u64)BPF_CORE_READ(queue, buf) + bpf_core_field_offset(struct rxe_queue_buf, data);
	s.shift = BPF_CORE_READ(queue, log2_elem_size) & 31;
	bpf_loop(BPF_CORE_READ(queue, index_mask) + 1, sweep_slot, &s, 0);
	s.found += rec->untracked;
	rec->untracked = 0;
	count_n(rec->done, s.found);
	return s.found;
}

SEC("?fentry/rxe_qp_error")
int BPF_PROG(tm_error, struct rxe_qp *qp)
{
	struct tm_key key = { .dev = qp->ibqp.device->index, .qpn = qp->ibqp.qp_num };
	struct tm_qp *rec;
	u64 swept;

	if (key.qpn < QPN_MIN)
		return 0;
	rec = record(qp, &key);
	if (!rec)
		return 0;
	swept = sweep(rec, qp, &key);
	/* told to, by modify_qp; or it is in that state, and the driver flushes its queue by this function */
	if (BPF_CORE_READ(qp, attr.qp_state) == IB_QPS_ERR) {
		count_n(rec->flushed, swept);
		return 0;
	}
	count_n(rec->failed, swept);
	count(rec->errors);
	rec->error_ns = bpf_ktime_get_ns();
	note(rec, TM_EVENT_ERROR, rec->error_ns);
	return 0;
}

SEC("?fexit/rxe_create_qp")
int BPF_PROG(tm_create, struct ib_qp *ibqp, void *init, void *udata, int ret)
{
	struct tm_key key = { .dev = ibqp->device->index, .qpn = ibqp->qp_num };
	struct tm_qp *rec;

	if (ret || key.qpn < QPN_MIN)
		return 0;
	forget(&key);
	rec = make_for(&key, (struct rxe_qp *)ibqp);
	if (!rec)
		return 0;
	rec->born_ns = bpf_ktime_get_ns();
	note(rec, TM_EVENT_BORN, rec->born_ns);
	return 0;
}

SEC("?fentry/rxe_modify_qp")
int BPF_PROG(tm_modify, struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask)
{
	struct tm_key key = { .dev = ibqp->device->index, .qpn = ibqp->qp_num };
	struct tm_qp *rec;

	if (!(mask & IB_QP_STATE) || attr->qp_state != IB_QPS_RESET || key.qpn < QPN_MIN)
		return 0;
	rec = record((struct rxe_qp *)ibqp, &key);
	if (!rec)
		return 0;
	count_n(rec->flushed, sweep(rec, (struct rxe_qp *)ibqp, &key));
	rec->sent_psn = 0;
	rec->begun_psn = 0;
	rec->timed_ns = 0;
	rec->ce_psn[0] = 0;
	rec->ce_psn[1] = 0;
	return 0;
}

SEC("?fexit/rxe_modify_qp")
int BPF_PROG(tm_modified, struct ib_qp *ibqp)
{
	struct tm_key key = { .dev = ibqp->device->index, .qpn = ibqp->qp_num };
	struct tm_qp *rec = bpf_map_lookup_elem(&tm_qp, &key);

	if (!rec)
		return 0;
	if (rec->type <= IB_QPT_UC)
		note_peer(rec, (struct rxe_qp *)ibqp);
	return 0;
}

SEC("?fentry/rxe_destroy_qp")
int BPF_PROG(tm_destroy, struct ib_qp *ibqp)
{
	struct tm_key key = { .dev = ibqp->device->index, .qpn = ibqp->qp_num };
	struct rxe_qp *qp = (struct rxe_qp *)ibqp;
	struct tm_qp *rec;

	/* of a multicast group: the driver refuses */
	if (key.qpn < QPN_MIN || BPF_CORE_READ(qp, mcg_num.counter))
		return 0;
	rec = record(qp, &key);
	if (!rec)
		return 0;
	count_n(rec->flushed, sweep(rec, qp, &key));
	rec->died_ns = bpf_ktime_get_ns();
	note(rec, TM_EVENT_DIED, rec->died_ns);
	return 0;
}

SEC("?raw_tp/qp_new")
int BPF_PROG(tm_qp_new, const char *dev, u32 index, u32 qpn, u8 type)
{
	struct tm_key key = { .dev = index, .qpn = qpn };
	struct tm_qp *rec;

	forget(&key);
	rec = told(&key, dev);
	if (!rec)
		return 0;
	rec->type = type;
	rec->born_ns = bpf_ktime_get_ns();
	note(rec, TM_EVENT_BORN, rec->born_ns);
	return 0;
}

SEC("?raw_tp/qp_del")
int BPF_PROG(tm_qp_del, const char *dev, u32 index, u32 qpn)
{
	struct tm_key key = { .dev = index, .qpn = qpn };
	struct tm_qp *rec = bpf_map_lookup_elem(&tm_qp, &key);

	if (!rec)
		return 0;
	rec->died_ns = bpf_ktime_get_ns();
	note(rec, TM_EVENT_DIED, rec->died_ns);
	return 0;
}

SEC("raw_tp/cnp_rcvd")
int BPF_PROG(tm_cnp_rcvd, const char *dev, u32 index, u32 qpn)
{
	struct tm_key key = { .dev = index, .qpn = qpn };
	struct tm_qp *rec = told(&key, dev);
	u64 now_ns = bpf_ktime_get_ns(), last_ns;

	if (!rec)
		return 0;
	last_ns = rec->cnp_rcvd_ns;
	rec->cnp_rcvd_ns = now_ns;
	count(rec->cnps_rcvd);
	note(rec, TM_EVENT_CNP, now_ns);
	if (last_ns)
		add(&key, TM_HIST_CNP_GAP, now_ns - last_ns);
	return 0;
}

SEC("raw_tp/cnp_sent")
int BPF_PROG(tm_cnp_sent, const char *dev, u32 index, u32 qpn)
{
	struct tm_key key = { .dev = index, .qpn = qpn };
	struct tm_qp *rec = told(&key, dev);

	if (!rec)
		return 0;
	count(rec->cnps_sent);
	rec->cnp_sent_ns = bpf_ktime_get_ns();
	return 0;
}

/*
 * A packet with CE. How many came without is not known, as nothing happens for those: PSNs tell. What comes late, or again, is
 * within what was counted, and a gap that is too long tells nothing of a congestion.
 */
SEC("raw_tp/ce")
int BPF_PROG(tm_ce, const char *dev, u32 index, u32 qpn, u32 psn, u32 stream)
{
	struct tm_key key = { .dev = index, .qpn = qpn };
	struct tm_qp *rec;
	u32 *last;
	s32 more;

	/* whose PSNs are those of many senders */
	if (stream == STREAM_DATAGRAMS)
		return 0;
	rec = told(&key, dev);
	if (!rec)
		return 0;
	count(rec->ce_rcvd);
	rec->ce_ns = bpf_ktime_get_ns();
	last = stream == STREAM_READ_RESPONSES ? &rec->ce_psn[1] : &rec->ce_psn[0];
	more = *last ? rcc_psn_diff(psn, *last) : 1;
	if (more <= 0 && more >= -CE_GAP)
		return 0;
	*last = psn | TM_PSN_VALID;
	count_n(rec->ce_span, more > 0 && more <= CE_GAP ? more : 1);
	return 0;
}

/* Whoever sends them may name any QP, also one that does not exist: no record is made. */
SEC("raw_tp/cnp_ignored")
int BPF_PROG(tm_cnp_ignored, const char *dev, u32 index, u32 qpn)
{
	struct tm_key key = { .dev = index, .qpn = qpn };
	struct tm_qp *rec = bpf_map_lookup_elem(&tm_qp, &key);

	if (rec)
		count(rec->cnps_ignored);
	return 0;
}

SEC("raw_tp/rate")
int BPF_PROG(tm_rate, const char *dev, u32 index, u32 qpn, u32 event, u64 before_bps, u64 rate_bps)
{
	struct tm_key key = { .dev = index, .qpn = qpn };
	struct tm_qp *rec = told(&key, dev);

	if (!rec)
		return 0;
	rec->rate_bps = rate_bps;
	/* without an event: another algorithm; 0: no limit */
	if (!event || !rate_bps || !before_bps || rate_bps >= before_bps)
		return 0;
	count(rec->rate_cuts);
	rec->cut_ns = bpf_ktime_get_ns();
	note(rec, TM_EVENT_CUT, rec->cut_ns);
	return 0;
}

/* For each packet of a QP that is held back: the histogram is looked up directly, the record only if that is not there. */
SEC("raw_tp/hold")
int BPF_PROG(tm_hold, const char *dev, u32 index, u32 qpn, u64 ns)
{
	struct tm_key key = { .dev = index, .qpn = qpn };
	u32 bucket = rcc_hist_bucket(ns);
	struct tm_slice_key at = { .qp = key, .hist = TM_HIST_HOLD, .octave = bucket >> RCC_HIST_SHIFT };
	struct tm_slice *slice = bpf_map_lookup_elem(&tm_hist, &at);

	if (!slice && told(&key, dev))
		slice = make_slice(&at);
	if (slice)
		add_to(slice, bucket, ns);
	return 0;
}

SEC("raw_tp/rtt")
int BPF_PROG(tm_rtt, const char *dev, u32 index, u32 qpn, u64 ns)
{
	struct tm_key key = { .dev = index, .qpn = qpn };
	struct tm_qp *rec = told(&key, dev);

	if (!rec)
		return 0;
	rec->rtt_ns = ns;
	rec->heard_ns = bpf_ktime_get_ns();
	add_both(&key, TM_HIST_RTT, ns);
	return 0;
}
