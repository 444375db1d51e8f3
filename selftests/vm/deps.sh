#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh - install what building and testing need on a fresh Debian 12.
#
# Installs only what is missing, asks nothing, and does nothing at all when nothing
# is missing.  Kernel images for guests are unpacked into the cache (see kernel.sh)
# instead of being installed, because the boot setup of this machine is none of our
# business.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
release=bookworm

build="make gcc libc6-dev binutils kmod dwarves xz-utils zstd cpio git"
guest="bash busybox-static coreutils grep sed mawk findutils tar procps util-linux
	iproute2 iputils-ping ethtool tcpdump jq
	perftest rdmacm-utils ibverbs-utils ibverbs-providers"
bpf="clang-19"
unit="clang libclang-rt-14-dev zlib1g-dev libibverbs-dev librdmacm-dev libmnl-dev"
style="perl shellcheck sparse linux-source-6.12 python3-yaml python3-jsonschema mandoc"
vectors="python3-scapy tshark"
figures="gnuplot-nox file"
simulator="libjansson-dev"
exporter="libmicrohttpd-dev curl python3-prometheus-client systemd"
terminal="libncurses-dev tmux"

# From backports: the emulator of the release is older than the kernels under test, and libbpf and bpftool older than
# struct_ops of modules.  PACKAGE=OLDEST, epochs included.
backports="qemu-system-x86=1:10 libbpf-dev=1:1.4 bpftool=7.5"

export DEBIAN_FRONTEND=noninteractive

say()
{
	echo "deps: $*"
}

die()
{
	echo "deps: $*" >&2
	exit 1
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# The first index update is the slow part, so it waits until something is missing.
updated=no
update()
{
	[ "$updated" = no ] || return 0
	add_backports
	say "apt-get update"
	as_root apt-get -qq update
	updated=yes
}

install()
{
	local to=()

	if [ "$1" = -t ]; then
		to=(-t "$2")
		shift 2
	fi
	update
	say "install $*"
	as_root apt-get -qq -y --no-install-recommends "${to[@]}" install "$@" > /dev/null
}

# missing PACKAGE...: those that are not installed.
missing()
{
	local have p

	have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
	for p in "$@"; do
		grep -qx "installed $p" <<< "$have" || echo "$p"
	done
}

# All lines of the apt sources that are no comments.
sources()
{
	find /etc/apt/sources.list /etc/apt/sources.list.d \
		\( -name '*.list' -o -name '*.sources' \) -exec grep -hv '^[[:space:]]*#' {} + \
		2>/dev/null
}

# The mirror that this machine uses already; it may be the only reachable one.
mirror()
{
	local m

	m=$(sources | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' ')
	echo "${m:-http://deb.debian.org/debian}"
}

add_backports()
{
	local file=/etc/apt/sources.list.d/rxe-cc-backports.sources

	if sources | grep -q "$release-backports"; then
		return
	fi
	say "add the source $release-backports"
	as_root tee "$file" > /dev/null <<-END
	# Added by rxe-cc's "make deps".
	Types: deb
	URIs: $(mirror)
	Suites: $release-backports
	Components: main
	Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
	END
}

# outdated PACKAGE=OLDEST...: those that are not installed, or older than that.
outdated()
{
	local p version

	for p in "$@"; do
		version=$(dpkg-query -W -f '${Version}' "${p%%=*}" 2>/dev/null || true)
		if [ -z "$version" ] || dpkg --compare-versions "$version" lt "${p#*=}"; then
			echo "${p%%=*}"
		fi
	done
}

need_packages()
{
	local list

	# shellcheck disable=SC2086 # lists
	list=$(missing $build $guest $bpf $unit $style $vectors $figures $simulator $exporter $terminal)
	if [ -n "$list" ]; then
		# shellcheck disable=SC2086 # a list
		install $list
	fi
	# shellcheck disable=SC2086 # a list
	list=$(outdated $backports)
	if [ -n "$list" ]; then
		# -t takes their libraries from there, too.
		# shellcheck disable=SC2086 # a list
		install -t "$release-backports" $list
	fi
}

# series_headers SERIES: the newest headers package that apt knows of a series, by
# way of the meta packages, which name exactly the one that is current.
series_headers()
{
	apt-cache show "linux-headers-$1-amd64" linux-headers-amd64 2>/dev/null |
		sed -n 's/^Depends: \(.*, \)*\(linux-headers-[^ ,]*\).*/\2/p' |
		grep -F -- "linux-headers-$1." | sort -Vu | tail -n 1
}

# need_kernel SERIES: headers and a matching image.
need_kernel()
{
	local series=$1 headers

	if ! "$here/kernel.sh" "$series" --no-image > /dev/null 2>&1; then
		update
		headers=$(series_headers "$series")
		[ -n "$headers" ] || die "apt knows no headers of Linux $series"
		install "$headers"
	fi
	"$here/kernel.sh" "$series" > /dev/null 2>&1 || fetch_image "$series" || {
		# The archive has moved on since these headers were installed.
		update
		install "$(series_headers "$series")"
		fetch_image "$series"
	}
	"$here/kernel.sh" "$series" > /dev/null || die "no image of Linux $series"
}

# fetch_image SERIES: unpack the image that belongs to the headers into the cache.
fetch_image()
{
	local version cache dir deb

	eval "$("$here/kernel.sh" "$1" --no-image)"
	"$here/kernel.sh" "$1" > /dev/null 2>&1 && return
	version=$(dpkg-query -W -f '${Version}' "linux-headers-$KVER")
	cache=$("$here/kernel.sh" --cache)
	mkdir -p "$cache/debs" "$cache/image"
	deb=$cache/debs/linux-image-${KVER}_${version}_$(dpkg --print-architecture).deb
	if [ ! -f "$deb" ]; then
		update
		say "download linux-image-$KVER=$version"
		# apt's own download user cannot write everywhere; root may.
		(cd "$cache/debs" && apt-get -qq -o APT::Sandbox::User=root \
			download "linux-image-$KVER=$version") || return 1
	fi
	say "unpack linux-image-$KVER"
	dir=$(mktemp -d "$cache/image/tmp.XXXXXX")
	dpkg-deb -x "$deb" "$dir"
	depmod -b "$dir" "$KVER"
	rm -rf "$cache/image/$KVER"
	mv "$dir" "$cache/image/$KVER"
	chmod 755 "$cache/image/$KVER"
}

# Prometheus is unpacked into the cache, too: its package would start it on this machine.
need_prometheus()
{
	local cache

	cache=$("$here/kernel.sh" --cache)
	if [ -x "$cache/prometheus/usr/bin/promtool" ] || command -v promtool > /dev/null; then
		return
	fi
	update
	say "download and unpack prometheus"
	mkdir -p "$cache/debs"
	rm -f "$cache"/debs/prometheus_*
	(cd "$cache/debs" && apt-get -qq -o APT::Sandbox::User=root download prometheus) || die "no prometheus"
	dpkg-deb -x "$cache"/debs/prometheus_*.deb "$cache/prometheus"
}

need_packages
need_prometheus
[ $# -gt 0 ] || set -- 6.12 6.1
for series in "$@"; do
	need_kernel "$series"
done
