"""Digests of play by several players: tests/golden/players.tsv was recorded from multi-agent-ale-py 0.1.12, and
sixer.multi must give the same.

    tests/players.py                   compare sixer.multi with the recorded digests
    tests/players.py --every 5         with every fifth row
    tests/players.py --make            record them (in an environment with multi-agent-ale-py)
    tests/players.py --live            play both side by side instead, and compare after every act

A row is one run: load the image, choose mode and difficulty, reset, then acts with random joint actions, and perhaps
random bytes poked into the memory that the rules read. After every act memory, rewards, lives, end and both frame
counters go into the digest, after every tenth the screen. An episode that is over goes on for some acts, which must do
nothing, and is then reset. Random numbers are those of a generator of our own, so that every Python gives the same.

Images come from an installed ale_py; rows of images that are missing are skipped.
"""

from __future__ import annotations

import argparse
import re
import sys
import zlib
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests/golden/players.tsv"

GAMES = (
    "backgammon boxing combat double_dunk entombed fishing_derby flag_capture ice_hockey joust mario_bros maze_craze "
    "othello pong space_invaders space_war surround tennis video_checkers warlords wizard_of_wor"
).split()


class Row(NamedTuple):
    game: str
    mode: int
    seed: int
    sticky: float
    skip: int
    turn: int  # max_turn_time
    limit: int  # max_num_frames_per_episode
    difficulty: int  # -1: as at power-on
    poke: int  # bytes poked in a hundred acts
    acts: int

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in zip(self._fields[1:], self[1:], strict=True))


class Random:
    """A linear congruential generator."""

    def __init__(self, seed: int) -> None:
        self.state = seed & 0xFFFFFFFF

    def below(self, bound: int) -> int:
        self.state = (self.state * 1664525 + 1013904223) & 0xFFFFFFFF
        return (self.state >> 8) % bound


def read_addresses(game: str) -> list[int]:
    """The bytes of memory that the definition of a game reads, as offsets."""
    text = (ROOT / "games" / f"{game}.game").read_text()
    return sorted({int(found, 16) & 0x7F for found in re.findall(r"\b0x([89A-F][0-9A-F])\b", text)})


def plan(interface: Any, folder: Path) -> list[Row]:
    """The rows to record: every mode once, and of each game three longer runs with everything varied."""
    rows = []
    for game in GAMES:
        ale = interface()
        ale.loadROM(str(folder / f"{game}.bin"))
        modes = [[int(mode) for mode in ale.getAvailableModes(players)] for players in (1, 2, 4)]
        difficulties = [int(difficulty) for difficulty in ale.getAvailableDifficulties()]
        for mode in sum(modes, []):
            rows.append(Row(game, mode, 1 + mode, 0.25, 1, -1, 0, -1, 0, 40))
        several = modes[1] + modes[2]
        for i in range(3):
            mode = several[(7 * i * i) % len(several)] if i < 2 else (modes[2] or modes[1])[0]
            number = GAMES.index(game) * 3 + i
            rows.append(
                Row(
                    game,
                    mode,
                    1000 + number if i else -5 - number,
                    (0.0, 0.25, 0.7)[i],
                    (1, 3, 2)[i],
                    (-1, 25, 0)[number % 3],
                    (0, 0, 400)[i],
                    difficulties[number % len(difficulties)],
                    (0, 15, 30)[i],
                    (500, 300, 400)[i],
                )
            )
    return rows


