// SPDX-License-Identifier: GPL-2.0
/*
 * rcc_nlfuzz - send requests of the netlink family rxe_cc that are wrong in one way or another.
 *
 * Each begins as a request that would change something, and is damaged in a way that no kernel may accept: a string
 * without an end, an attribute of the wrong size, one that reaches beyond the message, bytes that are left over, a name that
 * does not exist, a number out of range. Then requests about a device that does not exist have bits flipped at random.
 * All must be refused; the caller looks whether anything has changed. Prints how many were sent and how many were refused.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

#include "rxe_cc_netlink.h"
#include "tool.h"

#define BUF_BYTES	8192

static struct mnl_socket *sock;
static uint16_t family;
static uint32_t seq;
static uint64_t seed = 1;
static const char *dev;
static unsigned int flips = 10000;
static unsigned long sent, refused;

static void usage(FILE *to)
{
	fprintf(to,
		"usage: rcc_nlfuzz -d IBDEV [options]\n"
		"\n"
		"Send wrong netlink requests to rxe_cc; all must be refused.\n"
		"\n"
		"  -d IBDEV   a device that exists\n"
		"  -n COUNT   requests with random bits flipped (10000)\n"
		"  -s SEED    of the random numbers (1)\n"
		"  -h         this text\n");
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "d:n:s:h")) != -1) {
		switch (c) {
		case 'd': dev = optarg; break;
		case 'n': flips = to_number(c, optarg, 0, 1e9); break;
		case 's': seed = to_number(c, optarg, 1, 1e15); break;
		case 'h': usage(stdout); exit(0);
		default: usage(stderr); exit(2);
		}
	}
	if (!dev || optind != argc) {
		usage(stderr);
		exit(2);
	}
}

/* xorshift64*: the same numbers on every machine */
static uint32_t chance(uint32_t below)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (seed * 0x2545f4914f6cdd1dULL >> 32) % below;
}

static struct nlmsghdr *begin(char *buf, uint16_t type, uint8_t cmd)
{
	struct nlmsghdr *msg;
	struct genlmsghdr *genl;

	memset(buf, 0, BUF_BYTES);
	msg = mnl_nlmsg_put_header(buf);
	msg->nlmsg_type = type;
	msg->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	msg->nlmsg_seq = ++seq;
	genl = mnl_nlmsg_put_extra_header(msg, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = RXE_CC_FAMILY_VERSION;
	return msg;
}

/* Send a message; returns what the kernel answered at last: 0 or an error. */
static int ask(const struct nlmsghdr *msg, size_t bytes, uint16_t *id)
{
	static char buf[4 * BUF_BYTES];
	const struct nlmsghdr *reply;
	const struct nlattr *attr;
	ssize_t got;
	int left;

	if (mnl_socket_sendto(sock, msg, bytes) < 0)
		die("cannot send: %s", strerror(errno));
	for (;;) {
		got = mnl_socket_recvfrom(sock, buf, sizeof(buf));
		if (got < 0)
			die("no answer to request %lu: %s", sent, strerror(errno));
		left = got;
		for (reply = (void *)buf; mnl_nlmsg_ok(reply, left); reply = mnl_nlmsg_next(reply, &left)) {
			if (reply->nlmsg_type == NLMSG_ERROR || reply->nlmsg_type == NLMSG_DONE)
				return *(int *)mnl_nlmsg_get_payload(reply);
			if (!id)
				continue;
			mnl_attr_for_each(attr, reply, GENL_HDRLEN)
				if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
					*id = mnl_attr_get_u16(attr);
		}
	}
}

static void expect_refusal(const struct nlmsghdr *msg, const char *what)
{
	int err = ask(msg, msg->nlmsg_len, NULL);

	sent++;
	if (err)
		refused++;
	else
		fprintf(stderr, "taken: %s, command %d\n", what, ((struct genlmsghdr *)mnl_nlmsg_get_payload(msg))->cmd);
}

/* Requests that are right, and would change something. The attribute put last is the one to damage. */

static struct nlmsghdr *begin_dev(char *buf)
{
	struct nlmsghdr *msg = begin(buf, family, RXE_CC_CMD_DEV_SET);

	mnl_attr_put_strz(msg, RXE_CC_A_DEV_NAME, dev);
	return msg;
}

static struct nlmsghdr *set_alg(char *buf)
{
	struct nlmsghdr *msg = begin_dev(buf);

	mnl_attr_put_u8(msg, RXE_CC_A_DEV_ECN, 0);
	mnl_attr_put_u32(msg, RXE_CC_A_DEV_LINE_RATE_MBPS, 77);
	mnl_attr_put_strz(msg, RXE_CC_A_DEV_ALGORITHM, "none");
	return msg;
}

static struct nlmsghdr *set_line(char *buf)
{
	struct nlmsghdr *msg = begin_dev(buf);

