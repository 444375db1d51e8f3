/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of a device: one table of names, mlx5's where there is one. Documented in Documentation/ABI. */
#ifndef RCC_STATS_H
#define RCC_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

#define RCC_COUNTERS(c)								\
	/* notification point */						\
	c(np_ecn_marked_roce_packets)	/* packets received with CE */		\
	c(np_cnp_sent)								\
	c(np_cnp_moderated)	/* CE within np_min_time_between_cnps */	\
	c(np_cnp_no_sender)	/* CE, but the sender's QP is not known */	\
	c(np_cnp_bad_icrc)	/* CE on a corrupt packet */			\
	c(np_cnp_off)		/* CE while `ecn` is 0 */			\
	c(np_cnp_failed)	/* no memory or no route for a CNP */		\
	c(np_cnp_linked)	/* CE that a SACK reports instead */		\
	/* reaction point: received = handled + ignored */			\
	c(rp_cnp_handled)							\
	c(rp_cnp_ignored)	/* the sum of the reasons below */		\
	c(rp_cnp_ignored_malformed)						\
	c(rp_cnp_ignored_icrc)							\
	c(rp_cnp_ignored_qpn)	/* no such QP */				\
	c(rp_cnp_ignored_addr)	/* not from the QP's peer */			\
	c(rp_cnp_ignored_off)	/* the algorithm, or the QP's type, has no rate */ \
	/* loss as the sender sees it */					\
	c(packet_seq_err)	/* NAKs that said "out of sequence" */		\
	c(rnr_nak)								\
	c(nak_ignored)	/* ACKs and NAKs: forged, corrupt, repeated or of another kind */ \
	c(local_ack_timeout_err)	/* sent again without a NAK */		\
	c(roce_adp_retrans)	/* packets sent again */			\
	/* tx_held + rx_read_held = what was released, purged, dropped + held_packets */ \
	c(tx_packets)								\
	c(tx_ect_marked)							\
	c(tx_held)		/* packets that waited for their time */	\
	c(tx_released)								\
	c(tx_purged)		/* held, but rxe will send them again anyway */	\
	c(tx_dropped_link_down)							\
	c(tx_unpaced_overflow)	/* too much held: sent at once */		\
	c(tx_dropped_resp_overflow)	/* READ response beyond the QP's bound */ \
	c(tx_local_drop)	/* lost between us and the wire */		\
	c(tx_unparsed)		/* from rxe, but not RoCEv2 as we know it */	\
	c(tx_window_stall)	/* sent beyond a window that no ACK opened in time */ \
	c(tx_read_charge_cut)	/* READs whose data would have held the QP for too long */ \
	c(tx_ackreq)		/* ACK asked for to keep rxe's timer quiet */	\
	c(rx_read_held)		/* requests held until READ responses drain */	\
	c(rx_read_released)							\
	c(rx_read_dropped)							\
	c(rx_malformed)		/* lengths that contradict each other */	\
	/* link layer: sessions */						\
	c(link_up)								\
	c(link_down_bye)	/* the peer's module or link layer goes */	\
	c(link_down_silent)	/* nothing we sent was acknowledged */	\
	c(link_down_reset)	/* the QP, its netdev or our link layer goes */	\
	c(link_down_unmended)	/* what is lost does not come again */		\
	c(link_fallback_mtu)	/* no room for the trailer, or path MTU not known */ \
	c(link_fallback_memory)							\
	c(link_hello_sent)							\
	c(link_hello_rcvd)							\
	c(link_hello_unanswered)	/* QPs that got no answer */		\
	/* link layer: control packets that changed nothing */			\
	c(link_ctl_malformed)							\
	c(link_ctl_icrc)							\
	c(link_ctl_qpn)		/* no such QP */				\
	c(link_ctl_addr)	/* not from the QP's peer */			\
	c(link_ctl_token)	/* not from who has our token */		\
	c(link_ctl_off)		/* HELLO while `link` is 0 */			\
	c(link_ctl_limited)	/* HELLOs too fast one after the other */	\
	c(link_ctl_failed)	/* no memory or no route for one of ours */	\
	c(link_sack_ignored)	/* says what cannot be */			\
	/* link layer: sending */						\
	c(link_tx_packets)	/* with a trailer */				\
	c(link_untracked)	/* without one although the session is up: no room */ \
	c(link_unkept)		/* no clone kept: rxe would have to repeat it */ \
	c(link_sack_rcvd)							\
	c(link_lost)		/* packets found lost */			\
	c(link_loss_told)	/* times that the algorithm heard of it */	\
	c(link_repeats)		/* packets sent again */			\
	c(link_repeats_timeout)	/* found lost by time alone */			\
	c(link_repeats_spurious)	/* repeats for nothing */		\
	c(link_ce)		/* packets that came with CE, as SACKs say */	\
	c(link_ce_told)		/* times that the algorithm heard of it */	\
	c(link_path_dead)							\
	c(link_path_back)							\
	c(link_probe_sent)							\
	c(link_probe_answered)							\
	/* link layer: receiving */						\
	c(link_rx_packets)	/* with a trailer */				\
	c(link_rx_untrailed)	/* without, from a peer that puts them on */	\
	c(link_rx_no_room)	/* dropped: memory, or too much waits */	\
	c(link_rx_duplicate)							\
	c(link_rx_beyond)	/* outside the window */			\
	c(link_out_of_sequence)	/* came before an earlier one: hidden from rxe */ \
	c(link_gap_skipped)	/* packets given up: rxe sees the gap */	\
	c(link_sack_sent)							\
	/* how far ahead of the one awaited they came: up to twice the number */ \
	c(link_reorder_depth_1)							\
	c(link_reorder_depth_2)							\
	c(link_reorder_depth_4)							\
	c(link_reorder_depth_8)							\
	c(link_reorder_depth_16)						\
	c(link_reorder_depth_32)						\
	c(link_reorder_depth_64)						\
	c(link_reorder_depth_128)						\
	c(link_reorder_depth_256)						\
	/* bookkeeping */							\
	c(rate_clamped)		/* decisions outside the pacer's range */	\
	c(cc_alg_changed)	/* a QP went on under another algorithm, live */ \
	c(cc_alg_gone)		/* an algorithm that was wanted is gone: the default serves */ \
	c(cc_bad_decision)	/* rate 0, or beyond any device's, or a timer in the past */ \
	c(cc_fallback)		/* 16 of those in a row: the QP left the algorithm */ \
	c(qp_new)								\
	c(qp_del)								\
	c(qp_reused)		/* a QPN came back with another QP */		\
	c(qp_no_memory)								\
	c(line_rate_unknown)	/* netdev without a speed: 10 Gb/s assumed */

enum rcc_counter {
#define RCC_COUNTER_ENUM(name) RCC_C_##name,
	RCC_COUNTERS(RCC_COUNTER_ENUM)
#undef RCC_COUNTER_ENUM
	RCC_NCOUNTERS
};

/**
 * struct rcc_stats - one CPU's counters
 * @c: by enum rcc_counter; only ever added to, so the sum over CPUs never goes back
 */
struct rcc_stats {
	u64 c[RCC_NCOUNTERS];
};

extern const char *const rcc_counter_names[RCC_NCOUNTERS];

u64 rcc_stats_sum(const struct rcc_stats __percpu *stats, enum rcc_counter counter);

#endif /* RCC_STATS_H */
