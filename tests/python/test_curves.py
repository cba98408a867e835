"""Learning curves, intervals of any statistic beside SciPy's, and plots."""

import numpy as np
import pytest
import sixer.eval as ev

rng = np.random.default_rng(3)
RAGGED = {"a": rng.normal(1, 1, 5), "b": rng.exponential(2, 9), "c": rng.normal(0, 3, 3), "d": np.array([4.0])}


def middle(games):
    """A statistic that depends on every run: the mean of the games' medians, plus some skew."""
    return float(np.mean([np.median(runs) + 0.1 * np.mean(np.square(runs)) for runs in games.values()]))


def test_percentile_equals_aggregates():
    scores = rng.normal(1, 2, (5, 7))
    mine = ev.statistic_interval(scores, lambda s: ev.iqm(s), replicates=500, seed=11)
    np.testing.assert_allclose(mine, ev.intervals(scores, replicates=500, seed=11).iqm, rtol=1e-12)
    ragged = {game: runs for game, runs in RAGGED.items()}
    mine = ev.statistic_interval(ragged, ev.median, replicates=500, seed=4)
    np.testing.assert_allclose(mine, ev.intervals(ragged, replicates=500, seed=4).median, rtol=1e-14)


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("case", range(6))
def test_scipy(kind, case):
    """SciPy's interval of the same replicates, and its own replicates within the noise."""
    stats = pytest.importorskip("scipy.stats")
    draw = np.random.default_rng(case)
    games = {str(g): draw.exponential(1 + g, draw.integers(2, 12)) for g in range(case + 1)}
    replicates = 1500

    def on_samples(*samples, axis=-1):
        return np.mean([np.median(s, axis=axis) + 0.1 * np.mean(np.square(s), axis=axis) for s in samples], axis=0)

    seen = []

    def recorded(sample):
        value = middle(sample)
        seen.append(value)
        return value

    mine = ev.statistic_interval(games, recorded, kind=kind, replicates=replicates, confidence=0.9, seed=case)
    data = tuple(games.values())
    distribution = np.array(seen[1 : 1 + replicates])

    class Before:
        bootstrap_distribution = distribution

    method = {"bca": "BCa"}.get(kind, kind)
    same = stats.bootstrap(
        data,
        on_samples,
        n_resamples=0,
        confidence_level=0.9,
        method=method,
        bootstrap_result=Before,
    ).confidence_interval
    np.testing.assert_allclose([mine.low, mine.high], [same.low, same.high], rtol=1e-9)
    if case == 5:
        other = stats.bootstrap(
            data, on_samples, n_resamples=4000, confidence_level=0.9, method=method, rng=1
        ).confidence_interval
        width = same.high - same.low
        assert abs(other.low - mine.low) < 0.15 * width and abs(other.high - mine.high) < 0.15 * width


def test_arrays_of_three_dimensions():
    curves = rng.normal(0, 1, (4, 6, 9)).cumsum(axis=2)
    band = ev.curve_intervals(curves, "iqm", replicates=300, seed=2)
    for point in range(9):
        one = ev.intervals(curves[:, :, point], replicates=300, seed=2).iqm
        assert (band.value[point], band.low[point], band.high[point]) == one
    whole = ev.statistic_interval(
        curves, lambda sample: [ev.iqm(sample[:, :, k]) for k in range(9)], replicates=300, seed=2
    )
    np.testing.assert_allclose(whole.low, band.low, rtol=1e-12)
    np.testing.assert_allclose(whole.high, band.high, rtol=1e-12)
    games = {str(g): curves[:, g] for g in range(6)}
    np.testing.assert_array_equal(ev.curve_intervals(games, replicates=300, seed=2).high, band.high)
    # ragged: games with other numbers of runs
    games["0"] = games["0"][:2]
    assert ev.curve_intervals(games, "mean", replicates=100).value[3] == pytest.approx(
        np.mean([game[:, 3].mean() for game in games.values()])
    )


def test_area_and_reach():
    frames = np.array([1.0, 2, 4, 8])
    scores = rng.normal(size=(3, 5, 4))
    np.testing.assert_allclose(ev.area_under_curve(frames, scores), np.trapezoid(scores, frames) / 7, rtol=1e-13)
    assert ev.area_under_curve([0, 10], [0, 1]) == 0.5
    rising = [0.0, 1, 1, 5]
    assert ev.frames_to_reach(frames, rising, 0.5) == 1.5
    assert ev.frames_to_reach(frames, rising, 0) == 1
    assert ev.frames_to_reach(frames, rising, 3) == 6
    assert ev.frames_to_reach(frames, rising, 6) == np.inf
    assert ev.frames_to_reach(frames, [rising, [9, 0, 0, 0]], 5).tolist() == [8, 1]
    for bad in ([1, 1, 2, 3], [1, 2, np.nan, 3]):
        with pytest.raises(ValueError, match="point"):
            ev.area_under_curve(bad, rising)
    with pytest.raises(ValueError, match="not a number"):
        ev.frames_to_reach(frames, [0, np.nan, 1, 2], 1)


