"""Lists of sentences that the model has seen or has not: what leave-one-out is for."""

from __future__ import annotations

from calque.experiments.bench import Bench
from calque.experiments.claim import Claim, Paired, stated
from calque.experiments.paper import Entry, Section, Table
from calque.experiments.papers.expected_bleu.cells import ExpectedBleuCells
from calque.experiments.papers.expected_bleu.lists import PARTS, Way
from calque.experiments.systems import PAIRED, Systems, bleu
from calque.experiments.training import system

SEEN: Way = "seen"
LEFT_OUT: Way = "leave-one-out"
JACKKNIFE: Way = "jackknife"
WAYS = (SEEN, LEFT_OUT, JACKKNIFE)


def section(bench: Bench) -> Section:
    """RPROP on lists of three kinds, with set (a) and with all sets."""
    work = ExpectedBleuCells(bench)
    a: Systems = {way: work.tuned("rprop", way=way)[1] for way in WAYS}
    everything: Systems = {way: work.tuned("rprop", "all", way)[1] for way in (LEFT_OUT, JACKKNIFE)}
    blocks = {way: work.lists(way, "a")[1].figures["words per block"] for way in WAYS}
    return Section(
        "Leave-one-out and jackknife: lists of sentences that the model has not seen",
        [_table(work, a, everything)],
        [],
        _claims(bench, blocks, a, everything),
        [
            f"Jackknife is not in the paper: the training text is in {PARTS} parts, each decoded by"
            " a model of the others, whose blocks and language model have both not seen the"
            " sentence. Leave-one-out keeps the language model, which in the paper is mostly of"
            " other text, and here knows every training sentence.",
            f"The first candidates of the baseline have {bleu(work.baseline(), 'dev'):.2f} BLEU on"
            " dev: lists of training text that are like those of new text come close to that.",
        ],
    )


def _table(work: ExpectedBleuCells, a: Systems, everything: Systems) -> Table:
    baseline = work.baseline()
    rows: list[list[Entry]] = [
        ["baseline", None, None, None, bleu(baseline, "dev"), bleu(baseline, "test")]
    ]
    for features, named, systems in (("a", "(a)", a), ("all", "(a) to (d)", everything)):
        for way in WAYS:
            if way in systems:
                lists = work.lists(way, features)[1].figures
                scores = (bleu(systems[way], text) for text in ("dev", "test"))
                rows.append([way, named, lists["bleu"], lists["words per block"], *scores])
    heads = ["lists", "sets", "BLEU of first candidates", "source words per block"]
    caption = "RPROP on lists of three kinds, then MERT; BLEU."
    return Table(caption, [*heads, "dev", "test"], rows)


def _claims(bench: Bench, blocks: dict[Way, float], a: Systems, everything: Systems) -> list[Claim]:
    by = Paired(bench.corpus.test)
    sizes = ", ".join(f"{way} {size:.2f}" for way, size in blocks.items())
    systems = {"set (a)": a, "all sets": everything}
    return [
        Claim(
            "blocks", "Without leave-one-out the decoder takes long blocks that no other text has",
            "in words",
            "more source words per block in the best candidates than with leave-one-out",
            [stated(blocks[SEEN] > blocks[LEFT_OUT], f"{sizes} words")],
        ),
        Claim(
            "jackknife", "Lists of models that have not seen the sentence at all are as good, or"
            " better (ours)", "not in the paper", f"not worse than leave-one-out on test {PAIRED}",
            [
                by.not_worse(
                    system(f"{JACKKNIFE}, {sets}", some[JACKKNIFE]),
                    system(f"{LEFT_OUT}, {sets}", some[LEFT_OUT]),
                )
                for sets, some in systems.items()
            ],
        ),
    ]  # fmt: skip
