"""Trainers on candidates: decode, merge the lists with earlier ones, move the weights, again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque.decode import CandidateLists
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.hyps import CandidatePool, Lists
from calque.hyps.part import Part
from calque.tune import guards
from calque.tune.footprint import Footprint, check_room
from calque.tune.freezing import free_features
from calque.tune.judge import Verdict
from calque.tune.kept_lists import joined
from calque.tune.loop import Measured, Place, Step, Trainer, Training
from calque.tune.problem import Vector
from calque.tune.run import Round
from calque.tune.task import Task

NEAR_START = 0.1
"""How far the second seed of one-best lists lies from the start, as a share of each weight."""
MOST_SEEDS = 9
AT_ONCE = 1 << 20
CHOSEN = "most_sparse"
"""What the state calls the sparse features that may move."""
ENOUGH_CHOICE = 0.25
"""Share of the sentences that seeds of one-best lists must give something to choose."""


class CandidateTrainer(Trainer):
    """A method that learns from all candidates found so far."""

    can_repeat: bool
    """Whether another update on the same candidates can help."""
    tunes_sparse: ClassVar[bool] = True
    """Whether weights of sparse features move, too."""

    def check(self, task: Task, place: Place) -> None:
        """Raise or warn where this method does not go with this task."""
        if not task.source.is_linear:
            raise OptionError(
                f"{self.method} learns weights of sums of features, but under decode.normaliser"
                " scores are no such sums: tune a model without it, or by simplex or local"
            )
        if self.options.most_sparse and not self.tunes_sparse:
            raise OptionError(
                f"most_sparse={self.options.most_sparse}: {self.method} tunes dense weights only;"
                " pro and mira tune sparse ones, too"
            )
        # A wrong name shows now, not after a text is decoded.
        free_features(str(self.options.fixed), task.source, np.empty(0, np.uint64))
        if task.source.has_families and not self.tunes_sparse:
            place.progress.warn(
                f"{self.method} tunes dense weights only: those of sparse features stay as they"
                " are, but for a common scale; pro and mira tune all"
            )


class TakenUp(NamedTuple):
    """What there is to know of a part that a killed attempt has stored."""

    first_texts: list[str]
    """Of the first candidate of each of its sentences."""
    n_candidates: int

    @classmethod
    def of(cls, part: Part) -> TakenUp:
        """That of a part in which all candidates were new."""
        begins = np.unique(part.sentences, return_index=True)[1]
        return cls([part.texts[row] for row in begins.tolist()], len(part))


class CandidateTraining(Training):
    """Rounds of candidates and updates."""

    def __init__(self, trainer: CandidateTrainer, task: Task, place: Place) -> None:
        """Begin with an empty pool."""
        self._trainer = trainer
        self._task = task
        self._place = place
        source = task.source
        self._pool = CandidatePool(
            source.n_sentences,
            source.dense_names,
            folder=place.run.pool,
            memory_mb=place.memory_mb,
        )
        # Weights of features that no candidate has take part in every change of scale.
        self._pool.reserve(task.start)
        self._n_collected = 0
        self._taken_up: list[TakenUp] = []
        self._chosen: NDArray[np.uint64] | None = None

    def state(self) -> Mapping[str, NDArray[Any]]:
        """The sparse features that may move, where these were counted out."""
        return {} if self._chosen is None else {CHOSEN: self._chosen}

    def restore(self, rounds: Sequence[Round], state: Mapping[str, NDArray[Any]]) -> None:
        """Fill the pool with what the finished rounds brought."""
        for done in rounds:
            for path in self._place.run.pool_files(done.round):
                self._pool.load(path)
        self._chosen = state.get(CHOSEN)

    def measure(self, round: int, weights: Weights) -> Measured:
        """The score of the decoder's own output, or of the choice out of given lists."""
        task, trainer, n_new, own = self._task, self._trainer, 0, None
        gathers = self._gathers(round)
        if gathers:
            self._n_collected = 0
            self._take_up(round)
            n_new, own = self._gather(round, weights)
        if round == 0:
            self._check_choice()
            if not trainer.tunes_sparse and not task.source.has_families:
                self._refuse_sparse(self._pool.lists())
            self._warn_of_few_sentences()
        if own is None:
            own = self._own(weights)
        stopped = None
        if round > 0 and n_new == 0 and (gathers or not trainer.can_repeat):
            stopped = "no new candidates"
        return Measured(own, n_candidates=len(self._pool), n_new=n_new, stopped=stopped)

    def _gathers(self, round: int) -> bool:
        """Whether a round begins with new candidates."""
        return self._task.source.decodes_again or round == 0

    def _check_choice(self) -> None:
        """Raise where no weights could make a difference."""
        lists = self._pool.lists()
        guards.check_choice(lists.offsets, lists.statistics)

    def _own(self, weights: Weights) -> Verdict:
        """What the weights of a round are worth that brings no output of a decoder."""
        return self._choice(self._pool.vector(weights))

    def _choice(self, vector: Vector) -> Verdict:
        """How good the candidates are that weights choose out of the pool."""
        lists = self._pool.lists()
        best = lists.best(vector)
        statistics, n_words = lists.statistics[best].sum(axis=0), int(lists.n_words[best].sum())
        return self._task.judge.verdict_of(statistics, n_words)

    def _gather(self, round: int, weights: Weights) -> tuple[int, Verdict | None]:
        """Put the candidates under these weights into the pool.

        How many were new, and how good the first of each list are where they are the decoder's.
        """
        task, known = self._task, self._taken_up
        n_known = sum(len(part.first_texts) for part in known)
        batches = task.source.lists(weights, self._place.progress, skip=n_known)
        n_new, chosen = self._collect(round, batches, known)
        if not task.source.decodes_again:
            return n_new, None
        if round == 0 and self._is_seeded:
            n_new += self._seed(weights)
        return n_new, task.judge.verdict(chosen)

    @property
    def _is_seeded(self) -> bool:
        """Whether weights near the start make the first candidates, too."""
        return self._task.source.list_length == 1

    def _take_up(self, round: int) -> None:
        """Take what an attempt at this round has stored that was killed, or remove it.

        The first round of all may be the decoding of a whole corpus, and every candidate that it
        finds is new: then the parts that are there are those that would be made again.
        """
        stored, self._taken_up = self._place.run.pool_files(round), []
        for at, path in enumerate(stored):
            if self._keeps_parts(round) and path.stem == _part_name(round, 0, at):
                self._taken_up.append(TakenUp.of(self._pool.load(path)))
            else:
                path.unlink()

    def _keeps_parts(self, round: int) -> bool:
        """Whether what a killed attempt at a round has stored is taken up again."""
        return round == 0 and self._task.source.decodes_again

    def _collect(
        self, round: int, batches: Iterable[CandidateLists], known: Sequence[TakenUp] = ()
    ) -> tuple[int, list[str]]:
        """Put lists of all sentences into the pool: how many were new, and the first of each.

        `known` are parts with the lists of the first sentences, which are in the pool already.
        """
        task, first, n_new, chosen = self._task, 0, 0, list[str]()
        for part in known:
            chosen += part.first_texts
            first, n_new = first + len(part.first_texts), n_new + part.n_candidates
        for at, lists in enumerate(joined(batches), len(known)):
            guards.check_candidates(lists, first, task.source)
            name = _part_name(round, self._n_collected, at)
            n_new += self._pool.add(lists, task.judge.statistics, first=first, name=name)
            chosen += first_of_each(lists)
            first += len(lists.lengths)
            if round == 0 == self._n_collected and at == len(known) and task.source.has_families:
                self._estimate(first)
        self._n_collected += 1
        return n_new, chosen

    def _estimate(self, n_seen: int) -> None:
        """Say how much memory and disk the candidates of all sentences take; raise if too much."""
        place, n_sentences = self._place, self._task.source.n_sentences
        footprint = Footprint.of(self._pool, n_seen, n_sentences, place.memory_mb)
        with place.progress.stage("memory") as stage:
            check_room(footprint, place.run.pool)
            stage.say(footprint.summary)

    def _seed(self, weights: Weights) -> int:
        """How many candidates weights near the start add to lists of one candidate each.

        Such lists leave nothing to choose, so the first pool is made of two seeds (Tillmann & Zhang
        2008), and of further ones, ever farther away, until enough sentences have a choice.
        """
        rng = np.random.default_rng([self._trainer.seed, 0, 1])
        values, fixed, n_new = np.array(list(weights.values())), self._task.source.fixed, 0
        for attempt in range(1, MOST_SEEDS + 1):
            moved = values * (1 + attempt * NEAR_START * rng.uniform(-1, 1, len(values)))
            changed = dict(zip(weights, moved.tolist(), strict=True))
            near = weights.with_dense({n: v for n, v in changed.items() if n not in fixed})
            n_new += self._collect(0, self._task.source.lists(near, self._place.progress))[0]
            lists = self._pool.lists()
            if guards.choice_share(lists.offsets, lists.statistics) >= ENOUGH_CHOICE:
                break
        return n_new

    def step(self, round: int, weights: Weights, measured: Measured) -> Step:
        """The update of the method, unless it leads to trouble."""
        task, trainer, free = self._task, self._trainer, self._free()
        before = self._pool.vector(weights)
        with self._place.progress.stage(f"{trainer.method}, round {round}") as stage:
            after = self._updated(round, before)
            trouble = guards.weights_trouble(after, before, free)
            if isinstance(trouble, guards.NotFinite):
                name = self._name(trouble.feature)
                return Step(guard=f"the weight of '{name}' became {trouble.value}")
            if trouble is not None:
                return Step(guard=trouble)
            chosen = self._choice(after)
            rounds = self._place.run.rounds
            first = rounds[0].length_ratio if rounds else measured.verdict.length_ratio
            guard = guards.length_trouble(chosen.length_ratio, first)
            if guard is not None and trainer.guards_length:
                return Step(guard=guard)
            change = _change(before, after, free)
            stage.say(
                f"{task.metric.name} {measured.verdict.score:.2f}; the next weights choose"
                f" {chosen.score:.2f} out of {len(self._pool):,} candidates"
            )
        settled = change <= trainer.options.min_change
        return Step(
            weights=self._pool.weights(after),
            pool_score=chosen.score,
            change=change,
            stopped="the weights have settled" if settled else None,
        )

    @abstractmethod
    def _updated(self, round: int, weights: Vector) -> Vector:
        """The weights after the update of the method."""

    def _free(self) -> NDArray[np.bool_]:
        """Which weights may move; the choice of the first round holds in all others."""
        options, n_dense = self._trainer.options, len(self._pool.dense_names)
        keys = self._pool.keys()
        free = free_features(str(options.fixed), self._task.source, keys)
        if options.most_sparse:
            if self._chosen is None:
                self._chosen = keys[self._most_frequent(free[n_dense:], options.most_sparse)]
            free[n_dense:] &= np.isin(keys, self._chosen)
        if not free.any():
            raise OptionError("every feature is fixed: expected one to tune")
        return free

    def _most_frequent(self, free: NDArray[np.bool_], n: int) -> NDArray[np.int64]:
        """Columns of the free sparse features on most candidates; of equal ones the first seen."""
        counts = np.zeros(len(free), np.int64)
        for _, lists in self._pool.store.stream():
            counts += np.bincount(lists.columns, minlength=len(free))
        counts[~free] = 0
        first = np.argsort(-counts, kind="stable")[:n]
        return first[counts[first] > 0]

    def _name(self, feature: int) -> str:
        names = self._pool.dense_names
        if feature < len(names):
            return names[feature]
        return self._task.source.sparse_name(int(self._pool.keys()[feature - len(names)]))

    def _warn_of_few_sentences(self) -> None:
        """Warn where sparse weights can learn the text by heart, and nothing would show it."""
        task = self._task
        if not self._trainer.tunes_sparse or task.selection is not None:
            return
        n_free = int(self._free()[len(self._pool.dense_names) :].sum())
        if n_free > task.source.n_sentences:
            other = ""
            if task.source.decodes_again:
                other = ", and --dev-source with --dev-reference chooses the round on another text"
            self._place.progress.warn(
                f"{n_free:,} sparse weights learn from {task.source.n_sentences:,} sentences, which"
                f" they may learn by heart: --set fixed=sparse keeps them as they are{other}"
            )

    def _refuse_sparse(self, lists: Lists) -> None:
        """Raise where a method of few directions meets sparse features."""
        if len(lists.keys):
            name = self._task.source.sparse_name(int(lists.keys[0]))
            raise CalqueError(
                f"{self._trainer.method} tunes dense features only, but on fewer than half of the"
                f" candidates is '{name}' ({len(lists.keys):,} such features): use another method"
            )


