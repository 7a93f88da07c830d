"""No command destroys what it reads, and none writes two results into one file."""

from __future__ import annotations

import inspect
import os
import shutil
from pathlib import Path
from typing import Any, get_args

import pytest
from conftest import Run, done, mistake

from calque.cli.files import file_roles
from calque.cli.verbs import VERBS
from calque.data import CorpusFiles
from calque.model import ModelFolder

TEXT = "ein haus\nzwei hunde\n"


def names_paths(annotation: Any) -> bool:
    """Whether a parameter takes paths, however deep in its type."""
    return annotation is Path or any(names_paths(part) for part in get_args(annotation))


@pytest.mark.parametrize("name", VERBS)
def test_every_option_that_names_files_says_whether_they_are_read_or_written(name: str) -> None:
    verb = VERBS[name].load()
    parameters = inspect.signature(verb, eval_str=True).parameters
    with_paths = {key for key, value in parameters.items() if names_paths(value.annotation)}
    assert with_paths <= set(file_roles(verb))


INPUT_IS_OUTPUT = {
    "rerank": "--nbest F --weights w --output F",
    "rerank weights": "--nbest x --weights F --nbest-output F",
    "tune": "--nbest F --reference r --method mert --weights F",
    "tune reference": "--nbest x --reference F --method mert --weights F",
    "tune second reference": "--nbest x --reference r --reference F --method mert --weights F",
    "tune start": "--nbest x --reference r --method mert --weights F --start F",
    "lm": "--text F --arpa F",
    "lm score": "--text x --score F --arpa F",
    "compare": "--reference F --system a --system b --html F",
    "compare system": "--reference r --system a --system b=c,F --html F",
    "force": "--model M --source s --reference F --output F",
    "explain": "--model M --input F --svg F",
    "translate": "--model M --input F --output F",
    "translate terminology": "--model M --terminology F --output F",
    "translate lists": "--model M --input F --output o --nbest 2 --nbest-output F",
    "oracle": "--model M --source s --reference F --output o --derivations F",
    "oracle source": "--model M --source F --reference r --output F",
    "train config": "--source a --target b --config F --model F",
}


@pytest.mark.parametrize("case", INPUT_IS_OUTPUT)
@pytest.mark.parametrize("alias", ["same", "relative", "link", "hard link"])
def test_an_output_that_is_an_input_is_refused_before_anything_is_done(
    verb: Run, case: str, alias: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "file"
    file.write_text(TEXT)
    (tmp_path / "folder").mkdir()
    other = {"same": "file", "relative": "folder/../file"}.get(alias, "alias")
    if alias == "link":
        (tmp_path / "alias").symlink_to(file)
    elif alias == "hard link":
        os.link(file, tmp_path / "alias")
    before = sorted(tmp_path.rglob("*"))
    words = INPUT_IS_OUTPUT[case].split()
    places = [at for at, word in enumerate(words) if word.endswith("F")]
    for at, name in zip(places, ("file", other), strict=True):
        words[at] = words[at].removesuffix("F") + name
    told = mistake(verb(case.split()[0], *words))
    assert "what is read there would be overwritten" in told
    assert words[places[0] - 1] in told
    assert words[places[1] - 1] in told
    assert file.read_text() == TEXT
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "command",
    [
        "translate --model M --input i --nbest 2 --output F --nbest-output F",
        "translate --model M --input i --nbest 2 --output - --nbest-output -",
        "rerank --nbest n --weights w --output F --nbest-output F",
        "tune --nbest n --reference r --method mert --weights F --nbest-output F",
        "oracle --model M --source s --reference r --output F --derivations F",
    ],
)
def test_two_outputs_may_not_be_one_file(
    verb: Run, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert mistake(verb(*command.split())).endswith("expected two files")
    assert not list(tmp_path.iterdir())


def test_standard_input_is_given_to_one_option_only(verb: Run) -> None:
    told = mistake(verb("score", "--hypothesis", "-", "--reference", "-"))
    assert told.startswith("--hypothesis and --reference are both standard input")


def test_a_file_of_the_model_is_no_output(verb: Run, trained: Path, tmp_path: Path) -> None:
    file = next(trained.glob("weights.default.*"))
    (tmp_path / "in").write_text("a\n")
    for output in (file, trained / "manifest.json"):
        before = output.read_bytes()
        files = ["--input", tmp_path / "in", "--output", output]
        assert "is a file of --model" in mistake(verb("translate", "--model", trained, *files))
        assert output.read_bytes() == before
    ModelFolder(trained).verify()


def test_a_file_of_a_run_is_no_output(verb: Run, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "rounds.jsonl").write_text("{}\n")
    told = mistake(verb("report", run, "--out", run / "rounds.jsonl"))
    assert f"--out {run / 'rounds.jsonl'}: is a file of RUN {run}" in told
    assert (run / "rounds.jsonl").read_text() == "{}\n"


def test_other_files_in_the_folder_of_a_model_and_devices_are_outputs_like_any(
    verb: Run, trained: Path, tmp_path: Path
) -> None:
    (tmp_path / "in").write_text("a\n")
    (tmp_path / "model").symlink_to(trained)
    for _ in range(2):
        out = ["--input", tmp_path / "in", "--output", tmp_path / "model" / "out"]
        done(verb("translate", "-q", "--model", tmp_path / "model", *out))
    (trained / "out").unlink()
    null = ["--output", os.devnull, "--nbest", "2", "--nbest-output", os.devnull]
    done(verb("translate", "-q", "--model", trained, "--input", tmp_path / "in", *null))


def test_generate_leaves_a_corpus_of_another_pair_alone(verb: Run, tmp_path: Path) -> None:
    sizes = ["--train", "30", "--dev", "5", "--test", "5", "-q"]
    done(verb("generate", "--out", tmp_path, "--pair", "far", *sizes))
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    told = mistake(verb("generate", "--out", tmp_path, "--pair", "near", "--train", "20", "-q"))
    assert told.startswith(f"{tmp_path / 'dev.eng.0'}: would be overwritten")
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
    done(verb("generate", "--out", tmp_path, "--pair", "far", "--seed", "5", *sizes))
    assert (tmp_path / "train.eng").read_bytes() != before[tmp_path / "train.eng"]


def test_export_leaves_a_folder_of_other_files_alone(
    verb: Run, standard: Path, tmp_path: Path
) -> None:
    (tmp_path / "moses.ini").write_text("[feature]\n")
    told = mistake(verb("export", "--model", standard, "--output", tmp_path))
    assert told.startswith(f"{tmp_path}: holds other files (moses.ini)")
    assert [file.name for file in tmp_path.iterdir()] == ["moses.ini"]
    assert (tmp_path / "moses.ini").read_text() == "[feature]\n"
    told = mistake(verb("export", "--model", standard, "--output", standard))
    assert told.startswith("--model and --output are both")
    for _ in range(2):  # an earlier export is replaced
        done(verb("export", "--model", standard, "--output", tmp_path / "new", "-q"))


def test_the_untuned_weights_stay(
    verb: Run, trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    model = Path(shutil.copytree(trained, tmp_path / "model"))
    before = ModelFolder(model).text("weights/default")
    command = ["tune", "--model", model, "--source", corpus.dev_source, "--method", "mert"]
    command += ["--reference", corpus.dev_references[0], "--name", "default"]
    assert "these are the untuned ones, which stay" in mistake(verb(*command))
    assert ModelFolder(model).text("weights/default") == before
