// SPDX-License-Identifier: GPL-2.0
/*
 * rcc_pkt - make RoCEv2 packets as they should be and as they should not, and check captured ones.
 *
 * Knows nothing of the module's sources: header layout and CRC are written down here a second time, so that a test
 * compares two opinions.
 *
 *	rcc_pkt hex ...		print the packet, from the IP header on
 *	rcc_pkt send ...	send it through a packet socket: any source address, any length
 *	rcc_pkt check		read packets as hex, one a line; print each one's ICRC verdict
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <getopt.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tool.h"

#define ROCE_PORT	4791
#define UDP_BYTES	8
#define BTH_BYTES	12
#define ICRC_BYTES	4
#define PAYLOAD_MAX	2048
#define PACKET_MAX	(40 + UDP_BYTES + BTH_BYTES + PAYLOAD_MAX + ICRC_BYTES)

struct range {
	unsigned int first;
	unsigned int last;
};

static struct {
	const char *ifname;
	uint8_t mac[6];
	int family;
	uint8_t src[16];
	uint8_t dst[16];
	struct range opcode;
	unsigned int qpn;
	unsigned int psn;
	unsigned int sport;
	unsigned int dscp;
	unsigned int ecn;
	unsigned int ttl;
	unsigned int ip_id;
	unsigned int bth4;	/* FECN, BECN, reserved */
	unsigned int payload;
	bool noise;
	const char *hex;	/* the payload; NULL: zeros */
	unsigned int icrc_xor;
	bool truncate;
	struct range keep;	/* bytes behind the UDP header */
	unsigned int lie;	/* truncated, but UDP (1) and IP (2) claim the whole length */
	unsigned int repeat;
} opt = {
	.opcode = { 0x81, 0x81 },
	.sport = 0xc000,
	.ttl = 64,
	.bth4 = 0x40,
	.payload = 16,
	.repeat = 1,
};

static void usage(FILE *to)
{
	fprintf(to,
		"usage: rcc_pkt hex -s ADDRESS -d ADDRESS [options]\n"
		"       rcc_pkt send -i NETDEV -m MAC -s ADDRESS -d ADDRESS [options]\n"
		"       rcc_pkt check < HEX-LINES\n"
		"\n"
		"Without options the packet is a CNP.\n"
		"\n"
		"  -s, -d ADDRESS  IPv4 or IPv6 source and destination\n"
		"  -o N[-N]        BTH opcode, or one packet for each of a range (0x81)\n"
		"  -q QPN          destination QP (0)\n"
		"  -P PSN          (0)\n"
		"  -f BYTE         BTH byte with FECN, BECN (0x40)\n"
		"  -p PORT         UDP source port (0xc000)\n"
		"  -D DSCP, -e ECN, -l TTL, -I ID   of the IP header (0, 0, 64, 0)\n"
		"  -b BYTES        payload of zeros behind the BTH (16)\n"
		"  -r              random payload\n"
		"  -B HEX          payload of these bytes\n"
		"  -x MASK         wrong ICRC: exclusive-or with MASK\n"
		"  -t N[-N]        keep only N bytes behind the UDP header, or one packet for each of a range\n"
		"  -L              truncated, but the UDP header claims the whole length; twice: IP's, too\n"
		"  -k COUNT        send everything so many times (1)\n"
		"  -i NETDEV, -m MAC  where it leaves, and for whom\n");
}

static unsigned int word(int c, const char *text, unsigned int max)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 0);
	if (errno || end == text || *end || v > max) {
		fprintf(stderr, "rcc_pkt: -%c wants a number up to %u, not '%s'\n", c, max, text);
		exit(2);
	}
	return v;
}

static struct range range(int c, const char *text, unsigned int max)
{
	char *copy = strdup(text), *dash = strchr(copy, '-');
	struct range r;

	if (dash)
		*dash = 0;
	r.first = word(c, copy, max);
	r.last = dash ? word(c, dash + 1, max) : r.first;
	free(copy);
	return r;
}

static void bytes_of(int c, const char *text)
{
	size_t digits = strspn(text, "0123456789abcdefABCDEF");

	if (text[digits] || digits % 2 || digits / 2 > PAYLOAD_MAX) {
		fprintf(stderr, "rcc_pkt: -%c wants at most %u bytes of hex digits, not '%s'\n", c, PAYLOAD_MAX, text);
		exit(2);
	}
	opt.hex = text;
	opt.payload = digits / 2;
}

static void address(int c, const char *text, uint8_t *addr)
{
	int family = strchr(text, ':') ? AF_INET6 : AF_INET;

	if (inet_pton(family, text, addr) != 1 || (opt.family && opt.family != family)) {
		fprintf(stderr, "rcc_pkt: -%c wants an address of one family, not '%s'\n", c, text);
		exit(2);
	}
	opt.family = family;
}

