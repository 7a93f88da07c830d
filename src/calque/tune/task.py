from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.decode import CandidateLists
from calque.errors import OptionError
from calque.features import Weights
from calque.features.weights import key_name
from calque.metrics.metric import Metric
from calque.parallel import Engine
from calque.progress import SILENT, Progress
from calque.tune.judge import Judge, Verdict


class CandidateSource(ABC):
    """Where candidates come from."""

    decodes_again: bool
    """Whether other weights may bring other candidates."""
    n_sentences: int
    dense_names: tuple[str, ...]
    """The features that every candidate has."""
    fixed: tuple[str, ...] = ()
    """Dense features whose weights no trainer may move."""
    has_families = False
    """Whether sparse features belong to candidates by design, not just by being rare."""
    is_linear = True
    """Whether the score of a candidate is the sum of its features times their weights."""
    list_length: int | None = None
    """How many candidates of a sentence are asked for, where somebody is asked."""
    engine: Engine | None = None
    """Where work runs that need not run here; none: in threads here."""

    @property
    @abstractmethod
    def start(self) -> Weights:
        """The weights before tuning."""

    @property
    @abstractmethod
    def inputs(self) -> dict[str, Any]:
        """Everything that candidates depend on, as JSON: a run continues only with the same."""

    @abstractmethod
    def lists(
        self, weights: Weights, progress: Progress = SILENT, *, skip: int = 0
    ) -> Iterator[CandidateLists]:
        """The lists of all sentences, some at a time; if decoded, the best of each first.

        The first `skip` sentences are left out, all of some batches: somebody has them.
        """

    def truths(
        self, n: int, progress: Progress = SILENT, *, brevity_penalty: bool = False
    ) -> Iterator[CandidateLists]:
        """Up to `n` candidates per sentence that come closest to its references, best first.

        They are searched, not chosen, and differ as sequences of blocks; batches as in `lists`.
        """
        raise OptionError(
            "oracle translations can only be searched for with a model, not in n-best lists"
        )

    def bags(
        self,
        seed: int,
        families: Sequence[str],
        progress: Progress = SILENT,
        *,
        concat: bool = False,
    ) -> Iterator[CandidateLists]:
        """One candidate per sentence: blocks drawn at random, sparse features of families alone.

        Its text is empty or, with `concat`, that of the blocks by where they begin.
        """
        raise OptionError("bags of blocks can only be drawn with a model, not from n-best lists")

    def sparse_name(self, key: int) -> str:
        """What a sparse feature is called."""
        return key_name(key)

    def sparse_group(self, name: str, keys: NDArray[np.uint64]) -> NDArray[np.bool_] | None:
        """Which of the keys are called so or belong to a family of that name; none: no such."""
        return None


class Selection(ABC):
    """Where the round is chosen, if that is not the text that is learned from."""

    judge: Judge

    @property
    @abstractmethod
    def inputs(self) -> dict[str, Any]:
        """What verdicts depend on, as JSON."""

    @abstractmethod
    def verdict(self, weights: Weights, progress: Progress = SILENT) -> Verdict:
        """How good the translations under these weights are."""

    @property
    @abstractmethod
    def texts(self) -> Sequence[str]:
        """The sentences of the text."""

    @abstractmethod
    def translate(self, weights: Weights) -> list[str]:
        """Their best translations."""


class Task:
    """What a trainer is given: a source of candidates, a judge of them, maybe a selection."""

    def __init__(
        self, source: CandidateSource, judge: Judge, selection: Selection | None = None
    ) -> None:
        """Put the three together."""
        self.source = source
        self.judge = judge
        self.selection = selection

    def __repr__(self) -> str:
        size = f"{self.source.n_sentences:,} sentences, {self.metric.name}"
        return f"<{type(self).__name__}: {size}>"

    @property
    def metric(self) -> Metric:
        """Metric to tune for."""
        return self.judge.metric

    @property
    def start(self) -> Weights:
        """The weights before tuning."""
        return self.source.start

    @property
    def texts(self) -> Sequence[str]:
        """The sentences to translate; none where others have translated them."""
        return ()

    def translate(self, weights: Weights) -> list[str]:
        """The best translations of these sentences."""
        return []

    def finished(self, weights: Weights) -> Weights:
        """What a training gives in the end where it ends with these weights."""
        return weights

    @property
    def inputs(self) -> dict[str, Any]:
        """Everything that a training depends on, as JSON: a run continues only with the same."""
        chosen = {} if self.selection is None else {"selection": self.selection.inputs}
        return {**self.source.inputs, "references": self.judge.files, **chosen}
