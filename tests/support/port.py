"""Compare a build for another machine with the one of this machine: everything that both write must be the same bytes.

  port.py --native build/release/sixer --port build/s390x/run-sixer --cores interp,plain --work FOLDER [PART...]

Parts: traces, tapes, checkpoints, plans, data; all of them without a name. A part prints what it compared and exits
with 1 at the end if anything differed. Games of ale-py are those of an installed package; without it only our own are
played, and that is said.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWN = sorted(path.stem for path in (ROOT / "roms").glob("*.bin"))
TRACE = ["--hold", "3", "--save-restore", "97", "--columns", "rgb,gray,sound", "--every", "5"]
# small networks and memories, but every part of a learner
DEEP = "memory=300,start=40,period=1,batch=4,target_period=20,trunk=quick,size=20,hidden=16"
QUANTILES = ",taus=4,target_taus=3,choice_taus=5,cosines=16"
SCREENS = ",background_screens=100"
LEARNERS = [
    ("sarsa", "features=blob-prost", 1500),
    ("sarsa", "features=b-prost" + SCREENS, 600),
    ("sarsa", "features=bass" + SCREENS, 600),
    ("sarsa", "features=disco,disco_screens=300" + SCREENS, 600),
    ("sarsa", "features=lsh", 600),
    ("sarsa", "features=ram", 1500),
    ("sarsa", "features=ram,traces=accumulating", 600),
    ("brute", "", 3000),
    ("dqn", DEEP, 600),
    ("rainbow", DEEP, 600),
    ("rainbow-iqn", DEEP + QUANTILES, 600),
    ("pqn", "envs=8,rollout=4,epochs=2,batch=8,trunk=quick,size=20,hidden=16", 1200),
]
PLANNERS = ["uct", "iw1", "p-iw1", "2bfs", "rollout-iw1", "full-tree"]


def ale_games() -> list[str]:
    """The games that both ale-py and sixer have, by name."""
    for folder in [ROOT / ".venv", Path(sys.prefix)]:
        for roms in folder.glob("lib/python3*/site-packages/ale_py/roms"):
            return sorted(path.stem for path in roms.glob("*.bin"))
    spec = importlib.util.find_spec("ale_py")
    if spec and spec.origin:
        return sorted(path.stem for path in (Path(spec.origin).parent / "roms").glob("*.bin"))
    return []


class Port:
    def __init__(self, args: argparse.Namespace) -> None:
        self.native, self.port = str(Path(args.native).resolve()), str(Path(args.port).resolve())
        self.cores = args.cores.split(",")
        self.work = Path(args.work).resolve()
        self.steps = args.steps
        self.wrong = self.moved = 0
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        games = ale_games()
        if not games:
            print("ale-py is not installed: only our own games are compared")
        self.only = re.compile(args.only)
        self.games = [game for game in OWN + games if self.only.search(game)]

    def run(self, program: str, *arguments: object, core: str | None = None) -> str:
        environment = {name: value for name, value in os.environ.items() if name != "SIXER_CORE"}
        if core:
            environment["SIXER_CORE"] = core
        command = [program, *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)
        if result.returncode:
            raise RuntimeError(f"{' '.join(command)}: exit status {result.returncode}: {result.stderr.strip()[-400:]}")
        return result.stdout

    def expect(self, what: str, good: bool) -> None:
        if not good:
            self.wrong += 1
            print(f"DIFFERENT: {what}", flush=True)

    def expect_files(self, what: str, first: Path, second: Path) -> None:
        a, b = first.read_bytes(), second.read_bytes()
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        self.expect(f"{what}: {first.name} ({len(a)} and {len(b)} bytes, from byte {at})", a == b)

    # ---- parts

    def traces(self) -> None:
        count = 0
        for game in self.games:
            own = game in OWN
            for core in self.cores:
                steps = self.steps * (5 if own else 1) // (3 if core == "plain" else 1)
                lines = [
                    self.run(program, "trace", game, "--steps", steps, *TRACE, core=which).splitlines()[-1]
                    for program, which in [(self.native, None), (self.port, core)]
                ]
                self.expect(f"trace of {game}, {core}, {steps} steps", lines[0] == lines[1])
                count += 1
        print(f"traces: {len(self.games)} games, cores {', '.join(self.cores)}: {count} compared")

    def tapes(self) -> None:
        games = [g for g in [*OWN, "breakout", "pitfall2", "montezuma_revenge", "warlords"] if g in self.games]
        for game in games:
            tapes = []
            for name, program in [("native", self.native), ("port", self.port)]:
                tape = self.work / name / f"{game}.tape"
                tape.parent.mkdir(exist_ok=True)
                self.run(program, "record", "random", game, "-o", tape, "--steps", 500, "--sticky", 0.25, "--force")
                tapes.append(tape)
            self.expect_files("tape", *tapes)
            self.run(self.port, "replay", tapes[0])
            self.run(self.native, "replay", tapes[1])
        kept = sorted((ROOT / "tests/data/tapes").glob("*.tape"))
        self.run(self.port, "replay", *kept)
        print(f"tapes: {len(games)} recorded and replayed on both sides, {len(kept)} kept ones replayed")

    def train(self, program: str, folder: Path, index: int, frames: int, *more: str) -> None:
        agent, options, _ = LEARNERS[index]
        settings = ["--set", options] if options else []
        self.run(
            program,
            "train",
            agent,
            "duskrain",
            *settings,
            "--frames",
            frames,
            "--max-frames",
            300,  # runs end with an episode
            "--evaluation",
            0,
            "--jobs",
            1,
            "--threads",
            2,
            "--out",
            folder,
            "--label",
            f"l{index}",
            *more,
        )

    def checkpoints(self) -> None:
        compared = 0
        learners = [(i, *learner) for i, learner in enumerate(LEARNERS) if self.only.search(learner[0])]
        for index, agent, options, frames in learners:
            what = f"{agent} {options}"
            folders = [self.work / name / f"train{index}" for name in ("native", "port", "moved")]
            self.train(self.native, folders[0], index, frames)
            self.train(self.port, folders[1], index, frames)
            # half of a run here and the rest there is the same run
            self.train(self.native, folders[2], index, frames // 2)
            self.train(self.port, folders[2], index, frames, "--resume")
            for first in sorted(folders[0].rglob("*")):
                if first.suffix not in (".checkpoint", ".csv", ".tsv", ".jsonl"):
                    continue
                for other in folders[1:]:
                    second = other / first.relative_to(folders[0])
                    if first.suffix == ".checkpoint":
                        self.expect_files(f"checkpoint of {what} ({other.parent.name})", first, second)
                        compared += 1
            if "trunk" in options:
                for form in ("npz", "safetensors"):
                    files = []
                    for program, folder in [(self.native, folders[0]), (self.port, folders[1])]:
                        file = folder / f"network.{form}"
                        model = next(folder.glob("*.checkpoint"))
                        self.run(program, "model", "export", model, "-o", file)
                        self.run(program, "model", "import", model, file, "-o", folder / f"{form}.checkpoint")
                        files.append(file)
                    self.expect_files(f"network of {what}", *files)
                    self.expect_files(
                        f"imported network of {what}",
                        folders[0] / f"{form}.checkpoint",
                        folders[1] / f"{form}.checkpoint",
                    )
                    compared += 2
        print(
            f"checkpoints: {len(learners)} learners, trained there and moved there halfway: {compared} files compared"
        )

    def plans(self) -> None:
        """Plans here and there; and a plan that is interrupted here is continued there, from its checkpoint, as if
        nothing had happened. Checkpoints of planners hold times, so their bytes differ from run to run on one machine
        too."""
        planners = [agent for agent in PLANNERS if self.only.search(agent)]
        for agent in planners:
            results = []
            for kind in ("native", "port", "moved"):
                folder = self.work / "plans" / kind
                folder.mkdir(parents=True, exist_ok=True)
                command = [
                    "plan",
                    agent,
                    "duskrain",
                    "--out",
                    folder,
                    "--frames",
                    120,
                    "--max-frames",
                    300,
                    "--jobs",
                    1,
                ]
                if kind == "moved":
                    begun = subprocess.Popen(
                        [self.native, *map(str, command)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
                    )
                    time.sleep(0.2)
                    begun.send_signal(signal.SIGINT)
                    begun.wait()
                    if not list(folder.glob(f"{agent}*.tape")):
                        self.moved += 1
                self.run(self.native if kind == "native" else self.port, *command)
                results.append({p.name: p.read_bytes() for p in sorted(folder.glob(f"{agent}*.tape"))})
            self.expect(f"tape of {agent}", bool(results[0]) and results[0] == results[1])
            self.expect(f"tape of {agent}, continued elsewhere", results[0] == results[2])
        print(f"plans: {len(planners)} planners; {self.moved} moved in the middle")

    def data(self) -> None:
        """Observations as arrays."""
        tape = self.work / "data.tape"
        self.run(self.native, "record", "random", "duskrain", "-o", tape, "--steps", 300, "--sticky", 0.25)
        folders = [self.work / "data" / name for name in ("native", "port")]
        (self.work / "data").mkdir()
        for program, folder in zip((self.native, self.port), folders):
            self.run(program, "replay", tape, "--export", folder, "--observations", "screen,rgb,gray,ram")
        files = sorted(folders[0].glob("*"))
        for file in files:
            self.expect_files("array", file, folders[1] / file.name)
        print(f"data: {len(files)} files of arrays")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--native", required=True)
    parser.add_argument("--port", required=True)
    parser.add_argument("--cores", default="interp,plain")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--only", default="", help="games and agents whose names match this expression")
    parser.add_argument("--work", required=True)
    parser.add_argument("parts", nargs="*")
    args = parser.parse_args()
    port = Port(args)
    for part in args.parts or ["traces", "tapes", "checkpoints", "plans", "data"]:
        getattr(port, part)()
    sys.exit(1 if port.wrong else 0)


if __name__ == "__main__":
    main()
