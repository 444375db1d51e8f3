/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which way the next packet goes. A path is a UDP source port: the fabric hashes it to a real path, and nobody says which, so
 * several of ours may share one. Path 0 is the port that rxe gave the QP.
 *
 *	none	always path 0
 *	rr	one after the other
 *	random	any
 *	reps	recycled entropies (Bonato et al., "REPS: Recycled Entropy Packet Spraying", 2024): a path by which a packet has
 *		come without CE serves once more, others by chance
 *	adaptive	each path pays for the time that its packets are on their way, and the one that has paid least is next;
 *		where round trips are longer than usual, or marks or losses more frequent, that time is dearer
 *
 * A path that loses packet after packet while others bring theirs is dead: it is left, and tried again with a probe, at first
 * at once, then ever more seldom, until one comes. With it go, until a probe says better, all that have brought nothing since
 * the lost packet left: a real path that breaks takes many of ours with it.
 */
#ifndef RCC_SPRAY_H
#define RCC_SPRAY_H

#include "sack.h"

#define RCC_SPRAY_RTTS		16

enum rcc_spray_mode {
	RCC_SPRAY_NONE,
	RCC_SPRAY_RR,
	RCC_SPRAY_RANDOM,
	RCC_SPRAY_REPS,
	RCC_SPRAY_ADAPTIVE,
	RCC_SPRAY_MODES,
};

/**
 * struct rcc_spray_path - one path
 * @port: UDP source port
 * @dead: it has lost everything lately, or is suspected to
 * @known: it is not only suspected
 * @misses: losses since a packet came by it
 * @weight: share of traffic, adaptive mode; RCC_SPRAY_WEIGHT is usual
 * @ce: share of packets that came with CE, smoothed, 0..65535
 * @cames_seen: packets that had come by any path when one came by this one last
 * @left_at: packets that had come by any path when the last one left by this one
 * @way_packets: packets that came since @way_ns began
 * @way_ns: time that packets spent on their way
 * @delay_ns: of one packet, SACK's delay included; 0: not known yet
 * @rtt_ns: round trip, smoothed; 0: not measured
 * @probe_ns: when to try it again; dead paths only
 * @probe_gap_ns: pause after that
 * @sent: packets
 * @came: packets acknowledged
 * @marked: those of them with CE
 * @lost: packets lost
 */
struct rcc_spray_path {
	u16 port;
	bool dead;
	bool known;
	u8 misses;
	u32 weight;
	u32 ce;
	u32 cames_seen;
	u32 left_at;
	u32 way_packets;
	u64 way_ns;
	u64 delay_ns;
	u64 rtt_ns;
	u64 probe_ns;
	u64 probe_gap_ns;
	u64 sent;
	u64 came;
	u64 marked;
	u64 lost;
};

#define RCC_SPRAY_WEIGHT	1024

/**
 * struct rcc_spray_meter - what a path pays, adaptive mode; small, since those of all paths are read for each packet
 * @debt: what it has paid
 * @charged_ns: until when
 * @flying: packets on their way
 * @cost: what a nanosecond of a packet's way costs, 2^20 / weight
 * @rate: @flying * @cost
 */
struct rcc_spray_meter {
	u64 debt;
	u64 charged_ns;
	u32 flying;
	u32 cost;
	u64 rate;
};

/**
 * struct rcc_spray - all paths of a QP
 * @mode: enum rcc_spray_mode
 * @n: how many paths, 1..RCC_PATHS_MAX; 1 in mode none
 * @dead: how many of them are, suspects included
 * @known: how many are known to be
 * @alive: which are not, as bits
 * @turn: path that was next last, mode rr
 * @head: oldest place in @cache
 * @cached: places in @cache
 * @cache: paths by which packets have come without CE, a ring, mode reps
 * @rtt_at: place in @rtt of the oldest
 * @rtts: places in @rtt
 * @rtt: the last round trips of any path, ns, in the order in which they came
 * @sorted: the same by size
 * @cames: packets that have come, modulo 2^32
 * @loss: losses per packet that came, of paths that live, smoothed, 65536 is one
 * @median_ce: of @ce of all paths that live
 * @median_delay_ns: the same of @delay_ns
 * @paid: least @debt when last looked at
 * @suspect_ns: no path is suspected before
 * @round_ns: when medians and weights are computed again
 * @meter: of each path
 * @path: the paths
 */
struct rcc_spray {
	u8 mode;
	u8 n;
	u8 dead;
	u8 known;
	u8 turn;
	u8 head;
	u8 cached;
	u8 cache[RCC_PATHS_MAX];
	u8 rtt_at;
	u8 rtts;
	u32 rtt[RCC_SPRAY_RTTS];
	u32 sorted[RCC_SPRAY_RTTS];
	u32 cames;
	u32 loss;
	u32 median_ce;
	u64 median_delay_ns;
	u64 paid;
	u64 suspect_ns;
	u64 round_ns;
	u64 alive;
	struct rcc_spray_meter meter[RCC_PATHS_MAX];
	struct rcc_spray_path path[RCC_PATHS_MAX];
};

void rcc_spray_init(struct rcc_spray *sp, enum rcc_spray_mode mode, u32 n, u16 port0, u32 seed);
void rcc_spray_set(struct rcc_spray *sp, enum rcc_spray_mode mode, u32 n, u32 seed);
void rcc_spray_sent(struct rcc_spray *sp, u64 now_ns, u32 path);
u32 rcc_spray_pick(struct rcc_spray *sp, u64 now_ns, u32 random);
u32 rcc_spray_steady(struct rcc_spray *sp);
u32 rcc_spray_detour(struct rcc_spray *sp, u64 now_ns, u32 random, u32 lost_by);
bool rcc_spray_came(struct rcc_spray *sp, u64 now_ns, u32 path, bool ce);
void rcc_spray_marked(struct rcc_spray *sp, u32 path);
void rcc_spray_rtt(struct rcc_spray *sp, u64 now_ns, u32 path, u64 rtt_ns);
bool rcc_spray_lost(struct rcc_spray *sp, u64 now_ns, u32 path);
int rcc_spray_probe(struct rcc_spray *sp, u64 now_ns);
u64 rcc_spray_probe_due(const struct rcc_spray *sp);
u32 rcc_spray_mark_weight(struct rcc_spray *sp, u32 path);
u64 rcc_spray_median_rtt(struct rcc_spray *sp);

#endif /* RCC_SPRAY_H */
