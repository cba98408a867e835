"""The method of Atari-5 for other benchmarks: grouped folds, other targets, nested cross-validation and models as
protocols, against plain NumPy and scikit-learn."""

import csv
import itertools
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import sixer.eval as ev

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIXER = str(pathlib.Path(os.environ.get("SIXER_BUILD", ROOT / "build" / "release")) / "sixer")
ROWS, GAMES = 30, 7


def data(seed=0, holes=0.0):
    rng = np.random.default_rng(seed)
    skill = rng.normal(2, 0.5, ROWS)
    x = np.abs(skill[:, None] * rng.uniform(0.5, 1.5, GAMES) + rng.normal(0, 0.3, (ROWS, GAMES)))
    y = skill + rng.normal(0, 0.1, ROWS)
    x[rng.random(x.shape) < holes] = np.nan
    return x, y, rng.integers(0, 6, ROWS)


def numpy_folds(groups, count):
    """Groups in order of appearance, in turn."""
    order = list(dict.fromkeys(groups))
    return np.array([order.index(group) % count for group in groups])


def numpy_cv(x, y, games, fold, negative=False):
    """Coefficients and the mean over folds of the squared error; None if a coefficient is negative."""
    a = x[:, games]
    beta = np.linalg.lstsq(a, y, rcond=None)[0]
    if not negative and (beta < 0).any():
        return None
    errors = []
    for f in np.unique(fold):
        train = fold != f
        part = np.linalg.lstsq(a[train], y[train], rcond=None)[0]
        errors.append(np.mean((y[~train] - a[~train] @ part) ** 2))
    return beta, np.mean(errors)


def numpy_search(x, y, size, groups, count, negative=False):
    best = None
    for games in itertools.combinations(range(x.shape[1]), size):
        known = ~np.isnan(x[:, games]).any(axis=1)
        found = numpy_cv(x[known], y[known], list(games), numpy_folds(groups[known], count), negative)
        if found and (best is None or found[1] < best[1]):
            best = (games, found[1], found[0])
    return best


@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_grouped_folds(holes):
    x, y, groups = data(1, holes)
    found = ev.search(x, y, 2, folds="grouped", fold_count=4, groups=groups).fits[0]
    games, mse, beta = numpy_search(x, y, 2, groups, 4)
    assert found.games == games
    np.testing.assert_allclose(found.cv_mse, mse, rtol=1e-10)
    np.testing.assert_allclose(found.coefficients, beta, rtol=1e-9)
    # every row a group of its own: folds by index
    alone = ev.fit(x, y, [0, 1], folds="grouped", groups=np.arange(ROWS), fold_count=5)
    assert alone.cv_mse == ev.fit(x, y, [0, 1], folds="index", fold_count=5).cv_mse
    assert ev.fit(x, y, [0, 1], folds="grouped", groups=[f"g{g}" for g in groups]).cv_mse > 0
    with pytest.raises(ValueError, match="go together"):
        ev.search(x, y, 2, groups=groups)
    with pytest.raises(ValueError, match="go together"):
        ev.fit(x, y, [0], folds="grouped")


@pytest.mark.parametrize("seed", range(4))
def test_fits_against_scikit_learn(seed):
    """Coefficients, errors of cross-validation by group and predictions, by the estimators of scikit-learn."""
    linear = pytest.importorskip("sklearn.linear_model").LinearRegression(fit_intercept=False)
    selection = pytest.importorskip("sklearn.model_selection")
    x, y, groups = data(seed)
    games = [0, 2, 5]
    found = ev.fit(x, y, games, folds="grouped", fold_count=4, groups=groups)
    split = selection.PredefinedSplit(numpy_folds(groups, 4))
    errors = -selection.cross_val_score(linear, x[:, games], y, cv=split, scoring="neg_mean_squared_error")
    np.testing.assert_allclose(found.cv_mse, errors.mean(), rtol=1e-10)
    fitted = linear.fit(x[:, games], y)
    np.testing.assert_allclose(found.coefficients, fitted.coef_, rtol=1e-9)
    # nested: what the model of each outer fold predicts of the rows that it has not seen
    nested = ev.nested(x[:, games], y, 3, outer=5, fold_count=4, folds="grouped", groups=groups, allow_negative=True)
    outer = selection.PredefinedSplit(numpy_folds(groups, 5))
    predicted = selection.cross_val_predict(linear, x[:, games], y, cv=outer)
    np.testing.assert_allclose(nested.mse, np.mean((y - predicted) ** 2), rtol=1e-9)


