#!/usr/bin/env python3
"""The scores in the manual are those of the data beside it, and the data can be reproduced: tables are written again
and compared, the constants of the protocol sixer-levels are the means of its episodes, and a few cheap rows of the
baselines are played again with the same seeds (which needs cartridge images)."""

import csv
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = f"{os.environ.get('SIXER_BUILD', ROOT / 'build' / 'release')}/sixer"
failures = []


def check(what, condition, found=""):
    if not condition:
        failures.append(f"{what}: {str(found)[:500]}")


def run(*arguments):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=600, cwd=ROOT)


def load_make():
    path = str(ROOT / "docs" / "results" / "make_scores")
    loader = importlib.machinery.SourceFileLoader("make_scores", path)
    sys.dont_write_bytecode = True
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_scores", loader))
    loader.exec_module(module)
    return module


def test_pages():
    result = run(sys.executable, "docs/results/make_scores", "--check")
    check("docs/results/make_scores", result.returncode == 0, result.stdout + result.stderr)


def test_levels(make):
    """0 is Random and 1 the scripted player, on every game."""
    protocol = tomllib.loads((ROOT / "protocols" / "sixer-levels.toml").read_text())
    columns = protocol["constants"]["columns"]
    means = make.level_means()
    check("games", set(means) == set(protocol["games"]["list"]), means)
    for game, agents in means.items():
        constants = dict(zip(columns, protocol["constants"][game]))
        for agent, mean in agents.items():
            check(f"{agent} in {game}", abs(constants[agent] - mean) < 0.0501, (constants, mean))
    result = run(SIXER, "eval", "docs/games/levels.csv", "--protocol", "sixer-levels", "--games", "--json")
    check("eval", result.returncode == 0, result.stderr)
    report = json.loads(result.stdout)
    for row in report["games"]:
        check(
            f"{row['agent']} in {row['game']}",
            abs(row["normalized"] - (100 if row["agent"] == "scripted" else 0)) < 0.5,
            row,
        )
    check("six games twice", len(report["games"]) == 12, len(report["games"]))


def test_baselines(make):
    for name, games, episodes in (("training", 5, 100), ("test", 50, 5)):
        tables, values = make.tables_of(ROOT / "docs" / "results" / f"baselines_{name}.tsv")
        rows = tables["policies"]
        check(
            f"{name}, settings",
            values["settings"].startswith(f"{episodes} episodes, seed 1, sticky 0, frame skip 1, 18000"),
            values,
        )
        check(f"{name}, games", len({r["game"] for r in rows}) == games and len(tables["images"]) == games)
        for row in rows:
            wanted = 1 if row["policy"] == "const" else episodes
            check(f"{name}, {row['game']} {row['policy']} {row['action']}", int(row["episodes"]) == wanted, row)
        check(f"{name}, policies", len(rows) == games * 38, len(rows))
    # a few that are soon over, with the same seeds
    cheap = sorted((r for r in rows if r["policy"] == "random"), key=lambda r: int(r["frames"]))[:6]
    if "no image" in (said := run(SIXER, "info", cheap[0]["game"])).stderr or said.returncode:
        print(f"SKIPPED playing baselines again: no cartridge images ({said.stderr.strip()[:100]})")
        return
    names = [r["game"] for r in cheap]
    result = run(SIXER, "baselines", *names, "--only", "random", "--episodes", "5", "--tsv")
    check("again", result.returncode == 0, result.stderr)
    text = result.stdout[result.stdout.index("# table\tpolicies") :].splitlines()[1:]
    now = {r["game"]: r for r in csv.DictReader(text, delimiter="\t")}
    for row in cheap:
        check(f"{row['game']} again", now.get(row["game"]) == row, (row, now.get(row["game"])))
    print(f"played again: {', '.join(names)}")
    compare_with_reference(rows)


def compare_with_reference(rows):
    """Where the best Const is not the published one, ale-py agrees with us: the three shortest."""
    try:
        import ale_py
    except ImportError:
        print("SKIPPED the comparison with ale-py: it is not installed")
        return
    with open(ROOT / "data" / "published" / "bellemare2013_rl.csv", newline="") as file:
        published = {row["game"]: float(row["const"]) for row in csv.DictReader(file)}
    best = {}
    for row in rows:
        if row["policy"] == "const" and (
            row["game"] not in best or float(row["mean"]) > float(best[row["game"]]["mean"])
        ):
            best[row["game"]] = row
    differ = sorted((r for g, r in best.items() if float(r["mean"]) != published[g]), key=lambda r: int(r["frames"]))[
        :3
    ]
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    for row in differ:
        ale = ale_py.ALEInterface()
        ale.setFloat("repeat_action_probability", 0.0)
        ale.setInt("frame_skip", 1)
        ale.setInt("max_num_frames_per_episode", 18000)
        image = pathlib.Path(ale_py.__file__).parent / "roms" / f"{row['game']}.bin"
        if not image.exists():
            print(f"SKIPPED {row['game']}: ale-py has no image of it")
            continue
        ale.loadROM(str(image))
        score, action = 0, getattr(ale_py.Action, row["action"])
        while not ale.game_over():
            score += ale.act(action)
        check(f"{row['game']} in ale-py", score == float(row["mean"]), (score, row))
    print(f"as in ale-py: {', '.join(r['game'] for r in differ)}")


def main():
    make = load_make()
    test_pages()
    test_levels(make)
    test_baselines(make)
    for line in failures:
        print("WRONG", line)
    print(f"{len(failures)} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
