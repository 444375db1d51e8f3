// SPDX-License-Identifier: GPL-2.0
/*
 * The command line: one table says of each option what it takes, where that goes, and what is allowed. Everything is
 * checked before anything is done.
 */
#include <argp.h>

#include "fabsim.h"

#define KEY0	0x100		/* key of the first option; above all characters */

/* what an option takes */
enum take {
	TAKE_RATE,
	TAKE_TIME,
	TAKE_BYTES,
	TAKE_NUMBER,
	TAKE_SEED,
	TAKE_TEXT,
	TAKE_ON,
	TAKE_OFF,
	TAKE_TOPO,
	TAKE_SIZE,
	TAKE_ALG,
	TAKE_PROFILE,
	TAKE_SET,
	TAKE_PRESET,
	TAKE_LIST,
};

struct option_row {
	const char *name;
	const char *arg;
	enum take take;
	size_t at;		/* offset in struct opts */
	u64 min;
	u64 max;
	const char *doc;
};

#define AT(field)	offsetof(struct opts, field)
#define BPS_MIN		100000ULL
#define BPS_MAX		10000000000000ULL
#define TIME_MAX	(1000 * PS_PER_SEC)

static const struct option_row rows[] = {
	{ "topo", "incast|dumbbell|FILE", TAKE_TOPO, 0, 0, 0, "fabric; FILE is in HPCC's format (incast)" },
	{ "flows", "FILE", TAKE_TEXT, AT(flows_file), 0, 0, "flows in HPCC's format, for --topo FILE" },
	{ "senders", "N", TAKE_NUMBER, AT(senders), 1, 60000, "sending hosts (16)" },
	{ "rate", "RATE", TAKE_RATE, AT(rate_bps), BPS_MIN, BPS_MAX, "rate of all links (100g)" },
	{ "host-rate", "RATE", TAKE_RATE, AT(host_bps), BPS_MIN, BPS_MAX, "rate of the hosts' links (--rate)" },
	{ "bottleneck", "RATE", TAKE_RATE, AT(bottleneck_bps), BPS_MIN, BPS_MAX,
	  "rate of the port that is shared (--rate)" },
	{ "delay", "TIME", TAKE_TIME, AT(delay_ps), 0, PS_PER_SEC, "propagation of each link (1us)" },
	{ "jitter", "TIME", TAKE_TIME, AT(jitter_ps), 0, 1000 * PS_PER_US,
	  "what a NIC sends takes longer by a random time up to that (0)" },
	{ "mtu", "BYTES", TAKE_BYTES, AT(mtu_bytes), 64, 9000, "payload of a full packet (1000)" },
	{ "header", "BYTES", TAKE_BYTES, AT(header_bytes), 1, 256, "what comes on top of it on the wire (48)" },
	{ "ack-bytes", "BYTES", TAKE_BYTES, AT(ack_bytes), 1, 256, "size of ACK, NAK and CNP on the wire (60)" },
	{ "buffer", "BYTES", TAKE_BYTES, AT(buffer_bytes), 2000, 1ULL << 40, "shared buffer of each switch (32mi)" },
	{ "dt-alpha", "EIGHTHS", TAKE_NUMBER, AT(alpha_8), 0, 1024,
	  "a queue may have so many eighths of the free buffer; 0: all of it (0)" },
	{ "kmin", "BYTES", TAKE_BYTES, AT(kmin_bytes), 0, 1ULL << 31, "queue above which ports mark (4 KB per Gb/s)" },
	{ "kmax", "BYTES", TAKE_BYTES, AT(kmax_bytes), 0, 1ULL << 31,
	  "queue above which they mark everything (16 KB per Gb/s)" },
	{ "pmax", "PERMILLE", TAKE_NUMBER, AT(pmax_permille), 0, 1000, "probability at kmax (200)" },
	{ "no-ecn", NULL, TAKE_OFF, AT(ecn), 0, 0, "ports do not mark" },
	{ "pfc", NULL, TAKE_ON, AT(pfc), 0, 0, "ports pause their peers and do not drop" },
	{ "ns-truncate", NULL, TAKE_ON, AT(ns_truncate), 0, 0, "transmissions take whole nanoseconds, as in ns-3" },
	{ "alg", "NAME", TAKE_ALG, 0, 0, 0, "congestion control (dcqcn)" },
	{ "list-algs", NULL, TAKE_LIST, 0, 0, 0, "print the names that --alg takes" },
	{ "profile", "NAME", TAKE_PROFILE, 0, 0, 0, "its parameters (auto)" },
	{ "set", "NAME=VALUE", TAKE_SET, 0, 0, 0, "one of its parameters, or of the receivers' (np_*)" },
	{ "preset", "hpcc", TAKE_PRESET, 0, 0, 0, "all that HPCC's simulator does differently; see the documentation" },
	{ "cnp-echo", NULL, TAKE_ON, AT(cnp_echo), 0, 0, "CE comes back on the ACK instead of in a CNP" },
	{ "ack-as-data", NULL, TAKE_ON, AT(ack_as_data), 0, 0, "switches queue ACKs with data, not before it" },
	{ "ack-every", "N", TAKE_NUMBER, AT(ack_every), 1, 1024, "packets per ACK (1)" },
	{ "window-psn", "N", TAKE_NUMBER, AT(window_psn), 0, 1 << 23, "packets unacknowledged per flow; 0: any (0)" },
	{ "rto", "TIME", TAKE_TIME, AT(rto_ps), PS_PER_US, TIME_MAX, "retransmission timeout (16.8ms; rxe: 67ms)" },
	{ "size", "BYTES|long", TAKE_SIZE, 0, 0, 0, "message of each flow (long)" },
	{ "duration", "TIME", TAKE_TIME, AT(duration_ps), PS_PER_US, TIME_MAX,
	  "length of the run (50ms for long flows, until all is done for others)" },
	{ "start-stagger", "TIME", TAKE_TIME, AT(stagger_ps), 0, PS_PER_SEC, "flow n starts n times later (0)" },
	{ "join", "TIME", TAKE_TIME, AT(join_ps), PS_PER_US, TIME_MAX, "the last flow starts then" },
	{ "leave", "TIME", TAKE_TIME, AT(leave_ps), PS_PER_US, TIME_MAX, "the last flow stops then" },
	{ "leavers", "N", TAKE_NUMBER, AT(leavers), 1, 60000, "so many stop (1)" },
	{ "seed", "N", TAKE_SEED, AT(seed), 0, NEVER, "of the random numbers (1)" },
	{ "sample", "TIME", TAKE_TIME, AT(sample_ps), 100 * PS_PER_NS, PS_PER_SEC, "time between samples (10us)" },
	{ "window", "TIME", TAKE_TIME, AT(window_ps), PS_PER_US, PS_PER_SEC,
	  "rates are averaged over that for convergence (1ms)" },
	{ "hold", "TIME", TAKE_TIME, AT(hold_ps), 0, TIME_MAX, "so long a share must stay fair (5ms)" },
	{ "warmup", "TIME", TAKE_TIME, AT(warmup_ps), 0, TIME_MAX,
	  "figures begin then (10ms for long flows, 0 for others)" },
	{ "out", "DIR", TAKE_TEXT, AT(out), 0, 0, "write flows, series and pictures there" },
	{ "json", NULL, TAKE_ON, AT(json), 0, 0, "print the summary as JSON" },
};

