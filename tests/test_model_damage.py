"""Damaged and hostile model folders: one clear line, never a crash, a hang or a wrong answer."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run, mistake
from numpy.typing import NDArray

from calque.config import FeatureOptions, TrainOptions
from calque.data import CorpusFiles
from calque.decode import Translator
from calque.errors import CalqueError, ModelError
from calque.model import Model, ModelFolder, ModelWriter
from calque.model.build import build
from calque.model.manifest import FILE_NAME, Manifest
from calque.text import BitextFiles

Change = Callable[[NDArray[Any]], NDArray[Any]]
FAMILY = """
from calque.features import Template
family = [Template("mine", ("source.last", "target.last")), Template("other", ("block",))]
"""


@pytest.fixture(scope="module")
def rich(corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with every kind of array."""
    path = tmp_path_factory.mktemp("rich") / "model"
    dense = "local-model + relevant-set-7 + class_language_model + fertility + jump_probability"
    options = TrainOptions(features=FeatureOptions(dense=dense, sparse="all, block-bigram"))
    build(BitextFiles(corpus.train_source, corpus.train_target), path, options, threads=1)
    return path


@pytest.fixture
def copy(rich: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(rich, tmp_path / "model"))


def rewrite(model: Path, name: str, change: Change) -> None:
    """Put another array into a model, with the right checksums: what an attacker would do."""
    array = np.array(ModelFolder(model).array(name))
    with ModelWriter(model, update=True) as writer:
        writer.array(name, change(array))
        writer.commit({})


def put(at: int, value: float) -> Change:
    def change(array: NDArray[Any]) -> NDArray[Any]:
        array.reshape(-1)[at] = value
        return array

    return change


