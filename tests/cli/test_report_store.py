#!/usr/bin/env python3
"""Stores of `sixer lab` in `sixer eval` and `sixer report`: the figures of the exported rows, what a store lacks."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import Program  # noqa: E402

EXPERIMENT = """
name = "levels"
protocol = "sixer-levels"
games = ["duskrain", "afterglow"]
trials = 2
frames = 3000
evaluation = 2
[agent.random]
[agent.perturb]
action = "FIRE"
"""
TRAINING = """
name = "training"
protocol = "./own.toml"
games = ["duskrain"]
trials = 2
frames = 9000
[agent.random]
"""
PROTOCOL = """
name = "own"
base = "machado2018"
[games]
list = ["duskrain"]
tuning = []
[training]
length = 9000
checkpoints = [3000, 6000, 9000]
[constants]
columns = ["random", "human"]
duskrain = [10, 100]
"""


def figures(p, *arguments):
    result = p.expect("eval", p.run("eval", *arguments, "--partial", "--json", "--games", "--replicates", 100), 0)
    return json.loads(result.stdout)


def main():
    with Program() as p:
        p.path("levels.toml").write_text(EXPERIMENT)
        p.path("training.toml").write_text(TRAINING)
        p.path("own.toml").write_text(PROTOCOL)
        p.expect("run", p.run("lab", "run", "levels.toml", "--store", "s.db", "--quiet"), 0, "8 of 8")

        # an evaluation is scored: the rows of the export, under the protocol that they name
        p.expect("export", p.run("lab", "export", "s.db", "-o", "rows"), 0)
        store, rows = figures(p, "s.db"), figures(p, "rows/evaluation.tsv")
        p.check(store["games"] == rows["games"] and len(store["games"]) == 4, "figures of a store: %s" % store["games"])
        p.check(store["aggregates"] == rows["aggregates"], "aggregates of a store")
        warned = {w["name"]: w["text"] for w in store["warnings"]}
        p.check("unstated-protocol" not in warned, "the rows name their protocol")
        p.check("not for the 10000000 of sixer-levels" in warned.get("other-training", ""), "warnings: %s" % warned)
        p.check(store["checkpoint"].endswith("by the protocol; files of episodes do not say it"), store["checkpoint"])
        p.expect("report", p.run("report", "s.db", "--partial"), 0, "report.html")
        page = p.path("report.html").read_text()
        p.check("sixer report s.db --partial" in page and "/tmp/" not in page, "the page names the store")
        p.expect("again", p.run("report", "s.db", "--partial", "-o", "again.html"), 0)
        p.check(p.path("again.html").read_text() == page, "the same bytes")
        p.expect("a name", p.run("report", "a=s.db", "--protocol", "sixer-levels"), 1, "without NAME= before it")

        # two protocols in a store; one scores training and has curves
        p.expect("run", p.run("lab", "run", "training.toml", "--store", "s.db", "--quiet"), 0)
        p.expect("two protocols", p.run("report", "s.db", "--partial"), 2, "several protocols: ", "with --protocol")
        p.expect("another", p.run("report", "s.db", "--protocol", "saber"), 1, "no runs under 'saber'")
        p.expect("training", p.run("report", "s.db", "--protocol", "./own.toml"), 0)
        page = p.path("report.html").read_text()
        p.check('id="figure-curve-duskrain"' in page, "a curve of the store")

        # not a store, and one without results
        p.path("short.db").write_bytes(p.path("s.db").read_bytes()[:5000])
        p.expect("a damaged store", p.run("eval", "short.db"), 1, "short.db")
        p.expect("new", p.run("lab", "run", "levels.toml", "--store", "new.db", "--only", 1, "--quiet"), 0)
        result = p.run("eval", "new.db", "--partial")
        p.expect("unfinished", result, 0)
        p.check("unfinished-runs" in result.stderr and "1 of 8 runs are done" in result.stderr, result.stderr)
        return p.finish()


if __name__ == "__main__":
    sys.exit(main())
