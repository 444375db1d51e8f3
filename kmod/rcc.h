/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's nouns, and the data path by file:
 *
 *	hook.c	netfilter, per net	-> tx.c at LOCAL_OUT, rx.c at LOCAL_IN
 *	tx.c	a packet from rxe: whose, ECT, now or later?	-> pacer.c
 *	rx.c	a packet for rxe: CNP? CE? ACK, NAK?		-> cc_core.c, cnp.c
 *	pacer.c	one timer per device, QPs by departure time
 *	stream.c	PSNs: is it a repeat, what is on its way, AckReq
 *	link.c	between two rxe_cc hosts: handshake, with link_tx.c (numbers, paths, repeats), link_rx.c (order)
 *	cc_core.c	events to the algorithm, its decision to the pacer
 *	alg.c	algorithms: built in, of other modules, of BPF
 *	conf.c	a device's algorithm, parameters, line rate
 *	qp.c	QPs: learnt, found, removed
 *	dev.c	devices: come and go with ib_client and netdev events
 *	out.c	packets of our own
 *	netlink.c	the generic netlink family, with netlink_*.c
 *	probe.c	kprobes on rxe's QP verbs, for what no public event tells
 *
 * Locks, outermost first:
 *
 *	rcc_algs_lock	mutex: writers of the table of algorithms and of the list of devices. Never taken by sysfs and netlink,
 *			whose end is waited for under it
 *	RTNL, dev->cfg	mutex: writers of a device's configuration (sysfs, netlink, rescale work, link speed)
 *	dev->lock	spin, irq: writers of the QP table and list. Readers use RCU
 *	qp->lock	spin, bh: everything of a QP that is not identity
 *	pacer->lock	spin, bh: wheel and timer
 *
 * No lock is held when a packet is handed to dst_output() or to a hook's okfn: they may come back to us. While the timer
 * sends a QP's packets it owns the sending side (qp->busy), and whoever else has one queues it.
 *
 * Lifetime: a QP's record is found through its device's table and freed a grace period after its last reference is
 * dropped; references are the table's and the removal list's. Hooks and the timer use records under rcu_read_lock()
 * only. A device's record is the class device's; the ib_client's remove() unlinks it, waits, and drops it. Netlink, which
 * may hold one longer, sees that by rcc_conf_gone().
 */
#ifndef RCC_H
#define RCC_H

#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "cc/algs.h"
#include "cc/np.h"
#include "link.h"
#include "pure/flight.h"
#include "pure/pace.h"
#include "pure/psn.h"
#include "pure/qptab.h"
#include "pure/wheel.h"
#include "pure/wire.h"
#include "stats.h"

/* Bounds. A QP's requests are bounded by rxe itself: 64 packets out, then it waits for our skbs to be freed. */
#define RCC_DEV_HELD_MAX	65536	/* packets held per device; beyond, see hold() */
#define RCC_RESP_HELD_MAX	4096	/* READ response packets held per QP; beyond, they are dropped */
#define RCC_READ_HOLD_AT	64	/* READ response packets held before further requests are held */
#define RCC_READ_ADMIT_AT	16	/* READ response packets left when the next request is let in */
#define RCC_READ_HELD_MAX	256	/* request packets held per QP; beyond, they are dropped */
#define RCC_READ_ADMIT_NS	(1 * NSEC_PER_MSEC)	/* longest wait for a READ's first response */
#define RCC_ACKREQ_NS		(8 * NSEC_PER_MSEC)	/* longest stretch of paced packets without AckReq */
#define RCC_ACKREQ_PACKETS	16	/* the same in packets */
#define RCC_ACKREQ_AGAIN	4	/* the same in packets that are sent again */
#define RCC_ACKREQ_WINDOW	4	/* how often per window, for an algorithm that sets one */

#define RCC_STALL_NS		(8 * NSEC_PER_MSEC)	/* least time that a closed window holds without any ACK */
#define RCC_HOLD_MAX_NS		(32 * NSEC_PER_MSEC)	/* the same at most, and the wait for a READ's data */

#define RCC_TX_EVENT_PACKETS	16	/* packets that one TX event may stand for, if none had to wait */

#define RCC_LINK_FIRST_BYTES	(16ULL * RCC_MTU_BYTES)	/* on their way until a round trip was measured */
#define RCC_LINK_WAIT_NS	(32 * NSEC_PER_MSEC)	/* as long, a QP that was just connected waits for its peer's HELLO_ACK */
#define RCC_LINK_READY_MAX	1024	/* received packets per QP that are in order and go on to rxe */
#define RCC_LINK_KEPT_MAX	65536	/* clones per device that wait to be acknowledged by a peer's link layer */
#define RCC_LINK_HELD_MAX	65536	/* received packets per device that wait for earlier ones */
#define RCC_ENTROPIES		64	/* source ports per QP, unless set otherwise */
#define RCC_OUT_TTL		64	/* of packets of our own */

