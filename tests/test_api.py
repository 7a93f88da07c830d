"""`import calque` as a user meets it."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import calque
from calque.data import CorpusFiles
from calque.text import read_lines, write_lines


@pytest.fixture(scope="module")
def model(corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> calque.Translator:
    out = tmp_path_factory.mktemp("api") / "model"
    return calque.train(
        corpus.train_source, str(corpus.train_target), out, lm={"order": 3}, threads=1
    )


def test_what_is_trained_and_what_is_loaded_translate_alike(
    model: calque.Translator, corpus: CorpusFiles, tmp_path: Path
) -> None:
    lines = list(read_lines(corpus.test_source))
    model.model.save(tmp_path / "model", {})
    loaded = calque.load(str(tmp_path / "model"))
    assert list(loaded.translate_all(lines)) == list(model.translate_all(lines))


def test_a_translation_tells_how_it_came_about(
    model: calque.Translator, corpus: CorpusFiles
) -> None:
    weights = model.model.weights
    for line, found in zip(
        read_lines(corpus.test_source),
        model.n_best(read_lines(corpus.test_source), 4),
        strict=True,
    ):
        assert found[0] == model.translate(line)
        for one in found:
            assert str(one) == one.text == " ".join(one.words)
            added = sum(weights[name] * value for name, value in one.features.items())
            assert one.score == pytest.approx(added, abs=1e-4)
            assert " ".join(block.target for block in one.blocks) == one.text
            spans = sorted((block.begin, block.end) for block in one.blocks)
            assert [word for begin, end in spans for word in range(begin, end)] == list(
                range(len(line.split()))
            )
            assert one.features["block_count"] == len(one.blocks)
            assert one.features["word_count"] == len(one.words)
            assert one.features["unknown"] == -sum(not block.known for block in one.blocks)
            assert all(0 <= t < len(one.words) for _, t in one.links)


def test_results_do_not_depend_on_the_number_of_threads(
    model: calque.Translator, corpus: CorpusFiles
) -> None:
    lines = list(read_lines(corpus.test_source))
    one, two, many = (list(model.n_best(lines, 3, threads=n)) for n in (1, 2, 8))
    assert one == two == many


def test_two_models_coexist(model: calque.Translator, trained: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "a", ["eins zwei"])
    write_lines(tmp_path / "b", ["one two"])
    before = model.translate("eins zwei")
    other = calque.train(tmp_path / "a", tmp_path / "b", tmp_path / "m", threads=1)
    same = calque.load(trained)
    assert other.translate("eins zwei").text == "one two"
    assert model.translate("eins zwei") == before
    assert same.translate("eins").text == "eins"


def test_sentences_are_taken_and_given_one_batch_at_a_time(model: calque.Translator) -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield ""

    stream = model.translate_all(endless())
    assert [next(stream).text for _ in range(3)] == ["", "", ""]
    assert taken < 10_000


def test_mistakes_are_calque_errors_at_the_call(model: calque.Translator, tmp_path: Path) -> None:
    with pytest.raises(calque.CalqueError, match="unknown key 'stacksize'; did you mean 'stack_s"):
        model.translate_all([], stacksize=3)
    with pytest.raises(calque.CalqueError, match="stack_size=-3: expected"):
        model.n_best([], 1, stack_size=-3)
    with pytest.raises(calque.CalqueError, match="n=0: expected at least 1"):
        model.n_best([], 0)
    with pytest.raises(calque.CalqueError, match="threads=0: expected"):
        model.n_best([], 1, threads=0)
    with pytest.raises(calque.CalqueError, match=r"'.ud800', half of a character"):
        model.translate("a\ud800b")
    with pytest.raises(calque.CalqueError, match="not a model folder"):
        calque.load(tmp_path)
    with pytest.raises(calque.CalqueError, match="unknown key 'lm.ordr'; did you mean"):
        calque.train("a", "b", tmp_path / "m", lm={"ordr": 3})


@pytest.mark.parametrize("text", ["a\nb\r\nc", "\x00", "", " \u3000 ", "x" * 100_000])
def test_any_string_can_be_translated(model: calque.Translator, text: str) -> None:
    result = model.translate(text)
    assert "\n" not in result.text
    result.text.encode()


def test_weights_are_checked_by_name() -> None:
    values = dict(calque.Weights.default())
    assert calque.Weights.from_text(calque.Weights(values).to_text()) == values
    with pytest.raises(calque.CalqueError, match="is missing"):
        calque.Weights({}).vector()
    with pytest.raises(calque.CalqueError, match="no feature is called 'lm'"):
        calque.Weights({**values, "lm": 1.0}).vector()
    with pytest.raises(calque.CalqueError, match="is nan, expected a finite number"):
        calque.Weights({**values, "distance": float("nan")})
    with pytest.raises(calque.CalqueError, match="w: line 2: 'distance' is given twice"):
        calque.Weights.from_text("distance 1\ndistance 2\n", "w")


def test_train_is_one_function_whatever_was_imported() -> None:
    import calque.tune.run

    assert inspect.signature(calque.train).parameters["source"].kind.name == "POSITIONAL_OR_KEYWORD"
    assert pickle.loads(pickle.dumps(calque.train)) is calque.train
    assert calque.train.__doc__ is not None
    assert calque.train.__doc__.startswith("The translator learned from two files")
    assert calque.tune.run.Run.__module__ == "calque.tune.run"
