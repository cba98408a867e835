#!/usr/bin/env python3
"""The pictures of the manual are what docs/pictures/make draws now, pixel for pixel (those of windows apart)."""

import os
import pathlib
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


def main():
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
            # of a window, of a browser; tests/web/test_page.sh makes those of the page
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