#define RCC_ETH_BYTES		14	/* Ethernet header: rates count it, as a switch port does */
#define RCC_MTU_BYTES		4200
#define RCC_LINE_FALLBACK_BPS	(10000 * RCC_BPS_PER_MBPS)
#define RCC_LINE_MAX_MBPS	800000
#define RCC_BASE_RTT_FALLBACK_NS	(50 * NSEC_PER_USEC)
/* what algorithms are told at least: rxe is software, and its paths shall not pass for those between NICs */
#define RCC_BASE_RTT_MIN_NS	(20 * NSEC_PER_USEC)
#define RCC_NALGS_MAX		16
#define RCC_NP			RCC_NALGS_MAX	/* place of the notification point behind the algorithms */

/**
 * struct rcc_params - published parameter values of one algorithm on one device
 * @values: in the order of the descriptors
 * @profile: which profile they came from
 * @rcu: freed a grace period after it was replaced
 */
struct rcc_params {
	struct rcc_values values;
	enum rcc_profile profile;
	struct rcu_head rcu;
};

/**
 * struct rcc_setting - a value for a parameter
 * @param: its index
 * @value: the value
 */
struct rcc_setting {
	u32 param;
	u64 value;
};

/**
 * struct rcc_change - what to change of a device
 * @alg: name of the algorithm; NULL: it stays
 * @profile: of all algorithms' parameters; RCC_PROFILE_CUSTOM: they stay
 * @ecn: 0 or 1; negative: it stays
 * @line_mbps: line rate in Mb/s; 0: the netdev's; negative: it stays
 * @link: 0 or 1; negative: it stays
 * @spray: enum rcc_spray_mode; negative: it stays
 * @entropies: source ports per QP; 0: they stay
 */
struct rcc_change {
	const char *alg;
	enum rcc_profile profile;
	int ecn;
	s64 line_mbps;
	int link;
	int spray;
	u8 entropies;
};

/**
 * struct rcc_slot - a place in the table of algorithms
 * @alg: the algorithm; NULL: none stands here, or it goes (RCU; rcc_algs_lock)
 * @owner: module that each user holds; NULL: built in, or of BPF
 * @users: QPs that run it and devices whose default it is
 * @taken: not free for another (rcc_algs_lock)
 */
struct rcc_slot {
	const struct rcc_alg __rcu *alg;
	struct module *owner;
	atomic_t users;
	bool taken;
};

/**
 * struct rcc_pacer - the departure schedule of a device
 * @lock: everything here
 * @wheel: QPs that wait, by time
 * @timer: fires in softirq at @armed_ns
 * @armed_ns: when the timer is set for; RCC_WHEEL_NEVER if it is not
 * @stopped: the device goes; nothing is scheduled any more
 */
struct rcc_pacer {
	spinlock_t lock;
	struct rcc_wheel *wheel;
	struct hrtimer timer;
	u64 armed_ns;
	bool stopped;
};

/**
 * struct rcc_dev - a rxe device
 * @dev: class device /sys/class/rxe_cc/<ibdev>; its reference count is ours
 * @ibdev: the RDMA device; valid until the ib_client's remove() returns
 * @ndev: its netdev: an identity, not a reference. NULL once the netdev unregisters. Written under RTNL
 * @node: devices by @ndev (RCU; rcc_devs_lock)
 * @list: all devices, in the order of @id (rcc_algs_lock and rcc_devs_lock)
 * @id: no other device has or had it
 * @index: ib_device.index, by which tools know it
 * @lock: writers of @tab and @qps
 * @tab: QPs by number (RCU)
 * @qps: all QPs
 * @nqps: how many (@lock)
 * @pacer: departure schedule
 * @held: packets that wait to be sent
 * @read_held: received requests that wait until READ responses drain
 * @link_kept: clones of packets that may be lost
 * @link_held: received packets that wait for earlier ones
 * @stats: counters
 * @gone: QPs that rxe destroys or resets, to be seen to in process context
 * @gone_work: does it
 * @cfg: writers of everything below
 * @slot: the algorithm of its QPs that have none of their own (READ_ONCE by the data path)
 * @params: values by the algorithm's slot; at RCC_NP those of the notification point (RCU)
 * @profile: which profile all of them came from
 * @ecn: stamp ECT(0) on data and answer CE
 * @link: QPs may have a link layer
 * @spray: enum rcc_spray_mode of QPs that have none of their own
 * @entropies: source ports per QP, 1..RCC_PATHS_MAX
 * @open: the module or device goes: nothing is paced any more
 * @line_set_bps: rate set by hand; 0: the netdev's
 * @link_bps: the netdev's rate
 * @line_bps: rate in use
 * @base_rtt_ns: least round trip seen; 0: none yet. Written by whoever lowers it (cmpxchg)
 * @rescale_work: scales it again when the base RTT has dropped
 * @params_dir: sysfs directory params/
 * @param_dirs: its subdirectories, in the order of @params; rcc_algs_lock
 * @debugfs: directory of the device
 */
