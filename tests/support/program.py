"""Runs the program `sixer` for tests: a home of its own, so that no file of the user is read or written, and a list of
what went wrong."""

import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = str(pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build" / "release")).resolve() / "sixer")


class Program:
    """`run` starts sixer in a new folder, with an empty home and no cartridge images but the program's own games."""

    def __init__(self, **environment):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sixer-test-"))
        (self.folder / "home").mkdir()
        keep = {name: os.environ[name] for name in ("PATH", "LANG", "SIXER_CORE", "ASAN_OPTIONS") if name in os.environ}
        self.environment = {**keep, "HOME": str(self.folder / "home"), "SIXER_ROMS": str(self.folder), **environment}
        self.failures = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return self.folder / name

    def run(self, *arguments, **settings):
        settings = {
            "cwd": self.folder,
            "env": self.environment,
            "timeout": 60,
            "text": True,
            "errors": "replace",
            **settings,
        }
        if not settings["text"]:
            del settings["errors"]
        if "stdout" not in settings:
            settings["stdout"] = subprocess.PIPE
        return subprocess.run([SIXER, *map(str, arguments)], stderr=subprocess.PIPE, check=False, **settings)

    def start(self, *arguments):
        """Start sixer in the folder without waiting for it; what it prints is text in pipes."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([SIXER, *map(str, arguments)], cwd=self.folder, env=self.environment, **pipes)

    def check(self, condition, what):
        if not condition:
            self.failures.append(what)
            print(f"WRONG: {what}")
        return condition

    def expect(self, what, result, status, *words, never=()):
        """The exit status, and words that stdout and stderr together have or have not."""
        text = (result.stdout or "") + result.stderr
        shown = text.strip()[:400]
        self.check(result.returncode == status, f"{what}: exit status {result.returncode}, not {status}: {shown}")
        for word in words:
            self.check(word in text, f"{what}: no '{word}' in: {shown}")
        for word in (*never, "Sanitizer"):
            self.check(word not in text, f"{what}: '{word}' in: {shown}")
        return result

    def finish(self):
        print(f"{len(self.failures)} problems")
        return 1 if self.failures else 0
