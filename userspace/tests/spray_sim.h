/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One flow over several real paths, in simulated time:
 *
 *	sender: spray, sack, rate	-> path 0: FIFO, marks, drops ->	receiver: reorder, SACKs
 *		^			-> path 1: ...		      ->		|
 *		+-------------------------------- SACKs ------------------------------+
 *
 * The sender always has something to send, within rxe's window. The same seed gives the same run on every machine.
 */
#ifndef SPRAY_SIM_H
#define SPRAY_SIM_H

#include "reorder.h"
#include "spray.h"

#define SIM_PATHS_MAX	8
#define SIM_BYTES	4174

/* who decides the rate */
enum sim_control {
	SIM_FIXED,	/* nobody: start_bps */
	SIM_MARKS,	/* CE, as DCTCP does, weighted by the spray; losses too where nothing is marked */
	SIM_DELAY,	/* the median round trip against target_ns */
};

/**
 * struct sim_opts - what to simulate; 0 means none if nothing else is said
 * @mode: enum rcc_spray_mode
 * @ports: paths of the spray
 * @paths: real paths
 * @rate_bps: of each of them
 * @delay_ns: one way, without queues
 * @queue_bytes: of each path; more is dropped
 * @red_min: bytes in a queue from which on packets are marked, ever more
 * @red_max: all are; 0: no marks at all
 * @loss_ppm: packets lost by chance
 * @twice_ppm: packets that come twice
 * @sack_loss_ppm: SACKs lost
 * @late_ppm: packets that come @late_ns later
 * @late_ns: see @late_ppm
 * @window: packets that rxe leaves unacknowledged
 * @control: enum sim_control
 * @start_bps: first rate
 * @target_ns: round trip that SIM_DELAY wants
 * @bad_from_ns: one real path is other than usual between this
 * @bad_to_ns: and this time
 * @bad_bps: its rate then; 0: it loses everything silently
 * @warm_ns: figures count from here
 * @end_ns: to here
 * @seed: not 0
 */
struct sim_opts {
	enum rcc_spray_mode mode;
	u32 ports;
	u32 paths;
	u64 rate_bps;
	u64 delay_ns;
	u64 queue_bytes;
	u64 red_min;
	u64 red_max;
	u32 loss_ppm;
	u32 twice_ppm;
	u32 sack_loss_ppm;
	u32 late_ppm;
	u64 late_ns;
	u32 window;
	enum sim_control control;
	u64 start_bps;
	u64 target_ns;
	u64 bad_from_ns;
	u64 bad_to_ns;
	u64 bad_bps;
	u64 warm_ns;
	u64 end_ns;
	u64 seed;
};

/**
 * struct sim_result - what came out
 * @used: delivered in order, as a share of all paths' rates
 * @drops: data packets that the network lost, for any reason
 * @marks: that it marked
 * @repeats: packets sent again
 * @timeouts: those of them by time alone
 * @skipped: packets that the receiver has given up
 * @deepest: packets in the receiver's window, at most
 * @deaths: paths that died
 * @births: that lived again
 * @bad_first_ns: first drop by the bad path
 * @bad_known_ns: when the last of the ports on the bad path died
 * @bad_back_ns: when the bad path carried data again, after it was good again
 */
struct sim_result {
	double used;
	u64 drops;
	u64 marks;
	u64 repeats;
	u64 timeouts;
	u64 skipped;
	u64 deepest;
	u64 deaths;
	u64 births;
	u64 bad_first_ns;
	u64 bad_known_ns;
	u64 bad_back_ns;
};

void sim_run(const struct sim_opts *o, struct sim_result *res);

#endif /* SPRAY_SIM_H */
