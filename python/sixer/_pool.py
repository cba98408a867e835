"""Arrays that are handed out as new, and used again once nobody holds them.

A fresh array of a megabyte costs more than the step that fills it: the system must find and clear its pages. So an
array is kept, and given out again when only this pool still refers to it. Views and tensors made from it refer to it
too, so what a caller keeps is never overwritten.
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
