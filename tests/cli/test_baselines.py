#!/usr/bin/env python3
"""`sixer baselines` and `sixer demo`: results do not depend on threads or interruptions, policies play the actions that
they should, and bad input gets an error message."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = f"{os.environ.get('SIXER_BUILD', ROOT / 'build' / 'release')}/sixer"
SHORT = ("--episodes", "3", "--max-frames", "400")
failures = []


def run(*arguments, **environment):
    return subprocess.run(
        [SIXER, *map(str, arguments)], capture_output=True, text=True, timeout=600, env={**os.environ, **environment}
    )


def check(what, condition, found=""):
    if not condition:
        failures.append(f"{what}: {str(found)[:500]}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        one = run("baselines", "sporefall", "duskrain", *SHORT, "--jobs", "1", "--json")
        two = run("baselines", "sporefall", "duskrain", *SHORT, "--jobs", "3", "--json")
        check("status", one.returncode == 0, one.stderr)
        check("any number of threads", one.stdout == two.stdout)
        result = json.loads(one.stdout)
        policies = {(p["game"], p["policy"], p["action"], p["seeds"]): p for p in result["policies"]}
        check("policies", len(policies) == 2 * 38, len(policies))
        for (game, policy, action, seeds), p in policies.items():
            check(f"episodes of {policy}", p["episodes"] == (1 if policy == "const" else 3), p)
            check("range", p["lowest"] <= p["mean"] <= p["highest"], p)
            check("frames", 0 < p["frames"] <= 400 * p["episodes"], p)
        for row in result["summary"]:
            best = max(p["mean"] for k, p in policies.items() if k[0] == row["game"] and k[1] == "const")
            check("best const", row["const"] == best, (row, best))
            best = max(
                p["mean"] for k, p in policies.items() if k[0] == row["game"] and k[1] == "perturb" and k[3] == "first"
            )
            check("best perturb", row["perturb"] == best, (row, best))

        # an agent through another door: the same policy gives the same score
        tape = run("record", "const:action=FIRE", "duskrain", "-o", folder / "c.tape", "--max-frames", "400", "--json")
        const = policies["duskrain", "const", "FIRE", "first"]
        check("Const by `record`", json.loads(tape.stdout)["mean_score"] == const["mean"], (tape.stdout, const))

        # a protocol: its settings, its games, its levels in turn
        own = folder / "own.toml"
        own.write_text(
            'name = "own"\nbase = "sixer-levels"\n[environment]\nsticky = 0\nframe_skip = 1\nmax_frames = 400\n'
            '[games]\nlist = ["duskrain", "sporefall"]\ntuning = []\n[score]\nlimits = [400]\n'
        )
        scores = folder / "own.csv"
        result = run(
            "baselines", "--protocol", own, "--only", "const", "--episodes", "3", "--once", "--json", "--scores", scores
        )
        check("protocol", result.returncode == 0, result.stderr)
        rows = json.loads(result.stdout)["policies"]
        check(
            "its games, one kind of policy",
            len(rows) == 36 and {r["game"] for r in rows} == {"duskrain", "sporefall"},
            len(rows),
        )
        tapes = [
            json.loads(
                run(
                    "record",
                    "const:action=FIRE",
                    "duskrain",
                    "-o",
                    folder / f"{level}.tape",
                    "--max-frames",
                    "400",
                    "--level",
                    level,
                    "--json",
                ).stdout
            )["mean_score"]
            for level in (200, 201, 202)
        ]
        mean = [r["mean"] for r in rows if r["game"] == "duskrain" and r["action"] == "FIRE"]
        check("levels in turn", len(mean) == 1 and abs(mean[0] - sum(tapes) / 3) < 1e-9, (mean, tapes))
        check("evaluated", run("eval", scores, "--protocol", own).returncode == 0)
        check(
            "another protocol",
            "mixed protocols" in run("eval", scores, "--protocol", "sixer-levels", "--partial").stderr,
        )
        random = [
            json.loads(run("baselines", "duskrain", *SHORT, *more, "--json").stdout)["policies"][0]
            for more in ((), ("--only", "random"))
        ]
        check("one kind of policy scores as among the others", random[0] == random[1], random)
        for what, status, words, options in (
            ("a setting of the protocol", 2, "--sticky", ("--protocol", own, "--sticky", "0.5")),
            ("no protocol", 2, "there is no protocol", ("--protocol", "nonesuch")),
            ("minimal actions", 2, "minimal", ("--protocol", "atari100k")),
            ("no kind", 2, "--only", ("duskrain", "--only", "best")),
        ):
            result = run("baselines", *options)
            check(what, result.returncode == status and words in result.stderr and not result.stdout, result.stderr)

        # interrupted and gone on with
        store = folder / "store"
        process = subprocess.Popen(
            [SIXER, "baselines", "sporefall", "duskrain", *SHORT, "--jobs", "1", "--store", store],
            stdout=subprocess.DEVNULL,
        )
        until = time.time() + 60
        while time.time() < until and (not store.exists() or store.read_bytes().count(b"\n") < 8):
            time.sleep(0.01)
        process.kill()
        process.wait()
        with open(store, "a") as file:
            file.write("duskrain\t36\t0\t3\t12")  # cut off in the middle of a line
        done = store.read_text().count("\n")
        again = run("baselines", "sporefall", "duskrain", *SHORT, "--store", store, "--json")
        check("gone on with", again.stdout == one.stdout, again.stderr)
        check("something was kept", done >= 8, done)
        third = run(
            "baselines", "sporefall", "duskrain", *SHORT, "--store", store, "--json", "--scores", folder / "scores.csv"
        )
        check("from the store alone", third.stdout == one.stdout)
        lines = (folder / "scores.csv").read_text().splitlines()
        check("scores", lines[0] == "game,agent,score" and len(lines) == 1 + 2 * 37, lines[:3])
        other = run("baselines", "sporefall", "duskrain", "--episodes", "4", "--max-frames", "400", "--store", store)
        check("other settings", other.returncode == 1 and "other settings" in other.stderr, other.stderr)

        # sticky actions make Const vary, and the seed matters
        sticky = json.loads(run("baselines", "duskrain", *SHORT, "--sticky", "0.25", "--json").stdout)
        check("Const under sticky actions", all(p["episodes"] == 3 for p in sticky["policies"]), sticky["policies"][1])
        tsv = run("baselines", "duskrain", *SHORT, "--tsv").stdout
        check("tsv", "md5" in tsv and "random\t" in tsv, tsv[:300])
        table = run("baselines", "duskrain", *SHORT, "--once").stdout
        check("table", "duskrain" in table and "again" not in table.splitlines()[1], table)

        for arguments, status, word in (
            (["no_such_game"], 1, "no_such_game"),
            ([], 2, "GAME"),
            (["duskrain", "--episodes", "0"], 2, "episodes"),
            (["duskrain", "--max-frames", "0"], 2, "for ever"),
            (["duskrain", "--json", "--tsv"], 2, "one of"),
            (["duskrain", "--mode", "99"], 1, "mode"),
            (["duskrain", "--jobs", "-1"], 2, "jobs"),
        ):
            result = run("baselines", *arguments)
            check(f"baselines {arguments}", result.returncode == status and word in result.stderr, result.stderr)

        demo = run("demo", "-o", folder / "sheet.png", "--episodes", "1", "--max-frames", "200")
        check(
            "demo",
            demo.returncode == 0 and "frames a second" in demo.stdout and "What to try next" in demo.stdout,
            demo.stderr,
        )
        check(
            "all eight",
            all(
                g in demo.stdout
                for g in (
                    "Duskrain",
                    "Sporefall",
                    "Hedgelight",
                    "Cragfast",
                    "Undervault",
                    "Afterglow",
                    "Wispherd",
                    "Hearthring",
                )
            ),
            demo.stdout,
        )
        check("sheet", (folder / "sheet.png").read_bytes()[:4] == b"\x89PNG")
        demo = run("demo", "duskrain", "-o", folder / "sheet.png", "--episodes", "1", "--max-frames", "200", "--json")
        check("demo as JSON", json.loads(demo.stdout)["scores"][0]["game"] == "Duskrain", demo.stdout)
        demo = run("demo", "duskrain", "-o", folder / "no" / "sheet.png", "--episodes", "1", "--max-frames", "200")
        check("demo that cannot write", demo.returncode == 1 and "cannot be written" in demo.stderr, demo.stderr)
    for line in failures:
        print("WRONG", line)
    print(f"{len(failures)} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
