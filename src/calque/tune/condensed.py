"""Sparse weights that are learned already, tuned on as a few dense ones: a factor per group.

The sum of a group's features times their weights is one number per candidate. Its factor is tuned
like the weight of any dense feature, and in the end every weight of the group is multiplied by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from calque.decode import CandidateLists
from calque.decode.sparse_sums import no_rows
from calque.errors import OptionError
from calque.features import SparseWeights, Weights, family_names
from calque.model import Model
from calque.parallel import n_workers
from calque.progress import SILENT, Progress
from calque.tune.decoder_source import DecodedText, DecoderSource
from calque.tune.decoder_task import DecoderTask
from calque.tune.judge import Verdict
from calque.tune.task import CandidateSource, Selection, Task

Condense = Literal["all", "families", "groups"]
"""One factor for all sparse weights, for each family, or for each group of Wuebker et al. (2015):
a template, and of a template of blocks and their orientation each orientation."""
PREFIX = "sparse"


class Groups:
    """Groups of sparse weights, each with a factor."""

    def __init__(self, weights: Weights, families: Mapping[str, NDArray[np.bool_]]) -> None:
        """Take the weights, and by group which of the ascending keys belong to it."""
        arrays = weights.sparse.to_arrays()
        self._keys, self._values = arrays["keys"], arrays["values"]
        self._group_of = np.full(len(self._keys), -1)
        for at, members in enumerate(families.values()):
            self._group_of[members] = at
        self.names = tuple(families)

    def sums(self, lists: CandidateLists) -> NDArray[np.float64]:
        """For every candidate, the sum of each group's features times their weights."""
        rows = lists.sparse
        n_rows, n_groups = len(lists.scores), len(self.names)
        at = np.searchsorted(self._keys, rows.keys)
        at[at == len(self._keys)] = 0
        known = self._keys[at] == rows.keys
        of_entry = np.repeat(np.arange(n_rows), np.diff(rows.offsets))[known]
        at = at[known]
        values = self._values[at].astype(np.float64) * rows.counts[known]
        group = self._group_of[at]
        grouped = group >= 0
        places = of_entry[grouped] * n_groups + group[grouped]
        total: NDArray[np.float64] = np.bincount(
            places, values[grouped], minlength=n_rows * n_groups
        ).astype(np.float64)
        return total.reshape(n_rows, n_groups)

    def expanded(self, weights: Weights) -> Weights:
        """The weights with every factor multiplied out."""
        factors = np.array([weights[name] for name in self.names], np.float32)
        kept = self._group_of >= 0
        keys, values = self._keys[kept], self._values[kept] * factors[self._group_of[kept]]
        moved = values != 0
        dense = {name: value for name, value in weights.items() if name not in self.names}
        return Weights(dense, SparseWeights.from_arrays(keys[moved], values[moved]))

    def first(self, weights: Weights) -> Weights:
        """The weights before tuning: every factor is 1."""
        return Weights({**weights, **dict.fromkeys(self.names, 1.0)})


class CondensedTask(Task):
    """A task of a model whose sparse weights stay in proportion, group by group."""

    def __init__(self, task: DecoderTask, by: Condense | str) -> None:
        """Take a task whose first weights have sparse ones; `OptionError` where there are none."""
        if by not in get_args(Condense):
            raise OptionError(f"condense={by}: expected {', '.join(get_args(Condense))}")
        self._task = task
        weights = task.start
        keys = weights.sparse.to_arrays()["keys"]
        if not len(keys):
            raise OptionError(
                "there are no sparse weights to condense: learn some first (--method maxviolation,"
                " for example) and begin with them (--start NAME)"
            )
        self._groups = Groups(weights, _members(task, keys, by))
        source = CondensedSource(task.source, self._groups, by)
        selection = task.selection
        if isinstance(selection, DecodedText):
            selection = _CondensedSelection(selection, self._groups)
        super().__init__(source, task.judge, selection)

    @property
    def texts(self) -> Sequence[str]:
        """The sentences to translate."""
        return self._task.texts

    def translate(self, weights: Weights) -> list[str]:
        """Their best translations under these weights."""
        return self._task.translate(self._groups.expanded(weights))

    def finished(self, weights: Weights) -> Weights:
        """The weights of the model itself, with all factors multiplied out."""
        return self._groups.expanded(weights)


class CondensedSource(CandidateSource):
    """Candidates of a model with one dense feature more for every group of sparse weights."""

    decodes_again = True

    def __init__(self, inner: DecoderSource, groups: Groups, by: str) -> None:
        """Take the candidates of a model and the groups."""
        self._inner = inner
        self._groups = groups
        self._by = by
        self.n_sentences = inner.n_sentences
        self.dense_names = (*inner.dense_names, *groups.names)
        self.fixed = inner.fixed
        self.is_linear = inner.is_linear
        self.list_length = inner.list_length

    @property
    def start(self) -> Weights:
        """The dense weights that the model came with, and factors of 1."""
        return self._groups.first(self._inner.start)

    @property
    def inputs(self) -> dict[str, Any]:
        """Those of the model, and the kind of the groups."""
        return {**self._inner.inputs, "condense": self._by}

    def lists(
        self, weights: Weights, progress: Progress = SILENT, *, skip: int = 0
    ) -> Iterator[CandidateLists]:
        """What the decoder finds under these weights, best first."""
        for lists in self._inner.lists(self._groups.expanded(weights), progress, skip=skip):
            dense = np.concatenate([lists.dense, self._groups.sums(lists)], axis=1)
            yield replace(lists, dense=dense, sparse=no_rows(len(lists.scores)))


class _CondensedSelection(Selection):
    """A text on which the round is chosen, under weights with factors."""

    def __init__(self, inner: DecodedText, groups: Groups) -> None:
        self._inner = inner
        self._groups = groups
        self.judge = inner.judge

    @property
    def inputs(self) -> dict[str, Any]:
        return self._inner.inputs

    def verdict(self, weights: Weights, progress: Progress = SILENT) -> Verdict:
        return self._inner.verdict(self._groups.expanded(weights), progress)

    @property
    def texts(self) -> Sequence[str]:
        return self._inner.texts

    def translate(self, weights: Weights) -> list[str]:
        return self._inner.translate(self._groups.expanded(weights))


def _members(task: DecoderTask, keys: NDArray[np.uint64], by: str) -> dict[str, NDArray[np.bool_]]:
    """By the name of its factor, which of the keys belong to each group that has any."""
    if by == "all":
        return {PREFIX: np.ones(len(keys), bool)}
    model = task.model
    if by == "groups":
        groups = dict(_orientation_groups(model, keys))
    else:
        names = family_names(model.feature_options.sparse)
        groups = {_plain(name): model.in_family(name, keys) for name in names}
    left = ~np.any(list(groups.values()), axis=0)
    if left.any():
        groups["other"] = left
    return {f"{PREFIX}.{name}": members for name, members in groups.items() if members.any()}


def _orientation_groups(
    model: Model, keys: NDArray[np.uint64]
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Which keys are of each template, and of each orientation of blocks."""
    features = model.features
    for name, template in features.templates.items():
        left = features.of_templates([name], keys)
        for way, of_way in features.by_orientation(template, model.blocks, n_workers()).items():
            members = left & np.isin(keys, of_way)
            left &= ~members
            yield f"{_plain(name)}.{way}", members
        yield _plain(name), left


def _plain(name: str) -> str:
    """The name of a family as part of the name of a feature: without ':'."""
    return name.rpartition(":")[2]
