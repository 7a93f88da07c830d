"""Tillmann & Zhang 2005: a localized prediction model for statistical machine translation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.claim import Claim, Paired, stated
from calque.experiments.paper import Entry, Paper, Section, Table
from calque.experiments.papers.local_model.cells import (
    BLOCKS,
    DENSE_PASSES,
    LIST_RATE,
    PAIR_RATE,
    PASSES,
    LocalModelCells,
)
from calque.experiments.training import mean, system
from calque.report import System

SMALL = 0.5
"""A difference in BLEU that counts as none."""
ON_TEST_ITSELF = 2.0
"""What dense weights learned on the test text itself may gain at most."""
PAIRED = "by a paired test on test BLEU, p <= 0.05"


@dataclass(frozen=True)
class Line:
    """A line of table 2."""

    reordering: str
    components: str
    bleu: float
    interval: float


LINES: Mapping[int, Line] = {
    1: Line("MON", "(a), (c)", 32.3, 1.5),
    2: Line("SWAP", "(a), (c)", 32.3, 1.5),
    3: Line("SWAP & OR", "(a), (b), (c)", 33.9, 1.4),
    4: Line("SWAP & OR", "(a)-(e)", 37.7, 1.5),
    5: Line("SWAP & OR", "(a)-(f)", 37.2, 1.6),
    6: Line("SWAP & OR", "(a)-(e), dense weights from dev", 37.8, 1.5),
    7: Line("SWAP & OR", "(a)-(f), dense weights from dev", 38.2, 1.5),
    8: Line("SWAP & OR", "(a)-(e), dense weights from test", 39.0, 1.5),
    9: Line("SWAP & OR", "(a)-(f), dense weights from test", 39.3, 1.6),
}


def table_two(bench: Bench) -> Section:
    """All lines of table 2."""
    work = LocalModelCells(bench)
    dev, test = bench.corpus.dev, bench.corpus.test
    cells = {
        1: work.events("ac", "mon"),
        2: work.events("ac", "swap"),
        3: work.events("abc", "swap"),
        4: work.events("abcde", "swap"),
        5: work.events("abcdef", "swap"),
        6: work.floats_from(dev),
        7: work.binary_after(dev),
        8: work.floats_from(test),
        9: work.binary_after(test),
    }
    return Section(
        "Table 2: orientation, components, where the weights come from",
        [_table(bench, cells)],
        [],
        _claims(bench, cells),
        [
            "(a) unigram of blocks, (b) orientation, (c) language model of the first word of a"
            " block, (d) of its other words, (e) lexical weight, (f) binary block bigrams. Lines 8"
            " and 9 learn dense weights on the test text: an upper bound, not a system.",
            f"Not as in the paper: dense weights take {DENSE_PASSES} passes over all events instead"
            f" of one over a tenth; steps are {LIST_RATE:g} on the events of lists and"
            f" {PAIR_RATE:g} for binary features instead of 1e-5; the language model of an event is"
            " one of the other parts of the training text; blocks occur at least"
            f" {BLOCKS['min_count']} times with probabilities of at least {BLOCKS['min_prob']:g}.",
        ],
    )


def _table(bench: Bench, cells: Mapping[int, list[Cell]]) -> Table:
    by, rows = Paired(bench.corpus.test), list[list[Entry]]()
    for number, line in LINES.items():
        ours = mean(cells[number], "test bleu") or 0.0
        width = by.half_width(_system(cells, number))
        rows.append(
            [
                str(number),
                line.reordering,
                line.components,
                f"{line.bleu:.1f} ± {line.interval:.1f}",
                f"{ours:.2f} ± {width:.1f}",
                mean(cells[number], "test meteor"),
                round(mean(cells[number], "sparse weights") or 0),
            ]
        )
    heads = ["line", "reordering", "components", "BLEU, paper", "BLEU, here", "METEOR, here"]
    caption = "Test BLEU with the half of its 95 % bootstrap interval."
    return Table(caption, [*heads, "binary weights here"], rows)


def _claims(bench: Bench, cells: Mapping[int, list[Cell]]) -> Sequence[Claim]:
    by = Paired(bench.corpus.test)
    line = {number: _system(cells, number) for number in LINES}
    bleu = {number: mean(cells[number], "test bleu") or 0.0 for number in LINES}
    steps = {step: bleu[step[1]] - bleu[step[0]] for step in ((1, 2), (2, 3), (3, 4), (4, 7))}
    largest = max(steps, key=lambda step: steps[step])
    return [
        Claim(
            "1", "Swaps without a model of orientation bring nothing", "32.3 and 32.3",
            f"no significant difference above {SMALL:g} BLEU", [by.alike(line[2], line[1], SMALL)],
        ),
        Claim(
            "2", "A model of orientation helps", "32.3 -> 33.9", PAIRED,
            [by.better(line[3], line[2])],
        ),
        Claim(
            "3", "Lexical weights and the second part of the language model help most",
            "33.9 -> 37.7", f"better {PAIRED}, and the largest of all steps",
            [
                by.better(line[4], line[3]),
                stated(
                    largest == (3, 4),
                    "; ".join(f"line {a} to {b} {gain:+.2f}" for (a, b), gain in steps.items()),
                ),
            ],
        ),
        Claim(
            "4", "Binary features hurt when they are trained jointly with dense ones, and help when"
            " dense weights from dev are fixed", "37.7 -> 37.2; 37.8 -> 38.2 (both within the"
            " intervals)", f"both {PAIRED}",
            [by.better(line[4], line[5]), by.better(line[7], line[6])],
        ),
        Claim(
            "5", "Where dense weights are trained hardly matters",
            "37.7 on training data, 37.8 on dev, 39.0 on the test text itself",
            f"lines 4 and 6 without a significant difference above {SMALL:g} BLEU; line 8 at most"
            f" {ON_TEST_ITSELF:g} BLEU above line 4",
            [
                by.alike(line[6], line[4], SMALL),
                stated(
                    bleu[8] - bleu[4] <= ON_TEST_ITSELF,
                    f"line 8 {bleu[8]:.2f}, line 4 {bleu[4]:.2f}",
                ),
            ],
        ),
        Claim(
            "6", "The whole is far better than the baseline",
            "38.2 against 32.3, 18.3 % (printed: 18.6 %)", PAIRED,
            [
                by.better(line[7], line[1]),
                stated(
                    bleu[7] > bleu[1],
                    f"{100 * (bleu[7] / bleu[1] - 1):+.1f} %" if bleu[1] else "from nothing",
                ),
            ],
        ),
    ]  # fmt: skip


def _system(cells: Mapping[int, list[Cell]], number: int) -> System:
    return system(f"line {number}", cells[number])


PAPER = Paper(
    "local-model",
    "Tillmann & Zhang 2005: a localized prediction model for statistical machine translation",
    "Blocks predicted one at a time by a log-linear classifier, which learns from pairs of"
    " neighbouring blocks in the training text; nothing is decoded for it.",
    pair="far",
    sizes={"train": 20_000, "dev": 300, "test": 600},
    scale=0.25,
    rounds=f"{PASSES} passes over the events, where there are binary features",
    sections={"2": table_two},
)
