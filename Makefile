# SPDX-License-Identifier: GPL-2.0
#
# make            the module for the running kernel (or KDIR=/path/to/headers)
# make check      everything that can be tested, in guests where it needs a kernel
# make help       the other targets

KDIR ?= /lib/modules/$(shell uname -r)/build
DESTDIR ?=
PREFIX ?= /usr/local
V ?= 0

# Kernels that the guests run.
kernels := 6.12 6.1
top := $(CURDIR)
suite := $(top)/selftests/suite.sh

# Where kbuild works: sources stay clean, and one tree serves several kernels.
# Links to every file, because kbuild writes beside the sources.  Links of sources
# that are gone would be compiled for ever, so they go first.
#   $(1) directory below build/
define prepare
	@mkdir -p build/$(1)
	@find build/$(1) -xtype l -delete
	@cp -rsuf $(top)/Kbuild $(top)/kmod build/$(1)/
endef

# $(1) directory below build/, $(2) headers, $(3) more arguments
define kbuild
	$(call prepare,$(1))
	+@$(MAKE) --no-print-directory -C $(2) M=$(top)/build/$(1) V=$(V) $(3) modules
endef

# For one of our kernel names; the shell variables come from kernel.sh.
#   $(1) kernel, $(2) suffix of the directory, $(3) more arguments
define kbuild_for
	+@eval "$$(selftests/vm/kernel.sh $(1))" && [ -n "$$KVER" ] && \
	$(MAKE) --no-print-directory _kbuild DIR="$$KVER$(2)" KDIR="$$KDIR" ARGS="RCC_GUEST=m $(3)"
endef

all: host

host:
	$(call kbuild,host,$(KDIR))

_kbuild:
	$(call kbuild,$(DIR),$(KDIR),$(ARGS))

module-%:
	$(call kbuild_for,$*)

modules: $(addprefix module-,$(kernels))

# Types come from the module of the first kernel; the objects find their places in any other.
bpf: module-$(firstword $(kernels))
	+@eval "$$(selftests/vm/kernel.sh $(firstword $(kernels)))" && [ -n "$$KVER" ] && \
	$(MAKE) --no-print-directory -C bpf KDIR="$$KDIR" MODULE="$(top)/build/$$KVER/rxe_cc.ko"

# A directory of its own, or kbuild would find nothing left to check.
sparse:
	@eval "$$(selftests/vm/kernel.sh $(firstword $(kernels)))" && \
		rm -rf "build/$$KVER-sparse"
	$(call kbuild_for,$(firstword $(kernels)),-sparse,C=2 CF=-D__CHECK_ENDIAN__)

install: install-module install-tools

install-module: host
	$(MAKE) -C $(KDIR) M=$(top)/build/host INSTALL_MOD_PATH=$(DESTDIR) modules_install
	depmod $(if $(DESTDIR),-b $(DESTDIR)) $(notdir $(patsubst %/build,%,$(KDIR)))

install-tools: tools
	install -D -m 755 build/rxecc/rxecc $(DESTDIR)$(PREFIX)/sbin/rxecc
	install -D -m 644 Documentation/man/rxecc.8 $(DESTDIR)$(PREFIX)/share/man/man8/rxecc.8
	install -D -m 644 Documentation/man/rxecc-export.8 $(DESTDIR)$(PREFIX)/share/man/man8/rxecc-export.8
	install -D -m 644 userspace/rxecc/completion.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/rxecc
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|/usr/local|$(PREFIX)|' Documentation/systemd/rxecc-export.service \
		> $(DESTDIR)$(PREFIX)/lib/systemd/system/rxecc-export.service

tools:
	+@$(MAKE) --no-print-directory -C userspace/rxecc O=$(top)/build/rxecc

deps:
	@selftests/vm/deps.sh $(kernels)

# K=6.1 make vm
vm: K ?= $(firstword $(kernels))
vm: deps
	+@$(MAKE) --no-print-directory module-$(K) tools
	@selftests/vm/run.sh --kernel $(K) --extra build/rxecc/rxecc --shell

# Suites go on after a failure: the total tells.
check: deps
	@rm -rf build/check
	@$(suite) style selftests/style.sh
	+@$(suite) unit $(MAKE) --no-print-directory -C userspace/tests check
	+@$(suite) conformance $(MAKE) --no-print-directory -C userspace/conformance check
	+@$(suite) dissector $(MAKE) --no-print-directory -C userspace/dissector check
	+@$(suite) rxecc $(MAKE) --no-print-directory -C userspace/rxecc_test check
	+@$(suite) fabsim $(MAKE) --no-print-directory -C userspace/fabsim check
	+@$(suite) fuzz $(MAKE) --no-print-directory -C userspace/fuzz short
	+@$(suite) runner selftests/vm/run_test.sh
	+@$(suite) guests $(MAKE) --no-print-directory guests
	@$(suite) authors selftests/vm/authors.sh
	@$(suite) --total

guests: modules
	@selftests/vm/check.sh

style:
	@selftests/style.sh

demo: deps modules
	@selftests/vm/demo.sh

demo-spray: deps modules
	@selftests/vm/demo.sh --spray

# The picture of README.md.
top-picture: deps modules tools
	@selftests/vm/top.sh

bench: deps
	+@$(MAKE) --no-print-directory -C userspace/bench run
	+@$(MAKE) --no-print-directory bench-kernel

bench-kernel: deps bpf
	@selftests/vm/bench.sh

# Every algorithm at 25 to 400 Gb/s: build/sim/.
sim-report: deps
	+@$(MAKE) --no-print-directory -C userspace/fabsim report

fuzz: deps
	+@$(MAKE) --no-print-directory -C userspace/fuzz long

clean:
	rm -rf build
	+@for d in userspace/tests userspace/conformance userspace/dissector userspace/fuzz userspace/bench \
		userspace/fabsim; do \
		[ ! -f $$d/Makefile ] || $(MAKE) --no-print-directory -C $$d clean; \
	done

help:
	@echo 'make                the module for the running kernel, or KDIR=<headers>'
	@echo 'make tools          the tool rxecc (make deps installs what it needs)'
	@echo 'make install        install both (DESTDIR=<root>, PREFIX=/usr/local); or install-module, install-tools'
	@echo 'make module-6.12    the module for a kernel of the guests; make modules: for all'
	@echo 'make bpf            the algorithms as BPF objects, in build/bpf/'
	@echo 'make deps           install the packages that the rest needs (Debian 12)'
	@echo 'make check          style, unit tests, fuzzing, guests; the last line is the total'
	@echo 'make style, guests  one suite of it'
	@echo 'make vm             a shell in a guest with two hosts and a switch (K=6.1)'
	@echo 'make demo           an incast with and without the module: table and picture'
	@echo 'make demo-spray     several paths, losses, reordering, with and without the module: table and picture'
	@echo 'make top-picture    rxecc top in an incast, as Documentation/images/top.svg'
	@echo 'make bench, fuzz    nanoseconds per event; long fuzzing'
	@echo 'make bench-kernel   instructions per event in the kernel, in C and in BPF'
	@echo 'make sim-report     every algorithm at 25 to 400 Gb/s in the simulator: table, pictures'
	@echo 'make clean          remove build/'

.PHONY: all host _kbuild modules bpf sparse install install-module install-tools tools deps vm check guests \
	style demo demo-spray top-picture bench bench-kernel sim-report fuzz clean help
