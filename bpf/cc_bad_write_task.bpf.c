// SPDX-License-Identifier: GPL-2.0
/* What a helper leads to is the kernel's. */
#define BAD_EVENT	(bpf_get_current_task_btf()->flags = 0)
#include "bad.h"
