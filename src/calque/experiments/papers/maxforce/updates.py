"""Figures 8 and 9: where to update, and how often the update at the end is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.claim import Claim, Evidence, Paired, stated
from calque.experiments.paper import Entry, Figure, Section, Table
from calque.experiments.papers.maxforce.cells import ALL, LOCAL, RULES, MaxForceCells
from calque.experiments.systems import (
    PAIRED,
    SMALL,
    Systems,
    bleu,
    dev_curve,
    iterations,
)
from calque.experiments.training import mean, system
from calque.report.curves import Curve

BEAMS = (2, 5, 10, 20, 30)
BEAM_PART, BEAM_ITERATIONS = 4, 2
"""For figure 9 one in so many of the pairs is learned from, so often; the last time counts."""
HALF = 0.5
LEVEL = 0.01
"""Shares of invalid updates closer than this are level."""
BEST, SLOW, BOLD, NEAR = "maxviolation", "early", "standard", "localupdate"
MERT = "MERT"

Shares = Mapping[str, Sequence[float]]


def section(bench: Bench) -> Section:
    """Four update rules against MERT, and invalid updates against the beam."""
    work = MaxForceCells(bench)
    rules = {name: work.force(name) for name in RULES}
    mert = work.mert()
    shares = _shares(work)
    shown = {**{RULES[name]: cells for name, cells in rules.items()}, MERT: mert}
    return Section(
        "Figures 8 and 9: update rules",
        [_table(shown)],
        [
            iterations(
                "Figure 8: dev BLEU by iteration (of MERT: by round). In the paper max-violation"
                " peaks at iteration 13 of 20, and standard falls.",
                shown,
            ),
            _beam_figure(shares),
        ],
        [*_rules_judged(bench, rules, mert), _beam_judged(shares)],
        [
            "All sparse features. The weights of the iteration of best dev BLEU count; MERT is"
            " tuned on dev itself.",
            f"Figure 9 is of iteration {BEAM_ITERATIONS} over 1 / {BEAM_PART} of the pairs.",
        ],
    )


def _table(shown: Systems) -> Table:
    rows: list[list[Entry]] = []
    for name, cells in shown.items():
        counted = [cell.curves.get("invalid_updates", ()) for cell in cells]
        invalid = [curve[-1] for curve in counted if curve]
        rows.append(
            [
                name,
                bleu(cells, "dev"),
                round(mean(cells, "chosen round") or 0),
                dev_curve(cells, 0)[-1],
                bleu(cells, "test"),
                f"{100 * sum(invalid) / len(invalid):.1f} %" if invalid else None,
            ]
        )
    heads = ["update", "best dev BLEU", "iteration", "last dev BLEU", "test BLEU", "invalid"]
    return Table("The four update rules and MERT; the paper draws curves.", heads, rows)


def _rules_judged(bench: Bench, rules: Systems, mert: list[Cell]) -> list[Claim]:
    by = Paired(bench.corpus.dev)
    on_dev = {name: system(RULES[name], cells, "dev") for name, cells in rules.items()}
    curves = {name: dev_curve(cells) for name, cells in rules.items()}
    baseline = bleu(mert, "dev")
    n = min(map(len, curves.values()))
    first = {name: sum(curve[: n // 2 or 1]) / (n // 2 or 1) for name, curve in curves.items()}
    best, last = max(curves[BOLD]), curves[BOLD][-1]
    return [
        Claim(
            "8a", "Max-violation is the best of the four rules", "highest curve of figure 8",
            f"better on dev than each of the others {PAIRED}",
            [by.better(on_dev[BEST], on_dev[name]) for name in (SLOW, NEAR, BOLD)],
        ),
        Claim(
            "8b", "Max-violation and early updates pass MERT", "curves; of early not in words",
            f"better on dev {PAIRED}",
            [by.better(on_dev[name], system(MERT, mert, "dev")) for name in (BEST, SLOW)],
        ),
        Claim(
            "8c", "Early updates learn much more slowly", "curves",
            f"dev BLEU lower by more than {SMALL:g} on average over the first half of the"
            " iterations",
            [
                stated(
                    first[BEST] - first[SLOW] > SMALL,
                    f"early {first[SLOW]:.2f}, max-violation {first[BEST]:.2f}",
                )
            ],
        ),
        Claim(
            "8d", "Local and standard updates end below MERT", "curves",
            "lower dev BLEU in the last iteration",
            [
                stated(
                    curves[name][-1] < baseline,
                    f"{RULES[name]} {curves[name][-1]:.2f}, MERT {baseline:.2f}",
                )
                for name in (NEAR, BOLD)
            ],
        ),
        Claim(
            "8e", "Standard updates lose as training goes on", "the curve falls",
            f"the last iteration more than {SMALL:g} BLEU below the best",
            [stated(best - last > SMALL, f"best {best:.2f}, last {last:.2f}")],
        ),
    ]  # fmt: skip


def _shares(work: MaxForceCells) -> Shares:
    """Shares of invalid standard updates by beam, on average over seeds."""
    shares: dict[str, list[float]] = {}
    for name, group in (("without non-local features", LOCAL), ("all features", ALL)):
        for beam in BEAMS:
            cells = work.force(BOLD, group, part=BEAM_PART, rounds=BEAM_ITERATIONS, beam=beam)
            last = [cell.curves["invalid_updates"][-1] for cell in cells]
            shares.setdefault(name, []).append(sum(last) / len(last))
    return shares


def _beam_figure(shares: Shares) -> Figure:
    curves = [
        Curve(name, BEAMS, [100 * share for share in some], series)
        for series, (name, some) in enumerate(shares.items())
    ]
    caption = (
        "Figure 9: share of standard updates where the reference scores better already and only"
        " the search has failed. In the paper 50 to 90 %."
    )
    return Figure(caption, "beam", "invalid updates, %", curves)


def _beam_judged(shares: Shares) -> Claim:
    evidence: list[Evidence] = []
    for name, some in shares.items():
        falls = all(b <= a + LEVEL for a, b in pairwise(some)) and some[-1] < some[0]
        listed = ", ".join(f"{100 * share:.1f}" for share in some)
        evidence.append(stated(falls, f"{name}: {listed} % at beams {', '.join(map(str, BEAMS))}"))
        evidence.append(
            stated(some[-1] > HALF, f"{name}: {100 * some[-1]:.1f} % at beam {BEAMS[-1]}")
        )
    return Claim(
        "9", "Of standard updates fewer are invalid with a larger beam, but still more than half"
        f" at beam {BEAMS[-1]}", "90 to 50 %",
        f"from beam to beam no more than {100 * LEVEL:g} point higher; above 50 % at the last",
        evidence,
    )  # fmt: skip
