/* SPDX-License-Identifier: GPL-2.0 */
/* What the command line says. */
#ifndef FABSIM_OPTS_H
#define FABSIM_OPTS_H

#include "algs.h"
#include "np.h"

/* one --set */
struct setting {
	const struct rcc_alg *alg;
	u32 index;
	u64 value;
};

#define SETTINGS_MAX		48

enum topo_kind {
	TOPO_INCAST,		/* N hosts, a switch, one receiver */
	TOPO_DUMBBELL,		/* N hosts, two switches, N receivers */
	TOPO_FILE,
};

/* what the command line says; opts.c has the defaults */
struct opts {
	u64 rate_bps;		/* of all links that have none of their own */
	enum topo_kind topo;
	const char *topo_file;
	const char *flows_file;
	const char *out;
	bool json;
	u32 senders;
	u64 host_bps;		/* 0: rate_bps */
	u64 bottleneck_bps;	/* 0: rate_bps */
	u64 delay_ps;
	u64 jitter_ps;
	u32 mtu_bytes;		/* payload */
	u32 header_bytes;
	u32 ack_bytes;
	u64 buffer_bytes;
	u32 alpha_8;
	u64 kmin_bytes;		/* NEVER: by the rate */
	u64 kmax_bytes;
	u32 pmax_permille;
	bool ecn;
	bool pfc;
	bool ns_truncate;
	bool cnp_echo;
	bool ack_as_data;
	const struct rcc_alg *alg;
	bool preset;		/* hpcc */
	int profile;
	const char *sets[SETTINGS_MAX];	/* as given */
	u32 nsets;
	struct setting settings[2 * SETTINGS_MAX];	/* as understood; a preset's come first */
	u32 nsettings;
	u64 seed;
	u64 size_bytes;		/* NEVER: long */
	u64 duration_ps;	/* 0: until all is done */
	u64 stagger_ps;
	u64 join_ps;		/* 0: none */
	u64 leave_ps;
	u32 leavers;
	u32 window_psn;		/* 0: none */
	u32 ack_every;
	u64 rto_ps;
	u64 sample_ps;
	u64 window_ps;
	u64 hold_ps;
	u64 warmup_ps;		/* NEVER: by the kind of flows */
};

#endif /* FABSIM_OPTS_H */
