from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from calque.config import RoundOptions, option
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.tune.candidate_trainer import CandidateTrainer
from calque.tune.decoder_task import DecoderTask
from calque.tune.loop import Place, Training
from calque.tune.task import Task
from calque.tune.updates.gradient import GradientAdaGrad, GradientRprop, GradientSgd
from calque.tune.xbleu.ascent import Ascent, BatchSteps, FullSteps, RateSearch
from calque.tune.xbleu.blocks import block_template
from calque.tune.xbleu.devices import check_device
from calque.tune.xbleu.growth import Growth
from calque.tune.xbleu.training import XbleuTraining


@dataclass(frozen=True)
class XbleuOptions(RoundOptions):
    """Maximum expected BLEU over lists of candidates (Wuebker et al. 2015)."""

    rounds: int = option(8, "maximum number of rounds, each measured after its iterations", least=1)
    min_change: float = option(
        0.0,
        "stop when no weight changes by more than this fraction of the largest weight",
        least=0,
        was="settled",
    )
    iterations: int = option(5, "iterations over all lists per round", least=1)
    take: Literal["best", "last"] = option(
        "best",
        "which weights are the result: those of the best round on the development set"
        " (best), or of the last round (last)",
    )
    decode_every: int = option(
        0,
        "decode again with the current weights after every so many rounds, and learn from"
        " all candidates so far; 0 decodes only once",
        least=0,
    )
    update: Literal["rprop", "adagrad", "sgd", "gt"] = option(
        "rprop",
        "how weights are updated: by the signs of the gradient (rprop), at shrinking rates"
        " (adagrad), at a constant rate (sgd), or by growth transformation, which"
        " re-estimates the phrase probabilities of a model (gt)",
    )
    scale: float = option(
        1.0,
        "sharpness of the distribution over candidates, whose probabilities are"
        " proportional to exp(scale * score); with a large value only the best counts",
        least=1e-9,
    )
    l2: float = option(1e-8, "weight of the penalty on the squares of sparse weights", least=0)
    l1: float = option(
        0.0,
        "weight of the penalty on the absolute values of sparse weights, in adagrad and sgd",
        least=0,
    )
    least_sentences: int = option(
        2,
        "sparse features in which candidates differ in fewer sentences than this are not learned",
        least=1,
        most=255,
    )
    batch: int = option(
        0,
        "in adagrad and sgd, number of sentences per step, in random order; with 0 each"
        " iteration is a single step",
        least=0,
    )
    shards: int = option(
        1,
        "number of learners among which the sentences are divided (requires batch);"
        " learners may run on a cluster; after each iteration over its own sentences, every"
        " learner continues with the mean of all weights",
        least=1,
    )
    dense_rate: float = option(0.01, "learning rate of dense weights in adagrad", least=0)
    sparse_rate: float = option(0.01, "learning rate of sparse weights in adagrad", least=0)
    sgd_rate: float = option(
        0.0,
        "learning rate in sgd; 0 tries 0.1, 1, ... 10000 and takes the one that is best"
        " after five iterations",
        least=0,
    )
    dense_step: float = option(0.03, "first step of a dense weight in rprop", least=0)
    sparse_step: float = option(1e-3, "first step of a sparse weight in rprop", least=0)
    least_step: float = option(1e-9, "smallest step in rprop", least=0)
    largest_step: float = option(1.0, "largest step in rprop", least=0)
    increase: float = option(
        1.2, "in rprop, factor by which a step grows while the gradient keeps its sign", least=1
    )
    decrease: float = option(
        0.5,
        "in rprop, factor by which a step shrinks when the gradient changes its sign",
        least=0,
        most=1,
    )
    rprop_as_printed: bool = option(
        False,
        "in rprop, still remember the sign of the gradient after a step has been taken"
        " back, as printed in the paper",
        was="literal",
    )
    kl_weight: float = option(
        1e-6,
        "in gt, weight of the Kullback-Leibler divergence from the model's phrase probabilities",
        least=0,
        was="kl",
    )
    device: Literal["core", "cuda", "torch-cpu"] = option(
        "core",
        "where the objective and its gradient are computed: in the core (core), on a GPU"
        " (cuda), or by torch without a GPU (torch-cpu); the last two require calque[gpu]",
    )
    clip_bp: bool = option(
        True,
        "cap the brevity factor of sentence BLEU at 1; without the cap, as in the paper,"
        " translations may grow too long",
    )
    clip_counts: bool = option(True, "count an n-gram no more often than it occurs in a reference")
    smoothing: float = option(
        5.0,
        "strength of the smoothing of orders 3 and 4: the precision expected from lower"
        " orders counts as much as this many n-grams",
        least=0,
    )


