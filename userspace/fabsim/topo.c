// SPDX-License-Identifier: GPL-2.0
/*
 * The fabric: nodes, and links between them.
 *
 *	incast		2..N+1 --- 0 === 1		=== the bottleneck
 *	dumbbell	2..N+1 --- 0 === 1 --- N+2..2N+1
 *	file		see topo_file.c
 */
#include "fabsim.h"

/* PFC as HPCC's simulator sets it up: thresholds of 1/8 of what is free, more for links faster than the NICs' */
#define PFC_XON_OFFSET_BYTES	3072
#define PFC_HEADROOM_BDP	3
/* the marking of HPCC's work, by rate, but never below a few packets */
#define KMIN_BYTES_PER_GBPS	4000
#define KMAX_BYTES_PER_GBPS	16000
#define KMIN_PACKETS		5
#define KMAX_PACKETS		20

static u64 slowest_host_bps(const struct topo *t)
{
	u64 least = NEVER;
	u32 i;

	for (i = 0; i < t->nports; i++)
		if (!t->ports[i].node->is_switch)
			least = rcc_min64(least, t->ports[i].rate_bps);
	return least;
}

static void ecn_set(const struct sim *s, struct port *p)
{
	const struct opts *o = s->opts;
	u64 wire = o->mtu_bytes + o->header_bytes;

	p->ecn.kmin_bytes = rcc_max64(p->rate_bps * KMIN_BYTES_PER_GBPS / RCC_NSEC_PER_SEC, KMIN_PACKETS * wire);
	p->ecn.kmax_bytes = rcc_max64(p->rate_bps * KMAX_BYTES_PER_GBPS / RCC_NSEC_PER_SEC, KMAX_PACKETS * wire);
	if (o->kmin_bytes != NEVER)
		p->ecn.kmin_bytes = o->kmin_bytes;
	if (o->kmax_bytes != NEVER)
		p->ecn.kmax_bytes = o->kmax_bytes;
	p->ecn.kmax_bytes = rcc_max64(p->ecn.kmax_bytes, p->ecn.kmin_bytes);
	p->ecn.pmax_permille = o->pmax_permille;
}

static void pfc_set(struct port *p, u64 nic_bps)
{
	u64 rate_bps = p->peer->rate_bps;
	u32 alpha_8 = 1;

	for (; rate_bps > nic_bps && alpha_8 < RCC_ALPHA_ONE; rate_bps /= 2)
		alpha_8 *= 2;
	p->ingress.alpha_8 = alpha_8;
	p->ingress.xon_offset_bytes = PFC_XON_OFFSET_BYTES;
	p->ingress.headroom_bytes = PFC_HEADROOM_BDP * (p->peer->rate_bps / 8 * (p->delay_ps / PS_PER_NS) / RCC_NSEC_PER_SEC);
}

/* With PFC the headrooms come out of the buffer. */
static void switch_set(struct sim *s, struct node *n, u64 nic_bps)
{
	u64 headroom = 0;
	u32 i;

	for (i = 0; i < n->nports; i++) {
		ecn_set(s, &n->ports[i]);
		pfc_set(&n->ports[i], nic_bps);
		headroom += s->opts->pfc ? n->ports[i].ingress.headroom_bytes : 0;
	}
	if (headroom >= s->opts->buffer_bytes)
		die("--buffer: switch %u needs more than %llu bytes for PFC headroom alone", n->id,
		    (unsigned long long)headroom);
	n->buffer.size_bytes = s->opts->buffer_bytes - headroom;
	n->buffer.alpha_8 = s->opts->alpha_8;
}

static void nodes_alloc(struct topo *t, u32 nnodes, const bool *is_switch, const struct link_spec *links, u32 nlinks)
{
	struct port *p;
	u32 i;

	t->nnodes = nnodes;
	t->nports = 2 * nlinks;
	t->nodes = alloc_zeroed(nnodes, sizeof(*t->nodes));
	t->ports = alloc_zeroed(t->nports, sizeof(*t->ports));
	for (i = 0; i < nlinks; i++) {
		t->nodes[links[i].a].nports++;
		t->nodes[links[i].b].nports++;
	}
	for (i = 0, p = t->ports; i < nnodes; p += t->nodes[i++].nports) {
		t->nodes[i].id = i;
		t->nodes[i].ports = p;
		t->nodes[i].is_switch = is_switch[i];
	}
}

