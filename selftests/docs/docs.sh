#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=host transports=none timeout=120 build=none
# The documentation says what the sources say, and its example compiles.
. "$(dirname "$0")/../lib.sh"

tree=$(cd "$(dirname "$0")/../.." && pwd)
. "$tree/tools/vm/common.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/rmc-docs.XXXXXX")
defer rm -rf "$work"

says() { python3 "$tree/selftests/docs/docs.py" "$1"; }

# the first block of C in README.md is a whole module
readme_example_compiles() {
	local release kdir symbols symvers=$tree/out/build/6.1/obj/Module.symvers

	release=$(stock_61)
	kdir=/lib/modules/$release/build
	[ -n "$release" ] && [ -e "$kdir/Makefile" ] || skip "no headers of a stock kernel: tools/vm/deps build"
	sed -n '/^```c$/,/^```$/p' "$tree/README.md" | sed '/^```c$/d; /^```$/,$d' > "$work/example.c"
	grep -q rmc_ep_create "$work/example.c" || { fail "README.md has no example in C"; return 1; }
	printf 'obj-m := example.o\nccflags-y := -Werror -I%s/include -I%s\n' "$tree" "$tree" > "$work/Kbuild"
	if [ -e "$symvers" ]; then
		symbols=KBUILD_EXTRA_SYMBOLS=$symvers
	else
		# it compiles all the same, but whether what it calls exists is not checked
		symbols=KBUILD_MODPOST_WARN=1
	fi
	nice make -s -C "$kdir" "M=$work" W=1 "$symbols" modules > "$work/log" 2>&1 < /dev/null ||
		{ cat "$work/log"; fail "it does not compile"; return 1; }
	! grep -i 'warning' "$work/log" | grep -v -e BTF -e 'Symbol version dump' -e 'undefined!' -e 'the compiler differs'
}

t "the tables of the pages are those of the sources" says tables
t "kernel-doc finds no fault with the header of the API" says kernel-doc
t "every exported function is documented in the header" says exported
t "every setting is described" says settings
t "every fault point is described" says faults
t "the grammar is that of the tool" says grammar
t "the files that are named exist" says files
t "the pages stand on their own" says alone
t "the example of README.md compiles" readme_example_compiles
done_testing
