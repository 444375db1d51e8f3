// SPDX-License-Identifier: GPL-2.0
/* Helpers that not every program may call are none of an algorithm's business. */
#define BAD_EVENT	bpf_skb_load_bytes(ev, 0, d, 8)
#include "bad.h"
