"""Growth transformation: phrase distributions stay distributions, and the objective never falls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from test_tune_xbleu import expected

from calque.config import TrainOptions, fill
from calque.data import CorpusFiles, write_corpus
from calque.decode import Translator
from calque.errors import CalqueError
from calque.features import Weights
from calque.model import Model
from calque.model.build import build
from calque.text import BitextFiles
from calque.tune import DecoderTask, Xbleu
from calque.tune.problem import Vector
from calque.tune.xbleu.growth import Conditional, Growth


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("text")
    return write_corpus(folder, "near", {"train": 500, "dev": 40, "test": 1}, seed=4)


@pytest.fixture(scope="module")
def model(text: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Model:
    path = tmp_path_factory.mktemp("growth") / "model"
    options = fill(TrainOptions(), {"features": {"dense": "standard", "sparse": "phrase-pair"}})
    build(BitextFiles(text.train_source, text.train_target), path, options)
    return Model.load(path)


def decoding(model: Model, text: CorpusFiles) -> DecoderTask:
    return DecoderTask(Translator(model), text.dev_source, text.dev_references, n_best=20)


def test_keys_of_all_blocks_are_those_of_their_names(model: Model) -> None:
    [template] = model.features.templates.values()
    keys = model.features.block_keys(template, model.blocks, 2)
    source, target = list(model.source_vocabulary), list(model.target_vocabulary)
    for at in range(0, model.blocks.n_sources, 97):
        for block in model.blocks.blocks(at):
            sides = (
                " ".join(source[word] for word in model.blocks.source(at)),
                " ".join(target[word] for word in model.blocks.target(block)),
            )
            assert keys[block] == model.features.key_of(f"phrase-pair:{' ||| '.join(sides)}")


def slow_step(
    group: NDArray[np.int64], probs: Vector, first: Vector, gamma: Vector, kl: float, damping: float
) -> Vector:
    """Section 5.5 of the digest, group by group."""
    moved = probs.copy()
    for member in set(group.tolist()):
        at = np.flatnonzero(group == member)
        needed = max(-(gamma[i] + kl * first[i]) / probs[i] for i in at)
        d = 2 * damping * max(np.abs(gamma[at]).sum(), needed, 1e-2)
        for i in at:
            moved[i] = (gamma[i] + kl * first[i] + d * probs[i]) / (gamma[at].sum() + kl + d)
    return moved


@given(
    seed=st.integers(0, 10**6),
    kl=st.sampled_from([0.0, 0.1, 10.0]),
    size=st.sampled_from([1e-4, 1.0, 100.0]),
    damping=st.sampled_from([1.0, 4.0]),
)
@settings(max_examples=100, deadline=None)
def test_a_step_keeps_distributions_and_is_that_of_the_formula(
    seed: int, kl: float, size: float, damping: float
) -> None:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 4, 12)
    group[:4] = np.arange(4)
    conditional = Conditional.of(group, np.log(rng.random(12) + 0.01), 0.7)
    assert conditional.sums(conditional.first) == pytest.approx(np.ones(4))
    slopes, probs = size * rng.normal(size=12), conditional.first
    for _ in range(3):
        moved = conditional.moved(probs, slopes, kl, damping)
        assert (moved > 0).all()
        assert conditional.sums(moved) == pytest.approx(np.ones(4))
        assert moved == pytest.approx(
            slow_step(group, probs, conditional.first, 0.7 * slopes, kl, damping)
        )
        probs = moved
    assert conditional.divergence(conditional.first) == 0
    assert conditional.divergence(probs) >= 0


@pytest.mark.parametrize("kl", [0.0, 1e-3])
def test_the_objective_never_falls(
    kl: float, model: Model, text: CorpusFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    way: list[float] = []
    advance = Growth.advance

    def watched(self: Growth, objective: Any, weights: Vector, n_dense: int, rng: Any) -> None:
        for _ in range(2):  # before and after
            way.append(objective.value(weights).objective - self._divergence(self.probs))
            if len(way) % 2:
                advance(self, objective, weights, n_dense, rng)
        for conditional, probs in zip(self.conditionals, self.probs, strict=True):
            sums = conditional.sums(probs)
            assert sums == pytest.approx(np.ones(len(sums)))

    monkeypatch.setattr(Growth, "advance", watched)
    result = Xbleu(update="gt", rounds=2, iterations=4, kl_weight=kl).fit(decoding(model, text))
    assert len(way) == 16
    assert all(after >= before for before, after in zip(way[::2], way[1::2], strict=True))
    assert way[-1] > way[0]
    gained = expected(result)
    assert gained[-1] > gained[0]


def test_weights_of_blocks_are_rewritten_columns_of_the_table(
    model: Model, text: CorpusFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model with the new probabilities in its table gives the same translations and scores."""
    task, seen = decoding(model, text), list[Weights]()
    grown: list[Growth] = []
    monkeypatch.setattr(Growth, "grow", lambda self, *sizes: grown.append(self))
    trainer = Xbleu(update="gt", rounds=2, iterations=5)
    trainer.fit(task, watch=lambda round, weights: seen.append(weights))
    blocks = model.blocks
    scores = blocks.scores.copy()
    for conditional, probs, column in zip(
        grown[-1].conditionals, grown[-1].probs, (2, 0), strict=True
    ):
        scores[:, column] += np.log(probs / conditional.first)
    n_moved = np.count_nonzero(scores[:, 2] != blocks.scores[:, 2])
    assert n_moved > 100, "siblings of active blocks, too"
    rewritten = replace(model, blocks=replace(blocks, scores=scores), weights=task.start)
    learned = replace(model, weights=seen[-1])
    lines = text.dev_source.read_text().splitlines()
    for mine, other in zip(
        Translator(learned).translate_all(lines),
        Translator(rewritten).translate_all(lines),
        strict=True,
    ):
        assert mine.text == other.text
        assert mine.score == pytest.approx(other.score, abs=1e-3)


def test_what_growth_needs_is_asked_for(model: Model, text: CorpusFiles, tmp_path: Path) -> None:
    without = replace(
        model,
        weights=Weights({n: 0.0 if "given" in n else w for n, w in model.weights.items()}),
    )
    with pytest.raises(CalqueError, match="expected a model in which one of them has a weight"):
        Xbleu(update="gt", rounds=1).fit(decoding(without, text))
    build(BitextFiles(text.train_source, text.train_target), tmp_path / "plain")
    with pytest.raises(CalqueError, match="needs a sparse feature of every block"):
        Xbleu(update="gt").fit(decoding(Model.load(tmp_path / "plain"), text))
    with pytest.raises(CalqueError, match="gt re-estimates whole distributions"):
        Xbleu(update="gt", fixed="sparse").fit(decoding(model, text))
