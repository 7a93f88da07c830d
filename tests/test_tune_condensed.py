"""Sparse weights that stay in proportion: a factor per group, tuned like a dense weight."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run as Verb
from conftest import done, mistake

from calque.config import TrainOptions, fill
from calque.data import CorpusFiles, write_corpus
from calque.decode import Translator
from calque.decode.prepared import encode_pieces
from calque.errors import CalqueError, OptionError
from calque.features import SparseWeights, Weights
from calque.model import Model, activate_weights
from calque.model.build import build
from calque.text import BitextFiles, read_lines
from calque.tune import CondensedTask, DecoderTask, Maxviolation, Mert, Mira

FAMILIES = "ruleid, word, placement, hierarchical"
ONE_BY_ONE = ("ruleid", "W1", "W2", "W3", "W4", "placement", "hierarchical")


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("text")
    return write_corpus(folder, "far", {"train": 1500, "dev": 30, "test": 20}, seed=6)


@pytest.fixture(scope="module")
def folder(text: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with random weights of some features that fire, called `learned`."""
    path = tmp_path_factory.mktemp("condensed") / "model"
    options = fill(TrainOptions(), {"features": {"dense": "standard", "sparse": FAMILIES}})
    build(BitextFiles(text.train_source, text.train_target), path, options)
    task = DecoderTask(path, text.dev_source, [text.dev_references[0]], n_best=20)
    keys = np.unique(
        np.concatenate([lists.sparse.keys for lists in task.source.lists(task.start)])
    )[::2]
    values = np.random.default_rng(1).normal(0, 0.1, len(keys)).astype(np.float32)
    activate_weights(
        path, "learned", Weights(task.start, SparseWeights.from_arrays(keys, values)), {}
    )
    return path


def task_of(folder: Path, text: CorpusFiles, **options: Any) -> DecoderTask:
    return DecoderTask(
        folder, text.dev_source, [text.dev_references[0]], n_best=20, start="learned", **options
    )


@pytest.mark.parametrize(("by", "n_factors"), [("all", 1), ("families", 7), ("groups", 19)])
def test_candidates_score_as_the_decoder_says_under_any_factors(
    folder: Path, text: CorpusFiles, by: Any, n_factors: int
) -> None:
    task = CondensedTask(task_of(folder, text), by)
    names = task.source.dense_names
    assert len(names) == len(Model.load(folder).weights) + n_factors
    factors = {name: 0.3 + i for i, name in enumerate(n for n in names if n.startswith("sparse"))}
    weights = task.start.with_dense(factors)
    n_rows = 0
    for lists in task.source.lists(weights):
        assert lists.sparse.keys.size == 0
        expected = lists.dense @ weights.vector(names)
        assert lists.scores == pytest.approx(expected, abs=1e-3)
        n_rows += len(lists.scores)
    assert n_rows > 200


def test_sums_of_families_are_sums_of_single_features(folder: Path, text: CorpusFiles) -> None:
    plain = task_of(folder, text)
    task, model = CondensedTask(plain, "families"), plain.model
    for lists, condensed in zip(
        plain.source.lists(plain.start), task.source.lists(task.start), strict=True
    ):
        rows, values = lists.sparse, plain.start.sparse.lookup(lists.sparse.keys)
        for row in range(0, len(lists.scores), 7):
            entries = slice(rows.offsets[row], rows.offsets[row + 1])
            for at, name in enumerate(ONE_BY_ONE):
                members = model.in_family(name, rows.keys[entries])
                total = (rows.counts[entries] * values[entries])[members].sum()
                assert condensed.dense[row, at - len(ONE_BY_ONE)] == pytest.approx(total, abs=1e-5)


def test_keys_of_an_orientation_are_those_of_the_names_that_end_with_it(
    folder: Path, text: CorpusFiles
) -> None:
    translator = Translator(Model.load(folder, "learned"))
    features, blocks = translator.model.features, translator.model.blocks
    template = features.templates["hierarchical.forward"]
    keys = {
        way: set(of.tolist()) for way, of in features.by_orientation(template, blocks, 2).items()
    }
    ways = Counter[str]()
    for sentence, derivations in translator.ways_of_groups([read_lines(text.dev_source)], 3):
        source = encode_pieces(sentence.pieces, translator.model)
        for [derivation] in derivations:
            for key, name in translator.decoder.sparse_names(derivation, source).items():
                if name.startswith("hierarchical.forward:"):
                    assert [way for way, of_way in keys.items() if key in of_way] == [name[-1]]
                    ways[name[-1]] += 1
    assert min(ways[way] for way in "MSD") > 5
    assert features.by_orientation(features.templates["ruleid"], blocks, 2) == {}


def test_sparse_weights_come_out_in_proportion(folder: Path, text: CorpusFiles) -> None:
    plain = task_of(folder, text)
    result = Mira(rounds=2).fit(CondensedTask(plain, "families"))
    assert result.chosen > 0
    before, after = plain.start.sparse.to_arrays(), result.weights.sparse
    assert set(result.weights) == set(plain.start), "factors are multiplied out"
    factors = {}
    for name in ONE_BY_ONE:
        members = plain.model.in_family(name, before["keys"])
        ratios = after.lookup(before["keys"][members]) / before["values"][members]
        assert ratios == pytest.approx(np.full(len(ratios), ratios[0]), rel=1e-4)
        factors[name] = float(ratios[0])
    assert len({round(factor, 3) for factor in factors.values()}) > 1


def test_a_method_of_dense_features_tunes_factors(folder: Path, text: CorpusFiles) -> None:
    result = Mert(rounds=1, restarts=2).fit(CondensedTask(task_of(folder, text), "all"))
    assert result.history[0].score <= result.score


def test_a_condensed_run_goes_on_where_it_was(
    folder: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    whole = Mira(rounds=2).fit(CondensedTask(task_of(folder, text), "all"))
    run = tmp_path / "run"
    with pytest.raises(RuntimeError):
        Mira(rounds=2).fit(CondensedTask(task_of(folder, text), "all"), run=run, watch=_stop)
    again = Mira(rounds=2).fit(CondensedTask(task_of(folder, text), "all"), run=run)
    assert again.weights == whole.weights
    with pytest.raises(CalqueError):
        Mira(rounds=2).fit(CondensedTask(task_of(folder, text), "families"), run=run)


def _stop(round: int, weights: Weights) -> None:
    if round == 1:
        raise RuntimeError


def test_the_command_line_condenses(folder: Path, text: CorpusFiles, verb: Verb) -> None:
    texts = ("--source", text.dev_source, "--reference", text.dev_references[0])
    common = ("tune", "--model", folder, *texts, "--method", "mira")
    few = ("--set", "rounds=4", "--list-length", "10")
    done(verb(*common, *few, "--start", "learned", "--condense", "all", "--name", "factor"))
    model = Model.load(folder, "factor")
    assert len(model.weights.sparse) == len(Model.load(folder, "learned").weights.sparse)
    refused = mistake(verb(*common, "--start", "default", "--condense", "all"))
    assert "there are no sparse weights to condense" in refused
    refused = mistake(verb(*common, "--start", "learned", "--condense", "some"))
    assert "condense=some: expected all, families, groups" in refused


def test_methods_that_learn_sparse_weights_one_by_one_are_refused(
    folder: Path, text: CorpusFiles
) -> None:
    with pytest.raises(CalqueError, match="condensed"):
        Maxviolation(rounds=1).fit(CondensedTask(task_of(folder, text), "all"))
    with pytest.raises(OptionError, match="expected all, families, groups"):
        wrong: Any = "one"
        CondensedTask(task_of(folder, text), wrong)
