// SPDX-License-Identifier: GPL-2.0
/*
 * Topology files in the format of HPCC's simulator:
 *
 *	<nodes> <switches> <links>
 *	<id of each switch> ...
 *	<node> <node> <rate, e.g. 100Gbps> <one-way delay, e.g. 0.001ms> <loss>		for each link
 */
#include "fabsim.h"

#define NODES_MAX	(1U << 20)
#define WORD_BYTES	32

/* what is being read, for messages */
struct reader {
	FILE *file;
	const char *path;
	u32 nnodes;
};

static u32 read_number(const struct reader *r, const char *what, u64 max)
{
	char word[WORD_BYTES];
	u64 value;

	if (fscanf(r->file, "%31s", word) != 1)
		die("%s: ends where %s should stand", r->path, what);
	if (rcc_u64_parse(word, strlen(word), &value) || value > max)
		die("%s: \"%s\" is no %s: a number from 0 to %llu", r->path, word, what, (unsigned long long)max);
	return value;
}

static void read_link(const struct reader *r, struct link_spec *l)
{
	char rate[WORD_BYTES], delay[WORD_BYTES], loss[WORD_BYTES];

	l->a = read_number(r, "node", r->nnodes - 1);
	l->b = read_number(r, "node", r->nnodes - 1);
	if (l->a == l->b)
		die("%s: a link from node %u to itself", r->path, l->a);
	if (fscanf(r->file, "%31s %31s %31s", rate, delay, loss) != 3)
		die("%s: a link needs two nodes, rate, delay and loss", r->path);
	if (parse_rate(rate, &l->ab_bps) || !l->ab_bps)
		die("%s: \"%s\" is no rate such as 100Gbps", r->path, rate);
	if (parse_time(delay, &l->delay_ps))
		die("%s: \"%s\" is no delay such as 0.001ms or 1000ns", r->path, delay);
	if (strtod(loss, NULL) != 0)
		die("%s: loss %s: only 0 is possible", r->path, loss);
	l->ba_bps = l->ab_bps;
}

static void check_nodes(const struct sim *s, const struct reader *r)
{
	u32 i;

	for (i = 0; i < r->nnodes; i++) {
		const struct node *n = &s->topo.nodes[i];

		if (!n->nports)
			die("%s: node %u has no link", r->path, i);
		if (!n->is_switch && n->nports > 1)
			die("%s: host %u has %u links, one is possible", r->path, i, n->nports);
	}
}

/**
 * topo_read() - make the fabric that a file describes
 * @s: the simulation
 * @path: the file
 */
void topo_read(struct sim *s, const char *path)
{
	struct reader r = { .file = fopen(path, "r"), .path = path };
	u32 nswitches, nlinks, i;
	struct link_spec *links;
	bool *is_switch;

	if (!r.file)
		die("--topo=%s: must be incast or dumbbell, or a file that can be read", path);
	r.nnodes = read_number(&r, "number of nodes", NODES_MAX);
	nswitches = read_number(&r, "number of switches", r.nnodes);
	nlinks = read_number(&r, "number of links", 64ULL * NODES_MAX);
	is_switch = alloc_zeroed(r.nnodes + 1, sizeof(*is_switch));
	links = alloc_zeroed(nlinks + 1, sizeof(*links));
	for (i = 0; i < nswitches; i++)
		is_switch[read_number(&r, "switch", r.nnodes - 1)] = true;
	for (i = 0; i < nlinks; i++)
		read_link(&r, &links[i]);
	fclose(r.file);
	topo_make(s, r.nnodes, is_switch, links, nlinks);
	check_nodes(s, &r);
	free(links);
	free(is_switch);
}
