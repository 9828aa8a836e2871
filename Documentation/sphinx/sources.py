# SPDX-License-Identifier: GPL-2.0
"""What the documentation says again of what stands in the sources, read from there.

	sources.py		says which generated parts of the pages are out of date, and exits with 1 if any is
	sources.py --write	brings them up to date

A generated part of a page stands between two comments, ".. generated: NAME" and ".. end of generated: NAME".
The parsers know as much C as these few files are written in, and stop at anything else.
"""
import os
import re
import sys

TREE = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))


class Unreadable(Exception):
    pass


def read(path):
    with open(os.path.join(TREE, path), encoding='utf-8') as f:
        return f.read()


def without_comments(text):
    return re.sub(r'/\*.*?\*/', '', text, flags=re.S)


def enum(path, name):
    """[(constant, comment)] of an enum, in its order, without the one that only counts"""
    found = re.search(r'\benum %s \{(.*?)\};' % name, read(path), re.S)
    if not found:
        raise Unreadable('%s: no enum %s' % (path, name))
    entries = []
    for line in found.group(1).splitlines():
        entry = re.match(r'\s*(RMC_\w+),\s*(?:/\*\s*(.*?)\s*\*/)?\s*$', line)
        if entry and not entry.group(1).endswith('_MAX'):
            entries.append((entry.group(1), entry.group(2) or ''))
    if not entries:
        raise Unreadable('%s: enum %s is empty' % (path, name))
    return entries


# what: (table, prefix of states, prefix of events, enum of states, enum of events)
MACHINES = {
    'conn': ('conn_table', 'RMC_CONN_', 'RMC_CE_', 'rmc_conn_state', 'rmc_conn_event'),
    'path': ('path_table', 'RMC_PATH_', 'RMC_PE_', 'rmc_path_state', 'rmc_path_event'),
    'ep': ('ep_table', 'RMC_EP_', 'RMC_EE_', 'rmc_ep_state', 'rmc_ep_event'),
}


def transitions(what):
    """(states, events, {(state, event): next}), names as in the constants, without prefix"""
    table, state_, event_, states, events = MACHINES[what]
    text = without_comments(read('drivers/rmc/logic/fsm.c'))
    body = re.search(r'\b%s\[.*?\]\[.*?\] = \{\n(.*?)\n\};' % table, text, re.S)
    if not body:
        raise Unreadable('fsm.c: no %s' % table)
    moves = {}
    state = None
    for line in body.group(1).splitlines():
        line = line.strip()
        if line in ('', '},'):
            continue
        opens = re.fullmatch(r'\[%s(\w+)\] = \{' % state_, line)
        move = re.fullmatch(r'\[%s(\w+)\]\s*= TO\(%s(\w+)\),' % (event_, state_), line)
        if opens:
            state = opens.group(1)
        elif move and state:
            moves[state, move.group(1)] = move.group(2)
        else:
            raise Unreadable('fsm.c: %s: cannot read "%s"' % (table, line))
    names = [c[len(state_):] for c, _ in enum('uapi/rdma/rmc.h', states)]
    heads = [(c[len(event_):], text) for c, text in enum('drivers/rmc/logic/fsm.h', events)]
    known = {h for h, _ in heads}
    for (at, event), to in moves.items():
        if at not in names or to not in names or event not in known:
            raise Unreadable('fsm.c: %s: %s, %s -> %s' % (table, at, event, to))
    return names, heads, moves


def grid(rows):
    """A table of rst, made of =, its first row being the head"""
    width = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    line = ' '.join('=' * w for w in width)
    text = [' '.join(c.ljust(w) for c, w in zip(r, width)).rstrip() for r in rows]
    return '\n'.join([line, text[0], line] + text[1:] + [line])


