# SPDX-License-Identifier: GPL-2.0
# For scripts inside the test machine: . "$RMC_VM_LIB". Everything here happens at ingress, because a loss at egress
# makes rxe retry by itself for ever. A port named b0 or b1 is reached on machine B when there are two.
# shellcheck shell=bash

# on_port DEV CMD...: runs a function of this file where the port is
_on_port() {
	local dev=$1

	shift
	if [ "$RMC_VMS" = 2 ] && [ "${dev#b}" != "$dev" ] && [ "$RMC_SIDE" = a ]; then
		on_b "source $RMC_VM_LIB; $*"
	else
		"$@"
	fi
}

_ingress() { # _ingress DEV ACTION...
	local dev=$1

	shift
	tc qdisc add dev "$dev" clsact 2> /dev/null
	tc filter replace dev "$dev" ingress pref 1 handle 1 matchall action "$@"
}

_ingress_none() {
	tc qdisc del dev "$1" clsact 2> /dev/null || true
}

cut_dir() { _on_port "$1" _ingress "$1" drop; }			# DEV hears nothing any more
mend_dir() { _on_port "$1" _ingress_none "$1"; }
# loss_in DEV PERCENT: random loss of what DEV hears
loss_in() { _on_port "$1" _ingress "$1" pass random netrand drop "$(awk -v p="$2" 'BEGIN { print int(100 / p + 0.5) }')"; }
unloss_in() { mend_dir "$1"; }

# cut I: fabric I goes silent in both directions, no carrier or address event tells. Anything else is cut(1).
cut() {
	case $* in
	0|1) cut_dir "a$1" && cut_dir "b$1" ;;
	*) command cut "$@" ;;
	esac
}
mend() { mend_dir "a$1" && mend_dir "b$1"; }

# peer_module NAME...: loads modules that stock kernels may lack (rtrs_server, rnbd_client, ...) and what they need
peer_module() {
	local m

	for m; do
		[ ! -d "/sys/module/${m//-/_}" ] || continue
		modprobe -q "$m" && continue
		for dep in $(modinfo -F depends "$RMC_PEERS/${m//_/-}.ko" | tr ',' ' '); do
			peer_module "$dep" || return 1
		done
		insmod "$RMC_PEERS/${m//_/-}.ko" || return 1
	done
}
