"""ARPA files: what is written reads back, what is wrong is one clear line."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lm_corpora import entries, model_of

from calque.errors import CalqueError, ModelError
from calque.lm import LanguageModel, read_arpa, write_arpa
from calque.text import Vocabulary

TEXT = "the cat sat\nthe dog sat on the cat\n\na dog\nähm ☃ the end\n"
VALID = """\\data\\
ngram 1=4
ngram 2=2
ngram 3=1

\\1-grams:
-1\t<unk>
0\t<s>\t-0.5
-1.5\t</s>
-0.7\ta\t-0.3

\\2-grams:
-0.2\t<s> a\t-0.1
-0.3\ta </s>

\\3-grams:
-0.1\t<s> a </s>

\\end\\
"""


@pytest.mark.parametrize("order", [1, 2, 5])
@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
def test_a_model_reads_back_as_it_was_written(tmp_path: Path, order: int, name: str) -> None:
    model = model_of(TEXT, order)
    write_arpa(model, tmp_path / name)
    again = read_arpa(tmp_path / name)
    assert again.vocabulary == model.vocabulary
    assert again.n_ngrams == model.n_ngrams
    left, right = model.to_arrays(), again.to_arrays()
    for array in left:
        if array.startswith("ngrams"):
            np.testing.assert_array_equal(left[array], right[array])
        else:
            np.testing.assert_allclose(left[array]["log_prob"], right[array]["log_prob"], rtol=1e-6)
            np.testing.assert_allclose(left[array]["backoff"], right[array]["backoff"], rtol=1e-6)
    write_arpa(again, tmp_path / "second.arpa")
    first, second = entries(tmp_path / name), entries(tmp_path / "second.arpa")
    assert list(first) == list(second)


def test_the_name_decides_whether_the_file_is_compressed(tmp_path: Path) -> None:
    model = model_of(TEXT, 2)
    write_arpa(model, tmp_path / "a.arpa")
    write_arpa(model, tmp_path / "a.arpa.gz")
    packed = (tmp_path / "a.arpa.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "a.arpa").read_bytes()


def test_arrays_map_from_disk_without_a_copy(tmp_path: Path) -> None:
    model = model_of(TEXT, 4)
    for name, array in model.to_arrays().items():
        np.save(tmp_path / f"{name}.npy", array)
    mapped = {file.stem: np.load(file, mmap_mode="r") for file in tmp_path.glob("*.npy")}
    again = LanguageModel.from_arrays(mapped, Vocabulary.from_text(model.vocabulary.to_text()))
    assert again.order == 4
    assert all(again.to_arrays()[name] is array for name, array in mapped.items())
    for line in TEXT.splitlines():
        assert again.score(line) == model.score(line)
    write_arpa(model, tmp_path / "a.arpa")
    write_arpa(again, tmp_path / "b.arpa")
    assert (tmp_path / "a.arpa").read_bytes() == (tmp_path / "b.arpa").read_bytes()


def test_arrays_of_another_model_are_refused() -> None:
    model = model_of(TEXT, 3)
    arrays = model.to_arrays()
    with pytest.raises(ModelError, match=r"the array ngrams.3 is missing"):
        LanguageModel.from_arrays(
            {k: v for k, v in arrays.items() if k != "ngrams.3"}, model.vocabulary
        )
    with pytest.raises(ModelError, match=r"the array table.2 is of another kind"):
        LanguageModel.from_arrays(arrays | {"table.2": arrays["ngrams.2"]}, model.vocabulary)
    with pytest.raises(ModelError, match=r"the array table.2 is too short"):
        LanguageModel.from_arrays(arrays | {"table.2": arrays["table.2"][:3]}, model.vocabulary)
    with pytest.raises(ModelError, match="unigrams for a vocabulary of 4 words"):
        LanguageModel.from_arrays(arrays, Vocabulary(["a"]))


def read(text: str, folder: Path) -> LanguageModel:
    path = folder / "bad.arpa"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return read_arpa(path)


def test_the_valid_file_that_the_others_spoil_is_valid(tmp_path: Path) -> None:
    assert read(VALID, tmp_path).n_ngrams == [4, 2, 1]
    assert read("\n" + VALID.replace("\t", " ").replace("\n", " \r\n"), tmp_path).order == 3
    assert read(VALID.replace("<unk>", "<UNK>"), tmp_path).score("b") == read(
        VALID, tmp_path
    ).score("b")


WRONG = {
    "": ("", "line 1: expected \\data\\, found the end"),
    "no data": (VALID[7:], "line 1: expected \\data\\, found 'ngram 1=4'"),
    "no counts": (VALID.replace("ngram", "#"), "line 2: expected 'ngram 1=COUNT' or a section"),
    "bad count": (VALID.replace("2=2", "2=two"), "line 3: expected 'ngram 2=COUNT'"),
    "negative": (VALID.replace("2=2", "2=-2"), "line 3: expected 'ngram 2=COUNT'"),
    "order left out": (VALID.replace("ngram 2", "ngram 4"), "line 3: expected 'ngram 2=COUNT'"),
    "nothing at all": ("\\data\\\n\\end\\\n", "line 2: expected 'ngram 1=COUNT'"),
    "too few": (VALID.replace("1=4", "1=5"), "line 12: the header promises 5 1-grams, found 4"),
    "too many": (VALID.replace("1=4", "1=3"), "line 10: the header promises 3 1-grams, found more"),
    "wrong section": (VALID.replace("\\2-", "\\3-"), "line 12: expected \\2-grams:, found '\\3-"),
    "no section": (VALID.replace("\\1-grams:\n", ""), "line 6: expected 'ngram 4=COUNT'"),
    "few fields": (VALID.replace("-0.3\ta </s>", "-0.3\ta"), "line 14: expected a log probability"),
    "many fields": (VALID.replace("a </s>\n", "a </s> 0 0\n", 1), "line 14: expected a log prob"),
    "no number": (VALID.replace("-0.7", "x"), "line 10: the log probability 'x' is not a finite"),
    "nan": (VALID.replace("-0.7", "nan"), "line 10: the log probability 'nan' is not a finite"),
    "infinite": (VALID.replace("-0.7", "-inf"), "line 10: the log probability '-inf' is not a fin"),
    "bad backoff": (VALID.replace("-0.1\n", "x\n"), "line 13: the backoff 'x' is not a finite"),
    "positive": (VALID.replace("-0.7", "0.7"), "line 10: the log probability is positive"),
    "top backoff": (
        VALID.replace("a </s>\n\n\\e", "a </s> -1\n\n\\e"),
        "line 17: an n-gram of the",
    ),
    "unknown word": (VALID.replace("<s> a\t", "<s> b\t"), "line 13: the word 'b' is not among"),
    "same word": (VALID.replace("-0.7\ta", "-0.7\t<s>"), "line 10: the 1-gram '<s>' is listed twi"),
    "same n-gram": (VALID.replace("\ta </s>", "\t<s> a"), "line 14: the 2-gram is listed twice"),
    "no context": (VALID.replace("\t<s> a </s>", "\ta a </s>"), "line 17: its first 2 words are"),
    "no start": (VALID.replace("<s>", "x"), "line 19: <s> is not among the 1-grams"),
    "no end mark": (VALID.replace("\\end\\", ""), "line 19: expected \\end\\, found the end"),
    "cut short": (VALID[: VALID.index("-0.3\ta <")], "line 13: the header promises 2 2-grams"),
    "more after": (VALID + "x\n", "line 20: expected nothing after \\end\\, found 'x'"),
    "order 8": (
        "\\data\\\n" + "".join(f"ngram {n}=0\n" for n in range(1, 9)),
        "line 9: the model has order 8, expected at most 7",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_bad_file_is_one_clear_line(case: str, tmp_path: Path) -> None:
    text, message = WRONG[case]
    with pytest.raises(CalqueError) as raised:
        read(text, tmp_path)
    assert str(raised.value).startswith(f"{tmp_path / 'bad.arpa'}: {message}")
    assert "\n" not in str(raised.value)


def test_a_word_with_a_space_cannot_be_written(tmp_path: Path) -> None:
    model = model_of("a\tb c\n", 2)
    with pytest.raises(CalqueError, match="has a space"):
        write_arpa(model, tmp_path / "a.arpa")
    assert list(tmp_path.iterdir()) == []


pieces = st.sampled_from(
    [*"\t\n \\-.10ae<>", "<s>", "\\end\\", "nan", "-1e999", "99999999999", "☃"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(VALID)), st.integers(0, 6), pieces), max_size=4))
def test_a_damaged_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, damages: list[tuple[int, int, str]]
) -> None:
    text = VALID
    for at, n_lost, piece in damages:
        text = text[:at] + piece + text[at + n_lost :]
    folder = tmp_path_factory.getbasetemp()
    try:
        model = read(text, folder)
    except CalqueError:
        return
    assert np.isfinite(model.score("a b a"))
