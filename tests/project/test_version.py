#!/usr/bin/env python3
"""One version: the public header says it, and everything that users see agrees."""

import importlib
import os
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build" / "release"))


def first(pattern, text):
    match = re.search(pattern, text, re.M)
    return match.group(1) if match else None


def main():
    header = (ROOT / "include" / "sixer" / "sixer.h").read_text()
    version = first(r'^#define SIXER_VERSION "(\d+\.\d+\.\d+)"$', header)
    program = subprocess.run([BUILD / "sixer", "--version"], capture_output=True, text=True)
    found = {
        "sixer --version": first(r"^sixer ([\d.]+)", program.stdout),
        "CMakeCache.txt": first(r"^CMAKE_PROJECT_VERSION:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text()),
        "sixer.pc": first(r"^Version: (.*)$", (BUILD / "sixer.pc").read_text()),
        "libsixer.so": first(r"\.so\.([\d.]+)$", (BUILD / "libsixer.so").resolve().name),
        "CHANGES.md, the first version": first(r"^## (?:v|sixer )?(\d+\.\d+\.\d+)", (ROOT / "CHANGES.md").read_text()),
    }
    if (ROOT / "CITATION.cff").exists():
        found["CITATION.cff"] = first(r'^version: "?([\d.]+)"?', (ROOT / "CITATION.cff").read_text())
    module = list((BUILD / "python" / "sixer").glob("_sixer*.so"))
    if module and "SIXER_SANITIZE:STRING=\n" in (BUILD / "CMakeCache.txt").read_text():
        sys.path.insert(0, str(module[0].parent))
        found["Python"] = importlib.import_module("_sixer").VERSION
    # pyproject.toml reads the header when a wheel is built
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    source = settings["tool"]["scikit-build"]["metadata"]["version"]
    match = re.search(source["regex"], (ROOT / source["input"]).read_text(), re.M)
    found["pyproject.toml"] = match.group("value") if match and "version" not in settings["project"] else None
    wrong = {where: text for where, text in found.items() if text != version or version is None}
    print(f"{version}: {', '.join(found)}")
    for where, text in wrong.items():
        print(f"{where}: found {text}, the header says {version}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
