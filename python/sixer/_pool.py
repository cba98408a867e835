"""A pool of arrays: they are handed out as if new, and reused once the caller has dropped them.

Allocating an array of a megabyte takes longer than the step that fills it, because the system must find and clear its
pages. So the pool keeps its arrays and hands one out again when nothing else refers to it. Views and tensors made from
an array refer to it too, so an array that a caller still uses is never overwritten.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sixer._sixer import unused

_MOST = 8


class Pool:
    """Arrays of uint8 of one shape."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self._arrays: list[npt.NDArray[np.uint8]] = []

    def take(self) -> npt.NDArray[np.uint8]:
        """An array with undefined contents that nobody else uses."""
        index = unused(self._arrays)
        if index >= 0:
            return self._arrays[index]
        array = np.empty(self.shape, np.uint8)
        if len(self._arrays) < _MOST:
            self._arrays.append(array)
        return array
