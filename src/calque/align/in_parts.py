"""EM over parts of a bitext, wherever an engine runs its tasks, with the bits of EM here.

The aligner of the whole bitext stays here. In every iteration each part is given the probabilities
of the word pairs that it meets and gives back what it expects of them: these counts are integers,
so neither their order nor who made them changes a bit. The sentences of a part and its table of
word pairs, which takes as long to find as half an iteration, lie in files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque._core import Aligner, pair_arrays
from calque.config.align import AlignOptions
from calque.text import Sentences
from calque.text.scratch import Scratch
from calque.text.sentences import part_of
from calque.text.shared_folder import Cluster, SharedFolder, StoredArray

SENTENCES = 32_768
"""Of a part: a multiple of what the core counts together (64), so that no sum changes."""

Floats: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]
Parameters: TypeAlias = tuple[Floats, Floats, Floats, Floats, Floats]
"""Probabilities of pairs of words, those given the null word and weights of jumps, both ways."""
Counts: TypeAlias = tuple[Integers, Integers, Integers, Integers, Integers]
"""The expected counts of each of these."""
Paths: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32]]


PairArrays: TypeAlias = tuple[Integers, NDArray[np.int32], NDArray[np.uint32]]
"""What `pair_arrays` finds."""


def aligner_of(
    source: Sentences,
    target: Sentences,
    options: AlignOptions,
    threads: int,
    pairs: PairArrays | None = None,
) -> Aligner:
    """The aligner of a bitext, before it has learned anything; its table of pairs may be known."""
    return Aligner(
        source.ids,
        source.offsets,
        target.ids,
        target.offsets,
        null_prob=options.null_prob,
        alpha=options.alpha,
        tension=options.tension,
        jump_smoothing=options.jump_smoothing,
        jump_width=options.jump_width,
        max_words=options.max_words,
        threads=threads,
        pairs=pairs,
    )


@dataclass(frozen=True)
class BitextPart:
    """Some sentence pairs in files, and how they are aligned."""

    folder: SharedFolder
    sides: tuple[StoredArray, ...]
    """Words and offsets of both sides."""
    pairs: tuple[StoredArray, ...]
    """Their table of word pairs."""
    options: AlignOptions

    def aligner(self, parameters: Parameters, threads: int) -> Aligner:
        """Their aligner with the parameters of an iteration."""
        words, offsets, target_words, target_offsets = map(self.folder.map, self.sides)
        rows, targets, cells = map(self.folder.map, self.pairs)
        source, target = Sentences(words, offsets), Sentences(target_words, target_offsets)
        aligner = aligner_of(source, target, self.options, threads, (rows, targets, cells))
        aligner.set_parameters(parameters)
        return aligner

    def numbers_in(self, whole: Aligner) -> Integers:
        """Their pairs of words, as the aligner of all sentences numbers them."""
        rows, targets, _ = map(self.folder.map, self.pairs)
        return whole.numbers_of(rows, targets)


PartAndParameters: TypeAlias = tuple[BitextPart, Parameters]


class AlignerInParts:
    """Takes the steps of an aligner, but counts where an engine runs its tasks."""

    def __init__(
        self,
        whole: Aligner,
        source: Sentences,
        target: Sentences,
        options: AlignOptions,
        cluster: Cluster,
    ) -> None:
        """Take the aligner of a bitext, which is changed, and its sentences."""
        self._whole = whole
        self._engine = cluster.engine
        self._scratch = Scratch(0, "align")
        self._parts: list[tuple[BitextPart, Integers]] = []
        task = partial(_tabulate, cluster.folder, options, self._engine.threads_per_task)
        for part in cluster.over_parts(task, _parts(source, target)):
            self._parts.append((part, self._scratch.keep(part.numbers_in(whole))))

    def model1_step(self, threads: int) -> None:
        """One iteration of Model 1."""
        self._step(partial(_count_model1, self._engine.threads_per_task), False, threads)

    def hmm_step(self, agreement: bool, threads: int) -> None:
        """One iteration of the HMM."""
        work = partial(_count_hmm, agreement, self._engine.threads_per_task)
        self._step(work, True, threads)

    def best_paths(self, threads: int) -> Paths:
        """Those of all parts, one after the other."""
        work = partial(_best_paths, self._engine.threads_per_task)
        found = list(self._engine.ordered_map(work, self._items()))
        nothing = np.empty(0, np.int32), np.empty(0, np.int32)
        forward, reverse = zip(nothing, *found, strict=True)
        return np.concatenate(forward), np.concatenate(reverse)

    def close(self) -> None:
        """Remove the files of all parts."""
        for part, _ in self._parts:
            part.folder.remove(*part.sides, *part.pairs)

    def _step(
        self, work: Callable[[PartAndParameters], Counts], with_jumps: bool, threads: int
    ) -> None:
        counts = self._engine.ordered_map(work, self._items())
        for (_, pairs), some in zip(self._parts, counts, strict=True):
            self._whole.add_counts(pairs, some)
        self._whole.estimate(with_jumps, threads)

    def _items(self) -> Iterator[PartAndParameters]:
        return ((part, self._whole.parameters(pairs)) for part, pairs in self._parts)


def _parts(source: Sentences, target: Sentences) -> Iterator[dict[str, NDArray[Any]]]:
    for first in range(0, len(source), SENTENCES):
        yield part_of(source, target, first, min(first + SENTENCES, len(source)))


def _tabulate(folder: SharedFolder, options: AlignOptions, threads: int, name: str) -> BitextPart:
    """The task of an engine: a part with its table of word pairs."""
    sides = list(folder.read(name).values())
    pairs = pair_arrays(*sides, max_words=options.max_words, threads=threads)
    return BitextPart(
        folder,
        tuple(folder.store(side) for side in sides),
        tuple(folder.store(array) for array in pairs),
        options,
    )


def _count_model1(threads: int, given: PartAndParameters) -> Counts:
    """Expected counts of a part."""
    part, parameters = given
    return part.aligner(parameters, threads).count_model1(threads)


def _count_hmm(agreement: bool, threads: int, given: PartAndParameters) -> Counts:
    part, parameters = given
    return part.aligner(parameters, threads).count_hmm(agreement, threads)


def _best_paths(threads: int, given: PartAndParameters) -> Paths:
    part, parameters = given
    return part.aligner(parameters, threads).best_paths(threads)
