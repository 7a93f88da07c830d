"""How many training pairs forced decoding reaches, by length and distortion limit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path

import numpy as np

from calque import _core
from calque.config import FeatureOptions, ForceOptions, LeaveOneOutOptions
from calque.decode import Decoder, TrainingText
from calque.decode.reachability import Counts, Reachability, count, tabulate
from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.corpus import first_lines
from calque.experiments.papers.maxforce.cells import DENSE, MaxForceCells
from calque.model import Model
from calque.progress import Progress

LIMITS = (0, 2, 4, 6)
LIMIT = 6
UNLIMITED = -1
UNLIMITED_WORDS = 10
"""Without a limit only short sentences are searched: there are ever so many orders."""
BUCKET = 5
"""Source lengths of a point of the figures."""
SMALL_SHARE = 8
"""The small training text of the paper is an eighth of the large one."""
AT_ONCE = 512


def reached(work: MaxForceCells) -> Reachability:
    """Of the pairs that are learned from, under all limits; without one, the short pairs."""
    limited = _limited(work)
    short = ForceOptions(max_words=UNLIMITED_WORDS)
    free = _counted(work.bench, "reach-free", work.model, (UNLIMITED,), work.n_pairs, short)
    counts = {**_from_columns(limited.curves), **_from_columns(free.curves)}
    return tabulate(counts, (*LIMITS, UNLIMITED), BUCKET)


def ways_of_the_same(work: MaxForceCells) -> tuple[int, list[float]]:
    """How many pairs are in reach under every limit, and their derivations under each.

    The latter as geometric means: pairs that join at a larger limit do not blur them.
    """
    figures = _limited(work).figures
    ways = [math.exp(figures[f"log derivations at {limit}"]) for limit in LIMITS]
    return int(figures["pairs in reach under all"]), ways


def _limited(work: MaxForceCells) -> Cell:
    return _counted(work.bench, "reach", work.model, LIMITS, work.n_pairs, ForceOptions())


def by_size(work: MaxForceCells) -> tuple[Counts, Counts]:
    """The same pairs, reached with a model of an eighth of the training text, and of the whole."""
    bench, train = work.bench, work.bench.corpus.train
    n_lines = max(1, len(train.sentences) // SMALL_SHARE)
    text = first_lines(train, n_lines, bench.out / "corpus" / "first")
    small = bench.model(FeatureOptions(dense=DENSE), learned_from=text, lm={"order": 3})
    n_pairs = 0 if small.bitext is None else min(len(small.bitext), work.n_pairs)
    cells = [
        _counted(bench, f"reach-{name}", model, (LIMIT,), n_pairs, ForceOptions())
        for name, model in (("small", small), ("large", work.model))
    ]
    few, many = (sum(_from_columns(cell.curves).values(), Counts()) for cell in cells)
    return few, many


def _counted(
    bench: Bench,
    name: str,
    model: Model,
    limits: Sequence[int],
    n_pairs: int,
    options: ForceOptions,
) -> Cell:
    """Counts by limit and source length, of the first pairs, blocks of one occurrence left out."""

    def work(folder: Path, progress: Progress) -> Cell:
        training = TrainingText(model, LeaveOneOutOptions(what="one-count"))
        decoder = Decoder.of(model)
        counts: dict[tuple[int, int], Counts] = {}
        same: list[list[float]] = []
        with progress.stage("forced decoding", n_pairs * len(limits)) as stage:
            for first in range(0, n_pairs, AT_ONCE):
                pairs = range(first, min(first + AT_ONCE, n_pairs))
                source, references = training.source(pairs), training.references(pairs)
                lengths = source.sentences.lengths.tolist()
                logs = []
                for limit in limits:
                    forced = decoder.force(
                        source,
                        references,
                        model.weights,
                        replace(options, distortion_limit=limit),
                        derive_prefix=False,
                        leave_one_out=training.left_out(pairs),
                        threads=bench.threads,
                    )
                    for pair, n_words in zip(forced, lengths, strict=True):
                        if n_words <= options.max_words:
                            key = limit, n_words
                            more = count(pair, n_words, options.min_prefix)
                            counts[key] = counts.get(key, Counts()) + more
                    logs.append([_log_ways(pair) for pair in forced])
                    stage.advance(len(pairs))
                same += [list(some) for some in zip(*logs, strict=True) if min(some) >= 0]
        means = np.array(same).reshape(-1, len(limits)).sum(axis=0) / max(1, len(same))
        figures = {
            "pairs in reach under all": len(same),
            **{
                f"log derivations at {limit}": float(mean)
                for limit, mean in zip(limits, means, strict=True)
            },
        }
        return Cell(figures, _columns(counts))

    depends = {
        "model": bench.key_of(model),
        "limits": list(limits),
        "pairs": n_pairs,
        "options": {**vars(options)},
    }
    return bench.cell(name, depends, work)


def _log_ways(forced: _core.Forced) -> float:
    """The logarithm of the number of derivations; below 0 where there is none."""
    return math.log(forced.n_derivations) if forced.reachable else -1.0


def _columns(counts: Mapping[tuple[int, int], Counts]) -> dict[str, Sequence[float]]:
    """Counts as lists of numbers, which cells keep: a place per limit and length."""
    keys = sorted(counts)
    columns: dict[str, Sequence[float]] = {
        "limit": [limit for limit, _ in keys],
        "length": [length for _, length in keys],
    }
    for field in fields(Counts):
        columns[field.name] = [getattr(counts[key], field.name) for key in keys]
    return columns


def _from_columns(columns: Mapping[str, Sequence[float]]) -> dict[tuple[int, int], Counts]:
    names = [field.name for field in fields(Counts)]
    keys = zip(columns["limit"], columns["length"], strict=True)
    rows = zip(*(columns[name] for name in names), strict=True)
    return {
        (int(limit), int(length)): Counts(**dict(zip(names, row, strict=True)))
        for (limit, length), row in zip(keys, rows, strict=True)
    }
