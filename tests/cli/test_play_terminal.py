#!/usr/bin/env python3
# label: long, 15 s
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
STARTED = r"score 0 .*0:(0[1-9]|[1-5]\d)"  # a second or more was played


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

    def wait(self, pattern, *keys, again=3):
        """The screen, once the pattern is on it. Keys are pressed first, and again every few seconds: what a key brings
        is shown for a short time only, in which a busy machine may not look."""
        begin, pressed = time.time(), None
        while time.time() < begin + 120:
            if keys and (pressed is None or time.time() > pressed + again):
                self.keys(*keys)
                pressed = time.time()
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
    terminal.wait(STARTED)
    colored = terminal.screen("-e")
    check("24-bit colors", "[38;2;" in colored or "[48;2;" in colored, colored[:300])
    check("half blocks", "\u2580" in colored)
    terminal.wait(r"  LEFT  ", "Left", again=0)
    terminal.wait(r"  (LEFT)?FIRE  ", "Space", again=0)
    terminal.wait(r"  NOOP  ")
    terminal.keys("o")
    terminal.keys("p")
    terminal.wait(r"\|\|")
    paused = re.search(r"score .*", terminal.screen())
    time.sleep(0.5)
    check("a pause is one", paused and paused.group() in terminal.screen(), terminal.screen())
    terminal.keys("p")
    terminal.wait("saved to slot 0", "k")
    terminal.keys("BSpace")
    terminal.wait("loaded slot 0", "l")
    terminal.wait(r"mode \d+", "n")
    terminal.wait(r"level 255", "E")
    terminal.wait(r"score 0 ", "Enter")
    terminal.keys("q")
    text = terminal.wait(r"EXIT=0")
    check("the screen is the old one again", "\u2580" not in text, text)
    terminal.close()
    report = replay("play.tape")
    check("the tape replays", report["verified"] and report["steps"] > 60, report)


def test_colors():
    cases = (
        ({"TERM": "xterm-256color"}, "", r"\[[34]8;5;"),
        ({"TERM": "xterm"}, "", r"\[(3|4|9|10)\d"),
        ({"TERM": "xterm"}, "--colors none", r"[.:=+*#%@-]{3}"),
    )
    command = f"{SIXER} watch random sporefall --terminal --episodes 1 --max-frames 300"
    terminals = []
    for number, (variables, options, _) in enumerate(cases):
        # it waits until tmux writes everything that it prints to a file, too
        ready = folder / f"ready{number}"
        terminals.append(
            Terminal(f"sh -c 'until [ -e {ready} ]; do sleep 0.1; done; {command} {options}'", **variables)
        )
        terminals[-1].tmux("pipe-pane", "-o", f"cat >{folder}/printed{number}")
        ready.touch()
    for number, (terminal, (variables, options, pattern)) in enumerate(zip(terminals, cases)):
        text = terminal.wait(r"EXIT=0")
        check("watched an episode", "1 episode ended" in text, text)
        printed = (folder / f"printed{number}").read_text(errors="replace")
        check("the time goes on", re.search(r"score \S+ .*0:0[1-9]", printed), printed[-300:])
        check(f"colors {variables} {options}", re.search(pattern, printed), printed[:300])
        check("no 24-bit color", not re.search(r"\[[34]8;2;", printed))
        terminal.close()


def test_resize_and_signals():
    terminal = Terminal(f"{SIXER} play cragfast --terminal --record killed.tape", COLORTERM="truecolor")
    terminal.wait(STARTED)
    terminal.tmux("resize-window", "-x", "60", "-y", "20")
    terminal.wait(r"score 0 .*0:(0[2-9]|[1-5]\d)")
    terminal.keys("C-c")
    terminal.wait(r"EXIT=0")
    terminal.close()
    check("the tape after control C", replay("killed.tape")["verified"])
    terminal = Terminal(f"{SIXER} play cragfast --terminal --record term.tape", COLORTERM="truecolor")
    terminal.wait(STARTED)
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
