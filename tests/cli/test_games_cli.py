#!/usr/bin/env python3
# label: long
"""`sixer games` and `sixer roms` from outside: listing, checking, importing by content, and what they refuse.

The images and their definitions are made here, so no other cartridge image is needed.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build/release")).resolve() / "sixer"
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")


class Place:
    """A home of its own for one test: folders for images and definitions, and a way to run sixer in it."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.roms, self.games = self.root / "roms", self.root / "games"
        self.games.mkdir()
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "SIXER_ROMS": str(self.roms),
            "SIXER_GAMES": str(self.games),
        }

    def run(self, *arguments):
        return subprocess.run(
            [SIXER, *map(str, arguments)], env=self.env, cwd=self.root, capture_output=True, text=True, timeout=60
        )

    def define(self, game, image):
        (self.games / f"{game}.game").write_text(
            f'game {game}\ntitle "Test {game}"\nmd5 {hashlib.md5(image).hexdigest()}\n'
            "actions NOOP FIRE\nstep { reward = ram[0x80] }\n"
        )


def listed_games(place):
    """How many games there are, and how many of them are inside the library."""
    games = json.loads(place.run("games", "--json").stdout)
    return len(games), sum(g["inside"] for g in games)


def image(seed, size=4096):
    out = b""
    while len(out) < size:
        out += hashlib.sha256(f"{seed} {len(out)}".encode()).digest()
    return out[:size]