def in_field(field: str, value: float) -> Change:
    def change(array: NDArray[Any]) -> NDArray[Any]:
        array[field][len(array) // 2] = value
        return array

    return change


def swapped(array: NDArray[Any]) -> NDArray[Any]:
    array[1:-1] = array[1:-1][::-1].copy()
    return array


def filled(array: NDArray[Any]) -> NDArray[Any]:
    rows = array.reshape(-1, 2)
    rows[rows[:, 0] < 0] = 0
    return rows.reshape(array.shape)


def without_free_slots(array: NDArray[Any]) -> NDArray[Any]:
    array["key"][array["key"] == 0] = 7
    return array


def repeated(array: NDArray[Any]) -> NDArray[Any]:
    array[2] = array[1]
    return array


BIG = 1 << 24
HOSTILE: list[tuple[str, Change, str]] = [
    ("blocks/target_phrase", put(70, BIG), "'target_phrase' has 16777216"),
    ("blocks/target_phrase", put(-1, -1), "'target_phrase' has -1"),
    ("blocks/target_offsets", put(9, 1 << 40), "'target_offsets' falls"),
    ("blocks/target_offsets", put(9, -3), "'target_offsets' falls"),
    ("blocks/target_offsets", repeated, "a phrase of no words"),
    ("blocks/source_offsets", swapped, "'source_offsets' falls"),
    ("blocks/source_offsets", repeated, "a phrase of no words"),
    ("blocks/block_offsets", swapped, "'block_offsets' falls"),
    ("blocks/link_offsets", swapped, "'link_offsets' falls"),
    ("blocks/slots", filled, "'slots' has no free slot"),
    ("blocks/slots", put(2, BIG), "'slots' has 16777216"),
    ("blocks/source_words", put(5, BIG), "'source_words' has"),
    ("blocks/target_words", put(5, BIG), "'target_words' has"),
    ("blocks/target_words", put(5, -7), "'target_words' has -7"),
    ("blocks/scores", put(4, np.nan), "'scores' has a value that is not a finite number"),
    ("blocks/orientation", put(4, np.inf), "'orientation' has a value that is not"),
    ("lm/unigrams", in_field("log_prob", np.nan), "unigrams has a value that is not"),
    ("lm/table.2", without_free_slots, "table.2 has no free slot"),
    ("lm/table.3", in_field("backoff", np.nan), "table.3 has a value that is not finite"),
    ("lm/ngrams.2", put(0, BIG), "ngrams.2 has 16777216"),
    ("lm/ngrams.3", put(1, -1), "ngrams.3 has -1"),
    ("features/class-lm/class_of", put(5, BIG), "'class_of' has 16777216"),
    ("features/class-lm/class_of", lambda a: a[:-1], "words have a class"),
    ("features/class-lm/table.4", without_free_slots, "table.4 has no free slot"),
    ("features/local-model/bigrams", put(0, BIG), "'bigrams' has 16777216"),
    ("features/local-model/counts", put(0, -1), "'counts' has -1"),
    ("features/local-model/unigram/values", put(0, np.nan), "'unigram' has a value that is not"),
    ("features/relevant-set/outbound/log_probs", lambda a: a[:2], "'outbound' has 2 rows"),
    ("features/relevant-set/inbound/log_probs", put(0, np.nan), "'inbound' has a value"),
    ("features/relevant-set/inbound/shift", put(0, BIG), "is shifted by 16777216"),
    ("bitext/source_offsets", swapped, "'source_offsets' falls"),
    ("bitext/target", put(0, BIG), "'target' has 16777216"),
    ("bitext/links", put(0, -1), "'links' has -1"),
    ("bitext/max_block_words", put(0, 99), "blocks of 99 words"),
]


@pytest.mark.parametrize(("name", "change", "problem"), HOSTILE)
def test_a_number_that_leads_nowhere_is_named_when_the_model_opens(
    copy: Path, name: str, change: Change, problem: str
) -> None:
    rewrite(copy, name, change)
    ModelFolder(copy).verify()  # every checksum is right
    with pytest.raises(ModelError) as error:
        Model.load(copy)
    assert problem in str(error.value)
    assert str(copy) in str(error.value)


def test_links_that_leave_their_block_are_refused_where_they_are_asked_for(copy: Path) -> None:
    rewrite(copy, "blocks/links", lambda array: np.full_like(array, 200))
    model = Model.load(copy)
    word = model.source_vocabulary.word(int(model.blocks.source_words[0]))
    with pytest.raises(ModelError, match="'links' leave their block"):
        Translator(model).translate(word)


def test_one_changed_bit_of_any_array_is_found_when_the_model_opens(copy: Path) -> None:
    entries = ModelFolder(copy).manifest.entries
    names = [name for name, entry in entries.items() if entry.file.endswith(".npy")]
    assert len(names) > 40
    rng = np.random.default_rng(1)
    for name in names:
        file = copy / entries[name].file
        before = file.read_bytes()
        damaged = bytearray(before)
        damaged[rng.integers(len(before))] ^= 1 << int(rng.integers(8))
        file.write_bytes(damaged)
        with pytest.raises(ModelError, match=f"{file.name}: the content does not match"):
            Model.load(copy)
        file.write_bytes(before)
    Model.load(copy)


def test_a_model_from_before_fast_checksums_opens(copy: Path) -> None:
    old = edited(copy, lambda files: [entry.pop("fast", None) for entry in files.values()])
    assert "fast" not in old
    Model.load(copy)


def edited(model: Path, change: Callable[[dict[str, Any]], object]) -> str:
    """The text of a manifest with changed entries and the right checksum."""
    from calque.model.manifest import _checksum

    path = model / FILE_NAME
    body = json.loads(path.read_text())
    del body["checksum"]
    change(body["files"])
    path.write_text(json.dumps({**body, "checksum": _checksum(body)}))
    return path.read_text()


def test_a_header_that_numpy_stumbles_over_is_one_clear_line(copy: Path) -> None:
    """Without checksums, as in an old model: every byte of the header, four damages each."""
    edited(copy, lambda files: [entry.pop("fast", None) for entry in files.values()])
    folder = ModelFolder(copy)
    file = copy / folder.manifest.entries["blocks/block_offsets"].file
    before = file.read_bytes()
    for at in range(128):
        for value in b"(\x00'9":
            file.write_bytes(before[:at] + bytes([value]) + before[at + 1 :])
            with contextlib.suppress(ModelError):  # and nothing else
                folder.array("blocks/block_offsets")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"file": "../outside.0123456789ab.npy"}, "is not the name of a file of a model"),
        ({"file": "/etc/passwd"}, "is not the name of a file of a model"),
        ({"file": "sub/a.0123456789ab.npy"}, "is not the name of a file of a model"),
        ({"file": 7}, "'file' is of another type"),
        ({"bytes": "7"}, "'bytes' is of another type"),
        ({"bytes": True}, "'bytes' is of another type"),
        ({"more": 1}, "expected file, bytes, sha256, fast"),
    ],
)
def test_a_manifest_with_other_entries_is_refused(
    copy: Path, change: dict[str, Any], problem: str
) -> None:
    edited(copy, lambda files: files["lm/unigrams"].update(change))
    with pytest.raises(ModelError, match="'lm/unigrams': ") as error:
        ModelFolder(copy)
    assert problem in str(error.value)


@pytest.mark.parametrize("content", ["[" * 100_000, "7", "null"])
@pytest.mark.parametrize("name", ["decode", "features", "preprocessor", "features/families"])
def test_settings_that_are_something_else_are_one_clear_line(
    copy: Path, verb: Run, name: str, content: str
) -> None:
    with ModelWriter(copy, update=True) as writer:
        writer._add(name, ".json", lambda file: file.write(content.encode()))
        writer.commit({})
    assert str(copy) in mistake(verb("translate", "-q", "--model", copy, stdin="a\n"))


