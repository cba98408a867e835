# label: long, 70 s
"""Every learner with a network learns: a short run with the preset `quick` on one of our games, and 20 episodes without
learning after it, against play at random. Runs are functions of their seeds, so a run that passes here passes
everywhere, until the agent is changed."""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BUILD = Path(os.environ.get("SIXER_BUILD", "build/release"))
GAME = "duskrain"
FRAMES = {"dqn": 30000, "c51": 30000, "rainbow": 30000, "der": 40000, "iqn": 30000, "rainbow-iqn": 30000}
BETTER = 2.5  # times what chance gives


def mean_score(folder: Path, agent: str, rows: str, *arguments: str) -> float:
    out = folder / agent
    command = [BUILD / "sixer", "train", agent, GAME, "--actions", "minimal", "--out", out, *arguments]
    subprocess.run(command, check=True, capture_output=True)
    lines = (out / f"{agent}_{GAME}_1.{rows}.tsv").read_text().splitlines()
    column = lines[0].split("\t").index("score")
    scores = [float(line.split("\t")[column]) for line in lines[1:]]
    return sum(scores) / len(scores)


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        chance = mean_score(folder, "random", "episodes", "--episodes", "60")
        print(f"random: {chance:.1f}", flush=True)

        def learn(agent: str) -> float:
            more = ["--preset", "quick", "--frames", str(FRAMES[agent]), "--evaluation", "20", "--threads", "1"]
            learned = mean_score(folder, agent, "evaluation", *more)
            print(f"{agent}: {learned:.1f}", flush=True)
            return learned

        agents = sys.argv[1:] or list(FRAMES)
        with ThreadPoolExecutor(2) as pool:
            scores = dict(zip(agents, pool.map(learn, agents), strict=True))
        failed = [agent for agent, score in scores.items() if score < BETTER * chance]
        if failed:
            sys.exit(f"{', '.join(failed)}: less than {BETTER} times what chance gives")


if __name__ == "__main__":
    main()
