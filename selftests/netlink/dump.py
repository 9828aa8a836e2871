#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Dumps while endpoints come and go: what stays is there exactly once, a dump that was disturbed says so.

dump.py make N | churn SECONDS | watch SECONDS N | clean
"""
import sys
import time

from nl import *  # noqa: F403

nl = Socket()


def name(n):
    return attr(RMC_A_EP_NAME, n)


def make(n, paths=1):
    nl.ask(RMC_CMD_EP_NEW, name(n) + attr(RMC_A_EP_MODE, 1) + attr(RMC_A_EP_IDLE) +
           b"".join(path(port=p + 1) for p in range(paths)))


def stable(n):
    return ["s%05d-" % i + "x" * 56 for i in range(n)]


def watch(seconds, n):
    want = stable(n)
    end = time.monotonic() + seconds
    dumps = flagged = 0
    while time.monotonic() < end or not dumps:
        got = nl.dump(RMC_CMD_EP_GET)
        flagged += nl.interrupted
        dumps += 1
        heads = {}
        ports = {}
        for m in got:
            who = text(m[RMC_A_EP_NAME][0])
            heads[who] = heads.get(who, 0) + (RMC_A_EP_STATE in m)
            for p in m.get(RMC_A_EP_PATH, []):
                ports.setdefault(who, []).append(u32(parse(p)[RMC_A_PATH_ID][0]))
        twice = [who for who, k in heads.items() if k != 1]
        if twice:
            sys.exit("told %d times: %s" % (heads[twice[0]], twice[0]))
        lost = [who for who in want if who not in heads]
        if lost:
            sys.exit("%d of %d are not in the dump, such as %s" % (len(lost), n, lost[0]))
        bad = [who for who in want if ports.get(who) != [0, 1]]
        if bad:
            sys.exit("paths of %s: %s" % (bad[0], ports.get(bad[0])))
    print("# %d dumps of %d endpoints, %d flagged" % (dumps, n, flagged))
    return flagged


def churn(seconds):
    end = time.monotonic() + seconds
    i = 0
    while time.monotonic() < end:
        make("c%d" % (i % 7))
        nl.ask(RMC_CMD_EP_DEL, name("c%d" % (i % 7)))
        i += 1
    print("# %d made and deleted" % i)


def main():
    what = sys.argv[1]
    if what == "make":
        for n in stable(int(sys.argv[2])):
            make(n, 2)
    elif what == "churn":
        churn(float(sys.argv[2]))
    elif what == "watch":
        print(watch(float(sys.argv[2]), int(sys.argv[3])))
    elif what == "clean":
        for m in nl.dump(RMC_CMD_EP_GET):
            if RMC_A_EP_STATE in m and text(m[RMC_A_EP_NAME][0])[0] in "sc":
                try:
                    nl.ask(RMC_CMD_EP_DEL, attr(RMC_A_EP_NAME, m[RMC_A_EP_NAME][0]))
                except Error as e:
                    if e.errno != 2:
                        raise


main()
