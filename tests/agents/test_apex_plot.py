#!/usr/bin/env python3
"""The kept plot of one actor beside four is what bench/apex_actors.py draws from the kept rows, and the rows say what
the documentation says of them: four play four times the frames, and learn what one does not in the same time."""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/benchmarks/apex"


def main() -> None:
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("apex_actors", ROOT / "bench/apex_actors.py")
    assert spec and spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    rows, runs = script.read(FOLDER)
    assert script.draw(rows) == (FOLDER / "actors.svg").read_text(), "run bench/apex_actors.py 0"
    one, four = runs
    assert (one["actors"], four["actors"]) == (1, 4) and abs(one["seconds"] - four["seconds"]) < 3, runs
    assert 3.8 < four["frames"] / one["frames"] < 4.2, "the learner was the limit"
    assert script.curve(rows, 4)[-1][1] > 3 * script.curve(rows, 1)[-1][1]
    text = (ROOT / "docs/apex.md").read_text()
    for run in runs:
        assert f"| {run['actors']:.0f} | {run['frames']:,.0f} | {run['updates']:,.0f} |" in text, run
    print("the plot is that of its rows")


if __name__ == "__main__":
    main()
