// SPDX-License-Identifier: GPL-2.0
/* Packets of our own: CNPs and what the link layer says. They leave by the way that rxe's own packets take. */
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "rcc.h"

/**
 * rcc_out_route() - the route that rxe's own packets to a peer take
 * @ndev: the netdev that they leave by
 * @flow: where from, where to
 *
 * Any context but with interrupts off.
 *
 * Return: the route with a reference, or NULL.
 */
struct dst_entry *rcc_out_route(struct net_device *ndev, const struct rcc_flow *flow)
{
	struct net *net = dev_net(ndev);
	struct dst_entry *dst;
	struct rtable *rt;

	if (flow->version == 4) {
		struct flowi4 fl4 = { .flowi4_oif = ndev->ifindex, .flowi4_proto = IPPROTO_UDP };

		memcpy(&fl4.saddr, flow->saddr, 4);
		memcpy(&fl4.daddr, flow->daddr, 4);
		rt = ip_route_output_key(net, &fl4);
		return IS_ERR(rt) ? NULL : &rt->dst;
	}
#if IS_ENABLED(CONFIG_IPV6)
	struct flowi6 fl6 = { .flowi6_oif = ndev->ifindex, .flowi6_proto = IPPROTO_UDP };

	memcpy(&fl6.saddr, flow->saddr, 16);
	memcpy(&fl6.daddr, flow->daddr, 16);
	dst = ip6_route_output(net, NULL, &fl6);
	if (!dst->error)
		return dst;
	dst_release(dst);
#endif
	return NULL;
}

/**
 * rcc_out_alloc() - room for a packet of our own
 * @ndev: the netdev that it leaves by, if @dst is NULL
 * @dst: its route; NULL: to be looked up
 * @flow: where from, where to
 * @bytes: its length at most, from the IP header on
 *
 * Any context but with interrupts off. The caller writes the packet at skb->data, and then calls rcc_out_finish().
 *
 * Return: the packet, or NULL without memory or route.
 */
struct sk_buff *rcc_out_alloc(struct net_device *ndev, struct dst_entry *dst, const struct rcc_flow *flow, u32 bytes)
{
	struct sk_buff *skb;
	u32 headroom;

	if (dst)
		dst_hold(dst);
	else if (ndev)
		dst = rcc_out_route(ndev, flow);
	if (!dst)
		return NULL;
	/* once: another device may take its place meanwhile */
	headroom = LL_RESERVED_SPACE(READ_ONCE(dst->dev));
	skb = alloc_skb(headroom + bytes, GFP_ATOMIC);
	if (!skb) {
		dst_release(dst);
		return NULL;
	}
	skb_reserve(skb, headroom);
	skb->protocol = flow->version == 4 ? htons(ETH_P_IP) : htons(ETH_P_IPV6);
	skb->dev = dst->dev;
	skb_dst_set(skb, dst);
	return skb;
}

/**
 * rcc_out_finish() - a packet of our own is written
 * @skb: the packet
 * @bytes: its length
 */
void rcc_out_finish(struct sk_buff *skb, u32 bytes)
{
	bool v4 = skb->protocol == htons(ETH_P_IP);

	skb_put(skb, bytes);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, v4 ? RCC_IP4_BYTES : RCC_IP6_BYTES);
}

/**
 * rcc_out_send() - the IP layer takes a packet of our own from here as any other of this host
 * @skb: the packet; consumed
 *
 * The caller holds no lock.
 */
void rcc_out_send(struct sk_buff *skb)
{
	struct net *net = dev_net(skb->dev);

	if (skb->protocol == htons(ETH_P_IP))
		ip_local_out(net, NULL, skb);
	else
		ip6_local_out(net, NULL, skb);
}
