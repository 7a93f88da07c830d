"""Figure 10: learning in batches, on one processor and on several."""

from __future__ import annotations

from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.claim import Claim, Paired, stated
from calque.experiments.paper import Entry, Figure, Section, Table
from calque.experiments.papers.maxforce.cells import FORCE, SHORT, MaxForceCells
from calque.experiments.systems import PAIRED, Systems, bleu, dev_curve
from calque.experiments.training import mean, system
from calque.parallel import n_workers
from calque.report.curves import Curve

BATCH = int(FORCE["batch"])
SINGLE = "batch of 1"
MINIBATCH = f"batch of {BATCH}"


def section(bench: Bench) -> Section:
    """Batches of 1 and of 24 on short sentences, beside MERT and PRO."""
    work, several = MaxForceCells(bench), n_workers(bench.threads)
    alone = {
        SINGLE: work.force(batch=1, max_words=SHORT, threads=1),
        MINIBATCH: work.force(batch=BATCH, max_words=SHORT, threads=1),
    }
    together = {
        f"{MINIBATCH}, {n} threads": work.force(batch=BATCH, max_words=SHORT, threads=n)
        for n in (several,)
        if n > 1
    }
    others = {"MERT": work.mert(), "PRO dense": work.pro("dense")}
    return Section(
        "Figure 10: minibatches",
        [_table({**alone, **together, **others})],
        [_figure({**alone, **together, **others})],
        _claims(bench, alone, together),
        [
            f"Only sources of up to {SHORT} words are learned from (the paper: 1,032 short"
            " sentences). Seconds are of this run, dev decoding included, on whatever else the"
            f" machine had to do; MERT and PRO had {several} threads. They are shown, not judged:"
            " in the paper 24 cores are about 7 times as fast as one, and one core needs with"
            " batches about as long as MERT and PRO to the same BLEU.",
        ],
    )


def _table(systems: Systems) -> Table:
    rows: list[list[Entry]] = [
        [
            name,
            bleu(cells, "dev"),
            bleu(cells, "test"),
            round(mean(cells, "chosen round") or 0),
            f"{sum(_seconds(cell)[-1] for cell in cells) / len(cells):.0f} s",
        ]
        for name, cells in systems.items()
    ]
    heads = ["training", "dev BLEU", "test BLEU", "iteration", "time of all iterations"]
    return Table("Learning in batches; the paper draws curves.", heads, rows)


def _figure(systems: Systems) -> Figure:
    curves = []
    for series, (name, cells) in enumerate(systems.items()):
        points = dev_curve(cells[:1])
        curves.append(Curve(name, _seconds(cells[0])[: len(points)], points, series))
    caption = "Figure 10: dev BLEU of each iteration against the seconds until its weights."
    return Figure(caption, "seconds", "dev BLEU", curves)


def _seconds(cell: Cell) -> list[float]:
    """When the weights of round 1, 2 and so on were there: at the end of the round before."""
    return [round(second, 1) for second in cell.curves["seconds"]]


def _claims(bench: Bench, alone: Systems, together: Systems) -> list[Claim]:
    by = Paired(bench.corpus.dev)
    on_dev = {name: system(name, cells, "dev") for name, cells in alone.items()}
    claims = [
        Claim(
            "10a", "Batches improve BLEU even on one processor", "curves",
            f"better on dev with batches of {BATCH} {PAIRED}",
            [by.better(on_dev[MINIBATCH], on_dev[SINGLE])],
        )
    ]  # fmt: skip
    for name, cells in together.items():
        same = all(
            first.weights == other.weights
            for first, other in zip(alone[MINIBATCH], cells, strict=True)
        )
        claims.append(
            Claim(
                "10b", "More processors only make it faster", "24 cores: about 7 times as fast",
                "the same weights with one thread and with several; time is not judged",
                [stated(same, f"{name}: {'the same' if same else 'other'} weights")],
            )
        )  # fmt: skip
    return claims
