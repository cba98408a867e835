# label: long
"""`sixer plan` on a game of ours: results, tapes, interruption, and what it says about bad input."""

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

PROGRAM = os.path.join(os.environ.get("SIXER_BUILD", "build/release"), "sixer")
TIMES = ("seconds", "seconds_per_decision", "frames_per_second", "emulation")
failures = []


def run(*arguments, command="plan"):
    return subprocess.run([PROGRAM, command, *arguments], capture_output=True, text=True)


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def says(arguments, status, text):
    done = run(*arguments)
    check(
        done.returncode == status and text in done.stderr and not done.stdout,
        f"{' '.join(arguments)}: status {done.returncode}, said {done.stderr!r}, not {text!r}",
    )


def rows(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            with open(os.path.join(folder, name)) as file:
                row = json.load(file)
            found[name] = {key: value for key, value in row.items() if key not in TIMES}
    return found


def interrupted_runs(folder):
    """Interrupt a run again and again; it ends as one that was left alone."""
    games = (
        ["uct", "sporefall", "--simulations", "12", "--horizon", "60"],
        ["iw1", "hedgelight", "--frames", "800", "--sticky", "0.25"],
        ["rollout-iw1", "sporefall", "--frames", "600", "--actions", "minimal"],
    )
    alone, often = os.path.join(folder, "alone"), os.path.join(folder, "often")
    stops = 0
    for game in games:
        arguments = [*game, "--decisions", "40", "--out"]
        check(run(*arguments, alone).returncode == 0, f"{game} alone")
        before = stops
        for attempt in range(200):
            process = subprocess.Popen(
                [PROGRAM, "plan", *arguments, often], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
            )
            if attempt < 4 or (stops == before and attempt < 40):
                time.sleep(0.04 * (attempt + 1))  # the first ones come before the first decision
                process.send_signal(signal.SIGINT)
            said = process.communicate()[1]
            if process.returncode == 0:
                break
            stops += "repeat the command to continue" in said
    check(stops > 0, "no run was interrupted in time")
    check(rows(alone) == rows(often) and len(rows(alone)) == 3, "an interrupted run came to another end")
    check(not [name for name in os.listdir(often) if "checkpoint" in name or "new" in name], "files were left behind")

    # what is done is not done again
    again = run(*games[0], "--decisions", "40", "--out", alone)
    check(again.returncode == 0 and "already in" in again.stdout, "a finished episode was played again")
    other = run(*games[0], "--decisions", "39", "--out", alone)
    check(other.returncode == 1 and "was made with other settings" in other.stderr, "other settings were taken over")

    # the tapes are proven, and have the scores of the rows
    for name, row in rows(often).items():
        tape = os.path.join(often, name.replace(".json", ".tape"))
        replay = run(tape, command="replay")
        check(
            replay.returncode == 0 and "verified" in replay.stdout and f"score {row['score']}" in replay.stdout,
            f"{tape}: {replay.stdout}{replay.stderr}",
        )


def damaged_checkpoint(folder):
    out = os.path.join(folder, "damaged")
    os.mkdir(out)
    path = os.path.join(out, "uct_sporefall_1.checkpoint")
    for content in (b"", b"6plan01\0" + bytes(100), os.urandom(5000)):
        with open(path, "wb") as file:
            file.write(content)
        says(["uct", "sporefall", "--simulations", "5", "--decisions", "3", "--out", out], 1, "is damaged: remove it")
        with open(path, "rb") as file:
            check(file.read() == content, "a damaged checkpoint was changed")


def bad_input(folder):
    says([], 2, "name an agent and a game")
    says(["uct"], 2, "name an agent and a game")
    says(["best", "sporefall"], 1, "there is no agent 'best'; there are: random, ")
    says(["uct", "no_such_game"], 1, "no_such_game")
    says(["iw1", "sporefall", "--simulations", "5"], 1, "iw1 has no option 'simulations'; it has: frames, ")
    says(["iw1", "sporefall", "--frames", "0"], 1, "iw1 has no budget")
    says(["iw1", "sporefall", "--frames", "10"], 1, "a budget of 10 frames is below one expansion")
    says(["uct", "sporefall", "--memory", "0"], 1, "option memory of uct is a number from 0.05")
    says(["uct", "sporefall", "--actions", "some"], 2, "--actions is full or minimal, found 'some'")
    says(["uct", "sporefall", "--episodes", "0"], 2, "--episodes is 1 to")
    says(["uct", "sporefall", "--mode", "99"], 1, "has no mode 99; available: ")
    for more in (["--decisions", "3"], ["--json"], ["--out", folder]):
        says(["uct", "sporefall", "--watch", *more], 2, "--watch shows whole episodes and stores nothing")
    file = os.path.join(folder, "file")
    open(file, "w").close()
    says(["uct", "sporefall", "--out", file], 1, "is not a folder")
    alone = run("rollout-iw1", "sporefall", "--frames", "200", "--decisions", "1", "--jobs", "2", "--json")
    check(
        alone.returncode == 0
        and json.loads(alone.stdout)["jobs"] == 1
        and "rollout-iw1 works with one job" in alone.stderr,
        f"jobs for an agent that has one: {alone}",
    )
    small = run("full-tree", "sporefall", "--frames", "20000", "--memory", "0.05", "--decisions", "1")
    check(small.returncode == 0 and "memory limit reached" in small.stdout, f"a small memory limit: {small}")


def watched():
    """`--watch` in a terminal: it draws, plays the episode to its end and leaves the terminal as it was."""
    pid, terminal = pty.fork()
    if pid == 0:
        environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        os.execve(
            PROGRAM,
            [
                PROGRAM,
                "plan",
                "uct",
                "sporefall",
                "--simulations",
                "3",
                "--horizon",
                "20",
                "--max-frames",
                "90",
                "--watch",
            ],
            {**environment, "TERM": "xterm-256color"},
        )
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    shown = b""
    try:
        while part := os.read(terminal, 65536):
            shown += part
    except OSError:  # the other side is closed
        pass
    status = os.waitpid(pid, 0)[1]
    text = shown.decode(errors="replace")
    check(status == 0 and "1 episode ended" in text, f"watching: status {status}, ended with {text[-300:]!r}")
    drawn = text.count("\u2580")
    check(drawn > 200, f"only {drawn} blocks were drawn")
    check(text.rfind("\x1b[?1049l") > text.rfind("\u2580"), "the terminal was not put right")


with tempfile.TemporaryDirectory() as temporary:
    watched()
    interrupted_runs(temporary)
    damaged_checkpoint(temporary)
    bad_input(temporary)
sys.exit(bool(failures))