static const struct opts defaults = {
	.senders = 16, .rate_bps = 100000000000ULL, .delay_ps = PS_PER_US,
	.mtu_bytes = 1000, .header_bytes = 48, .ack_bytes = 60,
	.buffer_bytes = 32 << 20, .kmin_bytes = NEVER, .kmax_bytes = NEVER, .pmax_permille = 200, .ecn = true,
	.alg = &rcc_alg_dcqcn, .profile = RCC_PROFILE_AUTO, .ack_every = 1, .rto_ps = 16800 * PS_PER_US,
	.size_bytes = NEVER, .leavers = 1, .seed = 1, .sample_ps = 10 * PS_PER_US,
	.window_ps = 1000 * PS_PER_US, .hold_ps = 5000 * PS_PER_US, .warmup_ps = NEVER,
};

/* Fields for numbers and sizes of packets are u32, the others u64. */
static bool is_u32(const struct option_row *r)
{
	return r->take == TAKE_NUMBER || r->at == AT(mtu_bytes) || r->at == AT(header_bytes) || r->at == AT(ack_bytes);
}

static int parse_quantity(const struct option_row *r, const char *arg, u64 *v)
{
	if (r->take == TAKE_RATE)
		return parse_rate(arg, v);
	if (r->take == TAKE_TIME)
		return parse_time(arg, v);
	if (r->take == TAKE_BYTES)
		return parse_bytes(arg, v);
	return rcc_u64_parse(arg, strlen(arg), v);
}

/* A bound, in the option's own units. */
static const char *bound(const struct option_row *r, u64 v, char *text, size_t room)
{
	if (r->take == TAKE_RATE)
		snprintf(text, room, "%llum", (unsigned long long)(v / 1000000));
	if (r->take == TAKE_RATE && v < 1000000)
		snprintf(text, room, "%lluk", (unsigned long long)(v / 1000));
	if (r->take == TAKE_TIME)
		snprintf(text, room, "%lluns", (unsigned long long)(v / PS_PER_NS));
	if (r->take != TAKE_RATE && r->take != TAKE_TIME)
		snprintf(text, room, "%llu", (unsigned long long)v);
	return text;
}

