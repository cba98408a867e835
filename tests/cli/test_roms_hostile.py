#!/usr/bin/env python3
# label: long
"""Imports from folders and archives that mean harm: links in a circle, special files, archives that unpack to far more
than they hold, names with escape sequences. Each ends soon, with a message and a status."""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

BUILD = pathlib.Path(os.environ.get("SIXER_BUILD", "build/release"))
failures = 0


def check(what, condition, found=""):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED {what}: {found}")


def run(*arguments, folder):
    environment = dict(os.environ, SIXER_ROMS=str(folder / "target"), HOME=str(folder))
    return subprocess.run(
        [BUILD / "sixer", *map(str, arguments)],
        capture_output=True,
        timeout=300,
        env=environment,
        stdin=subprocess.DEVNULL,
    )


def bomb(path, members, size):
    """An archive of many members that are all the same compressed bytes."""
    data = b"\0" * size
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    name, crc = b"x.bin", zlib.crc32(data)
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 0, crc, len(packed), size, len(name), 0) + name + packed
    entry = (
        struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 0, crc, len(packed), size, len(name), 0, 0, 0, 0, 0, 0)
        + name
    )
    end = struct.pack(
        "<4s4H2IH", b"PK\5\6", 0, 0, members & 0x7FFF, members & 0x7FFF, members * len(entry), len(local), 0
    )
    path.write_bytes(local + members * entry + end)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / "source"
        (source / "inner").mkdir(parents=True)
        image = bytes(range(256)) * 16
        (source / "inner" / "one.bin").write_bytes(image)
        for i in range(6):  # every path through these links is another path to the same folder
            (source / f"up{i}").symlink_to(source)
            (source / "inner" / f"up{i}").symlink_to(source)
        os.mkfifo(source / "pipe.bin")
        (source / "zero.bin").symlink_to("/dev/zero")
        result = run("roms", "import", source, folder=folder)
        check("links in a circle", result.returncode == 0, result)
        check("each folder once", result.stdout.count(b"one.bin") == 1, result.stdout[:500])

        for special in (source / "pipe.bin", "/dev/zero"):
            result = run("roms", "import", special, folder=folder)
            check(f"{special}", result.returncode == 1 and b"neither a file nor a folder" in result.stderr, result)

        # 51 MB of directory would be needed for a billion members; these 3 MB claim 25 TB
        archive = folder / "bomb.zip"
        bomb(archive, 60000, 400 * 1024)
        result = run("roms", "import", archive, folder=folder)
        check("overlapping members", result.returncode == 1 and b"MiB unpacked" in result.stderr, result.stderr[-300:])
        check("one message", result.stderr.count(b"MiB unpacked") == 1, result.stderr[-300:])

        bomb(archive, 150000, 1)
        result = run("roms", "import", archive, folder=folder)
        check("many members", result.returncode == 1 and b"members" in result.stderr, result.stderr[-300:])

        evil = source / "inner" / "a\033]0;evil\007.zip"
        bomb(evil, 1, 100)
        evil.write_bytes(evil.read_bytes()[:-3])
        result = run("roms", "import", evil, folder=folder)
        check("escape sequences", b"\033" not in result.stdout + result.stderr and result.returncode == 1, result)
        data = folder / "named.zip"
        bomb(data, 1, 4096)
        data.write_bytes(data.read_bytes().replace(b"x.bin", b"\033[2Jx"))
        result = run("roms", "import", data, folder=folder)
        check("names of members", b"\033" not in result.stdout + result.stderr, result)
    print(f"{failures} failures")
    return failures > 0


sys.exit(main())
