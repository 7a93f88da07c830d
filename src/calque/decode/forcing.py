from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from calque import _core
from calque.config import ForceOptions, LeaveOneOutOptions
from calque.decode.decoder import Decoder
from calque.decode.source import SourceText
from calque.decode.step_tree import StepTree
from calque.decode.training_text import TrainingText
from calque.decode.translation import BlockUse, block_use, target_words
from calque.model import Model

BATCH = 512
"""Sentence pairs in memory at once: enough to keep every thread busy."""


@dataclass(frozen=True)
class ForcedPair:
    """A sentence pair and what forced decoding found under each distortion limit."""

    source: tuple[str, ...]
    reference: tuple[str, ...]
    """Both as the model knows them."""
    found: tuple[_core.Forced, ...]
    """One per limit; empty where a side of the pair is empty, which has no derivation."""


def force_pairs(
    model: Model,
    blocks: Iterable[tuple[str, str]],
    limits: Sequence[int],
    options: ForceOptions,
    *,
    leave_one_out: LeaveOneOutOptions | None = None,
    threads: int | None = None,
    seconds: dict[int, float] | None = None,
) -> Iterator[ForcedPair]:
    """Every sentence pair of raw text blocks, prepared and decoded under every limit, in order.

    Lazy: only `BATCH` pairs are held at once. The best derivation of a prefix pair is found at the
    last limit alone. With `leave_one_out` the pairs are the lines of the training text, and each is
    derived as if the model had not seen it. `seconds` is filled with the time spent on each limit.
    """
    training = None if leave_one_out is None else TrainingText(model, leave_one_out)
    decoder = Decoder.of(model)
    spent = {} if seconds is None else seconds
    stream = _lines(model.preprocessor.pairs(blocks))
    line = 0
    while batch := list(islice(stream, BATCH)):
        full = [pair for pair in batch if all(pair)]
        source, reference = encode_pairs(full, model)
        left_out = None
        if training is not None:
            sides = encode_pairs(batch, model)  # lines with an empty side count
            lists = (list(side.sentences) for side in sides)
            left_out = training.left_out(training.pairs_of(line, *lists)[[*map(all, batch)]])
        line += len(batch)
        columns = []
        for limit in limits:
            begin = time.perf_counter()
            columns.append(
                decoder.force(
                    source,
                    reference,
                    model.weights,
                    replace(options, distortion_limit=limit),
                    derive_prefix=limit == limits[-1],
                    leave_one_out=left_out,
                    threads=threads,
                )
            )
            spent[limit] = spent.get(limit, 0.0) + time.perf_counter() - begin
        rows = iter(zip(*columns, strict=True))
        for pair in batch:
            source_words, words = (tuple(side.split()) for side in pair)
            yield ForcedPair(source_words, words, next(rows) if all(pair) else ())


def encode_pairs(pairs: Sequence[tuple[str, str]], model: Model) -> tuple[SourceText, SourceText]:
    """Prepared sentence pairs as the decoder takes them."""
    sources, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    target = model.target_vocabulary
    return (
        SourceText.encode(sources, model.source_vocabulary, target),
        SourceText.encode_references(references, sources, target),
    )


def gold_json(index: int, pair: ForcedPair, model: Model) -> dict[str, Any]:
    """The best derivation of a pair, or of its prefix pair, at the last limit, for JSON."""
    row: dict[str, Any] = {"index": index, "reachable": False, "prefix": None}
    if not pair.found:
        return row
    forced = pair.found[-1]
    best = forced.best
    row |= {
        "reachable": forced.reachable,
        "too_large": forced.truncated,
        "n_derivations": forced.n_derivations,
    }
    if not best.steps:
        return row
    if not forced.reachable:
        row["prefix"] = [forced.prefix_source, forced.prefix_target]
    return row | {
        "score": best.score,
        "steps": [asdict(use) for use in _uses(best, pair.source, model)],
        "features": dict(zip(model.features.names, best.features, strict=True)),
    }


def _uses(derivation: _core.Derivation, source: Sequence[str], model: Model) -> list[BlockUse]:
    tree = StepTree(derivation)
    return [
        block_use(
            tree,
            at,
            [source[i] for i in tree.source_places(at)],
            target_words(step, source, model.target_vocabulary),
            step.block >= 0,
        )
        for at, step in enumerate(tree.steps)
    ]


def _lines(blocks: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Pairs of lines; a block of one side may hold more of them than that of the other."""
    sources: list[str] = []
    targets: list[str] = []
    for source, target in blocks:
        sources += source.split("\n")[:-1]
        targets += target.split("\n")[:-1]
        n = min(len(sources), len(targets))
        yield from zip(sources[:n], targets[:n], strict=True)
        del sources[:n], targets[:n]
