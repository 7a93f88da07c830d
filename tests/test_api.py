"""`import calque` as a user meets it."""

from __future__ import annotations

import inspect
import io
import pickle
import pydoc
import re
import runpy
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import calque
from calque.config import describe
from calque.data import CorpusFiles
from calque.model import ModelFolder
from calque.text import read_lines, write_lines
from calque.tune.registry import find_method, method_names


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
        for translation in found:
            assert str(translation) == translation.text == " ".join(translation.words)
            added = sum(weights[name] * value for name, value in translation.features.items())
            assert translation.score == pytest.approx(added, abs=1e-4)
            assert " ".join(block.target for block in translation.blocks) == translation.text
            spans = sorted((block.begin, block.end) for block in translation.blocks)
            assert [word for begin, end in spans for word in range(begin, end)] == list(
                range(len(line.split()))
            )
            assert translation.features["block_count"] == len(translation.blocks)
            assert translation.features["word_count"] == len(translation.words)
            assert translation.features["unknown"] == -sum(
                not block.known for block in translation.blocks
            )
            assert all(0 <= t < len(translation.words) for _, t in translation.links)


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
    with pytest.raises(calque.CalqueError, match=r"'.ud800', one half of a surrogate pair"):
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


def test_the_api_shows_itself(trained: Path) -> None:
    assert set(calque.__all__) <= set(dir(calque))
    assert all(getattr(calque, name) is not None for name in dir(calque))
    assert calque.__version__ == version("calque")
    with pytest.raises(AttributeError, match="module 'calque' has no attribute 'Mirra'"):
        _ = calque.Mirra


def test_the_page_of_the_api_is_current_and_complete() -> None:
    docs = Path(__file__).resolve().parents[1] / "docs"
    page = runpy.run_path(str(docs / "make_api.py"))
    assert (docs / "api.md").read_text() == page["to_markdown"](), "run `make docs`"
    assert sorted(name for names in page["GROUPS"].values() for name in names) == calque.__all__


def test_the_lines_of_the_page_about_python_run(
    corpus: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).resolve().parents[1] / "docs" / "python.md").read_text()
    code = "".join(re.findall(r"```python\n(.*?)```", page, re.S))
    files = {
        "train.de": corpus.train_source,
        "train.en": corpus.train_target,
        "dev.de": corpus.dev_source,
        "dev.en": corpus.dev_references[0],
    }
    for name, path in files.items():
        write_lines(tmp_path / name, read_lines(path))
    monkeypatch.chdir(tmp_path)
    values: dict[str, Any] = {}
    exec(compile(code, "docs/python.md", "exec"), values)
    tuned = calque.load("model")
    assert tuned.model.weights == values["result"].weights
    assert calque.load("model", "default").model.weights != tuned.model.weights
    assert ModelFolder("model").manifest.info["tuning mira"]["options"]["rounds"] == 3
    assert values["small"].translate("der hund ist alt .").text == "the dog is old ."
    assert "read" in [stage.name for stage in values["listener"].stages]
    assert values["listener"].warnings


@pytest.mark.parametrize("method", method_names())
def test_trainers_show_their_options(method: str) -> None:
    trainer = find_method(method)
    assert getattr(calque, trainer.__name__) is trainer
    parameters = inspect.signature(trainer).parameters
    infos = list(describe(trainer.Options))
    assert list(parameters) == ["seed", *(info.key for info in infos)]
    help = pydoc.plain(pydoc.render_doc(trainer))
    for info in infos:
        assert parameters[info.key].default == info.default
        assert f"{info.key}: {info.help.split()[0]}" in help
    made = trainer(**{name: p.default for name, p in parameters.items()})
    assert repr(made) == repr(trainer()) == repr(eval(repr(made), vars(calque) | {
        trainer.__name__: trainer}))  # fmt: skip
    assert "seed=1" in repr(made)


