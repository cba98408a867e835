"""Agents of the library from Python."""

import json
import os
import subprocess

import pytest
import sixer.plan

SETTINGS = dict(simulations=8, horizon=40, decisions=15)


def test_callback_sees_every_decision():
    seen = []
    result = sixer.plan.play("sporefall", "uct", callback=seen.append, **SETTINGS)
    assert [d["decision"] for d in seen] == list(range(1, 16))
    assert tuple(d["action"] for d in seen) == result.actions
    assert sum(d["reward"] for d in seen) == result.score == seen[-1]["score"]
    assert all(d["nodes"] > 0 and d["frames"] > 0 and d["depth"] > 0 for d in seen)
    assert result.frames == 75 and result.end is None


def test_same_seed_same_play():
    one = sixer.plan.play("sporefall", "iw1", frames=400, decisions=8, seed=5)
    two = sixer.plan.play("sporefall", "iw1", frames=400, decisions=8, seed=5, jobs=2)
    assert one == two


def test_as_the_program(tmp_path):
    program = os.path.join(os.environ.get("SIXER_BUILD", "build/release"), "sixer")
    if not os.path.exists(program):
        pytest.skip(f"{program} is not built")
    run = subprocess.run(
        [program, "plan", "uct", "sporefall", "--simulations", "8", "--horizon", "40", "--decisions", "15", "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    row = json.loads(run.stdout)
    result = sixer.plan.play("sporefall", "uct", **SETTINGS)
    assert row["score"] == result.score and row["frames"] == result.frames


def test_the_callback_can_stop():
    result = sixer.plan.play("sporefall", "random", callback=lambda d: d["decision"] < 7)
    assert len(result.actions) == 7


def test_errors_of_the_callback_pass_through():
    with pytest.raises(ZeroDivisionError):
        sixer.plan.play("sporefall", "random", callback=lambda d: 1 / 0)


def test_agents_are_listed():
    agents = sixer.plan.agents()
    assert agents["uct"]["simulations"] == "500"
    assert {"random", "full-tree", "iw1", "p-iw1", "2bfs", "rollout-iw1"} <= set(agents)


@pytest.mark.parametrize(
    "agent, options, message",
    [
        ("mcts", {}, "there is no agent 'mcts'"),
        ("uct", {"depth": 3}, "has no option 'depth'"),
        ("uct", {"simulations": 0}, "no budget"),
        ("full-tree", {"frames": 10}, "below one expansion"),
    ],
)
def test_bad_input(agent, options, message):
    with pytest.raises(ValueError, match=message):
        sixer.plan.play("sporefall", agent, decisions=1, **options)
