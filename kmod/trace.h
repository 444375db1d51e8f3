/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints rxe_cc:*: QPs come and go, CNPs, rates. Fields are stable: tools read them. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rxe_cc

#if !defined(RCC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RCC_TRACE_H

#include <linux/tracepoint.h>

#include "rcc.h"

/* A fixed array: the kernel's string macros changed between the versions that we support. */
#define RCC_TRACE_DEV(d)	strscpy(__entry->dev, dev_name(&(d)->dev), sizeof(__entry->dev))

DECLARE_EVENT_CLASS(rcc_qp_class,
	TP_PROTO(const struct rcc_qp *qp),
	TP_ARGS(qp),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u8, type)
	),
	TP_fast_assign(
		RCC_TRACE_DEV(qp->dev);
		__entry->qpn = qp->ent.qpn;
		__entry->type = qp->type;
	),
	TP_printk("dev=%s qpn=%u type=%u", __entry->dev, __entry->qpn, __entry->type)
);

/* a QP's record was made */
DEFINE_EVENT(rcc_qp_class, qp_new, TP_PROTO(const struct rcc_qp *qp), TP_ARGS(qp));
/* a QP's record is gone, and everything that it held was sent or freed */
DEFINE_EVENT(rcc_qp_class, qp_del, TP_PROTO(const struct rcc_qp *qp), TP_ARGS(qp));
/* a valid CNP came for a QP; its rate event follows */
DEFINE_EVENT(rcc_qp_class, cnp_rcvd, TP_PROTO(const struct rcc_qp *qp), TP_ARGS(qp));

/* a CNP was sent: local QP that saw CE, remote QP that is to slow down */
TRACE_EVENT(cnp_sent,
	TP_PROTO(const struct rcc_qp *qp, u32 dqpn),
	TP_ARGS(qp, dqpn),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u32, dqpn)
	),
	TP_fast_assign(
		RCC_TRACE_DEV(qp->dev);
		__entry->qpn = qp->ent.qpn;
		__entry->dqpn = dqpn;
	),
	TP_printk("dev=%s qpn=%u dqpn=%u", __entry->dev, __entry->qpn, __entry->dqpn)
);

/* a CNP came and changed nothing; reason is the name of its counter without "rp_cnp_ignored_" */
TRACE_EVENT(cnp_ignored,
	TP_PROTO(const struct rcc_dev *dev, u32 qpn, enum rcc_counter reason),
	TP_ARGS(dev, qpn, reason),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u32, reason)
	),
	TP_fast_assign(
		RCC_TRACE_DEV(dev);
		__entry->qpn = qpn;
		__entry->reason = reason;
	),
	TP_printk("dev=%s qpn=%u reason=%s", __entry->dev, __entry->qpn,
		  __print_symbolic(__entry->reason,
				   { RCC_C_rp_cnp_ignored_malformed, "malformed" },
				   { RCC_C_rp_cnp_ignored_icrc, "icrc" },
				   { RCC_C_rp_cnp_ignored_qpn, "qpn" },
				   { RCC_C_rp_cnp_ignored_addr, "addr" },
				   { RCC_C_rp_cnp_ignored_off, "off" }))
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

/* the algorithm changed a QP's rate, in bits per second */
TRACE_EVENT(rate,
	TP_PROTO(const struct rcc_qp *qp, u32 event, u64 before),
	TP_ARGS(qp, event, before),
	TP_STRUCT__entry(
		__array(char, dev, IB_DEVICE_NAME_MAX)
		__field(u32, qpn)
		__field(u32, event)
		__field(u64, before)
		__field(u64, rate)
	),
	TP_fast_assign(
		RCC_TRACE_DEV(qp->dev);
		__entry->qpn = qp->ent.qpn;
		__entry->event = event;
		__entry->before = before;
		__entry->rate = qp->decision.rate_bps;
	),
	TP_printk("dev=%s qpn=%u event=%s before=%llu rate=%llu", __entry->dev, __entry->qpn,
		  __print_symbolic(__entry->event,
				   { RCC_EV_TX, "tx" },
				   { RCC_EV_ACK, "ack" },
				   { RCC_EV_CNP, "cnp" },
				   { RCC_EV_RTT, "rtt" },
				   { RCC_EV_NACK, "nack" },
				   { RCC_EV_TIMEOUT, "timeout" },
				   { RCC_EV_INT, "int" },
				   { RCC_EV_TIMER, "timer" }),
		  __entry->before, __entry->rate)
);

#endif /* RCC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