struct rcc_dev {
	struct device dev;
	struct ib_device *ibdev;
	struct net_device *ndev;
	struct hlist_node node;
	struct list_head list;
	u64 id;
	u32 index;

	spinlock_t lock;
	struct rcc_qptab *tab;
	struct list_head qps;
	u32 nqps;

	struct rcc_pacer pacer;
	atomic_t held;
	atomic_t read_held;
	atomic_t link_kept;
	atomic_t link_held;
	struct rcc_stats __percpu *stats;

	struct llist_head gone;
	struct work_struct gone_work;

	struct mutex cfg;
	struct rcc_slot *slot;
	struct rcc_params __rcu *params[RCC_NP + 1];
	enum rcc_profile profile;
	bool ecn;
	bool open;
	bool link;
	u8 spray;
	u8 entropies;
	u64 line_set_bps;
	u64 link_bps;
	u64 line_bps;
	u64 base_rtt_ns;
	struct work_struct rescale_work;
	struct kobject *params_dir;
	struct kobject *param_dirs[RCC_NP + 1];
	struct dentry *debugfs;
};

/**
 * struct rcc_left - what has left so far
 * @any: @nxt holds
 * @nxt: PSN after the highest one
 */
struct rcc_left {
	bool any;
	u32 nxt;
};

/* bits of rcc_qp.flags, set by probes in any context */
enum {
	RCC_QP_LISTED,		/* on dev->gone */
	RCC_QP_DYING,		/* rxe begins to destroy the QP: nothing may wait */
	RCC_QP_DESTROYED,	/* rxe has destroyed it, or another has its number: the record goes */
	RCC_QP_RESET,		/* the QP went to RESET or ERR */
};

/* whose PSNs a packet's is one of */
enum rcc_stream {
	RCC_STREAM_REQUESTS,
	RCC_STREAM_READ_RESPONSES,
	RCC_STREAM_DATAGRAMS,	/* of many senders */
};

