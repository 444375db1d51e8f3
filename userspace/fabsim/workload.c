// SPDX-License-Identifier: GPL-2.0
/* The flows: from whom, to whom, how much, and when; those of the built-in fabrics, or of a file (workload_file.c). */
#include "fabsim.h"

#define FIRST_SPORT	10000
#define DPORT		100

/* Parameters for flows on @path: the profile's, then what --set says. */
static void values_load(const struct opts *o, const struct rcc_path *path, struct rcc_values *v)
{
	u32 i;

	rcc_params_load(o->alg, o->profile, path, v);
	for (i = 0; i < o->nsettings; i++)
		if (o->settings[i].alg == o->alg && rcc_param_set(o->alg, v, o->settings[i].index, o->settings[i].value))
			die("--set: %s contradicts another parameter of %s",
			    o->alg->params[o->settings[i].index].name, o->alg->name);
}

static const struct profile *profile_find(struct sim *s, const struct rcc_path *path)
{
	struct profile *p;

	for (p = s->profiles; p; p = p->next)
		if (p->path.line_bps == path->line_bps && p->path.base_rtt_ns == path->base_rtt_ns)
			return p;
	p = alloc_zeroed(1, sizeof(*p));
	p->path = *path;
	p->next = s->profiles;
	values_load(s->opts, path, &p->values);
	s->profiles = p;
	return p;
}

/* The n-th flow of a pair of hosts has the n-th source port. Pairs stand in a hash table with free places. */
static u16 next_sport(struct sim *s, u32 src, u32 dst)
{
	u64 hosts = (u64)src << 32 | dst;
	u32 i = (hosts * 0x9e3779b97f4a7c15ULL >> 32) & s->pairs_mask;

	while (s->pairs[i].flows && s->pairs[i].hosts != hosts)
		i = (i + 1) & s->pairs_mask;
	s->pairs[i].hosts = hosts;
	return FIRST_SPORT + s->pairs[i].flows++;
}

/**
 * workload_alloc() - make room for flows
 * @s: the simulation
 * @count: how many workload_add() will be called for, at most
 */
void workload_alloc(struct sim *s, u32 count)
{
	u32 places = 2;

	while (places < 2 * count)
		places *= 2;
	s->pairs_mask = places - 1;
	s->pairs = alloc_zeroed(places, sizeof(*s->pairs));
	s->flows = alloc_zeroed(count, sizeof(*s->flows));
}

/**
 * workload_add() - add a flow
 * @s: the simulation, with room for it
 * @src: the sending host
 * @dst: the receiving host, another one
 * @bytes: payload; NEVER: without end
 * @start_ps: when it starts
 * @dport: destination port
 */
void workload_add(struct sim *s, u32 src, u32 dst, u64 bytes, u64 start_ps, u16 dport)
{
	struct flow *f = &s->flows[s->nflows];
	struct rcc_path path = { .mtu_bytes = s->opts->mtu_bytes + s->opts->header_bytes };

	f->port = s->topo.nodes[src].ports;
	f->to = s->topo.nodes[dst].ports;
	f->bytes = bytes;
	f->start_ps = start_ps;
	f->index = s->nflows;
	f->dport = dport;
	f->sport = next_sport(s, src, dst);
	route_to(s, f->to->node);
	route_to(s, f->port->node);
	path.line_bps = f->port->rate_bps;
	if (!route_walk(s, f, f->port, f->to, 0).min_bps)
		die("no way from host %u to host %u", src, dst);
	path.base_rtt_ns = base_rtt_ps(s, f) / PS_PER_NS;
	f->profile = profile_find(s, &path);
	flow_init(s, f);
	s->nflows++;
}

static void leave(struct sim *s, struct timer *t)
{
	u32 i;

	for (i = s->nflows - s->opts->leavers; i < s->nflows; i++)
		flow_stop(s, &s->flows[i]);
}

static void built_in(struct sim *s)
{
	const struct opts *o = s->opts;
	u32 n = o->senders, i;

	workload_alloc(s, n);
	for (i = 0; i < n; i++)
		workload_add(s, 2 + i, o->topo == TOPO_INCAST ? 1 : 2 + n + i, o->size_bytes,
			     i == n - 1 && o->join_ps ? o->join_ps : i * o->stagger_ps, DPORT);
	timer_init(s, &s->leave, leave);
	if (o->leave_ps)
		timer_arm(s, &s->leave, o->leave_ps);
}

/**
 * workload_build() - make the flows that the options ask for
 * @s: the simulation, with its fabric
 */
void workload_build(struct sim *s)
{
	if (s->opts->flows_file)
		workload_read(s, s->opts->flows_file);
	else
		built_in(s);
}