OF_UPDATES = {
    "rprop": {
        *(
            "l2",
            "dense_step",
            "sparse_step",
            "least_step",
            "largest_step",
            "increase",
            "decrease",
            "rprop_as_printed",
        ),
    },
    "adagrad": {"l2", "l1", "batch", "shards", "dense_rate", "sparse_rate"},
    "sgd": {"l2", "l1", "batch", "shards", "sgd_rate"},
    "gt": {"kl_weight"},
}
"""Options that concern some updates only."""


class Xbleu(CandidateTrainer):
    """Maximum expected BLEU (Wuebker et al. 2015).

    The expected sentence BLEU of a candidate under the posterior of its list, which grows with the
    score, is differentiable, so millions of weights climb it together. The text is decoded once or
    every few rounds; the rounds between go on over the same lists. Dense features are taken in
    units of their spread within lists.
    """

    method = "xbleu"
    can_repeat = True
    Options = XbleuOptions
    options: XbleuOptions

    @property
    def takes_last(self) -> bool:
        """Whether the last round counts, whatever the others scored."""
        return self.options.take == "last"

    def begin(self, task: Task, place: Place) -> tuple[Training, Weights]:
        """A pool of candidates, empty as yet."""
        self.check(task, place)
        return XbleuTraining(self, task, place), task.start

    def check(self, task: Task, place: Place) -> None:
        """Raise where options do not go with each other or with the task."""
        super().check(task, place)
        chosen = self.options.update
        concerned = OF_UPDATES[chosen]
        for field in fields(self.options):
            users = [name for name, own in OF_UPDATES.items() if field.name in own]
            if not users or field.name in concerned:
                continue
            if getattr(self.options, field.name) != field.default:
                raise OptionError(
                    f"{field.name} goes with update={' or '.join(users)}, not with {chosen}"
                )
        if self.options.device != "core" and self.options.batch:
            raise OptionError(f"batch goes with device=core, not with {self.options.device}")
        if self.options.shards > 1 and not self.options.batch:
            raise OptionError("shards goes with batch: without it, sums are over all sentences")
        check_device(self.options.device)
        if self.options.decode_every and not task.source.decodes_again:
            raise OptionError("decode_every requires a model: n-best lists cannot be decoded again")

    @property
    def l2(self) -> float:
        """The penalty on squares; growth transformation has another one."""
        return 0.0 if self.options.update == "gt" else self.options.l2

    def block_keys(self, task: Task, threads: int) -> NDArray[np.uint64]:
        """Of the sparse features that stand for the blocks of the model; none but for gt."""
        if self.options.update != "gt":
            return np.empty(0, np.uint64)
        if not isinstance(task, DecoderTask):
            raise CalqueError(
                "update=gt re-estimates the phrase probabilities of a model: it needs one, not"
                " n-best lists"
            )
        model = task.model
        return model.features.block_keys(block_template(model), model.blocks, threads)

    def ascent(self, task: Task, columns: NDArray[np.int64]) -> Ascent:
        """The way uphill; `columns` are those of the blocks."""
        options = self.options
        if options.update == "gt":
            if not isinstance(task, DecoderTask):
                raise RuntimeError("growth transformation without a model")
            return Growth.of(task.model, task.start, columns, options.kl_weight)
        if options.update == "adagrad":
            rates = options.dense_rate, options.sparse_rate, options.l1
            return self._stepping(GradientAdaGrad(*rates))
        if options.update == "sgd":
            if options.sgd_rate:
                return self._sgd(options.sgd_rate)
            return RateSearch(self._sgd)
        return FullSteps(
            GradientRprop(
                options.dense_step,
                options.sparse_step,
                options.increase,
                options.decrease,
                options.least_step,
                options.largest_step,
                options.rprop_as_printed,
            )
        )

    def _sgd(self, rate: float) -> Ascent:
        return self._stepping(GradientSgd(rate, rate, self.options.l1))

    def _stepping(self, rule: GradientSgd | GradientAdaGrad) -> Ascent:
        batch = self.options.batch
        return BatchSteps(rule, batch) if batch else FullSteps(rule)
