"""The exact method of relevant sets: its minimum by another solver, its bounds."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from calque.config import FeatureOptions, OracleOptions
from calque.data import CorpusFiles
from calque.decode import Translator
from calque.decode.oracle_text import oracle_lists
from calque.errors import CalqueError, OptionError
from calque.metrics.avg_bleu import AvgBleu
from calque.model import Model
from calque.text import read_lines
from calque.tune import DecoderTask
from calque.tune.relevant.enumerated import EnumeratedSentence, enumerate_task
from calque.tune.relevant.exact import ExactTraining, train_exactly

TINY = 1e-7
Sentences = list[EnumeratedSentence]
Sets = list[list[int]] | None


def random_problem(
    seed: int, n_sentences: int, n_candidates: int, n_features: int, n_truths: int
) -> Sentences:
    rng = np.random.default_rng(seed)
    sentences = []
    for _ in range(n_sentences):
        n = int(rng.integers(1, n_candidates + 1))
        features = rng.normal(size=(n, n_features)) * rng.choice([0.3, 1.0, 4.0])
        if seed % 3 == 0:
            features = np.round(features)  # counts: ties, and equal candidates
        gains = np.round(rng.uniform(size=n), 1 + seed % 3)
        sentences.append(EnumeratedSentence.of_best(features, gains, n_truths))
    return sentences


def objective(
    sentences: Sentences, weights: NDArray[np.float64], regularisation: float, among: Sets = None
) -> float:
    """Q, written down from its definition; `among` are the alternatives of each sentence."""
    total = 0.0
    for i, sentence in enumerate(sentences):
        every = [z for z in range(len(sentence.gains)) if z not in sentence.truths]
        others = every if among is None else among[i]
        for truth in sentence.truths:
            losses = [
                (sentence.gains[truth] - sentence.gains[z])
                * max(0.0, 1 - weights @ (sentence.features[truth] - sentence.features[z])) ** 2
                for z in others
            ]
            total += max(losses, default=0.0) / len(sentence.truths)
    return total / len(sentences) + regularisation * float(weights @ weights)


def other_minimum(sentences: Sentences, regularisation: float) -> float:
    """The minimum by sequential quadratic programming over weights and losses of truths."""
    pairs = [
        (i, truth, z)
        for i, sentence in enumerate(sentences)
        for truth in sentence.truths.tolist()
        for z in sentence.alternatives.tolist()
    ]
    truths = sorted({(i, truth) for i, truth, _ in pairs})
    n = sentences[0].features.shape[1]
    shares = np.array([1 / (len(sentences) * len(sentences[i].truths)) for i, _ in truths])
    places = np.array([truths.index((i, truth)) for i, truth, _ in pairs], int)
    steps = np.array([sentences[i].features[a] - sentences[i].features[b] for i, a, b in pairs])
    roots = np.array(
        [math.sqrt(sentences[i].gains[a] - sentences[i].gains[b]) for i, a, b in pairs]
    )
    jacobian = np.zeros((len(pairs), n + len(truths)))
    jacobian[:, :n] = roots[:, None] * steps
    jacobian[np.arange(len(pairs)), n + places] = 1.0
    slopes = np.concatenate([np.full(n, regularisation), shares])
    found = minimize(
        lambda v: float(slopes @ v**2),
        np.concatenate([np.zeros(n), np.ones(len(truths))]),
        jac=lambda v: 2 * slopes * v,
        constraints={
            "type": "ineq",
            "fun": lambda v: jacobian @ v - roots,
            "jac": lambda v: jacobian,
        },
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 2000},
    )
    return objective(sentences, found.x[:n], regularisation)


def check_bounds(training: ExactTraining, sentences: Sentences) -> None:
    """Lemmas 2 and 3 and theorem 1 of the appendix, round by round."""
    strength = training.regularisation
    for before, after in zip(training.rounds, training.rounds[1:], strict=False):
        assert -TINY <= after.gap <= before.gap + TINY
        assert after.objective <= training.minimum + TINY
        assert after.full_objective >= training.minimum - TINY
        curved = 0.0  # where nothing can be learned, one round does it
        if after.steepest > 0:
            curved = before.gap - 0.25 * strength * (before.gap / after.steepest) ** 2
        assert after.gap <= max(0.5 * before.gap, curved) + TINY
        assert after.n_relevant > before.n_relevant
    for done in training.rounds:
        assert done.gap <= training.bound(done.number) + TINY
        assert done.distance <= math.sqrt(max(0.0, done.gap) / strength) + 1e-4
        assert done.distance <= training.distance_bound(done.number) + 1e-4
        whole = objective(sentences, done.weights, strength)
        assert done.full_objective == pytest.approx(whole, abs=1e-10)
    assert training.rounds[-1].gap == pytest.approx(0, abs=TINY)


problems = st.builds(
    random_problem,
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.integers(1, 9),
    st.integers(1, 4),
    st.integers(1, 3),
)
strengths = st.sampled_from([0.003, 0.05, 0.4, 3.0])


@settings(max_examples=150)
@given(problems, strengths)
def test_the_gap_falls_as_the_appendix_says(sentences: Sentences, strength: float) -> None:
    check_bounds(train_exactly(sentences, strength), sentences)


@settings(max_examples=60)
@given(problems, strengths)
def test_the_minimum_is_that_of_another_solver(sentences: Sentences, strength: float) -> None:
    training = train_exactly(sentences, strength)
    if all(len(sentence.alternatives) == 0 for sentence in sentences):
        assert training.minimum == 0
        return
    assert training.minimum == pytest.approx(other_minimum(sentences, strength), abs=1e-5)
    rng = np.random.default_rng(1)
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(20):
            near = training.weights + size * rng.normal(size=len(training.weights))
            assert objective(sentences, near, strength) >= training.minimum - 1e-12


def test_each_round_adds_what_the_weights_before_lose_most_on() -> None:
    sentences = random_problem(4, 3, 12, 2, 2)
    training = train_exactly(sentences, 0.1)
    sets: list[list[int]] = [[] for _ in sentences]
    for before, after in zip(training.rounds, training.rounds[1:], strict=False):
        for sentence, some in zip(sentences, sets, strict=True):
            for truth in sentence.truths:
                losses = {
                    int(z): (sentence.gains[truth] - sentence.gains[z])
                    * max(
                        0.0, 1 - before.weights @ (sentence.features[truth] - sentence.features[z])
                    )
                    ** 2
                    for z in sentence.alternatives
                }
                worst = max(losses, key=lambda z: losses[z])
                some += [worst] if worst not in some else []
        assert after.n_relevant == sum(map(len, sets))
        value = objective(sentences, after.weights, 0.1, sets)
        assert after.objective == pytest.approx(value, abs=1e-10)
        rng = np.random.default_rng(2)
        for _ in range(50):
            near = after.weights + 0.01 * rng.normal(size=2)
            assert objective(sentences, near, 0.1, sets) >= value - 1e-12
    assert len(training.rounds) > 3


def test_more_candidates_need_few_more_rounds() -> None:
    """The bound knows nothing of their number: neither do the rounds, hardly."""
    rounds, shares = [], []
    for n in (20, 200, 2000):
        rng = np.random.default_rng(7)
        features, gains = rng.normal(size=(n, 3)) / 3, rng.uniform(size=n)
        training = train_exactly([EnumeratedSentence.of_best(features, gains, 5)], 0.05)
        rounds.append(len(training.rounds))
        shares.append(training.rounds[-1].n_relevant / n)
    assert rounds[2] <= rounds[0] + 10
    assert shares[2] < 0.02


@pytest.fixture(scope="module")
def task(
    trained: Path, corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory
) -> DecoderTask:
    """Some short sentences with two references each, and a model with sparse features."""
    model = Model.load(trained)
    model = replace(
        model,
        feature_options=FeatureOptions(dense="standard", sparse="P1, W4"),
        decode_options=replace(model.decode_options, reordering="swap", options_per_span=3),
    )
    model = replace(model, weights=model.features.default_weights())
    folder = tmp_path_factory.mktemp("short")
    texts = [list(read_lines(p)) for p in (corpus.test_source, *corpus.test_references[:2])]
    for name, lines in zip(("source", "one", "two"), texts, strict=True):
        cut = [" ".join(line.split()[:4]) for line in lines[:4]]
        (folder / name).write_text("".join(line + "\n" for line in cut))
    metric = AvgBleu(tokenize="none", smooth=True, bp=False)
    return DecoderTask(
        Translator(model), folder / "source", [folder / "one", folder / "two"], metric
    )


def test_all_derivations_of_a_decoder_make_a_problem_that_obeys_the_bounds(
    task: DecoderTask,
) -> None:
    sentences = enumerate_task(task, n_truths=2)
    assert sum(len(sentence.gains) for sentence in sentences) > 200
    scale = np.std(np.concatenate([sentence.features for sentence in sentences]), axis=0)
    units = [
        replace(sentence, features=sentence.features / np.maximum(scale, 1e-9))
        for sentence in sentences
    ]
    for strength in (0.02, 1.0):
        training = train_exactly(units, strength)
        check_bounds(training, units)
        assert len(training.rounds) > 2
    learned = [int(np.argmax(sentence.features @ training.weights)) for sentence in units]
    reached = np.mean([sentence.gains[best] for sentence, best in zip(units, learned, strict=True)])
    assert reached > np.mean([sentence.gains.mean() for sentence in units]) + 0.1


def test_the_best_of_all_derivations_are_the_exact_oracles(task: DecoderTask) -> None:
    source = task.source
    every = replace(source.translator.options, options_per_span=0, reordering="mon", max_targets=3)
    translator = Translator(source.translator.model, every)
    metric = AvgBleu(tokenize="none", smooth=True, bp=False)
    files = [Path(described["file"]) for described in (source.inputs["source"], *task.judge.files)]
    unlimited = DecoderTask(translator, files[0], files[1:], metric)
    options = OracleOptions(reordering="mon", max_targets=3, stack_size=0)
    lines = list(read_lines(files[0]))
    [oracles] = oracle_lists(translator, lines, task.judge.reference_lines, options, n_best=3)
    first = 0
    for sentence, n in zip(enumerate_task(unlimited, n_truths=3), oracles.lengths, strict=True):
        best = np.sort(sentence.gains[sentence.truths])[::-1]
        assert best == pytest.approx(oracles.scores[first : first + n], abs=1e-5)
        rows = {tuple(row) for row in sentence.features.round(9)}
        assert len(rows) > 0.5 * len(sentence.gains)
        first += n


def test_the_example_of_the_documentation_prints_what_stands_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[1] / "docs" / "relevant-sets.md").read_text()
    found = re.search(r"```python\n(.*?)```\n\nprints\n\n```\n(.*?)```", page, re.S)
    assert found
    code, shown = found.groups()
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/relevant-sets.md", "exec"), {"__name__": "example"})
    printed = capsys.readouterr().out
    for ours, theirs in zip(printed.splitlines(), shown.splitlines(), strict=True):
        for word, expected in zip(ours.split(), theirs.split(), strict=True):
            if "." in expected:
                assert float(word) == pytest.approx(float(expected), rel=1e-3, abs=1e-5)
            else:
                assert word == expected


def test_what_cannot_be_solved_is_refused(task: DecoderTask) -> None:
    features, gains = np.eye(3), np.array([0.1, 0.9, 0.5])
    with pytest.raises(CalqueError, match="worth more than a truth"):
        EnumeratedSentence(features, gains, np.array([2]))
    with pytest.raises(CalqueError, match="without a truth"):
        EnumeratedSentence(features, gains, np.array([], np.int64))
    with pytest.raises(OptionError, match="n_truths=0"):
        EnumeratedSentence.of_best(features, gains, 0)
    one = EnumeratedSentence.of_best(features, gains, 1)
    with pytest.raises(OptionError, match="more than 0"):
        train_exactly([one], 0.0)
    with pytest.raises(CalqueError, match="no sentences"):
        train_exactly([], 1.0)
    with pytest.raises(CalqueError, match="more than 5 derivations"):
        enumerate_task(task, most=5)
