"""`calque weights`: the weights of a model shown, changed and chosen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, done, mistake

from calque.config import TrainOptions, fill
from calque.data import CorpusFiles
from calque.decode import load
from calque.decode.names import names_of_keys
from calque.features import SparseWeights, Weights
from calque.model import Model, ModelFolder, read_weights, store_weights
from calque.model.build import build
from calque.text import BitextFiles
from calque.tune import DecoderTask, Mira


@pytest.fixture(scope="module")
def built(corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with sparse features, of the block alone and of its surroundings."""
    path = tmp_path_factory.mktemp("weights") / "model"
    options = fill(TrainOptions(), {"features": {"dense": "standard", "sparse": "ruleid, P1, W1"}})
    build(BitextFiles(corpus.train_source, corpus.train_target), path, options, threads=1)
    return path


@pytest.fixture
def model(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "model"))


def stored(model: Path, name: str) -> Weights:
    return read_weights(ModelFolder(model), name)


def test_dense_weights_are_set_copied_and_activated(verb: Run, model: Path) -> None:
    default = stored(model, "default")
    call = ["weights", "--model", model]
    done(verb(*call, "set", "mine", "word_count=0.75", "language_model = 2"))
    mine = stored(model, "mine")
    assert dict(mine) == {**default, "word_count": 0.75, "language_model": 2.0}
    assert load(model).model.weights == default, "nothing is activated by itself"
    done(verb(*call, "activate", "mine"))
    assert load(model).model.weights == mine
    done(verb(*call, "set", "mine", "word_count=1"))
    assert dict(stored(model, "mine")) == {**mine, "word_count": 1.0}, "the rest stays"
    done(verb(*call, "set", "other", "--from", "default", "distance=3"))
    assert dict(stored(model, "other")) == {**default, "distance": 3.0}
    done(verb(*call, "copy", "other", "again"))
    assert stored(model, "again") == stored(model, "other")
    ModelFolder(model).verify()


def test_weights_are_averaged_pruned_and_deleted(verb: Run, model: Path) -> None:
    default = stored(model, "default")
    keys = np.arange(1, 9, dtype=np.uint64)
    first = SparseWeights.from_arrays(keys[:6], np.array([1, -2, 3, -4, 5, -6], np.float32))
    second = SparseWeights.from_arrays(keys[2:], np.array([1, 1, 1, 1, 1, 1], np.float32))
    store_weights(model, "a", Weights({**default, "word_count": 1.0}, first))
    store_weights(model, "b", Weights({**default, "word_count": 4.0}, second))
    call = ["weights", "--model", model]
    done(verb(*call, "average", "mean", "a", "b"))
    mean = stored(model, "mean")
    assert mean["word_count"] == 2.5
    expected = [0.5, -1.0, 2.0, -1.5, 3.0, -2.5, 0.5, 0.5]
    assert [mean.sparse[key] for key in range(1, 9)] == expected
    done(verb(*call, "prune", "mean", "large", "--least", "1"))
    kept = stored(model, "large").sparse.to_arrays()["keys"]
    assert kept.tolist() == [2, 3, 4, 5, 6]
    done(verb(*call, "prune", "mean", "--most", "5"))
    # By size 5, 6, 3, 4, 2: of those with equal weights the smaller key.
    assert stored(model, "mean").sparse.to_arrays()["keys"].tolist() == [2, 3, 4, 5, 6]
    done(verb(*call, "prune", "mean", "few", "--most", "2"))
    assert stored(model, "few").sparse.to_arrays()["keys"].tolist() == [5, 6]
    done(verb(*call, "delete", "a", "b"))
    names = json.loads(done(verb(*call, "--json")))["weights"]
    assert sorted(names) == ["default", "few", "large", "mean"]
    assert names["mean"]["origin"]["pruned"] == "mean"
    assert not list(model.glob("weights.a.*"))
    ModelFolder(model).verify()


def test_largest_weights_agree_with_a_sort() -> None:
    rng = np.random.default_rng(3)
    keys = rng.permutation(1000).astype(np.uint64)
    values = rng.integers(-20, 20, 1000).astype(np.float32)  # many ties
    weights = SparseWeights.from_arrays(keys, values)
    entries = zip(keys.tolist(), values.tolist(), strict=True)
    slow = sorted(entries, key=lambda entry: (-abs(entry[1]), entry[0]))
    for n in (0, 1, 37, 999, 1000, 2000):
        found = weights.largest(n)
        assert list(zip(found[0].tolist(), found[1].tolist(), strict=True)) == slow[:n]


def test_sparse_weights_are_shown_with_their_names(
    verb: Run, model: Path, corpus: CorpusFiles
) -> None:
    translator = load(model)
    task = DecoderTask(model, corpus.dev_source, corpus.dev_references, n_best=10)
    Mira(rounds=1, passes=2).fit(task).save(model, "mine")
    mine = load(model)
    assert mine.model.weights == stored(model, "mine")
    top = ["weights", "--model", model, "show", "mine", "--top", "12", "--text", corpus.dev_source]
    shown = json.loads(done(verb(*top, "--json")))
    assert shown["active"] == "mine"
    assert shown["weights"]["mine"]["origin"]["method"] == "mira"
    rows = shown["weights"]["mine"]["largest_sparse"]
    assert len(rows) == 12
    named = [row for row in rows if row["name"] is not None]
    assert len(named) >= 10
    for row in named:
        key = translator.model.features.key_of(row["name"])
        assert f"{key:016x}" == row["key"]
        assert mine.model.weights.sparse[key] == pytest.approx(row["weight"])
    told = done(verb(*top))
    assert "mine (active)" in told
    assert all(row["name"] in told for row in named)