def test_files(tmp_path):
    for seed in (1, 2):
        rows = "".join(f"pong,{k + 1},1000,{seed * k}\n" for k in range(200))
        (tmp_path / f"seed{seed}.csv").write_text("game,episode,frames,score\n" + rows)
    read = ev.read_curves({"mine": str(tmp_path / "*.csv")}, "dopamine")
    runs = read.agents["mine"]["pong"]
    assert [run.run for run in runs] == ["1", "2"] and all(run.episodes for run in runs)
    assert runs[0].frames[-1] == 200_000
    points = [1000, 1999, 50_000, 200_000]
    values = read.sample("mine", points, window=10)["pong"]
    wanted = [[s * 0, s * 0, s * np.mean(range(40, 50)), s * np.mean(range(190, 200))] for s in (1, 2)]
    np.testing.assert_allclose(values, wanted, rtol=1e-13)
    assert np.isnan(runs[0].sample([999.0, 200_001])).all()
    with pytest.raises(ValueError, match="run '1' of mine on pong has scores from 1000 to 200000 frames only"):
        read.sample("mine", [200_001])
    assert "unstated-protocol" in dict(read.warnings)
    # means at frames of training, as in *.curve.tsv
    (tmp_path / "a.curve.tsv").write_text(
        "agent\tgame\trun\tframes\tepisodes\tsteps\tmean\n"
        + "".join(f"dqn\tpong\t1\t{f}\t1\t1\t{f / 1000}\n" for f in (100_500, 200_300, 301_000))
    )
    curve = ev.read_curves(str(tmp_path / "a.curve.tsv"), "dopamine").agents["dqn"]["pong"][0]
    assert not curve.episodes
    np.testing.assert_array_equal(curve.sample([100_499, 100_500, 250_000, 301_000]), [np.nan, 100.5, 200.3, 301])
    (tmp_path / "final.csv").write_text("game,run,score\npong,1,3\n")
    nothing = ev.read_curves(str(tmp_path / "final.csv"), "dopamine")
    assert not nothing.agents and "no-curves" in dict(nothing.warnings)
    (tmp_path / "twice.csv").write_text("game,frames,score\npong,10,3\npong,10,4\n")
    with pytest.raises(ValueError, match="twice.csv:3: the score of pong at 10 frames is given twice"):
        ev.read_curves(str(tmp_path / "twice.csv"), "dopamine")


def test_bad_statistics():
    scores = rng.normal(size=(3, 2))
    with pytest.raises(ValueError, match="give the scores as a dict"):
        ev.statistic_interval(scores, ev.iqm, kind="bca")
    with pytest.raises(ValueError, match="NaN in replicate"):
        ev.statistic_interval(scores, lambda s: 1.0 if s is scores or s[0, 0] == scores[0, 0] else np.nan)
    with pytest.raises(ValueError, match="have a NaN"):
        ev.statistic_interval([[1.0, np.nan]], ev.iqm)
    with pytest.raises(ValueError, match="kind is 'normal'"):
        ev.statistic_interval(scores, ev.iqm, kind="normal")
    # no run changes the value: there is no acceleration
    same = ev.statistic_interval({"a": [1.0, 1.0]}, ev.mean, kind="bca", replicates=10)
    assert same.value == 1 and np.isnan(same.low) and np.isnan(same.high)
    with pytest.raises(ZeroDivisionError):
        ev.statistic_interval(scores, lambda s: 1 / 0)


def test_corrections():
    stats = pytest.importorskip("scipy.stats")
    p = rng.uniform(size=40) ** 2
    np.testing.assert_allclose(ev.adjust_p(p, "bh"), stats.false_discovery_control(p), rtol=1e-14)
    order = np.argsort(p)
    holm = np.empty(40)
    holm[order] = np.minimum(1, np.maximum.accumulate((40 - np.arange(40)) * p[order]))
    np.testing.assert_allclose(ev.adjust_p(p), holm, rtol=1e-14)
    assert ev.adjust_p(p, "none").tolist() == p.tolist()
    with pytest.raises(ValueError, match="from 0 to 1"):
        ev.adjust_p([0.5, 1.5])


def test_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    agents = {name: {g: rng.normal(m, 0.2, 4) for g in "abc"} for name, m in (("x", 0.5), ("y", 0.7))}
    assert len(ev.plot_aggregates(agents, replicates=100).lines) == 4
    assert len(ev.plot_profiles(agents, replicates=100).lines) == 2
    assert len(ev.plot_games(agents).patches) == 6
    legend = ev.plot_games(agents).get_legend()
    assert legend.get_window_extent().y0 >= legend.axes.get_window_extent().y1  # it covers no bar
    assert len(ev.plot_improvement(agents, replicates=100).lines) == 3
    assert len(ev.plot_classes({"x": [0.2, 1.3], "y": [0.001, 0.7]}).patches) == 10
    curves = {name: rng.normal(size=(3, 2, 5)) for name in agents}
    ax = ev.plot_curves(curves, np.arange(5), replicates=100)
    assert len(ax.lines) == 2 and len(ax.collections) == 2
    assert ev.plot_curves(curves, np.arange(5), replicates=100, ax=ax) is ax
    plt.close("all")


def test_without_matplotlib(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        ev.plot_classes({"x": [0.2]})