/**
 * struct rcc_qp - what we know of one QP
 * @ent: place in the device's table; first
 * @dev: its device, which outlives it
 * @ibqp: rxe's QP: an identity, never followed
 * @type: enum ib_qp_type
 * @refs: the table's and the gone list's
 * @flags: RCC_QP_* bits
 * @gone: place in dev->gone
 * @list: place in dev->qps (dev->lock)
 * @floor_bps: least rate that keeps rxe's timer quiet
 * @timeout_ns: rxe's ACK timeout; 0: not known, or it waits for ever
 * @mtu_bytes: path MTU (payload); 0: not known
 * @np_last_ns: when the last CNP was sent for it (cmpxchg)
 * @rcu: freed a grace period after the last reference
 * @link: its link layer; NULL: none yet. Set once, under @lock, and freed with the QP
 * @lock: everything below
 * @dead: unlinked: packets pass by
 * @busy: the timer sends this QP's packets with the lock dropped; others queue
 * @paced: packets go by the pacer
 * @admitting: somebody lets held requests in with the lock dropped
 * @await_resp: a READ request was let in and no response was seen yet
 * @resp_turn: whose turn it is, responses' or requests'
 * @req: requests that wait, by PSN
 * @resp: READ responses that wait, and ACKs that must not overtake them
 * @read: received requests that wait until @resp drains
 * @nresp: READ responses in @resp
 * @wnode: place in the pacer's wheel (pacer->lock too)
 * @pace: departure times
 * @slot: algorithm in charge, with a use counted
 * @want: the one set for this QP; NULL: the device's default
 * @distrust: the device's default has decided too much nonsense for this QP
 * @bad_decisions: senseless decisions in a row
 * @alg: what stands in @slot
 * @acks: it lives on ACKs (READ_ONCE without the lock)
 * @link_asked: whether it could have a link layer was looked into
 * @spray_set: enum rcc_spray_mode set for this QP; RCC_SPRAY_MODES: the device's
 * @params: where its values are published
 * @decision: its last word
 * @state: its private state
 * @admitted_ns: when the last READ request was let in
 * @ackreq_ns: when the last packet with AckReq left
 * @stall_ns: when a closed window lets a packet go all the same
 * @rtt_ns: round trip, smoothed by 1/8; 0: none measured yet
 * @flight: requests on their way; those that ask for an ACK, if the algorithm does not live on ACKs
 * @flow: addresses towards the peer, for CNPs and checks; version 0: not known
 * @seen_req: @snd_nxt and @snd_max hold
 * @seen_resp: @resp_nxt holds
 * @resp_dropped: a READ response was dropped for want of room
 * @naked: a NAK came that rxe obeys, and nothing was sent again since
 * @seen_nak: @nak_psn holds
 * @retrying: rxe has gone back and no ACK has come since: it ignores NAKs
 * @seen_ack: @una holds
 * @una: the oldest PSN that we have seen no ACK of
 * @repeating: packets before @repeat_end are sent again
 * @ask_ack: the next of them asks for an ACK
 * @repeat_end: @snd_max when rxe went back
 * @ack_gap: packets since the last one with AckReq
 * @ackreq_psn: its PSN
 * @snd_nxt: PSN after the last request sent
 * @snd_max: the highest @snd_nxt was
 * @resp_nxt: PSN after the last READ response sent
 * @nak_psn: PSN of the last NAK for a gap
 * @ack_bytes: packet size that @ack_delta holds for
 * @ack_delta: what setting AckReq does to the ICRC of such a packet
 * @unsaid_packets: packets that left and that the algorithm was not told of
 * @unsaid_bytes: their bytes on the wire
 * @left: requests and READ responses that have left
 * @rx_ce: packets received with CE
 * @tx_cnp: CNPs sent
 * @rx_cnp: CNPs received
 * @tx_packets: data packets sent
 * @tx_bytes: their bytes on the wire
 * @retrans_packets: those of them that were sent before
 */
struct rcc_qp {
	struct rcc_qpent ent;
	struct rcc_dev *dev;
	const struct ib_qp *ibqp;
	u8 type;
	refcount_t refs;
	unsigned long flags;
	struct llist_node gone;
	struct list_head list;
	u64 floor_bps;
	u64 timeout_ns;
	u32 mtu_bytes;
	u64 np_last_ns;
	struct rcu_head rcu;
	struct rcc_link *link;

	spinlock_t lock ____cacheline_aligned_in_smp;
	bool dead;
	bool busy;
	bool paced;
	bool admitting;
	bool await_resp;
	bool resp_turn;
	bool seen_req;
	bool seen_resp;
	bool resp_dropped;
	bool naked;
	bool seen_nak;
	bool retrying;
	bool seen_ack;
	bool repeating;
	bool ask_ack;
	bool distrust;
	bool acks;
	bool link_asked;
	u8 spray_set;
	struct sk_buff_head req;
	struct sk_buff_head resp;
	struct sk_buff_head read;
	u32 nresp;
	struct rcc_wnode wnode;
	struct rcc_pace pace;
	struct rcc_slot *slot;
	struct rcc_slot *want;
	const struct rcc_alg *alg;
	struct rcc_params __rcu **params;
	u32 bad_decisions;
	struct rcc_decision decision;
	struct rcc_state state;
	u64 admitted_ns;
	u64 ackreq_ns;
	u64 stall_ns;
	u64 rtt_ns;
	struct rcc_flight flight;
	struct rcc_flow flow;
	u32 snd_nxt;
	u32 snd_max;
	u32 resp_nxt;
	u32 nak_psn;
	u32 una;
	u32 repeat_end;
	u32 ack_gap;
	u32 ackreq_psn;
	u32 ack_bytes;
	u32 ack_delta;
	u32 unsaid_packets;
	u32 unsaid_bytes;
	struct rcc_left left[2];
	u64 rx_ce;
	u64 tx_cnp;
	u64 rx_cnp;
	u64 tx_packets;
	u64 tx_bytes;
	u64 retrans_packets;
};