static void take_quantity(struct opts *o, const struct option_row *r, const char *arg)
{
	static const char *const example[] = {
		[TAKE_RATE] = "a rate such as 100g or 200m", [TAKE_TIME] = "a time such as 1us or 50ms",
		[TAKE_BYTES] = "a size such as 500k or 32mi", [TAKE_NUMBER] = "a number", [TAKE_SEED] = "a number",
	};
	char least[32], most[32];
	u64 v;

	if (parse_quantity(r, arg, &v) || v < r->min || v > r->max)
		die("--%s=%s: must be %s, from %s to %s", r->name, arg, example[r->take],
		    bound(r, r->min, least, sizeof(least)), bound(r, r->max, most, sizeof(most)));
	if (is_u32(r))
		*(u32 *)((char *)o + r->at) = v;
	else
		*(u64 *)((char *)o + r->at) = v;
}

static void take_topo(struct opts *o, const char *arg)
{
	o->topo = TOPO_FILE;
	o->topo_file = arg;
	if (!strcmp(arg, "incast"))
		o->topo = TOPO_INCAST;
	if (!strcmp(arg, "dumbbell"))
		o->topo = TOPO_DUMBBELL;
}

static void take_size(struct opts *o, const char *arg)
{
	o->size_bytes = NEVER;
	if (!strcmp(arg, "long"))
		return;
	if (parse_bytes(arg, &o->size_bytes) || !o->size_bytes || o->size_bytes > 1ULL << 38)
		die("--size=%s: must be \"long\" or a size such as 500k, from 1 to %llu", arg, 1ULL << 38);
}

/* "dcqcn none": what could have been written instead */
static const char *alg_names(void)
{
	static char text[512];
	u32 i;

	for (i = 0; i < rcc_nalgs; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "", rcc_algs[i]->name);
	return text;
}

static const char *profile_names(void)
{
	static char text[128];
	u32 i;

	for (i = 0; i < RCC_PROFILES_SET; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "", rcc_profile_names[i]);
	return text;
}

static _Noreturn void list_algs(void)
{
	puts(alg_names());
	exit(0);
}

static void take_alg(struct opts *o, const char *arg)
{
	o->alg = rcc_alg_find(arg, strlen(arg));
	if (!o->alg)
		die("--alg=%s: must be one of: %s", arg, alg_names());
}

static void take_profile(struct opts *o, const char *arg)
{
	o->profile = rcc_profile_find(arg, strlen(arg));
	if (o->profile < 0)
		die("--profile=%s: must be one of: %s", arg, profile_names());
}

static void take_set(struct opts *o, const char *arg)
{
	if (o->nsets == SETTINGS_MAX)
		die("--set: at most %d of them", SETTINGS_MAX);
	o->sets[o->nsets++] = arg;
}

static void take(struct opts *o, const struct option_row *r, char *arg)
{
	void *at = (char *)o + r->at;

	if (r->take <= TAKE_SEED)
		take_quantity(o, r, arg);
	else if (r->take == TAKE_TEXT)
		*(const char **)at = arg;
	else if (r->take == TAKE_ON || r->take == TAKE_OFF)
		*(bool *)at = r->take == TAKE_ON;
	else if (r->take == TAKE_TOPO)
		take_topo(o, arg);
	else if (r->take == TAKE_SIZE)
		take_size(o, arg);
	else if (r->take == TAKE_ALG)
		take_alg(o, arg);
	else if (r->take == TAKE_PROFILE)
		take_profile(o, arg);
	else if (r->take == TAKE_SET)
		take_set(o, arg);
	else if (r->take == TAKE_PRESET)
		preset_take(o, arg);
	else
		list_algs();
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	u32 row = key - KEY0;

	if (key == ARGP_KEY_ARG)
		die("\"%s\" is no option; all options begin with --, see --help", arg);
	if (key < KEY0 || row >= ARRAY_SIZE(rows))
		return ARGP_ERR_UNKNOWN;
	take(state->input, &rows[row], arg);
	return 0;
}

/**
 * opts_parse() - read the command line, or end with a message that says what is allowed
 * @o: where it goes
 * @argc: of main()
 * @argv: of main()
 */
void opts_parse(struct opts *o, int argc, char **argv)
{
	struct argp_option options[ARRAY_SIZE(rows) + 1] = { 0 };
	struct argp argp = { options, parse, NULL, "Simulates a RoCE fabric, packet by packet, with rxe-cc's algorithms." };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		options[i] = (struct argp_option){ rows[i].name, KEY0 + i, rows[i].arg, 0, rows[i].doc, 0 };
	*o = defaults;
	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, o);
	opts_settle(o);
}
