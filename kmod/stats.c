// SPDX-License-Identifier: GPL-2.0
/* Counters of a device, kept per CPU and summed when read. */
#include "stats.h"

const char *const rcc_counter_names[RCC_NCOUNTERS] = {
#define RCC_COUNTER_NAME(name) [RCC_C_##name] = #name,
	RCC_COUNTERS(RCC_COUNTER_NAME)
#undef RCC_COUNTER_NAME
};

/**
 * rcc_stats_sum() - read a counter
 * @stats: the device's counters
 * @counter: which
 *
 * Return: the sum over all CPUs. Never goes back from one call to the next.
 */
u64 rcc_stats_sum(const struct rcc_stats __percpu *stats, enum rcc_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(stats, cpu)->c[counter]);
	return sum;
}
