#!/usr/bin/env python3
# label: whole
"""An experiment on a local Ray cluster of three workers, one of which is killed in the middle: the store has the rows
of an experiment without Ray. Slices are short, so that runs come back and go on from their checkpoints. Needs an
interpreter that has Ray: this one, or $SIXER_PYTHON."""

import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import SIXER, Program  # noqa: E402

PYTHON = os.environ.get("SIXER_PYTHON", sys.executable)
PACKAGE = pathlib.Path(SIXER).parent / "python"
EXPERIMENT = """
protocol = "sixer-levels"
games = ["duskrain"]
trials = 3
frames = "30k"
evaluation = 1
[agent.ram]
agent = "sarsa"
features = "ram"
[agent.broken]
command = "no-such-program"
[budget.broken]
trials = 1
"""


def rows(path):
    with sqlite3.connect(path) as db:
        query = (
            "SELECT r.label, r.seed, e.phase, e.number, e.frames, e.score, e.level, e.end FROM episodes e "
            "JOIN runs r ON r.id = e.run_id ORDER BY 1, 2, 3, 4"
        )
        return list(db.execute(query))


def states(path):
    with sqlite3.connect(path) as db:
        return sorted(db.execute("SELECT label, seed, state FROM runs"))


def workers():
    """Numbers of Ray's processes that work on a run: the parents of `sixer lab resume piece.db`."""
    found = set()
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if b"piece.db" in words and words[0] == SIXER.encode():
                found.add(int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]))
        except (OSError, ValueError):
            continue
    return found


def main():
    if subprocess.run([PYTHON, "-c", "import ray, numpy"], capture_output=True).returncode:
        print("SKIPPED: Ray is not installed (pip install ray; $SIXER_PYTHON names another interpreter)")
        return 77
    with Program(PYTHONPATH=str(PACKAGE), SIXER_PYTHON=PYTHON, RAY_DISABLE_IMPORT_WARNING="1") as p:
        for name in ("alone", "spread"):
            p.path(f"{name}.toml").write_text(EXPERIMENT)
        p.expect("alone", p.run("lab", "run", "alone.toml", timeout=300), 1, "3 of 4 runs are done")
        # add the runs without working on them: a cluster that does not exist
        result = p.run("lab", "run", "spread.toml", "--ray", "127.0.0.1:1", timeout=100)
        p.expect("no cluster", result, 1, "is not reached")
        command = [PYTHON, "-m", "sixer.lab_ray", "spread.db", "--processors", "3", "--slice", "2"]
        environment = {**p.environment, "SIXER_PROGRAM": SIXER}
        process = subprocess.Popen(
            command, cwd=p.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        end = time.time() + 90
        while len(workers()) < 2 and time.time() < end and process.poll() is None:
            time.sleep(0.05)
        victims = workers()
        p.check(len(victims) >= 2, f"{len(victims)} workers are at work")
        time.sleep(0.3)
        victim = next(iter(victims & workers()), None)
        if p.check(victim is not None, "no worker to kill"):
            os.kill(victim, signal.SIGKILL)
        output = process.communicate(timeout=200)[0]
        p.check("3 runs done, 1 failed" in output, f"ray: {output}")
        p.check(rows(p.path("alone.db")) == rows(p.path("spread.db")), "rows differ")
        p.check(states(p.path("alone.db")) == states(p.path("spread.db")), f"states: {states(p.path('spread.db'))}")
        p.check(not p.path("spread.db.ray").exists(), "pieces are left")
        result = p.run("lab", "resume", "spread.db", "--ray", timeout=300)
        p.expect("nothing to do", result, 0, "0 runs done, 0 failed")
        print(output)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
