"""Which point of a line to move to, given the scores of its intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NARROW = 1e-9
"""Intervals narrower than this share of their distance from the start are within rounding."""
BEYOND = 0.1
"""How far beyond the last breakpoint an open interval is entered, as a share of their spread."""


@dataclass(frozen=True)
class Choice:
    """A point on a line and what it promises."""

    gamma: float
    """How far to go; 0: stay."""
    gain: float
    """How much better its value is than that of the start, never negative."""


def choose(
    breakpoints: NDArray[np.float64], scores: NDArray[np.float64], neighbours: int = 0
) -> Choice:
    """The middle of the interval of highest value, or the start where none is better.

    `scores` has one entry per interval, higher is better. The value of an interval is the mean of
    its score and those of `neighbours` intervals on each side, as far as there are any.
    """
    if not len(breakpoints):
        return Choice(0.0, 0.0)
    values = _smoothed(scores, neighbours) if neighbours else scores
    here = int(np.searchsorted(breakpoints, 0.0, side="right"))
    widths = np.diff(breakpoints)
    centres = (breakpoints[1:] + breakpoints[:-1]) / 2
    wide = np.ones(len(values), bool)
    wide[1:-1] = widths > NARROW * np.maximum(np.abs(centres), 1.0)
    wide[here] = True
    best = int(np.argmax(np.where(wide, values, -np.inf)))
    gain = float(values[best] - values[here])
    if best == here or gain <= 0:
        return Choice(0.0, 0.0)
    spread = float(breakpoints[-1] - breakpoints[0]) or max(abs(float(breakpoints[0])), 1.0)
    if best == 0:
        gamma = float(breakpoints[0]) - BEYOND * spread
    elif best == len(breakpoints):
        gamma = float(breakpoints[-1]) + BEYOND * spread
    else:
        gamma = float(centres[best - 1])
    return Choice(gamma, gain)


def _smoothed(scores: NDArray[np.float64], neighbours: int) -> NDArray[np.float64]:
    sums = np.concatenate([[0.0], np.cumsum(scores)])
    at = np.arange(len(scores))
    low, high = np.maximum(at - neighbours, 0), np.minimum(at + neighbours + 1, len(scores))
    return np.asarray((sums[high] - sums[low]) / (high - low))