def test_names_of_blocks_are_read_off_the_table(model: Path) -> None:
    loaded = Model.load(model)
    template = loaded.features.templates["ruleid"]
    keys = loaded.features.block_keys(template, loaded.blocks, 1)
    wanted = keys[[0, len(keys) // 2, len(keys) - 1]].tolist()
    names = names_of_keys(loaded, wanted, most_sentences=0)
    assert {loaded.features.key_of(name): name for name in names.values()} == names
    assert set(names) == set(wanted)


def test_what_is_not_found_is_shown_by_template_and_key(
    verb: Run, model: Path, tmp_path: Path
) -> None:
    key = Model.load(model).features.key_of("P1:no such ||| thing")
    sparse = SparseWeights.from_arrays(np.array([key], np.uint64), np.ones(1, np.float32))
    store_weights(model, "odd", Weights(stored(model, "default"), sparse))
    (tmp_path / "text").write_text("a\n")
    told = done(verb("weights", "--model", model, "show", "odd", "--text", tmp_path / "text"))
    assert f"P1:? #{key:016x}" in told


def test_names_are_found_in_the_training_text(model: Path) -> None:
    loaded = Model.load(model)
    assert loaded.bitext is not None
    line = " ".join(loaded.source_vocabulary.word(int(id)) for id in loaded.bitext.source[0])
    [[best, *_]] = load(model).n_best([line], 5, with_sparse=True)
    wanted = list(best.sparse)[:50]
    assert wanted
    found = names_of_keys(loaded, wanted, most_sentences=50)
    assert len(found) > 0.5 * len(wanted)
    assert all(loaded.features.key_of(name) == key for key, name in found.items())


def test_weights_go_to_a_file_and_back(verb: Run, model: Path, tmp_path: Path) -> None:
    default = stored(model, "default")
    sparse = SparseWeights.from_arrays(
        np.array([5, 2**63], np.uint64), np.array([0.1, -3], np.float32)
    )
    store_weights(model, "a", Weights(default, sparse))
    call = ["weights", "--model", model]
    done(verb(*call, "show", "a", "--output", tmp_path / "a.txt"))
    done(verb(*call, "set", "b", "--file", tmp_path / "a.txt"))
    assert stored(model, "b") == stored(model, "a")
    text = (tmp_path / "a.txt").read_text()
    (tmp_path / "a.txt").write_text(text + "ruleid:x ||| y 0.5\n")
    done(verb(*call, "set", "c", "--file", tmp_path / "a.txt", "P1:x ||| y=0.25"))
    features = Model.load(model).features
    assert stored(model, "c").sparse[features.key_of("ruleid:x ||| y")] == 0.5
    (tmp_path / "a.txt").write_text(text + "nothing:x 0.5\n")
    told = mistake(verb(*call, "set", "c", "--file", tmp_path / "a.txt"))
    assert told.startswith(f"{tmp_path / 'a.txt'}: line {len(text.splitlines()) + 1}: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["shwo"], "'shwo' is no action: did you mean 'show'?"),
        (["set", "default", "word_count=1"], "these are the untuned ones, which stay"),
        (["set", "a/b", "word_count=1"], "expected a name of letters, digits"),
        (["set", "a"], "expected set a FEATURE=VALUE.."),
        (["set", "a", "word_count"], "'word_count': expected FEATURE=VALUE"),
        (["set", "a", "word_count=much"], "the value a finite number"),
        (["set", "a", "word_cuont=1"], "did you mean 'word_count'?"),
        (["copy", "default"], "expected copy OLD NEW"),
        (["copy", "nothing", "a"], "no weights are called 'nothing'; there are: default"),
        (["activate", "nothing"], "no weights are called 'nothing'; there are: default"),
        (["average", "a", "default"], "expected average NEW NAME NAME.."),
        (["prune", "default", "a"], "expected prune NAME [NEW] with --least"),
        (["delete", "default"], "these are the untuned ones, which stay"),
        (["copy", "default", "a", "--top", "3"], "--top does not go with copy"),
    ],
)
def test_mistakes_are_one_clear_line(
    verb: Run, built: Path, words: list[str], message: str
) -> None:
    before = ModelFolder(built).manifest
    assert message in mistake(verb("weights", "--model", built, *words))
    assert ModelFolder(built).manifest == before


def test_active_weights_are_not_deleted(verb: Run, model: Path) -> None:
    call = ["weights", "--model", model]
    done(verb(*call, "set", "a", "word_count=1"))
    done(verb(*call, "activate", "a"))
    assert "are the active ones: activate others first" in mistake(verb(*call, "delete", "a"))


def test_sparse_weights_of_a_model_without_such_features_are_shown_by_key(
    verb: Run, standard: Path, tmp_path: Path
) -> None:
    model = Path(shutil.copytree(standard, tmp_path / "model"))
    sparse = SparseWeights.from_arrays(np.array([7], np.uint64), np.ones(1, np.float32))
    store_weights(model, "odd", Weights(stored(model, "default"), sparse))
    assert "#0000000000000007" in done(verb("weights", "--model", model, "show", "odd"))
