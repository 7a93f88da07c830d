"""A histogram as SVG, drawn by hand: a page that shows one needs nothing from elsewhere."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 24, 38
N_SIDE = 15
"""Bars on each side of the one around zero."""


def gains_histogram(gains: NDArray[np.float64], unit: str) -> str:
    """An SVG with the number of sentences per gain: losses left, gains right, zero between.

    `unit` names what is gained. Bars carry the classes `loss`, `same` and `gain` for the page's
    colours; the tip of each says its range and number.
    """
    most = _round_up(float(np.abs(gains).max(initial=0.0)) or 1.0)
    n_bars = 2 * N_SIDE + 1
    step = 2 * most / n_bars
    edges = (np.arange(n_bars + 1) - n_bars / 2) * step
    counts, _ = np.histogram(np.clip(gains, edges[0], edges[-1]), edges)
    highest = max(1, int(counts.max()))
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    base = TOP + height
    lines = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Sentences by gain in {unit}">'
    ]
    for share in (0.5, 1.0):
        y = base - share * height
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:g}" y2="{y:g}"/>')
        lines.append(_text(LEFT - 6, y + 4, f"{share * highest:g}", "end"))
    bar = width / n_bars
    for i, count in enumerate(int(count) for count in counts):
        kind = "same" if i == N_SIDE else "loss" if i < N_SIDE else "gain"
        tall = height * count / highest
        tip = f"{edges[i]:+.3g} to {edges[i + 1]:+.3g}: {count:,} sentences"
        lines.append(
            f'<rect class="{kind}" x="{LEFT + i * bar + 1:.1f}" y="{base - tall:.1f}"'
            f' width="{bar - 2:.1f}" height="{tall:.1f}"><title>{tip}</title></rect>'
        )
    lines.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{base}" y2="{base}"/>')
    for part in (-1.0, -0.5, 0.0, 0.5, 1.0):
        anchor = {-1.0: "start", 1.0: "end"}.get(part, "middle")
        tick = f"{part * most:+g}" if part else "0"
        lines.append(_text(LEFT + (part + 1) / 2 * width, base + 16, tick, anchor))
    lines.append(_text(LEFT, base + 33, "← worse", "start"))
    lines.append(_text(LEFT + width / 2, base + 33, f"gain of a sentence, {unit}", "middle"))
    lines.append(_text(WIDTH - RIGHT, base + 33, "better →", "end"))
    return "\n".join([*lines, "</svg>"])


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{text}</text>'


def _round_up(value: float) -> float:
    """The next number of the form 1, 2 or 5 times a power of ten: an end for an axis."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(float(f"{m * power:g}") for m in (1, 2, 5, 10) if m * power >= value * (1 - 1e-9))
