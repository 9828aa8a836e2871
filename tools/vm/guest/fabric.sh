# SPDX-License-Identifier: GPL-2.0
# Builds the two fabrics. In one machine, host A is a0 and a1, host B is b0 and b1, and policy routing makes every packet
# between them cross its veth pair; without that rxe loops inside one device and siw's TCP goes over lo. With two
# machines the ports are network cards, named by their MAC address.
# shellcheck shell=bash disable=SC2154

set_to() { # set_to VALUE FILE...
	local v=$1 f

	shift
	for f; do
		[ ! -e "/proc/sys/net/$f" ] || echo "$v" > "/proc/sys/net/$f"
	done
}

fabric_modules() {
	modprobe -a rdma_ucm ib_uverbs veth dummy sch_ingress cls_matchall act_gact
	if [ "$transport" = rxe ]; then
		modprobe rdma_rxe
	elif ! modprobe -q siw; then
		# not in a stock kernel; built out of its source by tools/vm/mk-peers
		modprobe -a libcrc32c iw_cm
		insmod "$peers/siw.ko"
	fi
} 2> /run/rmc/modprobe

fabric_one_vm() {
	local i d

	set_to 1 ipv4/conf/all/accept_local
	# what arrives on a fabric port is looked up in the local table first; what we send goes by the main table
	for d in -4 -6; do
		{
			printf 'rule add pref 10 iif %s lookup local\n' a0 b0 a1 b1
			printf 'rule add pref 100 lookup main\nrule add pref 200 lookup local\nrule del pref 0\n'
		} | ip $d -batch -
	done
	for i in 0 1; do
		printf 'link add a%d address 02:00:0a:09:0%d:01 type veth peer name b%d address 02:00:0a:09:0%d:02\n' $i $i $i $i
	done | ip -batch -
	for d in a0 b0 a1 b1; do
		set_to 1 ipv4/conf/$d/accept_local ipv4/conf/$d/arp_ignore
		set_to 2 ipv4/conf/$d/arp_announce
		set_to 0 ipv4/conf/$d/rp_filter ipv6/conf/$d/accept_dad
	done
	for i in 0 1; do
		cat <<-END
		link set a$i up
		link set b$i up
		addr add 10.9.$i.1/32 dev a$i
		addr add 10.9.$i.2/32 dev b$i
		route add 10.9.$i.2/32 dev a$i src 10.9.$i.1
		route add 10.9.$i.1/32 dev b$i src 10.9.$i.2
		addr add fd09:$i::1/128 dev a$i nodad
		addr add fd09:$i::2/128 dev b$i nodad
		route add fd09:$i::2/128 dev a$i src fd09:$i::1
		route add fd09:$i::1/128 dev b$i src fd09:$i::2
		neigh replace fd09:$i::2 lladdr 02:00:0a:09:0$i:02 dev a$i nud permanent
		neigh replace fd09:$i::1 lladdr 02:00:0a:09:0$i:01 dev b$i nud permanent
		END
	done | ip -batch -
}

fabric_two_vms() {
	local i d own=1 mac

	[ "$side" = a ] || own=2
	modprobe virtio_net
	for d in /sys/class/net/*; do
		mac=$(cat "$d/address")
		case $mac in
		52:54:00:09:00:*) echo "link set ${d##*/} name ${side}0" ;;
		52:54:00:09:01:*) echo "link set ${d##*/} name ${side}1" ;;
		52:54:00:09:99:*) echo "link set ${d##*/} name mgmt" ;;
		esac
	done | ip -batch -
	set_to 0 ipv6/conf/${side}0/accept_dad ipv6/conf/${side}1/accept_dad
	{
		printf 'link set mgmt up\naddr add 10.9.99.%d/24 dev mgmt\n' $own
		for i in 0 1; do
			printf 'link set %s%d up\naddr add 10.9.%d.%d/24 dev %s%d\n' $side $i $i $own $side $i
			printf 'addr add fd09:%d::%d/64 dev %s%d nodad\n' $i $own $side $i
		done
	} | ip -batch -
}

fabric_up() {
	local d devs="a0 b0 a1 b1"

	fabric_modules
	ip link set lo up
	set_to 0 ipv4/conf/all/rp_filter ipv4/conf/default/rp_filter ipv6/conf/all/accept_dad ipv6/conf/default/accept_dad
	if [ "$vms" = 2 ]; then
		fabric_two_vms
		devs="${side}0 ${side}1"
	else
		fabric_one_vm
	fi
	for d in $devs; do
		echo "link add ${transport}_$d type $transport netdev $d"
	done | rdma -b -
}
