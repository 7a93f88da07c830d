from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from calque.config import fill
from calque.errors import CalqueError, OptionError
from calque.hyps import CandidatePool, Lists
from calque.metrics.metric import Metric
from calque.parallel import n_workers
from calque.progress import SILENT, Progress
from calque.tune import guards
from calque.tune.decoder_task import DecoderTask
from calque.tune.examples import EXAMPLES, changed, write_examples
from calque.tune.run import Round, Run, header
from calque.tune.task import Task

Vector = NDArray[np.float64]


class LoopOptions(Protocol):
    """What the options of every trainer in rounds have."""

    @property
    def rounds(self) -> int: ...  # noqa: D102
    @property
    def settled(self) -> float: ...  # noqa: D102
    @property
    def fixed(self) -> str: ...  # noqa: D102


@dataclass(frozen=True)
class Result:
    """What a training gave."""

    weights: dict[str, float]
    """Those of the chosen round."""
    score: float
    """Of the chosen round, on the development set."""
    chosen: int
    """The round of the best score; round 0 is the start."""
    history: tuple[Round, ...]
    metric: str
    """The signature behind the scores."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What one update is asked: candidates, a metric, what may move, and by which randomness."""

    lists: Lists
    metric: Metric
    free: NDArray[np.bool_]
    """Which weights may move."""
    size: float
    """The sum of the absolute free dense weights at the start: the scale to keep."""
    rng: np.random.Generator
    threads: int
    is_first: bool = True
    """Whether the weights are those of the start, whose scale nobody chose."""

    @property
    def sign(self) -> float:
        """1 where a higher score is better, otherwise -1."""
        return 1.0 if self.metric.higher_is_better else -1.0

    def score(self, weights: Vector) -> float:
        """The corpus score of the choice under these weights."""
        chosen = self.lists.statistics[self.lists.best(weights)]
        return float(self.metric.score(chosen.sum(axis=0)))

    def scaled(self, weights: Vector) -> Vector:
        """The weights with the free ones brought to the scale of the start.

        The dense ones tell the scale: it must not depend on how many sparse features there are.
        """
        n_dense = self.lists.n_dense
        size = float(np.abs(weights[:n_dense][self.free[:n_dense]]).sum())
        if not np.isfinite(size) or size == 0:
            return weights
        return np.where(self.free, weights * (self.size / size), weights)


