#!/usr/bin/env python3
"""What a new user types wrong, and what the program then suggests."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import ROOT, Program  # noqa: E402

CARTRIDGE = ROOT / "tests" / "cartridges" / "players.bin"


def test_suggestions(p):
    for command, status, *words in (
        ("palns", 2, "did you mean 'plan'"),
        ("help recrod", 2, "did you mean 'record'"),
        ("roms improt", 2, "did you mean 'import'", "import, list or verify"),
        ("atari5 serch", 2, "did you mean 'search'"),
        ("bench rwa", 2, "did you mean 'raw'"),
        ("games --jsno", 2, "did you mean '--json'"),
        ("record random duskrain --epsiodes=3 -o x.tape", 2, "did you mean '--episodes'"),
        ("record randmo duskrain -o x.tape", 1, "did you mean 'random'"),
        ("record random duskrian -o x.tape", 1, "did you mean 'duskrain'"),
        ("play Breakout", 1, "did you mean 'breakout'"),
        ("info space", 1, "space_invaders"),
        ("record random duskrain --game pogn -o x.tape", 1, "did you mean 'pong'"),
        ("info mygmae", 1, "did you mean 'mygame'"),
    ):
        p.expect(command, p.run(*command.split()), status, *words)


def test_missing_image(p):
    for command in ("play breakout", "record random breakout -o x.tape", "info breakout"):
        p.expect(command, p.run(*command.split()), 1, "Breakout", "sixer roms import", "pip install ale-py")
    # ale-py does not have the user's games
    p.expect("play mygame", p.run("play", "mygame"), 1, "My Game", "sixer roms import", never=["pip install"])
    # a path is a file and nothing else
    p.expect("path", p.run("play", "./breakout.bin"), 1, "there is no file './breakout.bin'", never=["pip install"])


def test_version(p):
    texts = {p.expect(word, p.run(word), 0, "sixer ").stdout for word in ("--version", "-V", "version")}
    p.check(len(texts) == 1 and re.match(r"sixer \d+\.\d+\.\d+, behavior \d+\n", texts.pop()), "version")


OWN = ("afterglow", "cragfast", "duskrain", "hearthring", "hedgelight", "sporefall", "undervault", "wispherd")


def test_agents(p):
    """Scripted players are agents; planners decide at the same rate everywhere."""
    for game in OWN:
        short = ("--max-frames", "3000", "--json", "--force", "-o", "s.tape")
        scores = []
        for agent in ("random", "scripted"):
            result = p.expect(f"{agent} {game}", p.run("record", agent, game, *short), 0)
            scores.append(json.loads(result.stdout)["mean_score"] if result.returncode == 0 else 0)
        p.check(scores[1] > scores[0], f"{game}: scripted {scores[1]}, random {scores[0]}")
        p.expect("replay", p.run("replay", "s.tape"), 0, "verified")
    p.expect("other games", p.run("record", "scripted", CARTRIDGE, "-o", "t.tape"), 1, "hedgelight")
    for agent, skip in (("uct:simulations=2", 5), ("full-tree:frames=200", 5), ("random", 1), ("scripted", 1)):
        p.run("record", agent, "duskrain", "--steps", 2, "--force", "-o", "s.tape")
        found = json.loads(p.run("tape", "info", "s.tape", "--json").stdout)["frame_skip"]
        p.check(found == skip, f"record {agent}: frame skip {found}")
    # what is watched is what `plan` would do
    film = ("--seconds", "0.2", "--video", "w.png", "--force", "--record", "w.tape")
    for agent, skip in (("uct:simulations=2", 5), ("scripted", 1)):
        p.expect(f"watch {agent}", p.run("watch", agent, "duskrain", *film), 0, "tape written")
        found = json.loads(p.run("tape", "info", "w.tape", "--json").stdout)["frame_skip"]
        p.check(found == skip, f"watch {agent}: frame skip {found}")
    planned = p.run("plan", "uct", "duskrain", "--simulations", 2, "--decisions", 1, "--json")
    p.check(json.loads(planned.stdout)["frame_skip"] == 5, f"plan: {planned.stdout}")
    p.run("record", "uct:simulations=2", "duskrain", "--steps", 2, "--force", "-o", "s.tape", "--frame-skip", 3)
    p.expect("asked for", p.run("tape", "info", "s.tape"), 0, "frame skip 3")


def test_first_experiment(p):
    """The experiment of scripts/run: its file is right, and its first run works."""
    result = p.run("lab", "run", ROOT / "examples" / "first.toml", "--only", 1)
    p.expect("first experiment", result, 0, "1 of 15 runs are done", "random")


def main():
    # no other python3 on the path, whose ale_py would have the images
    with Program(PATH="/nowhere", DISPLAY="", WAYLAND_DISPLAY="") as p:
        games = p.path("home") / ".local" / "share" / "sixer" / "games"
        games.mkdir(parents=True)
        (games / "mygame.game").write_text(
            'game mygame\ntitle "My Game"\nmd5 00000000000000000000000000000000\nactions NOOP\nstep { reward = 1 }\n'
        )
        test_suggestions(p)
        test_missing_image(p)
        test_version(p)
        test_agents(p)
        test_first_experiment(p)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
