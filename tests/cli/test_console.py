#!/usr/bin/env python3
# label: long
"""The console by hand, in a window and in tmux: SELECT, RESET, difficulties and color reach the game and the tape,
which replays to the same bytes; keys can be changed; `sixer play` without a game lets one choose."""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import SIXER, Program  # noqa: E402
from screens import Terminal, in_window  # noqa: E402


def test_keys(p):
    """Wrong keys are errors that say where and what was meant, before anything is opened or written."""
    rows = [
        ("fier = x", "--keys:1: there is no command 'fier' (did you mean 'fire'?)"),
        ("fire = x; select = spcae", "--keys:2: there is no key 'spcae' (did you mean 'space'?)"),
        ("fire = x; select = X", "--keys:2: X is the key of fire already, by line 1"),
        ("fire = x; fire = y", "--keys:2: fire has its keys already, by line 1"),
        ("fire = x,", "--keys:1: a key is missing after the last comma"),
        ("fire = F13", "there is no key 'F13'"),
        ("missing.keys", "missing.keys: cannot be opened"),
    ]
    for keys, message in rows:
        p.expect(keys, p.run("play", "duskrain", "--record", "no.tape", "--keys", keys), 2, message)
    p.check(not p.path("no.tape").exists(), "a tape in spite of wrong keys")
    p.path("my.keys").write_text("# mine\n\n[terminal]\nquit = z\n[windw]\n")
    p.expect("section", p.run("play", "--keys", "my.keys"), 2, "my.keys:5: there are the sections", "[windw]")
    # the list is a file that can be read, and reading it changes nothing
    first = p.run("play", "--list-keys").stdout
    p.path("all.keys").write_text(first)
    p.check(p.run("play", "--list-keys", "--keys", "all.keys").stdout == first, "the list of keys read again")
    # a key does one thing; the file of the user comes before the option
    config = p.path("home") / ".config" / "sixer"
    config.mkdir(parents=True)
    (config / "keys").write_text("select = space\nquit = F10\n")
    text = p.run("play", "--list-keys", "--keys", "quit = z").stdout
    p.check("select = space\n" in text and "fire = left ctrl\n" in text, f"a key of one's own: {text}")
    p.check("quit = z\n" in text, "the option comes last")
    (config / "keys").write_text("select = \0")
    p.expect("not a text", p.run("play", "--list-keys"), 2, "not a text")
    (config / "keys").unlink()


def test_window(p):
    """Keys of the window, some of them changed, work the switches; the tape has them."""
    script = """0 clock 0.004
        60 key down F8
        66 key up F8
        90 key down Z
        100 key down [
        101 key up [
        110 key down b
        111 key up b
        140 key up Z
        200 quit"""
    p.check(in_window(p, script, "duskrain", "--record", "w.tape", "--keys", "reset = z").returncode == 0, "switches")
    p.expect("replay", p.run("replay", "w.tape"), 0, "verified")
    raw = p.path("w.tape").read_bytes()
    raw = raw[raw.index(b"---\n") + 4 :]
    # event 224 and the switches that are held from there on: SELECT, nothing, RESET, the left difficulty too, color
    # too, RESET released; the console runs on (4) since the first of them
    for held in (6, 4, 5, 5 | 64, 5 | 64 | 8, 4 | 64 | 8):
        at = raw.find(bytes([224, held]))
        p.check(at >= 0, f"switches {held} on the tape: {raw[:300]}")
        raw = raw[at + 2 :] if at >= 0 else raw


def test_picker_window(p):
    pick = """30 dump grid.ppm
        40 key down d
        42 key down u
        44 key down s
        50 dump found.ppm
        60 key down Return"""
    result = in_window(p, "60 quit\n", pick=pick)
    p.check(result.returncode == 0 and "Duskrain: " in result.stdout, f"the picker: {result.stdout} {result.stderr}")
    grid, found = p.path("grid.ppm").read_bytes(), p.path("found.ppm").read_bytes()
    p.check(len(set(grid[20::300])) > 20 and grid != found, "pictures of games")
    result = in_window(p, "60 quit\n", pick="20 key down Escape")
    p.check(result.returncode == 0 and result.stdout == "", f"Esc leaves the picker: {result.stdout} {result.stderr}")


def test_terminal(p):
    terminal = Terminal(p, TERM="xterm-256color")
    try:
        terminal.send(f"clear; '{SIXER}' play --record t.tape --keys 'quit = j'", "Enter")
        terminal.wait_all("Which game", "Duskrain", "Hedgelight", "\u2580")
        terminal.send("h", "e", "d", "g")
        terminal.wait("games with 'hedg': 1")
        terminal.send("Enter")
        terminal.wait("mode 0.0 .*REC", 90)
        terminal.send("]")
        terminal.wait("right difficulty A")
        terminal.wait("mode 0.2 .*REC", 90)
        terminal.send("b")
        terminal.wait("B/W")
        terminal.send("F8")
        terminal.wait("by SELECT")
        terminal.send("r")
        terminal.send("h")
        terminal.wait_all("SELECT, RESET", r"\bj ")  # the changed key
        terminal.send("j")
        terminal.wait("tape written")
    finally:
        terminal.close()
    p.expect("the tape", p.run("replay", "t.tape"), 0, "verified")
    # the right difficulty (128), and color (8), then SELECT (2) and RESET (1) with a console that runs on (4); a busy
    # machine may see both of them pressed at once
    raw = p.path("t.tape").read_bytes()
    raw = raw[raw.index(b"---\n") + 4 :]
    for what, held in (
        ("the right difficulty", {128}),
        ("color", {128 | 8}),
        ("SELECT", {128 | 8 | 4 | 2, 128 | 8 | 4 | 2 | 1}),
        ("RESET", {128 | 8 | 4 | 1, 128 | 8 | 4 | 2 | 1}),
    ):
        p.check(any(bytes([224, switches]) in raw for switches in held), f"{what} is not on the tape of the terminal")
    # nobody is there to choose
    p.expect("no terminal", p.run("play"), 2, "name the GAME")


def main():
    missing = [name for name in ("tmux", "Xvfb", "bash") if not shutil.which(name)]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed")
        return 77
    with Program() as p:
        test_keys(p)
        test_window(p)
        test_picker_window(p)
        test_terminal(p)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
