// SPDX-License-Identifier: GPL-2.0
/*
 * Flow files in the format of HPCC's simulator:
 *
 *	<flows>
 *	<source host> <destination host> <priority> <destination port> <bytes> <start in s>	for each flow
 */
#include "fabsim.h"

#define FLOWS_MAX	5000000U

static void check_host(const struct sim *s, const char *path, u32 line, unsigned long id)
{
	if (id >= s->topo.nnodes || s->topo.nodes[id].is_switch)
		die("%s: flow %u: %lu is no host of the topology", path, line, id);
}

static void read_flow(struct sim *s, FILE *file, const char *path, u32 line)
{
	unsigned long src, dst, prio, dport;
	unsigned long long bytes;
	const char *rest;
	char start[32];
	u64 start_ps;

	if (fscanf(file, "%lu %lu %lu %lu %llu %31s", &src, &dst, &prio, &dport, &bytes, start) != 6)
		die("%s: flow %u needs source, destination, priority, port, bytes and start", path, line);
	check_host(s, path, line, src);
	check_host(s, path, line, dst);
	if (src == dst)
		die("%s: flow %u: host %lu sends to itself", path, line, src);
	if (dport > 0xffff)
		die("%s: flow %u: port %lu is not from 0 to 65535", path, line, dport);
	if (!bytes || bytes / s->opts->mtu_bytes >= 0xffffffff)
		die("%s: flow %u: %llu bytes are not from 1 to 2^32 packets", path, line, bytes);
	if (parse_decimal(start, PS_PER_SEC, &start_ps, &rest) || *rest)
		die("%s: flow %u: start \"%s\" is no number of seconds", path, line, start);
	workload_add(s, src, dst, bytes, start_ps, dport);
}

/* The port that is watched: the last one before the host that is to receive most. */
static void watch(struct sim *s)
{
	u64 *bytes = alloc_zeroed(s->topo.nnodes, sizeof(*bytes));
	u32 most = s->flows[0].to->node->id, i;

	for (i = 0; i < s->nflows; i++) {
		u32 dst = s->flows[i].to->node->id;

		bytes[dst] += s->flows[i].bytes;
		if (bytes[dst] > bytes[most])
			most = dst;
	}
	free(bytes);
	topo_watch(s, s->topo.nodes[most].ports[0].peer);
}

/**
 * workload_read() - make the flows of a file
 * @s: the simulation, with its fabric
 * @path: the file
 */
void workload_read(struct sim *s, const char *path)
{
	FILE *file = fopen(path, "r");
	u32 count, i;

	if (!file)
		die("--flows=%s: must be a file that can be read", path);
	if (fscanf(file, "%u", &count) != 1 || !count || count > FLOWS_MAX)
		die("%s: does not begin with a number of flows from 1 to %u", path, FLOWS_MAX);
	workload_alloc(s, count);
	for (i = 0; i < count; i++)
		read_flow(s, file, path, i + 1);
	fclose(file);
	free(s->topo.bottleneck ? s->topo.bottleneck->hist : NULL);
	watch(s);
}