def test_negative_coefficients():
    rng = np.random.default_rng(3)
    x = rng.normal(2, 0.5, (ROWS, 4))
    y = 2 * x[:, 0] - x[:, 1]
    groups = np.arange(ROWS)
    plain = ev.search(x, y, 2, fold_count=5)
    both = ev.search(x, y, 2, fold_count=5, allow_negative=True)
    assert both.fits[0].games == (0, 1) and both.fits[0].cv_mse < 1e-20 and both.negative == 0
    assert plain.negative > 0 and plain.fits[0].games != (0, 1)
    assert both.fits[0].games == numpy_search(x, y, 2, groups, 5, True)[0]


@pytest.mark.parametrize("holes", [0.0, 0.08])
@pytest.mark.parametrize("grouped", [False, True])
def test_nested_cross_validation(holes, grouped):
    x, y, groups = data(2, holes)
    groups = groups if grouped else np.arange(ROWS)
    settings = {"folds": "grouped", "groups": groups} if grouped else {}
    found = ev.nested(x, y, 2, outer=5, fold_count=4, **settings)
    outer, residuals, targets, same, skipped = numpy_folds(groups, 5), [], [], 0, 0
    whole = numpy_search(x, y, 2, groups, 4)
    for f in range(5):
        rest = outer != f
        games, _, beta = numpy_search(x[rest], y[rest], 2, groups[rest], 4)
        same += games == whole[0]
        for row in np.flatnonzero(~rest):
            estimate = x[row, games] @ beta
            if np.isnan(estimate):
                skipped += 1
                continue
            residuals.append(y[row] - estimate)
            targets.append(y[row])
    assert (found.rows, found.skipped, found.searches, found.same) == (len(residuals), skipped, 5, same)
    np.testing.assert_allclose(found.mse, np.mean(np.square(residuals)), rtol=1e-9)
    np.testing.assert_allclose(found.mae, np.mean(np.abs(residuals)), rtol=1e-9)
    np.testing.assert_allclose(found.r2, 1 - np.mean(np.square(residuals)) / np.var(targets), rtol=1e-9)
    assert found.whole.games == whole[0]


def test_selection_bias_is_seen():
    """Of pure noise the best of many subsets looks better than it is; nested cross-validation is not fooled."""
    ratios = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x, y = np.abs(rng.normal(1, 1, (24, 14))), np.abs(rng.normal(1, 1, 24))
        found = ev.nested(x, y, 3, outer=6, fold_count=6)
        ratios.append(found.mse / found.whole.cv_mse)
    assert np.mean(ratios) > 1.15


def write_scores(path):
    rng = np.random.default_rng(7)
    with open(path, "w") as file:
        file.write("algorithm,game,score,source\n")
        for a in range(40):
            skill = rng.lognormal(3, 1)
            for g, name in enumerate(("alpha", "beta", "gamma", "delta", "epsilon", "zeta")):
                score = skill * (0.5 + g / 5) * rng.lognormal(0, 0.15)
                file.write(f"a{a},{name},{score:.3f},paper{a % 8}\n")


def run(*arguments):
    return subprocess.run([SIXER, "atari5", "search", *map(str, arguments)], capture_output=True, text=True)


