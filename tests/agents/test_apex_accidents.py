#!/usr/bin/env python3
# label: long, 20 s
"""Accidents of `sixer apex`, at random moments: an actor, the learner or the server is killed (SIGKILL), the network is
cut between the server and one of them or all of them.

    test_apex_accidents.py [ACCIDENTS] [SEED]

Everybody reaches the server through a port of the test's own that can stop forwarding. After each accident the run must
go on: the learner publishes new weights, and every actor has its slice again and writes to it. Then all blocks of the
server are read at one moment. Each is whole, all that an actor's head counts are there, and their steps
follow one another: no slot has two writers. A second learner and a second actor of the same slice are refused. The last
checkpoint must hold, step by step, what the actors wrote, with priorities that can be; and it resumes. With 20 or more
accidents, leases run out too: another actor, then another learner takes over from one that is cut off, which may not
write when it comes back."""

import math
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from apex_server import SIXER, Block, Proxy, Server, Slice, environment, free_port, sections, skip_without_redis

ACTORS, PATIENCE, LEASE = 2, 90, 15
SMALL = "memory=4000,start=200,period=2,batch=8,target_period=100,trunk=quick,size=20,hidden=16"
NAME = "rainbow_duskrain_1"
ROLES = ["learner", *(str(i) for i in range(ACTORS))]


