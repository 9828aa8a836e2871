# SPDX-License-Identifier: GPL-2.0
# Shared by the scripts of tools/vm: where the tree and the cache are, and which kernels are there.
# shellcheck shell=bash

VM_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
TREE=$(cd "$VM_DIR/../.." && pwd -P)
CACHE=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/rmc
UML_SERIES=6.12

die() { echo "${0##*/}: $*" >&2; exit "${DIE_STATUS:-1}"; }
say() { echo "${0##*/}: $*" >&2; }

# What goes into a UML build, as a short hash; the recipe's number is raised when mk-uml builds something else
UML_RECIPE=1
uml_key() {
	{ echo "$UML_RECIPE"; cat "$VM_DIR/configs/uml.config" "$VM_DIR/configs/uml-$1.config"; } |
		sha256sum | cut -c1-10
}

# uml_dir debug|plain: the newest finished build of the present configuration; nothing when there is none
uml_dir() {
	local done

	done=$(printf '%s\n' "$CACHE/uml-$1-$(uml_key "$1")-$UML_SERIES".*/.done | sort -V | tail -n 1)
	[ -e "$done" ] && echo "${done%/.done}"
}

# The newest installed stock kernel of 6.1, by its release name
stock_61() {
	local k

	for k in /boot/vmlinuz-6.1.*-amd64; do
		[ -e "$k" ] && echo "${k#/boot/vmlinuz-}"
	done | grep -v -e -rt- -e -cloud- | sort -V | tail -n 1
}
