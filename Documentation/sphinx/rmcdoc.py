# SPDX-License-Identifier: GPL-2.0
"""Directives that read the sources while the documentation is built.

	.. kernel-api:: include/rdma/rmc.h	what the kernel-doc comments of a header say
	.. netlink-spec:: FILE.yaml		the operations and attributes of a netlink family
	.. invariant-tests::			which tests name which invariant
"""
import os
import re
import subprocess

import yaml
from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.errors import ExtensionError
from sphinx.util.nodes import nested_parse_with_titles

import sources

MISSING = '''the kernel API chapter needs the kernel's script kernel-doc.
It comes with Debian's package linux-kbuild-6.1 (and with linux-source-6.1): apt-get install linux-kbuild-6.1
Another copy can be named in the environment: KERNEL_DOC=/path/to/kernel-doc'''


class Generated(Directive):
    """What comes from rst that somebody else makes"""
    required_arguments = 1
    optional_arguments = 0

    def rst(self, path):
        raise NotImplementedError

    def run(self):
        path = self.arguments[0] if self.arguments else 'selftests'
        env = self.state.document.settings.env
        env.note_dependency(os.path.join(sources.TREE, path))
        env.note_dependency(os.path.abspath(__file__))
        node = nodes.section()
        node.document = self.state.document
        nested_parse_with_titles(self.state, StringList(self.rst(path).splitlines(), path), node)
        return node.children


def with_titles(rst):
    """A title above everything that is documented"""
    # "%RMC_SET_*" is more than kernel-doc expects of a constant
    rst = re.sub(r'``(\w+_)``\*', r'``\1*``', rst)
    return re.sub(r'^\.\. c:(struct|function):: (.*)$', titled, rst, flags=re.M)


def titled(found):
    kind, text = found.groups()
    name = text if kind == 'struct' else re.search(r'(\w+) *\(', text).group(1)
    head = 'struct ' + name if kind == 'struct' else name + '()'
    # C keeps the names of structs and functions apart, Sphinx 5.3 does not
    space = 'types' if kind == 'struct' else 'NULL'
    return '%s\n%s\n\n.. c:namespace:: %s\n\n.. c:%s:: %s' % (head, '-' * len(head), space, kind, text)


class KernelApi(Generated):
    def rst(self, path):
        script = sources.kernel_doc()
        if not script:
            raise ExtensionError(MISSING)
        done = subprocess.run(['perl', script, '-rst', '-sphinx-version', '5.3', os.path.join(sources.TREE, path)],
                              capture_output=True, text=True, check=False)
        if done.returncode or done.stderr.strip():
            raise ExtensionError('kernel-doc %s:\n%s' % (path, done.stderr))
        return with_titles(done.stdout)


def cell(text):
    return ' '.join(str(text or '').split())


def csv(rows, widths):
    """A table whose cells may hold anything"""
    out = ['.. list-table::', '   :header-rows: 1', '   :widths: ' + ' '.join(map(str, widths)), '']
    for row in rows:
        for i, c in enumerate(row):
            out.append('   %s %s' % ('* -' if i == 0 else '  -', c))
    return out + ['']


def type_of(attr):
    kind = attr['type']
    if 'enum' in attr:
        kind += ', one of :ref:`netlink-enum-%s`' % attr['enum']
    if 'nested-attributes' in attr:
        kind = '%s of :ref:`netlink-set-%s`' % (kind, attr['nested-attributes'])
    if attr.get('multi-attr'):
        kind += ', repeated'
    if attr.get('byte-order'):
        kind += ', ' + attr['byte-order']
    return kind


class NetlinkSpec(Generated):
    def rst(self, path):
        spec = yaml.safe_load(sources.read(path))
        out = ['Family ``%s``, %s, header ``%s``.' % (spec['name'], spec['protocol'], spec['uapi-header']), '',
               spec['doc'], '', 'Operations', '----------', '']
        for op in spec['operations']['list']:
            out += self.operation(op)
        out += ['Multicast groups', '----------------', '']
        out += ['``%s``' % g['name'] for g in spec['mcast-groups']['list']] + ['']
        out += ['Attribute sets', '--------------', '']
        for s in spec['attribute-sets']:
            out += self.attributes(s)
        out += ['Enumerations', '------------', '']
        for e in spec['definitions']:
            out += self.enumeration(e)
        return '\n'.join(out)

    @staticmethod
    def head(label, name):
        return ['.. _%s:' % label, '', name, '~' * len(name), '']

    def operation(self, op):
        out = self.head('netlink-op-' + op['name'], op['name']) + [op.get('doc', ''), '']
        for kind in ('do', 'dump', 'event'):
            if kind not in op:
                continue
            how = op[kind] or {}
            parts = {'event': how} if kind == 'event' else how
            for part, what in parts.items():
                names = ', '.join('``%s``' % a for a in what['attributes'])
                out += [':%s: %s' % (kind if kind == part else kind + ' ' + part, names)]
            if kind == 'do' and 'reply' not in how:
                out += [':do reply: none beyond the acknowledgement']
        return out + [':attribute set: :ref:`netlink-set-%s`' % op['attribute-set'], '']

    def attributes(self, s):
        rows = [['name', 'type', 'meaning']]
        for attr in s['attributes']:
            if attr['type'] != 'pad':
                rows.append(['``%s``' % attr['name'], type_of(attr), cell(attr.get('doc'))])
        return self.head('netlink-set-' + s['name'], s['name']) + csv(rows, (22, 30, 48))

    def enumeration(self, e):
        out = self.head('netlink-enum-' + e['name'], e['name'])
        if e.get('doc'):
            out += [e['doc'] + '.', '']
        for number, entry in enumerate(e['entries']):
            name, doc = (entry['name'], entry.get('doc')) if isinstance(entry, dict) else (entry, None)
            out.append('%s``%s``%s' % ('| %d ' % number, name, ': ' + doc if doc else ''))
        return out + ['']


class InvariantTests(Generated):
    required_arguments = 0
    optional_arguments = 1

    def rst(self, path):
        rows = [['invariant', 'where it is named']]
        named = sources.invariants()
        for number in sorted(named):
            rows.append(['I%d' % number, ', '.join('``%s``' % f for f in named[number])])
        return '\n'.join(csv(rows, (10, 90)))


def setup(app):
    app.add_directive('kernel-api', KernelApi)
    app.add_directive('netlink-spec', NetlinkSpec)
    app.add_directive('invariant-tests', InvariantTests)
    return {'parallel_read_safe': True, 'version': '1'}
