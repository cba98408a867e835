#!/usr/bin/env python3
"""`sixer train` of agents with networks: evaluations during training (nature2015), their rows and tapes, equal bytes
after kill -9; checkpoints without replay memory; and what stops a run: a loss that is no number, too little memory.
Portable kernels are used with a warning."""

import csv
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program import SIXER, Program  # noqa: E402

SMALL = "trunk=quick,size=20,hidden=16,memory=2000,start=200,batch=8,period=4,target_period=100"
PROTOCOL = """name = "short"
base = "nature2015"
[environment]
max_frames = 1200
[training]
length = 12000
checkpoints = [12000]
evaluation_interval = {interval}
evaluation_length = 3000
[score]
episodes = 3
limits = [1200]
"""
RUN = ["--frames", "12k", "--set", SMALL, "--protocol", "short.toml"]


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(file, delimiter="\t"))


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def check_rows(p, folder, agent):
    run = p.path(folder) / f"{agent}_duskrain_1"
    tests, scores = rows(f"{run}.tests.tsv"), rows(f"{run}.scores.tsv")
    p.check(len(tests) == 3, f"{agent}: {len(tests)} evaluations during training")
    best = 0.0
    for number, row in enumerate(tests, 1):
        best = max(best, float(row["score"]))
        p.check(int(row["test"]) == number and float(row["best"]) == best, f"{agent}: {row}")
        p.check(int(row["frames"]) >= 4000 * number and int(row["test_frames"]) >= 3000, f"{agent}: {row}")
        p.check(int(row["averaged"]) >= 1 and row["protocol"].startswith("short@"), f"{agent}: {row}")
    played = rows(f"{run}.evaluation.tsv")
    mean = sum(float(row["score"]) for row in played) / len(played)
    p.check(len(played) == 3 and len(scores) == 1, f"{agent}: {len(played)} episodes, {len(scores)} scores")
    p.check(abs(float(scores[0]["score"]) - mean) < 1e-9 and scores[0]["averaged"] == "3", f"{agent}: {scores}")


def evaluations(p):
    """Rows and tapes; training is the same as with a single evaluation at its end."""
    done = p.run("train", "dqn", "duskrain", *RUN, "--out", "whole", "--tapes", "tapes", "--json")
    p.check(done.returncode == 0 and '"tests": 3' in done.stdout, done.stdout + done.stderr)
    check_rows(p, "whole", "dqn")
    tapes = sorted(path.name for path in p.path("tapes").iterdir())
    expected = [f"dqn_duskrain_1_{what}.tape" for what in ("evaluation", "test0001", "test0002", "test0003")]
    p.check(tapes == expected, tapes)
    for name in tapes:
        done = p.run("replay", f"tapes/{name}")
        p.check(done.returncode == 0 and "verified" in done.stdout, f"{name}: {done.stdout}{done.stderr}")
    done = p.run("train", "dqn", "duskrain", *RUN[:-1], "never.toml", "--out", "never")
    p.check(done.returncode == 0, done.stderr)
    columns = ["episode", "frames", "score", "steps", "total_frames", "end"]
    whole, never = (
        [[row[name] for name in columns] for row in rows(p.path(f"{folder}/dqn_duskrain_1.episodes.tsv"))]
        for folder in ("whole", "never")
    )
    p.check(whole == never and len(whole) > 5, "evaluations change what is learned")


