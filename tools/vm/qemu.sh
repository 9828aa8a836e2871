# SPDX-License-Identifier: GPL-2.0
# QEMU machines with a stock kernel.
# shellcheck shell=bash disable=SC2154,SC2034

qemu_find_61() {
	release=$(stock_61)
	[ -n "$release" ] || die "no stock 6.1 kernel is installed: tools/vm/deps vm"
	vmlinuz=/boot/vmlinuz-$release
	command -v qemu-system-x86_64 > /dev/null || die "no QEMU: tools/vm/deps vm"
	[ -x /bin/busybox ] || die "no busybox: tools/vm/deps vm"
	peers=$CACHE/peers-$release
	[ "$transport" = rxe ] || [ -e "$peers/siw.ko" ] || die "stock kernels lack siw: tools/vm/mk-peers builds it"
	modules=
}

# The initramfs is made by the way at the first run: it holds nothing but busybox and the few modules that reach /
qemu_initrd() {
	local key

	key=$(cat "$VM_DIR/mk-initrd" | sha256sum | cut -c1-10)
	initrd=$CACHE/initrd-$release-$key
	[ -e "$initrd" ] && return
	mkdir -p "$CACHE"
	"$VM_DIR/mk-initrd" "$release" "$tmp/initrd" && mv "$tmp/initrd" "$initrd"
}

# /dev/kvm may exist and still boot nothing, so a trial boot decides, once per boot of this machine
qemu_accel() {
	local answer

	answer=$CACHE/kvm-$(cat /proc/sys/kernel/random/boot_id)
	if [ ! -e "$answer" ]; then
		echo no > "$tmp/kvm"
		if [ -w /dev/kvm ] && timeout -k 1 8 qemu-system-x86_64 -accel kvm -cpu host -m 512M -kernel "$vmlinuz" \
			-initrd "$initrd" -append "console=ttyS0 quiet panic=-1 rmc_trial=1" -nographic -no-reboot \
			< /dev/null 2> /dev/null | grep -q "==TRIAL"; then
			echo yes > "$tmp/kvm"
		fi
		cp "$tmp/kvm" "$answer"
	fi
	if [ "$(cat "$answer")" = yes ]; then
		accel=(-accel kvm -cpu host)
	else
		accel=(-accel tcg,thread=multi,tb-size=512 -cpu max)
	fi
}

# qemu_one SIDE CONSOLE OPTIONS...: its own process group; the script's output is the second serial port
qemu_one() {
	local side=$1 console=$2

	shift 2
	setsid qemu-system-x86_64 "${accel[@]}" -m "${mem:-2G}" -smp "$ncpu" -machine q35 -display none -nodefaults -no-reboot \
		-kernel "$vmlinuz" -initrd "$initrd" \
		-append "console=ttyS0 panic=-1 oops=panic loglevel=5 no_hash_pointers mitigations=off log_buf_len=4M net.ifnames=0 \
rmc_init=$VM_DIR/guest/init rmc_out=$out rmc_side=$side" \
		-virtfs local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap \
		-virtfs "local,path=$out,mount_tag=out,security_model=none" \
		-device virtio-rng-pci \
		-serial "file:$console" "$@" < /dev/null 5>&- &
	pids+=($!)
}

# qemu_nets OWN PEER: three point-to-point wires over UDP on an address of the loopback net that only this run has. UDP,
# because a full queue then drops, as a wire does; over unix sockets a frozen B would stop A's transmit queue.
qemu_nets() {
	local own=$1 peer=$2 i n host

	host=127.$((100 + ($$ >> 16) % 100)).$(($$ >> 8 & 255)).$(($$ & 255))
	for i in 00 01 99; do
		n=$((10#$i))
		nets+=(-netdev "dgram,id=n$n,local.type=inet,local.host=$host,local.port=$((7000 + 10 * n + own)),remote.type=inet,remote.host=$host,remote.port=$((7000 + 10 * n + peer))")
		nets+=(-device "virtio-net-pci,netdev=n$n,mac=52:54:00:09:$i:0$own,romfile=")
	done
}

qemu_start() {
	local i nets=() ctl=()

	qemu_initrd || die "cannot make the initramfs"
	qemu_accel
	ncpu=${cpus:-$((vms == 1 ? 2 : 1))}
	if [ "$vms" = 2 ]; then
		qemu_nets 2 1
		qemu_one b "$out/console.b" -serial "file:$out/output.b" "${nets[@]}" \
			-monitor "unix:$tmp/monitor,server=on,wait=off"
		for i in $(seq 100); do
			[ -S "$tmp/monitor" ] && break
			sleep 0.1
		done
		nets=()
		qemu_nets 1 2
		ctl=(-chardev "socket,id=ctl,path=$tmp/monitor" -device virtio-serial-pci -device virtserialport,chardev=ctl)
	fi
	qemu_one a "$out/console" -serial stdio -monitor none "${ctl[@]}" "${nets[@]}"
}
