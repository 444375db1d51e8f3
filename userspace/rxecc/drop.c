// SPDX-License-Identifier: GPL-2.0
/* See drop.h. Capabilities are set by the system call: libcap would be a library for one call. */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "drop.h"
#include "rxecc.h"

/* become this user, or nobody, by the number that stands for it everywhere */
#define USER	"rxecc"
#define NOBODY	65534

static void set_capabilities(uint64_t capabilities)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 }, present[2] = { 0 };
	int i;

	if (syscall(SYS_capget, &header, present))
		fail(EXIT_REFUSED, "cannot read capabilities: %s", strerror(errno));
	for (i = 0; i < 2; i++) {
		data[i].permitted = present[i].permitted & (uint32_t)(capabilities >> 32 * i);
		data[i].effective = data[i].permitted;
	}
	if (syscall(SYS_capset, &header, data))
		fail(EXIT_REFUSED, "cannot give up capabilities: %s", strerror(errno));
}

static void change_user(void)
{
	const struct passwd *user = getpwnam(USER);
	uid_t uid = user ? user->pw_uid : NOBODY;
	gid_t gid = user ? user->pw_gid : NOBODY;

	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		fail(EXIT_REFUSED, "cannot become user %u: %s", uid, strerror(errno));
}

/**
 * drop_to() - keep some capabilities only, and get no other ones by starting programs
 * @capabilities: by bit
 */
void drop_to(uint64_t capabilities)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		fail(EXIT_REFUSED, "cannot give up new privileges: %s", strerror(errno));
	set_capabilities(capabilities);
}

/**
 * drop_all() - become a user who may do nothing, and keep no capability
 */
void drop_all(void)
{
	if (!geteuid())
		change_user();
	drop_to(0);
}
