/* SPDX-License-Identifier: GPL-2.0 */
/* Every difference between the kernels that we support, 6.1 to 6.12, and nothing else. */
#ifndef RCC_COMPAT_H
#define RCC_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "rxe_cc needs Linux 6.1 or later"
#endif

/* Linux 6.13 folded the assignment of the callback into hrtimer_setup() and dropped hrtimer_init(). */
static inline void rcc_hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*fn)(struct hrtimer *))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_SOFT);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_SOFT);
	timer->function = fn;
#endif
}

/* Modules may bring struct_ops since Linux 6.9; since 6.11 registering one is told of the link that does it. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0) && defined(CONFIG_BPF_SYSCALL) && defined(CONFIG_BPF_JIT) && \
	defined(CONFIG_DEBUG_INFO_BTF_MODULES)
#define RCC_HAVE_STRUCT_OPS
#endif

#endif /* RCC_COMPAT_H */
