#!/usr/bin/env python3
"""`sixer serve` as a program: stdin and stdout, a Unix socket, loopback TCP; clients that die, are silent, send half a
message or are too many; what is left behind: no descriptor, no thread, no file."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import SIXER, Program  # noqa: E402

MAKE = {"do": "make", "game": "duskrain", "screen": "gray", "seed": 1}


class Server:
    def __init__(self, p, *arguments):
        self.process = subprocess.Popen(
            [SIXER, "serve", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=p.folder,
            env=p.environment,
        )
        self.where = self.process.stdout.readline().strip().removeprefix("listening on ")
        if not self.where.startswith("127.0.0.1:"):
            self.where = str(p.path(self.where))

    def connect(self):
        if self.where.startswith("127.0.0.1:"):
            connection = socket.create_connection(("127.0.0.1", int(self.where.split(":")[1])))
        else:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(self.where)
        connection.settimeout(30)
        return connection

    def count(self, what):
        return len(os.listdir(f"/proc/{self.process.pid}/{what}"))

    def settle(self, what, number):
        """Wait until the process has so many descriptors or threads again."""
        end, found = time.time() + 20, self.count(what)
        while found != number and time.time() < end:
            time.sleep(0.02)
            found = self.count(what)
        return found

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        error = self.process.communicate(timeout=30)[1]
        return self.process.returncode, error


def lines(*requests):
    return "".join(json.dumps(request) + "\n" for request in requests).encode()


def replies(data):
    return [json.loads(line) for line in data.decode().splitlines()]


def receive(connection):
    data = b""
    while piece := connection.recv(65536):
        data += piece
    return replies(data)


def test_pipe(p):
    steps = [{"do": "step", "action": 3}] * 20
    result = p.run("serve", "duskrain", input=lines({"do": "make"}, *steps, {"do": "bye"}), text=False)
    p.check(result.returncode == 0 and not result.stderr, f"pipe: {result}")
    answers = replies(result.stdout)
    p.check([a["ok"] for a in answers] == [True] * 22, f"pipe: {answers}")
    p.check(answers[-2]["frames"] == 20, f"pipe: {answers[-2]}")
    result = p.run("serve", input=lines(MAKE) + b'{"do": "st', text=False)
    p.check(result.returncode == 1 and b"in the middle of a message" in result.stderr, f"half: {result.stderr}")
    result = p.run("serve", input=b" " * 1100000, text=False)
    p.check(result.returncode == 1 and b"larger than 1048576" in result.stderr, f"large: {result.stderr}")
    p.check(not replies(result.stdout)[0]["ok"], "large: no answer")
    # nobody reads the replies
    with open("/dev/full", "wb") as full:
        result = p.run("serve", input=lines(MAKE), text=False, stdout=full)
        p.check(result.returncode == 1, f"full: {result}")


def test_usage(p):
    p.expect("both", p.run("serve", "--socket", "s", "--tcp", "0"), 2, "choose one")
    p.expect("port", p.run("serve", "--tcp", "70000"), 2, "--tcp", "65535")
    p.expect("game", p.run("serve", "duskrian", "--tcp", "0"), 1, "did you mean 'duskrain'")
    p.expect("long", p.run("serve", "--socket", "x" * 200), 2, "at most")
    p.path("file").write_text("mine")
    p.expect("file", p.run("serve", "--socket", "file"), 1, "not a socket")
    p.check(p.path("file").read_text() == "mine", "the file was changed")
    p.expect("folder", p.run("serve", "--socket", "none/s"), 1, "cannot listen")


def test_clients(p, *arguments):
    server = Server(p, *arguments, "--clients", "4", "--timeout", "5")
    descriptors, threads = server.count("fd"), server.count("task")
    # clients that die at every moment of a conversation
    conversation = lines(MAKE, {"do": "step", "action": 1}, {"do": "save"}) * 3
    for length in (0, 1, 30, len(conversation) // 2, len(conversation) - 1, len(conversation)):
        for reads in (False, True):
            connection = server.connect()
            connection.sendall(conversation[:length])
            if reads and length > 100:
                connection.recv(1000)
            connection.close()
            p.check(server.settle("fd", descriptors) == descriptors, f"{length} bytes: a descriptor is left")
    p.check(server.settle("task", threads) == threads, "threads are left")
    # several agents at the same time play their own games; one too many is told
    connections = [server.connect() for _ in range(4)]
    for connection in connections:
        connection.sendall(lines(MAKE, {"do": "step", "action": 1}))
    first = [connection.makefile("rb").readline() for connection in connections]
    p.check(len(set(first)) == 1 and json.loads(first[0])["ok"], "clients differ")
    p.check("as many clients" in receive(server.connect())[0]["error"], "the fifth client was not refused")
    for connection in connections:
        connection.close()
    p.check(server.settle("fd", descriptors) == descriptors, "descriptors are left")
    # a client in the middle of everything when the server is interrupted
    connection = server.connect()
    connection.sendall(lines(MAKE))
    connection.recv(10)
    status, error = server.stop()
    p.check(status == 0, f"interrupted: {status}")
    p.check("in the middle of a message" in error, f"nothing about half messages: {error}")
    connection.close()


def test_silent(p):
    server = Server(p, "--socket", "silent.sock", "--timeout", "0.3")
    connection = server.connect()
    connection.sendall(b'{"do"')
    p.check(connection.recv(100) == b"", "a silent client was not cut off")
    status, error = server.stop()
    p.check(status == 0 and "silent for too long" in error, f"silent: {error}")


def test_left_over(p):
    server = Server(p, "--socket", "old.sock")
    p.expect("in use", p.run("serve", "--socket", "old.sock"), 1, "another program listens")
    p.check(p.path("old.sock").stat().st_mode & 0o777 == 0o700, "others may connect")
    server.process.kill()
    server.process.communicate()
    p.check(p.path("old.sock").exists(), "a killed server leaves its socket")
    server = Server(p, "--socket", "old.sock")
    server.connect().close()
    server.stop()
    p.check(not p.path("old.sock").exists(), "the socket was left behind")


def test_bench(p):
    result = p.run("bench", "serve", "--steps", "50", "--rounds", "1", "--tsv")
    p.expect("bench", result, 0, "steps_per_second", "duskrain\tindexed\tmsgpack\t1\t")
    p.expect("bench json", p.run("bench", "serve", "--steps", "50", "--json", "--screen", "rgb"), 0, "JSON")
    p.expect("bench game", p.run("bench", "serve", "nothing"), 1, "nothing")


def main():
    with Program() as p:
        test_pipe(p)
        test_usage(p)
        test_clients(p, "--socket", "test.sock")
        test_clients(p, "--tcp", "0")
        test_silent(p)
        test_left_over(p)
        test_bench(p)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
