"""Scores while playing: one episode yields its score after every limit, and a run its score at a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sixer._sixer import evaluation as _c
from sixer.eval.statistics import Reals, _reals


def _frames(frames: npt.ArrayLike, count: int) -> npt.NDArray[np.int64]:
    array = np.asarray(frames)
    if array.dtype.kind not in "iu":
        raise TypeError(f"frames must be integers, not {array.dtype}")
    return np.ascontiguousarray(np.broadcast_to(array, (count,)), np.int64)


def tally(rewards: npt.ArrayLike, frames: npt.ArrayLike, limits: Sequence[int] = (18_000, 108_000, 0)) -> Reals:
    """The score of one episode after each of the limits.

    Args:
        rewards: of every step.
        frames: that every step took; one number for all, or one for each.
        limits: in frames of play; 0 for the whole episode. The default is what SABER keeps: 5 minutes, 30, all.
    """
    steps = _reals(rewards, "rewards").ravel()
    scores = np.empty(len(limits))
    _c.tally(_frames(frames, len(steps)), steps, np.array(limits, np.int64), scores)
    return scores


def frames_without_reward(rewards: npt.ArrayLike, frames: npt.ArrayLike) -> int:
    """How many frames an episode has lasted since a reward other than 0; SABER's limit is 18,000."""
    steps = _reals(rewards, "rewards").ravel()
    return int(_c.tally(_frames(frames, len(steps)), steps, np.zeros(1, np.int64), np.empty(1)))


def unroll(rewards: npt.ArrayLike) -> Reals:
    """The true rewards behind a counter that rolled over: below -900,000 the next power of ten is added (SABER)."""
    out = _reals(rewards, "rewards").copy()
    _c.map(2, out)
    return out


def checkpoint_mean(
    scores: npt.ArrayLike,
    frames: npt.ArrayLike,
    checkpoint: int,
    *,
    episodes: int = 100,
    include_crossing: bool = True,
    in_episodes: bool = False,
) -> tuple[float, int]:
    """The score of a run: the mean of its last episodes when a checkpoint is reached, and how many there were.

    Args:
        scores: of the episodes, in order.
        frames: that each of them took.
        checkpoint: in frames of training.
        episodes: to average; fewer than this deserve a warning.
        include_crossing: the episode in which the checkpoint is passed is the last one, else the one before it.
        in_episodes: the checkpoint counts episodes.
    """
    values = _reals(scores).ravel()
    mean, averaged = _c.checkpoint_mean(
        _frames(frames, len(values)), values, checkpoint, in_episodes, include_crossing, episodes
    )
    return float(mean), int(averaged)