def archive(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, contents in members.items():
            z.writestr(name, contents)
    return out.getvalue()


def test_list(place):
    run = place.run("games")
    listed = len(run.stdout.splitlines()) - 1
    check(run.returncode == 0 and listed >= 104, "104 games and our own are listed under a heading")
    check("ms_pacman" in run.stdout, "Ms. Pac-Man is among them")
    run = place.run("games", "PAC", "pong")
    check(run.returncode == 0 and "pong " in run.stdout and "zaxxon" not in run.stdout, "patterns choose")
    run = place.run("games", "sixer/")
    check(
        [line.split()[0] for line in run.stdout.splitlines()[1:]]
        == ["afterglow", "cragfast", "duskrain", "hearthring", "hedgelight", "sporefall", "undervault", "wispherd"]
        and all(" 256 " in line for line in run.stdout.splitlines()[1:]),
        "our own games by their namespace",
    )
    check("levels       0 to 255" in place.run("info", "duskrain").stdout, "levels of a game")
    run = place.run("games", "no such game")
    check(run.returncode == 1 and "no game's id or title contains" in run.stderr, "nothing found is a failure")
    games = json.loads(place.run("games", "--json").stdout)
    by_id = {g["id"]: g for g in games}
    known = [g for g in games if g["gymnasium_id"].startswith("ALE/")]
    check(
        len(games) == listed
        and len(known) == 104
        and sum(len(g["modes"]) * len(g["difficulties"]) for g in known) == 1090,
        "1090 flavors in JSON",
    )
    check(by_id["space_war"]["default_mode"] == 6 and by_id["pong"]["paddles"], "details in JSON")
    counts = [[len(by_id[g][f"modes_{n}_players"]) for n in (2, 3, 4)] for g in ("pong", "hearthring", "asterix")]
    check(counts == [[22, 0, 26], [4, 4, 4], [0, 0, 0]], f"modes by number of players: {counts}")
    check(" 1,2,4 " in place.run("games", "pong").stdout, "numbers of players in the list")
    found = place.run("info", "hearthring")
    check("3 players    8, 9, 10, 11" in found.stdout, f"modes by number of players in info: {found.stdout}")
    check(
        by_id["asterix"]["score_rolls_over_at"] == 1000000 and by_id["chopper_command"]["score_rolls_over_at"] is None,
        "counters in JSON",
    )
    check(
        by_id["ms_pacman"]["legacy"]
        and not by_id["klax"]["legacy"]
        and by_id["tic_tac_toe_3d"]["gymnasium"] == "TicTacToe3D",
        "names for Gymnasium in JSON",
    )
    place.define("zz_mine", image(1))
    games = json.loads(place.run("games", "--json").stdout)
    check(
        len(games) == listed + 1 and not games[-1]["built_in"] and games[-1]["gymnasium_id"] == "sixer/ZzMine-v0",
        "a definition of the user's is listed",
    )
    (place.games / "bad.game").write_text("game bad\nnonsense\n")
    run = place.run("games")
    check(
        run.returncode == 1 and "bad.game:2:1: unknown word 'nonsense'" in run.stderr and "pong" in run.stdout,
        "a bad file is reported and the others listed",
    )


def test_check(place):
    place.define("good", image(2))
    good, bad = place.games / "good.game", place.root / "bad.game"
    bad.write_text(good.read_text().replace("good", "worse").replace("reward =", "reward = 1 +* "))
    run = place.run("games", "check", good)
    check(run.returncode == 0 and 'good, "Test good": 1 mode' in run.stdout, "a good file is described")
    run = place.run("games", "check", bad, good)
    check(run.returncode == 1 and f"{bad}:5:20: expected a value, found '*'" in run.stderr, "a bad one is refused")
    check("good" in run.stdout, "and the others are checked all the same")
    check(place.run("games", "check").returncode == 2, "check without a file is bad usage")
    check(place.run("games", "check", "nowhere.game").returncode == 1, "a missing file is a failure")
    run = place.run("games", "check", *sorted((ROOT / "games").glob("*.game")))
    check(
        run.returncode == 0 and len(run.stdout.splitlines()) == len(list((ROOT / "games").glob("*.game"))),
        "all definitions of the project are right",
    )


def test_import(place):
    images = {
        name: image(name, size)
        for name, size in (
            ("one", 2048),
            ("two", 4096),
            ("three", 8192),
            ("four", 16384),
            ("five", 4096),
            ("six", 4096),
        )
    }
    for name, contents in images.items():
        place.define(name, contents)
    source = place.root / "source"
    (source / "deep/er").mkdir(parents=True)
    (source / "A Game (1982) [!].a26").write_bytes(images["one"])
    (source / "deep/er/noname").write_bytes(images["two"])
    (source / "again.bin").write_bytes(images["one"])
    (source / "strange.bin").write_bytes(image("nobody's"))
    (source / "readme.txt").write_text("not an image")
    (source / "large.iso").write_bytes(bytes(600_000))
    (source / "three.bin.gz").write_bytes(gzip.compress(images["three"]))
    (source / "empty.bin").write_bytes(b"")
    inner = archive({"five": images["five"]}, zipfile.ZIP_STORED)
    (source / "roms.zip").write_bytes(archive({"x/four.rom": images["four"], "inner.zip": inner, "y/": b""}))

    run = place.run("roms", "import", "source", "--dry-run")
    check(
        run.returncode == 0 and "5 would be imported" in run.stdout and not place.roms.exists(),
        "a dry run writes nothing",
    )
    check("to import" in run.stdout and "imported   " not in run.stdout, f"rows of a dry run: {run.stdout}")
    run = place.run("roms", "import", "source")
    check(run.returncode == 0, f"import: {run.stderr}")
    for name in ("one", "two", "three", "four", "five"):
        there = place.roms / f"{name}.bin"
        check(there.is_file() and there.read_bytes() == images[name], f"{name} was imported")
    check("duplicate" in run.stdout and "again.bin" in run.stdout, "a duplicate is reported")
    check("unknown    source/strange.bin" in run.stdout, "an unknown image is reported")
    check("5 imported" in run.stdout and "1 duplicate, 1 unknown image," in run.stdout, "and counted")
    check(
        sorted(p.name for p in place.roms.iterdir())
        == [f"{n}.bin" for n in sorted(("one", "two", "three", "four", "five"))],
        "nothing else was written",
    )
    run = place.run("roms", "import", "source")
    check(run.returncode == 0 and "0 imported" in run.stdout and "5 already there" in run.stdout, "a second time")

    # never overwritten
    (place.roms / "six.bin").write_bytes(b"something else")
    (source / "six.bin").write_bytes(images["six"])
    run = place.run("roms", "import", source / "six.bin")
    check(run.returncode == 1 and "exists with other contents" in run.stdout, "other contents are kept")
    check((place.roms / "six.bin").read_bytes() == b"something else", "and not touched")

    run = place.run("roms", "list")
    total, inside = listed_games(place)
    check(run.returncode == 0 and f"{6 + inside} of {total} games have an image" in run.stdout, "the images are listed")
    run = place.run("roms", "verify")
    check(
        run.returncode == 1
        and "wrong     six" in run.stdout
        and "right     five" in run.stdout
        and "1 is wrong" in run.stdout,
        "a wrong image is found",
    )
    rows = {r["id"]: r for r in json.loads(place.run("roms", "verify", "--json").stdout)}
    check(rows["one"]["right"] is True and rows["six"]["right"] is False and rows["pong"]["right"] is None, "in JSON")

    other = place.root / "some/where/else"
    run = place.run("roms", "import", source / "A Game (1982) [!].a26", "--to", other)
    check(run.returncode == 0 and (other / "one.bin").read_bytes() == images["one"], "a folder of choice")


def test_bad_sources(place):
    place.define("one", image("one"))
    run = place.run("roms", "import", "no_such_thing")
    check(
        run.returncode == 1 and "neither a folder, a file nor an installed Python package" in run.stderr,
        "nothing there",
    )
    check(place.run("roms").returncode == 2 and place.run("roms", "import").returncode == 2, "bad usage")
    check(place.run("roms", "list", "extra").returncode == 2, "a word too many")
    whole = archive({"one.bin": image("one"), "two.bin": image("two")})
    for name, contents in {
        "cut.zip": whole[: len(whole) // 2],
        "no directory.zip": whole[:-22],
        "bits.zip": whole[:200] + bytes([whole[200] ^ 255]) + whole[201:],
        "lengths.zip": whole[:-6] + b"\xff\xff\xff\x7f" + whole[-2:],
        "header only.zip": b"PK\3\4" + bytes(60),
    }.items():
        path = place.root / name
        path.write_bytes(contents)
        run = place.run("roms", "import", path)
        check(run.returncode == 1 and run.stderr.startswith("sixer roms: "), f"{name} is refused")
    for at in range(0, len(whole), 19):  # whatever byte is wrong: no crash
        path = place.root / "changed.zip"
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x5A]) + whole[at + 1 :])
        run = place.run("roms", "import", path, "--dry-run")
        if run.returncode not in (0, 1):
            check(False, f"byte {at} changed: status {run.returncode}")
            break
    broken = place.root / "broken.bin.gz"
    broken.write_bytes(gzip.compress(image("one"))[:100])
    check(place.run("roms", "import", broken).returncode in (0, 1), "half a gzip file")
    file_in_the_way = place.root / "file"
    file_in_the_way.write_text("")
    run = place.run("roms", "import", place.root, "--to", file_in_the_way / "x")
    check(run.returncode == 1 and "Not a directory" in run.stderr, "a folder that cannot be made")


