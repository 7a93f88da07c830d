"""Figure 2: expected BLEU by iteration under each rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.claim import Claim, stated
from calque.experiments.paper import Entry, Figure, Section, Table
from calque.experiments.papers.expected_bleu.cells import PER_ROUND, ExpectedBleuCells
from calque.report.curves import Curve

NAMES: Mapping[str, str] = {"sgd": "SGD", "gt": "GT", "adagrad": "AdaGrad", "rprop": "RPROP"}
LINEAR = 0.1
"""How far from a half the share of the gain at half of the iterations may be of a straight line."""

Curves = Mapping[str, Sequence[float]]


def section(bench: Bench) -> Section:
    """The curves of the rules on set (a), and what they look like."""
    work = ExpectedBleuCells(bench)
    cells = {rule: work.learned(rule) for rule in NAMES}
    expected = {rule: cell.curves["expected"] for rule, cell in cells.items()}
    return Section(
        "Figure 2: expected BLEU by iteration",
        [_table(cells)],
        [
            _figure("Figure 2: expected BLEU of the lists, in percent.", "expected BLEU", expected),
            _figure(
                "Not in the paper: BLEU of dev under the same weights, before MERT.",
                "dev BLEU",
                {rule: cell.curves["learned"] for rule, cell in cells.items()},
            ),
        ],
        _claims(expected),
        [
            "The paper draws curves without figures: SGD linear, GT logarithmic, RPROP exponential;"
            " AdaGrad overshoots, retracts, and is then logarithmic."
        ],
    )


def _table(cells: Mapping[str, Cell]) -> Table:
    rows: list[list[Entry]] = []
    for rule, cell in cells.items():
        points, dev = cell.curves["expected"], cell.curves["learned"]
        rows.append([NAMES[rule], points[0], points[-1], half_share(points), max(dev[1:]), dev[-1]])
    heads = ["rule", "expected, first", "expected, last", "share of the gain at half"]
    caption = "Expected BLEU of the lists, and BLEU of dev, before MERT."
    return Table(caption, [*heads, "dev, best", "dev, last"], rows)


def _figure(caption: str, label: str, curves: Curves) -> Figure:
    drawn = [
        Curve(NAMES[rule], range(0, PER_ROUND * len(points), PER_ROUND), points, series)
        for series, (rule, points) in enumerate(curves.items())
    ]
    return Figure(caption, "iteration", label, drawn)


def half_share(points: Sequence[float]) -> float:
    """Which share of the whole gain is there at half of the iterations, between points if odd.

    Of a straight line it is a half, of an exponential curve less, of a logarithmic one more.
    """
    middle = (len(points) - 1) / 2
    below, above = points[int(middle)], points[int(middle + 0.5)]
    gain = points[-1] - points[0]
    return ((below + above) / 2 - points[0]) / gain if gain else 0.5


def _claims(expected: Curves) -> list[Claim]:
    last = {rule: points[-1] for rule, points in expected.items()}
    shares = {rule: half_share(points) for rule, points in expected.items()}
    seen = {rule: f"{NAMES[rule]} {shares[rule]:.2f} of its gain" for rule in NAMES}
    return [
        Claim(
            "figure 2a", "After all iterations RPROP is above AdaGrad, and AdaGrad above SGD",
            "curves", "expected BLEU after the last iteration",
            [
                stated(
                    last[better] > last[other],
                    f"{NAMES[better]} {last[better]:.2f}, {NAMES[other]} {last[other]:.2f}",
                )
                for better, other in (("rprop", "adagrad"), ("adagrad", "sgd"))
            ],
        ),
        Claim(
            "figure 2b", "RPROP rises exponentially, SGD in a straight line, GT and AdaGrad"
            " logarithmically", "curves",
            f"share of the gain at half of the iterations: less than {0.5 - LINEAR:g} for RPROP,"
            f" within {LINEAR:g} of a half for SGD, more than {0.5 + LINEAR:g} for GT and AdaGrad",
            [
                stated(shares["rprop"] < 0.5 - LINEAR, seen["rprop"]),
                stated(abs(shares["sgd"] - 0.5) <= LINEAR, seen["sgd"]),
                *(stated(shares[rule] > 0.5 + LINEAR, seen[rule]) for rule in ("gt", "adagrad")),
            ],
        ),
    ]  # fmt: skip