def test_text_that_is_not_utf8_is_one_clear_line(copy: Path, verb: Run) -> None:
    with ModelWriter(copy, update=True) as writer:
        writer._add("vocabulary/source", ".txt", lambda file: file.write(b"a\n\xff\n"))
        writer.commit({})
    assert "not UTF-8" in mistake(verb("translate", "-q", "--model", copy, stdin="a\n"))


def test_the_kind_of_a_number_matters(copy: Path) -> None:
    """Arrays of other types, shapes and orders are refused or read right, never misread."""
    changes: list[Change] = [
        lambda a: a.astype(a.dtype.newbyteorder(">")) if a.dtype.names is None else a[:0],
        lambda a: a.reshape(-1, 1),
        lambda a: a[:0],
        lambda a: np.zeros((), a.dtype),
        lambda a: np.repeat(a, 2, axis=0),
        lambda a: np.zeros(a.shape, "M8[s]"),
    ]
    names = [n for n, e in ModelFolder(copy).manifest.entries.items() if e.file.endswith(".npy")]
    saved = {name: np.array(ModelFolder(copy).array(name)) for name in names}
    for at, name in enumerate(names):
        rewrite(copy, name, changes[at % len(changes)])
        with contextlib.suppress(CalqueError):
            model = Model.load(copy)
            Translator(model).translate(model.source_vocabulary.word(5))
        rewrite(copy, name, lambda array, name=name: saved[name])  # type: ignore[misc]  # the default
    Model.load(copy)


def test_opening_a_model_runs_no_code_that_it_names(
    corpus: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "my_features.py"
    module.write_text(FAMILY)
    monkeypatch.syspath_prepend(str(tmp_path))
    options = TrainOptions(features=FeatureOptions(dense="standard", sparse="my_features:family"))
    path = tmp_path / "model"
    build(BitextFiles(corpus.train_source, corpus.train_target), path, options, threads=1)
    module.write_text("raise SystemExit('code of a model was run')")
    monkeypatch.delitem(sys.modules, "my_features")
    model = Model.load(path)
    assert set(model.features.templates) == {"mine", "other"}
    assert set(model.family("my_features:family")) == {"mine", "other"}
    assert set(model.family("family")) == {"mine", "other"}
    assert "my_features" not in sys.modules


def test_a_model_that_names_a_module_but_carries_no_templates_is_refused(copy: Path) -> None:
    with ModelWriter(copy, update=True) as writer:
        features = ModelFolder(copy).json("features")
        writer.json("features", {**features, "sparse": "this:s"})
        writer.commit({})
    with pytest.raises(ModelError, match="its templates are not in the model; train it again"):
        Model.load(copy)
    assert "this" not in sys.modules


def test_a_lock_that_leads_elsewhere_is_not_followed(copy: Path, tmp_path: Path, verb: Run) -> None:
    precious = tmp_path / "precious"
    precious.write_text("years of work")
    (copy / ".lock").unlink(missing_ok=True)
    (copy / ".lock").symlink_to(precious)
    assert ".lock: cannot be written" in mistake(
        verb("tune", "--model", copy, "--source", precious, "--reference", precious,
             "--method", "mira")
    )  # fmt: skip
    (copy / ".lock").unlink()
    (copy / "manifest.json.part").symlink_to(precious)
    with ModelWriter(copy, update=True) as writer:
        writer.commit({})
    assert precious.read_text() == "years of work"


def test_a_model_is_loaded_while_another_process_replaces_it(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the manifest and the files of a folder, the model is replaced: it is read anew."""
    replaced: list[bool] = []

    def check(folder: ModelFolder) -> None:
        if len(replaced) < 3:
            replaced.append(True)
            rewrite_once(copy, len(replaced))

    def rewrite_once(model: Path, value: int) -> None:
        monkeypatch.setattr(ModelFolder, "_check_files", lambda folder: None)
        rewrite(model, "lm/unigrams", in_field("log_prob", -float(value)))
        monkeypatch.setattr(ModelFolder, "_check_files", check)

    monkeypatch.setattr(ModelFolder, "_check_files", check)
    model = Model.load(copy)
    assert len(replaced) == 3
    table = model.lm.to_arrays()["unigrams"]
    assert table["log_prob"][len(table) // 2] == -3


def test_errors_are_not_taken_for_another_process(copy: Path) -> None:
    file = copy / Manifest.read(copy).entries["lm/unigrams"].file
    file.unlink()
    with pytest.raises(ModelError, match=f"{file.name}: missing"):
        Model.load(copy)


def test_a_manifest_with_half_a_character_is_refused(trained: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(trained, tmp_path / "model")
    path = copy / "manifest.json"
    path.write_text(path.read_text().replace('"info": {', '"info": {"x": "\\ud800", ', 1))
    with pytest.raises(ModelError, match=r"manifest.json: has one half of a surrogate pair"):
        Model.load(copy)
