/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the telemetry programs write and rxecc reads: the maps under TM_PIN_DIR.
 *
 *	qp	struct tm_key -> struct tm_qp		a record per QP; bpftool map dump shows it as it is
 *	hist	struct tm_slice_key -> struct tm_slice	histograms, an octave (pure/hist.h) per entry, made at its first sample
 *	flying	address of the work queue element -> struct tm_flying	work requests that are not completed
 *	lost	enum tm_lost -> u64, per CPU		what could not be recorded, by reason
 *
 * Programs add to counters with atomic operations: a QP's packets may be handled by two CPUs at once. A record is made when a
 * QP is created, or at the first event of a QP that was there before. A QP that is gone keeps its record, with died_ns set,
 * until the agent has taken its last figures, or until its room is needed (TM_LOST_EVICTED). All times are CLOCK_MONOTONIC.
 */
#ifndef TELEMETRY_H
#define TELEMETRY_H

#include "../kmod/pure/hist.h"

#define TM_PIN_DIR		"/sys/fs/bpf/rxe_cc"
#define TM_NAME_BYTES		32
#define TM_QPS_MAX		16384
#define TM_SLICES_MAX		262144
#define TM_FLYING_MAX		65536

/* key.qpn of a device's own histograms: all its QPs together, those that are gone included */
#define TM_DEV_QPN		0xffffffff

/**
 * struct tm_key - which QP
 * @dev: index of the device (ib_device.index)
 * @qpn: its number
 */
struct tm_key {
	u32 dev;
	u32 qpn;
};

/* PSNs have 24 bits */
#define TM_PSN_VALID		(1U << 31)

/* kinds of work requests */
enum tm_op {
	TM_OP_SEND,
	TM_OP_WRITE,
	TM_OP_READ,
	TM_OP_ATOMIC,
	TM_OPS
};

/* what there are histograms of, in nanoseconds; the first ones are those of work requests, with the numbers of enum tm_op */
enum tm_hist {
	TM_HIST_SEND,		/* first packet to completion */
	TM_HIST_WRITE,
	TM_HIST_READ,
	TM_HIST_ATOMIC,
	TM_HIST_RTT,		/* a packet to its ACK: the module's, or a request's last packet to its ACK without the module */
	TM_HIST_HOLD,		/* how long the pacer held a packet; those that went at once are not counted */
	TM_HIST_CNP_GAP,	/* from a CNP received to the next one */
	TM_HISTS
};

/* NAKs received, by syndrome (IBTA 9.7.5.2.8) */
enum tm_nak {
	TM_NAK_PSN,		/* PSN sequence error */
	TM_NAK_INVALID,		/* invalid request */
	TM_NAK_ACCESS,		/* remote access error */
	TM_NAK_OP,		/* remote operational error */
	TM_NAK_RNR,		/* receiver not ready */
	TM_NAKS
};

/* the latest thing of note that happened to a QP */
enum tm_event {
	TM_EVENT_NONE,
	TM_EVENT_BORN,
	TM_EVENT_CNP,		/* a CNP came */
	TM_EVENT_CUT,		/* the algorithm lowered the rate */
	TM_EVENT_NAK,
	TM_EVENT_TIMEOUT,
	TM_EVENT_AGAIN,		/* a request was sent again */
	TM_EVENT_FAILED,	/* a work request completed with an error */
	TM_EVENT_ERROR,		/* the QP went into the error state */
	TM_EVENT_DIED,
	TM_EVENTS
};

/* why something was not recorded */
enum tm_lost {
	TM_LOST_QPS,		/* no room for another QP: its event */
	TM_LOST_HIST,		/* no room, or no memory, for another part of a histogram: the sample */
	TM_LOST_FLYING,		/* no room for another work request on its way: its latency */
	TM_LOST_BEFORE,		/* the work request had begun before the programs were there: its latency */
	TM_LOST_EVICTED,	/* a record of a dead QP that nobody had read made room for another */
	TM_LOST_MISSED,		/* a program did not run, because it had interrupted itself: its event */
	TM_LOSTS
};

