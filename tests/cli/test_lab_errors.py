#!/usr/bin/env python3
"""Experiments and stores that are wrong, full disks, read-only folders, locked and foreign stores: an error that says
what to do, and nothing that was stored is lost."""

import os
import pathlib
import resource
import shutil
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import Program  # noqa: E402

GOOD = 'protocol = "sixer-levels"\ngames = ["duskrain"]\nframes = 500\nevaluation = 1\n[agent.random]\n'


def test_experiments(p):
    for text, *words in (
        ("", "name the protocol"),
        ('protocol = "sixer-levls"\n[agent.random]\n', ":1:", "built in are"),
        ('protocol = "sixer-levels"\n', "names no agent"),
        (GOOD + "[agent.randmo]\n", ":6:", "did you mean 'random'"),
        (GOOD + "[agent.sarsa]\nalhpa = 0.5\n", ":6:", "did you mean 'alpha'"),
        (GOOD + "[budget.randon]\nframes = 5\n", ":6:", "did you mean 'budget.random'"),
        (GOOD + "[budget.random]\nframse = 5\n", ":7:", "did you mean 'frames'"),
        (GOOD.replace("frames = 500", "farmes = 500"), ":3:", "did you mean 'frames'"),
        (GOOD.replace("frames = 500", "frames = 0.5"), ":3:", "whole number", "found 0.5"),
        (GOOD.replace("duskrain", "duskrian"), ":2:", "did you mean 'duskrain'"),
        (GOOD.replace('"duskrain"', '"duskrain", "duskrain"'), ":2:", "given twice"),
        (GOOD.replace('"duskrain"', ", ".join(f'"/{i}"' for i in range(6000))), ":2:", "6000 games; at most 5000"),
        (GOOD + "[sweep.random]\nseed = 3\n", ":7:", "an array of values"),
        (GOOD + '[agent.sarsa]\n[sweep.sarsa]\nalpha = "0.1..1 log"\n', ":8:", "samples"),
        (GOOD + '[agent.sarsa]\n[sweep.sarsa]\nalpha = "1..0.1"\nsamples = 2\n', ":8:", "range"),
        (GOOD + "[agent.sarsa]\nalpha = [1, 2]\n", ":7:", "[sweep.NAME]"),
        (GOOD + "[agent.random\n", ":6:"),
    ):
        p.path("bad.toml").write_text(text)
        p.expect(repr(text[-40:]), p.run("lab", "run", "bad.toml"), 2, "bad.toml", *words)
        p.check(not p.path("bad.db").exists(), f"{text!r} left a store")
    p.expect("no file", p.run("lab", "run", "none.toml"), 1, "none.toml")
    p.expect("word", p.run("lab", "rnu", "x.toml"), 2, "did you mean 'run'")


def test_missing_image(p):
    text = GOOD.replace('"duskrain"', '"duskrain", "pong"')
    p.path("gap.toml").write_text(text)
    p.expect("gap", p.run("lab", "run", "gap.toml"), 1, "1 of 2 runs are done", "Pong", "sixer roms import")
    p.expect("status", p.run("lab", "status", "gap.db"), 0, "without an image", "missing")


def test_samples(p):
    p.path("draw.toml").write_text(
        GOOD + '[agent.sarsa]\nfeatures = "ram"\n'
        '[sweep.sarsa]\nalpha = "0.01..1 log"\nlambda = [0.5, 0.9]\nsamples = 3\n'
    )
    p.expect("samples", p.run("lab", "run", "draw.toml", "--quiet"), 0, "4 of 4 runs")
    with sqlite3.connect(p.path("draw.db")) as db:
        settings = {row[0] for row in db.execute("SELECT options FROM runs WHERE agent = 'sarsa'")}
    p.check(len(settings) == 3, f"samples: {settings}")
    p.expect("again", p.run("lab", "run", "draw.toml"), 0, "0 of them new")


def test_failure(p):
    """A run that fails keeps its error; the others go on; retry works on it again."""
    p.path("fail.toml").write_text(GOOD + "[agent.scripted]\n")
    shutil.copy(p.path("calm.db"), p.path("fail.db"))
    with sqlite3.connect(p.path("fail.db")) as db:
        db.execute("UPDATE runs SET state = 'waiting', agent = 'nobody'")
    result = p.run("lab", "run", "fail.toml", "--store", "fail.db")
    p.expect("failure", result, 1, "1 run failed", "there is no agent 'nobody'", "1 of 2 runs are done", "lab retry")
    p.expect("status", p.run("lab", "status", "fail.db"), 0, "failed", "nobody")
    with sqlite3.connect(p.path("fail.db")) as db:
        db.execute("UPDATE runs SET agent = 'random' WHERE agent = 'nobody'")
    p.expect("retry", p.run("lab", "retry", "fail.db", "--fresh"), 0, "1 run wait again")
    p.expect("resume", p.run("lab", "resume", "fail.db"), 0, "2 of 2 runs")


