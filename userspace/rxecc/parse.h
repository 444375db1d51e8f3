/* SPDX-License-Identifier: GPL-2.0 */
/* Words of the command line. Nothing here prints or ends the program, so that unit tests can call it. */
#ifndef RXECC_PARSE_H
#define RXECC_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rxe_cc_netlink.h"

#define NAME_BYTES	(RXE_CC_NAME_MAX_LEN + 1)

/**
 * struct target - what a word like "rxe0" or "rxe0/17" names
 * @dev: the device
 * @qpn: number of the QP
 * @has_qpn: is there one?
 */
struct target {
	char dev[NAME_BYTES];
	uint32_t qpn;
	bool has_qpn;
};

/**
 * struct setting - what a word like "rp_ai_rate=40" asks for
 * @name: the parameter
 * @value: its new value
 */
struct setting {
	char name[NAME_BYTES];
	uint64_t value;
};

int parse_number(const char *word, uint64_t *value);
int parse_seconds(const char *word, uint64_t *ns);
int parse_switch(const char *word, bool *on);
int parse_target(const char *word, struct target *target);
int parse_setting(const char *word, struct setting *setting);

#endif /* RXECC_PARSE_H */
