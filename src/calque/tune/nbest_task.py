from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.config import TASK_DEFAULTS
from calque.decode import CandidateLists
from calque.decode.batches import behind
from calque.errors import CalqueError, FileError, OptionError
from calque.features import SparseWeights, Weights
from calque.hyps import NBest, joined, read_nbest, with_total
from calque.hyps.added import Additions
from calque.hyps.keys import keyed_lists, name_key, name_keys
from calque.hyps.nbest import check_ids, is_sparse_name
from calque.metrics.metric import Metric
from calque.metrics.registry import make_metric, settings_of
from calque.progress import SILENT, Progress
from calque.text import Text
from calque.text.given import digest
from calque.tune.decoder_source import identity
from calque.tune.judge import Judge
from calque.tune.task import CandidateSource, Task


class NBestTask(Task):
    """Tunes weights for n-best lists of any decoder."""

    source: NBestSource

    def __init__(
        self,
        lists: Sequence[Path | str | NBest] | Path | str | NBest,
        references: Sequence[Text],
        metric: Metric | str = TASK_DEFAULTS.metric,
        *,
        start: Mapping[str, float] | None = None,
        total: bool = False,
        additions: Additions | None = None,
        metric_settings: Mapping[str, Any] | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Take lists in memory or files of them (see `calque.hyps.formats`); several are merged.

        `references` has one or more texts with a translation of every sentence each: a file or a
        list of sentences. `metric` is an object, or a name, with `metric_settings`; the words of
        lists are split at spaces unless these say otherwise. `start` are the weights before tuning;
        by default those that best explain the totals of the lists. With `total`, the decoder's own
        score is a feature too, called Total. `additions` are features that Calque computes; they
        start from 0.
        """
        if isinstance(metric, str):
            metric = named_metric(metric, metric_settings or {})
        elif metric_settings:
            raise OptionError("metric_settings are for a metric by name: expected a name")
        judge = Judge(references, metric)
        given = [lists] if isinstance(lists, str | Path | NBest) else list(lists)
        if not given:
            raise CalqueError("no n-best lists: expected at least one file")
        names = [f"list {n}" if isinstance(g, NBest) else str(g) for n, g in enumerate(given, 1)]
        read = [_read(each, name, total, judge) for each, name in zip(given, names, strict=True)]
        own = read[0] if len(read) == 1 else joined(read)
        for line in own.missing():
            progress.warn(line)
        source = NBestSource(
            own,
            names[0],
            [_digest(each) for each in given],
            start,
            total,
            additions or Additions(()),
            progress,
        )
        super().__init__(source, judge)


class NBestSource(CandidateSource):
    """Lists that somebody else has written; features on few candidates are sparse."""

    decodes_again = False

    def __init__(
        self,
        nbest: NBest,
        name: str,
        digests: Sequence[Mapping[str, str]],
        start: Mapping[str, float] | None,
        total: bool,
        additions: Additions,
        progress: Progress,
    ) -> None:
        """Take lists, what to call them, what identifies them, and what was asked of them."""
        self.nbest = additions.to(nbest, name, progress)
        self.n_sentences = self.nbest.n_sentences
        self.dense_names = self.nbest.dense_names()
        self._additions = additions
        self._start = None if start is None else dict(start)
        self._digests = [dict(digest) for digest in digests]
        self._total = total

    @cached_property
    def start(self) -> Weights:
        """The given weights, or those that best explain the totals of the lists."""
        zeros = dict.fromkeys(self.dense_names, 0.0)
        if self._start is None:
            own = [name for name in self.dense_names if name not in self._additions.features]
            explained = dict(zip(own, _explained(self.nbest, own), strict=True))
            return Weights({**zeros, **explained})
        there = set(self.nbest.names)
        for name in self._start:
            if name not in there and not is_sparse_name(name):
                known = ", ".join(self.dense_names)
                raise CalqueError(
                    f"the lists have no feature '{name}' to start from; they have: {known}"
                )
        dense = {name: value for name, value in self._start.items() if name in zeros}
        sparse = {name: value for name, value in self._start.items() if name not in zeros}
        values = np.array(list(sparse.values()), np.float32)
        return Weights({**zeros, **dense}, SparseWeights.from_arrays(name_keys(sparse), values))

    @property
    def inputs(self) -> dict[str, Any]:
        """The files by content, and the start."""
        start = "given" if self._start is not None else "totals"
        return {
            "nbest": self._digests,
            "total": self._total,
            **({"added": self._added()} if self._additions else {}),
            "start": self._start if self._start is not None else start,
        }

    def _added(self) -> dict[str, Any]:
        source, model = self._additions.source, self._additions.model
        return {
            "features": str(self._additions),
            "source": None if source is None else digest(source),
            "model": None if model is None else identity(model),
        }

    def lists(
        self, weights: Weights, progress: Progress = SILENT, *, skip: int = 0
    ) -> Iterator[CandidateLists]:
        """All lists, whatever the weights."""
        batches = keyed_lists(self.nbest, self.dense_names)
        return behind(batches, skip, lambda lists: len(lists.lengths))

    @cached_property
    def _names(self) -> dict[int, str]:
        sparse = [name for name in self.nbest.names if name not in self.dense_names]
        return dict(zip(name_keys(sparse).tolist(), sparse, strict=True))

    def sparse_name(self, key: int) -> str:
        """The name that the lists have for a feature."""
        return self._names.get(key) or super().sparse_name(key)

    def sparse_group(self, name: str, keys: NDArray[np.uint64]) -> NDArray[np.bool_] | None:
        """Which of the keys are the feature of this name or of an added family of sparse ones."""
        if name in self._names.values():
            return np.asarray(keys == np.uint64(name_key(name)))
        addition = next((each for each in self._additions.additions if each.name == name), None)
        if addition is None or addition.family.sparse is None:
            return None
        own = [key for key, own_name in self._names.items() if addition.is_in([own_name])]
        return np.asarray(np.isin(keys, np.array(own, np.uint64)))


def _read(lists: Path | str | NBest, name: str, total: bool, judge: Judge) -> NBest:
    if isinstance(lists, NBest):
        check_ids(lists.sentences, name)
        nbest = lists
    else:
        nbest = read_nbest(lists)
    if nbest.n_sentences != judge.n_sentences:
        raise FileError(
            name,
            f"has lists of {nbest.n_sentences:,} sentences, but there are"
            f" {judge.n_sentences:,} references: expected equal numbers",
        )
    return with_total(nbest, name) if total else nbest


def _digest(lists: Path | str | NBest) -> dict[str, str]:
    return lists.digest() if isinstance(lists, NBest) else digest(lists)


def named_metric(name: str, settings: Mapping[str, Any]) -> Metric:
    """The metric of this name; words are what stands between spaces, unless set otherwise."""
    spaces = {"tokenize": "none"} if "tokenize" in settings_of(name) else {}
    return make_metric(name, **{**spaces, **settings})


def _explained(nbest: NBest, names: Sequence[str]) -> list[float]:
    """The weights whose scores come nearest to the totals, up to a constant per sentence.

    A decoder's own weights come back exactly, also where its lists leave out a feature that is
    constant within a list (Moses's penalty of unknown words). Ones where there are no totals.
    """
    if nbest.totals is None:
        return [1.0] * len(names)
    begins, lengths = nbest.offsets[:-1], np.diff(nbest.offsets)
    both = np.column_stack([nbest.matrix(names), nbest.totals])
    means = np.add.reduceat(both, begins) / lengths[:, None]
    centred = both - np.repeat(means, lengths, axis=0)
    solution = np.linalg.lstsq(centred[:, :-1], centred[:, -1], rcond=None)[0]
    if not np.isfinite(solution).all() or not np.abs(solution).max(initial=0) > 0:
        return [1.0] * len(names)
    return [float(value) for value in solution]
