#!/usr/bin/env python3
"""The pictures of the manual are what docs/pictures/make draws now, pixel for pixel (those of windows apart). Those of
the page in a browser, made by docs/pictures/make-web, are all there and of the sizes that docs/web.md states."""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pixels(path):
    data, at, packed, size = path.read_bytes(), 8, b"", None
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        if name == b"IHDR":
            size = data[at + 8 : at + 16]
        if name == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += 12 + length
    return size, zlib.decompress(packed)


def page_problems(folder, manual):
    """What is wrong with the pictures web-VIEW-LOOK.png of the page. The manual names them and their sizes."""
    text = re.sub(r"\s+", " ", manual)
    found = re.search(
        r"`docs/pictures/make-web`.{0,80}views `(\w+)`, `(\w+)` and `(\w+)`; "
        r"`(\w+)` and `(\w+)` have (\d+) x (\d+) pixels, `(\w+)` has (\d+) x (\d+)",
        text,
    )
    if not found:
        return ["docs/web.md does not say how the pictures of the page are made, and their sizes"]
    views, (first, second, wide, high), (third, narrow, tall) = (
        found.groups()[:3],
        found.groups()[3:7],
        found.groups()[7:],
    )
    sizes = {first: (wide, high), second: (wide, high), third: (narrow, tall)}
    wanted = {f"web-{view}-{look}.png": tuple(map(int, size)) for view in views for look, size in sizes.items()}
    problems = [
        f"{path.name} is not made by docs/pictures/make-web" for path in folder.glob("web-*") if path.name not in wanted
    ]
    for name, size in sorted(wanted.items()):
        if not (folder / name).exists():
            problems.append(f"{name} is missing")
        elif struct.unpack(">II", (folder / name).read_bytes()[16:24]) != size:
            problems.append(f"{name} is not {size[0]} x {size[1]} pixels")
    problems += [
        f"docs/web.md shows no {name}"
        for name in re.findall(r"pictures/(web-[\w-]+\.png)", manual)
        if name not in wanted
    ]
    return problems


def check_page_pictures():
    folder, manual = ROOT / "docs" / "pictures", (ROOT / "docs" / "web.md").read_text()
    problems = page_problems(folder, manual)
    # the check itself: a picture that is missing, one of another size, one too many
    with tempfile.TemporaryDirectory() as copy:
        planted = pathlib.Path(copy)
        for path in folder.glob("web-*.png"):
            (planted / path.name).write_bytes(path.read_bytes())
        (planted / "web-play-dark.png").unlink()
        (planted / "web-open-dark.png").write_bytes((folder / "ball.png").read_bytes())
        (planted / "web-play-purple.png").write_bytes(b"")
        noticed = page_problems(planted, manual)
    if not problems and len(noticed) != 3:
        problems.append(f"planted mistakes are not found: {noticed}")
    if not os.access(folder / "make-web", os.X_OK):
        problems.append("docs/pictures/make-web is not there")
    return problems


def main():
    page = check_page_pictures()
    for problem in page:
        print("WRONG", problem)
    if page:
        return 1
    if not (ROOT / "build" / "release" / "sixer").exists():
        print("SKIPPED: docs/pictures/make uses the release build, which is not there")
        return 77
    wrong, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        # without xvfb-run on the path the window is left out
        tools = pathlib.Path(folder) / "tools"
        tools.mkdir()
        for tool in ("bash", "realpath", "mktemp", "rm", "cp", "dirname"):
            path = next(
                pathlib.Path(p) / tool for p in os.environ["PATH"].split(":") if (pathlib.Path(p) / tool).exists()
            )
            (tools / tool).symlink_to(path)
        out = pathlib.Path(folder) / "out"
        out.mkdir()
        subprocess.run([ROOT / "docs" / "pictures" / "make", out], check=True, env={**os.environ, "PATH": str(tools)})
        for picture in sorted((ROOT / "docs" / "pictures").glob("*.png")):
            # of a window, of a browser; check_page_pictures() has looked at those of the page
            if picture.name in ("window.png", "report.png") or picture.name.startswith("web-"):
                continue
            count += 1
            if not (out / picture.name).exists() or pixels(out / picture.name) != pixels(picture):
                wrong.append(picture.name)
    for name in wrong:
        print("WRONG", name)
    print(f"{count} pictures, {len(wrong)} problems")
    return 1 if wrong or count < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
