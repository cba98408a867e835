#!/usr/bin/env python3
"""How long `sixer lab status` and `sixer lab export` take with many runs.

    python3 bench/lab.py [--runs 10000] [--episodes 1000000]

makes a store of that size (one real run, copied with other seeds and with drawn episodes) and prints seconds."""

import argparse
import os
import pathlib
import random
import sqlite3
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SIXER = str(pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build" / "release")) / "sixer")
EXPERIMENT = 'protocol = "sixer-levels"\ngames = ["duskrain"]\nframes = 1000\nevaluation = 1\n[agent.random]\n'


def fill(path, runs, episodes):
    draw = random.Random(1)
    with sqlite3.connect(path) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(runs)") if row[1] not in ("id", "key", "seed")]
        names = ", ".join(columns)
        db.executemany(
            f"INSERT INTO runs (key, seed, {names}) SELECT ?, ?, {names} FROM runs WHERE id = 1",
            ((f"{i:064x}", i) for i in range(2, runs + 1)),
        )
        each = episodes // runs
        db.executemany(
            'INSERT OR IGNORE INTO episodes (run_id, phase, number, frames, score, steps, total_frames, "end", lives, '
            "mode, difficulty, level) VALUES (?, 'training', ?, ?, ?, ?, ?, 'game over', 0, 0, 0, ?)",
            (
                (run, n, 1800, draw.randrange(1000), 450, 1800 * n, draw.randrange(200))
                for run in range(1, runs + 1)
                for n in range(1, each + 1)
            ),
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10000)
    parser.add_argument("--episodes", type=int, default=1000000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "many.toml").write_text(EXPERIMENT)
        subprocess.run([SIXER, "lab", "run", "many.toml", "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        path = pathlib.Path(folder, "many.db")
        fill(path, options.runs, options.episodes)
        with sqlite3.connect(path) as db:
            counts = [db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] for table in ("runs", "episodes")]
        print(f"{counts[0]} runs, {counts[1]} episodes, {path.stat().st_size / 1e6:.0f} MB")
        for words in (["status"], ["status", "--runs"], ["status", "--json"], ["export", "-o", "out"]):
            times = []
            for _ in range(3 if words[0] == "status" else 1):
                start = time.perf_counter()
                command = [SIXER, "lab", words[0], "many.db", *words[1:]]
                subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
                times.append(time.perf_counter() - start)
            print(f"lab {' '.join(words):16} {min(times):6.2f} s, best of {len(times)}")


if __name__ == "__main__":
    main()
