#!/usr/bin/env python3
# label: long
"""The display of `sixer apex local` in a terminal of 60 columns: four lines that stay in their place, no line that
wraps around, and nothing left of them after Ctrl-C; --resume goes on."""

import pathlib
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import SIXER, Program  # noqa: E402
from screens import Terminal  # noqa: E402

SMALL = "memory=4000,start=200,period=2,batch=8,target_period=100,trunk=quick,size=20,hidden=16"


def main():
    missing = [name for name in ("tmux", "bash") if not shutil.which(name)]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed")
        return 77
    with Program() as p:
        t = Terminal(p, 60, 24)
        command = f"{pathlib.Path(SIXER).resolve()} apex local rainbow duskrain --store memory --actors 2 --set {SMALL}"
        for more in ("--frames 100M", "--frames 100M --resume"):
            t.send(f"clear; {command} {more}", "Enter")
            t.wait_all("2/2 actors", "replay ratio", r"score [-0-9.]+ \(last", "frames/s")
            time.sleep(1)  # drawn five times
            lines = t.wait_all("2/2 actors", "replay ratio", r"score [-0-9.]+ \(last").rstrip().split("\n")
            for word in ("2/2 actors", "replay ratio", "score", "memory"):
                found = [line for line in lines if word in line and SMALL[:20] not in line]
                p.check(len(found) == 1, f"'{word}' is on {len(found)} lines: {lines}")
            t.send("C-c", "")
            screen = t.wait("(?m)^sixer apex: interrupted")
            p.check("actors" not in screen and "replay ratio" in screen, f"after Ctrl-C: {screen}")
            t.wait("(?m)^shell>")
        t.close()
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
