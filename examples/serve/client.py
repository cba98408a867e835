"""An agent in plain Python, without the package sixer: it speaks with `sixer serve` in lines of JSON (docs/serve.md).

sixer serve --socket /tmp/sixer.sock &
python examples/serve/client.py /tmp/sixer.sock

Without a socket it speaks over stdin and stdout, as agents of `sixer lab` do: command = ["python3", "client.py"].
"""

import json
import socket
import sys

source, target = sys.stdin, sys.stdout
if len(sys.argv) > 1:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    source, target = connection.makefile("r"), connection.makefile("w")


def ask(**request):
    print(json.dumps(request), file=target, flush=True)
    reply = json.loads(source.readline() or '{"ok": false, "error": "the connection was closed"}')
    return reply if reply["ok"] else sys.exit(reply["error"])


game = ask(do="make", game="duskrain", seed=1, frame_skip=4)
for episode in range(10**9 if game.get("experiment") else 3):  # the lab closes the connection at the end
    state, score, steps = ask(do="reset"), 0, 0
    while not state.get("over"):
        state = ask(do="step", action=game["actions"][steps // 8 % len(game["actions"])])
        score, steps = score + state["reward"], steps + 1
    print(f"score {score} after {steps} steps", file=sys.stderr)
