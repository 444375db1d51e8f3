#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh NAME - where the kernel NAME of the tests lives.
#
#   eval "$(selftests/vm/kernel.sh 6.12)"
#
# sets KVER (release), KDIR (headers to build modules against), VMLINUZ and
# MODDIR (the modules.* and kernel/ directory).  NAME is
#   6.12, 6.1, ...  the newest installed Debian headers of that series; the
#                   image is the installed one, or the one that deps.sh unpacked
#                   into the cache without touching the host's boot setup;
#   anything else   a kernel that somebody built: the cache's kernels/NAME file
#                   says the same four assignments.
set -u

die()
{
	echo "kernel.sh: $*" >&2
	exit 1
}

# Where images and base initramfs are kept between builds.
cache_dir()
{
	local top dir=${RXE_CC_CACHE:-/var/cache/rxe-cc}

	top=$(cd "$(dirname "$0")/../.." && pwd)
	if ! mkdir -p "$dir" 2>/dev/null || [ ! -w "$dir" ]; then
		dir=$top/build/cache
		mkdir -p "$dir"
	fi
	echo "$dir"
}

# Newest release of a series with Debian headers, for instance 6.1.0-57-amd64.
# Flavours other than the plain one are not tested, so they are not looked at.
newest_headers()
{
	local arch

	arch=$(dpkg --print-architecture)
	dpkg-query -W -f '${db:Status-Status} ${Package}\n' \
		"linux-headers-$1.*-$arch" 2>/dev/null |
		sed -n 's/^installed linux-headers-//p' |
		grep -vE -- '-(rt|cloud)-' | sort -V | tail -n 1
}

main()
{
	local name=${1:?usage: kernel.sh NAME | kernel.sh --cache} cache

	cache=$(cache_dir)
	if [ "$name" = --cache ]; then
		echo "$cache"
		return
	fi
	if [ -f "$cache/kernels/$name" ]; then
		cat "$cache/kernels/$name"
		return
	fi

	KVER=$(newest_headers "$name")
	[ -n "$KVER" ] || die "no headers of Linux $name: run 'make deps'"
	KDIR=/lib/modules/$KVER/build
	VMLINUZ=/boot/vmlinuz-$KVER
	MODDIR=/lib/modules/$KVER
	if [ ! -f "$VMLINUZ" ] || [ ! -f "$MODDIR/modules.order" ]; then
		VMLINUZ=$cache/image/$KVER/boot/vmlinuz-$KVER
		MODDIR=$cache/image/$KVER/lib/modules/$KVER
	fi
	# deps.sh itself asks before it has the image.
	if [ "${2-}" != --no-image ] && [ ! -f "$VMLINUZ" ]; then
		die "no image of $KVER: run 'make deps'"
	fi
	printf 'KVER=%q\nKDIR=%q\nVMLINUZ=%q\nMODDIR=%q\n' \
		"$KVER" "$KDIR" "$VMLINUZ" "$MODDIR"
}

main "$@"
