// SPDX-License-Identifier: GPL-2.0
/* What options mean together: presets, defaults that depend on others, contradictions, and the algorithm's parameters. */
#include "fabsim.h"

/*
 * DCQCN as HPCC's simulator runs it. Its first increase after a cut is fast recovery and the second additive, which is a
 * threshold of 2 here, where a step is counted before it is taken.
 */
static const char *const hpcc_dcqcn[] = {
	"rp_initial_alpha_value=1024", "rp_dce_tcp_g=1020", "rp_dce_tcp_rtt=1", "rp_rate_reduce_monitor_period=4",
	"rp_time_reset=300", "rp_threshold=2", "rp_ai_rate=20", "rp_hai_rate=200", "rp_min_rate=1000",
	"rp_byte_reset=0", "rp_clamp_tgt_rate=0", "rp_clamp_tgt_rate_ati=1",
};

/**
 * preset_take() - set what a preset stands for; options after it go before it
 * @o: the options
 * @name: its name
 */
void preset_take(struct opts *o, const char *name)
{
	if (strcmp(name, "hpcc"))
		die("--preset=%s: must be hpcc", name);
	o->preset = true;
	o->pfc = true;
	o->ns_truncate = true;
	o->cnp_echo = true;
	o->ack_as_data = true;
	o->mtu_bytes = 1000;
	o->header_bytes = 48;
	o->ack_bytes = 60;
	o->ack_every = 1;
	o->buffer_bytes = 32 << 20;
	o->pmax_permille = 200;
	o->profile = RCC_PROFILE_PAPER;
}

static _Noreturn void unknown_parameter(const struct opts *o, const char *set)
{
	char text[1024] = "";
	u32 i;

	for (i = 0; i < o->alg->nparams; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s", o->alg->params[i].name);
	for (i = 0; i < rcc_np.nparams; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s", rcc_np.params[i].name);
	die("--set=%s: must be NAME=VALUE with a parameter of %s or the receivers:%s", set, o->alg->name, text);
}

static void setting_add(struct opts *o, const char *set)
{
	size_t len = strcspn(set, "=");
	const struct rcc_alg *alg = o->alg;
	int index = rcc_param_find(alg, set, len);
	const struct rcc_param *p;
	u64 value;

	if (index < 0) {
		alg = &rcc_np;
		index = rcc_param_find(alg, set, len);
	}
	if (index < 0 || !set[len])
		unknown_parameter(o, set);
	p = &alg->params[index];
	if (rcc_u64_parse(set + len + 1, strlen(set + len + 1), &value) || value < p->min || value > p->max)
		die("--set=%s: %s must be a number from %llu to %llu%s%s", set, p->name, (unsigned long long)p->min,
		    (unsigned long long)p->max, *p->unit ? " " : "", p->unit);
	o->settings[o->nsettings++] = (struct setting){ alg, index, value };
}

static void settings_find(struct opts *o)
{
	u32 i;

	for (i = 0; o->preset && o->alg == &rcc_alg_dcqcn && i < ARRAY_SIZE(hpcc_dcqcn); i++)
		setting_add(o, hpcc_dcqcn[i]);
	for (i = 0; i < o->nsets; i++)
		setting_add(o, o->sets[i]);
}

static void check_files(const struct opts *o)
{
	if (o->topo == TOPO_FILE && !o->flows_file)
		die("--topo=%s: must be incast or dumbbell, or a file together with --flows", o->topo_file);
	if (o->topo != TOPO_FILE && o->flows_file)
		die("--flows: only with --topo FILE");
	if (o->topo == TOPO_FILE && (o->join_ps || o->leave_ps))
		die("--join, --leave: only with --topo incast or dumbbell");
}

static void check_times(const struct opts *o)
{
	bool change = o->join_ps || o->leave_ps;

	if (change && o->size_bytes != NEVER)
		die("--join, --leave: only with --size long");
	if (o->leavers > o->senders)
		die("--leavers=%u: at most --senders, %u", o->leavers, o->senders);
	if (change && o->sample_ps > o->window_ps)
		die("--window: must not be shorter than --sample");
	if (o->duration_ps && rcc_max64(o->join_ps, o->leave_ps) >= o->duration_ps)
		die("--join, --leave: must be before --duration");
	if (o->join_ps && o->leave_ps && o->join_ps >= o->leave_ps)
		die("--join: must be before --leave");
	if (o->duration_ps && o->warmup_ps >= o->duration_ps)
		die("--warmup: must be before --duration");
}

/**
 * opts_settle() - fill in what depends on other options, and check what they say together
 * @o: the options as given
 */
void opts_settle(struct opts *o)
{
	bool endless = o->topo != TOPO_FILE && o->size_bytes == NEVER;

	o->host_bps = o->host_bps ? o->host_bps : o->rate_bps;
	o->bottleneck_bps = o->bottleneck_bps ? o->bottleneck_bps : o->rate_bps;
	if (endless && !o->duration_ps)
		o->duration_ps = 50000 * PS_PER_US;
	if (o->warmup_ps == NEVER)
		o->warmup_ps = endless ? rcc_min64(10000 * PS_PER_US, o->duration_ps / 2) : 0;
	check_files(o);
	check_times(o);
	if (o->kmin_bytes != NEVER && o->kmax_bytes != NEVER && o->kmin_bytes > o->kmax_bytes)
		die("--kmin: must not be above --kmax");
	settings_find(o);
}
