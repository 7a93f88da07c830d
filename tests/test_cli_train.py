"""`calque train` as a user meets it: every kind of text in, the same model out."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pytest
from conftest import Run, done, mistake

from calque.align import write_pharaoh
from calque.align.alignments import Alignments
from calque.data import CorpusFiles
from calque.decode import load
from calque.model import ModelFolder
from calque.text import read_lines, write_lines


def content(model: Path) -> dict[str, bytes]:
    """Every file of a model, by name."""
    return {file.name: file.read_bytes() for file in model.iterdir() if file.name != ".lock"}


def parts(model: Path) -> dict[str, str]:
    """The checksums of a model's files: what it learned, without how it came about."""
    return {name: entry.sha256 for name, entry in ModelFolder(model).manifest.entries.items()}


def first_lines(path: Path, n: int) -> list[str]:
    return list(read_lines(path))[:n]


def test_one_command_learns_a_model_that_info_describes(
    calque: Run, corpus: CorpusFiles, trained: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    result = calque(
        *("train", "--source", corpus.train_source, "--target", corpus.train_target),
        *("--model", model, "--threads", "2", "--preset", "fast"),
    )
    assert done(result) == ""
    assert result.stderr.splitlines()[-1] == f"Next: calque translate --model {model} < TEXT"
    described = json.loads(done(calque("info", model, "--json")))
    assert described["info"]["data"]["pairs"] == 400
    assert described["info"]["data"]["files"]["source"]["name"] == corpus.train_source.name
    assert described["info"]["preset"] == "fast"
    assert parts(model) == parts(trained)  # which one thread learned


def test_tables_memories_and_gzip_teach_the_same(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    pairs = list(
        zip(first_lines(corpus.train_source, 50), first_lines(corpus.train_target, 50), strict=True)
    )
    write_lines(tmp_path / "a.gz", [source for source, _ in pairs])
    write_lines(tmp_path / "b", [target for _, target in pairs])
    write_lines(tmp_path / "ab.tsv.gz", ["\t".join(pair) for pair in pairs])
    units = "".join(
        f'<tu><tuv xml:lang="de"><seg>{escape(source)}</seg></tuv>'
        f'<tuv xml:lang="EN-us"><seg>{escape(target)}</seg></tuv></tu>\n'
        for source, target in pairs
    )
    (tmp_path / "ab.tmx").write_text(f'<tmx version="1.4"><body>{units}</body></tmx>')
    files = ["--source", tmp_path / "a.gz", "--target", tmp_path / "b"]
    codes = ["--source-language", "de", "--target-language", "en"]
    ways = {
        "files": files,
        "tsv": ["--bitext", tmp_path / "ab.tsv.gz"],
        "tmx": ["--bitext", tmp_path / "ab.tmx"],
    }
    for name, way in ways.items():
        done(verb("train", *way, *codes, "--model", tmp_path / name, "-q"))
    assert parts(tmp_path / "files") == parts(tmp_path / "tsv") == parts(tmp_path / "tmx")


def test_plain_text_comes_out_plain(verb: Run, tmp_path: Path) -> None:
    write_lines(tmp_path / "a", ["Das Haus, ja.", "Ein Haus!", "Wo ist das Haus?", "Das ist gut."])
    write_lines(tmp_path / "b", ["The house, yes.", "A house!", "Where is the house?", "It is OK."])
    done(
        verb(
            *("train", "--source", tmp_path / "a", "--target", tmp_path / "b"),
            *("--model", tmp_path / "model", "--tokenize", "--casing", "true", "-q"),
            *("--source-language", "de", "--target-language", "en"),
        )
    )
    out = done(verb("translate", "--model", tmp_path / "model", stdin="Das Haus, ja.\nEin Haus!\n"))
    assert out == "The house, yes.\nA house!\n"


def test_numbers_come_back_as_they_were(verb: Run, tmp_path: Path) -> None:
    write_lines(tmp_path / "a", [f"es sind {n} häuser" for n in (3, 4, 5, 7)])
    write_lines(tmp_path / "b", [f"there are {n} houses" for n in (3, 4, 5, 7)])
    done(
        verb(
            *("train", "--source", tmp_path / "a", "--target", tmp_path / "b", "-q"),
            *("--model", tmp_path / "model", "--set", "text.class_numbers=true"),
        )
    )
    out = done(verb("translate", "--model", tmp_path / "model", stdin="es sind 8 häuser\n"))
    assert out == "there are 8 houses\n"


@pytest.mark.filterwarnings("error")
def test_a_corpus_of_one_sentence_is_enough(verb: Run, tmp_path: Path) -> None:
    write_lines(tmp_path / "a", ["ein haus"])
    write_lines(tmp_path / "b", ["a house"])
    files = ["--source", tmp_path / "a", "--target", tmp_path / "b"]
    done(verb("train", *files, "--model", tmp_path / "model"))
    out = done(verb("translate", "--model", tmp_path / "model", stdin="ein haus\n"))
    assert out == "a house\n"


def test_alignments_and_a_language_model_of_the_user_are_taken(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    write_lines(tmp_path / "a", ["eins zwei", "zwei eins"])
    write_lines(tmp_path / "b", ["two one", "one two"])
    crossed = Alignments.from_lists([[(0, 1), (1, 0)], [(0, 1), (1, 0)]])
    write_pharaoh(tmp_path / "links", crossed)
    done(verb("lm", "--text", corpus.train_target, "--order", "3", "--arpa", tmp_path / "arpa.gz"))
    done(
        verb(
            *("train", "--source", tmp_path / "a", "--target", tmp_path / "b", "-q"),
            *("--model", tmp_path / "model", "--alignment", tmp_path / "links"),
            *("--arpa", tmp_path / "arpa.gz"),
        )
    )
    translator = load(tmp_path / "model")
    assert translator.model.lm.order == 3
    assert [t.text for t in translator.translate_all(["eins", "zwei"])] == ["one", "two"]


def test_overlap_keeps_only_what_the_test_needs(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    write_lines(tmp_path / "a", ["ein haus", "ein baum", "viele hunde"])
    write_lines(tmp_path / "b", ["a house", "a tree", "many dogs"])
    write_lines(tmp_path / "test", ["hunde"])
    done(
        verb(
            *("train", "--source", tmp_path / "a", "--target", tmp_path / "b", "-q"),
            *("--model", tmp_path / "model", "--overlap", tmp_path / "test"),
        )
    )
    assert ModelFolder(tmp_path / "model").manifest.info["data"]["pairs"] == 1


def test_a_config_file_sets_options_and_the_command_line_overrides_it(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    (tmp_path / "o.toml").write_text("[lm]\norder = 3\n[decode]\nstack_size = 7\n")
    write_lines(tmp_path / "a", ["ein haus"])
    write_lines(tmp_path / "b", ["a house"])
    done(
        verb(
            *("train", "--source", tmp_path / "a", "--target", tmp_path / "b", "-q"),
            *("--model", tmp_path / "m", "--config", tmp_path / "o.toml", "--set", "lm.order=2"),
        )
    )
    translator = load(tmp_path / "m")
    assert (translator.model.lm.order, translator.options.stack_size) == (2, 7)


def test_text_with_odd_characters_trains_and_translates(verb: Run, tmp_path: Path) -> None:
    odd = [
        "\u200b",
        "a\u2028b",
        "\x00",
        "\x85",
        "𝔘𝔫𝔦",
        "👩‍👩‍👧‍👦",
        "e\u0301",
        "||| [X] <unk> <s>",
        "\u202e",
        "\ufeff",
        "\xa0",
    ]
    write_lines(tmp_path / "a", [f"x {text} y" for text in odd])
    write_lines(tmp_path / "b", [f"u {text} v" for text in reversed(odd)])
    files = ["--source", tmp_path / "a", "--target", tmp_path / "b"]
    done(verb("train", *files, "--model", tmp_path / "model", "-q"))
    out = done(verb("translate", "--model", tmp_path / "model", stdin="\n".join(odd) + "\n"))
    assert out.count("\n") == len(odd)
    ModelFolder(tmp_path / "model").verify()


def files_of(tmp_path: Path, source: str, target: str) -> list[object]:
    (tmp_path / "a").write_text(source)
    (tmp_path / "b").write_text(target)
    return [
        "train",
        "--source",
        tmp_path / "a",
        "--target",
        tmp_path / "b",
        "--model",
        tmp_path / "m",
    ]


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("a\nb\nc\n", "a\nb\n", "{a}: has 3 lines, but {b} has 2; expected one translation"),
        ("a\n", "", "{b}: is empty"),
        ("a\nb\n", "\n\n", "{a}: no sentence pair is left to learn from: 2 pairs read, 0 kept"),
    ],
)
def test_sides_that_do_not_fit_are_told(
    verb: Run, tmp_path: Path, source: str, target: str, message: str
) -> None:
    told = mistake(verb(*files_of(tmp_path, source, target), "-q"))
    assert told.startswith(message.format(a=tmp_path / "a", b=tmp_path / "b"))
    assert not list((tmp_path / "m").glob("*.json"))


def test_text_that_is_not_utf8_is_told_by_line_and_byte(verb: Run, tmp_path: Path) -> None:
    command = files_of(tmp_path, "a\nb\n", "a\nb\n")
    (tmp_path / "b").write_bytes(b"a\nb\xff\n")
    assert mistake(verb(*command, "-q")).startswith(f"{tmp_path / 'b'}: line 2: byte 2 (0xff)")


@pytest.mark.parametrize("name", ["--alignment", "--arpa", "--overlap", "--config", "--target"])
@pytest.mark.parametrize("what", ["missing", "folder"])
def test_a_file_that_is_none_is_told_before_the_work(
    verb: Run, tmp_path: Path, name: str, what: str
) -> None:
    (tmp_path / "folder").mkdir()
    told = mistake(verb(*files_of(tmp_path, "a\n", "b\n"), name, tmp_path / what))
    assert told.startswith(f"{tmp_path / what}: ")


def test_text_from_pipes_is_read_once(calque: Run, tmp_path: Path) -> None:
    command = files_of(tmp_path, "ein haus\n", "a house\n")[1:]
    os.mkfifo(tmp_path / "pipe")
    command[1] = tmp_path / "pipe"
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=["ein haus\n"])
    writer.start()
    done(calque("train", *command, "-q"))
    writer.join()
    assert load(tmp_path / "m").translate("ein haus").text == "a house"
    told = mistake(calque("train", *command, "-q", "--casing", "true"))
    assert told == f"{tmp_path / 'pipe'}: casing=true reads its text twice, expected a file"


def test_alignments_that_do_not_fit_are_told_by_line_and_link(verb: Run, tmp_path: Path) -> None:
    command = files_of(tmp_path, "a b\nc\n", "u v\nw\n")
    links = tmp_path / "links"
    for text, message in {
        "0-0 1-1\n0-1\n": f"{links}: line 2: ",
        "0-0 1:1\n0-0\n": f"{links}: line 1: ",
        "0-0\n": f"{links}: has 1 lines of links, expected 2",
    }.items():
        links.write_text(text)
        told = mistake(verb(*command, "-q", "--alignment", links))
        assert told.startswith(message)
        if "line 2" in message:
            assert "0-1" in told
        if "line 1" in message:
            assert "1:1" in told


def test_a_folder_of_others_is_not_written_to(verb: Run, tmp_path: Path) -> None:
    command = files_of(tmp_path, "a\n", "b\n")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.tex").write_text("")
    assert "holds other files (thesis.tex)" in mistake(verb(*command))
    assert [file.name for file in (tmp_path / "m").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--set", "lm.ordr=3"], "--set: unknown key 'lm.ordr'; did you mean 'lm.order'?"),
        (["--set", "lm.order"], "--set lm.order: expected key=value"),
        (["--set", "lm.order=nine"], "--set: lm.order=nine: expected a whole number"),
        (["--casing", "upper"], "--casing upper: expected one of keep, lower"),
        (["--tokenize"], "tokenize=true: expected source_language"),
        (["--bitext", "x.tsv"], "--bitext F holds both sides"),
        (["--threads", "0"], "threads=0: expected"),
        (["--threads", "two"], "Invalid value for '--threads'"),
        (["--modle", "x"], "No such option: --modle"),
    ],
)
def test_wrong_options_are_one_clear_line(
    verb: Run, tmp_path: Path, extra: list[str], message: str
) -> None:
    assert mistake(verb(*files_of(tmp_path, "a\n", "b\n"), *extra)).startswith(message)


def test_a_wrong_key_in_a_config_file_is_told_with_the_nearest(verb: Run, tmp_path: Path) -> None:
    config = tmp_path / "o.toml"
    config.write_text("[clean]\nmax_word = 3\n")
    told = mistake(verb(*files_of(tmp_path, "a\n", "b\n"), "--config", config))
    assert told == f"{config}: unknown key 'clean.max_word'; did you mean 'clean.max_words'?"
    config.write_text("[clean\n")
    told = mistake(verb(*files_of(tmp_path, "a\n", "b\n"), "--config", config))
    assert told.startswith(f"{config}: not TOML: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--source", "a"], "give --source F and --target F, or --bitext F"),
        (["--source", "-", "--target", "-"], "--source and --target are both standard input"),
        (["--bitext", "a.txt"], "a.txt: expected a file name that ends in .tsv or .tmx"),
        (["--bitext", "a.tmx"], "a.tmx: a TMX file needs --source-language and --target-language"),
    ],
)
def test_text_that_is_half_given_is_told(
    verb: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    told = mistake(verb("train", *arguments, "--model", tmp_path / "m"))
    assert told.startswith(message)
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("-0.", "nan\t-0.", 1), "line"),
        (("\\2-grams:", "\\3-grams:", 1), "line"),
        (("\\end\\", "", 1), "line"),
        (("ngram 1=", "ngram 1=9", 1), "line"),
    ],
)
def test_a_malformed_arpa_file_is_told_by_line(
    verb: Run, tmp_path: Path, change: tuple[str, str, int], message: str
) -> None:
    command = files_of(tmp_path, "a b\n", "u v\n")
    arpa = tmp_path / "lm.arpa"
    done(verb("lm", "--text", tmp_path / "b", "--order", "2", "--arpa", arpa, "-q"))
    assert change[0] in arpa.read_text()
    arpa.write_text(arpa.read_text().replace(*change))
    assert mistake(verb(*command, "-q", "--arpa", arpa)).startswith(f"{arpa}: {message} ")


