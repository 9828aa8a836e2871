#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Requests as no decent client sends them: each gets its errno, a sentence, and the position of what is wrong.

Endpoints made here are idle and called t-*. Prints TAP; -p: the part for somebody without privileges.
"""
import errno
import os
import struct
import sys

from nl import *  # noqa: F403

CHANGES = {
    "ep-new": RMC_CMD_EP_NEW, "ep-set": RMC_CMD_EP_SET, "ep-del": RMC_CMD_EP_DEL,
    "ep-connect": RMC_CMD_EP_CONNECT, "ep-disconnect": RMC_CMD_EP_DISCONNECT,
    "path-new": RMC_CMD_PATH_NEW, "path-set": RMC_CMD_PATH_SET, "path-del": RMC_CMD_PATH_DEL,
    "path-connect": RMC_CMD_PATH_CONNECT, "path-disconnect": RMC_CMD_PATH_DISCONNECT,
}
VERBS = attr(RMC_A_EP_MODE, 1)
IDLE = attr(RMC_A_EP_IDLE)
OLD = os.uname().release.startswith("6.1.")
count = failed = 0
nl = Socket()


def name(n):
    return attr(RMC_A_EP_NAME, n)


def settings(*attrs):
    return nest(RMC_A_EP_SETTINGS, *attrs)


def path_id(i, *more):
    return nest(RMC_A_EP_PATH, attr(RMC_A_PATH_ID, i), *more)


def result(what, wrong=None):
    global count, failed
    count += 1
    if wrong:
        failed += 1
        print("#", wrong)
    print("not ok" if wrong else "ok", count, "-", what)


def refused(what, code, cmd, payload=b"", at=None, miss=None, **more):
    """The request fails with that errno, says why, and blames the attribute of kind @at."""
    try:
        nl.ask(cmd, payload, **more)
    except Error as e:
        wrong = None
        if e.errno != code:
            wrong = "%s instead of %s (%s)" % (errno.errorcode.get(e.errno), errno.errorcode[code], e.msg)
        elif not e.msg:
            wrong = "no sentence"
        elif at is not None and e.at() != at and not (e.offset is None and more.get("flags") == DUMP and OLD):
            # 6.1 tells why a dump failed, but not where
            wrong = "it blames %s instead of %s: %s" % (e.at(), at, e.msg)
        elif miss is not None and e.miss != miss:
            wrong = "missing is %s instead of %s: %s" % (e.miss, miss, e.msg)
        result(what, wrong)
        return
    result(what, "it succeeded")


def works(what, cmd, payload=b"", check=None):
    try:
        got = nl.ask(cmd, payload)
    except Error as e:
        result(what, "%s: %s" % (errno.errorcode.get(e.errno), e.msg))
        return None
    result(what, None if check is None or check(got) else "unexpected answer %s" % got)
    return got


def eps():
    return sorted(text(m[RMC_A_EP_NAME][0]) for m in nl.dump(RMC_CMD_EP_GET) if RMC_A_EP_STATE in m)


def unprivileged():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    global nl
    nl = Socket()
    for op, cmd in CHANGES.items():
        refused("%s without CAP_NET_ADMIN" % op, errno.EPERM, cmd, name("t-none"))
    refused("ping without CAP_NET_ADMIN", errno.EPERM, RMC_CMD_PING, attr(RMC_A_PING_EP, "t-none"))
    works("anybody may look at an endpoint", RMC_CMD_EP_GET, name("t-seen"))
    try:
        nl.dump(RMC_CMD_EP_GET), nl.dump(RMC_CMD_PATH_GET), nl.dump(RMC_CMD_DEV_GET)
        result("anybody may list")
    except Error as e:
        result("anybody may list", str(e))


def attributes():
    for op, cmd in list(CHANGES.items()) + [("ep-get", RMC_CMD_EP_GET), ("path-get", RMC_CMD_PATH_GET)]:
        refused("%s with an unknown attribute" % op, errno.EINVAL, cmd, name("t-none") + attr(999, 1), at=999)
        refused("%s with an attribute that is only for answers" % op, errno.EINVAL, cmd,
                name("t-none") + attr(RMC_A_EP_STATE, 2), at=RMC_A_EP_STATE)
        more = path() if op == "path-new" else path_id(0) if op.startswith("path") else b""
        refused("%s without a name" % op, errno.EINVAL, cmd, more, miss=RMC_A_EP_NAME)
        refused("%s with a name that does not end" % op, errno.EINVAL, cmd, attr(RMC_A_EP_NAME, b"abc"),
                at=RMC_A_EP_NAME)
    for op, cmd in CHANGES.items():
        if op != "ep-new":
            extra = path_id(0) if op.startswith("path") and op != "path-new" else b""
            refused("%s of an endpoint that is not there" % op, errno.ENOENT, cmd, name("t-none") + extra,
                    at=RMC_A_EP_NAME)
    refused("ep-del with a path, which it does not take", errno.EINVAL, RMC_CMD_EP_DEL,
            name("t-seen") + path(), at=RMC_A_EP_PATH)
    refused("path-del with a destination, which it does not take", errno.EINVAL, RMC_CMD_PATH_DEL,
            name("t-seen") + path(), at=RMC_A_PATH_DST)
    refused("a nest that is not marked as one", errno.EINVAL, RMC_CMD_EP_NEW,
            name("t-x") + VERBS + IDLE + attr(RMC_A_EP_SETTINGS, attr(RMC_A_SETTINGS_CONNS, 1)),
            at=RMC_A_EP_SETTINGS)
    refused("a number of two bytes", errno.EINVAL, RMC_CMD_EP_NEW,
            name("t-x") + VERBS + IDLE + settings(attr(RMC_A_SETTINGS_CONNS, b"\1\0")), at=RMC_A_SETTINGS_CONNS)
    refused("an unknown setting", errno.EINVAL, RMC_CMD_EP_NEW,
            name("t-x") + VERBS + IDLE + settings(attr(77, 1)), at=77)
    refused("the reserved field of the header", errno.EINVAL, RMC_CMD_EP_GET, name("t-seen"), reserved=1)
    refused("a dump of one path", errno.EINVAL, RMC_CMD_PATH_GET, name("t-seen") + path_id(0), at=RMC_A_EP_PATH,
            flags=DUMP)
    refused("a dump of the paths of nothing", errno.ENOENT, RMC_CMD_PATH_GET, name("t-none"), at=RMC_A_EP_NAME,
            flags=DUMP)
    refused("a dump of devices with an attribute", errno.EINVAL, RMC_CMD_DEV_GET, name("t-seen"), flags=DUMP)


def names():
    def make(n, rest=b""):
        return name(n) + VERBS + IDLE + rest

    refused("a name of 64 characters", errno.ENAMETOOLONG, RMC_CMD_EP_NEW, make("t-" + "x" * 62), at=RMC_A_EP_NAME)
    refused("a name of 4000 characters", errno.ENAMETOOLONG, RMC_CMD_EP_NEW, make("t-" + "x" * 3998),
            at=RMC_A_EP_NAME)
    refused("an empty name", errno.EINVAL, RMC_CMD_EP_NEW, make(""), at=RMC_A_EP_NAME)
    for bad in "t- ", "t-/", "t-\n", "t-ä", "t-\x1b[2J":
        refused("a name with %r" % bad[2:], errno.EINVAL, RMC_CMD_EP_NEW,
                make(bad, settings(attr(RMC_A_SETTINGS_CONNS, 1))), at=RMC_A_EP_NAME)
    refused("a name that is taken", errno.EEXIST, RMC_CMD_EP_NEW, make("t-seen"), at=RMC_A_EP_NAME)
    long = "t-" + "x" * 61
    works("a name of 63 characters is made", RMC_CMD_EP_NEW, make(long))
    works("and found", RMC_CMD_EP_GET, name(long), lambda got: text(got[0][RMC_A_EP_NAME][0]) == long)
    works("and deleted", RMC_CMD_EP_DEL, name(long))


def values():
    def bad(what, code, attrs, at, more=b""):
        refused(what, code, RMC_CMD_EP_NEW, name("t-x") + VERBS + IDLE + settings(*attrs) + more, at=at)
        refused(what + ", set later", code, RMC_CMD_EP_SET, name("t-seen") + settings(*attrs), at=at)

    for setting, wrong in (
            ("CONNECT_MS", (0, 60001)), ("DETECT_MS", (0, 99, 60001)), ("CONNS", (0, 65)),
            ("DEPTH", (0, 65537, 1 << 31)), ("TOS", (256, 1 << 31)), ("ACK_TIMEOUT", (1, 7, 32, 256 + 14)),
            ("RNR_TIMER", (0, 32, 256 + 12)), ("RETRY_COUNT", (7, 256)), ("BACKOFF_MIN_MS", (0,)),
            ("BACKOFF_MAX_MS", (600001,))):
        kind = C["RMC_A_SETTINGS_" + setting]
        for v in wrong:
            bad("%s %d" % (setting.lower(), v), errno.EINVAL, [attr(kind, v)], kind)
    bad("private data of 256 bytes", errno.EINVAL, [attr(RMC_A_SETTINGS_PRIVATE_DATA, b"x" * 256)],
        RMC_A_SETTINGS_PRIVATE_DATA)
    # the one that is to blame was not given: the nest is the next best
    bad("a backoff whose least is above the default's most", errno.EINVAL,
        [attr(RMC_A_SETTINGS_BACKOFF_MIN_MS, 5000)], None)
    refused("session mode, which does not exist yet", errno.EOPNOTSUPP, RMC_CMD_EP_NEW,
            name("t-x") + attr(RMC_A_EP_MODE, 0) + IDLE, at=RMC_A_EP_MODE)
    refused("session mode by default", errno.EOPNOTSUPP, RMC_CMD_EP_NEW, name("t-x") + IDLE)
    refused("mode 7", errno.EINVAL, RMC_CMD_EP_NEW, name("t-x") + attr(RMC_A_EP_MODE, 7) + IDLE, at=RMC_A_EP_MODE)
    refused("policy 9", errno.EINVAL, RMC_CMD_EP_NEW, name("t-x") + VERBS + attr(RMC_A_EP_POLICY, 9) + IDLE,
            at=RMC_A_EP_POLICY)
    works("settings that are right", RMC_CMD_EP_SET,
          name("t-seen") + settings(attr(RMC_A_SETTINGS_DETECT_MS, 700), attr(RMC_A_SETTINGS_TOS, 255),
                                    attr(RMC_A_SETTINGS_PRIVATE_DATA, bytes(range(256))[1:])))
    works("are there", RMC_CMD_EP_GET, name("t-seen"), lambda got: [
        parse(got[0][RMC_A_EP_SETTINGS][0])[k][0] for k in
        (RMC_A_SETTINGS_DETECT_MS, RMC_A_SETTINGS_TOS, RMC_A_SETTINGS_PRIVATE_DATA)] == [
            struct.pack("=I", 700), struct.pack("=I", 255), bytes(range(256))[1:]])


def paths():
    def bad(what, code, p, at=None, miss=None):
        refused(what, code, RMC_CMD_PATH_NEW, name("t-seen") + p, at=at, miss=miss)
        refused(what + ", in ep-new", code, RMC_CMD_EP_NEW, name("t-x") + VERBS + path() + p, at=at, miss=miss)

    dst = attr(RMC_A_PATH_DST, ip("10.9.0.2"))
    port = attr(RMC_A_PATH_DST_PORT, struct.pack("!H", 7174))
    bad("a path that leads nowhere", errno.EINVAL, nest(RMC_A_EP_PATH, port), miss=RMC_A_PATH_DST)
    bad("a destination without port", errno.EINVAL, nest(RMC_A_EP_PATH, dst), at=RMC_A_PATH_DST)
    bad("a destination with port 0", errno.EINVAL, path(port=0), at=RMC_A_PATH_DST)
    for size in 0, 3, 5, 15, 17, 28:
        bad("an address of %d bytes" % size, errno.EINVAL,
            nest(RMC_A_EP_PATH, attr(RMC_A_PATH_DST, b"\1" * size), port), at=RMC_A_PATH_DST)
    for host in "0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "ff02::1":
        bad("destination %s" % host, errno.EINVAL, path(host), at=RMC_A_PATH_DST)
    bad("a link-local destination without its interface", errno.EINVAL, path("fe80::1"), at=RMC_A_PATH_DST)
    bad("an IPv4 address with an interface", errno.EINVAL,
        path("10.9.0.2", 7174, attr(RMC_A_PATH_DST_IFINDEX, 1)), at=RMC_A_PATH_DST_IFINDEX)
    bad("two address families", errno.EINVAL, path("10.9.0.2", 7174, attr(RMC_A_PATH_SRC, ip("fd09::1"))),
        at=RMC_A_PATH_SRC)
    bad("an interface of no source", errno.EINVAL, path("10.9.0.2", 7174, attr(RMC_A_PATH_SRC_IFINDEX, 1)),
        at=RMC_A_PATH_SRC_IFINDEX)
    bad("weight 0", errno.EINVAL, path("10.9.0.2", 7174, attr(RMC_A_PATH_WEIGHT, 0)), at=RMC_A_PATH_WEIGHT)
    bad("down 2", errno.ERANGE, path("10.9.0.2", 7174, attr(RMC_A_PATH_DOWN, b"\2")), at=RMC_A_PATH_DOWN)
    bad("an id for a new path", errno.EINVAL, path("10.9.0.2", 7174, attr(RMC_A_PATH_ID, 3)), at=RMC_A_PATH_ID)
    for op in "PATH_SET", "PATH_DEL", "PATH_CONNECT", "PATH_DISCONNECT", "PATH_GET":
        cmd = C["RMC_CMD_" + op]
        refused("%s of a path that is not there" % op.lower(), errno.ENOENT, cmd, name("t-seen") + path_id(55))
        refused("%s of path 2^32 - 1" % op.lower(), errno.ENOENT, cmd, name("t-seen") + path_id(0xffffffff))
        refused("%s of no path" % op.lower(), errno.EINVAL, cmd, name("t-seen"), miss=RMC_A_EP_PATH)
        refused("%s of a path without id" % op.lower(), errno.EINVAL, cmd, name("t-seen") + nest(RMC_A_EP_PATH),
                miss=RMC_A_PATH_ID)
    works("eight paths", RMC_CMD_EP_NEW, name("t-8") + VERBS + IDLE + b"".join(path(port=p) for p in range(1, 9)))
    refused("a ninth", errno.ENOSPC, RMC_CMD_PATH_NEW, name("t-8") + path(), at=RMC_A_EP_PATH)
    works("come back in one answer", RMC_CMD_EP_GET, name("t-8"),
          lambda got: [parse(p)[RMC_A_PATH_ID][0] for p in got[0][RMC_A_EP_PATH]] ==
          [struct.pack("=I", i) for i in range(8)])
    refused("nine at once", errno.ENOSPC, RMC_CMD_EP_NEW,
            name("t-9") + VERBS + IDLE + b"".join(path(port=p) for p in range(1, 10)), at=RMC_A_EP_PATH)
    works("a path goes", RMC_CMD_PATH_DEL, name("t-8") + path_id(3))
    works("its id is not used again", RMC_CMD_PATH_NEW, name("t-8") + path(port=99))
    works("but the next", RMC_CMD_PATH_GET, name("t-8") + path_id(8),
          lambda got: parse(got[0][RMC_A_EP_PATH][0])[RMC_A_PATH_DST_PORT][0] == struct.pack("!H", 99))
    works("down", RMC_CMD_PATH_DISCONNECT, name("t-8") + path_id(0))
    works("is remembered", RMC_CMD_PATH_GET, name("t-8") + path_id(0),
          lambda got: parse(got[0][RMC_A_EP_PATH][0])[RMC_A_PATH_DOWN][0] == b"\1")
    works("and up again", RMC_CMD_PATH_CONNECT, name("t-8") + path_id(0))


def small_reader():
    """A reader whose buffer is a page gets an endpoint of eight paths in pieces, and all of it."""
    small = Socket(buf=4096)
    got = small.dump(RMC_CMD_EP_GET)
    pieces = [m for m in got if text(m[RMC_A_EP_NAME][0]) == "t-8"]
    ids = [u32(parse(p)[RMC_A_PATH_ID][0]) for m in pieces for p in m.get(RMC_A_EP_PATH, [])]
    heads = [m for m in pieces if RMC_A_EP_STATE in m]
    result("a reader with a small buffer gets every path once",
           None if ids == [0, 1, 2, 4, 5, 6, 7, 8] and len(heads) == 1 else "paths %s in %d pieces" % (ids, len(pieces)))


def pings():
    refused("ping of nothing", errno.ENOENT, RMC_CMD_PING, attr(RMC_A_PING_EP, "t-none"), at=RMC_A_PING_EP)
    refused("ping without a name", errno.EINVAL, RMC_CMD_PING, miss=RMC_A_PING_EP)
    refused("ping of what is not up", errno.ENOTCONN, RMC_CMD_PING, attr(RMC_A_PING_EP, "t-8"))
    refused("ping of a path that is not there", errno.ENOENT, RMC_CMD_PING,
            attr(RMC_A_PING_EP, "t-8") + attr(RMC_A_PING_PATH, 77), at=RMC_A_PING_PATH)
    for ms in 0, 10001, 0xffffffff:
        refused("ping that waits %d ms" % ms, errno.EINVAL, RMC_CMD_PING,
                attr(RMC_A_PING_EP, "t-8") + attr(RMC_A_PING_TIMEOUT_MS, ms), at=RMC_A_PING_TIMEOUT_MS)


def main():
    if sys.argv[1:] == ["-p"]:
        unprivileged()
    else:
        before = eps()
        nl.ask(RMC_CMD_EP_NEW, name("t-seen") + VERBS + IDLE)
        attributes()
        names()
        values()
        paths()
        small_reader()
        pings()
        refused("connecting an endpoint without paths", errno.EINVAL, RMC_CMD_EP_CONNECT, name("t-seen"),
                at=RMC_A_EP_NAME)
        refused("making one without paths that is not idle", errno.EINVAL, RMC_CMD_EP_NEW, name("t-x") + VERBS)
        for n in "t-seen", "t-8":
            works("%s is deleted" % n, RMC_CMD_EP_DEL, name(n))
        result("what was refused left nothing", None if eps() == before else "there are %s" % eps())
    print("1..%d" % count)
    sys.exit(failed != 0)


main()
