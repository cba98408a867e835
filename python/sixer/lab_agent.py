"""Plays as an agent of `sixer lab`: `[agent.mine]` with `class = "my_agents:Greedy"` starts
`python3 -m sixer.lab_agent my_agents:Greedy`, which speaks with the experiment over stdin and stdout (docs/serve.md).

The name is that of a class or a function in a module that is found from the current folder:

    class Greedy:
        screen = "gray"  # or "rgb", "indexed", None
        ram = False

        def __init__(self, game):  # a dict: "game", "actions", "seed", "frame_skip", "height", ...
            self.rng = random.Random(game["seed"])
            self.actions = game["actions"]

        def act(self, now):  # a dict: "screen", "ram" (arrays), "reward", "lives", "learning", ...
            return self.rng.choice(self.actions)

        def end(self, now):  # may be left out: the episode is over, with its last reward
            ...

    def play(now, game):  # a function has no memory; it gets screen and RAM
        return game["actions"][now["ram"][5] % len(game["actions"])]

A class is saved by its methods save() -> bytes and load(bytes), else by pickling its attributes.
"""

from __future__ import annotations

import base64
import contextlib
import importlib
import json
import os
import pickle
import sys
from collections.abc import Callable
from typing import Any, TextIO

import numpy as np


class _Function:
    """A function in the place of a class."""

    screen, ram = "gray", True

    def __init__(self, function: Callable[..., int], game: dict[str, Any]):
        self.function, self.game = function, game

    def act(self, now: dict[str, Any]) -> int:
        return self.function(now, self.game)

    def save(self) -> bytes:
        return b""

    def load(self, state: bytes) -> None:
        pass


class Host:
    """The connection to the experiment, and the agent that answers it."""

    def __init__(self, name: str, source: TextIO, target: TextIO):
        module_name, _, attribute = name.partition(":")
        self.maker = getattr(importlib.import_module(module_name), attribute)
        self.source, self.target = source, target
        self.is_class = isinstance(self.maker, type)

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request. Whenever the experiment wants a checkpoint instead of replying, it gets one first."""
        while True:
            self.target.write(json.dumps(request) + "\n")
            self.target.flush()
            line = self.source.readline()
            if not line:
                sys.exit(0)  # the experiment is over
            reply: dict[str, Any] = json.loads(line)
            if not reply["ok"]:
                raise RuntimeError(reply["error"])
            if not reply.get("checkpoint"):
                return reply
            request = {"do": "checkpoint", "state": base64.b64encode(self.save()).decode()}

    def look(self, reply: dict[str, Any]) -> dict[str, Any]:
        """Screens and RAM as arrays."""
        if "screen" in reply:
            pixels = np.frombuffer(base64.b64decode(reply["screen"]), np.uint8)
            rgb = self.game["screen_kind"] == "rgb"
            reply["screen"] = pixels.reshape((-1, 160, 3) if rgb else (-1, 160))
        if "ram" in reply:
            reply["ram"] = np.frombuffer(base64.b64decode(reply["ram"]), np.uint8)
        return reply

    def begin(self, game: dict[str, Any]) -> None:
        self.game = game
        self.agent = self.maker(game) if self.is_class else _Function(self.maker, game)

    def save(self) -> bytes:
        save = getattr(self.agent, "save", None)
        inner = save() if save else pickle.dumps(self.agent.__dict__)
        return pickle.dumps((self.game, inner))

    def load(self, state: bytes) -> None:
        game, inner = pickle.loads(state)
        self.begin(game)
        if hasattr(self.agent, "load"):
            self.agent.load(inner)
        else:
            self.agent.__dict__.update(pickle.loads(inner))

    def play(self) -> None:
        """Play until the experiment closes the connection."""
        hello = self.ask(do="hello", protocol=1, saves=True)
        if "state" in hello:
            self.load(base64.b64decode(hello["state"]))
            reply = self.ask(do="resume")
        else:
            kind = self.maker if self.is_class else _Function
            screen = getattr(kind, "screen", "gray") or "none"
            game = self.ask(do="make", screen=screen, ram=bool(getattr(kind, "ram", False)))
            for key in ("ok", "screen", "ram"):
                game.pop(key, None)
            self.begin({**game, "screen_kind": screen})
            reply = self.ask(do="reset")
        while True:
            now = self.look(reply)
            if now.get("over"):
                end = getattr(self.agent, "end", None)
                if end:
                    end(now)
                reply = self.ask(do="reset")
            else:
                reply = self.ask(do="step", action=int(self.agent.act(now)))


def main() -> int:
    if len(sys.argv) != 2 or ":" not in sys.argv[1]:
        print("usage: python -m sixer.lab_agent MODULE:NAME", file=sys.stderr)
        return 2
    # what the agent prints must not come between the messages
    target = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.path.insert(0, os.getcwd())
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        Host(sys.argv[1], sys.stdin, target).play()
    return 0


if __name__ == "__main__":
    sys.exit(main())
