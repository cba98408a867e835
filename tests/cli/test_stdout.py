#!/usr/bin/env python3
"""Output that cannot be written: a full disk is an error with exit status 1, a reader that has seen enough is none, and
a closed standard output never leads into another file."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import SIXER, Program  # noqa: E402

COMMANDS = (
    "--help",
    "--version",
    "help",
    "help man",
    "help tsv",
    "games",
    "games --json",
    "games --help",
    "games check x.game",
    "info duskrain",
    "info x.checkpoint",
    "roms list",
    "trace duskrain --steps 2",
    "watch --agents",
    "record random duskrain --steps 9 -o y.tape",
    "record random duskrain --steps 9 -o z.tape --json",
    "replay x.tape",
    "replay x.tape --json",
    "replay x.tape --info",
    "baselines duskrain --episodes 1 --max-frames 9 --tsv",
    "baselines duskrain --episodes 1 --max-frames 9 --json",
    "eval --list",
    "atari5 models",
    "plan uct duskrain --simulations 1 --decisions 1",
    "train --list",
    "bench raw duskrain --frames 9 --runs 1 --warm-up 1",
)


def main():
    with Program() as p:
        p.path("x.game").write_text(
            'game x\ntitle "X"\nmd5 00000000000000000000000000000000\nactions NOOP FIRE\nstep { reward = ram[0x80] }\n'
        )
        p.expect("tape", p.run("record", "random", "duskrain", "--steps", 9, "-o", "x.tape"), 0)
        p.expect("model", p.run("train", "sarsa", "duskrain", "--frames", 200, "--evaluation", 0, "--out", "runs"), 0)
        models = sorted(p.path("runs").glob("*.checkpoint"))
        if p.check(len(models) == 1, f"one checkpoint: {models}"):
            models[0].rename(p.path("x.checkpoint"))

        for command in COMMANDS:
            for made in ("y.tape", "z.tape"):
                p.path(made).unlink(missing_ok=True)
            p.expect(command, p.run(*command.split()), 0)
            for made in ("y.tape", "z.tape"):
                p.path(made).unlink(missing_ok=True)
            with open("/dev/full", "w") as full:
                result = p.run(*command.split(), stdout=full)
            p.expect(f"{command} > /dev/full", result, 1, "standard output cannot be written")

        # output that is larger than a buffer, so that it fails long before the end
        with open("/dev/full", "w") as full:
            p.expect("trace", p.run("trace", "duskrain", "--steps", 3000, stdout=full), 1, "standard output")

        # a reader that stops: no message, whether the signal ends the program or writing fails
        for ignore in ("", "trap '' PIPE; "):
            command = f"{ignore}'{SIXER}' trace duskrain --steps 20000 | head -n 1"
            result = subprocess.run(
                ["bash", "-c", command], cwd=p.folder, env=p.environment, capture_output=True, text=True, timeout=60
            )
            p.check(result.stderr == "", f"{ignore}| head: {result.stderr}")
            p.check(result.stdout.count("\n") == 1, f"{ignore}| head: {result.stdout}")

        # with a closed standard output the tape would get its number
        command = f"'{SIXER}' record random duskrain --steps 100 -o closed.tape >&-"
        result = subprocess.run(
            ["bash", "-c", command], cwd=p.folder, env=p.environment, capture_output=True, text=True
        )
        p.check(result.returncode == 1, f"closed stdout: exit status {result.returncode}")
        p.expect("the tape", p.run("replay", "closed.tape"), 0, "verified")
        return p.finish()


if __name__ == "__main__":
    if not os.path.exists("/dev/full"):
        print("skipped: there is no /dev/full")
        sys.exit(77)
    sys.exit(main())
