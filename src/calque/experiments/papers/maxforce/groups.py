"""Table 4 and figure 12: what each group of features brings."""

from __future__ import annotations

from itertools import pairwise

from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.claim import Claim, Paired, stated
from calque.experiments.paper import Entry, Section, Table
from calque.experiments.papers.maxforce.cells import GROUPS, LOCAL, MaxForceCells
from calque.experiments.systems import (
    PAIRED,
    Systems,
    bleu,
    dev_curve,
    iterations,
    late,
    n_features,
)
from calque.experiments.training import system

PAPER = {
    "dense": (11, 22.3),
    "+ ruleid": (9_264, 0.8),
    "+ WordEdges": (7_046_238, 2.0),
    "+ non-local": (22_536, 0.7),
}
"""Features, and what they bring on dev."""
MERT, ADAPTED = "MERT", "dense, AdaGrad"
ADAPTED_RATE = 0.1
"""Where rates shrink feature by feature. From weights of 0 on, and with no others, any rate gives
the same output: it only scales all weights."""


def section(bench: Bench) -> Section:
    """Max-violation with more and more features."""
    work = MaxForceCells(bench)
    groups = {name: work.force(group=name) for name in GROUPS}
    mert = work.mert()
    adapted = work.force(group="dense", update="adagrad", dense_rate=ADAPTED_RATE)
    return Section(
        "Table 4, figure 12: groups of features",
        [_table(groups, {MERT: mert, ADAPTED: adapted})],
        [
            iterations(
                "Figure 12: dev BLEU by iteration, groups added one after the other.",
                {**groups, MERT: mert},
            )
        ],
        _claims(bench, groups, mert, adapted),
        [
            "Each row has the features of the rows above, too. The paper's figures are of dev: MERT"
            " is tuned on it, of the others only the iteration is chosen by it."
        ],
    )


def _table(groups: Systems, others: Systems) -> Table:
    rows: list[list[Entry]] = []
    before, so_far, count = 0.0, 0.0, 0
    for name, cells in groups.items():
        theirs, gain = PAPER[name]
        so_far += gain
        ours, n = bleu(cells, "dev"), n_features(cells)
        change = f"{ours - before:+.2f}" if count else None
        rows.append([name, theirs, f"{so_far:.1f}", n - count, ours, change, bleu(cells, "test")])
        before, count = ours, n
    for name, cells in others.items():
        rows.append(
            [name, None, None, n_features(cells), bleu(cells, "dev"), None, bleu(cells, "test")]
        )
    heads = ["features", "count, paper", "dev BLEU, paper", "count here", "dev BLEU here", "gain"]
    caption = "Table 4: features added by group, learned by max-violation updates."
    return Table(caption, [*heads, "test BLEU here"], rows)


def _claims(bench: Bench, groups: Systems, mert: list[Cell], adapted: list[Cell]) -> list[Claim]:
    by, names = Paired(bench.corpus.dev), list(GROUPS)
    on_dev = {name: system(name, cells, "dev") for name, cells in groups.items()}
    tuned = system(MERT, mert, "dev")
    return [
        Claim(
            "4a", "Every group of features helps: dense < + ruleid < + WordEdges < all",
            "22.3, 23.1, 25.1, 25.8", f"each better on dev than the one before {PAIRED}",
            [by.better(on_dev[b], on_dev[a]) for a, b in pairwise(names)],
        ),
        Claim(
            "4b", "Dense features and rules stay below MERT, WordEdges pass it",
            "22.3 and 23.1, 25.1; MERT 23.6", f"on dev, {PAIRED}",
            [
                *(by.better(tuned, on_dev[name]) for name in names[:2]),
                by.better(on_dev[LOCAL], tuned),
            ],
        ),
        Claim(
            "4c", "A perceptron handles dense features of very different scale badly",
            "22.3 with dense features alone, MERT 23.6",
            f"with dense features alone worse on dev, {PAIRED}, than MERT, and than steps that"
            " shrink feature by feature (AdaGrad)",
            [
                by.better(tuned, on_dev["dense"]),
                by.better(system(ADAPTED, adapted, "dev"), on_dev["dense"]),
            ],
        ),
        _in_order(groups),
    ]  # fmt: skip


def _in_order(groups: Systems) -> Claim:
    curves = {name: late(dev_curve(cells)) for name, cells in groups.items()}
    evidence = []
    for lower, upper in pairwise(GROUPS):
        above = [b > a for a, b in zip(curves[lower], curves[upper], strict=False)]
        seen = f"{upper} above {lower} in {sum(above)} of {len(above)} iterations"
        evidence.append(stated(all(above), seen))
    return Claim(
        "figure 12", "The order of table 4 holds at every late iteration", "curves",
        "dev BLEU in every iteration of the second half", evidence,
    )  # fmt: skip
