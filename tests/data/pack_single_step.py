#!/usr/bin/env python3
"""Pack single-step cases of the SingleStepTests suite (JSON, one object per line, plain or gzip) into
single_step_6502.bin.gz.

    tests/data/pack_single_step.py CASES.jsonl.gz

tests/machine/test_cpu.c reads the packed file. A case, little-endian: opcode (1 byte); registers before: pc (2), s, a,
x, y, p (1 each); number of memory bytes (1) and for each its address (2) and value (1); registers after, in the same
form; number of memory bytes that changed (1), with address and value; number of bus cycles (1).
"""

import gzip
import json
import pathlib
import struct
import sys


def registers(s):
    return struct.pack("<HBBBBB", s["pc"], s["s"], s["a"], s["x"], s["y"], s["p"])


def memory(pairs):
    return bytes([len(pairs)]) + b"".join(struct.pack("<HB", a, v) for a, v in sorted(pairs))


def main(source):
    out = bytearray()
    count = 0
    with (gzip.open if source.endswith(".gz") else open)(source, "rt") as lines:
        for line in lines:
            case = json.loads(line)
            before = dict(map(tuple, case["initial"]["ram"]))
            changed = [(a, v) for a, v in case["final"]["ram"] if before.get(a) != v]
            out.append(before[case["initial"]["pc"]])
            out += registers(case["initial"]) + memory(before.items())
            out += registers(case["final"]) + memory(changed)
            out.append(len(case["cycles"]))
            count += 1
    target = pathlib.Path(__file__).with_name("single_step_6502.bin.gz")
    target.write_bytes(gzip.compress(bytes(out), 9, mtime=0))
    print(f"{count} cases, {len(out)} bytes, {target.stat().st_size} packed")


if __name__ == "__main__":
    main(sys.argv[1])