	mnl_attr_put_strz(msg, RXE_CC_A_DEV_PROFILE, "cx");
	mnl_attr_put_strz(msg, RXE_CC_A_DEV_ALGORITHM, "none");
	mnl_attr_put_u32(msg, RXE_CC_A_DEV_LINE_RATE_MBPS, 77);
	return msg;
}

static struct nlmsghdr *set_spray(char *buf)
{
	struct nlmsghdr *msg = begin_dev(buf);

	mnl_attr_put_u8(msg, RXE_CC_A_DEV_LINK, 1);
	mnl_attr_put_u8(msg, RXE_CC_A_DEV_ENTROPIES, 7);
	mnl_attr_put_strz(msg, RXE_CC_A_DEV_SPRAY, "rr");
	return msg;
}

static void put_setting(struct nlmsghdr *msg, const char *name, uint64_t value)
{
	struct nlattr *nest = mnl_attr_nest_start(msg, RXE_CC_A_PARAM_SETTING);

	mnl_attr_put_strz(msg, RXE_CC_A_SETTING_NAME, name);
	mnl_attr_put_u64(msg, RXE_CC_A_SETTING_VALUE, value);
	mnl_attr_nest_end(msg, nest);
}

static struct nlmsghdr *begin_params(char *buf)
{
	struct nlmsghdr *msg = begin(buf, family, RXE_CC_CMD_PARAM_SET);

	mnl_attr_put_strz(msg, RXE_CC_A_PARAM_DEV, dev);
	mnl_attr_put_strz(msg, RXE_CC_A_PARAM_ALGORITHM, "dcqcn");
	mnl_attr_put_strz(msg, RXE_CC_A_PARAM_PROFILE, "cx");
	put_setting(msg, "rp_hai_rate", 77);
	return msg;
}

static struct nlmsghdr *set_params(char *buf)
{
	struct nlmsghdr *msg = begin_params(buf);

	put_setting(msg, "rp_ai_rate", 77);
	return msg;
}

static struct nlmsghdr *(*const rights[])(char *buf) = { set_alg, set_line, set_spray, set_params };

static struct nlattr *last_attr(const struct nlmsghdr *msg)
{
	struct nlattr *attr, *last = NULL;

	mnl_attr_for_each(attr, msg, GENL_HDRLEN)
		last = attr;
	return last;
}

/* Ways to damage a request; each is wrong for every one of them. */

static void cut_attr(struct nlmsghdr *msg)
{
	struct nlattr *attr = last_attr(msg);

	/* a string loses its end, a number or nest a byte */
	attr->nla_len--;
}

static void empty_attr(struct nlmsghdr *msg)
{
	struct nlattr *attr = last_attr(msg);

	attr->nla_len = NLA_HDRLEN;
	msg->nlmsg_len = (char *)attr + NLA_HDRLEN - (char *)msg;
}

static void tiny_attr(struct nlmsghdr *msg)
{
	last_attr(msg)->nla_len = 3;
}

static void attr_beyond_end(struct nlmsghdr *msg)
{
	last_attr(msg)->nla_len += 4 + chance(1000) * 4;
}

static void huge_attr(struct nlmsghdr *msg)
{
	last_attr(msg)->nla_len = 0xffff;
}

static void unknown_attr(struct nlmsghdr *msg)
{
	mnl_attr_put_u32(msg, 100 + chance(1000), chance(1000));
}

static void answer_attr(struct nlmsghdr *msg)
{
	/* known, but only in replies; of DEV and PARAM alike */
	mnl_attr_put_u32(msg, RXE_CC_A_DEV_QPS, chance(1000));
}

static void left_over(struct nlmsghdr *msg)
{
	msg->nlmsg_len += 1 + chance(3);
}

static void long_string(struct nlmsghdr *msg)
{
	char text[300];

	memset(text, 'x', sizeof(text));
	text[RXE_CC_NAME_MAX_LEN + 1 + chance(200)] = 0;
	mnl_attr_put_strz(msg, RXE_CC_A_DEV_NAME, text);
}

static void wild_cmd(struct nlmsghdr *msg)
{
	((struct genlmsghdr *)mnl_nlmsg_get_payload(msg))->cmd = __RXE_CC_CMD_MAX + chance(200);
}

static void no_attrs(struct nlmsghdr *msg)
{
	msg->nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
}

static const struct {
	const char *what;
	void (*damage)(struct nlmsghdr *msg);
} damages[] = {
	{ "an attribute that lacks a byte", cut_attr },
	{ "an empty attribute", empty_attr },
	{ "an attribute smaller than its header", tiny_attr },
	{ "an attribute beyond the end", attr_beyond_end },
	{ "an attribute of 64 KB", huge_attr },
	{ "an attribute that is not known", unknown_attr },
	{ "an attribute of replies", answer_attr },
	{ "bytes left over", left_over },
	{ "a string that is too long", long_string },
	{ "a command that is not known", wild_cmd },
	{ "no attribute at all", no_attrs },
};

static void damage_all(void)
{
	char buf[BUF_BYTES];
	struct nlmsghdr *msg;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(damages); i++) {
		for (j = 0; j < ARRAY_SIZE(rights); j++) {
			msg = rights[j](buf);
			damages[i].damage(msg);
			expect_refusal(msg, damages[i].what);
		}
	}
}

