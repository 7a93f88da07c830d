"""Learning from search errors: an iteration is what its definition says, whatever interrupts it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run as Verb
from conftest import mistake
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tuning_lists import Snapshots, planted

from calque.config import ForceOptions, LeaveOneOutOptions, TrainOptions, fill
from calque.data import CorpusFiles, write_corpus
from calque.decode import CandidateLists, Decoder, GoldLattices, GoldText, TrainingText, Translator
from calque.errors import CalqueError, ModelError, OptionError
from calque.features import SparseWeights, Weights
from calque.model import Model
from calque.model.build import build
from calque.parallel import Processes
from calque.progress import SILENT, Progress
from calque.text import BitextFiles
from calque.tune import (
    DecoderTask,
    Early,
    Localupdate,
    Maxviolation,
    NBestTask,
    Standard,
)
from calque.tune.force import gold_store
from calque.tune.force.gold_store import GoldStore
from calque.tune.force.learned_weights import LearnedWeights
from calque.tune.force.trainer import MaxForceTrainer
from calque.tune.task import CandidateSource

METHODS: list[type[MaxForceTrainer]] = [Maxviolation, Early, Standard, Localupdate]
SOME: dict[str, Any] = {"rounds": 2, "n_pairs": 300, "beam": 5}
RULES = {"decode": {"distortion_rule": "jump"}}


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("text")
    return write_corpus(folder, "far", {"train": 2500, "dev": 40, "test": 30}, seed=4)


@pytest.fixture(scope="module")
def folder(text: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("force") / "model"
    features = {"dense": "standard", "sparse": "ruleid, W1, rule-bigram"}
    options = fill(TrainOptions(), {"features": features, **RULES})
    build(BitextFiles(text.train_source, text.train_target), path, options)
    return path


@pytest.fixture(scope="module")
def task(folder: Path, text: CorpusFiles) -> DecoderTask:
    return task_of(folder, text)


def task_of(model: Path | Translator, text: CorpusFiles, **options: Any) -> DecoderTask:
    return DecoderTask(model, text.dev_source, [text.dev_references[0]], **options)


def test_it_learns_from_nothing_to_translate_words_in_another_order(task: DecoderTask) -> None:
    result = Maxviolation(rounds=2, first_weights="zero", dense_rate=0.05, fixed="W1").fit(task)
    first, *others = result.history
    assert first.score < 5
    assert result.score > first.score + 6
    for done_round in others:
        assert done_round.scores is not None
        assert done_round.scores["invalid_updates"] == 0
        assert done_round.scores["updates"] > 0.1
        assert 0 < done_round.scores["references_won"] < 1
    model, keys = task.model, result.weights.sparse.to_arrays()["keys"]
    assert not model.in_family("W1", keys).any()
    assert model.in_family("rule-bigram", keys).any()
    assert result.weights["unknown"] == task.start["unknown"], "never tuned"


def test_an_iteration_is_what_its_definition_says(folder: Path, text: CorpusFiles) -> None:
    """Batch by batch: the mean of the differences, the sum of the steps, the mean over batches."""
    task = task_of(folder, text)
    options: dict[str, Any] = {"rounds": 1, "n_pairs": 300, "beam": 4, "batch": 7, "seed": 3}
    rates: dict[str, Any] = {"update": "perceptron", "dense_rate": 0.01, "sparse_rate": 0.1}
    last = Maxviolation(**options, **rates, average=False)
    mean = Maxviolation(**options, **rates)
    found = [fitted(trainer, task)[0] for trainer in (last, mean)]
    model = task.model
    training = TrainingText(model, LeaveOneOutOptions(what="one-count"))
    pairs = range(300)
    decoder, left_out = Decoder.of(model), training.left_out(pairs)
    source, references = training.source(pairs), training.references(pairs)
    lattices = GoldLattices.find(
        decoder,
        source,
        references,
        ForceOptions(**model.decode_options.rules()),
        leave_one_out=left_out,
    )
    gold = GoldText(decoder, source, references, lattices, leave_one_out=left_out)
    search = replace(model.decode_options, stack_size=4, future_cost=False)
    names, now = decoder.feature_names, task.start
    rng = np.random.default_rng([3, 0])
    rng.permutation(1)
    order = rng.permutation(len(lattices))
    steps: list[Weights] = []
    for at in range(0, len(order), 7):
        batch = order[at : at + 7]
        rows = gold.violations(batch, now, search, "maxviolation")
        dense = dict(now)
        for name, change in zip(names, rows.dense.sum(axis=0) / len(batch), strict=True):
            dense[name] += 0.01 * change if name != "unknown" else 0.0
        sparse = SparseWeights.summed(rows.sparse.keys, rows.sparse.counts * 0.1 / len(batch))
        now = Weights(dense, now.sparse.added(sparse))
        steps.append(now)
    assert len(steps) > 10
    for weights, expected in zip(found, (now, Weights.averaged(steps)), strict=True):
        assert weights.vector(names) == pytest.approx(expected.vector(names), abs=1e-6)
        keys = expected.sparse.to_arrays()["keys"]
        assert len(keys) > 300
        assert weights.sparse.lookup(keys) == pytest.approx(expected.sparse.lookup(keys), abs=1e-4)
        assert set(weights.sparse.to_arrays()["keys"].tolist()) <= set(keys.tolist())


STEPS = st.lists(
    st.dictionaries(st.integers(0, 9), st.integers(-3, 3), max_size=6), min_size=1, max_size=8
)


@settings(max_examples=60, deadline=None)
@given(STEPS, st.booleans())
def test_weights_move_and_are_averaged_as_written_down(
    steps: list[dict[int, int]], adaptive: bool
) -> None:
    """Features 0 to 2 are dense, of which 0 is fixed; the others are sparse."""
    start = Weights({"a": 1.0, "b": 2.0, "c": 3.0}, SparseWeights.summed([3], [0.5]))
    learned = LearnedWeights(Known(), start, "", (0.5, 2.0), adaptive=adaptive)
    now = {0: 1.0, 1: 2.0, 2: 3.0, 3: 0.5} | dict.fromkeys(range(4, 10), 0.0)
    squares = dict.fromkeys(now, 0.0)
    seen = []
    for step in steps:
        for feature, value in step.items():
            if value and feature != 0:
                squares[feature] += value**2
                rate = (0.5 if feature < 3 else 2.0) / (squares[feature] ** 0.5 if adaptive else 1)
                now[feature] += rate * value
        seen.append(dict(now))
        keys = [key for key in sorted(step) if key > 2 and step[key]]
        dense = np.array([float(step.get(i, 0)) for i in range(3)])
        if len(seen) == 3:  # whoever continues from the state goes on the same
            other = LearnedWeights(Known(), Weights(start), "", (0.5, 2.0), adaptive=adaptive)
            other.restore(learned.state())
            learned = other
        values = np.array([float(step[key]) for key in keys])
        learned.move(dense, np.array(keys, np.uint64), values)
    every = np.arange(3, 10).astype(np.uint64)
    mean = {i: sum(after[i] for after in seen) / len(seen) for i in now}
    for weights, expected in (
        (learned.current, now),
        (learned.kept(False), now),
        (learned.kept(True), mean),
    ):
        assert list(weights.values()) == pytest.approx([expected[i] for i in range(3)])
        assert weights.sparse.lookup(every) == pytest.approx(
            [expected[i] for i in range(3, 10)], abs=1e-5
        )


def test_mixed_weights_are_the_mean_over_the_learners_that_moved_them() -> None:
    """So is their mean over time, as if who takes fewer steps had waited."""

    def learner() -> LearnedWeights:
        start = Weights({"a": 1.0, "b": 2.0, "c": 3.0}, SparseWeights.summed([3], [0.5]))
        learned = LearnedWeights(Known(), start, "", (0.5, 2.0), adaptive=False)
        learned.move(np.array([0.0, 1.0, 0.0]), np.array([3], np.uint64), np.ones(1))
        return learned

    steps = [  # of two learners: dense directions, and sparse ones by key
        [([0.0, 2.0, 0.0], {3: 1.0, 4: 1.0}), ([0.0, 0.0, 0.0], {5: 3.0})],
        [([0.0, 4.0, 2.0], {4: 5.0})],
    ]
    learned, ends, histories = learner(), [], []
    for own in steps:
        one, seen = learner(), []
        for dense, sparse in own:
            keys = np.array(list(sparse), np.uint64)
            one.move(np.array(dense), keys, np.array(list(sparse.values())))
            seen.append(values_of(one.kept(False)))
        ends.append(one.state())
        histories.append([*seen, *[seen[-1]] * (2 - len(seen))])
    before = values_of(learned.kept(False))
    learned.mix(ends)
    moved = np.array([[a[-1][i] != before[i] for i in range(6)] for a in histories])
    shares = moved / np.maximum(moved.sum(0), 1)
    late = np.array([history[-1] for history in histories]) - before
    means = np.array([np.mean(history, axis=0) for history in histories]) - before
    assert values_of(learned.kept(False)) == pytest.approx(before + (shares * late).sum(0))
    expected = (before + 2 * (before + (shares * means).sum(0))) / 3
    assert values_of(learned.kept(True)) == pytest.approx(expected, abs=1e-6)
    assert learned.n_steps == 3
    assert values_of(learned.current) == pytest.approx(values_of(learned.kept(False)))


def values_of(weights: Weights) -> NDArray[np.float64]:
    """Those of three dense features and of the keys 3 to 5."""
    keys = np.arange(3, 6).astype(np.uint64)
    return np.array([*weights.values(), *weights.sparse.lookup(keys).tolist()])


def test_learners_of_parts_learn_the_same_wherever_they_are(
    folder: Path, text: CorpusFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here one after the other or in processes; but not what one learner learns alone."""
    monkeypatch.setattr(gold_store, "PAIRS", 50)
    trainer = Maxviolation(**SOME, shards=3)

    def learned(trainer: MaxForceTrainer, **where: Any) -> tuple[Weights, list[Any]]:
        return fitted(trainer, task_of(folder, text, **where))

    here = learned(trainer, threads=2)
    with Processes(2) as engine:
        assert learned(trainer, engine=engine) == here
    assert learned(Maxviolation(**SOME), threads=2) != here


