#!/usr/bin/env python3
"""Runs that are made elsewhere: the script for Slurm works on all runs and the merged store equals an undisturbed one,
also after a task that is started twice. Tables go to Parquet and back, if pyarrow is there ($SIXER_PYTHON)."""

import os
import pathlib
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import SIXER, Program  # noqa: E402

PYTHON = os.environ.get("SIXER_PYTHON", sys.executable)
EXPERIMENT = """
protocol = "sixer-levels"
games = ["duskrain"]
trials = 2
frames = "2k"
evaluation = 1
[agent.random]
[agent.ram]
agent = "sarsa"
features = "ram"
"""


def rows(path):
    with sqlite3.connect(path) as db:
        query = (
            "SELECT r.key, r.state, r.score, e.phase, e.number, e.frames, e.score, e.total_frames, e.end "
            "FROM episodes e JOIN runs r ON r.id = e.run_id ORDER BY 1, 4, 5"
        )
        return list(db.execute(query))


def test_slurm(p, expected):
    p.expect("one run", p.run("lab", "run", "small.toml", "--store", "far.db", "--only", 1, "--quiet"), 0)
    p.expect("script", p.run("lab", "script", "far.db", "--slurm", "-o", "job.sh"), 0)
    text = p.path("job.sh").read_text()
    p.check("#SBATCH --array=0-2" in text, f"script: {text}")
    environment = {**p.environment, "PATH": f"{pathlib.Path(SIXER).parent}:{p.environment['PATH']}"}
    for task in (0, 1, 1, 2):  # one task is requeued
        task_environment = {**environment, "SLURM_ARRAY_TASK_ID": str(task)}
        command = ["bash", "job.sh"]
        result = subprocess.run(command, cwd=p.folder, env=task_environment, capture_output=True, text=True)
        p.expect(f"task {task}", result, 0)
    pieces = sorted(p.path("far.db.pieces").glob("*.db"))
    p.expect("merge", p.run("lab", "merge", "far.db", *pieces), 0)
    p.check(rows(p.path("far.db")) == expected, "the merged store differs")
    p.expect("nothing to do", p.run("lab", "script", "far.db", "--slurm"), 1, "no waiting runs")


def test_parquet(p, expected):
    def tables(*arguments):
        command = [PYTHON, "-m", "sixer.lab_tables", *arguments]
        return subprocess.run(command, cwd=p.folder, env=p.environment, capture_output=True, text=True)

    if subprocess.run([PYTHON, "-c", "import pyarrow"], capture_output=True).returncode:
        print("not tried: Parquet, pyarrow is not installed")
        p.expect("no pyarrow", tables("export", "calm.db", "tables"), 1, "pip install pyarrow")
        return
    p.expect("export", tables("export", "calm.db", "tables"), 0)
    p.expect("import", tables("import", "back.db", "tables"), 0)
    p.check(rows(p.path("back.db")) == expected, "the store differs after Parquet")
    p.expect("no store", tables("export", "none.db", "tables"), 1, "no such store")
    p.path("tables/runs.parquet").write_bytes(b"nonsense")
    p.expect("damaged", tables("import", "other.db", "tables"), 1, "sixer lab:")


def main():
    package = pathlib.Path(SIXER).parent / "python"
    with Program(PYTHONPATH=str(package), SIXER_PROGRAM=SIXER) as p:
        p.path("small.toml").write_text(EXPERIMENT)
        p.expect("calm", p.run("lab", "run", "small.toml", "--store", "calm.db", "--quiet"), 0, "4 of 4 runs")
        expected = rows(p.path("calm.db"))
        p.check(len(expected) > 8, f"{len(expected)} episodes")
        test_slurm(p, expected)
        if package.joinpath("sixer").exists():
            test_parquet(p, expected)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
