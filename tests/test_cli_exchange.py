"""`calque import` and `calque export`: models of Moses, in and out."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, done, mistake

from calque.data import CorpusFiles
from calque.decode import Translation, Translator, load
from calque.errors import CalqueError
from calque.features import SparseWeights, Weights
from calque.model import Model
from calque.model.moses import read_moses, write_moses
from calque.progress import Silent
from calque.text import read_lines, write_lines


@pytest.fixture(scope="module")
def exported(standard: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("moses")
    write_moses(Model.load(standard), folder)
    return folder


def copied(translator: Translator, lines: list[str]) -> Iterator[Translation]:
    """Translations in which words never seen are copied, as Moses does."""
    return translator.translate_all(lines, least_agreement=1.0)


def test_a_model_goes_to_moses_and_back_unchanged(
    calque: Run, verb: Run, standard: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    moses, back = tmp_path / "moses", tmp_path / "back"
    result = calque("export", "--model", standard, "--output", moses, "--format", "moses")
    assert done(result) == ""
    assert result.stderr.count("warning") == 1
    assert "Moses copies words that it does not know" in result.stderr
    names = {file.name for file in moses.iterdir()}
    assert names == {"moses.ini", "phrase-table.gz", "reordering-table.gz", "lm.arpa.gz"}
    assert done(verb("import", "--input", moses, "--model", back)) == ""
    lines = list(read_lines(corpus.test_source))
    before, after = load(standard), load(back)
    assert after.model.weights == pytest.approx(dict(before.model.weights))
    assert after.options.distortion_limit == before.options.distortion_limit
    for ours, theirs in zip(copied(before, lines), copied(after, lines), strict=True):
        assert theirs.text == ours.text
        assert theirs.score == pytest.approx(ours.score, abs=1e-3)
        assert theirs.features == pytest.approx(dict(ours.features), abs=1e-3)


def test_an_export_that_was_killed_is_made_again(
    verb: Run, standard: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise SystemExit

    at_once, later = tmp_path / "at-once", tmp_path / "later"
    at_once.mkdir()
    (at_once / ".moses.ini.abcdefgh.part").touch()
    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr("calque.model.moses.write_arpa", killed)
        write_moses(Model.load(standard), later)
    assert (later / "phrase-table.gz").exists()
    for folder in (at_once, later):
        done(verb("export", "--model", standard, "--output", folder, "-q"))
        names = {file.name for file in folder.iterdir()}
        assert names == {"moses.ini", "phrase-table.gz", "reordering-table.gz", "lm.arpa.gz"}


def test_a_model_of_moses_looks_at_every_block_as_moses_does(exported: Path) -> None:
    assert read_moses(exported).decode_options.max_targets == 0


def test_a_model_of_moses_translates(verb: Run, shared_data: Path, tmp_path: Path) -> None:
    given = shared_data / "moses" / "eutrans.model"
    if not given.is_dir():
        pytest.skip(f"needs {given}")
    done(verb("import", "--input", given, "--model", tmp_path / "m", "-q"))
    theirs: dict[str, tuple[str, float]] = {}
    for row in read_lines(given / "test300.nbest20.gz"):
        index, text, _, total, *_ = row.split(" ||| ")
        theirs.setdefault(index, (text.strip(), float(total)))
    lines = list(read_lines(shared_data / "eutrans" / "test.es"))[:20]
    ours = load(tmp_path / "m").translate_all(lines)
    pairs = list(zip(ours, list(theirs.values())[:20], strict=True))
    assert sum(mine.text == text for mine, (text, _) in pairs) >= 19  # ties may fall otherwise
    for mine, (_, score) in pairs:
        assert mine.score == pytest.approx(score, abs=0.01)


def test_text_that_must_be_prepared_is_warned_of(verb: Run, tmp_path: Path) -> None:
    write_lines(tmp_path / "a", ["Ein Haus"])
    write_lines(tmp_path / "b", ["A House"])
    files = ["--source", tmp_path / "a", "--target", tmp_path / "b", "--model", tmp_path / "m"]
    done(verb("train", *files, "--casing", "lower", "-q"))
    result = verb("export", "--model", tmp_path / "m", "--output", tmp_path / "moses", "-q")
    done(result)
    assert result.stderr.startswith("calque: warning: the tables hold text as the model prepares")


def same_translations(before: Path, after: Path, corpus: CorpusFiles) -> None:
    lines = list(read_lines(corpus.test_source))
    ours, theirs = (copied(load(path), lines) for path in (before, after))
    for mine, other in zip(ours, theirs, strict=True):
        assert other.text == mine.text
        assert other.score == pytest.approx(mine.score, abs=1e-3)


def test_a_class_language_model_goes_to_moses_and_back_as_a_factor(
    verb: Run, trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    moses, back = tmp_path / "moses", tmp_path / "back"
    result = verb("export", "--model", trained, "--output", moses)
    done(result)
    assert result.stderr.count("warning") == 1
    assert "Moses copies words that it does not know" in result.stderr
    done(verb("import", "--input", moses, "--model", back, "-q"))
    model, again = Model.load(trained), Model.load(back)
    assert dict(again.weights) == pytest.approx(dict(model.weights))
    same_translations(trained, back, corpus)
    # The table is what Moses reads: a class behind every target word, none in the reordering table.
    classes = model.feature_data.class_lm
    assert classes is not None
    names, words = list(classes.lm.vocabulary), list(model.target_vocabulary)
    of = {word: names[id] for word, id in zip(words, classes.class_of.tolist(), strict=True)}
    for row in list(read_lines(moses / "phrase-table.gz"))[::50]:
        factors = [token.split("|") for token in row.split(" ||| ")[1].split()]
        assert all(of[word] == name for word, name in factors)
    first = next(read_lines(moses / "reordering-table.gz"))
    assert "|" not in first.replace("|||", "")
    ini = (moses / "moses.ini").read_text()
    assert "output-factor=0,1" in ini
    assert "KENLM name=LM1 factor=1 path=class-lm.arpa.gz" in ini


@pytest.mark.parametrize(
    "dense",
    ["standard - distance", "standard - language_model", "standard - unknown - word_count"],
)
def test_sets_that_lack_a_standard_feature_go_to_moses_and_back(
    verb: Run, corpus: CorpusFiles, tmp_path: Path, dense: str
) -> None:
    files = ["--source", corpus.train_source, "--target", corpus.train_target]
    model, moses, back = tmp_path / "m", tmp_path / "moses", tmp_path / "back"
    options = ["--preset", "fast", "--set", f"features.dense={dense}"]
    done(verb("train", *files, "--model", model, *options, "-q"))
    done(verb("export", "--model", model, "--output", moses, "-q"))
    done(verb("import", "--input", moses, "--model", back, "-q"))
    same_translations(model, back, corpus)


def test_what_moses_lacks_is_refused_by_name_before_anything_is_written(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    files = ["--source", corpus.train_source, "--target", corpus.train_target]
    model, moses = tmp_path / "m", tmp_path / "moses"
    done(verb("train", *files, "--model", model, "--set", "features.dense=relevant-set-6", "-q"))
    told = mistake(verb("export", "--model", model, "--output", moses))
    assert told.startswith("Moses has no model1_weight and no ")
    assert told.endswith("give --lossy to make one")
    assert not moses.exists()
    result = verb("export", "--model", model, "--output", moses, "--lossy", "-q")
    done(result)
    assert result.stderr.startswith("calque: warning: Moses has no model1_weight")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("output-factor=0,1", "output-factor=0", "expected one KENLM with factor=1"),
        ("output-factor=0,1", "output-factor=0,2", "output-factor=0,2: expected 0 or 0,1"),
    ],
)
def test_factors_that_do_not_fit_are_one_clear_line(
    verb: Run, trained: Path, tmp_path: Path, old: str, new: str, message: str
) -> None:
    write_moses(Model.load(trained), tmp_path / "moses")
    ini = tmp_path / "moses" / "moses.ini"
    ini.write_text(ini.read_text().replace(old, new))
    told = mistake(verb("import", "--input", tmp_path / "moses", "--model", tmp_path / "m", "-q"))
    assert message in told


def test_a_word_of_two_classes_is_one_clear_line(tmp_path: Path) -> None:
    from calque.blocks import read_moses_table

    scores = "||| 0.5 0.5 0.5 0.5 ||| 0-0"
    write_lines(tmp_path / "t", [f"a ||| x|1 {scores}", f"b ||| x|2 {scores}"])
    with pytest.raises(CalqueError, match=r"line 2: 'x\|2', but 'x\|1' before: expected"):
        read_moses_table(tmp_path / "t", classes={})
    write_lines(tmp_path / "t", [f"a ||| x {scores}"])
    with pytest.raises(CalqueError, match="line 1: 'x': expected word|class"):
        read_moses_table(tmp_path / "t", classes={})


def test_features_that_moses_lacks_are_named_before_anything_is_written(
    trained: Path, tmp_path: Path
) -> None:
    sparse = SparseWeights.from_arrays(np.array([3, 4], np.uint64), np.ones(2, np.float32))
    weights = Weights(Model.load(trained).weights, sparse)
    model = replace(Model.load(trained), weights=weights)
    warnings: list[tuple[str, list[Path]]] = []

    class Listener(Silent):
        def warn(self, message: str) -> None:
            warnings.append((message, list((tmp_path / "moses").iterdir())))

    with pytest.raises(CalqueError, match=r"Moses has no sparse features \(2 weights\): an export"):
        write_moses(model, tmp_path / "moses", Listener())
    assert not (tmp_path / "moses").exists()
    write_moses(model, tmp_path / "moses", Listener(), lossy=True)
    (message, written), _ = warnings  # the other one is of words never seen
    assert "no sparse features (2 weights)" in message
    assert not written
    back = read_moses(tmp_path / "moses").weights
    assert dict(back) == pytest.approx(dict(weights))


def test_a_distortion_rule_that_moses_lacks_is_warned_of(verb: Run, tmp_path: Path) -> None:
    write_lines(tmp_path / "a", ["ein haus"])
    write_lines(tmp_path / "b", ["a house"])
    files = ["--source", tmp_path / "a", "--target", tmp_path / "b", "--model", tmp_path / "m"]
    options = ["--set", "decode.distortion_rule=jump", "--set", "features.dense=standard"]
    done(verb("train", *files, *options, "-q"))
    result = verb("export", "--model", tmp_path / "m", "--output", tmp_path / "moses", "-q")
    done(result)
    assert result.stderr.startswith("calque: warning: Moses has no distortion rule 'jump'")


def test_wrong_uses_are_one_clear_line(verb: Run, trained: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told = mistake(verb("export", "--model", trained, "--output", tmp_path / "file"))
    assert told.startswith(f"{tmp_path / 'file'}: cannot be written")
    told = mistake(verb("export", "--model", tmp_path, "--output", tmp_path / "x"))
    assert told.startswith(f"{tmp_path}: not a model folder")
    told = mistake(verb("export", "--model", trained, "--output", tmp_path, "--format", "joshua"))
    assert told == "--format joshua: expected one of moses"
    told = mistake(verb("import", "--input", tmp_path, "--model", tmp_path / "m"))
    assert told == f"{tmp_path / 'moses.ini'}: no such file"
    told = mistake(verb("import", "--input", tmp_path, "--model", tmp_path))
    assert told.startswith(f"--input and --model are both {tmp_path}")


def ini(old: str, new: str) -> Callable[[Path], None]:
    """Changes moses.ini."""

    def change(folder: Path) -> None:
        text = (folder / "moses.ini").read_text()
        assert old in text
        (folder / "moses.ini").write_text(text.replace(old, new))

    return change


def table(name: str, line: int, old: str | None, new: str) -> Callable[[Path], None]:
    """Changes one line of a table: the text `old`, or the first score of the third field."""

    def change(folder: Path) -> None:
        lines = list(read_lines(folder / name))
        if old is None:
            fields = lines[line - 1].split(" ||| ")
            fields[2] = " ".join([new, *fields[2].split()[1:]])
            lines[line - 1] = " ||| ".join(fields)
        else:
            assert old in lines[line - 1]
            lines[line - 1] = lines[line - 1].replace(old, new)
        write_lines(folder / name, lines)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (ini("WordPenalty\n", "WordPenalty\nOpSequenceModel\n"), "the feature OpSequenceModel"),
        (ini("KENLM", "IRSTLM"), "no KENLM among the features"),
        (ini("LM0= 0.5", "LM0= nan"), "is nan, expected a finite number"),
        (ini("LM0= 0.5", "LM0= high"), "'LM0= high': expected NAME= number"),
        (ini("LM0= 0.5", "LM0= 0.5 0.5"), "LM0: expected 1 weights, found 2"),
        (ini("[distortion-limit]\n6", "[distortion-limit]\nsix"), "'six': expected a whole number"),
        (ini("msd-bidirectional", "hier-mslr-bidirectional"), "expected msd-bidirectional-fe"),
        (ini("table-limit=20", "table-limit=many"), "table-limit=many: expected a whole number"),
        (ini("path=lm.arpa.gz", "path=gone"), "gone: no such file"),
        (table("phrase-table.gz", 3, None, "nan"), "phrase-table.gz: line 3: "),
        (table("phrase-table.gz", 3, None, "0"), "phrase-table.gz: line 3: "),
        (table("phrase-table.gz", 3, None, "-0.5"), "phrase-table.gz: line 3: "),
        (table("phrase-table.gz", 5, " ||| ", " | "), "phrase-table.gz: line 5: "),
        (table("reordering-table.gz", 2, None, "zero"), "reordering-table.gz: line 2: "),
        (table("lm.arpa.gz", 2, "ngram 1=", "ngram one="), "lm.arpa.gz: line 2: "),
    ],
)
def test_what_cannot_be_taken_over_is_told_by_file_and_line(
    verb: Run, exported: Path, tmp_path: Path, change: Callable[[Path], None], message: str
) -> None:
    folder = Path(shutil.copytree(exported, tmp_path / "moses"))
    change(folder)
    told = mistake(verb("import", "--input", folder, "--model", tmp_path / "model", "-q"))
    assert told.startswith(str(folder))
    assert message in told
    assert not list((tmp_path / "model").glob("*.json"))


def test_a_truncated_table_is_told(verb: Run, exported: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(exported, tmp_path / "moses"))
    path = folder / "phrase-table.gz"
    path.write_bytes(path.read_bytes()[:-30])
    told = mistake(verb("import", "--input", folder, "--model", tmp_path / "model", "-q"))
    assert told.startswith(f"{path}: damaged or truncated compressed file")