class Run:
    """One run of a row on one interface."""

    def __init__(self, interface: Any, folder: Path, row: Row) -> None:
        self.ale, self.row, self.digest, self.done = interface(), row, 0, 0
        self.random = Random(row.seed * 7919 + row.mode * 104729 + row.acts)
        self.addresses = read_addresses(row.game)
        ale = self.ale
        ale.setInt(b"random_seed", row.seed)
        ale.setFloat(b"repeat_action_probability", row.sticky)
        ale.setInt(b"frame_skip", row.skip)
        ale.setInt(b"max_turn_time", row.turn)
        ale.setInt(b"max_num_frames_per_episode", row.limit)
        ale.loadROM(str(folder / f"{row.game}.bin"))
        self.add([], True)
        if row.difficulty >= 0:
            ale.setDifficulty(row.difficulty)
        ale.setMode(row.mode)
        ale.reset_game()
        self.players = int(ale.numPlayersActive())
        self.add([], True)

    def add(self, rewards: Any, screen: bool) -> None:
        ale = self.ale
        numbers = [int(reward) for reward in rewards] + [int(lives) for lives in ale.allLives()]
        numbers += [int(ale.game_over()), ale.getFrameNumber(), ale.getEpisodeFrameNumber()]
        self.digest = zlib.crc32(repr(numbers).encode(), self.digest)
        self.digest = zlib.crc32(ale.getRAM().tobytes(), self.digest)
        if screen:
            self.digest = zlib.crc32(ale.getScreen().tobytes(), self.digest)

    def act(self) -> None:
        """The next act."""
        random, ale = self.random, self.ale
        if random.below(100) < self.row.poke:
            address = self.addresses[random.below(len(self.addresses))]
            ale.setRAM(address, (0, 255, 0x99, random.below(256))[random.below(4)])
        rewards = ale.act([random.below(18) for _ in range(self.players)])
        self.done += 1
        self.add(rewards, self.done % 10 == 0)
        if ale.game_over() and random.below(4) == 0:
            ale.reset_game()
            self.add([], True)

    def play(self) -> str:
        """All acts; the digest."""
        for _ in range(self.row.acts):
            self.act()
        return f"{self.digest:08x}"


def read_table() -> list[tuple[Row, str]]:
    rows = []
    for line in TABLE.read_text().splitlines():
        if line.startswith("#"):
            continue
        game, options, digest = line.split("\t")
        values = dict(item.split("=") for item in options.split())
        kinds = Row.__annotations__
        row = {name: float(value) if "float" in str(kinds[name]) else int(value) for name, value in values.items()}
        rows.append((Row(game=game, **row), digest))
    return rows


def find_images() -> Path | None:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from sixer import _images

    for folder in _images.folders():
        if all((folder / f"{game}.bin").is_file() for game in GAMES):
            return folder
    return None


def make(folder: Path) -> int:
    import multi_agent_ale_py

    multi_agent_ale_py.ALEInterface.setLoggerMode("error")
    interface = multi_agent_ale_py.ALEInterface
    known = {str(row): digest for row, digest in read_table()} if TABLE.exists() else {}
    with TABLE.open("w") as table:
        print("# game\trun\tdigest of multi-agent-ale-py 0.1.12 (tests/players.py --make)", file=table)
        for row in plan(interface, folder):
            digest = known.get(f"{row.game} {row}") or Run(interface, folder, row).play()
            print(row.game, row, digest, sep="\t", file=table, flush=True)
    return 0


def live(folder: Path, rows: list[Row]) -> int:
    """Both side by side; stops a row at the first act that differs."""
    import multi_agent_ale_py
    import sixer.multi

    multi_agent_ale_py.ALEInterface.setLoggerMode("error")
    wrong = 0
    for row in rows:
        runs = [Run(kind, folder, row) for kind in (multi_agent_ale_py.ALEInterface, sixer.multi.ALEInterface)]
        while runs[0].digest == runs[1].digest and runs[0].done < row.acts:
            for run in runs:
                run.act()
        if runs[0].digest != runs[1].digest:
            wrong += 1
            print(f"{row.game} {row}: differs after act {runs[0].done}")
    print(f"{len(rows)} runs side by side, {wrong} differ")
    return 1 if wrong else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--images")
    options = parser.parse_args(arguments)
    folder = Path(options.images) if options.images else find_images()
    if folder is None:
        print("SKIP: no images of the games for several players (pip install ale-py)")
        return 77
    if options.make:
        return make(folder)
    rows = read_table()[:: options.every]
    if options.live:
        return live(folder, [row for row, _ in rows])
    import sixer.multi

    wrong = 0
    for row, digest in rows:
        found = Run(sixer.multi.ALEInterface, folder, row).play()
        if found != digest:
            wrong += 1
            print(f"{row.game} {row}: {found}, recorded {digest}")
    print(f"{len(rows)} runs, {wrong} differ from multi-agent-ale-py 0.1.12")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
