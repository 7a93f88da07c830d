"""Parallel text from every kind of file to a cleaned bitext of ids."""

from __future__ import annotations

import gzip
import re
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.config import CleanOptions, TextOptions
from calque.errors import CalqueError, FileError, LineError
from calque.text import (
    RESERVED,
    BitextFiles,
    BitextSource,
    BitextTmx,
    BitextTsv,
    CleaningReport,
    Preprocessor,
    normalize,
    read_bitext,
    read_units,
    write_lines,
)

# What XML can hold and no line or column end: enough for all three kinds of file.
SIDE = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"))
PAIRS = st.lists(st.tuples(SIDE, SIDE), min_size=1)


def joined(text: BitextSource) -> tuple[list[str], list[str]]:
    """All lines of both sides."""
    source, target = ("".join(side) for side in zip(*text.blocks(), strict=True))
    return source.split("\n")[:-1], target.split("\n")[:-1]


def a_tmx(pairs: list[tuple[str, str]]) -> str:
    units = "".join(
        f'<tu><tuv xml:lang="de-DE"><seg>{escape(source)}</seg></tuv>'
        f'<tuv lang="EN"><seg>{escape(target)}</seg></tuv></tu>\n'
        for source, target in pairs
    )
    return f'<?xml version="1.0"?>\n<tmx version="1.4"><header/><body>\n{units}</body></tmx>'


def two_files(folder: Path, source: list[str], target: list[str]) -> BitextFiles:
    write_lines(folder / "s", source)
    write_lines(folder / "t", target)
    return BitextFiles(folder / "s", folder / "t")


@given(PAIRS)
def test_every_kind_of_file_gives_the_same_pairs(pairs: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = [side[0].removeprefix("\ufeff") for side in pairs], [t for _, t in pairs]
        table = [f"{source}\t{target}" for source, target in pairs]
        write_lines(folder / "tsv.gz", table)
        (folder / "tmx").write_text(a_tmx(pairs), encoding="utf-8")
        tmx = joined(BitextTmx(folder / "tmx", "de", "en"))
        assert tmx == ([s for s, _ in pairs], [t for _, t in pairs])
        tsv = joined(BitextTsv(folder / "tsv.gz"))
        assert [*map(normalize, tsv[0])] == [*map(normalize, expected[0])]
        assert tsv[1] == expected[1]
        files = joined(two_files(folder, [s for s, _ in pairs], [t for _, t in pairs]))
        assert [[*map(normalize, side)] for side in files] == [
            [*map(normalize, side)] for side in expected
        ]


def test_unequal_numbers_of_lines_name_both_files_and_both_counts(tmp_path: Path) -> None:
    text = two_files(tmp_path, ["a"] * 1200, ["b"] * 1199)
    with pytest.raises(FileError) as caught:
        read_bitext(text)
    assert str(caught.value) == (
        f"{text.source}: has 1,200 lines, but {text.target} has 1,199; "
        "expected one translation per line"
    )


def test_an_empty_file_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "full").write_text("a\n")
    for text in (
        BitextFiles(tmp_path / "empty", tmp_path / "full"),
        BitextFiles(tmp_path / "full", tmp_path / "empty"),
        BitextTsv(tmp_path / "empty"),
    ):
        with pytest.raises(FileError) as caught:
            read_bitext(text)
        assert str(caught.value) == f"{tmp_path / 'empty'}: is empty, expected at least one line"


@pytest.mark.parametrize(
    ("n_before", "row", "columns"),
    [(0, "one", "1 column"), (2, "", "1 column"), (300_000, "a\tb\tc", "3 columns")],
)
def test_a_table_with_other_columns_is_located(
    tmp_path: Path, n_before: int, row: str, columns: str
) -> None:
    write_lines(tmp_path / "x.tsv", [*["a\tb"] * n_before, row])
    with pytest.raises(LineError) as caught:
        read_bitext(BitextTsv(tmp_path / "x.tsv"))
    problem = f"line {n_before + 1}: {columns}, expected 2 separated by a tab"
    assert str(caught.value) == f"{tmp_path / 'x.tsv'}: {problem}"


