from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from calque.errors import CalqueError, FileError
from calque.hyps import NBest, joined, read_nbest, with_total
from calque.hyps.added import Additions
from calque.metrics.metric import Metric
from calque.metrics.registry import make_metric, settings_of
from calque.progress import SILENT, Progress
from calque.tune.decoder_task import identity
from calque.tune.task import Task, digest


class NBestTask(Task):
    """Tunes weights for n-best lists of any decoder."""

    renews = False

    def __init__(
        self,
        files: Sequence[Path | str] | Path | str,
        references: Sequence[Path | str],
        metric: Metric | str = "bleu",
        *,
        start: Mapping[str, float] | None = None,
        total: bool = False,
        additions: Additions | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Read lists (see `calque.hyps.formats`); those of several files are merged.

        `metric` is an object or a name; the words of lists are split at spaces. `start` are the
        weights before tuning; by default those that best explain the totals of the lists. With
        `total`, the decoder's own score is a feature too, called Total. `additions` are features
        that Calque computes; they start from 0.
        """
        if isinstance(metric, str):
            metric = named_metric(metric)
        super().__init__(references, metric)
        paths = [files] if isinstance(files, str | Path) else list(files)
        if not paths:
            raise CalqueError("no n-best lists: expected at least one file")
        lists = [self._read(path, total) for path in paths]
        own = lists[0] if len(lists) == 1 else joined(lists)
        for line in own.missing():
            progress.warn(line)
        self._additions = additions or Additions(())
        self._nbest = self._additions.to(own, paths[0], progress)
        self._start = None if start is None else dict(start)
        self._paths = paths
        self._total = total

    def _read(self, path: Path | str, total: bool) -> NBest:
        nbest = read_nbest(path)
        if nbest.n_sentences != self.n_sentences:
            raise FileError(
                path,
                f"has lists of {nbest.n_sentences:,} sentences, but there are"
                f" {self.n_sentences:,} references: expected equal numbers",
            )
        return with_total(nbest, path) if total else nbest

    @property
    def dense_names(self) -> tuple[str, ...]:
        """The features on at least half of the candidates."""
        return self._nbest.dense_names()

    @cached_property
    def start(self) -> Mapping[str, float]:
        """The given weights, or those that best explain the totals of the lists."""
        names = self.dense_names
        if self._start is None:
            own = [name for name in names if name not in self._additions.features]
            explained = dict(zip(own, _explained(self._nbest, own), strict=True))
            return {**dict.fromkeys(names, 0.0), **explained}
        for name in self._start:
            if name not in self._nbest.names:
                known = ", ".join(names)
                raise CalqueError(
                    f"the lists have no feature '{name}' to start from; they have: {known}"
                )
        return {**dict.fromkeys(names, 0.0), **self._start}

    @property
    def inputs(self) -> dict[str, Any]:
        """The files by content, and the start."""
        start = "given" if self._start is not None else "totals"
        return {
            "nbest": [digest(path) for path in self._paths],
            **self.files,
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

    def candidates(self, weights: Mapping[str, float], progress: Progress = SILENT) -> NBest:
        """All lists, whatever the weights."""
        return self._nbest


def named_metric(name: str) -> Metric:
    """The metric of this name, where words are what stands between spaces."""
    return make_metric(name, **({"tokenize": "none"} if "tokenize" in settings_of(name) else {}))


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
    found = np.linalg.lstsq(centred[:, :-1], centred[:, -1], rcond=None)[0]
    if not np.isfinite(found).all() or not np.abs(found).max(initial=0) > 0:
        return [1.0] * len(names)
    return [float(value) for value in found]
