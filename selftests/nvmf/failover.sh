#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# rmc-test: kernels=6.1,uml transports=rxe,siw vms=1 timeout=240 build=normal
# An in-kernel consumer of rmc speaks NVMe over Fabrics to the kernel's own target over two fabrics.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/target.sh"

KATO=2000

both_associate() {
	probe_wait path0.state associated && probe_wait path1.state associated && probe_wait state up || return
	[ -n "$(probe_get path0.model)" ] || fail "no model" || return
	[ "$(probe_get path0.subnqn)" = "$NQN" ] || fail "subsystem is $(probe_get path0.subnqn)" || return
	[ "$(probe_get path1.subnqn)" = "$NQN" ] || fail "subsystem is $(probe_get path1.subnqn)" || return
	[ "$(probe_get path0.serial)" = "$(probe_get path1.serial)" ] || fail "two serial numbers" || return
	[ "$(probe_get path0.cntlid)" != "$(probe_get path1.cntlid)" ] || fail "one controller for both paths" || return
	probe_wait preferred 0
}

keep_alives_flow() {
	local a b

	a=$(probe_get path0.keep_alives) b=$(probe_get path1.keep_alives)
	busywait "$(slow 5)" probe_more path0.keep_alives $((a + 2)) || fail "none on path 0" || return
	busywait "$(slow 5)" probe_more path1.keep_alives $((b + 2)) || fail "none on path 1" || return
	if ! probe_is path0.keep_alive_errors 0 || ! probe_is path1.keep_alive_errors 0; then
		fail "keep-alives failed"
	fi
}

# cut_and_mend I OTHER: fabric I goes away and comes back; the association over OTHER lives through it
cut_and_mend() {
	local i=$1 other=$2 assoc before beats ms

	assoc=$(probe_get "path$i.associations")
	before=$(probe_get "path$other.associations")
	defer mend "$i"
	ms=$(now_ms)
	cut "$i"
	busywait "$(slow 5)" _not_associated "$i" || fail "path $i does not notice" || return
	note "fabric $i cut: association gone after $(($(now_ms) - ms)) ms"
	probe_wait state degraded && probe_wait preferred "$other" || return
	beats=$(probe_get "path$other.keep_alives")
	busywait "$(slow 5)" probe_more "path$other.keep_alives" "$((beats + 1))" ||
		fail "the other association does not live" || return
	ms=$(now_ms)
	mend "$i"
	probe_wait "path$i.state" associated "$(slow 8)" || return
	note "fabric $i mended: associated again after $(($(now_ms) - ms)) ms"
	probe_wait state up && probe_wait preferred 0 || return
	probe_more "path$i.associations" "$assoc" || fail "not associated anew" || return
	probe_is "path$other.associations" "$before" || fail "path $other was lost too"
}
_not_associated() { ! probe_is "path$1.state" associated; }

cut_both() {
	local a b

	a=$(probe_get path0.associations) b=$(probe_get path1.associations)
	defer mend 0
	defer mend 1
	cut 0
	cut 1
	busywait "$(slow 8)" probe_is preferred -1 || fail "still prefers $(probe_get preferred)" || return
	case $(probe_get state) in
	recovering|failfast) ;;
	*) fail "state $(probe_get state) without a path" || return ;;
	esac
	mend 0
	mend 1
	probe_wait state up "$(slow 10)" && probe_wait preferred 0 || return
	if ! probe_more path0.associations "$a" || ! probe_more path1.associations "$b"; then
		fail "not associated anew"
	fi
}

target_restarts() {
	local a

	a=$(probe_get path0.associations)
	defer target_port 0
	target_port_down 0
	busywait "$(slow 3)" _not_associated 0 || fail "path 0 does not notice" || return
	probe_wait preferred 1 || return
	sleep 1
	_undo
	probe_wait path0.state associated "$(slow 8)" || return
	probe_wait preferred 0 || return
	probe_more path0.associations "$a"
}

consumer_fails_a_path() {
	local a

	a=$(probe_get path0.associations)
	probe_do fail 0
	busywait "$(slow 5)" probe_more path0.associations "$a" || fail "not associated anew" || return
	probe_wait state up && probe_wait preferred 0
}

priorities_change_live() {
	probe_do priority 0 5
	probe_wait preferred 1 || return
	probe_do priority 0 0
	probe_wait preferred 0
}

disconnect_and_connect() {
	probe_do disconnect
	probe_wait state idle && probe_wait queues 0 || return
	probe_do connect
	probe_wait state up && probe_wait path0.state associated && probe_wait path1.state associated
}

ops_kept_their_order() {
	probe_is violations 0 || fail "$(probe_get violations) ops out of order" || return
	grep -E '^(path..(setups|ups|lost|teardowns|overlaps)|transitions)' "$PROBE"/status | sed 's/^/# /'
}

a_wrong_host_is_refused_for_good() {
	local n

	probe_down
	# nvmet knows only those hosts that it is told
	echo 0 > "$NVMET/subsystems/$NQN/attr_allow_any_host"
	defer sh -c "echo 1 > $NVMET/subsystems/$NQN/attr_allow_any_host"
	probe_up kato_ms=$KATO || return
	defer probe_down
	busywait "$(slow 5)" probe_more path0.ups 0 || fail "no conn_up" || return
	busywait 2 probe_more path0.ups 1
	n=$(probe_get path0.ups)
	note "conn_up $n times, last step $(probe_get path0.last_step), status $(probe_get path0.last_status)"
	probe_is path0.last_step connect || fail "not at connect" || return
	[ "$n" = 1 ] || fail "tried $n times although it is useless"
}

unloading_is_prompt() {
	local ms

	[ -d /sys/module/rmc_nvmf_probe ] || probe_up kato_ms=$KATO || return
	probe_wait state up || return
	# the unload asks nobody on the other side
	defer mend 0
	cut 0
	ms=$(took_ms rmmod rmc_nvmf_probe) || fail "rmmod failed" || return
	in_ms 2000 "$ms" "rmmod of the consumer with a fabric cut"
}

leaves_nothing() {
	target_down || fail "the target is still held" || return
	rdma_check_baseline "$(slow 10)"
}

rdma_baseline
target_up || { not_ok "the target does not start"; done_testing; }
probe_up kato_ms=$KATO command_ms=1000 || { not_ok "rmc_nvmf_probe does not load"; done_testing; }
t "an association over each fabric" both_associate
t "keep-alives flow on both" keep_alives_flow
t "fabric 0 is cut: path 1 takes over, path 0 associates anew after the mend" cut_and_mend 0 1
t "fabric 1 is cut: path 0 stays, path 1 associates anew after the mend" cut_and_mend 1 0
t "both fabrics are cut and mended" cut_both
t "the target goes away and comes back" target_restarts
t "the consumer gives up a connection" consumer_fails_a_path
t "a changed priority moves the preference" priorities_change_live
t "disconnect, and connect again" disconnect_and_connect
t "every op came in its order" ops_kept_their_order
t "a host that the target refuses is not tried again" a_wrong_host_is_refused_for_good
t "the consumer unloads at once, also with a fabric cut" unloading_is_prompt
t "nothing is left behind" leaves_nothing
done_testing