class Run:
    """A learner and its actors, each with a network of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.out = folder, folder / "run"
        self.server = Server(folder, port=free_port())
        self.network = {role: Proxy(self.server.port) for role in ROLES}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.client = self.server.client()
        self.checked = 0

    def command(self, role: str, url: str, out: Path, resume: bool) -> list[str]:
        common = ["--server", url, "--quiet", "--timeout", "1", "--patience", str(PATIENCE)]
        if role != "learner":
            return [SIXER, "apex", "actor", "--index", role, *common]
        return [SIXER, "apex", "learner", "rainbow", "duskrain", "--set", SMALL, "--actors", str(ACTORS), "--free",
                "--frames", "100M", "--out", str(out), "--checkpoint-every", "0.3", *common,
                *(["--resume"] if resume else [])]  # fmt: skip

    def start(self, role: str, resume: bool = True) -> None:
        command = self.command(role, self.network[role].url, self.out, resume)
        self.processes[role] = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL)

    def kill(self, role: str) -> None:
        self.processes[role].kill()
        self.processes[role].wait()

    # ---- what the server has

    def state(self) -> list[int]:
        """The version of the weights, and how many blocks of each actor the learner has taken; of the epoch."""
        epoch, current, *taken = self.client.together(
            [("GET", "sixer:apex:epoch"), ("GET", "sixer:apex:w:current")]
            + [("HGET", "sixer:apex:l", f"taken:{i}") for i in range(ACTORS)]
        )
        return [int(epoch or b"0", 16), int((current or b"-1").split()[0]), *(int(t or 0) for t in taken)]

    def wait_for_progress(self) -> None:
        """Until weights are newer and of every actor there is something new, in one epoch."""
        before, limit = self.state(), time.monotonic() + 120
        while True:
            state = self.state()
            if state[0] != before[0]:
                before = [state[0], state[1], *([0] * ACTORS)]
            if state[0] and all(now > then for now, then in zip(state[1:], before[1:], strict=True)):
                return
            assert time.monotonic() < limit, f"the run does not go on: {before}, {state}"
            for role, process in self.processes.items():
                assert process.poll() is None, f"{role} has ended with {process.returncode}"
            time.sleep(0.05)

    def blocks(self) -> dict[int, list[Block]]:
        """All blocks of the server, those of each actor in order."""
        ring = int(self.client.ask("HGET", "sixer:apex:meta", "ring"))
        heads = [("HMGET", f"sixer:apex:a:{a}", "base", "blocks") for a in range(ACTORS)]
        keys = [("GET", f"sixer:apex:b:{a}:{k}") for a in range(ACTORS) for k in range(ring)]
        answers = self.client.together(heads + keys)
        found: dict[int, list[Block]] = {}
        for a in range(ACTORS):
            base, count = (int(n or 0) for n in answers[a])
            data = answers[ACTORS + a * ring : ACTORS + (a + 1) * ring]
            numbers = range(max(0, count - ring), count)
            present = {k for k in range(ring) if data[k] is not None}
            # a new epoch begins in the same ring: blocks of the one before it stay until they are overwritten
            assert present >= {k % ring for k in numbers}, f"blocks of actor {a} are missing"
            found[a] = [Block(data[k % ring]) for k in numbers]
            for k, block in zip(numbers, found[a], strict=True):
                assert block.actor == a and block.first == base + k * block.count, (a, k, block.first, base)
                assert all(math.isfinite(p) and (p >= 0 or p == -1) for p in block.priorities), (a, k)
                self.checked += 1
        return found

    def check_leases(self) -> None:
        holders = self.client.together(
            [("GET", "sixer:apex:learner")] + [("GET", f"sixer:apex:actor:{i}") for i in range(ACTORS)]
        )
        assert all(holders) and len(set(holders)) == len(holders), holders

    def refuse(self, role: str, words: str) -> None:
        command = self.command(role, self.server.url, self.folder / "second", False)
        command[command.index("--patience") + 1] = "0.3"
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and words in done.stderr, (role, done.returncode, done.stderr)

    def end(self) -> None:
        for role in ROLES:
            self.processes[role].send_signal(signal.SIGINT if role == "learner" else signal.SIGTERM)
            assert self.processes[role].wait(60) == (1 if role == "learner" else 0), role

    def close(self) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        self.server.kill(signal.SIGTERM)
        for proxy in self.network.values():
            proxy.close()


# ---- Accidents -----------------------------------------------------------------------------------------------------


def kill_actor(run: Run, rng: random.Random) -> str:
    role = rng.choice(ROLES[1:])
    run.kill(role)
    run.blocks()
    run.start(role)
    return f"kill -9 of actor {role}"


def kill_learner(run: Run, rng: random.Random) -> str:
    run.kill("learner")
    time.sleep(rng.random() * 0.5)
    run.blocks()
    run.start("learner")
    return "kill -9 of the learner"


def kill_server(run: Run, rng: random.Random) -> str:
    run.client.close()
    run.server.kill()
    time.sleep(rng.random() * 1.5)
    run.server.start()
    run.client = run.server.client()
    return "kill -9 of the server"


def cut_network(run: Run, rng: random.Random) -> str:
    cut = rng.choice([*([role] for role in ROLES), ROLES])
    seconds, forget = 0.1 + rng.random() * 2, rng.random() < 0.5
    for role in cut:
        run.network[role].cut = True
    time.sleep(seconds)
    for role in cut:
        run.network[role].forget = forget
        run.network[role].cut = False
    who = "all" if len(cut) > 1 else "the learner" if cut == ["learner"] else f"actor {cut[0]}"
    return f"network of {who} cut for {seconds:.1f} s{', connections gone' if forget else ''}"


ACCIDENTS: list[Callable[[Run, random.Random], str]] = [kill_actor, kill_learner, kill_server, cut_network]


def lose_lease(run: Run, role: str) -> None:
    """Cut one off until its lease has run out, and let another take over. The first may not write any more."""
    first, out = run.processes[role], run.folder / f"after-{role}"
    run.network[role].cut = True
    key = f"sixer:apex:{role}" if role == "learner" else f"sixer:apex:actor:{role}"
    limit = time.monotonic() + 3 * LEASE
    while run.client.ask("EXISTS", key):
        assert time.monotonic() < limit, "a lease does not run out"
        time.sleep(0.1)
    if role == "learner":
        first.send_signal(signal.SIGSTOP)  # its checkpoint must not change while it is copied
        shutil.copytree(run.out, out)
        first.send_signal(signal.SIGCONT)
    command = run.command(role, run.server.url, out, True)
    run.processes[role] = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL)
    run.wait_for_progress()
    holder = run.client.ask("GET", key)
    run.network[role].cut = False
    if role == "learner":
        assert first.wait(60) == 1, "a learner that lost its lease goes on"
        run.out = out
    else:
        time.sleep(2)
        assert first.poll() is None  # it waits for its slice, until its patience ends
        first.kill()
        first.wait()
    run.wait_for_progress()
    assert run.client.ask("GET", key) == holder
    run.blocks()
    print(f"  {role}: lease lost to another, which goes on", flush=True)


# ---- What is left --------------------------------------------------------------------------------------------------


def check_checkpoint(run: Run) -> int:
    """The steps of the checkpoint are those that the actors wrote."""
    parts, compared = sections(run.out / f"{NAME}.checkpoint"), 0
    for a, blocks in run.blocks().items():
        memory = Slice(parts[f"agent.replay.{a}"])
        assert 0 < memory.added - memory.oldest <= memory.room
        assert all(0 <= p <= memory.highest for p in memory.priorities) and sum(memory.priorities) > 0
        for block in blocks:
            for i in range(block.count):
                at = block.first + i - memory.oldest
                if not 0 <= at < len(memory.actions):
                    continue
                assert memory.actions[at] == block.actions[i] and memory.rewards[at] == block.rewards[i], (
                    a,
                    block.first,
                    i,
                )
                assert memory.flags[at] | block.flags[i] == memory.flags[at] and memory.priorities[at] > 0
                compared += 1
    assert compared, "nothing could be compared"
    return compared


def main() -> None:
    skip_without_redis()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1, 10**6)
    rng = random.Random(seed)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="sixer-test-") as temporary:
        run = Run(Path(temporary))
        try:
            for role in ROLES:
                run.start(role, False)
            run.wait_for_progress()
            run.refuse("learner", "learner already")
            run.refuse("0", "there already")
            accidents: list[Callable[[Run, random.Random], str]] = []
            while len(accidents) < count:
                accidents += rng.sample(ACCIDENTS, len(ACCIDENTS))
            for accident in accidents[:count]:
                time.sleep(rng.random() * 0.5)
                begun, before = time.monotonic(), run.checked
                what = accident(run, rng)
                run.wait_for_progress()
                run.blocks()
                run.check_leases()
                took = time.monotonic() - begun
                print(f"  {what}: goes on, {took:.1f} s, {run.checked - before} blocks", flush=True)
            if count >= 20:
                run.refuse("learner", "learner already")
                lose_lease(run, "0")
                lose_lease(run, "learner")
            run.end()
            compared = check_checkpoint(run)
            # and the run resumes from it
            updates = ["--updates", "1"]
            done = subprocess.run(
                [*run.command("learner", run.server.url, run.out, True), *updates],
                env=environment(),
                capture_output=True,
            )
            assert done.returncode == 0, done.stderr
            print(
                f"{count} accidents, {run.checked} blocks whole, {compared} steps of the checkpoint compared",
                flush=True,
            )
        finally:
            run.close()


if __name__ == "__main__":
    main()
