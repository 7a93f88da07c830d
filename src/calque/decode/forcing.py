from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import islice
from typing import Any, NamedTuple

from calque import _core
from calque.config import ForceOptions, LeaveOneOutOptions
from calque.decode.decoder import Decoder
from calque.decode.source import SourceText
from calque.decode.step_tree import StepTree
from calque.decode.training_text import TrainingText
from calque.decode.translation import BlockUse, block_use, target_words
from calque.model import Model
from calque.parallel import Engine, Here, Shared

BATCH = 512
"""Sentence pairs in memory at once: enough to keep every thread busy."""


@dataclass(frozen=True)
class GoldDerivation:
    """The best derivation of a pair or of its prefix pair."""

    score: float
    blocks: tuple[BlockUse, ...]
    features: tuple[float, ...]


@dataclass(frozen=True)
class Found:
    """What forced decoding found for a pair under one distortion limit."""

    reachable: bool
    truncated: bool
    """The pair was too large to search."""
    n_derivations: float
    prefix_source: int
    """Source words of the longest prefix pair."""
    prefix_target: int
    """Its target words."""
    best: GoldDerivation | None
    """None where there is none; that of a prefix pair is found at the last limit alone."""


@dataclass(frozen=True)
class ForcedPair:
    """A sentence pair and what forced decoding found under each distortion limit."""

    source: tuple[str, ...]
    reference: tuple[str, ...]
    """Both as the model knows them."""
    found: tuple[Found, ...]
    """One per limit; empty where a side of the pair is empty, which has no derivation."""


class _Batch(NamedTuple):
    """Pairs of lines of the training text or any other; `line` is the number of the first."""

    pairs: list[tuple[str, str]]
    line: int


class ForcedDecoder:
    """Derives batches of pairs under every limit: it can be pickled, and keeps no state."""

    def __init__(
        self,
        model: Model,
        limits: Sequence[int],
        options: ForceOptions,
        leave_one_out: LeaveOneOutOptions | None,
    ) -> None:
        """Take a model and how far its reordering goes; the last limit gives derivations."""
        self._given = model, limits, options, leave_one_out

    def __reduce__(self) -> tuple[Any, ...]:
        return ForcedDecoder, self._given

    @cached_property
    def _decoder(self) -> Decoder:
        return Decoder.of(self._given[0])

    @cached_property
    def _training(self) -> TrainingText | None:
        model, _, _, leave_one_out = self._given
        return None if leave_one_out is None else TrainingText(model, leave_one_out)

    def force(self, batch: _Batch, threads: int) -> tuple[list[ForcedPair], list[float]]:
        """What is found for every pair, and the seconds that each limit took."""
        model, limits, options, _ = self._given
        full = [pair for pair in batch.pairs if all(pair)]
        source, reference = encode_pairs(full, model)
        left_out, seconds, columns = self._left_out(batch), list[float](), []
        for limit in limits:
            begin = time.perf_counter()
            columns.append(
                self._decoder.force(
                    source,
                    reference,
                    model.weights,
                    replace(options, distortion_limit=limit),
                    derive_prefix=limit == limits[-1],
                    leave_one_out=left_out,
                    threads=threads,
                )
            )
            seconds.append(time.perf_counter() - begin)
        rows = iter(zip(*columns, strict=True))
        forced = []
        for pair in batch.pairs:
            words, known = (tuple(side.split()) for side in pair)
            results = next(rows) if all(pair) else ()
            forced.append(
                ForcedPair(words, known, tuple(self._found(result, words) for result in results))
            )
        return forced, seconds

    def _left_out(self, batch: _Batch) -> _core.LeaveOneOut | None:
        """What is left out for the pairs that have both sides."""
        training = self._training
        if training is None:
            return None
        sides = encode_pairs(batch.pairs, self._given[0])  # lines with an empty side count
        lists = (list(side.sentences) for side in sides)
        pairs = training.pairs_of(batch.line, *lists)
        return training.left_out(pairs[[*map(all, batch.pairs)]])

    def _found(self, forced: _core.Forced, source: Sequence[str]) -> Found:
        best, derivation = forced.best, None
        if best.steps:
            blocks = tuple(_uses(best, source, self._given[0]))
            derivation = GoldDerivation(best.score, blocks, tuple(best.features))
        return Found(
            forced.reachable,
            forced.truncated,
            forced.n_derivations,
            forced.prefix_source,
            forced.prefix_target,
            derivation,
        )


def force_pairs(
    model: Model,
    blocks: Iterable[tuple[str, str]],
    limits: Sequence[int],
    options: ForceOptions,
    *,
    leave_one_out: LeaveOneOutOptions | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    seconds: dict[int, float] | None = None,
) -> Iterator[ForcedPair]:
    """Every sentence pair of raw text blocks, prepared and decoded under every limit, in order.

    Lazy: only `BATCH` pairs are held at once, or as many for each worker of an `engine`, which
    decodes them. The best derivation of a prefix pair is found at the last limit alone. With
    `leave_one_out` the pairs are the lines of the training text, and each is derived as if the
    model had not seen it. `seconds` is filled with the time spent on each limit.
    """
    engine, spent = engine or Here(threads), {} if seconds is None else seconds
    decoder = engine.share(ForcedDecoder(model, limits, options, leave_one_out))
    work = partial(_forced, decoder, engine.threads_per_task)
    batches = _batches(_lines(model.preprocessor.pairs(blocks)))
    for forced, taken in engine.ordered_map(work, batches):
        for limit, more in zip(limits, taken, strict=True):
            spent[limit] = spent.get(limit, 0.0) + more
        yield from forced


def _forced(
    decoder: Shared[ForcedDecoder], threads: int, batch: _Batch
) -> tuple[list[ForcedPair], list[float]]:
    """The task of an engine: what is found for some pairs."""
    return decoder.get().force(batch, threads)


def _batches(pairs: Iterator[tuple[str, str]]) -> Iterator[_Batch]:
    line = 0
    while batch := list(islice(pairs, BATCH)):
        yield _Batch(batch, line)
        line += len(batch)


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
    if best is None:
        return row
    if not forced.reachable:
        row["prefix"] = [forced.prefix_source, forced.prefix_target]
    return row | {
        "score": best.score,
        "steps": [asdict(block) for block in best.blocks],
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
