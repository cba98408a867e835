#!/usr/bin/env python3
# label: long, 24 s
"""Experiments that survive: `sixer lab run` is killed at random moments twenty times, and the finished store equals an
undisturbed one, episode for episode. Two programs share a store. Export, import, split and merge keep every row."""

import gzip
import json
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import SIXER, Program  # noqa: E402

KILLS = 20
EXPERIMENT = """
name = "small"
protocol = "sixer-levels"
games = ["duskrain", "afterglow"]
trials = 2
frames = "3k"
evaluation = 1
[agent.random]
[agent.ram]
agent = "sarsa"
features = "ram"
[sweep.ram]
alpha = [0.1, 0.5]
[agent.tree]
agent = "full-tree"
frames = 80
[budget.tree]
games = ["duskrain"]
frames = 800
trials = 1
[agent.dqn]
preset = "quick"
start = 100
[budget.dqn]
games = ["duskrain"]
frames = 1000
trials = 1
"""
RUN_COLUMNS = (
    "key, label, agent, options, game, rom, seed, behavior, state, frames, steps, episodes, mean, best, evaluated, "
    "evaluation_frames, evaluation_mean, score, share"
)


def content(path):
    """All results of a store: everything but times, owners and attempts."""
    with sqlite3.connect(path) as db:
        tables = {"runs": db.execute(f"SELECT {RUN_COLUMNS} FROM runs ORDER BY key").fetchall()}
        for table in ("episodes", "curve", "scores"):
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[1] != "run_id"]
            names = ", ".join(f't."{name}"' for name in columns)
            tables[table] = db.execute(
                f"SELECT r.key, {names} FROM {table} t JOIN runs r ON r.id = t.run_id ORDER BY r.key, {names}"
            ).fetchall()
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert not db.execute("PRAGMA foreign_key_check").fetchall()
    return tables


def compare(p, what, path, expected):
    found = content(path)
    for table, rows in expected.items():
        p.check(found[table] == rows, f"{what}: {table} differ: {len(found[table])} rows, {len(rows)} expected")


def start(p, *arguments):
    return subprocess.Popen(
        [SIXER, "lab", *map(str, arguments)],
        cwd=p.folder,
        env=p.environment,
        stdout=subprocess.DEVNULL,
        stderr=open(p.path("log"), "w"),
    )


