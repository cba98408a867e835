#!/usr/bin/env python3
# label: long, 20 s
"""Training of every learner with a network is killed with SIGKILL at ten random moments and resumed, with other numbers
of threads: all files have the bytes of an undisturbed run."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(os.environ.get("SIXER_BUILD", "build/release"))
SMALL = "memory=400,start=40,period=2,batch=4,target_period=20,trunk=quick,size=20,hidden=16"
QUANTILES = ",taus=4,target_taus=4,choice_taus=4,cosines=16"
AGENTS = {
    "dqn": SMALL,
    "c51": SMALL,
    "rainbow": SMALL,
    "der": SMALL,
    "iqn": SMALL + QUANTILES,
    "rainbow-iqn": SMALL + QUANTILES,
    "pqn": "envs=4,rollout=5,epochs=2,batch=10,trunk=quick,size=20,hidden=16",
}
KILLS = 10
PROTOCOL = """name = "short"
base = "atari100k"
[environment]
max_frames = 600
[training]
length = 3000
checkpoints = [3000]
[score]
episodes = 3
limits = [600]
"""


def command(agent: str, folder: Path, protocol: Path, *more: str) -> list[str]:
    settings = ["--set", AGENTS[agent], "--protocol", str(protocol), "--checkpoint-every", "0.05"]
    return [str(BUILD / "sixer"), "train", agent, "duskrain", *settings, "--out", str(folder), *more]


def files(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.startswith(".")}


def check(agent: str, folder: Path, protocol: Path, rng: random.Random) -> None:
    start = time.monotonic()
    subprocess.run(command(agent, folder / "whole", protocol, "--threads", "1"), check=True, capture_output=True)
    whole, kills = time.monotonic() - start, 0
    while kills < KILLS:
        more = ["--resume"] if (folder / "killed").exists() and any((folder / "killed").iterdir()) else []
        process = subprocess.Popen(
            command(agent, folder / "killed", protocol, "--threads", str(rng.randint(1, 3)), *more),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(rng.random() * whole / 5)
        if process.poll() is None:
            process.kill()
            kills += 1
            process.wait()
        elif kills < KILLS:  # it was done: what is left of the kills is for a second run
            compare(agent, folder, kills)
            shutil.rmtree(folder / "killed")
    more = ["--resume"] if (folder / "killed").exists() and any((folder / "killed").iterdir()) else []
    subprocess.run(command(agent, folder / "killed", protocol, *more), check=True, capture_output=True)
    compare(agent, folder, kills)
    print(f"{agent}: all files equal after {kills} kills", flush=True)


def compare(agent: str, folder: Path, kills: int) -> None:
    expected, found = files(folder / "whole"), files(folder / "killed")
    assert expected.keys() == found.keys(), expected.keys() ^ found.keys()
    for name, content in expected.items():
        if content != found[name]:
            sys.exit(f"{agent}: {name} differs after {kills} kills")


def main() -> None:
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as temporary:
        protocol = Path(temporary) / "short.toml"
        protocol.write_text(PROTOCOL)
        for agent in AGENTS:
            folder = Path(temporary) / agent
            folder.mkdir()
            check(agent, folder, protocol, rng)


if __name__ == "__main__":
    main()