/**
 * struct rcc_qp_info - a QP as it was at one moment
 * @qpn: its local number
 * @type: enum ib_qp_type
 * @alg: algorithm in charge
 * @alg_set: the one set for this QP; empty: the device's
 * @rate_bps: rate; 0: nothing limits it
 * @cwnd_bytes: window; 0: none
 * @unacked_bytes: requests on their way, bytes on the wire; a READ counts its response
 * @rtt_ns: smoothed round trip; 0: none measured yet
 * @flow: addresses towards the peer; version 0: not known
 * @req: requests that wait
 * @resp: READ responses that wait, and ACKs behind them
 * @read: received requests that wait
 * @rx_ce: packets received with CE
 * @tx_cnp: CNPs sent
 * @rx_cnp: CNPs received
 * @tx_packets: data packets sent
 * @tx_bytes: their bytes on the wire
 * @retrans_packets: those of them that were sent before
 * @spray_set: the spray mode set for this QP; RCC_SPRAY_MODES: the device's
 * @spray: the one in use
 * @has_link: what follows holds
 * @link_hello: HELLO was said, and nothing came of it yet
 * @link_up: packets have trailers
 * @link_kept: packets kept until the peer has them
 * @link_waiting: packets received that wait for an earlier one
 * @link_rtt_ns: round trip over all paths; 0: none measured yet
 * @link_repeats: packets sent again
 * @link_lost: packets found lost
 * @link_spurious: repeats for nothing
 * @link_disordered: packets that came before an earlier one
 * @link_skipped: packets given up
 */
struct rcc_qp_info {
	u32 qpn;
	u8 type;
	char alg[RCC_NAME_BYTES];
	char alg_set[RCC_NAME_BYTES];
	u64 rate_bps;
	u64 cwnd_bytes;
	u64 unacked_bytes;
	u64 rtt_ns;
	struct rcc_flow flow;
	u32 req;
	u32 resp;
	u32 read;
	u64 rx_ce;
	u64 tx_cnp;
	u64 rx_cnp;
	u64 tx_packets;
	u64 tx_bytes;
	u64 retrans_packets;
	u8 spray_set;
	u8 spray;
	bool has_link;
	bool link_hello;
	bool link_up;
	u32 link_kept;
	u32 link_waiting;
	u64 link_rtt_ns;
	u64 link_repeats;
	u64 link_lost;
	u64 link_spurious;
	u64 link_disordered;
	u64 link_skipped;
};

/**
 * struct rcc_path_info - a path of a QP as it was at one moment
 * @port: UDP source port
 * @dead: it is only probed
 * @weight_permille: its share of packets against a path's usual one
 * @ce_permille: share of packets with CE lately
 * @rtt_ns: smoothed round trip; 0: none measured yet
 * @sent: packets
 * @came: packets acknowledged
 * @marked: those of them with CE
 * @lost: packets found lost
 */
struct rcc_path_info {
	u16 port;
	bool dead;
	u32 weight_permille;
	u32 ce_permille;
	u64 rtt_ns;
	u64 sent;
	u64 came;
	u64 marked;
	u64 lost;
};

static inline void rcc_count(struct rcc_dev *dev, enum rcc_counter counter)
{
	this_cpu_inc(dev->stats->c[counter]);
}

static inline void rcc_count_n(struct rcc_dev *dev, enum rcc_counter counter, u64 n)
{
	this_cpu_add(dev->stats->c[counter], n);
}

static inline struct rcc_dev *rcc_dev_of(struct device *dev)
{
	return container_of(dev, struct rcc_dev, dev);
}

/* Rates count the Ethernet header, as a switch port does. */
static inline u32 rcc_wire_bytes(const struct sk_buff *skb)
{
	return skb->len + RCC_ETH_BYTES;
}

/* hook.c */
int rcc_hook_init(void);
void rcc_hook_exit(void);

/* tx.c */
unsigned int rcc_tx(void *priv, struct sk_buff *skb, const struct nf_hook_state *state);
void rcc_tx_forget_driver(void);
void rcc_tx_learn_driver(struct module *owner);

/* rx.c */
unsigned int rcc_rx(void *priv, struct sk_buff *skb, const struct nf_hook_state *state);
void rcc_rx_admit(struct rcc_qp *qp);
void rcc_rx_hand_on(struct rcc_qp *qp, struct sk_buff *skb);
void rcc_rx_note_rtt(struct rcc_qp *qp, u64 rtt_ns);
void rcc_rx_let_go(struct rcc_dev *dev);

/* cnp.c */
void rcc_cnp_note_ce(struct rcc_qp *qp, const struct rcc_pkt *pkt);
void rcc_cnp_answer(struct rcc_dev *dev, struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt);
void rcc_cnp_receive(struct rcc_dev *dev, struct sk_buff *skb, const struct rcc_pkt *pkt);
void rcc_cnp_malformed(struct rcc_dev *dev);
u64 rcc_cnp_gap_ns(struct rcc_dev *dev);

