#!/usr/bin/env python3
# label: long, 20 s
"""`sixer apex` on a Redis server of the test's own, on a Unix socket in a temporary folder.

Synchronized with one actor in lockstep it gives the rows and the weights of `sixer train`, and the same from both
stores with a lead. A second learner, foreign keys, another version's keys, other settings, wrong passwords, evicting
and full servers are refused with words that help, and nothing of others is deleted. `test_apex_accidents`
kills them."""

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from apex_server import PASSWORD, SIXER, Server, environment, skip_without_redis

SMALL = "memory=4000,start=200,period=2,batch=8,target_period=100,trunk=quick,size=20,hidden=16"


def learner(server: Server, out: Path, *more: str) -> list[str]:
    return [SIXER, "apex", "learner", "rainbow", "duskrain", "--set", SMALL, "--server", server.url, "--out",
            str(out), "--quiet", "--timeout", "1", *more]  # fmt: skip


def actor(server: Server, *more: str) -> list[str]:
    return [SIXER, "apex", "actor", "--server", server.url, "--quiet", "--timeout", "1", *more]


def refused(command: list[str], words: str, password: str | None = PASSWORD) -> None:
    done = subprocess.run(command, env=environment(password), capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and words in done.stderr, (command, words, done.returncode, done.stderr)


def run(command: list[str]) -> dict:
    done = subprocess.run([*command, "--json"], env=environment(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def weights(checkpoint: Path) -> bytes:
    out = checkpoint.with_suffix(".npz")
    subprocess.run([SIXER, "model", "export", str(checkpoint), "-o", str(out)], check=True, capture_output=True)
    return out.read_bytes()


def test_equal(folder: Path) -> None:
    """sixer train, and lockstep; then both stores with a lead and priorities by the actor."""
    common = ["rainbow", "duskrain", "--set", SMALL, "--protocol", "saber", "--frames", "12000"]
    subprocess.run([SIXER, "train", *common, "--out", str(folder / "train")], check=True, capture_output=True)
    local = [SIXER, "apex", "local", *common, "--quiet"]
    result = run([*local, "--lockstep", "--out", str(folder / "lockstep")])
    assert result["updates"] >= 1000, result
    found = {}
    for store in ("redis", "memory"):
        run([*local, "--fetch", "100", "--lead", "200", "--store", store, "--out", str(folder / store)])
    for name in ("train", "lockstep", "redis", "memory"):
        run_files = folder / name / "rainbow_duskrain_1"
        rows = run_files.with_suffix(".episodes.tsv").read_bytes()
        found[name] = (rows, weights(run_files.with_suffix(".checkpoint")))
    assert found["train"] == found["lockstep"]
    assert found["redis"] == found["memory"] and found["redis"] != found["train"]
    print("equal: train and lockstep, both stores", flush=True)


def test_refusals(server: Server, folder: Path) -> None:
    out = folder / "refused"
    missing = Server.__new__(Server)
    missing.url = f"unix:{folder}/nobody.sock"
    refused(learner(missing, out), "is it running")
    refused(actor(missing, "--patience", "0.3"), "is it running")
    refused(learner(server, out), "NOAUTH", None)
    refused(learner(server, out), "right password", "wrong")
    refused(actor(server, "--patience", "0.3"), "no learner")
    refused(actor(server, "--pace", "-1"), "frames per second")
    wrong = [*learner(server, out)]
    wrong[wrong.index(server.url)] = "redis://:secret@localhost"
    refused(wrong, "password does not belong")
    server.ask("SET", "sixer:apex:other", "mine")
    refused(learner(server, out), "no run of sixer")
    server.ask("SET", "foreign", "theirs")
    server.ask("HSET", "sixer:apex:meta", "format", "99", "text", "x")
    refused(learner(server, out), "another version")
    assert server.ask("GET", "sixer:apex:other") == "mine"
    server.ask("CONFIG", "SET", "maxmemory", "1gb")
    server.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    refused(learner(server, out, "--reset"), "noeviction")
    server.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
    server.ask("CONFIG", "SET", "maxmemory", "3mb")
    refused(learner(server, out, "--reset"), "raise maxmemory")
    server.ask("CONFIG", "SET", "maxmemory", "0")
    assert not list(out.glob("*")), "a refused run has written files"
    first = subprocess.Popen([*learner(server, out, "--reset"), "--frames", "1M"], env=environment())
    while server.ask("EXISTS", "sixer:apex:w:current") != "1":
        time.sleep(0.05)
    assert server.ask("EXISTS", "sixer:apex:other") == "0" and server.ask("GET", "foreign") == "theirs"
    refused(learner(server, folder / "second"), "learner already")
    refused(actor(server, "--index", "3"), "no actor 3")
    text = server.ask("HGET", "sixer:apex:meta", "text")
    server.ask("HSET", "sixer:apex:meta", "text", text.replace("behavior=", "behavior=9"))
    refused(actor(server), "none that this version")
    server.ask("HSET", "sixer:apex:meta", "text", text)
    players = [subprocess.Popen(actor(server), env=environment(), stderr=subprocess.DEVNULL)]
    while int(server.ask("HGET", "sixer:apex:a:0", "blocks") or 0) < 3:
        time.sleep(0.05)
    refused(actor(server, "--index", "0", "--patience", "0.5"), "there already")
    server.ask("CONFIG", "SET", "maxmemory", "1mb")
    assert players[0].wait(30) == 1  # its next block is refused: out of memory
    server.ask("CONFIG", "SET", "maxmemory", "0")
    first.send_signal(signal.SIGINT)
    assert first.wait(30) == 1
    refused(learner(server, folder / "other", "--seed", "7", "--resume"), "other settings")
    server.ask("FLUSHALL")
    print("refusals: 18", flush=True)


def test_interrupt(folder: Path) -> None:
    """Ctrl-C ends everything that `local` started, and --resume continues."""
    command = [SIXER, "apex", "local", "rainbow", "duskrain", "--set", SMALL, "--actors", "2", "--out",
               str(folder / "interrupt"), "--quiet"]  # fmt: skip
    before = set(Path("/tmp").glob("sixer-apex-*"))
    process = subprocess.Popen([*command, "--frames", "100M"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    rows = folder / "interrupt" / "rainbow_duskrain_1.episodes.tsv"
    while not rows.exists() or rows.read_text().count("\n") < 3:
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 1 and b"--resume" in process.stderr.read()  # type: ignore[union-attr]
    assert set(Path("/tmp").glob("sixer-apex-*")) <= before, "a folder is left"
    result = run([*command, "--frames", "20000", "--resume"])
    assert result["finished"] and result["frames"] >= 20000, result
    print("interrupted, nothing left, resumed", flush=True)


def test_bench() -> None:
    """`sixer bench apex` measures all its figures and leaves no server behind. Times are not checked."""
    command = [SIXER, "bench", "apex", "duskrain", "--seconds", "0.05", "--tsv"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    names, values = (line.split("\t") for line in out)
    row = dict(zip(names, values, strict=True))
    assert row.pop("game") == "duskrain" and len(row) == 17, row
    assert all(float(value) > 0 for value in row.values()), row
    assert 300 < float(row["step_bytes"]) < 500 and 7000 < float(row["saber_step_bytes"]) < 9000, row
    share = ["--share", "--set", SMALL, "--updates", "40", "--pieces", "6", "--tsv"]
    command = [SIXER, "bench", "apex", "duskrain", *share]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [dict(zip(out[0].split("\t"), line.split("\t"), strict=True)) for line in out[1:]]
    assert [row["priorities"] for row in rows] == ["actor", "max"], rows
    assert all(float(row[name]) > 0 for row in rows for name in row if name.endswith(("_ms", "share"))), rows
    print("measured", flush=True)


def main() -> None:
    skip_without_redis()
    with tempfile.TemporaryDirectory(prefix="sixer-test-") as temporary:
        folder = Path(temporary)
        test_equal(folder)
        test_interrupt(folder)
        test_bench()
        server = Server(folder)
        try:
            test_refusals(server, folder)
        finally:
            server.kill(signal.SIGTERM)


if __name__ == "__main__":
    main()
