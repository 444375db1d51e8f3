/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints rxe_cc:*: QPs come and go, CNPs, rates. Fields are stable: tools read them. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rxe_cc

#if !defined(RCC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RCC_TRACE_H

#include <linux/tracepoint.h>

#include "rcc.h"

/* A fixed array: the kernel's string macros changed between the versions that we support. */
#define RCC_TRACE_DEV(d)	RCC_TRACE_NAME(dev_name(&(d)->dev))
#define RCC_TRACE_NAME(name)	strscpy(__entry->dev, name, sizeof(__entry->dev))

/*
 * Which QP, as the first three arguments of the events that bpf/telemetry.bpf.c is attached to. It sees arguments, and could
 * not look into our structs on a kernel that has no BTF of modules.
 */
#define RCC_TRACE_DEV_QPN(d, qpn)	dev_name(&(d)->dev), (d)->index, qpn
#define RCC_TRACE_QP(qp)		RCC_TRACE_DEV_QPN((qp)->dev, (qp)->ent.qpn)

DECLARE_EVENT_CLASS(rcc_qp_class,
	TP_PROTO(const char *dev, u32 index, u32 qpn, u8 type),
	TP_ARGS(dev, index, qpn, type),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u8, type)
		__field(u32, index)
	),
	TP_fast_assign(
		RCC_TRACE_NAME(dev);
		__entry->qpn = qpn;
		__entry->type = type;
		__entry->index = index;
	),
	TP_printk("dev=%s qpn=%u type=%u index=%u", __entry->dev, __entry->qpn, __entry->type, __entry->index)
);
#define RCC_QP_EVENT(event)							\
	DEFINE_EVENT(rcc_qp_class, event,					\
		     TP_PROTO(const char *dev, u32 index, u32 qpn, u8 type),	\
		     TP_ARGS(dev, index, qpn, type))

/* a QP's record was made */
RCC_QP_EVENT(qp_new);
/* a QP's record is gone, and everything that it held was sent or freed */
RCC_QP_EVENT(qp_del);
/* a valid CNP came for a QP; its rate event follows */
RCC_QP_EVENT(cnp_rcvd);
/* the peer takes trailers from now on */
RCC_QP_EVENT(link_up);

/* nanoseconds of a QP */
DECLARE_EVENT_CLASS(rcc_time_class,
	TP_PROTO(const char *dev, u32 index, u32 qpn, u64 ns),
	TP_ARGS(dev, index, qpn, ns),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u64, ns)
		__field(u32, index)
	),
	TP_fast_assign(
		RCC_TRACE_NAME(dev);
		__entry->qpn = qpn;
		__entry->ns = ns;
		__entry->index = index;
	),
	TP_printk("dev=%s qpn=%u ns=%llu index=%u", __entry->dev, __entry->qpn, __entry->ns, __entry->index)
);
#define RCC_TIME_EVENT(event)							\
	DEFINE_EVENT(rcc_time_class, event,					\
		     TP_PROTO(const char *dev, u32 index, u32 qpn, u64 ns),	\
		     TP_ARGS(dev, index, qpn, ns))

/* a packet leaves that the pacer has held so long */
RCC_TIME_EVENT(hold);
/* a round trip: a packet to the ACK or SACK that answered it */
RCC_TIME_EVENT(rtt);

/* the link layer: a session ends (why: enum rcc_link_end), a packet goes again, a gap is given up, a path dies or lives */
DECLARE_EVENT_CLASS(rcc_link_class,
	TP_PROTO(const struct rcc_qp *qp, u32 a, u32 b),
	TP_ARGS(qp, a, b),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u32, a)
		__field(u32, b)
	),
	TP_fast_assign(
		RCC_TRACE_DEV(qp->dev);
		__entry->qpn = qp->ent.qpn;
		__entry->a = a;
		__entry->b = b;
	),
	TP_printk("dev=%s qpn=%u seq=%u path=%u", __entry->dev, __entry->qpn, __entry->a, __entry->b)
);
DEFINE_EVENT(rcc_link_class, link_repeat, TP_PROTO(const struct rcc_qp *qp, u32 a, u32 b), TP_ARGS(qp, a, b));
#define RCC_LINK_EVENT(event, text_a, text_b)						\
	DEFINE_EVENT_PRINT(rcc_link_class, event,					\
			   TP_PROTO(const struct rcc_qp *qp, u32 a, u32 b), TP_ARGS(qp, a, b),	\
			   TP_printk("dev=%s qpn=%u " text_a "=%u " text_b "=%u", __entry->dev,	\
				     __entry->qpn, __entry->a, __entry->b))
