#!/usr/bin/env python3
"""Numbers in and out: what options take and refuse, what help and messages print, and JSON that every parser reads."""

import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import Program  # noqa: E402


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"keys twice: {keys}")
    return dict(pairs)


def strict(constant):
    raise ValueError(f"{constant} is not JSON")


def test_options(p):
    trace, record = ("trace", "duskrain", "--steps", "1"), ("record", "random", "duskrain", "-o", "n.tape")
    for command, option, value, *words in (
        (trace, "--sticky", "nan", "takes a number", "nan"),
        (trace, "--sticky", "inf", "takes a number"),
        (("plan", "uct", "duskrain"), "--seconds", "nan", "takes a number", "nan"),
        (("plan", "uct", "duskrain"), "--seconds", "-nan", "takes a number"),
        (("plan", "uct", "duskrain"), "--frame-skip", "1000000000", "1 to 10000,", "1000000000"),
        (("plan", "uct", "duskrain"), "--mode", "4294967296", "0 to 255"),
        (("atari5", "cost"), "--hours", "inf", "takes a number"),
        (trace, "--frame-skip", "1000000000", "1 to 10000,", "found 1000000000"),
        (trace, "--mode", "4294967296", "found 4294967296"),
        (record, "--frame-skip", "1000000000", "1 to 10000,", "found 1000000000"),
        (record, "--max-frames", "1000000000000", "0 to 2147483647,"),
        (record, "--mode", "4294967296", "0 to 255,"),
        (record, "--mode", "-1", "0 to 255,"),
        (record, "--difficulty", "4294967296", "0 to 3,"),
        (record, "--steps", "99999999999999999999", "a whole number below", "99999999999999999999"),
        (record, "--steps", "1e3", "a whole number,", "1e3"),
        (record, "--steps", "", "a whole number"),
        (("train", "random", "duskrain"), "--trials", "0", "1 to ", "found 0"),
        (("bench", "raw", "duskrain"), "--frames", "0", "1 to ", "found 0"),
    ):
        result = p.run(*command, option, value)
        p.expect(f"{command[0]} {option} {value}", result, 2, option, *words)
    both = ("--paddle-min", "500000", "--paddle-max", "400000")
    p.expect("paddles", p.run(*trace, *both), 2, "--paddle-min is at most --paddle-max", "500000", "400000")
    # hexadecimal is understood; a leading zero means nothing
    seeds = [p.run(*trace, "--seed", seed).stdout.splitlines()[-1] for seed in ("10", "010", "0xA")]
    p.check(seeds[0] == seeds[1] == seeds[2], f"seeds 10, 010 and 0xA differ: {seeds}")


def test_words(p):
    """Help has no numbers that only a program would write, and one of something is not several."""
    commands = [line.split()[0] for line in p.run("help").stdout.splitlines() if line.startswith("  ")]
    p.check(len(commands) > 10, f"commands: {commands}")
    for command in commands:
        text = p.run(command, "--help").stdout
        p.check("nan]" not in text and "e+" not in text, f"{command} --help: a number such as 2e+08 or nan")
    result = p.run("record", "random", "duskrain", "-o", "one.tape", "--max-frames", "60")
    p.expect("record", result, 0, "1 episode,", "60 steps")
    p.expect("replay", p.run("replay", "one.tape"), 0, "1 second,", "1 episode,")
    p.expect("info", p.run("replay", "one.tape", "--info"), 0, "1 second,")
    # a tape without a single whole second
    data = p.path("one.tape").read_bytes()
    p.path("cut.tape").write_bytes(data[: data.index(b"---\n") + 4])
    p.expect("cut", p.run("replay", "cut.tape"), 1, never=["second -1", "-1 second"])


def test_json(p):
    odd = 'a "b" \\ \n\t ü'.encode() + b"\xff\xed\xa0\x80.tape"
    name = os.fsdecode(odd)
    p.expect("record", p.run("record", "random", "duskrain", "-o", name, "--steps", 5), 0)
    p.expect("play", p.run("record", "random", "duskrain", "-o", "x.tape", "--steps", 5), 0)
    (p.path("home") / "x").mkdir()
    for command in (
        ("record", "random", "duskrain", "-o", name, "--force", "--steps", 5, "--json"),
        ("replay", name, "--json"),
        ("baselines", "duskrain", "sporefall", "--episodes", 1, "--max-frames", 60, "--json"),
        ("baselines", "duskrain", "--only", "random", "--episodes", 1, "--max-frames", 60, "--json"),
        ("demo", "duskrain", "--episodes", 1, "--max-frames", 60, "--json", "-o", "x.png"),
        ("games", "--json"),
        ("info", "duskrain", "--json"),
        ("roms", "list", "--json"),
        ("plan", "uct", "duskrain", "--simulations", 1, "--decisions", 1, "--json"),
        ("train", "random", "duskrain", "--frames", 100, "--evaluation", 0, "--json"),
        ("eval", "--list", "--json"),
        ("atari5", "models", "--json"),
        ("atari5", "cost", "--hours", 1, "--json"),
    ):
        what = " ".join(map(ascii, command))
        result = p.run(*command, text=False)
        if not p.check(result.returncode == 0, f"{what}: {result.stderr.decode(errors='replace')[:200]}"):
            continue
        try:
            value = json.loads(result.stdout.decode(), object_pairs_hook=unique, parse_constant=strict)
        except ValueError as error:
            p.check(False, f"{what}: {error}")
            continue
        if "tape" in value:
            p.check(value["tape"] == 'a "b" \\ \n\t ü' + "\ufffd" * 4 + ".tape", f"{what}: {value['tape']!r}")
        if command[0] == "baselines":
            p.check("random_2013" in value["summary"][0], f"{what}: {value['summary'][0].keys()}")
    lines = p.run("baselines", "duskrain", "--episodes", 1, "--max-frames", 60, "--tsv").stdout.splitlines()
    for before, head in zip(lines, lines[1:], strict=False):
        if before.startswith("# table"):
            columns = head.split("\t")
            p.check(len(set(columns)) == len(columns), f"columns twice: {columns}")


def main():
    with Program() as p:
        test_options(p)
        test_words(p)
        test_json(p)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