class Trainer(ABC):
    """Rounds of candidates and updates; the round whose own choice scored best wins."""

    method: ClassVar[str]
    iterates: ClassVar[bool]
    """Whether another update on the same candidates can help."""
    tunes_sparse: ClassVar[bool] = True
    """Whether weights of sparse features move, too."""
    options: Any

    def __init__(self, options: type[Any], seed: int, values: Mapping[str, Any]) -> None:
        """Take hyper-parameters; results depend on the seed, never on threads."""
        self.options = fill(options(), values, self.method)
        if seed < 0:
            raise OptionError(f"seed={seed}: expected a whole number from 0")
        self.seed = seed

    @abstractmethod
    def update(self, problem: Problem, weights: Vector) -> Vector:
        """Better weights on the candidates up to now; the arguments stay as they are."""

    def fit(
        self,
        task: Task,
        *,
        run: Path | str | None = None,
        threads: int | None = None,
        progress: Progress = SILENT,
    ) -> Result:
        """The weights learned on a task; with a folder `run`, continued where it was killed."""
        log = Run(run, header(self.method, self.options, self.seed, task))
        try:
            if task.has_families and not self.tunes_sparse:
                progress.warn(
                    f"{self.method} tunes dense weights only: those of sparse features stay as they"
                    " are, but for a common scale; pro and mira tune all"
                )
            # Weights of features that no candidate has take part in every change of scale.
            sparse = [name for name in task.start if name not in task.dense_names]
            pool = CandidatePool(task.n_sentences, task.dense_names, sparse)
            log.restore(pool)
            if not log.rounds:
                log.begin(0, task.start)
            while not log.rounds or log.rounds[-1].stopped is None:
                self._round(len(log.rounds), task, pool, log, n_workers(threads), progress)
            result = _result(log, task.metric)
            if run is not None and isinstance(task, DecoderTask):
                _keep_examples(Path(run), task, log.weights(0), result)
            return result
        finally:
            log.close()

    def _round(
        self,
        round: int,
        task: Task,
        pool: CandidatePool,
        log: Run,
        threads: int,
        progress: Progress,
    ) -> None:
        begin = time.monotonic()
        weights, metric = log.weights(round), task.metric
        n_new, own = 0, None
        if task.renews or round == 0:
            nbest = task.candidates(weights, progress)
            guards.check_candidates(nbest, task.n_sentences)
            n_new = pool.add(nbest, task.references.statistics)
            if n_new:
                log.keep_pool(round, pool)
            if task.renews:
                chosen = [nbest.texts[at] for at in nbest.offsets[:-1].tolist()]
                statistics = task.references.statistics(chosen)
                n_words = sum(len(text.split()) for text in chosen)
                own = float(metric.score(statistics.sum(axis=0))), n_words
        lists = pool.lists()
        if round == 0:
            guards.check_choice(lists)
            if not self.tunes_sparse and not task.has_families:
                refuse_sparse(lists, self.method)
        vector = _vector(weights, lists.names)
        problem = self._problem(round, task, lists, vector if round == 0 else None, threads)
        best = lists.best(vector)
        score, n_words = own or (problem.score(vector), int(lists.n_words[best].sum()))
        ratio = n_words / max(task.reference_words, 1)
        guard = guards.length_trouble(ratio) if round > 0 else None
        stopped = None
        if guard is None and round == self.options.rounds:
            stopped = "all rounds done"
        elif guard is None and round > 0 and n_new == 0 and not (self.iterates and not task.renews):
            stopped = "no new candidates"
        following, pool_score, change = None, None, None
        if guard is None and stopped is None:
            with progress.stage(f"{self.method}, round {round + 1}") as stage:
                moved = self.update(problem, vector)
                guard = guards.weights_trouble(moved, vector, lists.names, problem.free)
                if guard is None:
                    words = int(lists.n_words[lists.best(moved)].sum())
                    guard = guards.length_trouble(words / max(task.reference_words, 1))
                if guard is None:
                    pool_score = problem.score(moved)
                    change = _change(vector[problem.free], moved[problem.free])
                    stage.say(
                        f"{metric.name} {score:.2f}, {pool_score:.2f} out of"
                        f" {len(lists):,} candidates"
                    )
                    following = dict(zip(lists.names, moved.tolist(), strict=True))
                    if change <= self.options.settled:
                        stopped = "the weights have settled"
        if guard is not None:
            stopped = "guard"
            progress.warn(f"{self.method}, round {round + 1}: {guard}; the last good weights stay")
        seconds = time.monotonic() - begin
        done = Round(
            round, score, ratio, len(pool), n_new, pool_score, change, stopped, guard, seconds
        )
        log.finish(done, None if stopped else following)

    def _problem(
        self, round: int, task: Task, lists: Lists, start: Vector | None, threads: int
    ) -> Problem:
        given = [name.strip() for name in str(self.options.fixed).split(",") if name.strip()]
        for name in given:
            if name not in lists.names:
                known = ", ".join(lists.names[: lists.n_dense])
                raise OptionError(f"fixed={name}: no such feature; there are: {known}")
        frozen = {*given, *task.fixed}
        free = np.array([name not in frozen for name in lists.names])
        if not free.any():
            raise OptionError("every feature is fixed: expected one to tune")
        start = _vector(task.start, lists.names) if start is None else start
        n_dense = lists.n_dense
        size = float(np.abs(start[:n_dense][free[:n_dense]]).sum()) or 1.0
        rng = np.random.default_rng([self.seed, round])
        return Problem(lists, task.metric, free, size, rng, threads, is_first=round == 0)


def _result(log: Run, metric: Metric) -> Result:
    sign = 1 if metric.higher_is_better else -1
    good = [done for done in log.rounds if done.round == 0 or guards_passed(done)]
    chosen = max(good, key=lambda done: (sign * done.score, -done.round))
    weights = log.weights(chosen.round)
    return Result(weights, chosen.score, chosen.round, tuple(log.rounds), metric.signature)


def _keep_examples(
    folder: Path, task: DecoderTask, start: Mapping[str, float], result: Result
) -> None:
    """Put some translations before and after into the folder of a run, once."""
    if not (folder / EXAMPLES).exists():
        before, after = task.translate(start), task.translate(result.weights)
        write_examples(folder, changed(task.source, task.reference_lines[0], before, after))


def guards_passed(done: Round) -> bool:
    """Whether the output of a round was sound, whatever its update led to."""
    return guards.length_trouble(done.length_ratio) is None


def _vector(weights: Mapping[str, float], names: Sequence[str]) -> Vector:
    return np.array([weights.get(name, 0.0) for name in names])


def _change(before: Vector, after: Vector) -> float:
    """The largest change of a weight, as a share of the largest weight, scale aside.

    Fixed weights are none of these: a large one would make every change look small.
    """
    size = np.abs(before).sum()
    if size == 0:
        return 1.0
    after = after * (size / np.abs(after).sum())
    return float(np.abs(after - before).max() / np.abs(before).max())


def refuse_sparse(lists: Lists, method: str) -> None:
    """Raise where a method of few directions meets sparse features."""
    n_sparse = len(lists.names) - lists.n_dense
    if n_sparse:
        raise CalqueError(
            f"{method} tunes dense features only, but on fewer than half of the candidates is"
            f" '{lists.names[lists.n_dense]}' ({n_sparse:,} such features): use pro or mira"
        )