def test_killed(p, expected):
    draw = random.Random(24)
    kills = 0
    for attempt in range(200):
        result = p.run("lab", "status", "killed.db", "--json")
        begun = result.returncode == 0 and json.loads(result.stdout)["runs"]  # else it was killed while it added them
        arguments = ("resume", "killed.db") if begun and attempt % 2 else ("run", "small.toml", "--store", "killed.db")
        process = start(p, *arguments, "--jobs", 2, "--checkpoint-every", 0.05)
        # the first kills come while the store is made; later ones wait longer, so that the experiment ends
        try:
            process.wait(draw.uniform(0.01, 0.3 + 0.05 * attempt) if kills < KILLS else 300)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL if attempt % 4 else signal.SIGTERM)
            process.wait()
            kills += 1
            continue
        p.check(process.returncode == 0, f"attempt {attempt}: {p.path('log').read_text()[-500:]}")
        if kills >= KILLS or process.returncode:
            break
        # finished before the last kill: once more from the start
        compare(p, "killed", p.path("killed.db"), expected)
        for path in p.folder.glob("killed.*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    p.check(kills >= KILLS, f"only {kills} kills")
    compare(p, f"after {kills} kills", p.path("killed.db"), expected)


def test_shared(p, expected):
    """Two programs on one store: every run is worked on once."""
    first = start(p, "run", "small.toml", "--store", "shared.db", "--jobs", 1)
    while not p.path("shared.db").exists():
        time.sleep(0.01)
    second = start(p, "run", "small.toml", "--store", "shared.db", "--jobs", 1)
    p.check(first.wait(300) == 0 and second.wait(300) == 0, "two programs")
    compare(p, "shared", p.path("shared.db"), expected)
    with sqlite3.connect(p.path("shared.db")) as db:
        attempts = db.execute("SELECT DISTINCT attempts FROM runs").fetchall()
    p.check(attempts == [(1,)], f"shared: attempts {attempts}")


def test_exchange(p, expected):
    for form, options in (("csv", ()), ("json", ("--json",))):
        p.expect("export", p.run("lab", "export", "calm.db", "-o", form, *options), 0)
        p.expect("import", p.run("lab", "import", f"{form}.db", form), 0, "0 replaced")
        compare(p, form, p.path(f"{form}.db"), expected)
        p.expect("twice", p.run("lab", "import", f"{form}.db", form), 0, "0 runs added, 0 replaced")
        # the same tables compressed, and with one of them cut off
        for path in sorted(p.path(form).glob("*.*")):
            if path.suffix in (".csv", ".jsonl"):
                path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
                path.rename(path.with_name(path.name + ".kept"))
        p.expect("compressed", p.run("lab", "import", f"{form}-gz.db", form), 0, "0 replaced")
        compare(p, f"{form}, compressed", p.path(f"{form}-gz.db"), expected)
        cut = next(p.path(form).glob("episodes.*.gz"))
        cut.write_bytes(cut.read_bytes()[:-20])
        p.expect("cut off", p.run("lab", "import", f"{form}-cut.db", form), 1, cut.name)
        # one value that inflates to 20 MB
        cut.write_bytes(gzip.compress(b'"' + b"a" * (20 << 20)))
        p.expect("too long", p.run("lab", "import", f"{form}-long.db", form), 1, "too long")
    head, *rows = p.path("csv/scores.tsv").read_text().splitlines()
    p.check(head.startswith("agent\tgame\trun\tframes\tscore\t"), f"scores.tsv: {head}")
    p.check(len(rows) == len(expected["scores"]), f"scores.tsv: {len(rows)} rows")
    result = p.run("eval", "csv/evaluation.tsv", "--protocol", "sixer-levels", "--partial", "--json")
    p.expect("eval", result, 0, "random")
    # a run that goes elsewhere and comes back
    p.expect("new", p.run("lab", "run", "small.toml", "--store", "home.db", "--only", 1, "--quiet"), 0)
    p.expect("split", p.run("lab", "split", "home.db", 2, "-o", "away/piece.db"), 1, "cannot be opened")
    p.path("away").mkdir()
    p.expect("split", p.run("lab", "split", "home.db", 2, "-o", "away/piece.db"), 0)
    p.expect("split twice", p.run("lab", "split", "home.db", 2, "-o", "away/other.db"), 2, "not waiting")
    p.expect("piece", p.run("lab", "resume", "away/piece.db", "--quiet"), 0)
    p.expect("others", p.run("lab", "resume", "home.db", "--quiet"), 0, "13 of 14 runs")
    p.expect("merge", p.run("lab", "merge", "home.db", "away/piece.db"), 0, "1 replaced")
    compare(p, "merged", p.path("home.db"), expected)
    p.check(list(p.path("home.runs").glob("*.checkpoint")), "merged: no files")
    result = p.run("lab", "script", "json.db", "--slurm")
    p.expect("nothing to do", result, 1, "no waiting runs")


def test_without_checkpoints(p, expected):
    """A store that was kept without its checkpoints, as make_lab keeps one: unfinished runs start anew, and
    the rows that are there neither stay nor end the work."""
    p.expect("export", p.run("lab", "export", "calm.db", "-o", "kept"), 0)
    p.path("elsewhere").mkdir()
    p.expect("import", p.run("lab", "import", "elsewhere/kept.db", "kept"), 0)
    with sqlite3.connect(p.path("elsewhere/kept.db")) as db:
        db.execute("UPDATE runs SET state = 'waiting', attempts = 0 WHERE agent = 'sarsa'")
        db.execute("UPDATE episodes SET score = score + 1 WHERE run_id IN (SELECT id FROM runs WHERE agent = 'sarsa')")
    result = p.run("lab", "resume", "elsewhere/kept.db", "--jobs", "1", "--checkpoint-every", "0.01")
    p.expect("resume", result, 0)
    compare(p, "without checkpoints", p.path("elsewhere/kept.db"), expected)
    with sqlite3.connect(p.path("elsewhere/kept.db")) as db:
        attempts = db.execute("SELECT DISTINCT attempts FROM runs WHERE agent = 'sarsa'").fetchall()
    p.check(attempts == [(1,)], f"without checkpoints: attempts {attempts}")


def test_status(p):
    status = json.loads(p.expect("status", p.run("lab", "status", "calm.db", "--json"), 0).stdout)
    p.check(status["done"] == status["runs"] == len(status["table"]), f"status: {status}")
    p.expect("films", p.run("lab", "films", "calm.db", "-o", "films", "--episodes", 1), 0, "films/duskrain.gif")
    p.expect("film's tape", p.run("replay", "films/afterglow.tape"), 0, "verified")


def main():
    with Program() as p:
        p.path("small.toml").write_text(EXPERIMENT)
        p.expect("run", p.run("lab", "run", "small.toml", "--store", "calm.db", timeout=300), 0, "14 of 14 runs")
        expected = content(p.path("calm.db"))
        p.check(len(expected["episodes"]) > 25, f"{len(expected['episodes'])} episodes")
        test_status(p)
        test_shared(p, expected)
        test_exchange(p, expected)
        test_without_checkpoints(p, expected)
        test_killed(p, expected)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
