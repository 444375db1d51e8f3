// SPDX-License-Identifier: GPL-2.0
/* Decisions of a switch port; see port.h. */
#include "port.h"

/**
 * rcc_buffer_threshold() - how much one queue or ingress may hold now
 * @b: the buffer
 * @alpha_8: share of what is free, in eighths; 0: all of it
 *
 * Return: bytes.
 */
u64 rcc_buffer_threshold(const struct rcc_buffer *b, u32 alpha_8)
{
	u64 free_bytes = b->size_bytes > b->used_bytes ? b->size_bytes - b->used_bytes : 0;

	return alpha_8 ? free_bytes * alpha_8 / RCC_ALPHA_ONE : b->size_bytes;
}

/**
 * rcc_port_admit() - may a packet join a queue that drops at its tail?
 * @b: the buffer; the caller adds to used_bytes
 * @queue_bytes: in the queue
 * @bytes: the packet's
 *
 * Return: false if it is to be dropped.
 */
bool rcc_port_admit(const struct rcc_buffer *b, u64 queue_bytes, u32 bytes)
{
	return b->used_bytes + bytes <= b->size_bytes && queue_bytes + bytes <= rcc_buffer_threshold(b, b->alpha_8);
}

/**
 * rcc_port_mark() - is a packet that leaves marked CE?
 * @ecn: the port's thresholds
 * @queue_bytes: what it leaves behind in its queue
 * @random: 32 random bits
 *
 * Return: true with probability 0 up to kmin, rising to pmax at kmax, and 1 above.
 */
bool rcc_port_mark(const struct rcc_ecn *ecn, u64 queue_bytes, u32 random)
{
	u64 chance;

	if (queue_bytes <= ecn->kmin_bytes)
		return false;
	if (queue_bytes > ecn->kmax_bytes)
		return true;
	chance = rcc_div64((u64)ecn->pmax_permille << 32, 1000);
	/* how far between the two, in 1/65536 */
	chance *= rcc_div64((queue_bytes - ecn->kmin_bytes) << 16, ecn->kmax_bytes - ecn->kmin_bytes);
	return random < chance >> 16;
}

/**
 * rcc_port_next() - which queue is served?
 * @waiting: bit n is set if the queue of priority n has packets
 * @paused: bit n is set if the peer has paused priority n
 *
 * Return: the priority, 0 being the highest, or -1 if nothing may leave.
 */
int rcc_port_next(u32 waiting, u32 paused)
{
	u32 ready = waiting & ~paused;

	return ready ? __builtin_ctz(ready) : -1;
}

/**
 * rcc_ingress_add() - count a packet that came in by a port with PFC
 * @b: the buffer
 * @in: the port
 * @bytes: the packet's
 *
 * It goes to the shared buffer up to the threshold, and above to the headroom.
 *
 * Return: false if neither has room: it is to be dropped, and nothing is counted.
 */
bool rcc_ingress_add(struct rcc_buffer *b, struct rcc_ingress *in, u32 bytes)
{
	if (in->shared_bytes + bytes <= rcc_buffer_threshold(b, in->alpha_8) && b->used_bytes + bytes <= b->size_bytes) {
		in->shared_bytes += bytes;
		b->used_bytes += bytes;
		return true;
	}
	if (in->headroom_used_bytes + bytes > in->headroom_bytes)
		return false;
	in->headroom_used_bytes += bytes;
	return true;
}

/**
 * rcc_ingress_del() - a packet that rcc_ingress_add() counted leaves the switch
 * @b: the buffer
 * @in: the port by which it came in
 * @bytes: the packet's
 *
 * The headroom is emptied first, so that it is there for the next pause.
 */
void rcc_ingress_del(struct rcc_buffer *b, struct rcc_ingress *in, u32 bytes)
{
	u32 headroom = rcc_min64(bytes, in->headroom_used_bytes);

	in->headroom_used_bytes -= headroom;
	in->shared_bytes -= bytes - headroom;
	b->used_bytes -= bytes - headroom;
}

/**
 * rcc_ingress_xoff() - is it time to pause the peer?
 * @b: the buffer
 * @in: the port; the caller sets paused
 *
 * Return: true if XOFF is to be sent now.
 */
bool rcc_ingress_xoff(const struct rcc_buffer *b, const struct rcc_ingress *in)
{
	return !in->paused &&
	       (in->headroom_used_bytes || in->shared_bytes >= rcc_buffer_threshold(b, in->alpha_8));
}

/**
 * rcc_ingress_xon() - may the peer go on?
 * @b: the buffer
 * @in: the port; the caller clears paused
 *
 * Return: true if XON is to be sent now.
 */
bool rcc_ingress_xon(const struct rcc_buffer *b, const struct rcc_ingress *in)
{
	return in->paused && !in->headroom_used_bytes &&
	       (!in->shared_bytes ||
		in->shared_bytes + in->xon_offset_bytes <= rcc_buffer_threshold(b, in->alpha_8));
}