def machine_table(what):
    """A row for each event, a column for each state that has a way out"""
    states, events, moves = transitions(what)
    leaves = [s for s in states if any(at == s for at, _ in moves)]
    rows = [['event'] + ['in ' + s for s in leaves]]
    for event, _ in events:
        rows.append([event.lower().replace('_', '-')] + [moves.get((s, event), '.') for s in leaves])
    return grid(rows)


def machine_events(what):
    return grid([['event', 'what has happened']] +
                [[e.lower().replace('_', '-'), text or 'as its name says'] for e, text in transitions(what)[1]])


def reasons():
    rows = [['name', 'number', 'what happened']]
    for number, (constant, text) in enumerate(enum('uapi/rdma/rmc.h', 'rmc_reason_code')):
        name = constant[len('RMC_REASON_'):].lower().replace('_', '-')
        if number:
            rows.append([name, str(number), text])
    return grid(rows)


def settings():
    """[(name, lowest, highest, default)] of the settings that have a limit, in their order"""
    source = without_comments(read('drivers/rmc/logic/settings.c'))
    header = read('include/rdma/rmc.h')
    known = dict(re.findall(r'^#define\s+(\w+)\s+(0x[0-9a-f]+|\d+)\s*(?:/\*.*)?$',
                            source + header + read('uapi/rdma/rmc.h'), re.M))
    found = re.findall(r'\[RMC_S_\w+\]\s*=\s*LIMIT\((\w+), ([^,]+), ([^,]+),\s*"([^"]*)"\)', source)
    if not found:
        raise Unreadable('settings.c: no limits')

    def number(text):
        text = known.get(text, text)
        return 0xffffffff if text == '~0U' else int(text, 0)

    result = []
    for name, low, high, _ in found:
        default = known.get('RMC_%s_DEFAULT' % name.upper())
        if default is None:
            # conns has no constant; the rest begins as zero
            default = '1' if name == 'conns' else '0'
        result.append((name, number(low), number(high), int(default, 0)))
    return result


def exported():
    """What drivers/rmc/api exports"""
    names = []
    for f in sorted(os.listdir(os.path.join(TREE, 'drivers/rmc/api'))):
        if f.endswith('.c'):
            names += re.findall(r'^EXPORT_SYMBOL(?:_GPL)?\((\w+)\);', read('drivers/rmc/api/' + f), re.M)
    return names


def invariants():
    """{number: files of selftests that name this invariant}"""
    found = {}
    for folder, _, files in os.walk(os.path.join(TREE, 'selftests')):
        for f in files:
            if not f.endswith(('.c', '.h', '.sh', '.py')):
                continue
            path = os.path.relpath(os.path.join(folder, f), TREE)
            numbers = re.findall(r'\bI(\d{1,2})\b', read(path)) + re.findall(r'\bi(\d{1,2})_\w', read(path) + f)
            for number in set(map(int, numbers)):
                if 1 <= number <= 14:
                    found.setdefault(number, []).append(path)
    return {number: sorted(paths) for number, paths in found.items()}


def kernel_doc():
    """The kernel's own script, or None: it is not copied into this tree"""
    wanted = [os.environ.get('KERNEL_DOC', '')]
    for base in ('/usr/lib', '/usr/src'):
        if os.path.isdir(base):
            wanted += sorted((os.path.join(base, d, 'scripts/kernel-doc') for d in os.listdir(base)
                              if re.match(r'linux-(kbuild|source|headers)', d)))
    cache = os.environ.get('XDG_CACHE_HOME') or os.path.join(os.environ.get('HOME', '/root'), '.cache')
    wanted.append(os.path.join(cache, 'rmc/scripts-6.1/kernel-doc'))
    for path in wanted:
        if path and os.path.isfile(path):
            return path
    return None


