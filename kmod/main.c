// SPDX-License-Identifier: GPL-2.0
/* Load and unload. What is registered last sees packets first to none: hooks come last and go first. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "rcc.h"

static int __init rcc_init(void)
{
	int err;

	rcc_alg_init();
	err = class_register(&rcc_class);
	if (err)
		return err;
	rcc_debugfs_init();
	err = rcc_dev_init();
	if (err)
		goto err_class;
	err = rcc_hook_init();
	if (err)
		goto err_dev;
	err = rcc_netlink_init();
	if (err)
		goto err_hook;
	/* it cannot be undone, so it comes last */
	rcc_bpf_init();
	return 0;

err_hook:
	rcc_hook_exit();
err_dev:
	rcc_dev_exit();
err_class:
	rcc_debugfs_exit();
	class_unregister(&rcc_class);
	return err;
}

static void __exit rcc_exit(void)
{
	rcc_netlink_exit();
	/* what waits goes now and in order, while the hooks still keep later packets behind it */
	rcc_dev_open_all();
	rcc_hook_exit();
	rcc_dev_exit();
	/* records of QPs are freed by our own code */
	rcu_barrier();
	rcc_debugfs_exit();
	class_unregister(&rcc_class);
}

module_init(rcc_init);
module_exit(rcc_exit);

MODULE_DESCRIPTION("Congestion control for soft-RoCE (rdma_rxe)");
MODULE_AUTHOR("rxe-cc developers");
MODULE_LICENSE("GPL");
/* Without the driver there is nothing to stand beside, but it may come and go under us. */
MODULE_SOFTDEP("pre: rdma_rxe");