/* The next port of a node that has no peer yet. */
static struct port *next_port(struct node *n)
{
	struct port *p = n->ports;

	while (p->peer)
		p++;
	p->index = p - n->ports;
	p->node = n;
	return p;
}

static void link_make(struct sim *s, const struct link_spec *l)
{
	struct port *a = next_port(&s->topo.nodes[l->a]);
	struct port *b = next_port(&s->topo.nodes[l->b]);

	a->peer = b;
	b->peer = a;
	a->rate_bps = l->ab_bps;
	b->rate_bps = l->ba_bps;
	a->delay_ps = l->delay_ps;
	b->delay_ps = l->delay_ps;
	link_init(s, a);
	link_init(s, b);
}

/**
 * topo_make() - make a fabric of its links
 * @s: the simulation
 * @nnodes: number of nodes
 * @is_switch: which of them are switches; a host has one link
 * @links: the links, none from a node to itself
 * @nlinks: how many
 */
void topo_make(struct sim *s, u32 nnodes, const bool *is_switch, const struct link_spec *links, u32 nlinks)
{
	struct topo *t = &s->topo;
	u64 nic_bps;
	u32 i;

	nodes_alloc(t, nnodes, is_switch, links, nlinks);
	for (i = 0; i < nlinks; i++)
		link_make(s, &links[i]);
	nic_bps = slowest_host_bps(t);
	for (i = 0; i < nnodes; i++)
		if (t->nodes[i].is_switch)
			switch_set(s, &t->nodes[i], nic_bps);
}

/**
 * topo_watch() - say which port is the bottleneck, whose queue is looked at
 * @s: the simulation
 * @p: a port of a switch
 */
void topo_watch(struct sim *s, struct port *p)
{
	s->topo.bottleneck = p;
	p->hist = alloc_zeroed(1, sizeof(*p->hist));
}

static void incast(struct sim *s, bool *is_switch, struct link_spec *links)
{
	const struct opts *o = s->opts;
	u32 i;

	links[0] = (struct link_spec){ 0, 1, o->bottleneck_bps, o->host_bps, o->delay_ps };
	for (i = 0; i < o->senders; i++)
		links[1 + i] = (struct link_spec){ 2 + i, 0, o->host_bps, o->host_bps, o->delay_ps };
	is_switch[0] = true;
	topo_make(s, o->senders + 2, is_switch, links, o->senders + 1);
}

static void dumbbell(struct sim *s, bool *is_switch, struct link_spec *links)
{
	const struct opts *o = s->opts;
	u32 n = o->senders, i;

	links[0] = (struct link_spec){ 0, 1, o->bottleneck_bps, o->bottleneck_bps, o->delay_ps };
	for (i = 0; i < n; i++) {
		links[1 + i] = (struct link_spec){ 2 + i, 0, o->host_bps, o->host_bps, o->delay_ps };
		links[1 + n + i] = (struct link_spec){ 1, 2 + n + i, o->host_bps, o->host_bps, o->delay_ps };
	}
	is_switch[0] = true;
	is_switch[1] = true;
	topo_make(s, 2 * n + 2, is_switch, links, 2 * n + 1);
}

/**
 * topo_build() - make the fabric that the options ask for
 * @s: the simulation
 */
void topo_build(struct sim *s)
{
	const struct opts *o = s->opts;
	struct link_spec *links;
	bool *is_switch;

	if (o->topo == TOPO_FILE) {
		topo_read(s, o->topo_file);
		return;
	}
	links = alloc_zeroed(2 * o->senders + 1, sizeof(*links));
	is_switch = alloc_zeroed(2 * o->senders + 2, sizeof(*is_switch));
	if (o->topo == TOPO_INCAST)
		incast(s, is_switch, links);
	else
		dumbbell(s, is_switch, links);
	free(is_switch);
	free(links);
	topo_watch(s, &s->topo.nodes[0].ports[0]);
}
