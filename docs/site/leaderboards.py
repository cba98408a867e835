"""The page of leaderboards: agents ranked under each protocol by `sixer eval`, from kept and published results."""

from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile
from typing import Any

from pages import Stage

PUBLISHED = {
    "saber": ("saber/rainbow", "saber/rainbow_iqn"),
    "machado2018": ("machado2018/dqn", "machado2018/sarsa_blobprost"),
    "bellemare2013": tuple(f"bellemare2013/{name}" for name in "basic bass disco lsh ram full_tree uct".split()),
}
TITLES = {
    "saber": "61 games, SABER (2019)",
    "machado2018": "60 games, Machado et al. (2018)",
    "bellemare2013": "55 games, Bellemare et al. (2013)",
}


def _sixer(program: str, *arguments: str) -> str:
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def _table(result: dict[str, Any], games: int | None = None) -> str:
    """Agents by the protocol's headline figure, the best first; those that lack games come last."""
    headline = result["headline"]
    rows = sorted(result["aggregates"], key=lambda row: (row["games"] < (games or 0), -(row[headline] or 0)))
    columns = [headline] + [name for name in ("median", "mean", "iqm") if name != headline]
    out = ["| | agent | games | runs | " + " | ".join(f"{name} %" for name in columns) + " |"]
    out.append("|---|---|---|---|" + "---|" * len(columns))
    for place, row in enumerate(rows, 1):
        whole = games is None or row["games"] >= games
        figures = ["" if row[name] is None else f"{round(row[name], 1) + 0.0:.1f}" for name in columns]  # no -0.0
        out.append(
            f"| {place if whole else ''} | {row['agent']} | {row['games']} | {row['runs']} | **{figures[0]}** | "
            + " | ".join(figures[1:])
            + " |"
        )
    return "\n".join(out)


def _levels(program: str, root: pathlib.Path) -> str:
    with tempfile.TemporaryDirectory() as name:
        store, folder = f"{name}/levels.db", f"{name}/levels"
        _sixer(program, "lab", "import", store, str(root / "docs/results/lab/levels"))
        _sixer(program, "lab", "export", store, "-o", folder)
        text = _sixer(program, "eval", f"{folder}/evaluation.tsv", "--protocol", "sixer-levels", "--partial", "--json")
    return _table(json.loads(text), 6)


def write(stage: Stage, program: str) -> None:
    stage.places["docs/results/leaderboards.md"] = "results/leaderboards.md"
    parts = [
        "# Leaderboards",
        "Agents under one protocol each, computed by `sixer eval` ([evaluation](../evaluation.md)). Scores are "
        "normalized as the protocol says, in percent; the first figure is the protocol's own. Scores under different "
        "protocols cannot be compared.",
        "## Our own six games, levels not seen in training",
        "Protocol [sixer-levels](../games/index.md#a-standard-for-generalization): 0 is Random, 100 the scripted "
        "player with a choice in every frame. Budgets are far below the protocol's, and runs fewer than the five that "
        "it asks for: this shows what agents do with little. [The experiment](lab.md) says how it was made and keeps "
        "all rows. Agents without a place lack games.",
        _levels(program, stage.root),
    ]
    for protocol, agents in PUBLISHED.items():
        result = json.loads(_sixer(program, "eval", "--protocol", protocol, "--against", ",".join(agents), "--json"))
        parts += [
            f"## {TITLES[protocol]}",
            f"Published results, {result['normalization']}-normalized. Your own come beside them with "
            f"`sixer eval FILE --protocol {protocol} --against {','.join(a.split('/')[1] for a in agents[:2])}`.",
            _table(result),
        ]
    parts += [
        "## More",
        "- [Linear learners](linear.md), [deep learners](deep.md) and [planners](planning.md) of sixer beside "
        "published scores, game by game.\n"
        "- [The papers' tables, computed again](papers.md).",
    ]
    stage.write("results/leaderboards.md", "\n\n".join(parts) + "\n")
