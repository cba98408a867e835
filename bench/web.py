#!/usr/bin/env python3
"""Frames per second of the npm package in Node, with both fast cores, beside native ale-py, in one run.

Each frame is stepped with a random minimal action, drawn, and copied out as palette bytes. All play in turns. Times are
processor time of the whole process, and the fastest turn of each counts, so that other programs on the machine disturb
as little as possible.

  .venv/bin/python bench/web.py                    ten games, build/web/package
  .venv/bin/python bench/web.py --rounds 30 pong   one game, longer
"""

import argparse
import json
import math
import subprocess
import sys
import time
from pathlib import Path

GAMES = "breakout pong space_invaders seaquest ms_pacman enduro asterix beam_rider qbert freeway".split()
CORES = ("interp", "jit")
ROOT = Path(__file__).resolve().parent.parent


class Node:
    """The package, in a process of its own."""

    def __init__(self, package: Path) -> None:
        self.process = subprocess.Popen(
            ["node", str(ROOT / "bench/web.mjs"), str(package)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, name: str, value: object) -> object:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps({name: value}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("web.py: the process of Node has ended; is the package built (scripts/web)?")
        return json.loads(line)


class Reference:
    """ale-py."""

    def __init__(self, path: str) -> None:
        from ale_py import ALEInterface, LoggerMode

        ALEInterface.setLoggerMode(LoggerMode.Error)
        self.ale = ALEInterface()
        self.ale.setInt("random_seed", 1)
        self.ale.setFloat("repeat_action_probability", 0.0)
        self.ale.loadROM(path)
        self.actions = self.ale.getMinimalActionSet()
        self.screen = self.ale.getScreen()
        self.seed = 1

    def play(self, frames: int) -> float:
        ale, actions, seed = self.ale, self.actions, self.seed
        begin = time.process_time()
        for _ in range(frames):
            seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
            ale.act(actions[(seed >> 8) % len(actions)])
            ale.getScreen(self.screen)
            if ale.game_over():
                ale.reset_game()
        self.seed = seed
        return time.process_time() - begin


def image_of(game: str) -> str:
    from ale_py import roms

    path = roms.get_rom_path(game)
    if not path:
        sys.exit(f"web.py: the installed ale_py has no image of {game}")
    return str(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--package", type=Path, default=ROOT / "build/web/package")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--frames", type=int, default=500)
    options = parser.parse_args()

    node = Node(options.package)
    ratios: dict[str, list[float]] = {core: [] for core in CORES}
    print(f"{'game':<18}" + "".join(f"{core:>10}{'ratio':>8}" for core in CORES) + f"{'ale-py':>10}")
    for game in options.games:
        path = image_of(game)
        reference = Reference(path)
        for core in CORES:
            used = node.ask("open", {"core": core, "path": path})
            if used != core:
                print(f"{game}: core {used} instead of {core}", file=sys.stderr)
            node.ask("play", {"core": core, "frames": 4000})  # so that the compiler of the browser has seen it
        reference.play(300)
        times: dict[str, list[float]] = {core: [] for core in [*CORES, "ale-py"]}
        for _ in range(options.rounds):
            for core in CORES:
                seconds = node.ask("play", {"core": core, "frames": options.frames})
                assert isinstance(seconds, (int, float))
                times[core].append(seconds)
            times["ale-py"].append(reference.play(options.frames))
        best = {who: min(list_) for who, list_ in times.items()}
        line = f"{game:<18}"
        for core in CORES:
            ratio = best["ale-py"] / best[core]
            ratios[core].append(ratio)
            line += f"{options.frames / best[core]:>10,.0f}{ratio:>8.2f}"
        print(f"{line}{options.frames / best['ale-py']:>10,.0f}", flush=True)
    for core, list_ in ratios.items():
        mean = math.exp(sum(map(math.log, list_)) / len(list_))
        print(f"{core}: geometric mean of the ratios {mean:.2f}, lowest {min(list_):.2f}")


if __name__ == "__main__":
    main()
