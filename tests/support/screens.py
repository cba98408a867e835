"""Where people see the program: a terminal in a tmux of its own, and a window under Xvfb that a script works."""

import os
import re
import subprocess
import time

import display
from program import SIXER


class Terminal:
    """A shell with job control in a tmux of its own."""

    count = 0

    def __init__(self, p, columns=80, lines=24, **environment):
        Terminal.count += 1
        self.p, self.socket = p, f"sixer-screen-{os.getpid()}-{Terminal.count}"
        variables = [f"{k}={v}" for k, v in {**p.environment, "PS1": "shell> ", **environment}.items()]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines), "-c", str(p.folder))
        shell = " ".join(f"'{v}'" for v in variables)
        self.send(f"exec env -u COLORTERM -u DISPLAY -u WAYLAND_DISPLAY {shell} bash --norc --noprofile", "Enter")
        self.wait("shell> ")

    def tmux(self, *arguments):
        return subprocess.run(
            ["tmux", "-L", self.socket, *arguments], capture_output=True, text=True, timeout=60
        ).stdout

    def send(self, *keys):
        self.tmux("send-keys", *keys)

    def screen(self, *more):
        return self.tmux("capture-pane", "-p", *more)

    def wait(self, pattern, seconds=120, gone=False):
        """The screen, once the pattern is on it, or is not any more."""
        until = time.time() + seconds
        while time.time() < until:
            text = self.screen()
            if bool(re.search(pattern, text)) != gone:
                return text
            time.sleep(0.1)
        self.p.check(False, f"waiting for '{pattern}': {self.screen()[-800:]}")
        return self.screen()

    def wait_all(self, *patterns):
        """The screen, once all patterns are on it: it can be seen while it is drawn."""
        return self.wait("(?s)^" + "".join(f"(?=.*(?:{pattern}))" for pattern in patterns))

    def close(self):
        self.tmux("kill-server")


def in_window(p, script, *arguments, scale=1, pick=None):
    """`sixer play` with a script of events; `pick` is that of the picker, which comes first if no game is named."""
    p.path("script").write_text(script)
    p.path("pick").write_text(pick or "")
    return subprocess.run(
        [SIXER, "play", *map(str, arguments), "--scale", str(scale)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=p.folder,
        env={
            **p.environment,
            **display.variables(),
            "SIXER_PLAY_SCRIPT": str(p.path("script")),
            "SIXER_PICK_SCRIPT": str(p.path("pick")),
            "LSAN_OPTIONS": "detect_leaks=0",
        },
        check=False,
    )
