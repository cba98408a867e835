"""What tests of `sixer apex` share: a private redis-server, a small client for it, a network that can be cut, and the
replay memory that a checkpoint holds."""

import contextlib
import os
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path

SIXER = str(Path(os.environ.get("SIXER_BUILD", "build/release")) / "sixer")
PASSWORD = "a word that nobody guesses"


def skip_without_redis() -> None:
    """End the test, saying what is missing."""
    command = [SIXER, "apex", "learner", "rainbow", "duskrain", "--server", "unix:/nowhere", "--out", "/nowhere"]
    if (
        not shutil.which("redis-server")
        or "no client for Redis" in subprocess.run(command, capture_output=True, text=True).stderr
    ):
        print("skipped: redis-server or hiredis is missing (Debian: redis-server libhiredis-dev libssl-dev)")
        sys.exit(77)


def environment(password: str | None = PASSWORD) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if k != "SIXER_REDIS_PASSWORD"}
    if password is not None:
        env["SIXER_REDIS_PASSWORD"] = password
    return env


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


class Client:
    """Commands to a Redis server on a Unix socket. Answers are bytes, numbers, lists or None; errors are raised."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(str(path))
        self.file = self.socket.makefile("rb")
        self.ask("AUTH", PASSWORD)

    def send(self, *words: str | bytes | int) -> None:
        parts = [w if isinstance(w, bytes) else str(w).encode() for w in words]
        self.socket.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))

    def answer(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server has closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise RuntimeError(rest.decode())
        if kind == b"+":
            return rest
        if kind == b":":
            return int(rest)
        size = int(rest)
        if size < 0:
            return None
        if kind == b"$":
            return self.file.read(size + 2)[:-2]
        return [self.answer() for _ in range(size)]

    def ask(self, *words: str | bytes | int):
        self.send(*words)
        return self.answer()

    def together(self, commands: list[tuple]) -> list:
        """All of them at one moment."""
        for command in [("MULTI",), *commands, ("EXEC",)]:
            self.send(*command)
        for _ in range(len(commands) + 1):
            self.answer()
        return self.answer()

    def close(self) -> None:
        self.file.close()
        self.socket.close()


class Server:
    """A private redis-server on a Unix socket; with a port of the loopback interface too, if one is named."""

    def __init__(self, folder: Path, *more: str, port: int = 0) -> None:
        self.folder, self.more, self.port = folder, more, port
        self.socket = folder / "redis.sock"
        self.url = f"unix:{self.socket}"
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--unixsocket", str(self.socket), "--save", ""]
        options += ["--appendonly", "no", "--requirepass", PASSWORD, "--dir", str(self.folder), *self.more]
        self.process = subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL)
        for _ in range(1000):
            with contextlib.suppress(OSError, RuntimeError):
                self.client().close()
                return
            time.sleep(0.02)
        sys.exit("redis-server does not start")

    def client(self) -> Client:
        return Client(self.socket)

    def ask(self, *words: str) -> str:
        """The answer to a command as text; nothing is ""."""
        client = self.client()
        answer = client.ask(*words)
        client.close()
        return answer.decode(errors="replace") if isinstance(answer, bytes) else "" if answer is None else str(answer)

    def kill(self, how: int = signal.SIGKILL) -> None:
        assert self.process
        self.process.send_signal(how)
        self.process.wait()


class Proxy:
    """A port through which a server is reached. While it is cut, nothing is forwarded and nothing is refused. After
    that, what was on its way arrives late, as TCP sends it again; or all connections are gone (`forget`)."""

    def __init__(self, target: int) -> None:
        self.target, self.cut, self.ended, self.forget = target, False, False, False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.url = f"redis://127.0.0.1:{self.port}"
        self.others: dict[socket.socket, socket.socket] = {}
        self.chooser = selectors.DefaultSelector()
        self.chooser.register(self.listener, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def drop(self, end: socket.socket) -> None:
        for each in (end, self.others.get(end)):
            if each and self.others.pop(each, None):
                self.chooser.unregister(each)
                each.close()

    def accept(self) -> None:
        here, _ = self.listener.accept()
        there = socket.socket()
        try:
            there.connect(("127.0.0.1", self.target))
        except OSError:
            here.close()
            return
        for one, other in ((here, there), (there, here)):
            self.others[one] = other
            self.chooser.register(one, selectors.EVENT_READ)

    def forward(self, end: socket.socket) -> None:
        try:
            data = end.recv(1 << 16)
            if data:
                self.others[end].sendall(data)
                return
        except OSError:
            pass
        self.drop(end)

    def run(self) -> None:
        while not self.ended:
            if self.cut:
                time.sleep(0.005)
                continue
            if self.forget:
                for end in list(self.others):
                    self.drop(end)
                self.forget = False
            for key, _ in self.chooser.select(0.05):
                end = key.fileobj
                assert isinstance(end, socket.socket)
                if end is self.listener:
                    self.accept()
                elif end in self.others:
                    self.forward(end)
        for end in list(self.others):
            self.drop(end)
        self.listener.close()

    def close(self) -> None:
        self.ended = True
        self.thread.join()


class Block:
    """A block of steps as an actor writes it (src/agents/deep/apex_block.h)."""

    def __init__(self, data: bytes) -> None:
        magic, version, self.count, _, _, self.actor, self.first, self.version = struct.unpack_from("<4sHHHHIqq", data)
        crc = struct.unpack_from("<I", data, 40)[0]
        assert magic == b"6blk" and version == 1, data[:8]
        assert zlib.crc32(data[:40] + bytes(4) + data[44:]) == crc, "a block is damaged"
        at, n = 48, self.count
        self.actions = data[at : at + n]
        self.flags = data[at + n : at + 2 * n]
        at += 5 * n
        self.rewards = struct.unpack_from(f"<{n}f", data, at)
        self.priorities = struct.unpack_from(f"<{n}f", data, at + 4 * n)


def sections(path: Path) -> dict[str, bytes]:
    """The sections of a checkpoint (src/util/sections.h), by name."""
    data, at, found = path.read_bytes(), 16, {}
    while at < len(data):
        name, size = struct.unpack_from("<24sQ", data, at)
        found[name.rstrip(b"\0").decode()] = data[at + 40 : at + 40 + size]
        at += 40 + size
    return found


class Slice:
    """The steps of one actor in the replay memory of a checkpoint (src/agents/deep/replay.c)."""

    def __init__(self, data: bytes) -> None:
        _, self.room, *_, self.added, self.oldest, _ = struct.unpack_from("<10q", data)
        self.highest = struct.unpack_from("<d", data, 80)[0]
        n, at = self.added - self.oldest, 88
        self.rewards = struct.unpack_from(f"<{n}f", data, at)
        self.actions = data[at + 4 * n : at + 5 * n]
        self.flags = data[at + 5 * n : at + 6 * n]
        self.priorities = struct.unpack_from(f"<{n}d", data, at + 6 * n)
