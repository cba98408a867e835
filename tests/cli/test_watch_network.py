#!/usr/bin/env python3
"""`sixer watch` of agents with networks, and of a linear one: films with values or distributions beside the picture and
with the tint of the saliency map, the same in the window (under Xvfb) and in the terminal (tmux); what is refused."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import display  # noqa: E402
from support.program import SIXER, Program  # noqa: E402

AGENTS = {"dqn": "values", "c51": "atoms", "iqn": "quantiles"}


def read_png(path):
    """Rows of (r, g, b): our own files have 8 bits, no interlace and any filter."""
    data, at, packed, width, height = path.read_bytes(), 8, b"", 0, 0
    while at < len(data):
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, rows, before = zlib.decompress(packed), [], bytearray(3 * width)
    for y in range(height):
        kind, line = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1 : (y + 1) * (3 * width + 1)])
        for i in range(3 * width):
            left, up, corner = (line[i - 3] if i > 2 else 0), before[i], (before[i - 3] if i > 2 else 0)
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda c: abs(guess - c))
            line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
        rows.append([tuple(line[i : i + 3]) for i in range(0, 3 * width, 3)])
        before = line
    return rows


def films(p, agent):
    model = f"runs/{agent}_duskrain_1.checkpoint"
    pictures = {}
    for show in ("none", "values", "saliency"):
        done = p.run("watch", model, "--show", show, "--video", f"{show}.png", "--seconds", "3", "--scale", "1")
        p.check(done.returncode == 0 and "picture" in done.stdout, f"{agent} {show}: {done.stderr}")
        pictures[show] = read_png(p.path(f"{show}.png"))
    plain, values, saliency = pictures["none"], pictures["values"], pictures["saliency"]
    p.check(len(plain[0]) == 320 and len(values[0]) == 480, f"{agent}: widths {len(plain[0])}, {len(values[0])}")
    rows = range(len(plain))
    p.check(all(values[y][:320] == plain[y] for y in rows), f"{agent}: the panel changes the picture or the play")
    red = sum(saliency[y][x][0] > plain[y][x][0] + 20 for y in rows for x in range(320))
    p.check(100 < red < 320 * len(plain), f"{agent}: {red} pixels are tinted")
    panel = {pixel for row in values for pixel in row[320:]}
    p.check(len(panel) >= 3, f"{agent}: colors of the panel: {panel}")
    p.check((0xFC, 0xFC, 0x54) in panel, f"{agent}: no action is marked as the best")


def linear(p):
    """A linear model has values, and no saliency: --show saliency shows the values."""
    done = p.run("train", "sarsa", "duskrain", "--set", "features=ram", "--frames", "4000", "--evaluation", "0")
    p.check(done.returncode == 0, done.stderr)
    model, pictures = "runs/sarsa_duskrain_1.checkpoint", {}
    for show in ("none", "values", "saliency"):
        done = p.run("watch", model, "--show", show, "--video", f"{show}.png", "--seconds", "3", "--scale", "1")
        p.check(done.returncode == 0, f"sarsa {show}: {done.stderr}")
        pictures[show] = read_png(p.path(f"{show}.png"))
    plain, values = pictures["none"], pictures["values"]
    p.check(len(values[0]) == len(plain[0]) + 160, f"sarsa: widths {len(plain[0])}, {len(values[0])}")
    p.check(all(row[:320] == plain[y] for y, row in enumerate(values)), "sarsa: the panel changes the play")
    p.check((0xFC, 0xFC, 0x54) in {pixel for row in values for pixel in row[320:]}, "sarsa: no action is the best")
    p.check(pictures["saliency"] == values, "sarsa: a saliency map without a network")


def film_kinds(p):
    model = "runs/dqn_duskrain_1.checkpoint"
    done = p.run("watch", model, "--video", "look.gif", "--seconds", "2", "--show", "saliency")
    p.check(done.returncode == 0 and p.path("look.gif").read_bytes()[:6] == b"GIF89a", done.stderr)
    done = p.run("watch", "random", "duskrain", "--video", "folder", "--seconds", "1", "--every", "10")
    p.check(done.returncode == 0 and len(list(p.path("folder").iterdir())) >= 6, done.stderr)
    for arguments, message in [
        (["--show", "all"], "--show is none, values or saliency, found 'all'"),
        (["--seconds", "3"], "name one with --video"),
        (["--video", "look.doc"], "films are .gif"),
        (["--video", "x.gif", "--seconds", "-1"], "--seconds is 0 to"),
    ]:
        done = p.run("watch", model, *arguments)
        p.check(done.returncode == 2 and message in done.stderr, f"{arguments}: {done.stderr}")


def window(p):
    if not display.available():
        print(f"skipped: the window, {display.MISSING}")
        return
    p.path("script").write_text(
        "20 dump values.ppm\n20 key down i\n20 key up i\n40 dump saliency.ppm\n"
        "40 key down i\n40 key up i\n60 dump none.ppm\n61 quit\n"
    )
    done = subprocess.run(
        [SIXER, "watch", "runs/c51_duskrain_1.checkpoint", "--scale", "1", "--mute"],
        capture_output=True,
        text=True,
        cwd=p.folder,
        timeout=120,
        env={**os.environ, **display.variables(), "SIXER_PLAY_SCRIPT": "script", "LSAN_OPTIONS": "detect_leaks=0"},
    )
    p.check(done.returncode == 0, f"window: {done.stderr}")
    sizes = {}
    for name in ("values", "saliency", "none"):
        head = p.path(f"{name}.ppm").read_bytes()[:20].split()
        sizes[name] = int(head[1])
    p.check(sizes["values"] == sizes["saliency"] == sizes["none"] + 160, f"widths of the window: {sizes}")


def terminal(p):
    if not shutil.which("tmux"):
        print("skipped: the terminal, tmux is not installed")
        return
    command = ["tmux", "-L", f"sixer-network-{os.getpid()}"]

    def tmux(*arguments):
        return subprocess.run(command + list(arguments), capture_output=True, text=True, timeout=60).stdout

    tmux(
        *("-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "36", "-c", str(p.folder)),
        f"{SIXER} watch runs/iqn_duskrain_1.checkpoint --terminal --colors 256; sleep 600",
    )
    try:
        for pattern, key in [(r"quantiles .* to .*", "h"), (r"predictions of a learner", "q")]:
            until, text = time.time() + 120, ""
            while time.time() < until and not re.search(pattern, text):
                time.sleep(0.1)
                text = tmux("capture-pane", "-p")
            p.check(re.search(pattern, text), f"terminal: no '{pattern}' in\n{text}")
            if key == "h":
                p.check(re.search(r">[A-Z]+ +-?\d+\.\d{3}", text), f"terminal: no best action in\n{text}")
            tmux("send-keys", key)
    finally:
        tmux("kill-server")


def main():
    with Program() as p:
        for agent, kind in AGENTS.items():
            options = "trunk=quick,size=42,hidden=16,memory=2000,start=100,batch=8"
            options += ",cosines=16,choice_taus=8" if kind == "quantiles" else ""
            done = p.run("train", agent, "duskrain", "--set", options, "--actions", "minimal", "--frames", "2000")
            p.check(done.returncode == 0, done.stderr)
            films(p, agent)
        linear(p)
        film_kinds(p)
        window(p)
        terminal(p)
        return p.finish()


sys.exit(main())