RCC_LINK_EVENT(link_down, "why", "repeats");
RCC_LINK_EVENT(link_gap, "next", "skipped");
RCC_LINK_EVENT(link_path, "path", "alive");

/* a CNP was sent: local QP that saw CE, remote QP that is to slow down */
TRACE_EVENT(cnp_sent,
	TP_PROTO(const char *dev, u32 index, u32 qpn, u32 dqpn),
	TP_ARGS(dev, index, qpn, dqpn),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u32, dqpn)
		__field(u32, index)
	),
	TP_fast_assign(
		RCC_TRACE_NAME(dev);
		__entry->qpn = qpn;
		__entry->dqpn = dqpn;
		__entry->index = index;
	),
	TP_printk("dev=%s qpn=%u dqpn=%u index=%u", __entry->dev, __entry->qpn, __entry->dqpn, __entry->index)
);

/* a packet came with CE; stream is enum rcc_stream */
TRACE_EVENT(ce,
	TP_PROTO(const char *dev, u32 index, u32 qpn, u32 psn, u32 stream),
	TP_ARGS(dev, index, qpn, psn, stream),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, stream)
		__field(u32, index)
	),
	TP_fast_assign(
		RCC_TRACE_NAME(dev);
		__entry->qpn = qpn;
		__entry->psn = psn;
		__entry->stream = stream;
		__entry->index = index;
	),
	TP_printk("dev=%s qpn=%u psn=%u stream=%u index=%u", __entry->dev, __entry->qpn, __entry->psn, __entry->stream,
		  __entry->index)
);

/* a CNP came and changed nothing; reason is the name of its counter without "rp_cnp_ignored_" */
TRACE_EVENT(cnp_ignored,
	TP_PROTO(const char *dev, u32 index, u32 qpn, enum rcc_counter reason),
	TP_ARGS(dev, index, qpn, reason),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u32, reason)
		__field(u32, index)
	),
	TP_fast_assign(
		RCC_TRACE_NAME(dev);
		__entry->qpn = qpn;
		__entry->reason = reason;
		__entry->index = index;
	),
	TP_printk("dev=%s qpn=%u reason=%s index=%u", __entry->dev, __entry->qpn,
		  __print_symbolic(__entry->reason,
				   { RCC_C_rp_cnp_ignored_malformed, "malformed" },
				   { RCC_C_rp_cnp_ignored_icrc, "icrc" },
				   { RCC_C_rp_cnp_ignored_qpn, "qpn" },
				   { RCC_C_rp_cnp_ignored_addr, "addr" },
				   { RCC_C_rp_cnp_ignored_off, "off" }),
		  __entry->index)
);