class Known(CandidateSource):
    """As much of a source of candidates as weights need."""

    dense_names = ("a", "b", "c")
    fixed = ("a",)

    @property
    def start(self) -> Weights:
        raise NotImplementedError

    @property
    def inputs(self) -> dict[str, Any]:
        raise NotImplementedError

    def lists(
        self, weights: Weights, progress: Progress = SILENT, *, skip: int = 0
    ) -> Iterator[CandidateLists]:
        raise NotImplementedError


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.method)
def test_a_killed_run_goes_on_and_ends_the_same(
    method: type[MaxForceTrainer],
    task: DecoderTask,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gold_store, "PAIRS", 150)
    trainer = method(**SOME)
    with pytest.MonkeyPatch.context() as patch:
        snapshots = Snapshots(patch, tmp_path).folders
        whole = fitted(trainer, task, run=tmp_path / "whole", threads=1)
    assert whole[0] != task.start
    assert len(whole[1]) == 3
    for cut in snapshots[1:3]:  # before anything was learned, and after one iteration
        assert fitted(trainer, task, run=cut, threads=4) == whole
    assert len(list((tmp_path / "whole" / "pool").glob("gold-*.npz"))) == 2


def fitted(trainer: MaxForceTrainer, task: DecoderTask, **how: Any) -> tuple[Weights, list[Any]]:
    """The weights of the last round, whether or not it was the best, and all that was measured."""
    seen: dict[int, Weights] = {}
    result = trainer.fit(task, **how, watch=seen.__setitem__)
    return seen[max(seen)], [(done.score, done.scores) for done in result.history]