def test_inline_markup_and_line_ends_leave_text(tmp_path: Path) -> None:
    segment = 'A <bpt i="1">&lt;b></bpt><hi>bold</hi>\n<ept i="1">&lt;/b></ept> word<ph/>.'
    unit = f'<tu><note>n</note><tuv xml:lang="en"><prop>p</prop><seg>{segment}</seg></tuv></tu>'
    (tmp_path / "x.tmx").write_text(f"<tmx><body>{unit}</body></tmx>")
    assert list(read_units(tmp_path / "x.tmx")) == [{"en": "A bold  word."}]


def test_languages_match_by_whole_first_parts_in_any_case(tmp_path: Path) -> None:
    variants = "".join(
        f'<tuv xml:lang="{code}"><seg>{code}</seg></tuv>' for code in ("den", "de_AT", "EN-gb")
    )
    (tmp_path / "x.tmx").write_text(f"<tmx><body><tu>{variants}</tu></body></tmx>")
    assert joined(BitextTmx(tmp_path / "x.tmx", "DE", "en")) == (["de_AT"], ["EN-gb"])
    with pytest.raises(FileError) as caught:
        joined(BitextTmx(tmp_path / "x.tmx", "de", "fr"))
    problem = "no text in language 'fr'; languages present: EN-gb, de_AT, den"
    assert str(caught.value) == f"{tmp_path / 'x.tmx'}: {problem}"


def test_units_without_one_language_count_as_empty(tmp_path: Path) -> None:
    units = (
        '<tu><tuv xml:lang="de"><seg>ja</seg></tuv></tu>'
        '<tu><tuv xml:lang="fr"><seg>oui</seg></tuv></tu>'
    )
    content = a_tmx([("a", "b")]).replace("</body>", units + "</body>")
    (tmp_path / "x.tmx").write_bytes(gzip.compress(content.encode()))
    bitext = read_bitext(BitextTmx(tmp_path / "x.tmx", "de", "en"))
    assert bitext.cleaning == CleaningReport(n_read=2, n_kept=1, n_empty_target=1)


