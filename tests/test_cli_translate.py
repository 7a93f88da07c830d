"""`calque translate` as a user meets it: streams, files, n-best lists, strange input."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Run, done, mistake

from calque.data import CorpusFiles
from calque.decode import Translator, load
from calque.model import ModelFolder, ModelWriter
from calque.text import read_lines


@pytest.fixture(scope="module")
def translator(trained: Path) -> Translator:
    return load(trained)


def test_a_stream_is_translated_as_the_library_does_and_for_any_number_of_threads(
    calque: Run, verb: Run, trained: Path, corpus: CorpusFiles, translator: Translator
) -> None:
    text = corpus.test_source.read_text()
    expected = [
        translation.text for translation in translator.translate_all(text.splitlines(), threads=1)
    ]
    result = calque("translate", "--model", trained, "--threads", "2", "-q", stdin=text)
    assert (done(result).splitlines(), result.stderr) == (expected, "")
    out = done(verb("translate", "--model", trained, "--threads", "8", "-q", stdin=text))
    assert out.splitlines() == expected


def test_files_are_written_whole_and_compressed_by_name(
    verb: Run, trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    files = ["--input", corpus.test_source, "--output", tmp_path / "out.gz"]
    assert done(verb("translate", "--model", trained, *files)) == ""
    with gzip.open(tmp_path / "out.gz", "rt") as file:
        assert sum(1 for _ in file) == 40
    assert [file.name for file in tmp_path.iterdir()] == ["out.gz"]


def test_n_best_lists_have_the_format_of_moses_and_add_up(
    verb: Run, trained: Path, corpus: CorpusFiles, translator: Translator, tmp_path: Path
) -> None:
    out, lists = tmp_path / "out", tmp_path / "lists.gz"
    n_best = ["--nbest", "5", "--nbest-output", lists, "--output", out]
    done(verb("translate", "--model", trained, "--input", corpus.test_source, *n_best))
    rows = [line.split(" ||| ") for line in read_lines(lists)]
    weights = translator.model.weights
    best: dict[str, str] = {}
    for index, text, features, total in rows:
        best.setdefault(index, text)
        names, values = features.split()[0::2], features.split()[1::2]
        assert names == [f"{name}=" for name in weights]
        added = sum(weights[n] * float(v) for n, v in zip(weights, values, strict=True))
        assert float(total) == pytest.approx(added, abs=1e-3)
    assert list(best.values()) == list(read_lines(out))
    for index in best:
        mine = [row for row in rows if row[0] == index]
        assert 1 <= len(mine) <= 5
        assert len({row[1] for row in mine}) == len(mine)
        totals = [float(row[3]) for row in mine]
        assert totals == sorted(totals, reverse=True)


def test_a_list_of_derivations_repeats_words_that_several_derivations_give(
    verb: Run, trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    lists = tmp_path / "lists"
    n_best = ["--nbest", "20", "--nbest-output", lists, "--derivations"]
    done(verb("translate", "--model", trained, "--input", corpus.test_source, *n_best))
    rows = [line.split(" ||| ") for line in read_lines(lists)]
    assert len({(row[0], row[1]) for row in rows}) < len(rows)
    assert len({(row[0], *row[2:]) for row in rows}) > len({(row[0], row[1]) for row in rows})


def test_n_best_lists_take_the_place_of_translations_where_no_file_is_named(
    verb: Run, trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    files = ["--input", corpus.test_source, "--nbest", "3"]
    lists, out = tmp_path / "lists", tmp_path / "out"
    done(verb("translate", "--model", trained, *files, "--nbest-output", lists, "--output", out))
    assert done(verb("translate", "--model", trained, *files)) == lists.read_text()


def test_json_lines_hold_what_the_library_gives(
    verb: Run, trained: Path, corpus: CorpusFiles, translator: Translator
) -> None:
    lines = [*list(read_lines(corpus.test_source))[:6], "", "qqq www"]
    out = done(verb("translate", "--model", trained, "--json", stdin="\n".join(lines)))
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["id"] for row in rows] == list(range(len(lines)))
    for row, line in zip(rows, lines, strict=True):
        translation = translator.translate(line)
        assert row["text"] == translation.text
        assert row["score"] == pytest.approx(translation.score)
        assert row["source_words"] == line.split()
        assert row["words"] == translation.text.split()
        covered = sorted(place for block in row["blocks"] for place in range(*block["source_span"]))
        assert covered == list(range(len(line.split())))
        made: list[str] = []
        for block in row["blocks"]:
            begin, end = block["source_span"]
            assert block["source"].split() == row["source_words"][begin:end]
            assert block["target_span"] == [len(made), len(made) + len(block["target"].split())]
            made += block["target"].split()
        assert made == row["words"]
        for i, j in row["links"]:
            [block] = [b for b in row["blocks"] if b["source_span"][0] <= i < b["source_span"][1]]
            assert block["target_span"][0] <= j < block["target_span"][1]
    assert rows[-1]["unknown"] == ["qqq", "www"]
    assert "nbest" not in rows[0]
    out = done(verb("translate", "--model", trained, "--json", "--nbest", "2", stdin=lines[0]))
    lists = json.loads(out)["nbest"]
    assert [item["text"] for item in lists] == [
        item.text for item in next(translator.n_best([lines[0]], 2))
    ]


def test_links_and_unknown_words_go_to_files_of_their_own(
    verb: Run, trained: Path, translator: Translator, corpus: CorpusFiles, tmp_path: Path
) -> None:
    lines = [next(read_lines(corpus.test_source)), "zzz qqq", "", "aaa qqq"]
    links, unknown = tmp_path / "links", tmp_path / "unknown"
    files = ["--alignment-output", links, "--unknown-output", unknown]
    out = done(verb("translate", "--model", trained, *files, stdin="\n".join(lines)))
    assert len(out.splitlines()) == 4
    first, second, third, fourth = links.read_text().split("\n")[:-1]
    pairs = [tuple(map(int, link.split("-"))) for link in first.split()]
    assert pairs == sorted(translator.translate(lines[0]).links)
    assert (second, third, fourth) == ("0-0 1-1", "", "0-0 1-1")
    rows = [line.split("\t") for line in unknown.read_text().splitlines()]
    assert rows[0] == ["qqq", "2"]
    assert ["aaa", "1"] in rows
    assert ["zzz", "1"] in rows


def test_every_line_has_its_translation_however_strange(
    verb: Run, trained: Path, corpus: CorpusFiles
) -> None:
    first = next(read_lines(corpus.test_source))
    plain = done(verb("translate", "--model", trained, stdin=first))
    lines = [
        "",
        first,
        "  \t ",
        "qqq www eee",
        "\u2028 \x85 \x0b \x0c \x1c a\x00b",
        "👩‍👩‍👧‍👦 \u202e e\u0301 \U0010ffff \u200b",
        "<s> </s> <unk> ||| | [X]",
        f"\ufeff{first}",
    ]
    for end in ("\n", "\r\n"):
        out = done(verb("translate", "--model", trained, stdin=end.join(lines) + end))
        said = out.split("\n")
        assert len(said) == len(lines) + 1
        assert (said[0], said[1] + "\n", said[2]) == ("", plain, "")
        assert said[3] == "qqq www eee"
        assert "\r" not in out


def test_no_input_gives_no_output(verb: Run, trained: Path) -> None:
    assert done(verb("translate", "--model", trained, stdin="")) == ""


def test_the_output_is_utf8_in_any_locale(calque: Run, trained: Path) -> None:
    result = calque(
        "translate",
        "--model",
        trained,
        "-q",
        stdin="ñandú 漢\n",
        PYTHONIOENCODING="ascii",
        PYTHONUTF8="0",
    )
    assert done(result) == "ñandú 漢\n"


def test_a_line_of_500_words_is_translated(verb: Run, trained: Path, corpus: CorpusFiles) -> None:
    words = " ".join(read_lines(corpus.test_source)).split()
    out = done(verb("translate", "--model", trained, stdin=" ".join(words[:500]) + "\n"))
    assert len(out.split()) > 250
    assert out.count("\n") == 1


def test_search_options_reach_the_search(
    verb: Run, trained: Path, corpus: CorpusFiles, translator: Translator
) -> None:
    lines = list(read_lines(corpus.test_source))[:5]
    search: dict[str, Any] = {"distortion_limit": 0, "stack_size": 3, "options_per_span": 2}
    flags = [f"--{key.replace('_', '-')}={value}" for key, value in search.items()]
    out = done(verb("translate", "--model", trained, *flags, stdin="\n".join(lines)))
    expected = list(translator.translate_all(lines, **search))
    assert out.splitlines() == [translation.text for translation in expected]
    assert all(translation.features["distance"] == 0 for translation in expected)


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--nbest-output", "x"], "--nbest-output F requires --nbest N"),
        (["--nbest", "0", "--nbest-output", "x"], "Invalid value for '--nbest'"),
        (["--derivations"], "--derivations requires --nbest N"),
        (["--graph", "x", "--pass-through", "y"], "--graph cannot be combined"),
        (["--nbest", "2", "--nbest-output", "-"], "--output and --nbest-output are both -"),
        (["--weights", "mira"], "{model}: no weights are called 'mira'; there are: default"),
        (["--stack-size", "-1"], "--stack-size -1: expected a whole number of at"),
        (
            ["--consensus", "--consensus-length", "0"],
            "--consensus-length 0: expected a whole number of at least",
        ),
        (["--leave-one-out", "all"], "--leave-one-out all: expected one of counts, one-count"),
        (["--input", "nowhere"], "nowhere: no such file"),
        (["--input", "."], ".: is a directory, expected a file"),
        (["--output", "."], ".: is a directory, expected a file to write"),
        (["--output", "nowhere/x"], "nowhere/x: cannot be written: No such file or directory"),
        (["--threads", "0"], "threads=0: expected"),
    ],
)
def test_wrong_options_are_one_clear_line(
    verb: Run, trained: Path, extra: list[str], message: str
) -> None:
    told = mistake(verb("translate", "--model", trained, *extra, "-q"))
    assert told.startswith(message.format(model=trained))


def test_input_that_is_not_utf8_leaves_no_half_output(
    verb: Run, trained: Path, tmp_path: Path
) -> None:
    (tmp_path / "in").write_bytes(b"a\n\xe9t\xe9\n")
    files = ["--input", tmp_path / "in", "--output", tmp_path / "out"]
    told = mistake(verb("translate", "--model", trained, *files, "-q"))
    assert told.startswith(f"{tmp_path / 'in'}: line 2: byte 1 (0xe9)")
    assert not (tmp_path / "out").exists()


@pytest.fixture
def copied(trained: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "copied"))


def test_a_missing_or_truncated_array_is_named(verb: Run, copied: Path) -> None:
    file = copied / ModelFolder(copied).manifest.entries["blocks/scores"].file
    file.write_bytes(file.read_bytes()[:-1])
    assert str(file) in mistake(verb("translate", "--model", copied, stdin="a\n"))
    file.unlink()
    told = mistake(verb("translate", "--model", copied, stdin="a\n"))
    assert told == f"{file}: missing from the model folder"


def test_a_model_of_another_version_is_told(verb: Run, copied: Path) -> None:
    path = copied / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 99}))
    told = mistake(verb("translate", "--model", copied, stdin="a\n"))
    assert told == f"{path}: format version 99, but this Calque reads version 1"


@pytest.mark.parametrize(
    "part", ["blocks/scores", "blocks/slots", "lm/unigrams", "lm/table.2", "vocabulary/target",
             "preprocessor", "decode", "weights/default"]
)  # fmt: skip
def test_a_model_without_one_of_its_parts_is_told(verb: Run, copied: Path, part: str) -> None:
    manifest = ModelFolder(copied).manifest
    rest = {name: entry for name, entry in manifest.entries.items() if name != part}
    text = type(manifest)(rest, manifest.info).to_json()
    (copied / "manifest.json").write_text(text)
    told = mistake(verb("translate", "--model", copied, stdin="a\n"))
    assert part.rpartition("/")[2].split(".")[0] in told


def test_a_folder_with_other_things_in_it_is_no_translator(verb: Run, tmp_path: Path) -> None:
    with ModelWriter(tmp_path / "m") as writer:
        writer.text("vocabulary/source", "ein\n")
        writer.commit({})
    told = mistake(verb("translate", "--model", tmp_path / "m", stdin="a\n"))
    assert told.startswith(f"{tmp_path / 'm'}: the model has no '")
    assert "not a model folder" in mistake(verb("translate", "--model", tmp_path, stdin="a\n"))