def test_neither_threads_nor_memory_change_anything(
    task: DecoderTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gold_store, "PAIRS", 150)
    trainer = Maxviolation(**SOME)
    plenty = fitted(trainer, task, threads=1)
    monkeypatch.setattr(gold_store, "MEGABYTE", 1)
    assert fitted(trainer, task, threads=4, memory_mb=1) == plenty


def test_lattices_that_are_there_are_not_found_again(
    task: DecoderTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gold_store, "PAIRS", 100)

    def store() -> GoldStore:
        return GoldStore(
            task.model,
            ForceOptions(**task.model.decode_options.rules()),
            prefixes="longest",
            leave_one_out=None,
            n_pairs=250,
            memory_mb=10,
            folder=tmp_path,
        )

    first = store()
    (tmp_path / "gold-000001.npz").unlink()
    n_found = []
    find = GoldLattices.find.__func__  # type: ignore[attr-defined]  # of a class method

    def counted(cls: Any, *arguments: Any, **options: Any) -> GoldLattices:
        n_found.append(len(arguments[1].sentences))
        lattices: GoldLattices = find(cls, *arguments, **options)
        return lattices

    monkeypatch.setattr(GoldLattices, "find", classmethod(counted))
    again = store()
    assert n_found == [100]
    for name in ("n_pairs", "n_lattices", "n_whole", "n_states", "n_words", "n_words_in_reach"):
        assert getattr(first, name) == getattr(again, name), name
    assert first.n_pairs == 250
    assert 0 < first.n_whole < first.n_lattices <= 250
    assert 0 < first.n_words_in_reach < first.n_words
    everything = [first[at].lattices for at in range(len(first))]
    assert first.n_states == sum(lattices.n_states for lattices in everything)