def test_malformed_xml_is_located(tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    path.write_text(a_tmx([("a", "b")] * 3).replace("</seg>", "</sag>", 3))
    with pytest.raises(LineError) as caught:
        read_bitext(BitextTmx(path, "de", "en"))
    assert str(caught.value) == f"{path}: line 3: not well-formed XML: mismatched tag"


@pytest.mark.parametrize("content", [b"", b"plain text", b"\xff\xfe\x00"])
def test_what_is_no_xml_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.tmx").write_bytes(content)
    with pytest.raises(LineError, match=r"x\.tmx: line 1: not well-formed XML: [^\n]+$"):
        read_bitext(BitextTmx(tmp_path / "x.tmx", "de", "en"))


@pytest.mark.parametrize("encoding", ["shift_jis", "gbk", "no-such-encoding"])
def test_other_encodings_of_xml_are_one_clear_line(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.tmx"
    path.write_text(f"<?xml version='1.0' encoding='{encoding}'?><tmx><body></body></tmx>")
    with pytest.raises(FileError, match="expected UTF-8 or UTF-16"):
        list(read_units(path))


def test_xml_without_end_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "a.tmx"
    path.write_text("<tmx><body><tu><tuv lang='a'><seg>" + "<hi>" * 3000)
    with pytest.raises(FileError, match="more than 256 elements in each other"):
        list(read_units(path))


def test_other_xml_and_truncated_gzip_are_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    path.write_text("<html><body/></html>")
    with pytest.raises(FileError) as caught:
        read_bitext(BitextTmx(path, "de", "en"))
    assert str(caught.value) == f"{path}: expected a TMX file, found XML with root <html>"
    path.write_bytes(gzip.compress(a_tmx([("a", "b")] * 99).encode())[:-20])
    with pytest.raises(FileError, match="damaged or truncated compressed file"):
        read_bitext(BitextTmx(path, "de", "en"))


WORDS = st.lists(st.sampled_from("abc"), max_size=6).map(" ".join)


@given(
    st.lists(st.tuples(WORDS, WORDS), min_size=1), st.integers(1, 6), st.floats(1, 4), st.booleans()
)
def test_cleaning_agrees_with_a_loop(
    pairs: list[tuple[str, str]], max_words: int, max_ratio: float, overlap: bool
) -> None:
    kept, reasons = [], []
    for source, target in pairs:
        n, m = len(source.split()), len(target.split())
        if not n or not m:
            reasons.append("empty source" if not n else "empty target")
        elif max(n, m) > max_words:
            reasons.append("too long")
        elif max(n, m) / min(n, m) > max_ratio:
            reasons.append("unequal lengths")
        elif overlap and "a" not in source:
            reasons.append("no overlap")
        else:
            kept.append((source, target))
    options = CleanOptions(max_words=max_words, max_ratio=max_ratio)
    with tempfile.TemporaryDirectory() as name:
        text = two_files(Path(name), [s for s, _ in pairs], [t for _, t in pairs])
        write_lines(Path(name) / "test", ["a"])
        test_set = Path(name) / "test" if overlap else None
        if not kept:
            with pytest.raises(CalqueError, match="no sentence pair is left to learn from"):
                read_bitext(text, options=options, overlap=test_set)
            return
        bitext = read_bitext(text, options=options, overlap=test_set)
    assert len(bitext) == len(kept)
    sides = (
        (bitext.source, bitext.source_vocabulary, [s for s, _ in kept]),
        (bitext.target, bitext.target_vocabulary, [t for _, t in kept]),
    )
    for sentences, vocabulary, lines in sides:
        assert [vocabulary.decode(row) for row in sentences] == lines
        assert {*vocabulary} - {*RESERVED} == {word for line in lines for word in line.split()}
    dropped = str(bitext.cleaning).partition("dropped: ")[2]
    found = {why: int(n) for n, why in re.findall(r"(\d+) ([a-z ]+)", dropped)}
    assert found == {why: reasons.count(why) for why in reasons}


def test_a_line_of_a_hundred_thousand_words_is_dropped_and_counted(tmp_path: Path) -> None:
    long = " ".join(["word"] * 100_000)
    bitext = read_bitext(two_files(tmp_path, ["a", long], ["b", "c"]))
    assert bitext.cleaning == CleaningReport(n_read=2, n_kept=1, n_too_long=1)
    assert str(bitext.cleaning) == "2 pairs read, 1 kept; dropped: 1 too long"
    assert "word" not in bitext.source_vocabulary


def test_nothing_left_is_one_clear_line(tmp_path: Path) -> None:
    text = two_files(tmp_path, ["", "a"], ["b", " "])
    with pytest.raises(FileError) as caught:
        read_bitext(text)
    assert str(caught.value) == (
        f"{text.source}: no sentence pair is left to learn from: "
        "2 pairs read, 0 kept; dropped: 1 empty source, 1 empty target"
    )


def test_workers_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calque.text.pipeline._PIECE", 50)
    source, target = ["Das ist gut, oder?", "“Ja”, sagte er."] * 9, ["It's good, no?", "Yes."] * 9
    text = two_files(tmp_path, source, target)
    options = TextOptions(tokenize=True, source_language="de", target_language="en", casing="true")
    one, two = (
        read_bitext(text, Preprocessor.fit(options, text, workers), workers=workers)
        for workers in (1, 2)
    )
    assert one.source_vocabulary == two.source_vocabulary
    assert one.target_vocabulary == two.target_vocabulary
    assert one.source.ids.tolist() == two.source.ids.tolist()
    decoded = [one.source_vocabulary.decode(row) for row in one.source]
    assert decoded == ["Das ist gut , oder ?", "“ Ja ” , sagte er ."] * 9
