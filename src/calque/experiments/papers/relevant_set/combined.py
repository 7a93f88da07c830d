"""Table IX: dense and binary features, one after the other."""

from __future__ import annotations

from calque.experiments.bench import Bench
from calque.experiments.claim import Claim, Paired
from calque.experiments.paper import Entry, Section, Table
from calque.experiments.papers.relevant_set.cells import RelevantSetCells
from calque.experiments.papers.relevant_set.rows import Figures, beside, heads
from calque.experiments.training import system

PAPER: dict[str, Figures] = {
    "7 features": (31.9, 44.8, 66.9),
    "7 first, then binary": (31.6, 45.1, 67.8),
    "binary first, then 7": (31.7, 45.6, 67.8),
}
FIGURES = ("dev avg-bleu", "test bleu", "test meteor")


def table_nine(bench: Bench) -> Section:
    """Seven dense features and all binary ones in two stages."""
    work = RelevantSetCells(bench)
    by_row = {
        "7 features": work.dense("costmargin", 1, 7),
        "7 first, then binary": work.dense_then_binary(),
        "binary first, then 7": work.binary_then_dense(),
    }
    rows: list[list[Entry]] = [
        [str(line), name, *beside(PAPER[name], cells, FIGURES)]
        for line, (name, cells) in enumerate(by_row.items(), 1)
    ]
    heading = ["line", "features", *heads(["dev BLEU", "test BLEU", "METEOR"])]
    alone, dense_first, binary_first = (system(name, cells) for name, cells in by_row.items())
    test = Paired(bench.corpus.test)
    claim = Claim(
        "9", "Binary features help beside dense ones, most where they are trained first",
        "44.8 -> 45.1 (dense first), 45.6 (binary first)", "by a paired test, p <= 0.05",
        [
            test.better(dense_first, alone),
            test.better(binary_first, alone),
            test.better(binary_first, dense_first),
        ],
    )  # fmt: skip
    table = Table("Dense features on dev, binary ones on training pairs; one group at a time.",
                  heading, rows)  # fmt: skip
    return Section("Table IX: dense and binary features", [table], [], [claim])
