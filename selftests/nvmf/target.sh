# SPDX-License-Identifier: GPL-2.0
# The kernel's own NVMe over Fabrics target on both fabrics of host B, and what rmc_nvmf_probe says. Sourced after lib.sh.
# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/../api/baseline.sh"

NVMET=/sys/kernel/config/nvmet
NQN=nqn.2014-08.org.rmc:target
PROBE=/sys/kernel/debug/rmc_nvmf_probe

target_port() { # target_port I: the port on fabric I, on the net
	local p=$NVMET/ports/$(($1 + 1))

	mkdir "$p" || return
	echo rdma > "$p/addr_trtype"
	echo ipv4 > "$p/addr_adrfam"
	echo "10.9.$1.2" > "$p/addr_traddr"
	echo 4420 > "$p/addr_trsvcid"
	ln -s $NVMET/subsystems/$NQN "$p/subsystems/$NQN"
}
target_port_down() {
	local p=$NVMET/ports/$(($1 + 1))

	[ -d "$p" ] || return 0
	rm -f "$p/subsystems/$NQN"
	rmdir "$p"
}

target_up() {
	local s=$NVMET/subsystems/$NQN ns

	modprobe -a null_blk nvmet nvmet_rdma || return
	# configfs may be a module that came only with these
	mountpoint -q /sys/kernel/config || mount -t configfs c /sys/kernel/config || return
	mkdir $s || return
	echo 1 > $s/attr_allow_any_host
	ns=$s/namespaces/1
	mkdir $ns
	echo -n /dev/nullb0 > $ns/device_path
	echo 1 > $ns/enable
	target_port 0 && target_port 1
}
target_down() {
	target_port_down 0
	target_port_down 1
	rmdir $NVMET/subsystems/$NQN/namespaces/1 $NVMET/subsystems/$NQN
	modprobe -r nvmet_rdma nvmet null_blk
}

probe_up() { # probe_up [PARAMS...]: returns once it is loaded, connected or not
	test_module rmc_nvmf_probe addrs=10.9.0.2:4420,10.9.1.2:4420 srcs=10.9.0.1,10.9.1.1 nqn=$NQN "$@"
}
probe_down() {
	[ ! -d /sys/module/rmc_nvmf_probe ] || rmmod rmc_nvmf_probe
}
probe_get() { sed -n "s/^${1//./\\.} //p" $PROBE/status; }
probe_do() { echo "$*" > $PROBE/control; }
probe_is() { [ "$(probe_get "$1")" = "$2" ]; }
probe_more() { [ "$(probe_get "$1")" -gt "$2" ]; }
# probe_wait KEY VALUE [SECONDS]
probe_wait() {
	busywait "${3:-$(slow 5)}" probe_is "$1" "$2" && return
	sed 's/^/# /' $PROBE/status
	fail "$1 is $(probe_get "$1"), not $2"
}
