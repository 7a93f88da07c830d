"""N-grams counted where an engine runs its tasks, and merged here.

A task lists the n-grams of a part of the text by first occurrence, order by order, in files. Merged
part by part they are in the order of their first occurrence in the whole text: the lists, and with
them every bit of the model, are those of a count in one go.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque._core import merge_ngrams
from calque.lm.counts import Lists, NgramCounter, TextCounter
from calque.lm.scratch import Scratch
from calque.text import Sentences
from calque.text.shared_folder import Cluster, SharedFolder

WORDS = 2_000_000
"""Of a part, about."""


class ClusterCounter(NgramCounter):
    """Merges what tasks count."""

    bytes_per_token = 24

    def __init__(
        self, sentences: Sentences, n_words: int, order: int, scratch: Scratch, cluster: Cluster
    ) -> None:
        super().__init__(sentences, n_words, order, scratch)
        self._folder = cluster.folder
        task = partial(_count, cluster.folder, n_words, order)
        self._files = list(cluster.over_parts(task, _parts(sentences)))
        """For each part, the files with its n-grams of orders 2 and up, and how many these are."""
        self._nodes: list[NDArray[np.int32]] = []
        """For each part, the numbers of its n-grams of the order below; of words none."""

    def _fill(self, n: int, lists: Lists) -> int:
        files = [of_part[n - 2] for of_part in self._files]
        ends = np.cumsum([0, *(size for _, size in files)])
        ngrams = self._scratch.zeros((int(ends[-1]), 2), np.int32)
        suffixes = self._scratch.zeros(len(ngrams), np.int32)
        counts = self._scratch.zeros(len(ngrams), np.uint32)
        for at, (name, _) in enumerate(files):
            rows = slice(ends[at], ends[at + 1])
            part = self._folder.read(name)
            contexts, own_suffixes = part["ngrams"][:, 0], part["suffixes"]
            ngrams[rows, 0] = self._nodes[at][contexts] if self._nodes else contexts
            ngrams[rows, 1] = part["ngrams"][:, 1]
            suffixes[rows] = self._nodes[at][own_suffixes] if self._nodes else own_suffixes
            counts[rows] = part["counts"]
            self._folder.remove(name)
        nodes = self._scratch.zeros(len(ngrams), np.int32)
        size = merge_ngrams(n, ngrams, suffixes, counts, nodes, *lists)
        self._nodes = [nodes[begin:end] for begin, end in pairwise(ends)]
        return size


def _parts(sentences: Sentences) -> Iterator[dict[str, NDArray[Any]]]:
    """The text in parts that depend on nothing else."""
    starts = np.searchsorted(sentences.offsets, np.arange(0, sentences.n_words, WORDS))
    for first, last in pairwise(np.unique([0, *starts, len(sentences)]).tolist()):
        part = sentences.part(first, last)
        yield {"ids": part.ids, "offsets": part.offsets}


def _count(folder: SharedFolder, n_words: int, order: int, name: str) -> list[tuple[str, int]]:
    """The task of an engine: the files with the n-grams of a part, and how many these are."""
    part, files = folder.read(name), list[tuple[str, int]]()
    sentences = Sentences(part["ids"], part["offsets"])
    counter = TextCounter(sentences, n_words, order, Scratch(on_disk=False))
    below = counter.unigrams()
    for n in range(2, order + 1):
        found = counter.count(n, below, passes=1)
        # Before they are completed by the order above: that is for the whole text to do.
        files.append((folder.write(vars(found)), len(found.counts)))
        below = found
    return files
