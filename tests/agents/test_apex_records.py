#!/usr/bin/env python3
# label: long
"""`sixer apex --layout saber` on a Redis server of the test's own.

The records hold the same frames, actions, rewards and ends as the blocks of a run with the same seed. Sums of the tree
of priorities are right after the learner has changed them. A run learns, is resumed with the records that the server
has kept, and without them if they are gone. What the layout cannot do is refused."""

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from apex_server import SIXER, Block, Server, environment, skip_without_redis

SIDE, MEMORY, BLOCK = 20, 1500, 32
SMALL = "period=2,batch=8,target_period=100,trunk=quick,hidden=16,n=3"


def learner(server: Server, out: Path, start: int, *more: str, memory: int = MEMORY) -> list[str]:
    settings = f"{SMALL},size={SIDE},memory={memory},start={start}"
    return [SIXER, "apex", "learner", "rainbow", "duskrain", "--set", settings, "--server", server.url,
            "--out", str(out), "--quiet", "--json", *more]  # fmt: skip


def actor(server: Server, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([SIXER, "apex", "actor", "--server", server.url, "--quiet", *more], env=environment())


def train(server: Server, command: list[str], run: str, actors: int = 1) -> dict:
    """Learner and actors to the end; the learner's result."""
    main = subprocess.Popen([*command, "--run", run], env=environment(), stdout=subprocess.PIPE, text=True)
    players = [actor(server, "--run", run) for _ in range(actors)]
    text = main.communicate(timeout=120)[0]
    assert main.returncode == 0, text
    for player in players:
        assert player.wait(30) == 0
    return json.loads(text)


def spans(code: bytes, below: bytearray) -> None:
    """Apply spans (src/agents/deep/spans.h)."""
    at, position = 0, 0
    while at < len(code):
        while code[at] == 255:
            position, at = position + 254, at + 1
        position, length = position + code[at], code[at + 1]
        below[position : position + length] = code[at + 2 : at + 2 + length]
        position, at = position + length, at + 2 + length


def key(code: bytes) -> bytearray:
    """A frame that is coded by itself."""
    frame, size = bytearray(SIDE * SIDE), SIDE * SIDE
    if len(code) == size:
        return bytearray(code)
    if code[0] == 1:  # spans against the row above; decoded pixel by pixel
        at, position, position_end = 1, 0, 0
        while position < size:
            if at < len(code):
                skip = 0
                while code[at] == 255:
                    skip, at = skip + 254, at + 1
                skip, length, at = skip + code[at], code[at + 1], at + 2
            else:
                skip, length = size - position, 0
            position_end = position + skip
            for i in range(position, position_end):
                frame[i] = frame[i - SIDE] if i >= SIDE else 0
            frame[position_end : position_end + length] = code[at : at + length]
            position, at = position_end + length, at + length
        return frame
    rows, at = code[1 : 1 + (SIDE + 7) // 8], 1 + (SIDE + 7) // 8
    for y in range(SIDE):
        if rows[y // 8] >> y % 8 & 1:
            frame[y * SIDE : (y + 1) * SIDE] = frame[(y - 1) * SIDE : y * SIDE]
            continue
        x = 0
        while x < SIDE:
            for i in range(code[at + 1]):
                frame[y * SIDE + x + i] = code[at]
            x, at = x + code[at + 1], at + 2
    return frame


def frames(data: bytes, block: Block) -> list[bytes]:
    n = block.count
    sizes = [int.from_bytes(data[48 + 3 * n + 2 * i : 50 + 3 * n + 2 * i], "little") for i in range(n)]
    at, frame, found = len(data) - sum(size & 0x7FFF for size in sizes), bytearray(SIDE * SIDE), []
    for size in sizes:
        code = data[at : at + (size & 0x7FFF)]
        if size & 0x8000:
            frame = key(code)
        elif len(code) == SIDE * SIDE:
            frame = bytearray(code)
        else:
            spans(code, frame)
        found.append(bytes(frame))
        at += len(code)
    return found


def test_records(server: Server, folder: Path) -> None:
    """Random play with the same seed, in blocks and in records. An actor plays on until the learner tells it to stop,
    which may take its time: the memory is so large that the first records are not overwritten."""
    for run, more in (("blocks", []), ("saber", ["--layout", "saber"])):
        command = learner(server, folder / run, 1000000, "--frames", "4400", *more, memory=20 * MEMORY)
        train(server, command, run)
    client, compared = server.client(), 0
    blocks = int(client.ask("HGET", "sixer:blocks:a:0", "blocks"))
    assert blocks >= 34 and int(client.ask("HGET", "sixer:saber:a:0", "blocks")) >= 34
    for k in range(34):
        data = client.ask("GET", f"sixer:blocks:b:0:{k}")
        block = Block(data)
        slim = Block(client.ask("GET", f"sixer:saber:b:0:{k}"))
        assert (slim.actions, slim.flags, slim.rewards) == (block.actions, block.flags, block.rewards)
        for i, frame in enumerate(frames(data, block)):
            names = ("step", "timestep", "state", "action", "reward", "nonterminal")
            found = client.ask("HMGET", f"sixer:saber:t:{block.first + i}", *names)
            step, timestep, state, action, reward, more = found
            assert int(step) == block.first + i and state == frame, (k, i)
            assert int(action) == block.actions[i] and float(reward) == block.rewards[i]
            assert (int(timestep) == 0) == bool(block.flags[i] & 1) and more == (b"0" if block.flags[i] & 2 else b"1")
            compared += 1
    client.close()
    print(f"{compared} records equal the blocks", flush=True)


def check_tree(server: Server, run: str, records: int) -> None:
    client, leaves = server.client(), 1
    while leaves < records:
        leaves *= 2
    asked = [("GET", f"sixer:{run}:p:{i}") for i in range(2 * leaves - 1)]
    nodes = [float(value or 0) for value in client.together(asked)]
    for i in range(leaves - 1):
        assert abs(nodes[i] - nodes[2 * i + 1] - nodes[2 * i + 2]) <= 1e-9 * max(1, nodes[0]), i
    own = nodes[leaves - 1 :]
    assert all(value > 0 for value in own[:records]) and not any(own[records:]), "a priority is missing"
    assert len(set(own[:records])) > records / 4, "the learner has changed no priorities"
    client.close()


def test_run(server: Server, folder: Path) -> None:
    """Two synchronized actors: interrupted, resumed with the server's records, then without them."""
    run, out = "long", folder / "long"
    command = learner(server, out, 300, "--layout", "saber", "--actors", "2", "--fetch", "100", "--lead", "200")
    players = [actor(server, "--run", run, "--patience", "60") for _ in range(2)]
    main = subprocess.Popen([*command, "--run", run, "--frames", "100M"], env=environment(), stdout=subprocess.PIPE)
    client = server.client()
    while int(client.ask("HGET", f"sixer:{run}:a:1", "blocks") or 0) * BLOCK < MEMORY:  # both slices wrap around
        assert main.poll() is None
        time.sleep(0.05)
    epoch = client.ask("GET", f"sixer:{run}:epoch")
    main.send_signal(signal.SIGINT)
    first = json.loads(main.communicate(timeout=60)[0])
    assert main.returncode == 1 and first["updates"] > 500 and first["store_bytes_per_step"] > SIDE * SIDE, first
    for player in players:  # so that nobody writes while the tree is read
        player.terminate()
        player.wait(30)
    check_tree(server, run, MEMORY)
    kept = client.ask("HGET", f"sixer:{run}:t:0", "state")
    more = str(first["updates"] + 200)
    again = train(server, [*command, "--resume", "--frames", "100M", "--updates", more], run, 2)
    assert again["finished"] and again["updates"] == int(more) and again["steps"] > first["steps"], again
    assert client.ask("GET", f"sixer:{run}:epoch") == epoch and kept, "the server's records were thrown away"
    check_tree(server, run, MEMORY)
    client.ask("FLUSHALL")
    more = str(again["updates"] + 100)
    last = train(server, [*command, "--resume", "--frames", "100M", "--updates", more], run, 2)
    # the memory was filled again before updates went on
    assert last["updates"] == int(more) and last["steps"] >= again["steps"] + 300, (again, last)
    base = int(client.ask("HGET", f"sixer:{run}:a:0", "base"))
    assert base > 0 and int(client.ask("HGET", f"sixer:{run}:t:{base % (MEMORY // 2)}", "step")) == base
    client.close()
    print(f"{first['updates']} updates, resumed with {again['updates']} and {last['updates']}", flush=True)


def test_free(server: Server, folder: Path) -> None:
    command = learner(server, folder / "free", 300, "--layout", "saber", "--actors", "2", "--free", "--fetch", "100")
    result = train(server, [*command, "--frames", "100M", "--updates", "300"], "free", 2)
    assert result["updates"] == 300 and result["steps"] >= 300, result
    print("free-running", flush=True)


def test_refusals(server: Server, folder: Path) -> None:
    def refused(words: str, *command: str) -> None:
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60)
        assert done.returncode != 0 and words in done.stderr, (command, words, done.stderr)

    base = learner(server, folder / "refused", 300)
    refused("--layout is blocks, or saber", *base, "--layout", "hash")
    refused("no --lockstep", *base, "--layout", "saber", "--lockstep")
    local = [SIXER, "apex", "local", "rainbow", "duskrain", "--layout", "saber", "--store", "memory"]
    refused("blocks only", *local, "--out", str(folder / "refused"))
    uniform = [word.replace("rainbow", "dqn") if word == "rainbow" else word for word in base]
    uniform[uniform.index("--set") + 1] = "memory=2000,start=300,size=20,trunk=quick"
    refused("draws uniformly", *uniform, "--layout", "saber")
    server.ask("CONFIG", "SET", "maxmemory", "8mb")
    refused("raise maxmemory", *base, "--layout", "saber")
    server.ask("CONFIG", "SET", "maxmemory", "0")
    # a priority or a record that nobody can have written
    for run, change in (("sum", ("SET", "p:0", "nan")), ("record", ("HSET", "t:7", "state", "short"))):
        command = [*base, "--layout", "saber", "--frames", "100M", "--run", run, "--force"]
        main = subprocess.Popen(
            command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        player = actor(server, "--run", run)
        while int(server.ask("HGET", f"sixer:{run}:a:0", "blocks") or 0) * BLOCK < 330:
            time.sleep(0.02)
        while main.poll() is None:
            server.ask(change[0], f"sixer:{run}:{change[1]}", *change[2:])
            time.sleep(0.02)
        said = main.communicate(timeout=60)[1]
        assert main.returncode == 1 and "cannot be" in said, said
        player.terminate()
        player.wait(30)
    print("refusals: 7", flush=True)


def main() -> None:
    skip_without_redis()
    with tempfile.TemporaryDirectory(prefix="sixer-test-") as temporary:
        folder = Path(temporary)
        server = Server(folder)
        try:
            test_records(server, folder)
            test_run(server, folder)
            test_free(server, folder)
            test_refusals(server, folder)
        finally:
            server.kill(signal.SIGTERM)


if __name__ == "__main__":
    main()
