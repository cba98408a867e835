# label: long, 20 s
"""PQN learns: the preset `quick` on one of our games, against play at random."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD = Path(os.environ.get("SIXER_BUILD", "build/release"))
GAME = "duskrain"
SETTING = ["--actions", "minimal", "--sticky", "0"]


def scores(folder: str, agent: str, *arguments: str) -> list[float]:
    command = [BUILD / "sixer", "train", agent, GAME, *SETTING, "--out", folder, *arguments]
    subprocess.run(command, check=True, capture_output=True)
    rows = (Path(folder) / f"{agent}_{GAME}_1.episodes.tsv").read_text().splitlines()
    column = rows[0].split("\t").index("score")
    return [float(row.split("\t")[column]) for row in rows[1:]]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        chance = mean(scores(folder, "random", "--episodes", "60"))
        learned = scores(folder, "pqn", "--preset", "quick", "--frames", "200000")
        last = mean(learned[-(len(learned) // 4) :])
        print(f"random: {chance:.1f}; pqn: {last:.1f} in the last quarter of {len(learned)} episodes")
        if last < 2.5 * chance:
            sys.exit("pqn: less than 2.5 times what chance gives")


if __name__ == "__main__":
    main()
