#!/usr/bin/env python3
"""Frames per second of the npm package in Node beside native ale-py, in one run.

Each frame is stepped with a random minimal action, drawn, and copied out as palette bytes. Both sides play in turns,
and times are processor time of the whole process, summed over all turns, so that other programs on the machine do not
count.

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
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--frames", type=int, default=1000)
    options = parser.parse_args()

    ratios = []
    node = Node(options.package)
    print(f"{'game':<18}{'wasm':>10}{'ale-py':>10}{'ratio':>8}")
    for game in options.games:
        path = image_of(game)
        reference = Reference(path)
        node.ask("open", path)
        node.ask("play", 3000)  # so that the compiler of the browser has seen it
        reference.play(300)
        wasm = ale = 0.0
        for _ in range(options.rounds):
            seconds = node.ask("play", options.frames)
            assert isinstance(seconds, (int, float))
            wasm += seconds
            ale += reference.play(options.frames)
        frames = options.rounds * options.frames
        ratio = ale / wasm
        ratios.append(ratio)
        print(f"{game:<18}{frames / wasm:>10,.0f}{frames / ale:>10,.0f}{ratio:>8.2f}", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean of the ratios: {mean:.2f}, lowest {min(ratios):.2f}")


if __name__ == "__main__":
    main()
