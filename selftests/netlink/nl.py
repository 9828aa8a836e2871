# SPDX-License-Identifier: GPL-2.0
"""Generic netlink by hand: a client that can also say what no decent client says."""
import ctypes
import os
import re
import socket
import struct

TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
REQUEST, MULTI, ACK, DUMP_INTR, DUMP = 1, 2, 4, 0x10, 0x300
CAPPED, ACK_TLVS = 0x100, 0x200
ERROR, DONE = 2, 3
NESTED = 0x8000
SOL_NETLINK, ADD_MEMBERSHIP, CAP_ACK, EXT_ACK = 270, 1, 10, 11


def _constants():
    """Names of the header, counted as a compiler would."""
    found = {}
    with open(os.path.join(TREE, "uapi/linux/rmc_netlink.h")) as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    for body in re.findall(r"enum[^{;]*{(.*?)}", text, re.S):
        value = 0
        for name, explicit in re.findall(r"(\w+)\s*(?:=\s*([^,\n]+))?,?\s*(?:\n|$)", body):
            if explicit and explicit.strip().isdigit():
                value = int(explicit)
            elif explicit:
                value = found["__" + name] - 1
            found[name] = value
            value += 1
    return found


C = _constants()
globals().update(C)


def attr(kind, data=b"", flags=0):
    if isinstance(data, int):
        data = struct.pack("=I", data)
    elif isinstance(data, str):
        data = data.encode() + b"\0"
    size = 4 + len(data)
    return struct.pack("=HH", size, kind | flags) + data + b"\0" * (-size % 4)


def nest(kind, *attrs):
    return attr(kind, b"".join(attrs), NESTED)


def ip(text):
    return socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)


def path(dst="10.9.0.2", port=7174, *more):
    return nest(C["RMC_A_EP_PATH"], attr(C["RMC_A_PATH_DST"], ip(dst)),
                attr(C["RMC_A_PATH_DST_PORT"], struct.pack("!H", port)), *more)


def parse(data):
    """All attributes of a kind, in order: {kind: [bytes]}."""
    out = {}
    while len(data) >= 4:
        size, kind = struct.unpack_from("=HH", data)
        if size < 4:
            raise ValueError("an attribute of %d bytes" % size)
        out.setdefault(kind & 0x3fff, []).append(data[4:size])
        data = data[(size + 3) & ~3:]
    return out


def u32(data):
    return struct.unpack("=I", data)[0]


def text(data):
    return data.rstrip(b"\0").decode()


class Error(OSError):
    def __init__(self, code, msg, offset, miss, request):
        super().__init__(code, os.strerror(code))
        self.msg, self.offset, self.miss, self.request = msg, offset, miss, request

    def at(self):
        """Kind of the attribute that is to blame, None without one."""
        if self.offset is None:
            return None
        return struct.unpack_from("=HH", self.request, self.offset)[1] & 0x3fff


class Socket:
    def __init__(self, buf=65536):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
        self.sock.bind((0, 0))
        self.sock.settimeout(20)
        for option in (EXT_ACK, CAP_ACK):
            self.sock.setsockopt(SOL_NETLINK, option, 1)
        self.buf, self.seq, self.groups = 65536, 1, {}
        self.interrupted = False
        self.messages = 0
        found = self.ask(3, attr(2, "rmc"), family=16)[0]
        self.family = struct.unpack("=H", found[1][0])[0]
        for group in parse(found[7][0]).values():
            one = parse(group[0])
            self.groups[text(one[1][0])] = u32(one[2][0])
        self.buf = buf

    def join(self, group):
        self.sock.setsockopt(SOL_NETLINK, ADD_MEMBERSHIP, self.groups[group])

    def send(self, cmd, payload=b"", flags=ACK, family=None, reserved=0):
        self.seq += 1
        body = struct.pack("=BBH", cmd, 1, reserved) + payload
        msg = struct.pack("=IHHII", 16 + len(body), family or self.family, REQUEST | flags, self.seq, 0) + body
        self.sock.send(msg)
        return msg

    def split(self, data):
        while len(data) >= 16:
            size, kind, flags, seq, _ = struct.unpack_from("=IHHII", data)
            yield kind, flags, seq, data[16:size]
            data = data[(size + 3) & ~3:]

    def fail(self, code, tlvs, request):
        found = parse(tlvs)
        miss = u32(found[5][0]) if 5 in found else None
        raise Error(code, text(found[1][0]) if 1 in found else None, u32(found[2][0]) if 2 in found else None,
                    miss, request)

    def ask(self, cmd, payload=b"", flags=ACK, **more):
        """Answers, each as {kind: [bytes]}; raises Error."""
        request = self.send(cmd, payload, flags, **more)
        out = []
        self.interrupted = False
        self.messages = 0
        while True:
            for kind, mflags, seq, data in self.split(self.sock.recv(self.buf)):
                if seq != self.seq:
                    continue
                self.interrupted |= bool(mflags & DUMP_INTR)
                if kind in (ERROR, DONE):
                    code = struct.unpack_from("=i", data)[0] if len(data) >= 4 else 0
                    if code:
                        self.fail(-code, data[4 if kind == DONE else 20:] if mflags & ACK_TLVS else b"", request)
                    return out
                self.messages += 1
                out.append(parse(data[4:]))

    def dump(self, cmd, payload=b""):
        return self.ask(cmd, payload, DUMP)

    def event(self):
        for kind, _, _, data in self.split(self.sock.recv(65536)):
            if kind == self.family:
                return parse(data[4:])
        return None


def errno_of(name):
    import errno
    return getattr(errno, name)


def in_netns(path_):
    """Moves this process into another network namespace."""
    fd = os.open(path_, os.O_RDONLY)
    if ctypes.CDLL(None, use_errno=True).setns(fd, 0x40000000):
        raise OSError(ctypes.get_errno(), "setns")
    os.close(fd)
