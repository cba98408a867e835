#!/usr/bin/env python3
"""The runs in docs/results: each row of a planner has a tape that replays to its score, the tapes of trained agents
replay, the pages show the rows, and the planners reach the scores that are expected of them. Tapes hold actions and
digests only; if the image of a game is missing, its tape is skipped with a message."""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = str(pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build" / "release")) / "sixer")
RESULTS = ROOT / "docs" / "results" / "planning"
# at the budgets of the papers, without sticky actions: at least
MUST = {("uct", "pong"): 20, ("full-tree", "boxing"): 100, ("iw1", "freeway"): 26}
failures, skipped, proven, reached = [], [], 0, {}

for script in ("make", "make_linear", "make_deep", "make_lab"):
    checked = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "results" / script), "--check"], capture_output=True, text=True
    )
    if checked.returncode:
        failures.append((checked.stdout + checked.stderr).strip())
files = sorted(RESULTS.glob("*/*.json"))
tapes = sorted(RESULTS.glob("*/*.tape"))
if [path.with_suffix(".tape") for path in files] != tapes or not files:
    failures.append(f"rows and tapes are not the same: {len(files)} rows, {len(tapes)} tapes")
for path in files:
    row = json.loads(path.read_text())
    name = path.relative_to(ROOT)
    sticky = path.parent.name == "sticky"
    if (row["sticky"] > 0) != sticky:
        failures.append(f"{name}: sticky {row['sticky']} in the wrong folder")
    if not row["options"] and not sticky:
        reached.setdefault((row["agent"], row["game"]), []).append(row["score"])
    replay = subprocess.run([SIXER, "replay", str(path.with_suffix(".tape")), "--json"], capture_output=True, text=True)
    if "no image of" in replay.stderr:
        skipped.append(row["game"])
        continue
    report = json.loads(replay.stdout) if replay.stdout else {"problem": replay.stderr}
    same = all(report.get(key) == row[key] for key in ("score", "frames", "game", "seed"))
    if replay.returncode or not report.get("verified") or not same or report.get("md5") != row["rom"]:
        failures.append(f"{name}: the tape says {report}, the row {row['score']} points in {row['frames']} frames")
    proven += 1
for path in sorted(ROOT.glob("docs/results/linear/*/*.tape")) + sorted(ROOT.glob("docs/results/deep/*/*.tape")):
    replay = subprocess.run([SIXER, "replay", str(path), "--json"], capture_output=True, text=True)
    if "no image of" in replay.stderr:
        skipped.append(path.stem)
    elif replay.returncode or not json.loads(replay.stdout).get("verified"):
        failures.append(f"{path.relative_to(ROOT)}: {replay.stderr.strip() or replay.stdout}")
    else:
        proven += 1
for key, least in MUST.items():
    if not reached.get(key) or min(reached[key]) < least:
        failures.append(f"{' on '.join(key)}: {reached.get(key, 'no run')}, must be {least} or more")
for failure in failures:
    print("FAILED:", failure)
print(f"{proven} tapes proven")
if skipped:
    print(f"SKIPPED: no image of {', '.join(sorted(set(skipped)))}; set SIXER_ROMS or install ale_py")
sys.exit(1 if failures else 77 if not proven else 0)
