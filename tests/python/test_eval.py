"""sixer.eval: the figures of the program, of rliable and of SciPy; protocols, published results; bad input."""

from __future__ import annotations

import math
import hashlib
import json
import os
import pickle
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import sixer.eval as ev

GAMES = ["Battle Zone", "double_dunk", "ALE/NameThisGame-v5", "phoenix", "Q*bert"]


def program(*arguments: str) -> str:
    result = subprocess.run([sys.executable, "-m", "sixer", *arguments], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def matrices():
    """Runs x games: odd and even sizes, ties, negative and huge scores."""
    rng = np.random.default_rng(7)
    for runs, games in ((5, 57), (3, 26), (1, 10), (10, 1), (2, 2), (7, 61)):
        yield rng.normal(1, 2, (runs, games))
        yield np.exp(rng.normal(0, 3, (runs, games)))
        yield rng.integers(-2, 3, (runs, games)).astype(float)


# ---- the program's figures -------------------------------------------------------------------------------------------


def write_scores(path, protocol, agents, runs=5):
    """A result file, and the same scores as runs x games of each agent."""
    rng = np.random.default_rng(11)
    scores = {}
    lines = ["agent,game,run,score"]
    for agent in agents:
        low, high = protocol.constant("random"), protocol.constant(protocol.normalization)
        known = np.where(np.isnan(high), low + 1, high)
        scores[agent] = np.round(low + (known - low) * np.exp(rng.normal(-1, 1.5, (runs, len(low)))), 3)
        for run in range(runs):
            lines += [f"{agent},{g},{run},{s!r}" for g, s in zip(protocol.games, scores[agent][run].tolist())]
    path.write_text("\n".join(lines) + "\n")
    return scores


@pytest.mark.parametrize("name", ["saber", "atari100k"])
def test_figures_of_the_program(tmp_path, name):
    protocol = ev.protocol(name)
    scores = write_scores(tmp_path / "scores.csv", protocol, ["first", "second"])
    said = json.loads(
        program("eval", str(tmp_path / "scores.csv"), "--protocol", name, "--profile", "runs", "--replicates", "3000",
                "--seed", "5", "--json")
    )  # fmt: skip
    cap = 2.0 if np.isnan(protocol.endless) else protocol.endless
    normalized = {agent: protocol.normalize(runs, missing="drop") for agent, runs in scores.items()}
    for row in said["aggregates"]:
        z = normalized[row["agent"]]
        assert z.size == row["runs"]
        mine = ev.intervals(z, replicates=3000, seed=5, cap=cap)
        for key, field in (("median", "median"), ("mean", "mean"), ("iqm", "iqm"), ("gap", "optimality_gap")):
            interval = getattr(mine, field)
            for suffix, value in (("", interval.value), ("_low", interval.low), ("_high", interval.high)):
                assert row[key + suffix] == pytest.approx(100 * value, abs=0.00501)
        assert row["capped_mean"] == pytest.approx(100 * mine.capped_mean.value, abs=0.00501)
    for row in said.get("classes", []):
        assert ev.classes(normalized[row["agent"]].mean(0)) == {key: row[key] for key in ev.CLASSES}
    (row,) = said["comparisons"]
    first, second = scores.values()
    compared = ev.compare(first.mean(0), second.mean(0))
    assert compared == (row["better"], row["worse"], row["equal"])
    table = ev.paired_comparison(scores, protocol.significance)
    assert (table.better[0, 1], table.better[1, 0]) == (row["significantly_better"], row["significantly_worse"])
    interval = ev.improvement_interval(first, second, replicates=3000, seed=5)
    for key, value in zip(("improvement", "improvement_low", "improvement_high"), interval, strict=True):
        assert row[key] == pytest.approx(value, abs=0.00051)
    points = [row["x"] for row in said["profile"] if row["agent"] == "first"]
    band = ev.profile_intervals(normalized["first"], points, replicates=3000, seed=5)
    for row, value, low, high in zip(said["profile"], *band):
        assert (row["share"], row["low"], row["high"]) == pytest.approx((value, low, high), abs=0.00051)


def test_atari5_of_the_program(tmp_path):
    rng = np.random.default_rng(3)
    games = list(ev.atari5_data().games)
    scores = dict(zip(games, np.round(rng.uniform(0, 20000, len(games)), 2).tolist(), strict=True))
    (tmp_path / "s.csv").write_text("game,score\n" + "".join(f"{g},{s!r}\n" for g, s in scores.items()))
    said = json.loads(program("atari5", "score", str(tmp_path / "s.csv"), "--games", "--json"))
    for model in ev.atari5_models():
        assert said["scores"][0][model] == pytest.approx(ev.atari5_score(scores, model), abs=0.0501)
    for source in ("atari_5", "atari_10"):
        mine = ev.atari5_predictions(scores, source)
        rows = [row for row in said["predictions"] if row["from"] == source]
        assert len(rows) == len(mine) >= 50
        for row in rows:
            assert row["predicted"] == pytest.approx(mine[row["game"]], abs=0.0501)


def test_search_of_the_program():
    said = json.loads(program("atari5", "search", "--size", "3", "--top", "3", "--json"))
    data = ev.atari5_data()
    found = ev.search(data.x, data.y, 3, excluded=[data.games.index("surround")], top=3)
    assert [row["games"] for row in said["subsets"]] == [
        " ".join(data.games[i] for i in fit.games) for fit in found.fits
    ]


def test_papers_numbers():
    """Check values of SABER's tables and of the Atari-5 paper."""
    saber = ev.protocol("saber")
    expected = {
        "saber/rainbow@5min": (2.35, 14.9, [19, 23, 8, 8, 0]),
        "saber/rainbow@30min": (2.61, 17.3, [19, 22, 8, 8, 1]),
        "saber/rainbow": (2.83, 24.8, [17, 22, 7, 9, 3]),
        "saber/rainbow_iqn@5min": (2.61, 17.6, [18, 23, 8, 9, 0]),
        "saber/rainbow_iqn@30min": (2.81, 20.3, [15, 25, 7, 10, 1]),
        "saber/rainbow_iqn": (3.13, 31.0, [13, 24, 6, 11, 4]),
    }
    for name, (median, mean, counts) in expected.items():
        result = ev.published(name)
        z = saber.normalize(result.means, result.games, missing="drop")
        figures = ev.aggregates(z, saber.endless)
        assert len(z) == 58
        assert (round(100 * figures.median, 2), round(100 * figures.mean, 1)) == (median, mean)
        assert list(ev.classes(z).values()) == counts
    for name, score in (("saber/rainbow", 128.4), ("saber/rainbow_iqn", 114.9), ("machado2018/dqn", 42.2)):
        result = ev.published(name)
        assert round(ev.atari5_score(dict(zip(result.games, result.means, strict=True))), 1) == score
    data = ev.atari5_data(by_name=True)
    best = ev.search(data.x, data.y, folds="paper", excluded=[data.games.index("surround")]).fits[0]
    assert [data.games[i] for i in best.games] == list(ev.atari5_models()["atari_5"])
    assert best.coefficients == pytest.approx(list(ev.atari5_models()["atari_5"].values()), abs=0.00005)
    again = ev.fit(data.x, data.y, best.games, folds="paper")
    assert again.cv_mse == pytest.approx(best.cv_mse, rel=1e-9) and again.rows == best.rows


# ---- other people's libraries ----------------------------------------------------------------------------------------


def test_rliable():
    try:
        from rliable import library, metrics
    except (ImportError, TypeError) as error:  # arch, under rliable, fails with a TypeError where pandas is too new
        pytest.skip(f"rliable: {error}")
    for scores in matrices():
        close = {"rel": 1e-9, "abs": 1e-9 * max(1, np.abs(scores).max())}
        mine = ev.aggregates(scores)
        assert mine.mean == ev.mean(scores) == pytest.approx(metrics.aggregate_mean(scores), **close)
        assert mine.median == ev.median(scores) == pytest.approx(metrics.aggregate_median(scores), **close)
        assert mine.iqm == ev.iqm(scores) == pytest.approx(metrics.aggregate_iqm(scores), **close)
        gap = metrics.aggregate_optimality_gap(scores)
        assert mine.optimality_gap == ev.optimality_gap(scores) == pytest.approx(gap, **close)
        points = np.concatenate([np.linspace(-3, 8, 23), scores.ravel()[:20]])
        assert ev.profile(scores, points) == pytest.approx([library.run_score_deviation(scores, x) for x in points])
        theirs = [library.mean_score_deviation(scores, x) for x in points]
        assert ev.profile(scores, points, "games") == pytest.approx(theirs)
        if len(scores) > 1:
            x, y = scores, np.roll(scores, 1, axis=0)[: len(scores) - 1] + 0.5
            assert ev.improvement(x, y) == pytest.approx(metrics.probability_of_improvement(x, y), abs=1e-9)


def test_scipy():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(5)
    for _ in range(100):
        a, b = (rng.normal(rng.normal(), np.exp(rng.normal(0, 2)), rng.integers(2, 40)) for _ in range(2))
        other = stats.ttest_ind(a, b, equal_var=False)
        assert ev.welch(a, b) == pytest.approx((other.statistic, other.df, other.pvalue), rel=1e-9, abs=1e-9)
        from_stats = ev.welch_from_stats(a.mean(), a.std(ddof=1), len(a), b.mean(), b.std(ddof=1), len(b))
        assert from_stats == pytest.approx(ev.welch(a, b), rel=1e-9, abs=1e-12)
    assert ev.student_p(2.5, 7.3) == pytest.approx(2 * stats.t.sf(2.5, 7.3), rel=1e-9)


def test_numpy():
    rng = np.random.default_rng(1)
    scores = rng.normal(0.5, 0.7, 200)
    edges = [0, 0.1, 0.5, 1]
    assert ev.histogram(scores, edges).tolist() == np.histogram(scores, [-np.inf, *edges, np.inf])[0].tolist()
    assert ev.capped_mean([scores], 0.3) == pytest.approx(np.minimum(scores, 0.3).mean())
    assert ev.log_score([[0, 9], [-5, 99]]).tolist() == [[0, 1], [0, 2]]
    assert ev.log_score_inverse(ev.log_score([3, 500])) == pytest.approx([3, 500])
    x = rng.normal(0, 1, (40, 6))
    assert ev.correlate(x) == pytest.approx(np.corrcoef(x.T))
    y = x @ [1, 2, 0.5, 0.1, 3, 1] + rng.normal(0, 0.1, 40)
    solved = np.linalg.lstsq(x[:, [1, 4]], y, rcond=None)[0]
    assert ev.fit(x, y, [1, 4], fold_count=0).coefficients == pytest.approx(solved)


# ---- forms of the arguments ------------------------------------------------------------------------------------------


def test_forms_of_scores():
    scores = np.random.default_rng(2).normal(1, 1, (4, 3))
    forms = [scores, scores.tolist(), np.asfortranarray(scores), scores.T.copy().T, scores.astype(np.float32)]
    figures = [ev.aggregates(form) for form in forms]
    assert figures[0] == figures[1] == figures[2] == figures[3]
    assert figures[4] == pytest.approx(figures[0], abs=1e-6)
    by_game = [column for column in scores.T]
    assert ev.aggregates({"a": by_game[0], "b": by_game[1], "c": by_game[2]}) == figures[0]
    ragged = ev.aggregates({"a": [1.0, 3.0], "b": 5.0})
    assert (ragged.mean, ragged.median) == (3.5, 3.5)
    assert ev.mean([1, 2, 6]) == 3
    assert ev.improvement([[1], [2]], [[0], [3]]) == 0.5


def test_bootstrap_is_deterministic():
    scores = np.random.default_rng(4).normal(1, 1, (5, 10))
    first = ev.intervals(scores, replicates=1000, seed=3, threads=1)
    assert ev.intervals(scores, replicates=1000, seed=3, threads=3) == first
    assert ev.intervals(scores, replicates=1000, seed=4) != first
    values = ev.bootstrap(scores, "median", replicates=1000, seed=3)
    assert values.shape == (1000,)
    assert np.percentile(values, [2.5, 97.5]) == pytest.approx(first.median[1:], abs=0.02)
    assert first.iqm.low < first.iqm.value < first.iqm.high
    wide = ev.intervals(scores, replicates=1000, seed=3, resample_games=True)
    assert wide.mean.high - wide.mean.low > first.mean.high - first.mean.low


def test_long_work_lets_other_threads_run():
    """A bootstrap of a second in one thread; meanwhile this one counts."""
    scores = np.random.default_rng(4).normal(1, 1, (10, 57))
    worker = threading.Thread(target=ev.intervals, args=(scores,), kwargs={"replicates": 100_000, "threads": 1})
    count = 0
    worker.start()
    while worker.is_alive():
        time.sleep(0.001)
        count += 1
    assert count > 10


def test_progress_and_reference():
    data = ev.atari5_data()
    seen = []
    found = ev.search(
        data.x, data.y, 4, reference=[1, 7, 33, 38], progress=lambda done, total: seen.append(done / total)
    )
    assert found.subsets == 57 * 56 * 55 * 54 // 24
    assert found.reference_rank >= 1 and found.reference_cv_mse >= found.fits[0].cv_mse
    assert all(0 <= part <= 1 for part in seen)
    required = ev.search(data.x, data.y, 3, required=[0])
    assert 0 in required.fits[0].games


# ---- protocols and published results ---------------------------------------------------------------------------------


def test_protocols(tmp_path):
    listed = json.loads(program("eval", "--protocols", "--json"))["protocols"]
    assert list(ev.protocols()) == [row["name"] for row in listed]
    assert {"atari100k", "atari5", "bellemare2013", "machado2018", "nature2015", "saber"} <= set(ev.protocols())
    for name in ev.protocols():
        protocol = ev.protocol(name)
        shown = program("eval", "--show", name)
        assert protocol.text == shown.split("\n\n", 1)[1]
        assert protocol.hash == hashlib.sha256(protocol.text.encode()).hexdigest() and protocol.hash in shown
        assert str(protocol) == f"{name}@{protocol.version}#{protocol.hash}"
        assert (ev.folder() / "protocols" / f"{name}.toml").is_file()
        assert ev.protocol(ev.folder() / "protocols" / f"{name}.toml") == protocol
        again = pickle.loads(pickle.dumps(protocol))
        assert str(again) == str(protocol) and again.games == protocol.games
    own = 'name = "mine"\nbase = "saber"\n[environment]\nframe_skip = 5\n'
    parsed = ev.parse_protocol(own)
    assert (parsed.frame_skip, parsed.base, parsed.sticky) == (5, "saber", 0.25)
    assert parsed.hash != ev.protocol("saber").hash
    (tmp_path / "mine.toml").write_text(own)
    assert ev.protocol(str(tmp_path / "mine.toml")) == parsed
    ours = ev.parse_protocol(
        'name = "x"\nbase = "saber"\n[games]\nlist = ["duskrain", "pong"]\ntuning = []\n'
        '[constants]\ncolumns = ["random", "human", "record"]\nduskrain = [0, 1, 10]\npong = [-20, 1, 21]\n'
    )
    assert ours.normalize([5.0, 0.5], ["duskrain", "pong"]) == pytest.approx([0.5, 0.5])
    assert ev.protocol("atari5").model == ev.atari5_models()["atari_5"]


def test_normalizations():
    saber = ev.protocol("saber")
    games = ["breakout", "Ms. Pac-Man"]
    low, human, record = (saber.constant(column, games) for column in ("random", "human", "record"))
    scores = np.array([[100.0, 5000.0], [1.0, 250.0]])
    assert saber.normalize(scores, games) == pytest.approx((scores - low) / abs(record - low))
    assert saber.normalize(scores, games, "human") == pytest.approx((scores - low) / (human - low))
    assert saber.normalize(scores, games, "random") == pytest.approx(scores / abs(low))
    other = np.array([50.0, 3000.0])
    relative = saber.normalize(scores, games, relative_to=other)
    assert relative == pytest.approx((scores - low) / abs(other - low))
    with_gap = saber.normalize([1.0, 2.0], ["double_dunk", "pong"], missing="nan")
    assert np.isnan(with_gap[0]) and np.isfinite(with_gap[1])
    assert saber.normalize([np.inf], ["pong"]).tolist() == [np.inf]
    agents = np.array([[1.0, 5.0], [3.0, 5.0], [2.0, 5.0]])
    assert ev.inter_algorithm(agents).tolist() == [[0, 1], [1, 1], [0.5, 1]]
    assert [array.tolist() for array in ev.score_range(agents)] == [[1, 5], [3, 5]]
    assert ev.normalize(5, 0, 10) == 0.5
    assert ev.normalize([-3], [-6], scale="random").tolist() == [-0.5]


def test_published():
    ids = ev.published_ids()
    listed = json.loads(program("eval", "--list", "--json"))["published"]
    assert list(ids) == [row["id"] for row in listed]
    for id in ids:
        result = ev.published(id)
        assert result.id == id and len(result.games) == len(result.means) == len(result.sds) > 0
    rainbow = ev.published("rainbow", protocol="saber")
    assert rainbow.id == "saber/rainbow"
    assert rainbow.scores(["Ms. Pac-Man"])[0] == rainbow.means[rainbow.games.index("ms_pacman")]
    assert ev.game_id("ALE/MsPacman-v5") == "ms_pacman"
    notice = (ev.folder() / "data/published/NOTICE").read_text()
    assert "CC BY-SA" in notice
    assert len(ev.published_table("games.csv")) > 60
    data = ev.atari5_data()
    assert data.x.shape == (62, 57) == (len(data.names), len(data.games)) and data.y.shape == (62,)


def test_tally():
    rewards = np.zeros(50_000)
    rewards[[10, 4_499, 4_500, 30_000]] = 1, 2, 4, 8
    assert ev.tally(rewards, 4).tolist() == [3, 7, 15]
    assert ev.frames_without_reward(rewards, 4) == 4 * (50_000 - 30_001)
    assert ev.unroll([5, -999_990]).tolist() == [5, 10]
    scores, frames = np.arange(10.0), np.full(10, 1000)
    assert ev.checkpoint_mean(scores, frames, 4500, episodes=2) == (3.5, 2)
    assert ev.checkpoint_mean(scores, frames, 4500, episodes=2, include_crossing=False) == (2.5, 2)
    assert ev.checkpoint_mean(scores, frames, 3, episodes=100, in_episodes=True) == (1.0, 3)
    assert ev.cost(games=5, runs=3, hours=10, gpu_price=2, gpu_watts=300, cpu_watts=100) == (150, 300, 60, 0)


# ---- bad input -------------------------------------------------------------------------------------------------------

BAD = [
    (lambda: ev.mean([1.0, np.nan]), ValueError, "NaN"),
    (lambda: ev.mean([]), ValueError, "."),
    (lambda: ev.mean([[1.0, 2.0], []]), ValueError, "dict"),
    (lambda: ev.mean({"a": [1.0, 2.0], "b": []}), ValueError, "."),
    (lambda: ev.mean({"a": [[1.0, 2.0]]}), ValueError, "dimension"),
    (lambda: ev.mean({}), ValueError, "."),
    (lambda: ev.mean(np.zeros((2, 2, 2))), ValueError, "runs x games"),
    (lambda: ev.mean(["a", "b"]), TypeError, "numbers"),
    (lambda: ev.mean(np.array([1j])), TypeError, "numbers"),
    (lambda: ev.intervals(np.ones((3, 3)), replicates=0), ValueError, "replicates"),
    (lambda: ev.intervals(np.ones((3, 3)), confidence=1.5), ValueError, "confidence"),
    (lambda: ev.intervals(np.ones((3, 3)), seed=-1), ValueError, "seed"),
    (lambda: ev.intervals(np.ones((3, 3)), threads=-1), ValueError, "threads"),
    (lambda: ev.bootstrap(np.ones((3, 3)), "mode"), ValueError, "'iqm'"),
    (lambda: ev.aggregates([np.inf], cap=np.nan), ValueError, "."),
    (lambda: ev.profile(np.ones((3, 3)), [1], "rows"), ValueError, "at-least"),
    (lambda: ev.improvement(np.ones((3, 3)), np.ones((3, 4))), ValueError, "."),
    (lambda: ev.improvement({"a": [1]}, {"b": [1]}), ValueError, "same games"),
    (lambda: ev.compare([1], [1, 2]), ValueError, "."),
    (lambda: ev.welch([1], [1, 2]), ValueError, "."),
    (lambda: ev.histogram([1], [2, 1]), ValueError, "."),
    (lambda: ev.normalize([1], [1], [1]), ValueError, "range"),
    (lambda: ev.normalize([1], [1]), ValueError, "high"),
    (lambda: ev.normalize([1], 0, 1, "human"), ValueError, "absolute"),
    (lambda: ev.normalize([np.nan], 0, 1), ValueError, "nan"),
    (lambda: ev.score_range([1, 2]), ValueError, "agents x games"),
    (lambda: ev.welch_table([1, 2], 1, 5), ValueError, "agents x games"),
    (lambda: ev.paired_comparison({}), ValueError, "agents"),
    (lambda: ev.paired_comparison([np.ones((2, 3)), np.ones((2, 4))]), ValueError, "same games"),
    (lambda: ev.protocol("sabre"), ValueError, "saber"),
    (lambda: ev.protocol("./nowhere.toml"), FileNotFoundError, "saber"),
    (lambda: ev.protocol(3), TypeError, "."),  # type: ignore[arg-type]
    (lambda: ev.parse_protocol('name = "saber"\nbase = "saber"\n[environment]\nframe_skip = 5\n'), ValueError, "saber"),
    (lambda: ev.parse_protocol('name = "x"\nbase = "saber"\n[environment]\nframeskip = 5\n'), ValueError, "frameskip"),
    (lambda: ev.protocol("saber").normalize([1.0], ["double_dunk"]), ValueError, "double_dunk"),
    (lambda: ev.protocol("saber").normalize([1.0], ["no such game"]), ValueError, "no such game"),
    (lambda: ev.protocol("saber").normalize([1.0], ["pong"], "beauty"), ValueError, "beauty"),
    (lambda: ev.protocol("saber").normalize([1.0, 2.0], ["pong"]), ValueError, "shape"),
    (lambda: ev.protocol("saber").normalize([1.0], ["pong"], "relative"), ValueError, "relative_to"),
    (lambda: ev.protocol("saber").constant("best"), ValueError, "record"),
    (lambda: ev.published("nobody"), ValueError, "nobody"),
    (lambda: ev.published("rainbow@30min").scores(["surround"]), ValueError, "surround"),
    (lambda: ev.published_table("none.csv"), FileNotFoundError, "none.csv"),
    (lambda: ev.game_ids("pong"), TypeError, "sequence"),
    (lambda: ev.game_ids(["pong", "ALE/Pong-v5"]), ValueError, "twice: pong"),
    (lambda: ev.atari5_score({**dict.fromkeys(GAMES, 1.0), "qbert": 2.0}), ValueError, "twice: qbert"),
    (lambda: ev.protocol("saber").normalize([1.0, 2.0], ["pong", "pong"]), ValueError, "twice"),
    (lambda: ev.atari5_score({"pong": 21}), ValueError, "battle_zone"),
    (lambda: ev.atari5_score(dict.fromkeys(GAMES, np.nan)), ValueError, "finite"),
    (lambda: ev.atari5_score(dict.fromkeys(GAMES, 1.0), "atari_7"), ValueError, "atari_10"),
    (lambda: ev.atari5_predictions({}, "atari_3"), ValueError, "atari_10"),
    (lambda: ev.search(np.ones((5, 3)), np.ones(4)), ValueError, "x must be"),
    (lambda: ev.search(np.ones((5, 3)), np.ones(5), 17), ValueError, "size"),
    (lambda: ev.search(np.ones((5, 3)), np.ones(5), 4), ValueError, "."),
    (lambda: ev.search(np.ones((5, 3)), np.ones(5), 2, required=[7]), ValueError, "0 to 2"),
    (lambda: ev.search(np.ones((5, 3)), np.ones(5), 2, excluded=[7]), ValueError, "."),
    (lambda: ev.search(np.ones((5, 3)), np.ones(5), 2, reference=[1]), ValueError, "."),
    (
        lambda: ev.search(np.ones((5, 3)), np.ones(5), 2, folds="random"),  # type: ignore[arg-type]
        ValueError,
        "shuffled",
    ),
    (lambda: ev.search(np.ones((5, 3)), np.ones(5), 2, seed=2**32), ValueError, "seed"),
    (lambda: ev.fit(np.ones((5, 3)), np.ones(5), [0, 1]), ValueError, "."),
    (lambda: ev.fit(np.ones((5, 3)), np.ones(5), ["a"]), TypeError, "number"),  # type: ignore[list-item]
    (lambda: ev.tally([1, 2], [4, 4, 4]), ValueError, "."),
    (lambda: ev.tally([1, 2], 4.5), TypeError, "integers"),
    (lambda: ev.tally([np.nan], 4), ValueError, "NaN"),
    (lambda: ev.checkpoint_mean([1.0], [100], 1000), ValueError, "."),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_bad_input(number):
    call, kind, words = BAD[number]
    with pytest.raises(kind, match=re.escape(words) if words != "." else None):
        call()


def test_scores_without_deviation_are_untested():
    table = ev.paired_comparison({"a": np.ones((1, 3)), "b": np.zeros((5, 3))})
    assert table.untested[0, 1] == 3 and table.better.sum() == 0


def test_callbacks_that_fail_do_not_stop_the_search(monkeypatch):
    data = ev.atari5_data()
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: told.append(what.exc_type))
    ev.search(data.x, data.y, 4, progress=lambda done, total: 1 / 0)
    assert set(told) <= {ZeroDivisionError}


def test_files_of_the_package():
    names = {path.name for path in (ev.folder() / "data" / "published").iterdir()}
    assert {"NOTICE", "README.md", "games.csv", "reference_scores.csv"} <= names
    assert os.path.isdir(ev.folder() / "protocols")


def test_arrays_are_released():
    """Every array is given back, whichever argument is wrong: an array.array cannot grow while it is borrowed."""
    from array import array

    from sixer._sixer import evaluation

    x, y, subset = array("d", [1, 2, 3, 4]), array("d", [1, 2]), array("q", [0])
    rest = (None, None, False, 0)
    calls = [
        (evaluation.normalize, (0, x, x, x, None), TypeError),
        (evaluation.normalize, (9, x, x, x, x), ValueError),
        (evaluation.compare, (x, y), ValueError),
        (evaluation.aggregates, (x, array("q", [5]), 2.0), ValueError),
        (evaluation.aggregates, (x, array("q", [2, 2]), "2"), TypeError),
        (evaluation.search, (x, y, 1, subset, subset, 0, 2, 0, 1, None, "1", *rest), TypeError),
        (evaluation.search, (x, y, 1, subset, array("q", [7]), 0, 2, 0, 1, subset, 1, *rest), ValueError),
    ]
    for function, arguments, error in calls:
        with pytest.raises(error):
            function(*arguments)
        for values in (x, y, subset):
            values.append(0)  # BufferError if it is still borrowed
            values.pop()
    assert evaluation.compare(x, x) == (0, 0, 4)
    x.append(0)


def test_the_interval_of_an_estimate_holds_the_error_of_the_model():
    scores = {"battle_zone": [40000, 41000], "double_dunk": [-10, -9], "name_this_game": [9000, 9400],
              "phoenix": [12000, 12500], "qbert": [15000, 14000]}  # fmt: skip
    runs = ev.atari5_interval(scores, of="runs", replicates=2000)
    both = ev.atari5_interval(scores, replicates=2000)
    assert abs(ev.atari5_error() - 0.058) < 0.0005
    assert both.value == runs.value == pytest.approx(ev.atari5_score(scores))
    assert both.low < runs.low < both.value < runs.high < both.high
    width = math.log10(1 + both.value) - math.log10(1 + both.low)
    part = math.log10(1 + runs.value) - math.log10(1 + runs.low)
    assert width**2 == pytest.approx(part**2 + (1.959964 * ev.atari5_error()) ** 2, rel=1e-5)
    with pytest.raises(ValueError, match="'both' or of the 'runs'"):
        ev.atari5_interval(scores, of="model")
