// SPDX-License-Identifier: GPL-2.0
/*
 * Shortest paths, counted in links, found from each destination backwards. Where several next hops are equally near, a hash
 * of the flow and the switch decides (ECMP), so a flow keeps its path, and its ACKs have one of their own.
 */
#include "fabsim.h"

static void hops_add(struct topo *t, u16 port)
{
	if (t->nhops == t->hops_room) {
		t->hops_room = 2 * t->hops_room + 1024;
		t->hops = realloc(t->hops, t->hops_room * sizeof(*t->hops));
		if (!t->hops)
			die("out of memory for routes");
	}
	t->hops[t->nhops++] = port;
}

/* Distances of all nodes from @host in links; hosts do not forward. */
static void distances(const struct topo *t, const struct node *host, u32 *distance, u32 *order)
{
	u32 head = 0, tail = 0, i;

	memset(distance, 0xff, t->nnodes * sizeof(*distance));
	distance[host->id] = 0;
	order[tail++] = host->id;
	while (head < tail) {
		const struct node *n = &t->nodes[order[head++]];

		if (n != host && !n->is_switch)
			continue;
		for (i = 0; i < n->nports; i++) {
			u32 peer = n->ports[i].peer->node->id;

			if (distance[peer] != ~0U)
				continue;
			distance[peer] = distance[n->id] + 1;
			order[tail++] = peer;
		}
	}
}

static void hops_find(struct topo *t, struct node *n, u32 dst, const u32 *distance)
{
	u32 i;

	if (!n->route)
		n->route = alloc_zeroed(t->nnodes, sizeof(*n->route));
	n->route[dst].first = t->nhops;
	for (i = 0; i < n->nports; i++)
		if (distance[n->ports[i].peer->node->id] < distance[n->id])
			hops_add(t, i);
	n->route[dst].count = t->nhops - n->route[dst].first;
}

static bool known(const struct node *host)
{
	const struct node *n = host->ports[0].peer->node;

	return n->route && n->route[host->id].count;
}

/**
 * route_to() - find the ways to a host, unless they are known
 * @s: the simulation
 * @host: the host
 */
void route_to(struct sim *s, struct node *host)
{
	struct topo *t = &s->topo;
	u32 *distance, *order, i;

	if (known(host))
		return;
	distance = alloc_zeroed(t->nnodes, sizeof(*distance));
	order = alloc_zeroed(t->nnodes, sizeof(*order));
	distances(t, host, distance, order);
	for (i = 0; i < t->nnodes; i++)
		if (t->nodes[i].is_switch && distance[i] != ~0U)
			hops_find(t, &t->nodes[i], host->id, distance);
	free(order);
	free(distance);
}

/**
 * route_next() - which port does a packet leave by?
 * @s: the simulation
 * @n: a switch
 * @f: the packet's flow
 * @to: where it goes
 *
 * Return: a port of @n; NULL if there is no way.
 */
struct port *route_next(const struct sim *s, const struct node *n, const struct flow *f, const struct port *to)
{
	struct hops h = n->route ? n->route[to->node->id] : (struct hops){ 0 };
	u64 z;

	if (h.count < 2)
		return h.count ? &n->ports[s->topo.hops[h.first]] : NULL;
	z = (f->hash ^ n->hash ^ to->node->hash) * 0xd6e8feb86659fd93ULL;
	z = (z ^ z >> 32) * 0xd6e8feb86659fd93ULL;
	return &n->ports[s->topo.hops[h.first + ((z >> 32) * h.count >> 32)]];
}

/**
 * route_walk() - measure an unloaded way
 * @s: the simulation
 * @f: a flow
 * @from: the host's port that it starts from
 * @to: the host's port where it ends
 * @bytes: size of the packet that is sent
 *
 * Return: its times; min_bps is 0 if there is no way.
 */
struct leg route_walk(const struct sim *s, const struct flow *f, struct port *from, struct port *to, u32 bytes)
{
	struct leg leg = { .min_bps = NEVER };
	struct port *p = from;

	while (p) {
		leg.delay_ps += p->delay_ps;
		leg.ser_ps += link_ser_ps(s, p, bytes);
		leg.min_bps = rcc_min64(leg.min_bps, p->rate_bps);
		if (p->peer == to)
			return leg;
		p = p->peer->node->is_switch ? route_next(s, p->peer->node, f, to) : NULL;
	}
	return (struct leg){ 0 };
}
