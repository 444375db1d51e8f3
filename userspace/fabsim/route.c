// SPDX-License-Identifier: GPL-2.0
/*
 * Shortest paths, counted in links, found from each destination backwards. Where several next hops are equally near, a hash
 * of addresses and ports decides (ECMP), salted with the switch's number. So a flow keeps its path, and its ACKs have one of
 * their own. The hash is MurmurHash3's, 32 bits (Appleby, public domain), and the words are those that HPCC's simulator
 * hashes, so that its runs find the same paths here.
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
	for (i = n->nports; i-- > 0;)
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

static u32 rotate(u32 x, u32 bits)
{
	return x << bits | x >> (32 - bits);
}

static u32 murmur(const u32 *words, u32 count, u32 salt)
{
	u32 h = salt, i;

	for (i = 0; i < count; i++) {
		h ^= rotate(words[i] * 0xcc9e2d51, 15) * 0x1b873593;
		h = rotate(h, 13) * 5 + 0xe6546b64;
	}
	h ^= 4 * count;
	h = (h ^ h >> 16) * 0x85ebca6b;
	h = (h ^ h >> 13) * 0xc2b2ae35;
	return h ^ h >> 16;
}

/* Who talks to whom, as a packet says that leaves for @to. */
static u32 path_hash(const struct flow *f, const struct port *to, u32 salt)
{
	bool data = to == f->to;
	u32 words[3] = {
		node_address((data ? f->port : f->to)->node), node_address(to->node),
		data ? f->sport | (u32)f->dport << 16 : f->dport | (u32)f->sport << 16,
	};

	return murmur(words, ARRAY_SIZE(words), salt);
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
	u32 pick = 0;

	if (!h.count)
		return NULL;
	if (h.count > 1)
		pick = path_hash(f, to, n->id) % h.count;
	return &n->ports[s->topo.hops[h.first + pick]];
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