def settings_table():
    """What can be counted of the settings; what they do is told in words beside it"""
    rows = [['setting', 'default', 'lowest', 'highest']]
    for name, low, high, default in settings():
        if name == 'ack_timeout':
            shown = 'from detect_ms'
        elif name in ('loss_ms', 'max_attempts'):
            shown = '0, never' if name == 'loss_ms' else '0, unlimited'
        elif name == 'tos':
            shown = 'the kernel\'s'
        else:
            shown = str(default)
        rows.append([name, shown, str(low), str(high)])
    return grid(rows)


# Numbers that an outage is felt by: where they are, and what they mean
CLOCKS = (
    ('logic/backoff.h', 'RMC_EARLY_MS', 'an outage younger than this is called young'),
    ('logic/backoff.h', 'RMC_ADDR_MIN_MS', 'first timeout of a question for an address'),
    ('logic/backoff.h', 'RMC_ADDR_MAX_MS', 'longest timeout of one'),
    ('logic/backoff.h', 'RMC_ANSWER_MIN_MS', 'shortest deadline for the peer\'s answer'),
    ('logic/backoff.h', 'RMC_ANSWER_MAX_MS', 'longest one before it is doubled'),
    ('logic/backoff.h', 'RMC_ANSWER_EARLY_MS', 'where doubling ends while an outage is young'),
    ('logic/backoff.h', 'RMC_BACKOFF_EARLY_MS', 'longest bound of a wait while an outage is young'),
    ('path/attempt.c', 'HINT_GAP_NS', 'weak hints within this time of the last one are ignored'),
    ('path/attempt.c', 'SUPERSEDE_NS', 'a strong hint ends an attempt that has been unanswered for so long'),
    ('path/path.h', 'RMC_WAITING_POLL_MS', 'how often a path in WAITING looks by itself'),
    ('path/path.h', 'RMC_PROOF_MS', 'being up for so long is a proof where no other can be'),
    ('logic/detector.h', 'RMC_LATE_NS', 'a timer that is later than this is a stall'),
    ('conn/reaper.c', 'PARKED_POLL_MS', 'how often parked ids are looked at'),
)


def clocks():
    rows = [['in the code', 'value', 'meaning']]
    for path, name, meaning in CLOCKS:
        found = re.search(r'^#define\s+%s\s+(?:(\d+)|\((\d+) \* RMC_NS_PER_MS\))\s*$' % name,
                          read('drivers/rmc/' + path), re.M)
        if not found:
            raise Unreadable('%s: no %s' % (path, name))
        rows.append([name, (found.group(1) or found.group(2)) + ' ms', meaning])
    return grid(rows)


PARTS = {
    'clocks': clocks,
    'conn-table': lambda: machine_table('conn'),
    'conn-events': lambda: machine_events('conn'),
    'path-table': lambda: machine_table('path'),
    'path-events': lambda: machine_events('path'),
    'ep-table': lambda: machine_table('ep'),
    'ep-events': lambda: machine_events('ep'),
    'reasons': reasons,
    'settings': settings_table,
}

MARKS = re.compile(r'^\.\. generated: (\S+)\n(.*?)^\.\. end of generated: \1\n', re.S | re.M)


def renew(text, seen):
    def part(found):
        name = found.group(1)
        seen.append(name)
        return '.. generated: %s\n\n%s\n\n.. end of generated: %s\n' % (name, PARTS[name](), name)
    return MARKS.sub(part, text)


def main():
    write = sys.argv[1:] == ['--write']
    seen = []
    stale = 0
    folder = os.path.join(TREE, 'Documentation')
    for page in sorted(os.listdir(folder)):
        if not page.endswith('.rst'):
            continue
        path = os.path.join(folder, page)
        text = read(path)
        new = renew(text, seen)
        if new == text:
            continue
        if write:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(new)
        else:
            print('Documentation/%s does not say what the sources say: Documentation/sphinx/sources.py --write' % page)
            stale = 1
    for name in sorted(set(PARTS) - set(seen)):
        print('no page has the generated part %s' % name)
        stale = 1
    return stale


if __name__ == '__main__':
    sys.exit(main())
