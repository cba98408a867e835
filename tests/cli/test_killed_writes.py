#!/usr/bin/env python3
# label: long
"""Training that is killed inside of write, fwrite, fsync and rename: the last good checkpoint is there, and the resumed
run ends with the bytes of one that nobody disturbed.

tests/support/faults.c is preloaded and ends the program with SIGKILL at the n-th call, with half of the bytes written.
A first run is killed after its second checkpoint. It is resumed and killed at each of some calls; after each, `sixer
info` must read the checkpoint, and its frames may only grow. Every run is then resumed to its end.

    tests/cli/test_killed_writes.py [KILLS]     about 30 in the suite
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ.get("SIXER_BUILD", "build/release")).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
CALLS = ["kill-fwrite", "kill-write", "kill-fsync", "kill-rename", "kill-renamed"]
AGENTS = {
    "sarsa": "features=ram",
    "dqn": "trunk=quick,hidden=16,size=24,memory=200,start=20,batch=4,period=4",
}
PROTOCOL = """name = "short"
base = "machado2018"
[environment]
max_frames = 600
[training]
length = 3000
checkpoints = [3000]
[score]
episodes = 2
limits = [600]
"""


def run(agent, folder, environment, *more):
    command = [BUILD / "sixer", "train", agent, "sporefall", "--set", AGENTS[agent]]
    command += ["--protocol", folder.parent / "short.toml", "--checkpoint-every", "0.02", "--out", folder, *more]
    return subprocess.run(
        [str(c) for c in command], env=environment, capture_output=True, text=True, timeout=600, check=False
    )


def files(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.startswith(".")}


def frames(folder, agent):
    """Those of the checkpoint; 0 if there is none yet."""
    path = folder / f"{agent}_sporefall_1.checkpoint"
    if not path.exists():
        return 0
    found = subprocess.run([BUILD / "sixer", "info", path, "--json"], capture_output=True, text=True, check=False)
    if found.returncode:
        sys.exit(f"{agent}: the checkpoint cannot be read: {found.stderr}")
    return json.loads(found.stdout)["frames"]


def check(agent, base, shim, most):
    plain = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    fault = dict(plain, LD_PRELOAD=str(shim), SIXER_FAULT_COUNT=str(base / "count"))
    whole, begun, work = base / "whole", base / "begun", base / "work"
    (base / "short.toml").write_text(PROTOCOL)
    result = run(agent, whole, plain)
    if result.returncode:
        sys.exit(f"{agent}: {result.stderr}")
    expected = files(whole)
    result = run(agent, begun, dict(fault, SIXER_FAULT="kill-renamed:2"))
    if result.returncode != -9:
        sys.exit(f"{agent}: was not killed at its second checkpoint: {result.returncode} {result.stderr}")
    start, kills = frames(begun, agent), 0
    if not start:
        sys.exit(f"{agent}: has no checkpoint")
    shutil.copytree(begun, work)
    run(agent, work, dict(fault, SIXER_FAULT="none:0"), "--resume")
    counts = dict(line.split() for line in (base / "count").read_text().splitlines())
    shutil.rmtree(work)
    for call in CALLS:
        count = int(counts[call])
        for n in sorted({1 + i * (count - 1) // max(1, most - 1) for i in range(most)}) if count else []:
            shutil.copytree(begun, work)
            result = run(agent, work, dict(fault, SIXER_FAULT=f"{call}:{n}"), "--resume")
            if result.returncode not in (-9, 0):
                sys.exit(f"{agent}, {call} {n}: ended with {result.returncode}: {result.stderr}")
            kills += result.returncode == -9
            if frames(work, agent) < start:
                sys.exit(f"{agent}, {call} {n}: the last good checkpoint is gone")
            result = run(agent, work, plain, "--resume")
            if result.returncode:
                sys.exit(f"{agent}, {call} {n}: cannot be resumed: {result.stderr}")
            found = files(work)
            different = [name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)]
            if different:
                sys.exit(f"{agent}, {call} {n}: other bytes in {different}")
            left = [p.name for p in work.iterdir() if p.name not in expected and "part-" in p.name]
            if left:
                sys.exit(f"{agent}, {call} {n}: {left} are left over")
            shutil.rmtree(work)
    print(f"{agent}: {kills} kills, the same {len(expected)} files after each", flush=True)
    return kills


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with tempfile.TemporaryDirectory() as name:
        shim = pathlib.Path(name) / "faults.so"
        source = ROOT / "tests/support/faults.c"
        command = ["cc", "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", source, "-o", shim]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        if built.returncode:
            print(f"skipped: the shim does not build\n{built.stderr}")
            return 77
        total = 0
        for agent in AGENTS:
            base = pathlib.Path(name) / agent
            base.mkdir()
            total += check(agent, base, shim, max(1, most // len(CALLS) // len(AGENTS)))
        print(f"{total} kills")
        return 0 if total else 1


if __name__ == "__main__":
    sys.exit(main())
