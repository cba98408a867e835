"""Works on the runs of a store as tasks of a Ray cluster: `sixer lab run EXPERIMENT --ray [ADDRESS]` starts this.

    python -m sixer.lab_ray STORE [--address auto] [--slice SECONDS] [--retries N]

Each waiting run is split off the store (`sixer lab split`) into a folder of its own, STORE.ray/RUN, and becomes a task.
The task gets this folder as bytes, works on the run with the program `sixer` of its machine for a slice of time, and
returns the folder. When the run has ended, it is merged into the store; otherwise the next task goes on from its
checkpoint. If a worker is lost, Ray runs the task again on another one: what is lost is one slice at most. If this
program is stopped, the same command goes on with the folders.

Every machine of the cluster needs this package, and the images of the games.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import io
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

PIECE = "piece.db"


def find_program() -> str:
    """The program of this package, or the one in the path."""
    here = Path(__file__).absolute().parent
    for place in (os.environ.get("SIXER_PROGRAM"), here / "bin" / "sixer", here.parents[1] / "sixer"):
        if place and os.access(place, os.X_OK) and Path(place).is_file():
            return str(place)
    found = shutil.which("sixer")
    if not found:
        raise RuntimeError("the program sixer is not on this machine: install the package, or set SIXER_PROGRAM")
    return found


def pack(folder: Path) -> bytes:
    """The files of a folder as bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.add(path, str(path.relative_to(folder)), recursive=False)
    return out.getvalue()


