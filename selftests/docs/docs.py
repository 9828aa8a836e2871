# SPDX-License-Identifier: GPL-2.0
"""docs.py CHECK: compares the documentation with the sources; says what is wrong and exits with 1"""
import os
import re
import subprocess
import sys

tree = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
sys.path.insert(0, os.path.join(tree, 'Documentation', 'sphinx'))
sys.dont_write_bytecode = True
import sources  # noqa: E402

HEADER = 'include/rdma/rmc.h'


def pages():
    folder = os.path.join(tree, 'Documentation')
    found = ['Documentation/' + f for f in sorted(os.listdir(folder)) if f.endswith('.rst')]
    return found + ['README.md']


def tables():
    done = subprocess.run([sys.executable, os.path.join(tree, 'Documentation/sphinx/sources.py')],
                          capture_output=True, text=True, check=False)
    yield from done.stdout.splitlines()
    if done.returncode and not done.stdout:
        yield from done.stderr.splitlines()


def kernel_doc():
    script = sources.kernel_doc()
    if not script:
        yield 'no kernel-doc here: apt-get install linux-kbuild-6.1'
        return
    # it exits with 0 whatever it finds
    done = subprocess.run(['perl', script, '-none', os.path.join(tree, HEADER)],
                          capture_output=True, text=True, check=False)
    yield from (done.stdout + done.stderr).splitlines()
    if done.returncode:
        yield 'kernel-doc ends with status %d' % done.returncode


def exported():
    names = sources.exported()
    if len(names) < 20:
        yield 'only %d exported functions were found' % len(names)
    text = sources.read(HEADER)
    for name in names:
        block = re.search(r'/\*\*\n \* %s - (.*?)\*/' % name, text, re.S)
        if not block:
            yield '%s: no kernel-doc for %s' % (HEADER, name)
        elif 'Context:' not in block.group(1):
            yield '%s: %s does not say in which context it may be called' % (HEADER, name)
        elif not re.search(r'\b%s\(' % name, text[block.end():].split(';')[0]):
            yield '%s: the comment about %s does not stand above it' % (HEADER, name)


def settings():
    """Each has an entry, alone or with others, in the list of settings.rst and a bit in the API"""
    text = sources.read('Documentation/settings.rst')
    described = set()
    for line in re.findall(r'^([a-z_][a-z_, ]*)\n   \S', text, re.M):
        described |= set(re.split(r',\s*', line))
    for name, _, _, _ in sources.settings():
        if name not in described:
            yield 'settings.rst does not describe %s' % name
    for name in re.findall(r'^#define RMC_SET_(\w+)\s', sources.read(HEADER), re.M):
        if name != 'ALL' and name.lower() not in text:
            yield 'settings.rst does not name %s' % name.lower()
    for name in re.findall(r'^module_param\((\w+),', sources.read('drivers/rmc/verbs/device.c'), re.M):
        if name not in described:
            yield 'settings.rst does not describe the module parameter %s' % name


def faults():
    text = sources.read('Documentation/testing.rst')
    points = re.findall(r'\[RMC_FAULT_\w+\]\s*=\s*"(\w+)"', sources.read('drivers/rmc/verbs/fault.c'))
    points = [p for p in points if p not in ('pass', 'swallow', 'double', 'delay')]
    if len(points) < 10:
        yield 'only %d fault points were found' % len(points)
    listed = set(re.findall(r'^``(\w+)``  ', text, re.M))
    for p in points:
        if p not in listed:
            yield 'testing.rst does not list the fault point %s' % p


def grammar():
    """The usage lines of the tool, word by word"""
    text = ' '.join(sources.read('Documentation/userspace.rst').split())
    help_text = re.search(r'help_text\[\] =\n(.*?);\n', sources.read('tools/rmc/rmc.c'), re.S).group(1)
    lines = [s.replace('\\n', '') for s in re.findall(r'"(.*?)"', help_text)]
    usage = []
    for line in lines:
        line = line.replace('usage: ', '')
        if line.strip().startswith('rmc '):
            usage.append(line.strip())
        elif usage and line.startswith(' ' * 20):
            usage[-1] += ' ' + line.strip()
        else:
            break
    if len(usage) < 8:
        yield 'only %d lines of usage were found' % len(usage)
    for line in usage:
        if ' '.join(line.split()) not in text:
            yield 'userspace.rst does not say: ' + line


def files():
    for page in pages():
        for name in re.findall(r'`((?:drivers|include|uapi|tools|selftests|Documentation)/[\w./-]+)`', sources.read(page)):
            if not os.path.exists(os.path.join(tree, name)):
                yield '%s names %s, which is not there' % (page, name)


def alone():
    """A reader has this tree and nothing else"""
    for page in pages():
        for n, line in enumerate(sources.read(page).splitlines(), 1):
            found = re.search(r'\bissue \d|issue #\d|\b[TF]ODO\b|FIXME', line)
            if found:
                yield '%s:%d: %s' % (page, n, found.group(0))


CHECKS = {'tables': tables, 'kernel-doc': kernel_doc, 'exported': exported, 'settings': settings, 'faults': faults,
          'grammar': grammar, 'files': files, 'alone': alone}

problems = list(CHECKS[sys.argv[1]]())
for p in problems:
    print(p)
sys.exit(1 if problems else 0)
