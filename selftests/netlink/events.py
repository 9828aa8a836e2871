#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""events.py slow: a reader that sleeps until its socket is full is told so, and hears what comes after.
events.py order EP: the states of an endpoint, of its paths and connections join up. Prints what is wrong."""
import errno
import socket
import sys

from nl import *  # noqa: F403


def name(n):
    return attr(RMC_A_EP_NAME, n)


def slow():
    reader = Socket()
    reader.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.join("events")
    writer = Socket()
    # making and deleting one tells at least that it closed
    for i in range(200):
        writer.ask(RMC_CMD_EP_NEW, name("e-slow") + attr(RMC_A_EP_MODE, 1) + attr(RMC_A_EP_IDLE))
        writer.ask(RMC_CMD_EP_DEL, name("e-slow"))
    lost = heard = 0
    reader.sock.settimeout(1)
    while True:
        try:
            heard += reader.event() is not None
        except socket.timeout:
            break
        except OSError as e:
            if e.errno != errno.ENOBUFS:
                raise
            lost += 1
    if not lost or not heard:
        sys.exit("%d events and %d times lost ones" % (heard, lost))
    writer.ask(RMC_CMD_EP_NEW, name("e-after") + attr(RMC_A_EP_MODE, 1) + attr(RMC_A_EP_IDLE))
    writer.ask(RMC_CMD_EP_DEL, name("e-after"))
    reader.sock.settimeout(10)
    if text(reader.event()[RMC_A_EVENT_EP][0]) != "e-after":
        sys.exit("what came after the loss was not heard")
    print("# %d events, then %d times told of lost ones" % (heard, lost))


def order(ep, connects):
    reader = Socket()
    reader.join("events")
    writer = Socket()
    at = {}
    ts = 0
    n = 0
    rounds = 0
    writer.ask(RMC_CMD_EP_CONNECT, name(ep))
    while True:
        try:
            e = reader.event()
        except socket.timeout:
            sys.exit("silence after %d rounds; states %s" % (rounds, at))
        if not e or text(e[RMC_A_EVENT_EP][0]) != ep:
            continue
        n += 1
        kind, old, new = (u32(e[k][0]) for k in (RMC_A_EVENT_KIND, RMC_A_EVENT_FROM, RMC_A_EVENT_TO))
        who = [kind]
        if kind != RMC_EVENT_KIND_EP:
            who.append(u32(e[RMC_A_EVENT_PATH][0]))
        if kind == RMC_EVENT_KIND_CONN:
            who += [u32(e[RMC_A_EVENT_CONN][0]), u32(e[RMC_A_EVENT_GENERATION][0])]
        who = tuple(who)
        if at.get(who, old) != old:
            sys.exit("%s was in state %d and leaves %d" % (who, at[who], old))
        if old == new:
            sys.exit("%s changes from %d to the same" % (who, old))
        at[who] = new
        if kind == RMC_EVENT_KIND_EP and new == 2:
            writer.ask(RMC_CMD_EP_DISCONNECT, name(ep))
        if kind == RMC_EVENT_KIND_EP and new == 0:
            rounds += 1
            if rounds == connects:
                break
            writer.ask(RMC_CMD_EP_CONNECT, name(ep))
    print("# %d events of %d things" % (n, len(at)))


if sys.argv[1] == "slow":
    slow()
else:
    order(sys.argv[2], int(sys.argv[3]))