def killed(p, agent, options, kills):
    """Kill -9 at random moments, resume: the same bytes in all files."""
    command = ["train", agent, "duskrain", "--frames", "12k", "--set", options, "--protocol", "short.toml"]
    begin = time.time()
    done = p.run(*command, "--out", f"{agent}-whole", "--tapes", f"{agent}-whole-tapes")
    p.check(done.returncode == 0, done.stderr)
    whole = time.time() - begin
    check_rows(p, f"{agent}-whole", agent)
    command += ["--out", f"{agent}-cut", "--tapes", f"{agent}-cut-tapes", "--checkpoint-every", "0.05"]
    generator, count = random.Random(1), 0
    for attempt in range(40):
        process = subprocess.Popen(
            [SIXER, *command, *(["--resume"] if attempt else [])],
            cwd=p.folder,
            env=p.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(generator.uniform(0.1, 0.6) * whole if count < kills else 120)
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            count += 1
    p.check(process.returncode == 0 and count >= 1, f"{agent}: {count} kills, status {process.returncode}")
    for part in ("", "-tapes"):
        a, b = contents(p.path(f"{agent}-whole{part}")), contents(p.path(f"{agent}-cut{part}"))
        different = [name for name in a.keys() | b.keys() if a.get(name) != b.get(name)]
        p.check(not different, f"{agent}: after {count} kills these differ: {different}")


def refill(p):
    base = ["train", "dqn", "duskrain", "--set", SMALL, "--actions", "minimal"]
    for how in ("include", "refill"):
        done = p.run(*base, "--frames", "4k", "--checkpoint-replay", how, "--out", how)
        p.check(done.returncode == 0, done.stderr)
    sizes = {how: p.path(f"{how}/dqn_duskrain_1.checkpoint").stat().st_size for how in ("include", "refill")}
    p.check(sizes["refill"] < 0.9 * sizes["include"], f"checkpoints: {sizes}")
    done = p.run(*base, "--frames", "8k", "--checkpoint-replay", "refill", "--out", "refill", "--resume")
    p.check(done.returncode == 0 and "has no replay memory" in done.stderr, done.stderr)
    # with its memory again, it is a run like any other
    done = p.run(*base, "--frames", "10k", "--out", "refill", "--resume")
    p.check(done.returncode == 0, done.stderr)
    done = p.run(*base, "--frames", "12k", "--out", "refill", "--resume")
    p.check(done.returncode == 0 and "no replay memory" not in done.stderr, done.stderr)
    done = p.run(*base, "--frames", "8k", "--out", "include", "--resume")
    p.check(done.returncode == 0 and "no replay memory" not in done.stderr, done.stderr)
    done = p.run(*base, "--frames", "8k", "--checkpoint-replay", "all", "--out", "other")
    p.check(done.returncode == 2 and "include or refill, found 'all'" in done.stderr, done.stderr)


def diverging(p):
    """A network of huge numbers: the loss is infinite; the checkpoint stays."""
    base = ["train", "dqn", "duskrain", "--set", SMALL, "--actions", "minimal", "--out", "huge"]
    p.run(*base, "--frames", "4k")
    checkpoint = p.path("huge/dqn_duskrain_1.checkpoint")
    p.run("model", "export", checkpoint, "-o", "weights.npz")
    with zipfile.ZipFile(p.path("weights.npz")) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(p.path("huge.npz"), "w") as archive:
        for name, data in members.items():
            numbers = len(data[128:]) // 4
            archive.writestr(name, data[:128] + bytes.fromhex("caf24971") * numbers)  # 1e30
    done = p.run("model", "import", checkpoint, "huge.npz", "-o", "huge.checkpoint")
    p.check(done.returncode == 0, done.stderr)
    os.replace(p.path("huge.checkpoint"), checkpoint)
    kept = checkpoint.read_bytes()
    done = p.run(*base, "--frames", "8k", "--resume")
    p.check(done.returncode == 1 and "learning has diverged at step" in done.stderr, done.stderr)
    p.check("the checkpoint at" in done.stderr and "is kept" in done.stderr, done.stderr)
    p.check(checkpoint.read_bytes() == kept, "the last good checkpoint was replaced")


def little_memory(p):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    done = p.run("train", "dqn", "duskrain", "--set", "memory=50000000", "--out", "large", preexec_fn=limit)
    p.check(done.returncode == 1 and "may take" in done.stderr and "are free" in done.stderr, done.stderr)
    p.check(not p.path("large").exists() or not any(p.path("large").iterdir()), "something was written")


def portable(p):
    environment = {**p.environment, "SIXER_NN": "plain"}
    base = ["train", "dqn", "duskrain", "--set", SMALL, "--actions", "minimal", "--frames", "1k"]
    done = p.run(*base, "--out", "plain", env=environment)
    p.check(done.returncode == 0 and "about 170 times slower" in done.stderr, done.stderr)
    done = p.run(*base, "--out", "fast")
    p.check("slower" not in done.stderr, done.stderr)
    plain, fast = (p.path(f"{name}/dqn_duskrain_1.checkpoint").read_bytes() for name in ("plain", "fast"))
    p.check(plain == fast, "portable kernels give other bytes")


def main():
    with Program() as p:
        p.path("short.toml").write_text(PROTOCOL.format(interval=4000))
        p.path("never.toml").write_text(PROTOCOL.format(interval=12000).replace("short", "never"))
        evaluations(p)
        killed(p, "dqn", SMALL, 4)
        killed(p, "pqn", "envs=4,rollout=8,batch=16,epochs=1,trunk=quick,size=20,hidden=16", 2)
        refill(p)
        diverging(p)
        if "ASAN_OPTIONS" not in p.environment:
            little_memory(p)
        portable(p)
        return p.finish()


sys.exit(main())
