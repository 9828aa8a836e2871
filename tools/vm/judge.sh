# SPDX-License-Identifier: GPL-2.0
# Reads what a machine left behind and says what it is worth.
# shellcheck shell=bash

# Lines of a kernel log that no passing run may have
FINDING='WARNING:|BUG:|kernel BUG|Oops|cut here|general protection|KASAN|UBSAN|KFENCE'
FINDING+='|possible (circular|recursive|deadlock|irq lock)|INFO: possible|inconsistent lock state|suspicious RCU'
FINDING+='|invalid wait context|bad unlock balance|held lock freed|still has locks held|lock held when returning'
FINDING+='|refcount_t|blocked for more than|detected stalls|soft lockup|hard LOCKUP|ODEBUG|DEBUG_LOCKS_WARN'
FINDING+='|sleeping function|scheduling while atomic|list_(add|del) corruption|Unknown symbol|disagrees about version'
FINDING+='|unreferenced object|leaked|waiting for .* to become free|Bad page|non-zero pgtables|DMA-API'

# log_after FILE MARK: what follows the last line that ends in MARK; all of it, if the log has run over since
log_after() {
	awk -v m="$2" '{ l[NR] = $0 } length($0) >= length(m) && substr($0, length($0) - length(m) + 1) == m { at = NR }
		       END { for (i = at + 1; i <= NR; i++) print l[i] }' "$1"
}

# judge_lines FILE [MARK]: the findings of a log after the marker, by default the one that the guest sets before it loads
# the first module of ours
judge_lines() {
	local allow=$VM_DIR/known-noise

	log_after "$1" "${2:-rmc-vm: the fabrics are up}" | grep -a -E "$FINDING" | grep -a -v 'rmc-vm:' |
		if grep -q '^[^#]' "$allow"; then
			grep -a -v -E -f <(grep -v -e '^#' -e '^$' "$allow")
		else
			cat
		fi
}

# judge_console DIR: findings of a machine that did not live to save its log
judge_console() {
	local f

	for f in "$1"/console "$1"/console.b; do
		[ -e "$f" ] || continue
		cp "$f" "${f%/*}/dmesg${f##*/console}"
		grep -a -E "$FINDING|Kernel panic|Segfault|RIP: " "$f" | tail -n 5 >&2
	done
	say "kernel log: $1/dmesg"
}

# judge DIR: prints what was found, returns the run's exit status
judge() {
	local dir=$1 rc why='' f n=0

	if [ ! -e "$dir/status" ]; then
		say "the machine died; its last words:"
		# frames with a question mark are guesses
		grep -a -v ' ? ' "$dir/console" | tail -n 25 >&2
		judge_console "$dir"
		return 126
	fi
	read -r rc why < "$dir/status"

	: > "$dir/findings"
	for f in "$dir/dmesg" "$dir/dmesg.b"; do
		[ ! -e "$f" ] || judge_lines "$f" >> "$dir/findings"
	done
	[ -z "$why" ] || echo "$why" >> "$dir/findings"
	n=$(wc -l < "$dir/findings")
	if [ "$n" -gt 0 ]; then
		say "$n finding(s) in the kernel log, $dir/dmesg:"
		head -n 10 "$dir/findings" | sed 's/^/  /' >&2
		[ "$rc" = 124 ] || rc=125
	fi
	[ "$rc" != 124 ] || say "timeout"
	return "$rc"
}