/* out.c */
struct dst_entry *rcc_out_route(struct net_device *ndev, const struct rcc_flow *flow);
struct sk_buff *rcc_out_alloc(struct net_device *ndev, struct dst_entry *dst, const struct rcc_flow *flow, u32 bytes);
void rcc_out_finish(struct sk_buff *skb, u32 bytes);
void rcc_out_send(struct sk_buff *skb);

/* link.c */
extern atomic_t rcc_links;
extern const char *const rcc_spray_names[RCC_SPRAY_MODES];

/* May QPs of a device have a link layer? */
static inline bool rcc_link_allowed(const struct rcc_dev *dev)
{
	return READ_ONCE(dev->link) && !READ_ONCE(dev->open);
}

/* Do packets of a QP that leave now get a trailer? The caller holds the QP's lock. */
static inline bool rcc_link_up(const struct rcc_qp *qp)
{
	return qp->link && qp->link->up;
}

/* Has the peer as many packets to answer for as can be kept? */
static inline bool rcc_link_full(const struct rcc_qp *qp)
{
	return rcc_link_up(qp) && !rcc_sack_room(&qp->link->sack);
}

/* Until when requests wait for the handshake at most, with respect to rxe's timer. */
static inline u64 rcc_link_wait_end(const struct rcc_qp *qp)
{
	u64 wait_ns = qp->link->wait_ns, timeout_ns = READ_ONCE(qp->timeout_ns);

	return timeout_ns ? min(wait_ns, wait_ns - RCC_LINK_WAIT_NS + timeout_ns / 2) : wait_ns;
}

/* Do requests wait because the peer may still answer? */
static inline bool rcc_link_waits(const struct rcc_qp *qp, u64 now_ns)
{
	return qp->link && qp->link->wait_ns && now_ns < rcc_link_wait_end(qp);
}

int rcc_spray_find(const char *name, size_t len);
void rcc_link_connect(struct rcc_qp *qp, u64 now_ns);
void rcc_link_want(struct rcc_qp *qp, const struct sk_buff *skb, u64 now_ns);
u32 rcc_link_spray_mode(const struct rcc_qp *qp);
void rcc_link_end_tx(struct rcc_qp *qp, u64 now_ns, bool for_good);
void rcc_link_end(struct rcc_qp *qp, enum rcc_link_end why);
void rcc_link_receive(struct rcc_dev *dev, struct sk_buff *skb, const struct rcc_pkt *pkt);
void rcc_link_stop(struct rcc_qp *qp);
void rcc_link_forget(struct rcc_qp *qp);
void rcc_link_free(struct rcc_qp *qp);
void rcc_link_spray(struct rcc_qp *qp);
u64 rcc_link_due(const struct rcc_qp *qp);
void rcc_link_timer(struct rcc_qp *qp, u64 now_ns, struct sk_buff_head *out);
void rcc_link_rxe_timeout(struct rcc_qp *qp, u64 now_ns);

/* link_say.c */
u32 rcc_link_turn(struct rcc_link *l);
struct dst_entry *rcc_link_route(struct rcc_link *l);
void rcc_link_say(struct rcc_qp *qp, const struct rcc_ctl *ctl, u16 port, struct sk_buff_head *out);
void rcc_link_send(struct sk_buff_head *out);

/* link_tx.c */
void rcc_link_use_route(struct rcc_link *l, const struct sk_buff *skb);
void rcc_link_depart(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt, u64 now_ns);
struct sk_buff *rcc_link_repeat(struct rcc_qp *qp, u64 now_ns);
void rcc_link_find_lost(struct rcc_qp *qp, u64 now_ns);
void rcc_link_sack(struct rcc_qp *qp, const struct rcc_sack_msg *m, u64 now_ns);
void rcc_link_acked(struct rcc_qp *qp, u32 ack, u64 now_ns);
void rcc_link_probed(struct rcc_qp *qp, const struct rcc_probe *probe, u64 now_ns);

/* link_rx.c */
bool rcc_link_rx(struct rcc_qp *qp, struct sk_buff *skb, const struct rcc_pkt *pkt);
void rcc_link_report(struct rcc_qp *qp, u64 now_ns, struct sk_buff_head *out);
void rcc_link_give_up(struct rcc_qp *qp, u64 now_ns, struct sk_buff_head *out);
void rcc_link_hand_on(struct rcc_qp *qp);

/* qp.c */
/**
 * rcc_qp_find() - look a QP up
 * @dev: its device
 * @qpn: its local number
 *
 * The caller holds rcu_read_lock(), and uses the record no longer than that.
 *
 * Return: the record, or NULL.
 */
