/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rcc_replay: events and decisions of an algorithm as text, and the algorithm's homes in which they are replayed.
 * Documentation/conformance.rst describes the text.
 */
#ifndef RCC_REPLAY_TOOL_H
#define RCC_REPLAY_TOOL_H

#include <inttypes.h>
#include <stdbool.h>

#include "../tool.h"
#include "../../../kmod/cc/algs.h"
#include "../../../kmod/replay.h"

/**
 * struct vec_event - an event, and what was decided after it
 * @ev: the event
 * @decision: the decision
 * @line: where it stands in its file; 0: in none
 */
struct vec_event {
	struct rcc_event ev;
	struct rcc_decision decision;
	unsigned int line;
};

/**
 * struct vec_flow - one flow of a vector
 * @alg: its algorithm
 * @head: how it begins; the algorithm's name is in there, too
 * @first: the decision that it begins with
 * @line: where that stands in its file; 0: in none
 * @n: number of events
 * @room: for that many there is memory
 * @events: the events
 */
struct vec_flow {
	const struct rcc_alg *alg;
	struct rcc_replay_head head;
	struct rcc_decision first;
	unsigned int line;
	size_t n;
	size_t room;
	struct vec_event *events;
};

/**
 * struct vec_file - a vector that is being read
 * @name: for messages
 * @file: the text
 * @line: the number of the last line read
 */
struct vec_file {
	const char *name;
	FILE *file;
	unsigned int line;
};

extern const char *const vec_event_names[RCC_EV_END];

void vec_open(struct vec_file *v, const char *name);
bool vec_read(struct vec_file *v, struct vec_flow *f);
void vec_close(struct vec_file *v);
void vec_write(const struct vec_flow *f);
const char *vec_fault(const struct rcc_alg *alg, const struct rcc_values *values);
void vec_add(struct vec_flow *f, const struct vec_event *e);
void vec_reset(struct vec_flow *f);
const struct rcc_alg *need_alg(const char *name, const char *where);

/**
 * struct home - where an algorithm lives
 * @begin: begin a flow, forget the last one; says the first decision
 * @run: tell it of up to RCC_REPLAY_MAX events and get as many decisions. Returns how many nanoseconds that took
 */
struct home {
	void (*begin)(const struct vec_flow *f, struct rcc_decision *d);
	uint64_t (*run)(const struct rcc_event *ev, struct rcc_decision *d, unsigned int n);
};

extern const struct home home_user;
extern const struct home home_kernel;
void home_kernel_alg(const char *name);

/**
 * struct replay_opts - the command line
 * @home: where to replay
 * @home_text: the same for messages
 * @as: algorithm of the kernel that stands in for the vector's own; NULL: none
 * @alg: algorithm to generate for
 * @profile: of its parameters; RCC_PROFILE_CUSTOM: random ones
 * @seed: of random numbers
 * @events: per flow. generate: how many; record: at most so many
 * @flows: to generate
 * @before: file with the parameters before the recording
 * @after: and after it
 */
struct replay_opts {
	const struct home *home;
	const char *home_text;
	const char *as;
	const struct rcc_alg *alg;
	int profile;
	uint64_t seed;
	uint64_t events;
	uint64_t flows;
	const char *before;
	const char *after;
};

int cmd_check(const struct replay_opts *o, char **files);
int cmd_bench(const struct replay_opts *o, char **files);
int cmd_generate(const struct replay_opts *o, char **files);
int cmd_record(const struct replay_opts *o, char **files);

#endif /* RCC_REPLAY_TOOL_H */
