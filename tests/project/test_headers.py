#!/usr/bin/env python3
"""The public headers can be used together: each alone, each pair in both orders, and all of them in every rotation,
forward and backward, compile without a warning as C and as C++."""

import concurrent.futures
import itertools
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = sorted(path.name for path in (ROOT / "include" / "sixer").glob("*.h"))
LANGUAGES = {
    "C": ("cc", "-xc", "-std=c11", "-Wstrict-prototypes"),
    "C++": ("c++", "-xc++", "-std=c++11"),
}


def orders():
    yield from itertools.permutations(HEADERS, 1)
    yield from itertools.permutations(HEADERS, 2)
    for names in (HEADERS, HEADERS[::-1]):
        yield from (tuple(names[i:] + names[:i]) for i in range(len(names)))


def compile_includes(job):
    """What the compiler says about a file that includes these headers; empty if it accepts it."""
    language, names = job
    command, *flags = LANGUAGES[language]
    text = "".join(f"#include <sixer/{name}>\n" for name in names)
    result = subprocess.run(
        [command, *flags, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", ROOT / "include", "-"],
        input=text,
        capture_output=True,
        text=True,
    )
    return f"{language}, {' '.join(names)}:\n{result.stderr[:1000]}" if result.returncode else ""


def main():
    missing = [language for language, (command, *_) in LANGUAGES.items() if not shutil.which(command)]
    if missing:
        print(f"skipped: no compiler for {' and '.join(missing)}")
        return 77
    jobs = [(language, names) for language in LANGUAGES for names in orders()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [text for text in pool.map(compile_includes, jobs) if text]
    print("\n".join(failures[:10]))
    print(f"{len(HEADERS)} headers, {len(jobs)} orders, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