/* an algorithm begins to rule a QP: what it is told of the way, and its first decision */
TRACE_EVENT(cc_init,
	TP_PROTO(const struct rcc_qp *qp, const struct rcc_path *path, u64 now),
	TP_ARGS(qp, path, now),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__array(char, alg, RCC_NAME_BYTES)
		__field(u64, now)
		__field(u64, line)
		__field(u64, base_rtt)
		__field(u64, start)
		__field(u32, mtu)
		__field(u64, rate)
		__field(u64, cwnd)
		__field(u64, timer)
	),
	TP_fast_assign(
		RCC_TRACE_DEV(qp->dev);
		__entry->qpn = qp->ent.qpn;
		strscpy(__entry->alg, qp->alg->name, sizeof(__entry->alg));
		__entry->now = now;
		__entry->line = path->line_bps;
		__entry->base_rtt = path->base_rtt_ns;
		__entry->start = path->start_bps;
		__entry->mtu = path->mtu_bytes;
		__entry->rate = qp->decision.rate_bps;
		__entry->cwnd = qp->decision.cwnd_bytes;
		__entry->timer = qp->decision.timer_ns;
	),
	TP_printk("dev=%s qpn=%u alg=%s now=%llu line=%llu base_rtt=%llu start=%llu mtu=%u rate=%llu cwnd=%llu timer=%llu",
		  __entry->dev, __entry->qpn, __entry->alg, __entry->now, __entry->line, __entry->base_rtt,
		  __entry->start, __entry->mtu, __entry->rate, __entry->cwnd, __entry->timer)
);

/* what an algorithm was told and what it decided; bytes on the wire, times in nanoseconds */
TRACE_EVENT(cc_event,
	TP_PROTO(const struct rcc_qp *qp, const struct rcc_event *ev),
	TP_ARGS(qp, ev),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u32, type)
		__field(u64, now)
		__field(u32, bytes)
		__field(u32, packets)
		__field(u32, ce_permille)
		__field(u32, rtt)
		__field(u32, fabric)
		__field(u32, random)
		__field(u64, rate)
		__field(u64, cwnd)
		__field(u64, timer)
	),
	TP_fast_assign(
		RCC_TRACE_DEV(qp->dev);
		__entry->qpn = qp->ent.qpn;
		__entry->type = ev->type;
		__entry->now = ev->now_ns;
		__entry->bytes = ev->bytes;
		__entry->packets = ev->packets;
		__entry->ce_permille = ev->ce_permille;
		__entry->rtt = ev->rtt_ns;
		__entry->fabric = ev->fabric_ns;
		__entry->random = ev->random;
		__entry->rate = qp->decision.rate_bps;
		__entry->cwnd = qp->decision.cwnd_bytes;
		__entry->timer = qp->decision.timer_ns;
	),
	TP_printk("dev=%s qpn=%u type=%u now=%llu bytes=%u packets=%u ce=%u rtt=%u fabric=%u random=%u rate=%llu cwnd=%llu timer=%llu",
		  __entry->dev, __entry->qpn, __entry->type, __entry->now, __entry->bytes, __entry->packets,
		  __entry->ce_permille, __entry->rtt, __entry->fabric, __entry->random, __entry->rate, __entry->cwnd,
		  __entry->timer)
);

/* a QP's rate changed, in bits per second, 0: no limit: the algorithm did, at that event; 0: an algorithm begins */
TRACE_EVENT(rate,
	TP_PROTO(const char *dev, u32 index, u32 qpn, u32 event, u64 before, u64 rate),
	TP_ARGS(dev, index, qpn, event, before, rate),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u32, event)
		__field(u64, before)
		__field(u64, rate)
		__field(u32, index)
	),
	TP_fast_assign(
		RCC_TRACE_NAME(dev);
		__entry->qpn = qpn;
		__entry->event = event;
		__entry->before = before;
		__entry->rate = rate;
		__entry->index = index;
	),
	TP_printk("dev=%s qpn=%u event=%s before=%llu rate=%llu index=%u", __entry->dev, __entry->qpn,
		  __print_symbolic(__entry->event,
				   { 0, "start" },
				   { RCC_EV_TX, "tx" },
				   { RCC_EV_ACK, "ack" },
				   { RCC_EV_CNP, "cnp" },
				   { RCC_EV_RTT, "rtt" },
				   { RCC_EV_NACK, "nack" },
				   { RCC_EV_TIMEOUT, "timeout" },
				   { RCC_EV_INT, "int" },
				   { RCC_EV_TIMER, "timer" }),
		  __entry->before, __entry->rate, __entry->index)
);

#endif /* RCC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