def test_a_model_of_rules_is_trained_with_one_option(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    text = ("--source", corpus.train_source, "--target", corpus.train_target)
    done(verb("train", *text, "--model", model, "--set", "decode.engine=chart"))
    loaded = load(model).model
    assert loaded.decode_options.engine == "chart"
    assert set(loaded.blocks.source_words.tolist()) >= {1, 2}
    assert len(loaded.blocks.orientation) == 0
    assert "distance" not in loaded.weights
    described = json.loads(done(verb("info", model, "--json")))
    assert described["info"]["options"]["blocks"]["rules"]["boundaries"] == "tight"
    assert f"rules           {len(loaded.blocks):,} of " in done(verb("info", model))
    assert isinstance(loaded.blocks.prefix_symbols.base, np.memmap)


def test_what_only_rules_have_is_refused_without_them(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    text = ("--source", corpus.train_source, "--target", corpus.train_target)
    result = verb(
        "train", *text, "--model", tmp_path / "model", "--set", "features.sparse=gap-order"
    )
    assert "'gap-order.left' looks at gaps, which only rules have" in mistake(result)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ("features.dense=standard", "decode.engine=chart has no distance, previous_monotone"),
        ("features.sparse=P2", "features.sparse=P2: 'P2' looks at the order of blocks; decode.eng"),
        ("decode.reordering=mon", "decode.reordering=mon is of no use to decode.engine=chart"),
        ("decode.options_by=count", "decode.options_by=count: decode.engine=chart knows no events"),
        ("decode.engine=tree", "decode.engine=tree: expected one of phrase, chart"),
        ("blocks.rules.max_gaps=3", "blocks.rules.max_gaps=3: expected a whole number from 0 to 2"),
    ],
)
def test_what_contradicts_the_chart_is_one_clear_line(
    verb: Run, corpus: CorpusFiles, tmp_path: Path, settings: str, problem: str
) -> None:
    text = ("--source", corpus.train_source, "--target", corpus.train_target)
    engine = ("--set", "decode.engine=chart", "--set", settings)
    result = verb("train", *text, "--model", tmp_path / "model", *engine)
    assert problem in mistake(result)
    assert not (tmp_path / "model").exists()