/**
 * struct tm_qp - a QP
 * @dev: name of the device
 * @comm: name of the process that owns it, as it was when the record was made; empty: the kernel
 * @pid: its process id (thread group); 0: the kernel
 * @type: IB_QPT_*: 2 rc, 3 uc, 4 ud
 * @peer_qpn: the peer's QP, once connected
 * @peer: address of the peer, IPv4 as ::ffff:a.b.c.d
 * @octaves: which octaves each histogram has entries of, by bit
 * @born_ns: when it was created; 0: before the programs were there
 * @died_ns: when it was destroyed; 0: it lives
 * @started: work requests whose first packet left
 * @done: those that ended
 * @failed: those of @done that ended with an error, or by an error of their QP
 * @flushed: those of @done that ended because the QP was destroyed, reset or moved into the error state
 * @unseen: those that ended while no programs were there, or unseen for another reason
 * @started_ns: when the latest began
 * @done_ns: when the latest completed
 * @heard_ns: when the peer last acknowledged anything
 * @op_done: completed without error, by kind
 * @op_bytes: their bytes
 * @again: how often a work request's first packet was sent again
 * @naks: NAKs received
 * @timeouts: how often rxe's timer expired with work requests on their way
 * @errors: how often it went into the error state without being told to
 * @error_ns: when last
 * @rtt_ns: latest round trip; 0: not known
 * @rate_bps: what the algorithm allows; 0: the module has not said
 * @rate_cuts: how often it lowered that
 * @cut_ns: when last
 * @cnps_rcvd: valid CNPs received
 * @cnps_sent: CNPs sent
 * @cnps_ignored: CNPs received that changed nothing
 * @cnp_rcvd_ns: when the latest came
 * @cnp_sent_ns: when the latest was sent
 * @ce_rcvd: packets received with CE, requests and READ responses; datagrams are not counted
 * @ce_ns: when the latest came
 * @ce_span: packets from each of these to the next one, by their PSNs, gaps of more than 65536 left out: @ce_rcvd of them had
 *	CE. A READ request counts as all packets of its response, so that both say something only where there are none
 * @event: enum tm_event, the latest
 * @untracked: work requests on their way that @flying had no room for
 * @event_ns: when
 * @timed_ns: when the packet left whose round trip the programs time; 0: none
 * @timed_psn: its PSN
 * @sent_psn: the highest PSN of a request's last packet that left, and TM_PSN_VALID; 0: none yet
 * @begun_psn: the highest last PSN of a work request that has begun, and TM_PSN_VALID; 0: none has
 * @ce_psn: of the latest request and READ response with CE, and TM_PSN_VALID; 0: none yet
 * @id: tells the QP from another one by the same number; 0: only the module has told of it
 */
struct tm_qp {
	char dev[TM_NAME_BYTES];
	char comm[16];
	u32 pid;
	u32 type;
	u32 peer_qpn;
	u8 peer[16];
	u32 octaves[TM_HISTS];
	u64 born_ns;
	u64 died_ns;
	u64 started;
	u64 done;
	u64 failed;
	u64 flushed;
	u64 unseen;
	u64 started_ns;
	u64 done_ns;
	u64 heard_ns;
	u64 op_done[TM_OPS];
	u64 op_bytes[TM_OPS];
	u64 again;
	u64 naks[TM_NAKS];
	u64 timeouts;
	u64 errors;
	u64 error_ns;
	u64 rtt_ns;
	u64 rate_bps;
	u64 rate_cuts;
	u64 cut_ns;
	u64 cnps_rcvd;
	u64 cnps_sent;
	u64 cnps_ignored;
	u64 cnp_rcvd_ns;
	u64 cnp_sent_ns;
	u64 ce_rcvd;
	u64 ce_ns;
	u64 ce_span;
	u32 event;
	u32 untracked;
	u64 event_ns;
	u64 timed_ns;
	u32 timed_psn;
	u32 sent_psn;
	u32 begun_psn;
	u32 ce_psn[2];
	u32 pad;
	u64 id;
};

/**
 * struct tm_slice_key - which octave of which histogram
 * @qp: whose; qpn TM_DEV_QPN: the device's own, kept for work requests and RTT
 * @hist: enum tm_hist
 * @octave: below RCC_HIST_OCTAVES
 */
struct tm_slice_key {
	struct tm_key qp;
	u16 hist;
	u16 octave;
};

/**
 * struct tm_slice - an octave of a histogram
 * @sum_ns: sum of its samples
 * @n: samples of each bucket
 */
struct tm_slice {
	u64 sum_ns;
	u64 n[RCC_HIST_SUB];
};

/**
 * struct tm_flying - a work request on its way
 * @qp: its QP
 * @op: enum tm_op
 * @first_ns: when its first packet left
 */
struct tm_flying {
	struct tm_key qp;
	u64 op;
	u64 first_ns;
};

#endif /* TELEMETRY_H */
