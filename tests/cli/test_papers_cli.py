#!/usr/bin/env python3
"""sixer papers: the page of docs/results is what the program writes, everything that differs is explained, every
printed figure is used, and some items equal an independent computation from the CSV files."""

import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = str(pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build" / "release")) / "sixer")
DATA = ROOT / "data" / "published"
PAPERS = ("bellemare2013", "machado2018", "saber", "atari5")
failures = []


def run(*arguments):
    return subprocess.run([SIXER, "papers", *arguments], capture_output=True, text=True)


def expect(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: {found!r}, expected {wanted!r}")


def rows(name):
    with open(DATA / name, newline="") as file:
        return list(csv.DictReader(file))


# the page
page = ROOT / "docs" / "results" / "papers.md"
if "--write" in sys.argv:
    page.write_text(run("--markdown").stdout)
if run("--markdown").stdout != page.read_text():
    failures.append("docs/results/papers.md is not what the program writes: run tests/cli/test_papers_cli.py --write")

# every item of every paper
papers = {name: json.loads(run(name, "--json").stdout) for name in PAPERS}
figures = {}  # (paper, item, label)
for paper, tables in papers.items():
    for key, table in tables.items():
        item = key.removeprefix(paper + "_").replace("_", " ")
        for row in table:
            where = (paper, item, row["figure"])
            if where in figures:
                failures.append(f"{where} is there twice")
            figures[where] = row
            if row["verdict"] == "differs" and not row["note"]:
                failures.append(f"{where} differs without an explanation: {row}")
            if row["verdict"] == "bound" and row["ours"] < row["printed"]:
                failures.append(f"{where} is no bound: {row}")
            if row["verdict"] in ("equal", "cut off") and abs(row["difference"]) > 1:
                failures.append(f"{where}: {row}")
            if row["ours"] is None:
                failures.append(f"{where} has no figure")
used = 0
for row in rows("papers_printed.csv"):
    figure = figures.get((row["paper"], row["item"], row["label"]))
    if figure is None or figure["printed"] != float(row["printed"]):
        failures.append(f"papers_printed.csv: {row} is not used")
    used += figure is not None
expect("printed figures", used, 121)
expect("figures that are printed", sum(f["printed"] is not None for f in figures.values()), 1702)
expect("figures that agree", sum(f["verdict"] in ("equal", "cut off") for f in figures.values()), 1629)

# Figures 3 and 4 of 2013, by other means
learners = ("basic", "bass", "disco", "lsh", "ram")
table = [[float(row[name]) for name in learners] for row in rows("bellemare2013_rl.csv")]
for i, name in enumerate(learners):
    z = [1.0 if max(r) == min(r) else (r[i] - min(r)) / (max(r) - min(r)) for r in table]
    for kind, value in (("average", statistics.fmean(z)), ("median", statistics.median(z))):
        found = figures["bellemare2013", "figure 3", f"{name} {kind}"]["ours"]
        if abs(found - value) > 1e-12:
            failures.append(f"{name} {kind}: {found}, expected {value}")
    for tenth in range(11):
        share = sum(value >= tenth / 10 for value in z) / len(z)
        found = figures["bellemare2013", "figure 4", f"{name}, {tenth / 10} or more"]["ours"]
        if abs(found - share) > 1e-12:
            failures.append(f"{name} at {tenth}: {found}, expected {share}")

# Figures 3, 5 and 11 of SABER
reference = {row["game"]: row for row in rows("reference_scores.csv")}
scores = {}
for row in rows("saber_rainbow_iqn.csv"):
    value = float("inf") if row["infinite"] == "1" else float(row["mean"] or "nan")
    scores[row["game"], row["algorithm"], row["eval_time"], row["frames_millions"]] = value


def median(of):
    z = []
    for game, score in of.items():
        low, high = (reference[game][column] for column in ("random_saber", "world_record_saber"))
        if high and score == score:
            z.append(100 * (score - float(low)) / abs(float(high) - float(low)))
    return statistics.median(z)


for number, time in ((3, "saber"), (5, "5min")):
    for millions in ("10", "50", "100", "200"):
        wanted = median({k[0]: v for k, v in scores.items() if k[1:] == ("rainbow_iqn", time, millions)})
        found = figures["saber", f"figure {number}", f"Rainbow-IQN at {millions}M"]["ours"]
        if abs(found - wanted) > 1e-9:
            failures.append(f"figure {number} at {millions}M: {found}, expected {wanted}")
for (paper, item, game), figure in figures.items():
    if (paper, item) != ("saber", "figure 11"):
        continue
    low = float(reference[game]["random_saber"])
    rainbow, iqn = (scores[game, name, "saber", "200"] for name in ("rainbow", "rainbow_iqn"))
    if abs(figure["ours"] - 100 * (iqn - low) / abs(rainbow - low)) > 1e-9:
        failures.append(f"figure 11, {game}: {figure}")
if ("saber", "figure 11", "asteroids") in figures or ("saber", "figure 11", "atlantis") in figures:
    failures.append("figure 11 has games that the paper leaves out")

# other names, one item, bad usage
expect("another name", run("aitchison2023", "--table", "9").returncode, 0)
one = run("bellemare2013", "--table", "4", "--tsv").stdout
if "times best bass\t17\t17\t0\tequal" not in one:
    failures.append(f"Table 4: {one!r}")
for arguments, message in (
    (("pong",), "there is no paper 'pong'; choose bellemare2013"),
    (("saber", "--table", "9"), "computed are tables 2, 3, 4 and figures 2, 3, 4, 5, 7, 8, 9, 10, 11"),
    (("--table", "2"), "of which paper?"),
    (("saber", "--markdown"), "give no name"),
    (("--json", "--tsv"), "choose one"),
):
    done = run(*arguments)
    if done.returncode != 2 or message not in done.stderr or done.stdout:
        failures.append(f"{arguments}: status {done.returncode}, {done.stderr!r}")

print("\n".join(failures) or f"{len(figures)} figures")
sys.exit(bool(failures))