/* Well-formed, but there is no such thing, or it is too much; beside it stands something that could be done. */
static void wrong_contents(void)
{
	char buf[BUF_BYTES];
	struct nlmsghdr *msg;
	struct nlattr *nest;
	int i;

	msg = set_line(buf);
	mnl_attr_put_u32(msg, RXE_CC_A_DEV_LINE_RATE_MBPS, RXE_CC_LINE_RATE_MAX_MBPS + 1);
	expect_refusal(msg, "a line rate out of range");
	msg = set_line(buf);
	mnl_attr_put_u8(msg, RXE_CC_A_DEV_ECN, 2);
	expect_refusal(msg, "an ecn of 2");
	msg = set_line(buf);
	mnl_attr_put_strz(msg, RXE_CC_A_DEV_ALGORITHM, "no_such");
	expect_refusal(msg, "an algorithm that does not exist");
	msg = set_line(buf);
	mnl_attr_put_strz(msg, RXE_CC_A_DEV_PROFILE, "custom");
	expect_refusal(msg, "a profile that cannot be chosen");

	msg = set_spray(buf);
	mnl_attr_put_u8(msg, RXE_CC_A_DEV_LINK, 2);
	expect_refusal(msg, "a link of 2");
	msg = set_spray(buf);
	mnl_attr_put_u8(msg, RXE_CC_A_DEV_ENTROPIES, 0);
	expect_refusal(msg, "no source port");
	msg = set_spray(buf);
	mnl_attr_put_u8(msg, RXE_CC_A_DEV_ENTROPIES, RXE_CC_ENTROPIES_MAX + 1);
	expect_refusal(msg, "too many source ports");
	msg = set_spray(buf);
	mnl_attr_put_strz(msg, RXE_CC_A_DEV_SPRAY, "no_such");
	expect_refusal(msg, "a spray mode that does not exist");
	msg = set_spray(buf);
	mnl_attr_put_strz(msg, RXE_CC_A_DEV_SPRAY, "");
	expect_refusal(msg, "a spray mode without a name");

	msg = set_params(buf);
	put_setting(msg, "rp_gd", 99);
	expect_refusal(msg, "a value out of range");
	msg = set_params(buf);
	put_setting(msg, "no_such", 1);
	expect_refusal(msg, "a parameter that does not exist");
	msg = set_params(buf);
	put_setting(msg, "rp_ai_rate", 78);
	expect_refusal(msg, "a parameter that is named twice");
	msg = set_params(buf);
	put_setting(msg, "rp_min_rate", 100);
	put_setting(msg, "rp_max_rate", 50);
	expect_refusal(msg, "values that contradict each other");
	msg = set_params(buf);
	nest = mnl_attr_nest_start(msg, RXE_CC_A_PARAM_SETTING);
	mnl_attr_put_strz(msg, RXE_CC_A_SETTING_NAME, "rp_gd");
	mnl_attr_nest_end(msg, nest);
	expect_refusal(msg, "a setting without a value");
	msg = set_params(buf);
	mnl_attr_put_strz(msg, RXE_CC_A_PARAM_SETTING, "no nest");
	expect_refusal(msg, "a setting that is no nest");
	msg = set_params(buf);
	for (i = 0; i < 200; i++)
		put_setting(msg, "rp_gd", 11);
	expect_refusal(msg, "more settings than there are parameters");
}

/* The device does not exist, so whatever the bits say nothing may come of it. Lengths of the message stay right. */
static void flip_bits(void)
{
	char buf[BUF_BYTES];
	struct nlmsghdr *msg;
	const char *real = dev;
	unsigned int i, n, at;

	dev = "zzzz";
	for (i = 0; i < flips; i++) {
		msg = rights[chance(ARRAY_SIZE(rights))](buf);
		for (n = 1 + chance(8); n; n--) {
			at = NLMSG_HDRLEN + GENL_HDRLEN + chance(msg->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN);
			buf[at] ^= 1 << chance(8);
		}
		expect_refusal(msg, "random bits");
	}
	dev = real;
}

static void open_family(void)
{
	struct timeval patience = { .tv_sec = 10 };
	char buf[BUF_BYTES];
	struct nlmsghdr *msg;

	sock = mnl_socket_open(NETLINK_GENERIC);
	if (!sock || mnl_socket_bind(sock, 0, MNL_SOCKET_AUTOPID))
		die("no netlink socket: %s", strerror(errno));
	setsockopt(mnl_socket_get_fd(sock), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	msg = begin(buf, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(msg, CTRL_ATTR_FAMILY_NAME, RXE_CC_FAMILY_NAME);
	if (ask(msg, msg->nlmsg_len, &family) || !family)
		die("no family %s: is the module loaded?", RXE_CC_FAMILY_NAME);
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	open_family();
	damage_all();
	wrong_contents();
	flip_bits();
	printf("{\"sent\": %lu, \"refused\": %lu}\n", sent, refused);
	mnl_socket_close(sock);
	return sent == refused ? 0 : 1;
}