def unpack(data: bytes, folder: Path) -> None:
    """Replace a folder by what was packed. Nothing is written outside of it."""
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive.getmembers():
            name = Path(member.name)
            source = archive.extractfile(member)
            if source is None or name.is_absolute() or ".." in name.parts:
                raise RuntimeError(f"a worker returned a file that does not belong there: {member.name}")
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            (fresh / name).write_bytes(source.read())
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def die_with_parent() -> None:
    """In a child process: be killed when the worker is, so that nobody works on a lost run. Workers block signals."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})


def close_store(path: Path) -> None:
    """Bring what is in the write-ahead log into the file, so that it can be copied."""
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def work(data: bytes, seconds: float, threads: int) -> bytes:
    """The task: go on with a run for a slice of time, and return it."""
    with tempfile.TemporaryDirectory(prefix="sixer-ray-") as temporary:
        folder = Path(temporary) / "piece"
        unpack(data, folder)
        command = [find_program(), "lab", "resume", PIECE, "--jobs", "1", "--threads", str(threads), "--quiet"]
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_parent,
        )
        try:
            _, error = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)  # it saves the run
            _, error = process.communicate()
        if state_of(folder / PIECE)[0] == "running":
            raise RuntimeError(error.strip()[-500:] or f"sixer ended with status {process.returncode}")
        close_store(folder / PIECE)
        return pack(folder)


def state_of(piece: Path) -> tuple[str, str]:
    """State and error of the only run of a piece."""
    db = sqlite3.connect(piece)
    try:
        state, error = db.execute("SELECT state, COALESCE(error, '') FROM runs").fetchone()
        return str(state), str(error)
    finally:
        db.close()


class Driver:
    """Splits runs off the store, hands them to tasks, and merges what comes back."""

    def __init__(self, store: Path, seconds: float, retries: int, threads: int):
        self.store, self.seconds, self.threads = store, seconds, threads
        self.folder = store.with_name(store.name + ".ray")
        self.program = find_program()
        self.ray: Any = importlib.import_module("ray")
        self.task = self.ray.remote(num_cpus=threads, max_retries=retries)(work)

    def call(self, *arguments: Any) -> None:
        result = subprocess.run([self.program, "lab", *map(str, arguments)], capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(result.stderr.strip() or f"sixer lab {arguments[0]} failed")

    def runs(self) -> list[tuple[int, str]]:
        """Runs to work on: those that wait, and those that an earlier call has split off."""
        db = sqlite3.connect(self.store)
        try:
            rows = db.execute("SELECT id, state, label, game, seed FROM runs WHERE state IN ('waiting', 'away')")
            return [
                (run, f"{label} {game} {seed}")
                for run, state, label, game, seed in rows.fetchall()
                if state == "waiting" or (self.folder / str(run) / PIECE).exists()
            ]
        finally:
            db.close()

    def submit(self, run: int) -> Any:
        folder = self.folder / str(run)
        if not (folder / PIECE).exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            self.call("split", self.store, run, "-o", folder / PIECE)
            close_store(folder / PIECE)
        return self.task.remote(pack(folder), self.seconds, self.threads)

    def merge(self, run: int) -> None:
        folder = self.folder / str(run)
        self.call("merge", self.store, folder / PIECE)
        shutil.rmtree(folder)

    def work(self) -> int:
        names = dict(self.runs())
        pending = {self.submit(run): run for run in names}
        done = failed = 0
        while pending:
            ready, _ = self.ray.wait(list(pending), num_returns=1)
            run = pending.pop(ready[0])
            try:
                data = self.ray.get(ready[0])
            except self.ray.exceptions.RayError as error:
                # its folder stays: the next call tries again
                failed += 1
                print(f"{names[run]}: {str(error).strip().splitlines()[-1]}", file=sys.stderr)
                continue
            unpack(data, self.folder / str(run))
            state, why = state_of(self.folder / str(run) / PIECE)
            if state == "waiting":  # the slice is over
                pending[self.submit(run)] = run
                continue
            self.merge(run)
            done += state == "done"
            failed += state != "done"
            print(f"{names[run]}: {state}{': ' if why else ''}{why}  ({len(pending)} left)", flush=True)
        if self.folder.exists() and not any(self.folder.iterdir()):
            self.folder.rmdir()
        print(f"{done} runs done, {failed} failed: {self.store}")
        return 1 if failed else 0


def check_address(address: str) -> None:
    """Ray waits for minutes for a cluster that is not there; ask first whether anybody listens."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=10).close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m sixer.lab_ray", description="Work on a store with a Ray cluster.")
    parser.add_argument("store", type=Path)
    parser.add_argument("--address", default="local", help="of the cluster; auto: one that runs here; local: a new one")
    parser.add_argument("--slice", type=float, default=600, help="seconds between checkpoints that are brought back")
    parser.add_argument("--retries", type=int, default=10, help="how often a task of a lost worker is tried again")
    parser.add_argument("--threads", type=int, default=1, help="processors of each run")
    parser.add_argument("--processors", type=int, default=0, help="of a new cluster; 0: all of this machine")
    arguments = parser.parse_args()
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError:
        print("sixer lab: Ray is not installed: pip install ray", file=sys.stderr)
        return 1
    if not arguments.store.exists():
        print(f"sixer lab: {arguments.store}: there is no such store", file=sys.stderr)
        return 1
    # workers on this machine find the package where this process has it
    path = os.pathsep.join([str(Path(__file__).absolute().parents[1]), os.environ.get("PYTHONPATH", "")]).strip(":")
    environment = {"PYTHONPATH": path} if arguments.address == "local" else {}
    quiet = {"log_to_driver": False, "runtime_env": {"env_vars": environment}}
    if arguments.address == "local":
        quiet["include_dashboard"] = False
        os.environ.setdefault("RAY_worker_niceness", "0")
        if arguments.processors:
            quiet["num_cpus"] = arguments.processors
    try:
        check_address(arguments.address)
        ray.init(address=arguments.address, **quiet)
    except (OSError, OverflowError, RuntimeError, ValueError) as error:
        print(f"sixer lab: the cluster {arguments.address} is not reached: {error}", file=sys.stderr)
        return 1
    try:
        return Driver(arguments.store.absolute(), arguments.slice, arguments.retries, arguments.threads).work()
    except (RuntimeError, OSError, sqlite3.Error) as error:
        print(f"sixer lab: {error}", file=sys.stderr)
        return 1
    finally:
        ray.shutdown()


if __name__ == "__main__":
    sys.exit(main())
