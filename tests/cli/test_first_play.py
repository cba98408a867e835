#!/usr/bin/env python3
# label: long
"""The first minutes of `sixer play`, in tmux and in a window under Xvfb: without a display the terminal is used, the
keys are shown at the start and on demand, the status line fits, NO_COLOR and control Z work, libraries do not chatter,
and the mouse can be let go."""

import pathlib
import re
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import ROOT, SIXER, Program  # noqa: E402
from screens import Terminal, in_window  # noqa: E402


def test_terminal(p):
    terminal = Terminal(p, TERM="xterm-256color")
    try:
        # no option: there is no display, so it plays here; the keys are shown at the start
        terminal.send(f"clear; '{SIXER}' play hedgelight --record here.tape", "Enter")
        terminal.wait_all("\u2580", "space: button", "h: all keys")  # a picture, and keys at the start
        status = terminal.wait("score 0 .*REC", 90)
        lines = [line for line in status.splitlines() if "score 0" in line]
        p.check(len(lines) == 1 and len(lines[0]) < 80, f"the status line: {lines}")
        for key in ("h", "?"):
            terminal.send(key)
            terminal.wait_all("next, previous mode", "these keys")
            terminal.send(key)
            terminal.wait("these keys", gone=True)  # hides them
            terminal.wait("score")
        # to the shell and back
        terminal.send("C-z")
        p.check("Stopped" in terminal.wait("Stopped"), "control Z")
        terminal.send("echo in the $((40 + 2)) shell", "Enter")
        terminal.wait("in the 42 shell")
        terminal.send("fg", "Enter")
        terminal.wait_all("\u2580", "score [^\n]*REC")  # the picture after fg
        terminal.send("q")
        text = terminal.wait("tape written")
        p.check("ALSA" not in text and "XDG_RUNTIME" not in text, f"chatter: {text}")
    finally:
        terminal.close()
    p.expect("the tape", p.run("replay", "here.tape"), 0, "verified")


def test_no_color(p):
    terminal = Terminal(p, TERM="xterm-256color", NO_COLOR="1")
    try:
        # keys of one's own are those that the line at the start names
        keys = "up = i; fire = z; help = j; quit = u; new-game ="
        terminal.send(f"clear; '{SIXER}' play duskrain --keys '{keys}'", "Enter")
        line = next(line for line in terminal.wait("u: quit").splitlines() if "u: quit" in line)
        greeting = "i left down right: stick   z: button   j: all keys   u: quit"
        p.check(greeting in line, f"keys at the start: {line}")
        time.sleep(1)
        colors = re.findall(r"\x1b\[[0-9;]*[34]8;[0-9;]*m", terminal.screen("-e"))
        p.check(not colors, f"colors in spite of NO_COLOR: {colors[:3]}")
        terminal.send("u")
        terminal.wait("ended, score")
    finally:
        terminal.close()


def shown(p, name):
    """The brightness of each row of a dump, from 0 to 255."""
    _, size, _, pixels = p.path(name).read_bytes().split(b"\n", 3)
    width, height = map(int, size.split())
    return [sum(pixels[3 * width * y : 3 * width * (y + 1)]) / (3 * width) for y in range(height)]


def test_window(p):
    # no sound card is no reason for a page of messages
    # the game is paused, so that pictures differ by nothing but what is written over them
    script = """5 key down P
        6 key up P
        30 dump start.ppm
        300 dump plain.ppm
        301 key down H
        302 key up H
        310 dump keys.ppm
        311 key down H
        312 key up H
        320 dump again.ppm
        321 quit"""
    result = in_window(p, script, "hedgelight")  # has no paddle, about which there would be another notice
    p.check(result.returncode == 0, f"window: {result.stderr}")
    p.check(result.stderr == "", f"chatter: {result.stderr[:400]}")
    plain = shown(p, "plain.ppm")
    p.check(shown(p, "start.ppm") != plain, "no keys are shown at the start")
    p.check(shown(p, "keys.ppm") != plain, "H shows nothing")
    p.check(shown(p, "again.ppm") == plain, "H a second time does not hide the keys")
    # a television's lines: dark between the rows of the picture
    p.check(in_window(p, "200 dump crt.ppm\n201 quit\n", "duskrain", "--crt", scale=4).returncode == 0, "--crt")
    p.check(in_window(p, "200 dump flat.ppm\n201 quit\n", "duskrain", scale=4).returncode == 0, "without --crt")
    crt, flat = shown(p, "crt.ppm"), shown(p, "flat.ppm")
    dark = sum(crt[3::4]) / max(sum(flat[3::4]), 1e-9)
    light = sum(crt[1::4]) / max(sum(flat[1::4]), 1e-9)
    p.check(dark < 0.8 and light > 0.9, f"lines of --crt: {dark:.2f} between, {light:.2f} on the rows")


def test_mouse(p):
    """In a game with paddles the mouse turns them until G lets it go; a click takes it again."""
    games = p.path("home") / ".local" / "share" / "sixer" / "games"
    games.mkdir(parents=True)
    (games / "turner.game").write_text(
        'game turner\ntitle "Turner"\nmd5 bdd1ea84d43df09893da5666c90b02f9\nleft_controller paddles\n'
        "actions NOOP FIRE RIGHT LEFT\nstep { reward = 0 }\n"
    )
    image = ROOT / "tests" / "cartridges" / "paddles.bin"
    script = """0 clock 0.004
        60 mouse 100
        100 key down G
        101 key up G
        110 mouse 100
        140 button down
        141 button up
        150 mouse 100
        200 quit"""
    result = in_window(p, script, image, "--record", "mouse.tape")
    p.check(result.returncode == 0, f"mouse: {result.stderr}")
    p.expect("replay", p.run("replay", "mouse.tape", "--rom", image, "--export", "mouse", "--observations", "ram"), 0)
    actions = list((p.path("mouse") / "actions.npy").read_bytes()[128:])
    p.check(actions[60:66] == [3] * 6, f"the mouse turns the paddle: {actions[55:70]}")
    p.check(set(actions[66:150]) == {0}, f"the mouse was let go: {actions[95:150]}")
    p.check(actions[150:156] == [3] * 6, f"a click takes it again: {actions[145:160]}")


def main():
    missing = [name for name in ("tmux", "Xvfb", "bash") if not shutil.which(name)]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed")
        return 77
    with Program() as p:
        test_terminal(p)
        test_no_color(p)
        test_window(p)
        test_mouse(p)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
