#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The netlink spec, the headers and the tool say the same.

uapi/linux/rmc_netlink.h is generated from the spec; this compares what a compiler makes of the header with what the
spec says, the enums of uapi/rdma/rmc.h with those that the spec takes from there, and the names of the tool with both.
Prints TAP.
"""
import os
import re
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("1..0 # SKIP no python3-yaml")
    sys.exit(0)

TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SPEC = os.path.join(TREE, "Documentation/netlink/specs/rmc.yaml")
count = 0
failed = 0


def upper(*parts):
    return "_".join(parts).upper().replace("-", "_")


def result(name, wrong):
    global count, failed
    count += 1
    for line in wrong:
        print("#", line)
    failed += bool(wrong)
    print("not ok" if wrong else "ok", count, "-", name)


def values(names):
    """What the compiler makes of constants; None for one that is not there."""
    text = '#include <linux/rmc_netlink.h>\n#include <rdma/rmc.h>\n#include <stdio.h>\nint main(void)\n{\n'
    missing = set()
    while True:
        body = "".join('printf("%s %%d\\n", %s);\n' % (n, n) for n in names if n not in missing)
        with tempfile.TemporaryDirectory() as tmp:
            src = os.path.join(tmp, "v.c")
            with open(src, "w") as f:
                f.write(text + body + "return 0;\n}\n")
            done = subprocess.run(["cc", "-I", os.path.join(TREE, "uapi"), "-o", os.path.join(tmp, "v"), src],
                                  capture_output=True, text=True)
            if done.returncode == 0:
                out = subprocess.run([os.path.join(tmp, "v")], capture_output=True, text=True, check=True).stdout
                found = {a: int(b) for a, b in (line.split() for line in out.splitlines())}
                return {n: found.get(n) for n in names}
        new = set(re.findall(r"[‘'](RMC_\w+)[’'] undeclared", done.stderr))
        if not new - missing:
            sys.exit("Bail out! " + done.stderr)
        missing |= new


def compare(name, want):
    got = values(list(want))
    result(name, ["%s is %s, the spec says %d" % (n, got[n], v) for n, v in want.items() if got[n] != v])


def entries(definition):
    return [e if isinstance(e, str) else e["name"] for e in definition["entries"]]


def prefix(definition):
    # rmc.h calls them after what they are about
    short = {"ep-state": "ep", "path-state": "path", "conn-state": "conn", "probe-kind": "probe",
             "reason-code": "reason"}
    return short.get(definition["name"], definition["name"])


with open(SPEC) as f:
    spec = yaml.safe_load(f)

for definition in spec["definitions"]:
    compare("enum %s has the numbers of the spec" % definition["name"],
            {upper("rmc", prefix(definition), e): i for i, e in enumerate(entries(definition))})

for attrs in spec["attribute-sets"]:
    want = {upper("rmc-a", attrs["name"], a["name"]): i for i, a in enumerate(attrs["attributes"], 1)}
    want[upper("rmc-a", attrs["name"], "max")] = len(attrs["attributes"])
    compare("attributes of %s have the numbers of the spec" % attrs["name"], want)

ops = [op["name"] for op in spec["operations"]["list"]]
want = {upper("rmc-cmd", op): i for i, op in enumerate(ops, 1)}
want["RMC_CMD_MAX"] = len(ops)
compare("operations have the numbers of the spec", want)

with open(os.path.join(TREE, "uapi/rdma/rmc.h")) as f:
    header = f.read()
wrong = []
for definition in spec["definitions"]:
    if definition.get("header") != "rdma/rmc.h":
        continue
    pattern = r"\bRMC_%s_(\w+)\b" % upper(prefix(definition))
    block = re.search(r"enum rmc_%s {(.*?)}" % definition["name"].replace("-", "_"), header, re.S)
    if not block:
        wrong.append("rmc.h has no enum %s" % definition["name"])
        continue
    code = re.sub(r"/\*.*?\*/", "", block.group(1), flags=re.S)
    there = [n.lower().replace("_", "-") for n in re.findall(pattern, code) if n != "MAX"]
    if there != entries(definition):
        wrong.append("%s: %s" % (definition["name"], set(there) ^ set(entries(definition)) or "another order"))
result("the spec has every state, policy and reason of rmc.h", wrong)

sets = {s["name"]: [a["name"] for a in s["attributes"] if a["name"] != "pad"] for s in spec["attribute-sets"]}
with open(os.path.join(TREE, "tools/rmc/args.c")) as f:
    words = re.findall(r'\[RMC_A_SETTINGS_\w+\]\s*=\s*"(\w+)"', f.read())
result("a setting has one word in the spec and in the tool",
       [w for w in set(words) ^ {a.replace("-", "_") for a in sets["settings"]}])
with open(os.path.join(TREE, "tools/rmc/json.c")) as f:
    words = re.findall(r'\[RMC_A_STATS_\w+\]\s*=\s*"(\w+)"', f.read())
result("a counter has one word in the spec and in the tool",
       [w for w in set(words) ^ {a.replace("-", "_") for a in sets["stats"]}])
with open(os.path.join(TREE, "tools/rmc/names.c")) as f:
    text = f.read()
result("the tool knows every name of the spec",
       [e for d in spec["definitions"] if d["name"] != "event-kind" for e in entries(d) if '"%s"' % e not in text])

print("1..%d" % count)
sys.exit(failed != 0)