static inline struct rcc_qp *rcc_qp_find(struct rcc_dev *dev, u32 qpn)
{
	struct rcc_qpent *ent = rcc_qptab_find(dev->tab, qpn);

	return ent ? container_of(ent, struct rcc_qp, ent) : NULL;
}

/* Does a packet on its way out go to the peer that we know? The caller holds the QP's lock. */
static inline bool rcc_qp_same_peer(const struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	const struct rcc_flow *flow = &qp->flow;

	if (flow->version != pkt->version || flow->dqpn != pkt->dqpn)
		return false;
	if (pkt->version == 4)
		return !memcmp(flow->daddr, &ip_hdr(skb)->daddr, 4);
	return !memcmp(flow->daddr, &ipv6_hdr(skb)->daddr, 16);
}

/* The same by the same source port: nothing about the peer is new. */
static inline bool rcc_qp_to_peer(const struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt)
{
	return qp->flow.sport == pkt->sport && rcc_qp_same_peer(qp, skb, pkt);
}

struct rcc_qp *rcc_qp_learn(struct rcc_dev *dev, const struct ib_qp *ibqp);
bool rcc_qp_from_peer(const struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt);
void rcc_qp_note_peer(struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt);
void rcc_qp_connect(struct rcc_qp *qp, const struct rcc_flow *flow);
void rcc_qp_gone(struct rcc_qp *qp, int why);
void rcc_qp_gone_work(struct work_struct *work);
void rcc_qp_remove_all(struct rcc_dev *dev);
void rcc_qp_drop_held(struct rcc_dev *dev);
void rcc_qp_restart_all(struct rcc_dev *dev);
void rcc_qp_follow_dev(struct rcc_dev *dev);
void rcc_qp_leave_alg(struct rcc_dev *dev, struct rcc_slot *slot, struct rcc_slot *to);
int rcc_qp_set_alg(struct rcc_dev *dev, u32 qpn, const char *name, size_t len);
int rcc_qp_set_spray(struct rcc_dev *dev, u32 qpn, u32 mode);
void rcc_qp_stop_links(struct rcc_dev *dev);
void rcc_qp_spray_all(struct rcc_dev *dev);
void rcc_qp_info(struct rcc_qp *qp, struct rcc_qp_info *info);
u32 rcc_qp_paths(struct rcc_qp *qp, struct rcc_path_info paths[RCC_PATHS_MAX]);
void rcc_qp_put(struct rcc_qp *qp);

/* pacer.c */
int rcc_pacer_init(struct rcc_dev *dev);
void rcc_pacer_exit(struct rcc_dev *dev);
void rcc_pacer_send(struct rcc_dev *dev, struct sk_buff *skb);
void rcc_pacer_submit(struct rcc_qp *qp, struct sk_buff *skb, struct rcc_pkt *pkt);
void rcc_pacer_arm(struct rcc_qp *qp, u64 now_ns);
void rcc_pacer_rearm(struct rcc_qp *qp, u64 now_ns);
void rcc_pacer_wake(struct rcc_qp *qp, u64 now_ns);
void rcc_pacer_wake_link(struct rcc_qp *qp, u64 now_ns);
void rcc_pacer_set_rate(struct rcc_qp *qp, u64 now_ns);
u64 rcc_pacer_stall_ns(const struct rcc_qp *qp);
void rcc_pacer_disarm(struct rcc_qp *qp);
void rcc_pacer_purge(struct rcc_qp *qp, struct sk_buff_head *queue, u32 psn, struct sk_buff_head *out);

/* The longest time for which a packet may wait for anything but its rate. */
static inline u64 rcc_hold_max_ns(const struct rcc_qp *qp)
{
	u64 timeout_ns = READ_ONCE(qp->timeout_ns);

	return timeout_ns ? min(timeout_ns / 2, RCC_HOLD_MAX_NS) : RCC_HOLD_MAX_NS;
}

/* stream.c */
void rcc_stream_follow(struct rcc_qp *qp, const struct sk_buff *skb, const struct rcc_pkt *pkt, u64 now_ns,
		       struct sk_buff_head *stale);
void rcc_stream_depart(struct rcc_qp *qp, struct sk_buff *skb, struct rcc_pkt *pkt, u64 now_ns, bool waited);

/* cc_core.c */
void rcc_cc_start(struct rcc_qp *qp, u64 now_ns);
void rcc_cc_follow(struct rcc_qp *qp, u64 now_ns);
void rcc_cc_sent(struct rcc_qp *qp, u64 now_ns);
void rcc_cc_event(struct rcc_qp *qp, struct rcc_event *ev);
void rcc_cc_timer(struct rcc_qp *qp, u64 now_ns);
void rcc_cc_base_rtt(struct rcc_dev *dev, u64 rtt_ns);

