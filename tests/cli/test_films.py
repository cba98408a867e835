#!/usr/bin/env python3
"""Tapes that were cut off, and films: what of a tape is proven, repaired, trimmed and exported; what films contain,
and what their names mean."""

import json
import pathlib
import shutil
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import Program  # noqa: E402


def gif_size(path):
    return struct.unpack("<HH", path.read_bytes()[6:10])


def png_size(path):
    data = path.read_bytes()
    return struct.unpack(">II", data[16:24]) if data[:4] == b"\x89PNG" else None


def test_cut(p):
    """The first seconds of a tape are good, and everything can be made of them."""
    data = p.path("a.tape").read_bytes()
    p.path("cut.tape").write_bytes(data[: len(data) - 20])
    result = p.expect(
        "replay", p.run("replay", "cut.tape"), 1, "only the first 9 seconds of 9 or more verified", "cut off"
    )
    p.check("verified, " not in result.stdout, f"a cut tape is called verified: {result.stdout}")
    report = json.loads(p.run("replay", "cut.tape", "--json").stdout)
    p.check(report["verified"] is False and report["seconds_verified"] == 9, f"report: {report}")
    report = json.loads(p.run("replay", "a.tape", "--json").stdout)
    p.check(report["seconds_verified"] == report["seconds"] == 10 and not report["rules_changed"], f"report: {report}")

    p.expect("info", p.run("tape", "info", "cut.tape", "a.tape"), 0, "9 seconds", "10 seconds", "damage", "rules ")
    lines = p.run("tape", "info", "cut.tape", "a.tape", "--json").stdout.splitlines()
    p.check([json.loads(line)["complete"] for line in lines] == [False, True], f"tape info --json: {lines}")

    p.expect("export", p.run("replay", "cut.tape", "--export", "data", "--observations", "ram"), 1, "540 steps")
    manifest = json.loads((p.path("data") / "manifest.json").read_text())
    p.check(manifest["steps"] == 540, f"steps exported: {manifest['steps']}")

    p.expect("repair", p.run("tape", "repair", "cut.tape", "-o", "whole.tape"), 0, "9 seconds", "left out", "cut off")
    p.expect("repaired", p.run("replay", "whole.tape"), 0, "verified, 9 seconds, 540 steps")
    p.expect("again", p.run("tape", "repair", "cut.tape", "-o", "whole.tape"), 1, "there already", "--force")
    p.expect("in place", p.run("tape", "repair", "cut.tape", "-o", "cut.tape", "--force"), 0)
    p.check(p.path("cut.tape").read_bytes() == p.path("whole.tape").read_bytes(), "repaired in place")
    p.expect("sound one", p.run("tape", "repair", "a.tape", "-o", "b.tape"), 0, "nothing was damaged")
    p.check(p.path("b.tape").read_bytes() == data, "repairing a whole tape changes it")
    # a head with another seed, and bytes after the end
    p.path("head.tape").write_bytes(data.replace(b"\nseed 1\n", b"\nseed 2\n"))
    p.expect("head", p.run("replay", "head.tape"), 1, "head of the tape was changed")
    p.path("junk.tape").write_bytes(data + b"junk")
    p.expect("junk", p.run("replay", "junk.tape"), 1, "4 bytes", "only the first 10 seconds of 10 or more verified")


def test_trim(p):
    """A part of a tape is a tape: the same pictures, rewards and memory as in the whole."""
    p.expect("all", p.run("replay", "a.tape", "--export", "all", "--observations", "ram"), 0, "600 steps")
    for start, end, first, count in ((None, 3, 0, 180), (3, None, 180, 420), (2.5, 4, 150, 90)):
        name = f"part{first}"
        limits = (*(("--from", start) if start else ()), *(("--to", end) if end else ()))
        p.run("tape", "trim", "a.tape", "-o", f"{name}.tape", *limits)
        # a second has 59.92 frames
        p.expect(name, p.run("replay", f"{name}.tape", "--export", name, "--observations", "ram"), 0, "verified")
        steps = json.loads((p.path(name) / "manifest.json").read_text())["steps"]
        p.check(abs(steps - count) <= 1, f"{name}: {steps} steps, not {count}")
        ram, part = ((p.path(folder) / "ram.npy").read_bytes()[128:] for folder in ("all", name))
        p.check(part in ram, f"{name}: its memory is not that of the whole tape")
    p.expect("empty", p.run("tape", "trim", "a.tape", "-o", "no.tape", "--from", 99), 1, "10 seconds")
    p.check(not p.path("no.tape").exists(), "an empty tape was left")
    p.expect("limits", p.run("tape", "trim", "a.tape", "-o", "no.tape", "--from", 5, "--to", 5), 2, "--from")


