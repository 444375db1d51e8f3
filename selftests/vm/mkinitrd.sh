#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mkinitrd.sh - make the initramfs of a test guest out of the host's own packages.
#
#   mkinitrd.sh base KERNEL             print the path of the (cached) base archive
#   mkinitrd.sh small FILE DIR [EXTRA]  pack the part that changes with every run
#
# A guest boots base and small one behind the other: the kernel unpacks
# concatenated archives in order.  The base holds tools, libraries and modules of
# the distribution, takes seconds to make and is kept until a package changes.
# The small one holds our modules, the selftests and the command, and takes
# milliseconds.  Neither is compressed: unpacking is slower than copying when the
# processor is emulated.
set -eu

here=$(cd "$(dirname "$0")" && pwd)

# Programs of the guest.  A missing one stops the build: a test that cannot run
# its tool must not pass.
tools="
	bash busybox
	basename cat chmod comm cp cut date dd df dirname echo env expr false head
	id join ln ls md5sum mkdir mkfifo mknod mktemp mv nproc od paste printf
	readlink realpath rm rmdir seq sha256sum sleep sort split stat stdbuf stty
	sync tac tail tee test timeout touch tr true truncate tty uname uniq wc
	dmesg flock mount umount nsenter unshare setsid setpriv taskset prlimit
	grep sed awk find xargs tar pgrep pkill ps kill sysctl jq
	kmod insmod rmmod lsmod modprobe modinfo bpftool
	ip tc ss bridge rdma ethtool tcpdump ping curl
	ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat
	ib_atomic_bw ib_atomic_lat
	rping udaddy ucmatose rdma_server rdma_client
	ibv_devices ibv_devinfo ibv_rc_pingpong ibv_uc_pingpong ibv_ud_pingpong
	ibv_srq_pingpong"

# Nice to have in a guest; no test may need them.
optional_tools="nft strace less nstat devlink ibv_asyncwatch ibv_xsrq_pingpong
	raw_ethernet_bw"

# Modules of the guest, with all they depend on.  Those that a kernel has built in
# or does not know are left out; a test that needs one notices.
modules="
	rdma_rxe ib_uverbs rdma_ucm rdma_cm ib_umad
	crc32_generic crc32_pclmul crypto_user
	virtio virtio_ring virtio_pci virtio_console
	veth dummy 8021q vrf bridge ifb
	sch_red sch_tbf sch_netem sch_fq sch_prio sch_htb sch_ingress sch_mqprio
	cls_u32 cls_flower cls_matchall cls_basic cls_fw cls_bpf em_u32
	act_gact act_mirred act_pedit act_csum act_skbedit act_bpf act_police
	nf_tables nft_ct nft_limit nft_numgen nft_compat nft_chain_nat nfnetlink_queue
	ip_tables iptable_filter iptable_mangle iptable_raw
	ip6_tables ip6table_filter ip6table_mangle ip6table_raw
	xt_DSCP xt_dscp xt_ecn xt_mark xt_u32 xt_statistic xt_length
	udp_tunnel ip6_udp_tunnel netconsole af_packet pktgen"

die()
{
	echo "mkinitrd.sh: $*" >&2
	exit 1
}

# The libraries that a dynamic program or library needs, one path a line.
libs_of()
{
	# ldd fails for scripts and static programs, which need none.
	ldd "$1" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }
				    $1 ~ /^\// { print $1 }' || true
}

