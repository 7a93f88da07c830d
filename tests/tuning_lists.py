"""Small problems of tuning that tests share."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calque.hyps import CandidatePool, Lists, NBest, write_nbest
from calque.hyps.keys import keyed_lists
from calque.hyps.pool import Measure
from calque.metrics.metric import Metric
from calque.tune.run import Run

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h"]


def random_lists(
    rng: np.random.Generator, n_sentences: int, n_candidates: int, n_features: int
) -> tuple[NBest, list[str]]:
    """Candidates that are damaged references, with random features."""
    references, texts, sentences = [], [], []
    for sentence in range(n_sentences):
        reference = rng.choice(WORDS, rng.integers(4, 9)).tolist()
        references.append(" ".join(reference))
        for _ in range(n_candidates):
            words = [w for w in reference if rng.random() > 0.2]
            words = [w if rng.random() > 0.2 else str(rng.choice(WORDS)) for w in words]
            texts.append(" ".join(words))
            sentences.append(sentence)
    values = rng.normal(size=(len(texts), n_features)).round(2)
    return lists_of(np.array(sentences), texts, values), references


def lists_of(
    sentences: np.ndarray[tuple[int], np.dtype[np.int64]],
    texts: list[str],
    values: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> NBest:
    """Lists with the features f0, f1, .. on every candidate."""
    n, n_features = values.shape
    return NBest(
        tuple(f"f{i}" for i in range(n_features)),
        sentences.astype(np.int64),
        texts,
        np.arange(0, n * n_features + 1, n_features),
        np.tile(np.arange(n_features, dtype=np.int32), n),
        values.ravel(),
        np.zeros(n),
    )


def pooled(nbest: NBest, references: list[str], metric: Metric) -> Lists:
    prepared = metric.prepare([references])
    pool = CandidatePool(len(references), nbest.names)
    add(pool, nbest, prepared.statistics)
    return pool.lists()


def add(pool: CandidatePool, nbest: NBest, measure: Measure) -> int:
    """How many candidates of the lists, which have one for every sentence, were new."""
    first, n_new = 0, 0
    for lists in keyed_lists(nbest, pool.dense_names):
        n_new += pool.add(lists, measure, first=first)
        first += len(lists.lengths)
    return n_new


def planted(
    folder: Path, seed: int, weights: list[float], n_sentences: int = 60, n_sparse: int = 0
) -> tuple[Path, Path]:
    """Files of lists in which these weights choose the reference, and of the references."""
    rng = np.random.default_rng(seed)
    nbest, references = random_lists(rng, n_sentences, 12, len(weights))
    texts = list(nbest.texts)
    values = nbest.values.reshape(len(texts), -1).copy()
    for begin, end, reference in zip(
        nbest.offsets[:-1], nbest.offsets[1:], references, strict=True
    ):
        scores = values[begin:end] @ np.array(weights)
        texts[begin + int(np.argmax(scores))] = reference
    lists, lines = folder / "lists.nbest", folder / "references"
    written = lists_of(nbest.sentences, texts, values)
    if n_sparse:  # a feature that tells of the reference, on few candidates
        hints = np.array([t == references[s] for t, s in zip(texts, nbest.sentences, strict=True)])
        written = with_sparse(written, hints)
    write_nbest(lists, written)
    lines.write_text("".join(line + "\n" for line in references))
    return lists, lines


def with_sparse(nbest: NBest, marked: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> NBest:
    """The lists with a feature `hint` of 1 on the marked candidates and nowhere else."""
    ends = nbest.row_offsets[1:][marked]
    return NBest(
        (*nbest.names, "hint"),
        nbest.sentences,
        nbest.texts,
        nbest.row_offsets + np.concatenate([[0], np.cumsum(marked)]),
        np.insert(nbest.columns, ends, np.int32(len(nbest.names))).astype(np.int32),
        np.insert(nbest.values, ends, 1.0),
        nbest.totals,
    )


class Snapshots:
    """Copies of a run folder as a kill would leave it, taken at every step of its writing."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.folders: list[Path] = []
        for name in ("begin", "finish"):
            monkeypatch.setattr(Run, name, self._watched(getattr(Run, name), folder))

    def _watched(self, write: Callable[..., None], folder: Path) -> Callable[..., None]:
        def watched(run: Run, *arguments: Any) -> None:
            write(run, *arguments)
            if run.folder is not None:
                self.folders.append(folder / str(len(self.folders)))
                shutil.copytree(run.folder, self.folders[-1])

        return watched
