"""On its own model, Moses's derivations score the same here, and none beats what we find."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from calque.decode import Decoder, SourceText
from calque.errors import CalqueError
from calque.features import DENSE, REORDERING, TRANSLATION
from calque.model import Model
from calque.model.moses import read_moses
from calque.text import UNKNOWN, read_lines

DATA = Path(__file__).parents[1].parent / "shared" / "data"
FOLDER = DATA / "moses" / "eutrans.model"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason=f"needs {FOLDER}")

NAMES = {
    "TranslationModel0": TRANSLATION,
    "LexicalReordering0": REORDERING,
    "LM0": ("language_model",),
    "WordPenalty0": ("word_count",),
    "PhrasePenalty0": ("block_count",),
    "Distortion0": ("distance",),
}
"""Moses's features under our names; its word penalty is minus our word count."""


@dataclass(frozen=True)
class Entry:
    """A line of Moses's n-best list."""

    sentence: int
    words: tuple[str, ...]
    features: dict[str, float]
    total: float
    spans: tuple[tuple[range, range], ...]
    """Source and target positions of each block, in target order."""


def entries() -> Iterator[Entry]:
    for line in read_lines(FOLDER / "test300.nbest20.gz"):
        sentence, text, features, total, spans, _ = line.split(" ||| ")
        values: dict[str, float] = {}
        for field in features.split():
            if field.endswith("="):
                names, sign = iter(NAMES[field[:-1]]), -1 if field == "WordPenalty0=" else 1
            else:
                values[next(names)] = sign * float(field)
        yield Entry(
            int(sentence),
            tuple(text.split()),
            values,
            float(total),
            tuple((positions(s), positions(t)) for s, t in (f.split("=") for f in spans.split())),
        )


def positions(inclusive: str) -> range:
    first, _, last = inclusive.partition("-")
    return range(int(first), int(last or first) + 1)


@pytest.fixture(scope="module")
def model() -> Model:
    return read_moses(FOLDER)


@pytest.fixture(scope="module")
def decoder(model: Model) -> Decoder:
    return Decoder(model.blocks, model.target_vocabulary, model.lm)


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return list(read_lines(DATA / "eutrans" / "test.es"))[:300]


def encode(model: Model, lines: list[str]) -> SourceText:
    return SourceText.encode(lines, model.source_vocabulary, model.target_vocabulary)


def target_ids(model: Model, words: tuple[str, ...], source: list[str]) -> list[int]:
    ids = [model.target_vocabulary.id(word) for word in words]
    return [
        -1 - source.index(word) if id == UNKNOWN else id
        for id, word in zip(ids, words, strict=True)
    ]


def test_every_derivation_of_moses_has_the_same_features_and_score_here(
    model: Model, decoder: Decoder, lines: list[str]
) -> None:
    n_entries = 0
    for entry in entries():
        line = lines[entry.sentence]
        target = target_ids(model, entry.words, line.split())
        blocks = [(s.start, s.stop, target[t.start : t.stop]) for s, t in entry.spans]
        ours = decoder.derive(encode(model, [line]), blocks, model.weights)
        values = dict(zip(DENSE, ours.features, strict=True))
        assert {name: values[name] for name in entry.features} == pytest.approx(
            entry.features, rel=1e-5, abs=1e-3
        ), entry
        assert ours.score == pytest.approx(entry.total, abs=1e-2), entry
        n_entries += 1
    assert n_entries > 2000


def test_the_best_translation_is_hardly_ever_worse_than_that_of_moses(
    model: Model, decoder: Decoder, lines: list[str]
) -> None:
    best: dict[int, float] = {}
    for entry in entries():
        best[entry.sentence] = max(best.get(entry.sentence, entry.total), entry.total)
    options = replace(model.decode_options, pop_limit=1000, stack_size=1000)
    found = decoder.decode(encode(model, lines), model.weights, options)
    scores = [decoded.derivations[0].score for decoded in found]
    n_worse = sum(scores[at] < score - 1e-3 for at, score in best.items())
    assert len(best) == len(lines)
    assert n_worse <= 0.01 * len(best)


def test_blocks_that_make_no_derivation_are_refused(
    model: Model, decoder: Decoder, lines: list[str]
) -> None:
    entry = next(entries())
    line = lines[entry.sentence]
    source, target = encode(model, [line]), target_ids(model, entry.words, line.split())
    blocks = [(s.start, s.stop, target[t.start : t.stop]) for s, t in entry.spans]
    (begin, end, words), *rest = blocks
    for wrong, message in (
        (rest, "untranslated"),
        ([*blocks, blocks[0]], "same source word"),
        ([(begin, end + 100, words), *rest], "outside the sentence"),
        ([(begin, end, [*words, *words]), *rest], "no block with this target"),
    ):
        with pytest.raises(CalqueError, match=message):
            decoder.derive(source, wrong, model.weights)
