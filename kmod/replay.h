/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /sys/kernel/debug/rxe_cc/replay: feed an algorithm events by hand, and see what it decides.
 *
 *	write	struct rcc_replay_head		who, on what path, with which values; the state begins anew
 *	read	struct rcc_replay_result and the first decision
 *	write	up to RCC_REPLAY_MAX events
 *	read	struct rcc_replay_result and as many decisions
 *
 * Each open file is a flow of its own. No packet and no QP is involved. It serves conformance tests, which compare an
 * algorithm's homes, and measurements; it is no stable interface.
 */
#ifndef RCC_REPLAY_H
#define RCC_REPLAY_H

#include "cc/cc.h"

#define RCC_REPLAY_MAX	1024

/**
 * struct rcc_replay_head - begin a flow
 * @alg: the algorithm's name, terminated
 * @path: what it is told of the way
 * @values: of all of its parameters
 * @now_ns: when the flow begins
 */
struct rcc_replay_head {
	char alg[RCC_NAME_BYTES];
	struct rcc_path path;
	struct rcc_values values;
	u64 now_ns;
};

/**
 * struct rcc_replay_result - what precedes the decisions
 * @ns: time that all events of the batch took
 * @count: how many decisions follow
 */
struct rcc_replay_result {
	u64 ns;
	u64 count;
};

#endif /* RCC_REPLAY_H */