static void parse(int argc, char **argv)
{
	unsigned int m[6];
	int c, i;

	while ((c = getopt(argc, argv, "s:d:o:q:P:f:p:D:e:l:I:b:B:rx:t:Lk:i:m:h")) != -1) {
		switch (c) {
		case 's': address(c, optarg, opt.src); break;
		case 'd': address(c, optarg, opt.dst); break;
		case 'o': opt.opcode = range(c, optarg, 255); break;
		case 'q': opt.qpn = word(c, optarg, 0xffffff); break;
		case 'P': opt.psn = word(c, optarg, 0xffffff); break;
		case 'f': opt.bth4 = word(c, optarg, 255); break;
		case 'p': opt.sport = word(c, optarg, 65535); break;
		case 'D': opt.dscp = word(c, optarg, 63); break;
		case 'e': opt.ecn = word(c, optarg, 3); break;
		case 'l': opt.ttl = word(c, optarg, 255); break;
		case 'I': opt.ip_id = word(c, optarg, 65535); break;
		case 'b': opt.payload = word(c, optarg, PAYLOAD_MAX); break;
		case 'B': bytes_of(c, optarg); break;
		case 'r': opt.noise = true; break;
		case 'x': opt.icrc_xor = word(c, optarg, 0xffffffff); break;
		case 't': opt.keep = range(c, optarg, PAYLOAD_MAX); opt.truncate = true; break;
		case 'L': opt.lie++; break;
		case 'k': opt.repeat = word(c, optarg, 1000000); break;
		case 'i': opt.ifname = optarg; break;
		case 'm':
			if (sscanf(optarg, "%x:%x:%x:%x:%x:%x", m, m + 1, m + 2, m + 3, m + 4, m + 5) != 6) {
				fprintf(stderr, "rcc_pkt: no MAC address: '%s'\n", optarg);
				exit(2);
			}
			for (i = 0; i < 6; i++)
				opt.mac[i] = m[i];
			break;
		case 'h': usage(stdout); exit(0);
		default: usage(stderr); exit(2);
		}
	}
}

/* --- the packet --- */