def test_import_targets(place):
    """A folder of a Python package is not written to; a disk without room gives one message."""
    source = place.root / "source"
    source.mkdir()
    for i in range(8):
        data = image(i)
        place.define(f"game_{i}", data)
        (source / f"{i}.bin").write_bytes(data)
    package = place.root / "lib" / "python3" / "site-packages" / "ale_py" / "roms"
    package.mkdir(parents=True)
    place.env["SIXER_ROMS"] = str(package)
    run = place.run("roms", "import", source)
    data_folder = place.root / ".local" / "share" / "sixer" / "roms"
    check(run.returncode == 0 and "Python package" in run.stderr, f"import beside a package: {run.stderr}")
    check(not list(package.iterdir()), "the package's folder was written to")
    check(len(list(data_folder.iterdir())) == 8, "the images are in the user's data folder")
    run = place.run("roms", "import", source, "--to", package)
    check(run.returncode == 0 and len(list(package.iterdir())) == 8, "--to overrides that")

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    run = subprocess.run(
        [SIXER, "roms", "import", source, "--to", place.root / "full"],
        env=place.env,
        cwd=place.root,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=small_files,
    )
    check(run.returncode == 1 and run.stderr.count("\n") == 1, f"a full disk: {run.returncode}, {run.stderr}")
    check("nothing more is imported" in run.stderr and "0 imported" in run.stdout, f"and counted: {run.stdout}")


def test_documentation(place):
    """What docs/games.md tells people to write is right, word for word."""
    blocks = (ROOT / "docs/games.md").read_text().split("```")[1::2]
    example = next(b for b in blocks if "game     mygame" in b)
    contents = image("mygame")
    example = example.replace("0f341e1c4b9dbe6a4f0bd0f0d7f0a0e3", hashlib.md5(contents).hexdigest())
    parts = [b for b in blocks if b.lstrip().startswith(("modes", "levels"))]
    check(len(parts) == 2, "the documentation shows modes and levels")
    for further in ["", *parts]:
        (place.games / "mygame.game").write_text(example + further)
        run = place.run("games", "check", place.games / "mygame.game")
        check(run.returncode == 0, f"the worked example: {run.stderr}")
    (place.games / "mygame.game").write_text(example)
    run = place.run("games", "check", place.games / "mygame.game")
    check('mygame, "My Game": 1 mode, 1 difficulty, 6 actions, 4 variables' in run.stdout, "its description")
    (place.root / "mygame.bin").write_bytes(contents)
    run = place.run("roms", "import", "mygame.bin")
    check("imported   mygame.bin: mygame" in run.stdout, "its import")
    run = place.run("info", "mygame")
    check(run.returncode == 0 and "My Game" in run.stdout, "and then it is known by its id")
    run = place.run("trace", "mygame", "--steps", "20")
    check(run.returncode == 0 and "# digest" in run.stdout, "and plays")


def main():
    if not SIXER.exists():
        print(f"skipped: {SIXER} is not built")
        return 77
    for test in (test_list, test_check, test_import, test_bad_sources, test_import_targets, test_documentation):
        with tempfile.TemporaryDirectory() as folder:
            test(Place(folder))
    print(f"{len(failures)} failures" if failures else "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
