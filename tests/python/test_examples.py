"""The examples run, and do what they say. They play our own games, so they need no images."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"


def run(name: str, *arguments: str) -> str:
    command = [sys.executable, str(FOLDER / f"{name}.py"), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, env=os.environ, timeout=600)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_all_examples_are_tested():
    names = {path.stem for path in FOLDER.glob("*.py")}
    expected = {
        "random_play",
        "vector_loop",
        "plan_with_branch",
        "record_video",
        "learn_numpy",
        "load_network",
        "compare_agents",
    }
    assert names == expected


def test_random_play():
    assert re.search(r"score \d+ after \d+ steps, \d lives lost, ended by game_over", run("random_play"))


def test_vector_loop():
    out = run("vector_loop")
    assert re.search(r"3200 steps by \d+ threads, [1-9]\d* episodes ended", out)
    assert out.count("mean return") == 2


def test_plan_with_branch():
    """Planning is worth more than chance, which makes some four points in so many moves."""
    score = int(re.search(r"score (-?\d+) after", run("plan_with_branch"))[1])
    assert score >= 15


def test_record_video(tmp_path):
    pytest.importorskip("moviepy", reason="RecordVideo needs moviepy")
    out = run("record_video", "duskrain", str(tmp_path))
    assert int(re.search(r"mp4: (\d+) bytes", out)[1]) > 1000


def test_learn_numpy():
    early, late = re.search(r"([\d.]+) at first, ([\d.]+) at last", run("learn_numpy")).groups()
    assert float(late) > 1.3 * float(early)


@pytest.fixture(scope="module")
def networks() -> dict[str, float]:
    """By which the values of NumPy, and of JAX and PyTorch if they are installed, differ from the program's."""
    found = re.findall(r"(\w+) and the program differ by at most ([\d.e+-]+)", run("load_network"))
    return {name: float(difference) for name, difference in found}


def test_load_network(networks):
    assert networks["NumPy"] < 1e-5


@pytest.mark.parametrize(("name", "module"), [("JAX", "jax"), ("PyTorch", "torch")])
def test_load_network_elsewhere(networks, name, module):
    pytest.importorskip(module, reason=f"{name} is not installed (pip install {module})")
    assert networks[name] < 1e-5


def test_compare_agents():
    """Doing something is better than doing nothing, in some games significantly."""
    out = run("compare_agents")
    assert int(re.search(r"random beats idle in (\d+) %", out)[1]) > 55
    assert re.search(r"significantly better in [1-6] games, worse in \d", out)