# copy_in ROOT FILE [GUESTPATH]: FILE and its libraries, symbolic links resolved.
copy_in()
{
	local root=$1 file=$2 to=${3:-$2} lib

	# The guest is merged-/usr, like the host.
	case $to in
	/bin/* | /sbin/* | /lib/* | /lib64/*) to=/usr$to ;;
	esac
	[ -e "$root$to" ] && return
	mkdir -p "$(dirname "$root$to")"
	cp -L "$file" "$root$to"
	for lib in $(libs_of "$file"); do
		copy_in "$root" "$lib"
	done
}

make_skeleton()
{
	local root=$1 d

	mkdir -p "$root"/{usr/{bin,sbin,lib,lib64},dev,proc,sys,run,tmp,root,out,etc}
	for d in bin sbin lib lib64; do
		ln -s "usr/$d" "$root/$d"
	done
	ln -s /run "$root/var"
	printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/false\n' > "$root/etc/passwd"
	echo 'root:x:0:' > "$root/etc/group"
	echo '127.0.0.1 localhost' > "$root/etc/hosts"
	echo 'hosts: files' > "$root/etc/nsswitch.conf"
	printf 'icmp 1\ntcp 6\nudp 17\nipv6-icmp 58\n' > "$root/etc/protocols"
	ln -s /proc/self/mounts "$root/etc/mtab"
}

add_tools()
{
	local root=$1 t path applet

	for t in $tools; do
		# Not command -v: several of these are also bash builtins.
		path=$(type -P "$t") || die "no program $t: run 'make deps'"
		copy_in "$root" "$path" "/usr/bin/$t"
	done
	for t in $optional_tools; do
		if path=$(type -P "$t"); then
			copy_in "$root" "$path" "/usr/bin/$t"
		fi
	done
	# Busybox fills in for all that nobody named.
	for applet in $(busybox --list); do
		[ -e "$root/usr/bin/$applet" ] || ln -s busybox "$root/usr/bin/$applet"
	done
	# The kernel calls /sbin/modprobe by this name.
	ln -sf ../bin/kmod "$root/usr/sbin/modprobe"
}

# Libraries that programs open by name: the rxe provider of libibverbs, which
# /etc/libibverbs.d names, what pthread_exit wants, and tables of iproute2.
add_data()
{
	local root=$1 lib

	mkdir -p "$root/etc/libibverbs.d"
	cp /etc/libibverbs.d/rxe.driver "$root/etc/libibverbs.d/"
	for lib in /usr/lib/*/libibverbs/librxe-rdmav*.so /usr/lib/*/libgcc_s.so.1; do
		copy_in "$root" "$lib"
	done
	for lib in /usr/lib/*/tc /usr/lib/tc; do
		if [ -d "$lib" ]; then
			mkdir -p "$root$lib"
			cp -L "$lib"/* "$root$lib/"
		fi
	done
	if [ -d /etc/iproute2 ]; then
		cp -rL /etc/iproute2 "$root/etc/"
	fi
	if [ -d /lib/terminfo/l ]; then
		mkdir -p "$root/usr/lib/terminfo/"{l,v}
		cp -L /lib/terminfo/l/linux "$root/usr/lib/terminfo/l/"
		cp -L /lib/terminfo/v/vt100 "$root/usr/lib/terminfo/v/"
	fi
}

add_modules()
{
	local root=$1 to=$1/usr/lib/modules/$KVER base=${MODDIR%/lib/modules/*} m file dest

	mkdir -p "$to"
	cp "$MODDIR"/modules.builtin* "$MODDIR"/modules.order "$to/"
	if [ ! -f "$MODDIR/modules.dep" ]; then
		depmod -b "$base" "$KVER"
	fi
	for m in $modules; do
		modprobe -d "${base:-/}" -C /dev/null -S "$KVER" -a --show-depends "$m" \
			2>/dev/null || true
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u |
	while read -r file; do
		dest=$to/${file#*/lib/modules/"$KVER"/}
		dest=${dest%.ko*}.ko
		mkdir -p "$(dirname "$dest")"
		# Uncompressed, again because the guest is the slower one.
		case $file in
		*.xz) xz -dc "$file" > "$dest" ;;
		*.zst) zstd -qdc "$file" > "$dest" ;;
		*) cp "$file" "$dest" ;;
		esac
		# A plain copy by objcopy drops the signature, whose check is most
		# of the time that a guest takes to load a module.
		objcopy "$dest"
	done
	[ -f "$to/kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko" ] ||
		die "no rdma_rxe in $MODDIR"
	depmod -b "$root" "$KVER"
}

pack()
{
	(cd "$1" && find . -print0 | sort -z |
		cpio --null --create --format=newc --owner=0:0 --quiet)
}

# All that goes into the base: this script, the packages, the kernel.
base_key()
{
	{
		cat "$0"
		stat -L -c '%n %s %Y' /var/lib/dpkg/status "$VMLINUZ" "$MODDIR/modules.order"
		echo "$PATH"
	} | sha256sum | cut -c 1-16
}

make_base()
{
	local cache dir file tmp

	eval "$("$here/kernel.sh" "$1")"
	[ -n "${KVER-}" ] || exit 1
	cache=$("$here/kernel.sh" --cache)
	dir=$cache/initrd
	file=$dir/$KVER-$(base_key).cpio
	mkdir -p "$dir"

	# Parallel guests wait for the first one's archive.
	exec 9> "$dir/lock"
	flock 9
	if [ ! -f "$file" ]; then
		tmp=$(mktemp -d "$dir/tmp.XXXXXX")
		# shellcheck disable=SC2064 # tmp is known now
		trap "rm -rf '$tmp'" EXIT
		make_skeleton "$tmp/root"
		add_tools "$tmp/root"
		add_data "$tmp/root"
		add_modules "$tmp/root"
		pack "$tmp/root" > "$tmp/cpio"
		rm -f "$dir/$KVER"-*.cpio
		mv "$tmp/cpio" "$file"
	fi
	echo "$file"
}

# make_small FILE DIR [HOSTFILE:GUESTPATH]...: DIR becomes the archive's root.
make_small()
{
	local file=$1 root=$2 extra from to

	shift 2
	for extra in "$@"; do
		from=${extra%%:*}
		to=${extra#*:}
		[ "$to" != "$extra" ] || to=/usr/bin/$(basename "$from")
		[ -e "$from" ] || die "no file $from"
		if [ -d "$from" ]; then
			mkdir -p "$root$to"
			cp -rL "$from/." "$root$to/"
		else
			copy_in "$root" "$from" "$to"
		fi
	done
	pack "$root" > "$file"
}

case ${1-} in
base) make_base "${2:?kernel}" ;;
small) shift; make_small "$@" ;;
*) die "usage: mkinitrd.sh base KERNEL | small FILE DIR [HOSTFILE:GUESTPATH]..." ;;
esac