static void put16(uint8_t *p, unsigned int v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static void put24(uint8_t *p, unsigned int v)
{
	p[0] = v >> 16;
	put16(p + 1, v);
}

static uint16_t checksum(const uint8_t *p, size_t bytes, uint32_t sum)
{
	size_t i;

	for (i = 0; i + 1 < bytes; i += 2)
		sum += p[i] << 8 | p[i + 1];
	if (bytes & 1)
		sum += p[bytes - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* CRC-32 of IEEE 802.3, a bit at a time. */
static uint32_t crc32(uint32_t crc, const uint8_t *p, size_t bytes)
{
	int bit;

	while (bytes--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return crc;
}

/* The invariant CRC of a packet of @bytes, its last four not included. */
static uint32_t icrc(const uint8_t *ip, size_t bytes)
{
	size_t ip_bytes = ip[0] >> 4 == 4 ? 20 : 40, i;
	uint8_t copy[8 + PACKET_MAX * 4], *p = copy + 8;

	if (bytes > sizeof(copy) - 8)
		die("a packet of %zu bytes", bytes);
	memset(copy, 0xff, 8);
	memcpy(p, ip, bytes);
	if (ip_bytes == 20) {
		p[1] = p[8] = p[10] = p[11] = 0xff;
	} else {
		p[0] |= 0x0f;
		p[7] = 0xff;
		for (i = 1; i < 4; i++)
			p[i] = 0xff;
	}
	p[ip_bytes + 6] = p[ip_bytes + 7] = 0xff;
	p[ip_bytes + UDP_BYTES + 4] = 0xff;
	return ~crc32(~0U, copy, 8 + bytes - ICRC_BYTES);
}

static size_t ip_header(uint8_t *ip, size_t udp_bytes)
{
	if (opt.family == AF_INET) {
		ip[0] = 0x45;
		ip[1] = opt.dscp << 2 | opt.ecn;
		put16(ip + 2, 20 + udp_bytes);
		put16(ip + 4, opt.ip_id);
		ip[6] = 0x40;
		ip[8] = opt.ttl;
		ip[9] = IPPROTO_UDP;
		memcpy(ip + 12, opt.src, 4);
		memcpy(ip + 16, opt.dst, 4);
		put16(ip + 10, checksum(ip, 20, 0));
		return 20;
	}
	ip[0] = 0x60 | opt.dscp >> 2;
	ip[1] = (opt.dscp << 2 | opt.ecn) << 4;
	put16(ip + 4, udp_bytes);
	ip[6] = IPPROTO_UDP;
	ip[7] = opt.ttl;
	memcpy(ip + 8, opt.src, 16);
	memcpy(ip + 24, opt.dst, 16);
	return 40;
}

/* Build the packet with @opcode, of which @keep bytes remain behind the UDP header; returns its length. */
static size_t build(uint8_t *ip, unsigned int opcode, size_t keep)
{
	size_t full = BTH_BYTES + opt.payload + ICRC_BYTES;
	size_t ip_bytes, i;
	uint8_t *udp, *bth;
	uint32_t crc;

	memset(ip, 0, PACKET_MAX);
	ip_bytes = ip_header(ip, UDP_BYTES + (opt.lie > 1 ? full : keep));
	udp = ip + ip_bytes;
	put16(udp, opt.sport);
	put16(udp + 2, ROCE_PORT);
	put16(udp + 4, UDP_BYTES + (opt.lie ? full : keep));
	bth = udp + UDP_BYTES;
	bth[0] = opcode;
	put16(bth + 2, 0xffff);
	bth[4] = opt.bth4;
	put24(bth + 5, opt.qpn);
	put24(bth + 9, opt.psn);
	for (i = 0; opt.noise && i < opt.payload; i++)
		bth[BTH_BYTES + i] = rand();
	for (i = 0; opt.hex && i < opt.payload; i++)
		sscanf(opt.hex + 2 * i, "%2hhx", &bth[BTH_BYTES + i]);
	crc = icrc(ip, ip_bytes + UDP_BYTES + full) ^ opt.icrc_xor;
	for (i = 0; i < ICRC_BYTES; i++)
		bth[full - ICRC_BYTES + i] = crc >> 8 * i;
	return ip_bytes + UDP_BYTES + keep;
}

/* --- commands --- */

static void print_hex(const uint8_t *ip, size_t bytes)
{
	while (bytes--)
		printf("%02x", *ip++);
	putchar('\n');
}

static void for_all(void (*fn)(const uint8_t *ip, size_t bytes))
{
	unsigned int full = BTH_BYTES + opt.payload + ICRC_BYTES, opcode, keep, i;
	uint8_t ip[PACKET_MAX];

	if (!opt.truncate)
		opt.keep.first = opt.keep.last = full;
	if (!opt.family || opt.keep.last > full) {
		usage(stderr);
		exit(2);
	}
	for (i = 0; i < opt.repeat; i++)
		for (opcode = opt.opcode.first; opcode <= opt.opcode.last; opcode++)
			for (keep = opt.keep.first; keep <= opt.keep.last; keep++)
				fn(ip, build(ip, opcode, keep));
}

static int sock;

static void transmit(const uint8_t *ip, size_t bytes)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(opt.family == AF_INET ? ETH_P_IP : ETH_P_IPV6),
		.sll_ifindex = if_nametoindex(opt.ifname),
		.sll_halen = 6,
	};

	memcpy(to.sll_addr, opt.mac, 6);
	if (sendto(sock, ip, bytes, 0, (struct sockaddr *)&to, sizeof(to)) != (ssize_t)bytes)
		die("%s: %s", opt.ifname, strerror(errno));
}

static void transmit_all(void)
{
	if (!opt.ifname) {
		usage(stderr);
		exit(2);
	}
	sock = socket(AF_PACKET, SOCK_DGRAM, 0);
	if (sock < 0)
		die("packet socket: %s", strerror(errno));
	for_all(transmit);
	close(sock);
}

/* Lines of hex in, "ok" or "bad" out; returns the exit code: 0 if there were packets and all were ok. */
static int check_all(void)
{
	unsigned int packets = 0, bad = 0, byte;
	char line[4 * PACKET_MAX];
	uint8_t ip[2 * PACKET_MAX];
	uint32_t want, have;
	size_t n, at;

	while (fgets(line, sizeof(line), stdin)) {
		for (n = 0; sscanf(line + 2 * n, "%2x", &byte) == 1; n++)
			ip[n] = byte;
		at = n - ICRC_BYTES;
		if (n < 20 + UDP_BYTES + BTH_BYTES + ICRC_BYTES) {
			puts("bad: short");
			bad++;
			continue;
		}
		packets++;
		want = icrc(ip, n);
		have = ip[at] | ip[at + 1] << 8 | ip[at + 2] << 16 | (uint32_t)ip[at + 3] << 24;
		if (want != have)
			bad++;
		printf("%s: %08x\n", want == have ? "ok" : "bad", want);
	}
	return !packets || bad;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";

	optind = 2;
	parse(argc, argv);
	srand(1);
	if (!strcmp(command, "hex"))
		for_all(print_hex);
	else if (!strcmp(command, "send"))
		transmit_all();
	else if (!strcmp(command, "check"))
		return check_all();
	else {
		usage(stderr);
		return 2;
	}
	return 0;
}
