#!/usr/bin/env python3
# label: long
"""`sixer apex` on a Redis server of the test's own, on a Unix socket in a temporary folder.

Synchronized with one actor in lockstep it gives the rows and the weights of `sixer train`, and the same from both
stores with a lead. A second learner, foreign keys, another version's keys, other settings, wrong passwords, evicting
and full servers are refused with words that help, and nothing of others is deleted. Actors, the learner and the
server are killed (SIGKILL) and the server is stopped as by a cut network, at random moments: the run goes on or
resumes to its end, every block is whole, and what an actor wrote is what the learner has."""

import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

BUILD = Path(os.environ.get("SIXER_BUILD", "build/release"))
SIXER = str(BUILD / "sixer")
SMALL = "memory=4000,start=200,period=2,batch=8,target_period=100,trunk=quick,size=20,hidden=16"
PASSWORD = "a word that nobody guesses"
rng = random.Random(int(os.environ.get("SIXER_SEED", "1")))


class Server:
    """A private redis-server; `cli` asks it."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.folder, self.more = folder, more
        self.socket = folder / "redis.sock"
        self.url = f"unix:{self.socket}"
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        options = ["--port", "0", "--unixsocket", str(self.socket), "--save", "", "--appendonly", "no"]
        options += ["--requirepass", PASSWORD, "--dir", str(self.folder), *self.more]
        self.process = subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL)
        for _ in range(500):
            if self.cli("PING") == "PONG":
                return
            time.sleep(0.02)
        sys.exit("redis-server does not start")

    def cli(self, *command: str) -> str:
        env = {**os.environ, "REDISCLI_AUTH": PASSWORD}
        done = subprocess.run(["redis-cli", "-s", str(self.socket), *command], env=env, capture_output=True)
        return done.stdout.decode(errors="replace").strip()

    def raw(self, key: str) -> bytes:
        env = {**os.environ, "REDISCLI_AUTH": PASSWORD}
        done = subprocess.run(["redis-cli", "-s", str(self.socket), "--raw", "GET", key], env=env, capture_output=True)
        return done.stdout[:-1]

    def kill(self, how: int = signal.SIGKILL) -> None:
        assert self.process
        self.process.send_signal(how)
        self.process.wait()


def environment(password: str | None = PASSWORD) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if k != "SIXER_REDIS_PASSWORD"}
    if password is not None:
        env["SIXER_REDIS_PASSWORD"] = password
    return env


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
    wrong = [*learner(server, out)]
    wrong[wrong.index(server.url)] = "redis://:secret@localhost"
    refused(wrong, "password does not belong")
    server.cli("SET", "sixer:apex:other", "mine")
    refused(learner(server, out), "no run of sixer")
    server.cli("SET", "foreign", "theirs")
    server.cli("HSET", "sixer:apex:meta", "format", "99", "text", "x")
    refused(learner(server, out), "another version")
    assert server.cli("GET", "sixer:apex:other") == "mine"
    server.cli("CONFIG", "SET", "maxmemory", "1gb")
    server.cli("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    refused(learner(server, out, "--reset"), "noeviction")
    server.cli("CONFIG", "SET", "maxmemory-policy", "noeviction")
    server.cli("CONFIG", "SET", "maxmemory", "3mb")
    refused(learner(server, out, "--reset"), "raise maxmemory")
    server.cli("CONFIG", "SET", "maxmemory", "0")
    assert not list(out.glob("*")), "a refused run has written files"
    first = subprocess.Popen([*learner(server, out, "--reset"), "--frames", "1M"], env=environment())
    while server.cli("EXISTS", "sixer:apex:w:current") != "1":
        time.sleep(0.05)
    assert server.cli("EXISTS", "sixer:apex:other") == "0" and server.cli("GET", "foreign") == "theirs"
    refused(learner(server, folder / "second"), "learner already")
    refused(actor(server, "--index", "3"), "no actor 3")
    text = server.cli("HGET", "sixer:apex:meta", "text")
    server.cli("HSET", "sixer:apex:meta", "text", text.replace("behavior=", "behavior=9"))
    refused(actor(server), "none that this version")
    server.cli("HSET", "sixer:apex:meta", "text", text)
    players = [subprocess.Popen(actor(server), env=environment(), stderr=subprocess.DEVNULL)]
    while int(server.cli("HGET", "sixer:apex:a:0", "blocks") or 0) < 3:
        time.sleep(0.05)
    refused(actor(server, "--index", "0", "--patience", "0.5"), "there already")
    server.cli("CONFIG", "SET", "maxmemory", "1mb")
    assert players[0].wait(30) == 1  # its next block is refused: out of memory
    server.cli("CONFIG", "SET", "maxmemory", "0")
    first.send_signal(signal.SIGINT)
    assert first.wait(30) == 1
    refused(learner(server, folder / "other", "--seed", "7", "--resume"), "other settings")
    server.cli("FLUSHALL")
    print("refusals: 17", flush=True)


def check_blocks(server: Server, actors: int) -> int:
    """Every block that a head counts is there, whole, and of its actor and place."""
    count = 0
    ring = int(server.cli("HGET", "sixer:apex:meta", "ring") or 0)
    for a in range(actors):
        base = int(server.cli("HGET", f"sixer:apex:a:{a}", "base") or 0)
        blocks = int(server.cli("HGET", f"sixer:apex:a:{a}", "blocks") or 0)
        for k in range(max(0, blocks - 3), blocks):
            data = server.raw(f"sixer:apex:b:{a}:{k % ring}")
            magic, version, steps, _, _, who, first = struct.unpack_from("<4sHHHHIq", data)
            crc = struct.unpack_from("<I", data, 40)[0]
            assert magic == b"6blk" and version == 1 and who == a, (a, k)
            assert first == base + k * steps, (a, k, first, base)
            assert zlib.crc32(data[:40] + bytes(4) + data[44:]) == crc
            count += 1
    return count


def test_kills(server: Server, folder: Path, rounds: int) -> None:
    out, actors = folder / "kills", 2
    command = [*learner(server, out, "--actors", str(actors), "--free", "--frames", "100M"),
               "--checkpoint-every", "0.3", "--patience", "30"]  # fmt: skip
    processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(name: str, resume: bool = True) -> None:
        more = ["--resume"] if resume else []
        what = [*command, *more] if name == "learner" else actor(server, "--index", name, "--patience", "30")
        processes[name] = subprocess.Popen(what, env=environment(), stdout=subprocess.DEVNULL)

    def version() -> int:
        return int((server.cli("GET", "sixer:apex:w:current") or "-1").split()[0])

    def wait_for_progress() -> None:
        begin, limit = version(), time.monotonic() + 60
        while version() in (begin, -1) or int(server.cli("HGET", "sixer:apex:l", "taken:0") or 0) < 1:
            assert time.monotonic() < limit, "the run does not go on"
            for name, process in processes.items():
                assert process.poll() is None, f"{name} has ended with {process.returncode}"
            time.sleep(0.05)

    start("learner", False)
    names = [str(i) for i in range(actors)]
    for name in names:
        start(name)
    wait_for_progress()
    checked = 0
    for i in range(rounds):
        victim = ["actor", "learner", "server", "cut"][i % 4]
        time.sleep(rng.random() * 0.3)
        if victim == "actor":
            name = rng.choice(names)
            processes[name].kill()
            processes[name].wait()
            start(name)  # takes its slice again
        elif victim == "learner":
            processes["learner"].kill()
            processes["learner"].wait()
            checked += check_blocks(server, actors)
            start("learner")
        elif victim == "server":
            server.kill()
            server.start()
        else:  # as a network that is cut: nothing arrives, nothing is refused
            assert server.process
            server.process.send_signal(signal.SIGSTOP)
            time.sleep(1.3)
            server.process.send_signal(signal.SIGCONT)
        wait_for_progress()
        checked += check_blocks(server, actors)
    processes["learner"].send_signal(signal.SIGINT)
    assert processes["learner"].wait(30) == 1
    for name in names:
        processes[name].send_signal(signal.SIGTERM)
        assert processes[name].wait(30) == 0
    # the checkpoint is good: it resumes and ends
    subprocess.run([SIXER, "info", str(out / "rainbow_duskrain_1.checkpoint")], check=True, capture_output=True)
    print(f"{rounds} kills and cuts, {checked} blocks checked", flush=True)


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
    assert row.pop("game") == "duskrain" and len(row) == 13, row
    assert all(float(value) > 0 for value in row.values()), row
    assert 300 < float(row["step_bytes"]) < 500 and 7000 < float(row["saber_step_bytes"]) < 9000, row
    print("measured", flush=True)


def main() -> None:
    if not shutil.which("redis-server") or "no client for Redis" in subprocess.run(
        [SIXER, "apex", "learner", "rainbow", "duskrain", "--server", "unix:/nowhere", "--out", "/nowhere"],
        capture_output=True, text=True,
    ).stderr:  # fmt: skip
        print("skipped: redis-server or hiredis is missing (Debian: redis-server libhiredis-dev libssl-dev)")
        sys.exit(77)
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    with tempfile.TemporaryDirectory(prefix="sixer-test-") as temporary:
        folder = Path(temporary)
        test_equal(folder)
        test_interrupt(folder)
        test_bench()
        server = Server(folder)
        try:
            test_refusals(server, folder)
            test_kills(server, folder, rounds)
        finally:
            server.kill(signal.SIGTERM)


if __name__ == "__main__":
    main()