/* alg.c */
extern struct mutex rcc_algs_lock;
extern struct rcc_slot rcc_slots[RCC_NALGS_MAX];

/* What stands in a slot. The caller keeps it from going: see rcc_slot_find(). */
static inline const struct rcc_alg *rcc_slot_alg(const struct rcc_slot *slot)
{
	return rcu_dereference_check(slot->alg, true);
}

struct rcc_slot *rcc_slot_find(const char *name, size_t len);
const struct rcc_alg *rcc_slot_get(struct rcc_slot *slot);
void rcc_slot_put(struct rcc_slot *slot);
struct rcc_slot *rcc_slot_default(void);
void rcc_alg_init(void);

/* bpf_ops.c */
u64 bpf_rcc_mul_div(u64 a, u64 b, u64 c);
void rcc_bpf_init(void);

/* conf.c */
/* Has a device gone whose reference one has? The caller holds its cfg. If not, no algorithm goes while that is held. */
static inline bool rcc_conf_gone(const struct rcc_dev *dev)
{
	return !dev->slot;
}

/* Name of a device's algorithm; of one that is just going, the first built-in one's. The caller holds its cfg. */
static inline const char *rcc_conf_alg_name(const struct rcc_dev *dev)
{
	const struct rcc_alg *alg = rcc_slot_alg(dev->slot);

	return (alg ?: rcc_slot_alg(&rcc_slots[0]))->name;
}

const struct rcc_alg *rcc_conf_alg(u32 index);
struct rcc_path rcc_conf_path(const struct rcc_dev *dev);
int rcc_conf_init(struct rcc_dev *dev);
void rcc_conf_stop(struct rcc_dev *dev);
void rcc_conf_exit(struct rcc_dev *dev);
int rcc_conf_add_alg(struct rcc_dev *dev, struct rcc_slot *slot, const struct rcc_alg *alg,
		     const struct rcc_slot *like);
void rcc_conf_leave_alg(struct rcc_dev *dev, struct rcc_slot *slot, struct rcc_slot *to);
void rcc_conf_del_alg(struct rcc_dev *dev, struct rcc_slot *slot);
int rcc_conf_set_alg(struct rcc_dev *dev, const char *name, size_t len);
int rcc_conf_set_profile(struct rcc_dev *dev, enum rcc_profile profile);
int rcc_conf_set_params(struct rcc_dev *dev, u32 set, enum rcc_profile profile, const struct rcc_setting *settings,
			u32 n, u32 *bad);
int rcc_conf_set_param(struct rcc_dev *dev, u32 set, u32 param, u64 value);
int rcc_conf_set(struct rcc_dev *dev, const struct rcc_change *change);
u64 rcc_conf_get_param(struct rcc_dev *dev, u32 set, u32 param);
void rcc_conf_set_link_layer(struct rcc_dev *dev, bool on);
void rcc_conf_set_spray(struct rcc_dev *dev, u32 mode, u32 entropies);
void rcc_conf_set_line(struct rcc_dev *dev, u64 bps);
void rcc_conf_set_link(struct rcc_dev *dev, u64 bps);

/* dev.c */
extern struct ib_client rcc_client;
extern struct list_head rcc_dev_list;
struct rcc_dev *rcc_dev_by_netdev(const struct net_device *ndev);
struct rcc_dev *rcc_dev_get(const char *name);
struct rcc_dev *rcc_dev_get_from(u64 id);
void rcc_dev_name(const struct rcc_dev *dev, char *name, size_t size);
int rcc_dev_init(void);
void rcc_dev_exit(void);
void rcc_dev_open_all(void);

/* probe.c */
int rcc_probe_add(void);
void rcc_probe_del(void);

/* sysfs.c */
extern struct class rcc_class;
int rcc_sysfs_add(struct rcc_dev *dev);
void rcc_sysfs_del(struct rcc_dev *dev);
int rcc_sysfs_add_params(struct rcc_dev *dev, u32 set);
void rcc_sysfs_del_params(struct rcc_dev *dev, u32 set);

/* netlink.c */
int rcc_netlink_init(void);
void rcc_netlink_exit(void);

/* replay.c */
void rcc_replay_add(struct dentry *dir);

/* debugfs.c */
void rcc_debugfs_init(void);
void rcc_debugfs_exit(void);
void rcc_debugfs_add(struct rcc_dev *dev);

#endif /* RCC_H */
