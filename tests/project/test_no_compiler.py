#!/usr/bin/env python3
"""Without a C compiler the build says what to install. What `pip install .` does is the same configuration."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    cmake, ninja = shutil.which("cmake"), shutil.which("ninja")
    if not cmake or not ninja:
        print("skipped: cmake or ninja is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        programs = pathlib.Path(folder) / "programs"
        programs.mkdir()
        os.symlink(ninja, programs / "ninja")
        # nothing is searched but this folder, in which there is no compiler
        keep = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
        result = subprocess.run(
            [cmake, "-G", "Ninja", "-S", ROOT, "-B", f"{folder}/build"]
            + ["-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", f"-DCMAKE_MAKE_PROGRAM={programs}/ninja"],
            capture_output=True,
            text=True,
            timeout=100,
            env={**keep, "PATH": str(programs)},
            check=False,
        )
    text = " ".join(result.stderr.split())
    for words in ("there is no C compiler", "apt install gcc", "dnf install gcc"):
        if result.returncode == 0 or words not in text:
            print(f"WRONG: exit status {result.returncode}, no '{words}' in: {text[:1000]}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
