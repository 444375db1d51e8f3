/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A test harness in one header:
 *
 *	TEST("The first packet after idling leaves at once")
 *	{
 *		EXPECT(rcc_pace_ready(&p, now));
 *		EXPECT_EQ(p.next_ns, 1234);
 *	}
 *
 * An expectation that does not hold ends its test, also from within a helper. Output is KTAP; the plan comes first, so
 * whoever counts sees how many tests a crash has swallowed.
 */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct test {
	const char *sentence;
	void (*run)(void);
	struct test *next;
};

/* defined by the one file of a program that says TEST_MAIN */
void test_register(struct test *t);
_Noreturn void test_failed(const char *file, int line, const char *what);

#define TEST_CAT(a, b)	a##b
#define TEST_NAME(a, b)	TEST_CAT(a, b)

#define TEST(text)								\
	static void TEST_NAME(test_run_, __LINE__)(void);			\
	static struct test TEST_NAME(test_, __LINE__) = {			\
		.sentence = text,						\
		.run = TEST_NAME(test_run_, __LINE__),				\
	};									\
	__attribute__((constructor)) static void TEST_NAME(test_add_, __LINE__)(void)	\
	{									\
		test_register(&TEST_NAME(test_, __LINE__));			\
	}									\
	static void TEST_NAME(test_run_, __LINE__)(void)

#define EXPECT(cond)								\
	do {									\
		if (!(cond))							\
			test_failed(__FILE__, __LINE__, #cond);			\
	} while (0)

#define EXPECT_EQ(got, want)							\
	do {									\
		uint64_t test_got = (uint64_t)(got), test_want = (uint64_t)(want);	\
		char test_text[200];						\
										\
		if (test_got == test_want)					\
			break;							\
		snprintf(test_text, sizeof(test_text), "%s is %lld, not %lld", #got,	\
			 (long long)test_got, (long long)test_want);		\
		test_failed(__FILE__, __LINE__, test_text);			\
	} while (0)

/* |got - want| <= tol, in floating point */
#define EXPECT_NEAR(got, want, tol)						\
	do {									\
		double test_got = (got), test_want = (want), test_tol = (tol);	\
		double test_diff = test_got > test_want ? test_got - test_want : test_want - test_got;	\
		char test_text[200];						\
										\
		if (test_diff <= test_tol)					\
			break;							\
		snprintf(test_text, sizeof(test_text), "%s is %.9g, more than %.3g from %.9g", #got,	\
			 test_got, test_tol, test_want);			\
		test_failed(__FILE__, __LINE__, test_text);			\
	} while (0)

/* xorshift64*: the same numbers on every machine; the seed is not 0 */
static inline uint64_t test_random(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * 0x2545f4914f6cdd1dULL;
}

#ifdef TEST_MAIN

static struct test *test_first, **test_last = &test_first;
static int test_count;
static jmp_buf test_end;

void test_register(struct test *t)
{
	*test_last = t;
	test_last = &t->next;
	test_count++;
}

void test_failed(const char *file, int line, const char *what)
{
	printf("# %s:%d: %s\n", file, line, what);
	longjmp(test_end, 1);
}

int main(void)
{
	static struct test *t;
	static int n, failed;

	printf("KTAP version 1\n1..%d\n", test_count);
	for (t = test_first; t; t = t->next) {
		int bad = setjmp(test_end);

		if (!bad)
			t->run();
		failed += bad;
		printf("%s %d - %s\n", bad ? "not ok" : "ok", ++n, t->sentence);
		fflush(stdout);
	}
	return failed ? 1 : 0;
}

#endif /* TEST_MAIN */

#endif /* TEST_H */