def test_what_is_fixed_stays(task: DecoderTask) -> None:
    after, _ = fitted(Maxviolation(**SOME, fixed="dense"), task)
    assert dict(after) == dict(task.start)
    assert len(after.sparse) > 100
    after, _ = fitted(Maxviolation(**SOME, fixed="sparse, language_model"), task)
    assert len(after.sparse) == 0
    assert after["language_model"] == task.start["language_model"]
    assert after["word_count"] != task.start["word_count"]


def test_what_is_to_come_counts_where_it_is_asked_for(task: DecoderTask) -> None:
    learned = [
        fitted(Maxviolation(**{**SOME, "rounds": 1}, future_cost=where), task)[0]
        for where in ("none", "ranking", "margin")
    ]
    assert learned[0] != learned[1] != learned[2]


def test_language_models_that_have_not_seen_a_pair_win_fewer_references(
    task: DecoderTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gold_store, "PAIRS", 100)
    still = {**SOME, "rounds": 1, "dense_rate": 0.0, "sparse_rate": 0.0}
    won = []
    for lm_folds in (0, 3):
        _, measured = fitted(Maxviolation(**still, lm_folds=lm_folds), task)
        won.append(measured[-1][1]["references_won"])
    assert won[1] < 0.9 * won[0]


def test_prefix_pairs_and_own_blocks_make_a_difference(task: DecoderTask) -> None:
    n_lattices = {}
    for options in (
        {},
        {"prefixes": "none"},
        {"prefixes": "all"},
        {"leave_one_out": "none"},
        {"min_prefix": 9},
    ):
        result = Maxviolation(**{**SOME, "rounds": 1}, **options).fit(task)
        n_lattices[str(options)] = result.history[0].n_candidates
    usual, none, every, remembered, longer = n_lattices.values()
    assert none < longer < usual < every
    assert remembered > usual