def test_strings_are_not_taken_for_lists_of_letters(
    model: calque.Translator, corpus: CorpusFiles
) -> None:
    with pytest.raises(calque.CalqueError, match="sentences='ein mann .' is a single string"):
        model.translate_all("ein mann .")
    with pytest.raises(calque.CalqueError, match="one sentence, but was given several: use trans"):
        model.translate(["ein mann ."])  # type: ignore[arg-type]  # the mistake
    with pytest.raises(calque.CalqueError, match="a sentence is of type int: expected text"):
        model.translate(3)  # type: ignore[arg-type]  # the mistake
    reference = str(corpus.dev_references[0])
    for wrong in (reference, Path(reference)):
        with pytest.raises(calque.CalqueError, match=r"references=.* expected a list with a text"):
            calque.DecoderTask(model, corpus.dev_source, wrong)  # type: ignore[arg-type]  # the mistake
    with pytest.raises(calque.CalqueError, match=r"no file is called 'a b'; expected a list with"):
        calque.DecoderTask(model, ["a b"], ["a b"])
    with pytest.raises(calque.CalqueError, match=r"metrics='bleu' .* such as \['bleu'\]"):
        calque.score(["a"], [["a"]], "bleu")
    with pytest.raises(calque.CalqueError, match="hypotheses='a' is a single string"):
        calque.score("a", [["a"]])
    with pytest.raises(calque.CalqueError, match="reference 1='a' is a single string"):
        calque.score(["a"], ["a"])


def test_what_is_printed_is_short_and_says_what_it_is(trained: Path, corpus: CorpusFiles) -> None:
    translator = calque.load(trained)
    line = next(read_lines(corpus.test_source))
    model, translation = translator.model, translator.translate(line)
    task = calque.DecoderTask(translator, corpus.dev_source, corpus.dev_references, n_best=5)
    result = calque.Mira(rounds=1, passes=1).fit(task)
    nbest = calque.NBest.from_lists([[("a", {"f": 1.0}, 1.0)]])
    graph = translator.graph(line)
    shown: list[tuple[object, str]] = [
        (translator, "blocks, "),
        (model, str(trained)),
        (translation, translation.text),
        (graph, f"{len(graph.nodes):,} nodes"),
        (translator.explain(line), translation.text),
        (translator.terminology({"a": "b"}), "1 terms"),
        (result, f"{result.score:.2f}"),
        (nbest, "1 candidates of 1 sentences, 1 features (f)"),
        (task, "10 sentences"),
        (task.judge, "10 sentences with 4 references each"),
    ]
    for value, part in shown:
        assert part in repr(value), repr(value)
        assert len(repr(value)) < 1500, repr(value)
    for value in (model.weights, model.blocks, model.lm, model.source_vocabulary, model.bitext):
        assert len(repr(value)) < 1000, repr(value)
        assert " object at " not in repr(value)
    many = calque.Weights({f"f{i}": i / 7 for i in range(1000)})
    assert len(repr(many)) < 500


def test_progress_reaches_whoever_listens(corpus: CorpusFiles, tmp_path: Path) -> None:
    lines = io.StringIO()
    calque.train(
        corpus.train_source,
        corpus.train_target,
        tmp_path / "m",
        threads=1,
        progress=calque.ProgressLines(lines),
    )
    said = lines.getvalue()
    assert re.search(r"^read: 400 pairs read.* s\)$", said, re.MULTILINE)
    assert "calque: warning: " in said


def test_warnings_are_those_of_python_and_name_the_callers_line(tmp_path: Path) -> None:
    with pytest.warns(calque.CalqueWarning) as caught:
        calque.train(["a b c"], ["a b c"], tmp_path / "m", threads=1)
    assert {Path(warning.filename).name for warning in caught} == {"test_api.py"}


def test_train_is_one_function_whatever_was_imported() -> None:
    import calque.tune.run

    assert inspect.signature(calque.train).parameters["source"].kind.name == "POSITIONAL_OR_KEYWORD"
    assert pickle.loads(pickle.dumps(calque.train)) is calque.train
    assert calque.train.__doc__ is not None
    assert calque.train.__doc__.startswith("The translator learned from parallel text")
    assert calque.tune.run.Run.__module__ == "calque.tune.run"