def test_changed_rules(p):
    """Rules that changed since the recording are not taken for another play."""
    games = p.path("home") / ".local" / "share" / "sixer" / "games"
    games.mkdir(parents=True)
    text = 'game mine\ntitle "Mine"\nmd5 00000000000000000000000000000000\nactions NOOP\nstep {{ reward = {} }} # {}\n'
    image = shutil.copy(pathlib.Path(__file__).resolve().parents[1] / "cartridges" / "players.bin", p.folder)
    (games / "mine.game").write_text(text.format(1, "one"))
    p.expect("record", p.run("record", "random", image, "--game", "mine", "-o", "mine.tape", "--steps", 90), 0)
    (games / "mine.game").write_text(text.format(1, "another comment"))
    p.expect("comment", p.run("replay", "mine.tape", "--rom", image), 0, "verified")
    (games / "mine.game").write_text(text.format(2, "one"))
    p.expect("changed", p.run("replay", "mine.tape", "--rom", image), 1, "the definition of the game has changed")
    # data that differ from the recording are no data
    p.expect("export", p.run("replay", "mine.tape", "--rom", image, "--export", "mine"), 1, "nothing was exported")
    p.check(not p.path("mine").exists(), "data of another play were exported")


def test_films(p):
    for name, *more in (("a.gif",), ("B.GIF",), ("c.gif", "--scale", 2), ("d.gif", "--from", 2, "--to", 5)):
        result = p.run("replay", "a.tape", "--video", name, *more)
        p.expect(name, result, 0, f"{name}: ", "pictures", "seconds")
        p.check(p.path(name).read_bytes()[:6] == b"GIF89a", f"{name} is no GIF")
    p.check(p.path("a.gif").read_bytes() == p.path("B.GIF").read_bytes(), ".GIF is not .gif")
    (width, height), (wide, high) = gif_size(p.path("a.gif")), gif_size(p.path("c.gif"))
    p.check((wide, high) == (2 * width, 2 * height), f"--scale 2: {wide} x {high}")
    p.expect("part", p.run("replay", "a.tape", "--video", "d.gif", "--from", 2, "--to", 5), 0, "60 pictures")
    # one picture
    p.expect("png", p.run("replay", "a.tape", "--video", "x.PNG", "--scale", 3), 0, "x.PNG: ")
    p.check(png_size(p.path("x.PNG")) == (960, 3 * height), f"x.PNG: {png_size(p.path('x.PNG'))}")
    # a folder; the second film is shorter, and none of the first one's pictures stays
    p.expect("folder", p.run("replay", "a.tape", "--video", "frames", "--every", 60), 0, "frames: 10 pictures")
    (p.path("frames") / "notes.txt").write_text("mine")
    p.expect("folder", p.run("replay", "a.tape", "--video", "frames/", "--every", 60, "--to", 2.1), 0, "3 pictures")
    found = sorted(f.name for f in p.path("frames").iterdir())
    p.check(found == ["000000.png", "000001.png", "000002.png", "notes.txt"], f"in the folder: {found}")
    p.check(not [f for f in p.folder.iterdir() if ".part-" in f.name], "something is left")
    # names that mean nothing, and films of nothing
    p.expect("jpg", p.run("replay", "a.tape", "--video", "x.jpg"), 2, "x.jpg", ".gif")
    p.check(not p.path("x.jpg").exists(), "x.jpg was made")
    p.expect("late", p.run("replay", "a.tape", "--video", "late.gif", "--from", 99), 1, "no picture", "10.0 seconds")
    p.check(not p.path("late.gif").exists(), "a film without pictures")
    p.expect("order", p.run("replay", "a.tape", "--video", "x.gif", "--from", 3, "--to", 2), 2, "--from")
    p.expect("useless", p.run("replay", "a.tape", "--scale", 3), 2, "--video")


def gif_seconds(path):
    """The sum of the delays of a GIF's pictures."""
    parts = path.read_bytes().split(b"\x21\xf9\x04")[1:]
    return sum(struct.unpack("<H", part[1:3])[0] for part in parts) / 100


def test_speed(p):
    """A film lasts as long as the play, whatever the frame skip."""
    for skip, every in ((1, None), (4, None), (5, None), (5, 7), (2, 8)):
        name = f"skip{skip}_{every}"
        run = p.run("record", "random", "duskrain", "-o", name + ".tape", "--frame-skip", skip, "--steps", 600 // skip)
        p.expect("record", run, 0)
        options = () if every is None else ("--every", every)
        p.expect("film", p.run("replay", name + ".tape", "--video", name + ".gif", *options), 0, "10.0 seconds")
        found = gif_seconds(p.path(name + ".gif"))
        p.check(abs(found - 10) < 0.1, f"skip {skip}, every {every}: {found}")


def test_early(p):
    """Outputs that cannot be written are found before anything is computed."""
    for command in (
        "demo -o nowhere/x.png",
        "demo -o frames",
        "baselines duskrain --scores nowhere/x.csv",
        "background duskrain -o nowhere/x.background --screens 10000000",
        "background duskrain -o x.background --png nowhere/x.png --screens 10000000",
        "record random duskrain -o nowhere/x.tape --episodes 1000",
        "replay a.tape --video nowhere/x.gif",
        "replay a.tape --sound nowhere/x.wav",
        "replay a.tape --export nowhere/x",
    ):
        result = p.expect(
            command, p.run(*command.split(), timeout=10), 1, "nowhere" if "nowhere" in command else "frames"
        )
        p.check(result.stdout == "", f"{command}: computed something: {result.stdout[:100]}")


def main():
    with Program() as p:
        p.expect("record", p.run("record", "random", "duskrain", "-o", "a.tape", "--steps", 600), 0)
        test_cut(p)
        test_trim(p)
        test_changed_rules(p)
        test_films(p)
        test_speed(p)
        test_early(p)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
