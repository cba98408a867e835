#!/usr/bin/env python3
"""Measure the speed of evaluation against the tools that people use today, in one run:

- the exhaustive search of all 5-subsets of the Atari-5 paper's data, against a plain NumPy loop that does the same
  (timed on a sample of the subsets; their errors are compared);
- 50,000 replicates of a stratified bootstrap of the IQM, 57 games x 5 runs, against rliable.

    python bench/eval.py [--build build/release] [--sample 3000] [--replicates 50000] [--csv FILE]

Needs NumPy, and rliable for the second part. With one thread, figures are per second of processor time, so that other
work on the machine does not count; with several threads, per second of real time. Each is the best of several runs,
except rliable's, which is a single run."""

import argparse
import itertools
import os
import platform
import sys
import time
import warnings

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/support"))
import eval_library as ours


def best_of(count, work):
    """The best of some runs: seconds of processor time, seconds of real time, and the last result."""
    processor, real = [], []
    for _ in range(count):
        start = time.process_time(), time.perf_counter()
        result = work()
        processor.append(time.process_time() - start[0])
        real.append(time.perf_counter() - start[1])
    return min(processor), min(real), result


def plain_subset(x, y, known, games, folds=10):
    """Cross-validated error of one subset, or None if a coefficient is negative: Algorithm 1 of the paper."""
    rows = known[:, games].all(axis=1)
    a, b = x[rows][:, games], y[rows]
    if (np.linalg.lstsq(a, b, rcond=None)[0] < 0).any():
        return None
    fold = np.arange(len(b)) % folds
    error = 0.0
    for f in range(folds):
        test = fold == f
        c = np.linalg.lstsq(a[~test], b[~test], rcond=None)[0]
        error += np.mean((b[test] - a[test] @ c) ** 2)
    return error / folds


def bench_search(lib, sample, threads):
    x, y, names = ours.atari5_data(lib)
    known = ~np.isnan(x)
    usable = [g for g in range(x.shape[1]) if known[:, g].sum() >= 40]
    excluded = set(range(x.shape[1])) - set(usable)
    every = list(itertools.combinations(usable, 5))
    chosen = [every[i] for i in np.random.default_rng(0).choice(len(every), sample, replace=False)]
    for games in chosen[:20]:
        plain_subset(x, y, known, list(games))  # warm up
    *plain, errors = best_of(3, lambda: [plain_subset(x, y, known, list(games)) for games in chosen])

    # the same errors, and the same decision on signs: a search with all five games required looks at that subset only
    for games, error in list(zip(chosen, errors))[:200]:
        only = set(range(x.shape[1])) - set(games)
        _, _, mine, result = ours.search(lib, x, y, 5, only, threads=1)
        assert result.subsets == 1
        assert (error is None) == (result.found == 0), games
        assert error is None or abs(mine - error) < 1e-12, (games, mine, error)
    plain = [sample / seconds for seconds in plain]
    rows = [("subset search, plain NumPy loop (%d of %d subsets)" % (sample, len(every)), plain[0], 1.0)]
    for n in threads:
        *seconds, (games, _, _, result) = best_of(5, lambda: ours.search(lib, x, y, 5, excluded, threads=n))
        assert result.subsets == len(every)
        rate = result.subsets / seconds[n > 1]
        rows.append(("subset search, sixer, %d thread%s (all subsets)" % (n, "s" * (n > 1)), rate, rate / plain[n > 1]))
    print("best subset: " + " ".join(names[g] for g in games))
    return rows


def bench_bootstrap(lib, replicates, threads):
    scores = np.exp(np.random.default_rng(1).normal(0, 2, (5, 57)))
    rows, theirs = [], None
    try:
        from rliable import library as rly
        from rliable import metrics

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")

            def work():
                return rly.get_interval_estimates(
                    {"a": scores}, lambda s: np.array([metrics.aggregate_iqm(s)]), reps=replicates
                )

            *seconds, (_, interval) = best_of(1, work)
        theirs = [replicates / s for s in seconds]
        rows.append(("bootstrap of the IQM, rliable", theirs[0], 1.0))
        print("rliable: %.4f to %.4f" % tuple(interval["a"].ravel()))
    except (ImportError, TypeError) as error:
        print("rliable is not there (%s): no ratio" % error)
    for n in threads:
        *seconds, result = best_of(5, lambda: ours.bootstrap(lib, scores, replicates, threads=n, only="iqm"))
        rate = replicates / seconds[n > 1]
        rows.append(
            (
                "bootstrap of the IQM, sixer, %d thread%s" % (n, "s" * (n > 1)),
                rate,
                rate / theirs[n > 1] if theirs else float("nan"),
            )
        )
    print("sixer:   %.4f to %.4f" % result["iqm"][1:])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--sample", type=int, default=3000, help="subsets that the NumPy loop is timed on")
    parser.add_argument("--replicates", type=int, default=50000)
    parser.add_argument("--csv", help="append the figures to this file")
    options = parser.parse_args()
    lib = ours.library(options.build)
    processors = len(os.sched_getaffinity(0))
    threads = sorted({1, processors})
    rows = bench_search(lib, options.sample, threads) + bench_bootstrap(lib, options.replicates, threads)
    print("\n%-62s %14s %10s" % ("", "per second", "ratio"))
    for name, rate, ratio in rows:
        print("%-62s %14.0f %10.1f" % (name, rate, ratio))
    if options.csv:
        new = not os.path.exists(options.csv)
        with open(options.csv, "a") as file:
            if new:
                file.write("date,machine,processors,numpy,what,per_second,ratio\n")
            for name, rate, ratio in rows:
                file.write(
                    '%s,%s,%d,%s,"%s",%.1f,%.2f\n'
                    % (time.strftime("%Y-%m-%d"), platform.machine(), processors, np.__version__, name, rate, ratio)
                )


if __name__ == "__main__":
    main()
