# SPDX-License-Identifier: GPL-2.0
# User Mode Linux: a kernel that is an ordinary process. One CPU.
# shellcheck shell=bash disable=SC2154,SC2034

uml_find() {
	local flavour=debug

	[ "$1" = uml ] || flavour=plain
	[ "$vms" = 1 ] || die "two machines need a QEMU kernel (-k 6.1)"
	[ "${cpus:-1}" = 1 ] || die "User Mode Linux has one CPU"
	uml=$(uml_dir $flavour)
	[ -n "$uml" ] || die "there is no $1 kernel for this configuration yet: tools/vm/mk-uml $flavour"
	modules=$uml/lib/modules
	peers=
}

uml_start() {
	# fd 5 is the script's output; what the kernel itself says goes to the console file
	exec 5>&1
	TMPDIR=/dev/shm setsid "$uml/linux" "mem=${mem:-1G}" root=/dev/root rootfstype=hostfs rootflags=/ ro \
		"init=$VM_DIR/guest/uml-init" "rmc_out=$out" con=null con0=null,fd:6 con1=null,fd:5 ssl=null \
		panic=-1 oops=panic loglevel=5 log_buf_len=4M kasan_multi_shot no_hash_pointers \
		> "$out/console" 2>&1 < /dev/null 6>> "$out/console" &
	pids+=($!)
}