@pytest.mark.parametrize("target", ["median", "mean", "iqm"])
def test_program_and_exported_protocol(tmp_path, target):
    scores, model = tmp_path / "scores.csv", tmp_path / "my-model.toml"
    write_scores(scores)
    common = ["--percent", "--min-games", 6, "--min-algorithms", 10, "--size", 2, "--target", target]
    done = run(scores, *common, "--folds", "grouped", "--group", "source", "--nested", "--export", model, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    # the same by NumPy from the file
    with open(scores, newline="") as file:
        rows = list(csv.DictReader(file))
    games = list(dict.fromkeys(row["game"] for row in rows))
    percents = np.array([float(row["score"]) for row in rows]).reshape(40, len(games))
    part = np.sort(percents, axis=1)
    targets = {"median": np.median(percents, axis=1), "mean": percents.mean(axis=1), "iqm": part[:, 1:-1].mean(axis=1)}
    x, y = np.log10(1 + percents), np.log10(1 + targets[target])
    groups = np.arange(40) % 8
    best = ev.search(x, y, 2, folds="grouped", groups=groups).fits[0]
    nested = ev.nested(x, y, 2, folds="grouped", groups=groups)
    assert found["subsets"][0]["games"].split() == [games[i] for i in best.games]
    np.testing.assert_allclose(found["subsets"][0]["cv_mse"], best.cv_mse, rtol=1e-9)
    np.testing.assert_allclose(found["nested"][0]["mse"], nested.mse, rtol=1e-9)
    np.testing.assert_allclose(found["nested"][0]["factor"], 10 ** (1.959963984540054 * nested.mse**0.5), rtol=1e-9)
    # the protocol has the model, its target and its error
    protocol = ev.protocol(model)
    assert protocol.name == "my-model" and protocol.aggregate == "model" and protocol.model_target == target
    np.testing.assert_allclose(protocol.model_error, nested.mse**0.5, rtol=1e-9)
    assert list(protocol.model) == sorted(games[i] for i in best.games)
    # and sixer eval estimates with it, with an interval that has that error
    mine = tmp_path / "mine.csv"
    mine.write_text("game,score\n" + "".join(f"{game},50\n" for game in protocol.games))
    out = subprocess.run([SIXER, "eval", mine, "--protocol", model, "--json"], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    row = json.loads(out.stdout)["model"][0]
    value = sum(protocol.model.values()) * np.log10(51)
    np.testing.assert_allclose(row["score"], 10**value - 1, rtol=1e-6)
    np.testing.assert_allclose(row["model_high"], 10 ** (value + 1.959963984540054 * nested.mse**0.5) - 1, rtol=1e-6)


def test_bad_usage(tmp_path):
    scores = tmp_path / "scores.csv"
    write_scores(scores)
    common = (scores, "--percent", "--min-games", 6, "--min-algorithms", 10, "--size", 2)
    for arguments, message in (
        (("--target", "best"), "--target wants median, mean or iqm"),
        (("--folds", "grouped"), "--group COLUMN"),
        (("--folds", "grouped", "--group", "lab"), "no column 'lab'"),
        (("--export", tmp_path / "no" / "such.toml"), "such.toml"),
        (("--folds", "random"), "index, paper, shuffled or grouped"),
    ):
        done = run(*common, *arguments)
        assert done.returncode and message in done.stderr, (arguments, done.stderr)
    (tmp_path / "two.csv").write_text("algorithm,game,score,source\na,x,1,one\na,y,2,two\nb,x,3,one\nb,y,4,one\n")
    done = run(tmp_path / "two.csv", *common[1:], "--folds", "grouped", "--group", "source", "--min-games", 1)
    assert "of the group 'two' here and of 'one' before" in done.stderr


def test_the_papers_data():
    """Sources of the paper's data as groups, another target, and DQN-7 with its negative coefficients."""
    seven = "beam_rider,breakout,enduro,pong,qbert,seaquest,space_invaders"
    out = run("--size", 7, "--require", seven, "--folds", "paper", "--allow-negative", "--json", "--reference", seven)
    fit = json.loads(out.stdout)["subsets"][0]
    assert round(fit["cv_r2"], 3) == 0.756 and round(fit["relative_error"], 1) == 38.9
    refused = run("--size", 7, "--require", seven, "--folds", "paper", "--reference", seven)
    assert refused.returncode == 1 and "negative coefficients" in refused.stderr
    for target in ("mean", "iqm"):
        out = run("--size", 2, "--folds", "grouped", "--target", target, "--nested", "--json")
        assert out.returncode == 0 and json.loads(out.stdout)["nested"][0]["selection_bias"] > 0.5


def test_predictions_have_errors():
    """The cross-validated error of a predicted game, against NumPy's least squares on the same folds."""
    known = ev.atari5_prediction_error("zaxxon")
    assert 0 < known.sd < 1 and 0.8 < known.r2 < 1 and known.algorithms > 40
    assert ev.atari5_prediction_error("ALE/Zaxxon-v5") == known
    assert ev.atari5_prediction_error("solaris").r2 < 0  # worse than the mean of all algorithms
    assert ev.atari5_prediction_error("qbert").sd == pytest.approx(0, abs=1e-6)  # one of the five
    assert ev.atari5_prediction_error("zaxxon", "atari_10").algorithms <= known.algorithms
    with pytest.raises(ValueError, match="no game|unknown|not one of"):
        ev.atari5_prediction_error("chess")
    data = ev.atari5_data(by_name=True)
    games = list(data.games)
    five = [games.index(game) for game in ev.atari5_models()["atari_5"]]
    rows = ~np.isnan(data.x[:, [*five, games.index("zaxxon")]]).any(axis=1)
    x, y = data.x[rows][:, five], data.x[rows][:, games.index("zaxxon")]
    order = np.random.RandomState(1982).permutation(len(y))
    errors = []
    for fold in np.array_split(order, 10):
        rest = np.setdiff1d(np.arange(len(y)), fold)
        design = np.column_stack([np.ones(len(rest)), x[rest]])
        fit, *_ = np.linalg.lstsq(design, y[rest], rcond=None)
        errors.append(np.mean((y[fold] - fit[0] - x[fold] @ fit[1:]) ** 2))
    assert known.algorithms == rows.sum()
    assert known.sd == pytest.approx(np.sqrt(np.mean(errors)), rel=1e-9)
    assert known.r2 == pytest.approx(1 - np.mean(errors) / np.var(y), rel=1e-9)