def test_what_cannot_be_learned_from_is_one_clear_line(
    folder: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    nbest, references = planted(tmp_path, 1, [1.0, 0.5])
    with pytest.raises(CalqueError, match="early learns from the sentence pairs of a model"):
        Early().fit(NBestTask(nbest, [references]))
    unseen = LeaveOneOutOptions()
    lines = {}
    for name, path in (("source", text.train_source), ("reference", text.train_target)):
        lines[name] = tmp_path / name
        lines[name].write_text("".join(path.read_text().splitlines(keepends=True)[:20]))
    with pytest.raises(CalqueError, match="leaves each of them out as its option leave_one_out"):
        Maxviolation().fit(
            DecoderTask(folder, lines["source"], [lines["reference"]], leave_one_out=unseen)
        )
    model = Model.load(folder)
    with pytest.raises(ModelError, match="train it with a larger keep_bitext_mb"):
        Maxviolation().fit(task_of(Translator(replace(model, bitext=None)), text))
    normalised = replace(model.decode_options, normaliser="alternatives")
    with pytest.raises(OptionError, match=r"expected decode\.normaliser=none"):
        Maxviolation().fit(task_of(Translator(model, normalised), text))
    with pytest.raises(OptionError, match="every feature is fixed"):
        Maxviolation(fixed="dense, sparse").fit(task_of(folder, text))
    with pytest.raises(OptionError, match="fixed=nothing"):
        Maxviolation(fixed="nothing").fit(task_of(folder, text))
    with pytest.raises(CalqueError, match="there is nothing to learn from"):
        Maxviolation(max_words=1, n_pairs=50).fit(task_of(folder, text))


def test_weights_that_run_away_end_the_training(task: DecoderTask) -> None:
    result = Maxviolation(**SOME, update="perceptron", dense_rate=1e308).fit(task)
    assert result.history[-1].guard == "weights are no finite numbers: expected smaller rates"
    assert result.weights == task.start


def test_the_command_line_learns_from_search_errors(
    verb: Verb, folder: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    model = Path(shutil.copytree(folder, tmp_path / "model"))
    files = ("--model", model, "--source", text.dev_source, "--reference", text.dev_references[0])
    options = ("--set", "rounds=1", "--set", "n_pairs=200")
    result = verb("tune", *files, "--method", "maxviolation", *options)
    assert "chosen: round" in result.stdout, result.stderr
    assert "unknown key 'beem'; did you mean 'beam'" in mistake(
        verb("tune", *files, "--method", "maxviolation", "--set", "beem=3")
    )


def test_what_is_set_aside_comes_out_as_it_went_in(task: DecoderTask) -> None:
    """Dense weights and those of a family are learned with the others, and given back."""
    options: dict[str, Any] = {**SOME, "rounds": 1, "dense_rate": 0.02, "sparse_rate": 0.01}
    learned = fitted(Maxviolation(**options), task)[0]
    result = fitted(Maxviolation(**options, reset_at_end="dense, W1"), task)[0]
    assert dict(result) == dict(task.start)
    assert any(learned[name] != task.start[name] for name in learned)
    keys, values = learned.sparse.to_arrays().values()
    stays = ~task.model.in_family("W1", keys)
    assert 0 < stays.sum() < len(keys)
    assert result.sparse == SparseWeights.from_arrays(keys[stays], values[stays])


def test_weights_set_aside_return_to_those_of_the_start(folder: Path, text: CorpusFiles) -> None:
    model = Translator(Model.load(folder)).model
    key = np.array([model.features.key_of("W1:a ||| b")], np.uint64)
    first = SparseWeights.from_arrays(key, np.array([0.25], np.float32))
    changed = Translator(replace(model, weights=Weights(model.weights, first)))
    options: dict[str, Any] = {**SOME, "rounds": 1, "sparse_rate": 0.01}
    result = fitted(Maxviolation(**options, reset_at_end="W1"), task_of(changed, text))[0]
    keys = result.sparse.to_arrays()["keys"]
    assert keys[model.in_family("W1", keys)].tolist() == key.tolist()
    assert result.sparse[int(key[0])] == 0.25


def test_the_best_factor_on_the_development_set_is_taken(task: DecoderTask) -> None:
    options: dict[str, Any] = {**SOME, "rounds": 1, "sparse_rate": 0.01, "reset_at_end": "dense"}
    plain = fitted(Maxviolation(**options), task)[0]
    worth = {
        factor: task.judge.verdict(
            task.translate(Weights(plain, plain.sparse.scaled(factor)))
        ).score
        for factor in (0.5, 2.0, 8.0)
    }
    assert len(set(worth.values())) > 1
    best = max(worth, key=lambda factor: worth[factor])
    chosen = fitted(Maxviolation(**options, sparse_factors="0.5,2,8"), task)[0]
    assert chosen.sparse == plain.sparse.scaled(best)


def test_dense_weights_keep_their_size_where_asked(task: DecoderTask) -> None:
    options: dict[str, Any] = {**SOME, "rounds": 1, "dense_rate": 0.02, "average": False}

    def size(weights: Weights) -> float:
        return sum(abs(value) for name, value in weights.items() if name != "unknown")

    free, kept = (
        fitted(Maxviolation(**options, keep_dense_size=keep), task)[0] for keep in (False, True)
    )
    assert abs(size(free) - size(task.start)) > 0.01
    assert size(kept) == pytest.approx(size(task.start))
    assert any(kept[name] != pytest.approx(task.start[name], rel=0.01) for name in kept)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"reset_at_end": "nothing"}, "reset_at_end=nothing: no such feature or family"),
        ({"sparse_factors": "1,x"}, "sparse_factors=1,x: expected numbers above 0"),
        ({"sparse_factors": "0"}, "sparse_factors=0: expected numbers above 0"),
        ({"sparse_factors": ""}, "sparse_factors=: expected numbers above 0"),
    ],
)
def test_a_wrong_outcome_is_refused(task: DecoderTask, options: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Maxviolation(**SOME, **options).fit(task)
