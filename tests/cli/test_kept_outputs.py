#!/usr/bin/env python3
"""Outputs that exist are lost by no error, no interruption and no missing display; devices, pipes and links are never
replaced."""

import os
import pathlib
import signal
import stat
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import SIXER, Program  # noqa: E402


def hidden(p):
    return [f.name for f in p.folder.iterdir() if ".part-" in f.name]


def test_errors(p):
    """--force deletes nothing before everything was checked."""
    good = p.path("good.tape")
    p.expect("record", p.run("record", "random", "duskrain", "-o", good, "--steps", 100), 0)
    before = good.read_bytes()
    for command in (
        "record random duskrain -o good.tape --force --mode 99",
        "record randmo duskrain -o good.tape --force",
        "record random:frequency=x duskrain -o good.tape --force",
        "record random duskrian -o good.tape --force",
        "record random duskrain -o good.tape --force --game nothing",
        "record random duskrain -o good.tape --force --steps -1",
        "record random duskrain -o good.tape",
        "record good.tape -o good.tape --force",
        "play duskrain --record good.tape --force",
        "play duskrian --record good.tape --force --terminal",
        "play duskrain --record good.tape --terminal",
        "play duskrain --record good.tape --force --terminal",
        "watch random duskrain --record good.tape --force --mode 99 --terminal",
        "watch good.tape --record good.tape --force --terminal",
    ):
        result = p.run(*command.split(), stdin=subprocess.DEVNULL)
        p.check(result.returncode in (1, 2), f"{command}: exit status {result.returncode}")
        if not p.check(good.exists() and good.read_bytes() == before, f"{command}: the tape is gone or changed"):
            good.write_bytes(before)
    p.check(not hidden(p), f"left: {hidden(p)}")
    # a play that never began leaves no new tape
    for command in ("play duskrain", "play duskrain --terminal", "watch random duskrain --terminal --mode 99"):
        p.run(*command.split(), "--record", "new.tape", stdin=subprocess.DEVNULL)
        p.check(not p.path("new.tape").exists(), f"{command}: an empty tape was left")
    # what goes well replaces
    p.expect("force", p.run("record", "random", "duskrain", "-o", good, "--force", "--steps", 50), 0)
    p.check(good.read_bytes() != before and not hidden(p), "--force did not replace the tape")
    p.expect("replay", p.run("replay", good), 0, "50 steps")


def test_other_outputs(p):
    """Films, pictures, sound, tables and tapes that exist stay when the command that names them fails."""
    p.expect("record", p.run("record", "random", "duskrain", "-o", "tape", "--steps", 100), 0)
    tape = bytearray(p.path("tape").read_bytes())
    tape[tape.index(b"---\n") + 40] ^= 1  # in the first second, so that nothing of it can be shown
    p.path("damaged.tape").write_bytes(tape)
    for command in (
        "demo duskrain --mode 99 -o old.gif",
        "demo duskrian -o old.png",
        "replay damaged.tape --video old.gif",
        "replay damaged.tape --sound old.wav",
        "replay tape --from 500 --video old.png",
        "watch random duskrain --mode 99 --seconds 1 --video old.gif",
        "watch randmo duskrain --seconds 1 --video old.png",
        "plan uct duskrain --simulations 1 --mode 99 --video old.gif",
        "baselines duskrain --only nothing --scores old.csv",
        "tape trim damaged.tape --from 0 --to 1 --force -o old.tape",
        "report missing.csv -o old.html",
        "background duskrian -o old.background",
        "model export tape -o old.npz",
    ):
        path = p.path(command.split()[-1])
        path.write_bytes(b"old")
        result = p.run(*command.split(), stdin=subprocess.DEVNULL)
        p.check(result.returncode in (1, 2), f"{command}: exit status {result.returncode}")
        p.check(path.exists() and path.read_bytes() == b"old", f"{command}: the older file is gone or changed")
        path.unlink(missing_ok=True)
    p.check(not hidden(p), f"left: {hidden(p)}")


def interrupt_record(p, *more):
    process = subprocess.Popen(
        [SIXER, "record", "random", "duskrain", "--episodes", "0", "--steps", "1000000000", *more],
        cwd=p.folder,
        env=p.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    files = []
    for _ in range(600):
        time.sleep(0.05)
        files = [f for f in p.folder.glob("**/*") if "stop" in f.name and f.is_file() and f.stat().st_size > 3000]
        if files or process.poll() is not None:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    p.check(process.returncode == 1, f"interrupted: exit status {process.returncode}")
    p.check("interrupted" in err, f"interrupted: {out} {err}")
    return err


def test_interrupted(p):
    """Ctrl-C closes the tape; one that would have been replaced stays."""
    interrupt_record(p, "-o", "stop.tape")
    p.expect("replay", p.run("replay", "stop.tape"), 0, "verified")
    p.path("stop.tape").unlink()
    old = p.path("unstoppable.tape")
    p.expect("record", p.run("record", "random", "duskrain", "-o", old, "--steps", 10), 0)
    before = old.read_bytes()
    said = interrupt_record(p, "-o", old.name, "--force")
    p.check(old.read_bytes() == before, "the tape that was to be replaced is gone")
    left = hidden(p)
    if p.check(len(left) == 1 and left[0] in said, f"what was recorded: {left}, {said}"):
        p.expect("rest", p.run("replay", left[0]), 0, "verified")
        p.path(left[0]).unlink()


def test_special(p):
    """Devices and pipes are refused or written to, links followed."""
    os.mkfifo(p.path("pipe"))
    p.expect("tape to a pipe", p.run("record", "random", "duskrain", "-o", "pipe", "--force", "--steps", 5), 1, "pipe")
    p.check(stat.S_ISFIFO(p.path("pipe").lstat().st_mode), "the pipe was replaced")
    null = p.path("null")  # a device of our own: if this breaks, root's /dev/null stays
    try:
        os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        null.write_bytes(b"x")
    except PermissionError:  # not root, or a file system without devices: /dev/null, which nobody else can replace
        if os.geteuid() == 0:
            print("SKIPPED devices: none can be made here, and root could replace /dev/null")
            null = None
        else:
            null = pathlib.Path("/dev/null")
    before = null and os.stat(null)
    short = ("--episodes", "1", "--max-frames", "60")
    for command in (
        ("record", "random", "duskrain", "-o", null, "--force", "--steps", "5"),
        ("demo", "duskrain", "-o", null, *short),
        ("baselines", "duskrain", "--only", "random", "--scores", null, *short),
    ):
        if null:
            p.run(*command)
            now = os.stat(null)
            p.check(stat.S_ISCHR(now.st_mode) and now.st_ino == before.st_ino, f"{command}: the device was replaced")
    p.path("target.png").write_bytes(b"old")
    p.path("link.png").symlink_to("target.png")
    p.expect("demo", p.run("demo", "duskrain", "-o", "link.png", *short), 0)
    p.check(p.path("link.png").is_symlink(), "the link was replaced")
    p.check(p.path("target.png").read_bytes()[:4] == b"\x89PNG", "the file behind the link is not the picture")
    p.path("target.tape").write_bytes(b"old")
    p.path("link.tape").symlink_to("target.tape")
    p.expect("record", p.run("record", "random", "duskrain", "-o", "link.tape", "--force", "--steps", 5), 0)
    p.check(p.path("link.tape").is_symlink() and p.path("target.tape").stat().st_size > 100, "tape behind a link")


def main():
    with Program(DISPLAY="", WAYLAND_DISPLAY="") as p:
        test_errors(p)
        test_other_outputs(p)
        test_interrupted(p)
        test_special(p)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
