from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calque.errors import OptionError
from calque.features import Weights
from calque.tune import guards
from calque.tune.candidate_trainer import CandidateTraining
from calque.tune.judge import Verdict
from calque.tune.loop import Measured, Place
from calque.tune.problem import Vector
from calque.tune.run import Round
from calque.tune.task import Task
from calque.tune.xbleu.ascent import Ascent
from calque.tune.xbleu.landscape import Landscape, Terms, spread_of
from calque.tune.xbleu.worths import worths_of

if TYPE_CHECKING:
    from calque.tune.methods.xbleu import Xbleu

UNITS = "units"


class XbleuTraining(CandidateTraining):
    """Iterations over the candidates of the pool; only some rounds bring new ones."""

    _trainer: Xbleu

    def __init__(self, trainer: Xbleu, task: Task, place: Place) -> None:
        """Begin with an empty pool."""
        super().__init__(trainer, task, place)
        options = trainer.options
        worths = worths_of(
            task.judge,
            clip_bp=options.clip_bp,
            clip_counts=options.clip_counts,
            smoothing=options.smoothing,
        )
        self._terms = Terms(
            worths,
            options.scale,
            trainer.l2,
            options.least_sentences,
            options.device,
            # growth transformation moves all blocks that share a phrase
            rare_stay=options.update != "gt",
            shards=options.shards,
        )
        self._keys = trainer.block_keys(task, place.threads)
        self._pool.reserve_keys(self._keys)
        self._units: Vector | None = None
        self._landscape: Landscape | None = None

    def state(self) -> Mapping[str, NDArray[Any]]:
        """What every training on candidates has, units of dense features, and the ascent's."""
        if self._units is None:
            return super().state()
        return {**super().state(), UNITS: self._units, **self._ascent.state()}

    def restore(self, rounds: Sequence[Round], state: Mapping[str, NDArray[Any]]) -> None:
        """Fill the pool with what the finished rounds brought, and remember."""
        super().restore(rounds, state)
        if UNITS in state:
            self._units = np.array(state[UNITS])
            self._ascent.restore(state)

    def measure(self, round: int, weights: Weights) -> Measured:
        """What every round has, and the objective."""
        if self._gathers(round):
            self._landscape = None
        measured = super().measure(round, weights)
        here = self._here
        value = here.objective.value(here.inner(self._pool.vector(weights)))
        scores = {"expected": 100 * value.expected, "objective": value.objective}
        # Where no new candidates came, iterations still go on.
        return replace(measured, scores=scores, stopped=None)

    def _gathers(self, round: int) -> bool:
        options = self._trainer.options
        if round == options.rounds or not self._task.source.decodes_again:
            return round == 0  # nothing is learned from new candidates after the last round
        return round == 0 or (options.decode_every > 0 and round % options.decode_every == 0)

    def _check_choice(self) -> None:
        guards.check_choice(self._here.offsets, self._here.statistics)

    def _own(self, weights: Weights) -> Verdict:
        task = self._task
        if task.source.decodes_again and task.selection is None:
            # The round is chosen by this score, and other rounds have that of the decoder's output.
            return task.judge.verdict(task.translate(weights))
        return super()._own(weights)

    def _choice(self, vector: Vector) -> Verdict:
        return self._task.judge.verdict_of(*self._here.chosen(vector))

    def _updated(self, round: int, weights: Vector) -> Vector:
        here = self._here
        inner = here.inner(weights)
        self._ascent.grow(len(inner), here.n_dense)
        for iteration in range(self._trainer.options.iterations):
            rng = np.random.default_rng([self._trainer.seed, round, iteration])
            with np.errstate(over="ignore", invalid="ignore"):  # a guard looks at the weights
                self._ascent.advance(here.objective, inner, here.n_dense, rng)
            if not np.isfinite(inner).all():
                break
        return here.outer(weights, inner)

    def _free(self) -> NDArray[np.bool_]:
        free = super()._free()
        if not len(self._keys):
            return free
        if not free[self._of_blocks].all():
            raise OptionError("fixed: update=gt re-estimates whole distributions, of all blocks")
        return self._of_blocks

    @property
    def _of_blocks(self) -> NDArray[np.bool_]:
        """Which weights are of the blocks whose probabilities are re-estimated."""
        is_of_blocks = np.zeros(len(self._pool.dense_names) + len(self._pool.keys()), bool)
        is_of_blocks[len(self._pool.dense_names) + self._pool.columns(self._keys)] = True
        return is_of_blocks

    @cached_property
    def _ascent(self) -> Ascent:
        columns = self._pool.columns(self._keys)
        return self._trainer.ascent(self._task, columns.astype(np.int64))

    @property
    def _here(self) -> Landscape:
        """The objective over all candidates up to now."""
        if self._landscape is None:
            store = self._pool.store
            free, n_dense = self._free(), len(self._pool.dense_names)
            if self._units is None:
                moves = bool(free[:n_dense].any())
                self._units = spread_of(store) if moves else np.ones(n_dense)
            self._landscape = Landscape(
                store,
                self._terms,
                free,
                self._pool.vector(self._task.start),
                self._units,
                self._place.threads,
                self._task.source.engine,
            )
        return self._landscape
