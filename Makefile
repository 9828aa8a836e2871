# SPDX-License-Identifier: GPL-2.0
# make            rmc.ko for the stock 6.1 kernel and the tools
# make demo       what it does, shown
# make check      every test there is
# make bench      the figures
# The module itself is described in Kbuild; every kernel has a build folder of its own below out/build.

DESTDIR ?=
PREFIX ?= /usr
VM := tools/vm

all: modules tools

# For the running kernel of a target machine: make modules KDIR=/lib/modules/$(uname -r)/build
modules:
	@$(VM)/deps build
	@$(VM)/mk-modules $(if $(KDIR),custom,6.1)$(if $(filter y,$(RMC_FAULTS)),-faults)

# build-6.1 build-6.1-faults build-uml build-uml-faults build-uml-plain
build-%:
	@$(VM)/mk-modules $*

TEST_BUILDS := 6.1 6.1-faults uml uml-faults uml-plain
kernels:
	@$(VM)/mk-uml
	@$(VM)/mk-peers

test-builds: kernels
	@for b in $(TEST_BUILDS); do $(VM)/mk-modules $$b || exit 1; done

tools:
	@$(VM)/deps build
	@$(MAKE) -s -C tools/rmc O=$(CURDIR)/out/tools

install: all
	install -D -m 0755 out/tools/rmc $(DESTDIR)$(PREFIX)/sbin/rmc
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/include/rdma uapi/rdma/*.h
	$(MAKE) -C $(or $(KDIR),/lib/modules/$(shell uname -r)/build) \
		M=$(CURDIR)/out/build/$(if $(KDIR),custom,6.1)/obj INSTALL_MOD_PATH=$(DESTDIR) modules_install

demo:
	@tools/demo/run

check:
	@selftests/check

bench:
	@selftests/bench/run

docs:
	@$(VM)/deps docs
	@sphinx-build -q -W --keep-going -b html Documentation out/docs
	@echo "out/docs/index.html"

lint:
	@tools/lint

clean:
	rm -rf out

# also the kernels that were built and what was downloaded for them
distclean: clean
	rm -rf $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/rmc

.PHONY: all modules kernels test-builds tools install demo check bench docs lint clean distclean
