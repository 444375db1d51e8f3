/* SPDX-License-Identifier: GPL-2.0 */
/* What tm.c and tm_load.c share. */
#ifndef RXECC_TM_PRIV_H
#define RXECC_TM_PRIV_H

#include "tm.h"

/* the maps, with the names of their pins in tm_map_names[] */
enum tm_map {
	TM_MAP_QP,
	TM_MAP_HIST,
	TM_MAP_FLYING,
	TM_MAP_LOST,
	TM_MAPS
};

extern const char *const tm_map_names[TM_MAPS];

struct telemetry_bpf;

/**
 * struct telemetry - opened telemetry
 * @dir: where maps are, or will be, pinned
 * @fd: of the maps
 * @own: maps and programs are our own
 * @lock: as long as this is open, we are the agent of @dir; -1: we are none
 * @skel: our own programs; NULL: none are loaded
 * @rxe: they include those for rdma_rxe
 * @attached_ns: when it was last looked what can be attached
 * @missing: what cannot be seen, and why
 * @missing_functions: so much of it is about functions of rdma_rxe
 * @missed: TM_LOST_MISSED
 * @missed_before: what it was when the programs were loaded
 * @rows: what tm_rows() gave last, with room for @room
 * @per_cpu: room for a value of each of @cpus
 */
struct telemetry {
	const char *dir;
	int fd[TM_MAPS];
	bool own;
	int lock;
	struct telemetry_bpf *skel;
	bool rxe;
	u64 attached_ns;
	char missing[1024];
	size_t missing_functions;
	u64 missed;
	u64 missed_before;
	struct tm_row *rows;
	size_t room;
	u64 *per_cpu;
	int cpus;
};

/* tm_load.c */
bool tm_agent_lives(const char *dir);
void tm_count_missed(struct telemetry *tm);

/* tm_alive.c */
void tm_settle(struct telemetry *tm);
void tm_bury(struct telemetry *tm);

#endif /* RXECC_TM_PRIV_H */
