// SPDX-License-Identifier: GPL-2.0
/*
 * Where packets are seen: LOCAL_OUT and LOCAL_IN, IPv4 and IPv6, in every network namespace.
 *
 * Last in each chain but for conntrack's confirmation at LOCAL_IN, which shares the last place: what other hooks drop or
 * mangle is settled before we look, and a packet that we send ourselves has missed nothing.
 */
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <net/net_namespace.h>

#include "rcc.h"

static const struct nf_hook_ops rcc_hooks[] = {
	{ .hook = rcc_tx, .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_OUT, .priority = NF_IP_PRI_LAST },
	{ .hook = rcc_tx, .pf = NFPROTO_IPV6, .hooknum = NF_INET_LOCAL_OUT, .priority = NF_IP6_PRI_LAST },
	{ .hook = rcc_rx, .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_IN, .priority = NF_IP_PRI_LAST },
	{ .hook = rcc_rx, .pf = NFPROTO_IPV6, .hooknum = NF_INET_LOCAL_IN, .priority = NF_IP6_PRI_LAST },
};

static int __net_init rcc_net_init(struct net *net)
{
	return nf_register_net_hooks(net, rcc_hooks, ARRAY_SIZE(rcc_hooks));
}

static void __net_exit rcc_net_exit(struct net *net)
{
	nf_unregister_net_hooks(net, rcc_hooks, ARRAY_SIZE(rcc_hooks));
}

static struct pernet_operations rcc_net_ops = {
	.init = rcc_net_init,
	.exit = rcc_net_exit,
};

/**
 * rcc_hook_init() - hook into every network namespace, present and future
 *
 * Return: 0, or an error with nothing left behind.
 */
int rcc_hook_init(void)
{
	return register_pernet_subsys(&rcc_net_ops);
}

/**
 * rcc_hook_exit() - leave all network namespaces; on return no hook runs any more
 */
void rcc_hook_exit(void)
{
	unregister_pernet_subsys(&rcc_net_ops);
	synchronize_net();
}
