"""Weights and threshold (Cettolo & Federico 2004): to scale one is to scale the other.

`(alpha * weights, T)` prunes like `(weights, T ** (1 / alpha))`; in the log domain the threshold is
divided by alpha. Powers of two scale floating-point numbers without rounding, so that outputs and
costs must be equal to the last hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from calque.data import CorpusFiles
from calque.features import Weights
from calque.model import Model
from calque.text import read_lines
from calque.tune.evaluation import FullDecoding

POWERS = [0.25, 0.5, 2.0, 4.0]


@pytest.fixture(scope="module")
def decoding(standard: Path, corpus: CorpusFiles) -> FullDecoding:
    lines = list(read_lines(corpus.test_source))
    return FullDecoding(Model.load(standard), lines, [], [], stack_size=100, threshold=10.0)


def uniform(decoding: FullDecoding) -> Weights:
    return Weights(dict.fromkeys(decoding.model.weights, 1.0))


@pytest.mark.parametrize("alpha", POWERS)
@pytest.mark.parametrize("future_cost", [True, False])
@pytest.mark.parametrize("weigh", [uniform, lambda decoding: decoding.model.weights])
def test_scaled_weights_prune_like_a_scaled_threshold(
    decoding: FullDecoding,
    weigh: Callable[[FullDecoding], Weights],
    alpha: float,
    future_cost: bool,
) -> None:
    weights = weigh(decoding)
    options = replace(decoding.options, threshold=4.0, future_cost=future_cost)
    by_weights = decoding.translate(weights.scaled(alpha), options)
    by_threshold = decoding.translate(weights, replace(options, threshold=4.0 / alpha))
    assert by_weights == by_threshold


@pytest.mark.parametrize("alpha", POWERS)
@pytest.mark.parametrize("pop_limit", [0, 50])
def test_without_a_threshold_the_scale_means_nothing(
    decoding: FullDecoding, alpha: float, pop_limit: int
) -> None:
    options = replace(decoding.options, threshold=0.0, pop_limit=pop_limit)
    weights = decoding.model.weights
    assert decoding.translate(weights.scaled(alpha), options) == decoding.translate(
        weights, options
    )


def test_smaller_weights_mean_more_hypotheses(decoding: FullDecoding) -> None:
    options = replace(decoding.options, threshold=4.0)
    costs = [decoding.translate(uniform(decoding).scaled(alpha), options)[1] for alpha in POWERS]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > costs[-1]


def test_the_cost_does_not_depend_on_threads(standard: Path, corpus: CorpusFiles) -> None:
    model, lines = Model.load(standard), list(read_lines(corpus.test_source))
    one, two = (
        FullDecoding(model, lines, [], [], stack_size=100, threshold=10.0, threads=n)
        for n in (1, 2)
    )
    assert one.translate(uniform(one)) == two.translate(uniform(one))
