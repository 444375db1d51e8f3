/* SPDX-License-Identifier: GPL-2.0 */
/* Every difference between the kernels that we support, 6.1 to 6.12, and nothing else. */
#ifndef RCC_COMPAT_H
#define RCC_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/netlink.h>
#include <linux/version.h>
#include <net/genetlink.h>

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

/* Linux 6.6 put the attributes of a dump's request into a struct genl_info. */
static inline struct nlattr **rcc_genl_dump_attrs(struct netlink_callback *cb)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

/* Before Linux 6.2 an extended ACK has no room for numbers and names: there it says @plain. */
#ifdef NL_SET_ERR_MSG_FMT
#define rcc_extack(extack, plain, fmt, ...) do {	\
	(void)(plain);					\
	NL_SET_ERR_MSG_FMT(extack, fmt, ##__VA_ARGS__);	\
} while (0)
#else
#define rcc_extack(extack, plain, fmt, ...) do {	\
	no_printk(fmt, ##__VA_ARGS__);			\
	NL_SET_ERR_MSG(extack, plain);			\
} while (0)
#endif

/* Modules may bring struct_ops since Linux 6.9; since 6.11 registering one is told of the link that does it. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0) && defined(CONFIG_BPF_SYSCALL) && defined(CONFIG_BPF_JIT) && \
	defined(CONFIG_DEBUG_INFO_BTF_MODULES)
#define RCC_HAVE_STRUCT_OPS
#endif

#endif /* RCC_COMPAT_H */
