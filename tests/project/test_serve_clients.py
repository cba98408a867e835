#!/usr/bin/env python3
# label: long, 20 s
"""The clients of examples/serve play the same episodes, each in its language, if its toolchain is there; the one in
Python also over stdin and stdout."""

import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from program import ROOT, SIXER, Program  # noqa: E402
from test_serve_sockets import Server  # noqa: E402

EXAMPLES = ROOT / "examples" / "serve"


def play(p, command, *arguments):
    server = Server(p, *arguments)
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GO111MODULE": "off"}
    result = subprocess.run([*command, server.where], capture_output=True, text=True, timeout=600, env=environment)
    status, _ = server.stop()
    p.check(result.returncode == 0 and status == 0, f"{command}: {result.stderr}")
    return result.stderr


def play_pipe(p):
    """The client's stdout is the server's stdin, and the other way round."""
    back, forth = os.pipe(), os.pipe()
    server = subprocess.Popen([SIXER, "serve"], stdin=forth[0], stdout=back[1])
    client = subprocess.Popen(
        [sys.executable, EXAMPLES / "client.py"], stdin=back[0], stdout=forth[1], stderr=subprocess.PIPE, text=True
    )
    for end in (*back, *forth):
        os.close(end)
    error = client.communicate(timeout=120)[1]
    p.check(server.wait(timeout=30) == 0, "the server failed")
    return error


def main():
    with Program() as p:
        expected = play(p, [sys.executable, EXAMPLES / "client.py"], "--socket", "py.sock")
        p.check(expected.count("score") == 3, f"Python: {expected}")
        p.check(play_pipe(p) == expected, "another game over stdin and stdout")
        for tool, command, where in (
            ("node", ["node", EXAMPLES / "client.js"], ("--socket", "js.sock")),
            ("go", ["go", "run", EXAMPLES / "client.go"], ("--tcp", "0")),
        ):
            if not shutil.which(tool):
                print(f"not tried: {tool} is not installed")
                continue
            found = play(p, command, *where)
            p.check(found == expected, f"{tool} plays another game: {found}")
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
