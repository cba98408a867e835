"""Evaluation on NumPy arrays: protocols, normalization, aggregates with intervals, tests, Atari-5, published results.

    import numpy as np
    import sixer.eval as ev

    saber = ev.protocol("saber")
    rainbow = ev.published("rainbow", protocol="saber")
    scores = saber.normalize(rainbow.means, rainbow.games, missing="drop")
    print(ev.aggregates(scores, cap=saber.endless).median, ev.classes(scores))

The computations are in the C library that `sixer eval` uses too, so the results are the same to the last bit. Scores of
several runs are an array of runs x games, as in rliable, or a dict with the runs of each game. Normalized scores are
fractions: 1 is 100 %. Nothing is dropped silently: a NaN, an unknown game or a missing constant raises a ValueError
that names it.
"""

from __future__ import annotations

from sixer.eval.protocols import Protocol, parse_protocol, protocol, protocols
from sixer.eval.published import Result, folder, game_id, game_ids, published, published_ids, published_table
from sixer.eval.statistics import (
    AGGREGATES,
    CLASSES,
    Aggregates,
    Comparison,
    Interval,
    PairedTable,
    Profile,
    Welch,
    aggregates,
    bootstrap,
    capped_mean,
    classes,
    compare,
    histogram,
    improvement,
    improvement_interval,
    inter_algorithm,
    intervals,
    iqm,
    mean,
    median,
    normalize,
    optimality_gap,
    paired_comparison,
    profile,
    profile_intervals,
    score_range,
    student_p,
    welch,
    welch_from_stats,
    welch_table,
)
from sixer.eval.subsets import (
    Cost,
    Data,
    Fit,
    Search,
    atari5_data,
    atari5_interval,
    atari5_models,
    atari5_predictions,
    atari5_score,
    correlate,
    cost,
    fit,
    log_score,
    log_score_inverse,
    search,
)
from sixer.eval.tally import checkpoint_mean, frames_without_reward, tally, unroll

__all__ = [
    "AGGREGATES",
    "Aggregates",
    "CLASSES",
    "Comparison",
    "Cost",
    "Data",
    "Fit",
    "Interval",
    "PairedTable",
    "Profile",
    "Protocol",
    "Result",
    "Search",
    "Welch",
    "aggregates",
    "atari5_data",
    "atari5_interval",
    "atari5_models",
    "atari5_predictions",
    "atari5_score",
    "bootstrap",
    "capped_mean",
    "checkpoint_mean",
    "classes",
    "compare",
    "correlate",
    "cost",
    "fit",
    "folder",
    "frames_without_reward",
    "game_id",
    "game_ids",
    "histogram",
    "improvement",
    "improvement_interval",
    "inter_algorithm",
    "intervals",
    "iqm",
    "log_score",
    "log_score_inverse",
    "mean",
    "median",
    "normalize",
    "optimality_gap",
    "paired_comparison",
    "parse_protocol",
    "profile",
    "profile_intervals",
    "protocol",
    "protocols",
    "published",
    "published_ids",
    "published_table",
    "score_range",
    "search",
    "student_p",
    "tally",
    "unroll",
    "welch",
    "welch_from_stats",
    "welch_table",
]
