#!/usr/bin/env python3
# label: long
"""`sixer play --terminal` and `watch --terminal` driven in tmux: keys act, the picture uses the colors that the
terminal has, the tape replays, the terminal is restored; small terminals and pipes get a clear message."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = f"{os.environ.get('SIXER_BUILD', ROOT / 'build' / 'release')}/sixer"
failures = []
folder = None


def check(what, condition, found=""):
    if not condition:
        failures.append(f"{what}: {str(found)[:800]}")


class Terminal:
    count = 0

    def __init__(self, command, columns=100, lines=40, **environment):
        Terminal.count += 1
        self.socket = f"sixer-test-{os.getpid()}-{Terminal.count}"
        variables = " ".join(f"{k}={v}" for k, v in {"XDG_DATA_HOME": folder / "data", **environment}.items())
        self.tmux(
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            str(columns),
            "-y",
            str(lines),
            "-c",
            str(folder),
            f"env -u COLORTERM {variables} {command}; echo EXIT=$?; sleep 600",
        )

    def tmux(self, *arguments):
        return subprocess.run(
            ["tmux", "-L", self.socket, *arguments], capture_output=True, text=True, timeout=60
        ).stdout

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def screen(self, *more):
        return self.tmux("capture-pane", "-p", *more)

    def wait(self, pattern, seconds=60):
        until = time.time() + seconds
        while time.time() < until:
            text = self.screen()
            if re.search(pattern, text):
                return text
            time.sleep(0.1)
        check(f"waiting for '{pattern}'", False, self.screen())
        return self.screen()

    def close(self):
        self.tmux("kill-server")


def replay(name):
    result = subprocess.run([SIXER, "replay", name, "--json"], capture_output=True, text=True, cwd=folder, timeout=120)
    return json.loads(result.stdout) if result.stdout else {"verified": False, "problem": result.stderr}


def test_play():
    terminal = Terminal(
        f"{SIXER} play hedgelight --terminal --record play.tape", COLORTERM="truecolor", TERM="xterm-256color"
    )
    terminal.wait(r"score 0 .*0:01")
    colored = terminal.screen("-e")
    check("24-bit colors", "[38;2;" in colored or "[48;2;" in colored, colored[:300])
    check("half blocks", "\u2580" in colored)
    terminal.keys("Left")
    terminal.wait(r"  LEFT  ")
    terminal.keys("Space")
    terminal.wait(r"  (LEFT)?FIRE  ")
    terminal.wait(r"  NOOP  ")
    terminal.keys("o")
    terminal.keys("p")
    terminal.wait(r"\|\|")
    paused = re.search(r"score .*", terminal.screen())
    time.sleep(0.5)
    check("a pause is one", paused and paused.group() in terminal.screen(), terminal.screen())
    terminal.keys("p")
    terminal.keys("k")
    terminal.wait("saved to slot 0")
    terminal.keys("BSpace")
    terminal.keys("l")
    terminal.wait("loaded slot 0")
    terminal.keys("n")
    terminal.wait(r"mode \d+")
    terminal.keys("E")
    terminal.wait(r"level 255")
    terminal.keys("Enter")
    terminal.wait(r"score 0 ")
    terminal.keys("q")
    text = terminal.wait(r"EXIT=0")
    check("the screen is the old one again", "\u2580" not in text, text)
    terminal.close()
    report = replay("play.tape")
    check("the tape replays", report["verified"] and report["steps"] > 60, report)


def test_colors():
    for variables, options, pattern in (
        ({"TERM": "xterm-256color"}, "", r"\[[34]8;5;"),
        ({"TERM": "xterm"}, "", r"\[(3|4|9|10)\d"),
        ({"TERM": "xterm"}, "--colors none", r"[.:=+*#%@-]{3}"),
    ):
        terminal = Terminal(
            f"{SIXER} watch random sporefall --terminal {options} --episodes 1 --max-frames 120", **variables
        )
        terminal.wait(r"score \S+ .*0:01")
        shown = terminal.screen("-e")
        check(f"colors {variables} {options}", re.search(pattern, shown), shown[:300])
        check("no 24-bit color", "[38;2;" not in shown)
        text = terminal.wait(r"EXIT=0")
        check("watched an episode", "1 episodes ended" in text, text)
        terminal.close()


def test_resize_and_signals():
    terminal = Terminal(f"{SIXER} play cragfast --terminal --record killed.tape", COLORTERM="truecolor")
    terminal.wait(r"score 0 .*0:01")
    terminal.tmux("resize-window", "-x", "60", "-y", "20")
    terminal.wait(r"score 0 .*0:0[2-9]")
    terminal.keys("C-c")
    terminal.wait(r"EXIT=0")
    terminal.close()
    check("the tape after control C", replay("killed.tape")["verified"])
    terminal = Terminal(f"{SIXER} play cragfast --terminal --record term.tape", COLORTERM="truecolor")
    terminal.wait(r"score 0 .*0:01")
    pid = terminal.tmux("list-panes", "-F", "#{pane_pid}").strip()
    child = subprocess.run(["pgrep", "-P", pid, "-f", "terminal"], capture_output=True, text=True).stdout.split()
    check("found the program", len(child) == 1, child)
    for one in child:
        os.kill(int(one), 15)
    text = terminal.wait(r"EXIT=0")
    check("the screen is put right", "\u2580" not in text, text)
    terminal.close()
    check("the tape after a signal", replay("term.tape")["verified"])


def test_errors():
    terminal = Terminal(f"{SIXER} play cragfast --terminal", columns=20, lines=30)
    text = terminal.wait(r"EXIT=1").replace("\n", "")
    check("20 columns", "20 columns" in text and "enlarge" in text, text)
    terminal.close()
    terminal = Terminal(f"{SIXER} play cragfast --terminal", TERM="dumb")
    text = terminal.wait(r"EXIT=1")
    check("a dumb terminal", "dumb" in text, text)
    terminal.close()
    result = subprocess.run(
        [SIXER, "play", "cragfast", "--terminal"], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    check("no terminal", result.returncode == 1 and "needs a terminal" in result.stderr, result.stderr)
    result = subprocess.run(
        [SIXER, "play", "cragfast", "--terminal", "--colors", "pink"], capture_output=True, text=True
    )
    check("unknown colors", result.returncode == 2 and "pink" in result.stderr, result.stderr)


def main():
    global folder
    if not shutil.which("tmux"):
        print("SKIPPED: tmux is not installed (apt-get install tmux)")
        return 77
    os.environ["LC_ALL"] = "C.UTF-8"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for test in (test_play, test_colors, test_resize_and_signals, test_errors):
            before = len(failures)
            test()
            print(f"{test.__name__}: {'ok' if len(failures) == before else 'WRONG'}", flush=True)
    for line in failures:
        print("WRONG", line)
    print(f"{len(failures)} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
