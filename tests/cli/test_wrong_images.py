#!/usr/bin/env python3
"""An image whose content is not what its name says: a warning in every command that scores, an error where results are
made under a protocol. And definitions of the user that are wrong: reported, while all others work."""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import ROOT, Program  # noqa: E402

# an image that no definition knows, and one of our own games
UNKNOWN = ROOT / "tests" / "cartridges" / "players.bin"
OTHER = ROOT / "roms" / "duskrain.bin"


def test_names(p):
    short = ("--max-frames", "60", "--episodes", "1")
    scoring = (
        ("record random {} --force -o x.tape", *short),
        ("baselines {} --only random", *short),
        ("plan uct {} --simulations 1 --decisions 1",),
        ("demo {} -o x.png", *short),
    )
    for image, rules in ((UNKNOWN, "the rules of 'pong' apply"), (OTHER, "but of 'duskrain'")):
        shutil.copy(image, p.path("pong.bin"))
        for words, *more in scoring:
            for name in ("pong", str(p.path("pong.bin"))):
                command = words.format(name).split() + more
                p.expect(" ".join(command), p.run(*command), 0, "warning", "is not one of the game 'pong'", rules)
        # where results are compared with others
        for command in ("train sarsa pong --frames 100", "baselines pong --protocol sixer-levels"):
            result = p.expect(command, p.run(*command.split()), 1, "is not one of the game 'pong'", never=["warning"])
            p.check(result.stdout == "", f"{command} goes on: {result.stdout}")
        p.path("pong.bin").unlink()
    # rules that are asked for are no less wrong
    p.expect(
        "--game", p.run("record", "random", UNKNOWN, "--game", "pong", "-o", "y.tape", *short), 0, "warning", "'pong'"
    )
    # right names, and names that promise nothing
    shutil.copy(OTHER, p.path("unnamed.bin"))
    shutil.copy(OTHER, p.path("Duskrain.bin"))
    for name in ("duskrain", "sixer/duskrain", p.path("unnamed.bin"), p.path("Duskrain.bin"), UNKNOWN):
        command = ("record", "random", name, "--force", "-o", "x.tape", *short)
        p.expect(f"record {name}", p.run(*command), 0, never=["warning"])
    p.expect("train", p.run("train", "random", "duskrain", "--frames", 100, "--evaluation", 0), 0, never=["warning"])


def test_definitions(p):
    text = 'game {}\ntitle "T"\nmd5 {}\nactions NOOP FIRE\nstep {{ reward = 1 }}\n'
    games = p.path("home") / ".local" / "share" / "sixer" / "games"
    games.mkdir(parents=True)
    (games / "b_good.game").write_text(text.format("b_good", "b" * 32))
    (games / "a_bad.game").write_text("game a_bad\nnonsense\n")
    (games / "c_same.game").write_text(text.format("b_good", "c" * 32))
    (games / "d_same.game").write_text(text.format("d_same", "b" * 32))
    result = p.expect("games", p.run("games"), 1, "a_bad.game:2:1", "c_same.game:1:6", "d_same.game:3:5")
    p.check("b_good" in result.stdout, "the first of two that clash is listed")
    p.check("d_same" not in result.stdout, "the second is not")
    p.expect("roms", p.run("roms", "list"), 0, "a_bad.game:2:1", "b_good")
    p.expect("check", p.run("games", "check", games), 1, "a_bad.game:2:1", "b_good")
    steps = ("--steps", "3", "--episodes", "1", "--force", "-o", "x.tape")
    p.expect("rules", p.run("record", "random", UNKNOWN, "--game", "b_good", *steps), 0, "score 3 of an episode")
    p.expect("bad rules", p.run("record", "random", UNKNOWN, "--game", "a_bad", *steps), 1, "a_bad.game:2:1")


def main():
    with Program() as p:
        test_names(p)
        test_definitions(p)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
