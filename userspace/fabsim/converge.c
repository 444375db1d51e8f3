// SPDX-License-Identifier: GPL-2.0
/*
 * When is a share fair, and stays so?
 *
 *	rate |      __/\_/\__  +10 %
 *	     |     /           -10 %
 *	     |____/
 *	       join ^------^ converged: from here on every window lies within, for --hold
 *
 * Rates are those of payload in order, averaged over --window, which moves on by --sample.
 */
#include "fabsim.h"

static u64 sample_time_ps(const struct sim *s, u32 sample)
{
	return sample * s->opts->sample_ps;
}

/* Payload that @from..@to-1 received during the window that ends at a sample. */
static u64 window_bytes(const struct sim *s, u32 sample, u32 from, u32 to)
{
	const u64 *end = &s->samples.delivered[(size_t)sample * s->nflows];
	const u64 *begin = end - s->opts->window_ps / s->opts->sample_ps * s->nflows;
	u64 sum = 0;
	u32 i;

	for (i = from; i < to; i++)
		sum += end[i] - begin[i];
	return sum;
}

/* Payload that one of @n flows may have in a window. */
static double fair_bytes(const struct sim *s, u32 n)
{
	double line = (double)s->topo.bottleneck->rate_bps / 8 * s->opts->window_ps / PS_PER_SEC;
	double payload = (double)s->opts->mtu_bytes / (s->opts->mtu_bytes + s->opts->header_bytes);

	return line * payload / n;
}

/*
 * Time from @begin_ps until the first of the windows that all lie within @percent of fair, for as long as --hold, for the
 * mean of the flows @from..@to-1 when @sharers share; NEVER: that does not come before @end_ps.
 */
static u64 settling_ps(const struct sim *s, u64 begin_ps, u64 end_ps, u32 from, u32 to, u32 sharers, u32 percent)
{
	u32 window = s->opts->window_ps / s->opts->sample_ps;
	u32 first = begin_ps / s->opts->sample_ps + window + 1;
	double fair = fair_bytes(s, sharers) * (to - from);
	u64 settled_ps = NEVER;
	u32 i;

	for (i = first; i < s->samples.n && sample_time_ps(s, i) < end_ps; i++) {
		double ratio = window_bytes(s, i, from, to) / fair;

		if (ratio < 1 - percent / 100.0 || ratio > 1 + percent / 100.0)
			settled_ps = NEVER;
		else if (settled_ps == NEVER)
			settled_ps = sample_time_ps(s, i);
		if (settled_ps != NEVER && sample_time_ps(s, i) >= settled_ps + s->opts->hold_ps)
			return settled_ps - begin_ps;
	}
	return NEVER;
}

/**
 * converge_join_ps() - how long the flow that joined took to have its fair share and keep it
 * @s: a simulation that is over, with --join
 * @percent: what counts as fair
 *
 * Return: picoseconds until the end of the first window of that kind; NEVER: it has not come to that.
 */
u64 converge_join_ps(const struct sim *s, u32 percent)
{
	const struct opts *o = s->opts;

	if (!s->samples.delivered)
		return NEVER;
	return settling_ps(s, o->join_ps, o->leave_ps ? o->leave_ps : s->now_ps, s->nflows - 1, s->nflows, s->nflows, percent);
}

/**
 * converge_leave_ps() - how long those that stayed took to have what others have left, and keep it
 * @s: a simulation that is over, with --leave
 * @percent: what counts as fair
 *
 * Return: picoseconds until the mean of their rates is the new fair share; NEVER: it has not come to that.
 */
u64 converge_leave_ps(const struct sim *s, u32 percent)
{
	u32 stay = s->nflows - s->opts->leavers;

	if (!s->samples.delivered || !stay)
		return NEVER;
	return settling_ps(s, s->opts->leave_ps, s->now_ps, 0, stay, stay, percent);
}