def _part_name(round: int, attempt: int, at: int) -> str:
    """What the store calls a part: that number `at` of an attempt to find candidates."""
    return f"{round:03}.{attempt:02}{at:05}"


def first_of_each(lists: CandidateLists) -> list[str]:
    """The texts of the first candidates of lists."""
    begins = np.concatenate([[0], np.cumsum(lists.lengths)])[:-1]
    return [lists.texts[row] for row in begins.tolist()]


def _change(before: Vector, after: Vector, free: NDArray[np.bool_]) -> float:
    """The largest change of a free weight, as a share of the largest weight, scale aside.

    Fixed weights are none of these: a large one would make every change look small.
    """
    old_size = new_size = largest = 0.0
    for old, new in _free_parts(before, after, free):
        old_size += float(np.abs(old).sum())
        new_size += float(np.abs(new).sum())
        largest = max(largest, float(np.abs(old).max(initial=0)))
    if old_size == 0:
        return 1.0
    moved = 0.0
    for old, new in _free_parts(before, after, free):
        new *= old_size / new_size
        moved = max(moved, float(np.abs(new - old).max(initial=0)))
    return moved / largest


def _free_parts(
    before: Vector, after: Vector, free: NDArray[np.bool_]
) -> Iterator[tuple[Vector, Vector]]:
    """Copies of the free weights, some at a time: there may be tens of millions."""
    for first in range(0, len(free), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        yield before[some][free[some]], after[some][free[some]]
