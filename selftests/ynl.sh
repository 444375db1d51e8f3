#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ynl.sh - is the netlink spec valid by the kernel's schema, and does the header that
# is written by hand say what the kernel's generator makes of the spec?
#
# Prints what is wrong, and nothing if all is well.  The schema and the generator are
# those of linux-source-6.12; they are unpacked once into the cache.
set -u

top=$(cd "$(dirname "$0")/.." && pwd)
spec=$top/Documentation/netlink/specs/rxe_cc.yaml
header=${1:-$top/kmod/rxe_cc_netlink.h}

# A failure must not look like the silence of success.
die()
{
	echo "ynl.sh: $*"
	exit 1
}

# tree DIR: what the generator needs of a kernel tree.
tree()
{
	local src=linux-source-6.12 tmp

	[ ! -f "$1/MAINTAINERS" ] || return 0
	tmp=$(mktemp -d "$1.XXXXXX") || return
	tar -C "$tmp" --strip-components=1 -xf /usr/src/$src.tar.xz $src/tools/net/ynl \
		$src/Documentation/netlink/genetlink.yaml $src/MAINTAINERS || return
	mv -T "$tmp" "$1"
}

# names HEADER: every name that it defines, but for its guard.
names()
{
	perl -0pe 's{/\*.*?\*/}{}gs' "$1" | grep -vE '^#(ifndef|define [A-Z_]+$|endif)' |
		grep -owE '_*RXE_CC_[A-Z0-9_]+' | sort -u
}

# values HEADER: NAME VALUE of each, as the compiler sees them.
values()
{
	{
		echo '#include <stdio.h>'
		echo "#include \"$1\""
		echo 'static void text(const char *name, const char *value)'
		echo '{ printf("%s %s", name, value); putchar(10); }'
		echo 'static void number(const char *name, long long value)'
		echo '{ printf("%s %lld", name, value); putchar(10); }'
		echo '#define SAY(x) _Generic((x), char *: text, default: number)(#x, x)'
		echo 'int main(void) {'
		names "$1" | sed 's/.*/SAY(&);/'
		echo 'return 0; }'
	} > "$work/values.c"
	gcc -o "$work/values" "$work/values.c" && "$work/values"
}

version=$(dpkg-query -W -f '${Version}' linux-source-6.12) || die "no linux-source-6.12"
kernel=$("$top/selftests/vm/kernel.sh" --cache)/ynl-$version
tree "$kernel" || die "cannot unpack the kernel's generator"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The generator looks for the schema beside the spec.
mkdir -p "$work/netlink/specs"
cp "$kernel/Documentation/netlink/genetlink.yaml" "$work/netlink/"
cp "$spec" "$work/netlink/specs/"
cp "$kernel/MAINTAINERS" "$work/"

# Debian's interpreter, which has Debian's yaml and jsonschema.
/usr/bin/python3 "$kernel/tools/net/ynl/ynl-gen-c.py" --mode uapi --header \
	--spec "$work/netlink/specs/rxe_cc.yaml" > "$work/generated.h" 2> "$work/err" ||
	die "the spec is not valid: $(tail -n 5 "$work/err")"
values "$work/generated.h" > "$work/generated" || die "the generated header does not compile"
values "$header" > "$work/written" || die "$header does not compile"
[ -s "$work/written" ] || die "$header defines nothing"
diff -u --label "from the spec" --label "$header" "$work/generated" "$work/written"