def test_stores(p):
    p.expect("no store", p.run("lab", "resume", "none.db"), 1, "there is no store 'none.db'")
    p.path("text.db").write_text("not a store\n" * 100)
    p.expect("text", p.run("lab", "status", "text.db"), 1, "not a SQLite file")
    with sqlite3.connect(p.path("foreign.db")) as db:
        db.execute("CREATE TABLE other (x)")
    p.expect("foreign", p.run("lab", "run", "good.toml", "--store", "foreign.db"), 1, "not a store of sixer")
    shutil.copy(p.path("calm.db"), p.path("newer.db"))
    with sqlite3.connect(p.path("newer.db")) as db:
        db.execute("PRAGMA user_version = 99")
    for word in ("status", "resume", "retry"):
        p.expect(f"newer {word}", p.run("lab", word, "newer.db"), 1, "version 99", "newer sixer")
    p.expect("itself", p.run("lab", "merge", "calm.db", "./calm.db"), 2, "itself")
    cut = p.path("calm.db").read_bytes()[:9000]
    p.path("cut.db").write_bytes(cut)
    p.expect("cut off", p.run("lab", "resume", "cut.db"), 1, "cut.db")


def test_locked(p):
    shutil.copy(p.path("calm.db"), p.path("locked.db"))
    db = sqlite3.connect(p.path("locked.db"), isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    p.expect("reading", p.run("lab", "status", "locked.db"), 0, "done")
    p.expect("locked", p.run("lab", "retry", "locked.db"), 1, "is locked")
    db.execute("ROLLBACK")
    p.expect("free", p.run("lab", "retry", "locked.db"), 0)


def test_full_disk(p):
    """A limit on file sizes acts like a full disk: the store stays whole, and the work goes on when there is room."""
    text = GOOD.replace("frames = 500", "frames = 40_000").replace("evaluation = 1", "evaluation = 0")
    p.path("full.toml").write_text(text)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (90_000, 90_000))

    result = p.run("lab", "run", "full.toml", preexec_fn=limit)
    p.check(result.returncode == 1, f"full disk: {result.returncode} {result.stderr[-300:]}")
    p.check("full.db" in result.stderr or "full.runs" in result.stderr, f"full disk: {result.stderr[-300:]}")
    with sqlite3.connect(p.path("full.db")) as db:
        p.check(db.execute("PRAGMA integrity_check").fetchone() == ("ok",), "full disk: damaged")
    p.run("lab", "retry", "full.db")
    p.expect("room again", p.run("lab", "run", "full.toml"), 0, "1 of 1 runs")


def test_read_only(p):
    if os.geteuid() == 0:
        return  # root may write everywhere
    folder = p.path("fixed")
    folder.mkdir()
    shutil.copy(p.path("calm.db"), folder / "calm.db")
    folder.chmod(0o555)
    p.expect("read", p.run("lab", "status", "fixed/calm.db"), 0, "done")
    p.expect("write", p.run("lab", "resume", "fixed/calm.db"), 1, "fixed/calm.db")
    p.expect("create", p.run("lab", "run", "good.toml", "--store", "fixed/new.db"), 1, "fixed/new.db")
    folder.chmod(0o755)


def test_import(p):
    p.expect("export", p.run("lab", "export", "calm.db", "-o", "tables"), 0)
    runs = p.path("tables/runs.csv")
    good = runs.read_text()
    for text, *words in (
        ("", "columns are missing"),
        (good.replace("label", "lable", 1), "a column that the table does not have"),
        (good.replace(",done,", ",asleep,", 1), ":2:", "does not fit"),
        (good.rsplit(",", 1)[0] + "\n", ":2:", "number of fields"),
    ):
        runs.write_text(text)
        p.expect("import", p.run("lab", "import", "imported.db", "tables"), 1, "runs.csv", *words)
    runs.unlink()
    p.expect("import", p.run("lab", "import", "imported.db", "tables"), 1, "neither runs.csv nor runs.jsonl")
    with sqlite3.connect(p.path("imported.db")) as db:
        p.check(db.execute("SELECT COUNT(*) FROM runs").fetchone() == (0,), "import: rows of a bad folder")


def main():
    with Program(PATH="/nowhere") as p:
        p.path("good.toml").write_text(GOOD)
        p.expect("good", p.run("lab", "run", "good.toml", "--store", "calm.db"), 0, "1 of 1 runs are done")
        with sqlite3.connect(p.path("calm.db")) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for test in (
            test_experiments,
            test_missing_image,
            test_samples,
            test_failure,
            test_stores,
            test_locked,
            test_full_disk,
            test_read_only,
            test_import,
        ):
            test(p)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
