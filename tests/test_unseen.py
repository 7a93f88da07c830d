"""Known words stand for words that were never seen: what they are, and how they are chosen."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, done
from scipy.optimize import check_grad
from scipy.special import expit

from calque.align import Alignments
from calque.config import TrainOptions, fill
from calque.data import write_corpus
from calque.decode import Required, Translator, load
from calque.decode.substitution import substitute
from calque.errors import ModelError
from calque.metrics import score
from calque.model import Model
from calque.model.build import build
from calque.model.model import known_words
from calque.text import (
    Bitext,
    BitextFiles,
    CorpusEncoder,
    Prepared,
    read_lines,
    write_lines,
)
from calque.text.clean import CleaningReport
from calque.tune import jackknife
from calque.unseen import KnownWords, Substitutes, UnseenWords, learn, learn_unseen
from calque.unseen.candidates import COPY, Candidate, Rates, expected_agreement
from calque.unseen.known_words import LONGEST_ENDING, LONGEST_FILLER, SHORTEST_MISSPELT, Form


def random_words(random: random.Random, n: int, letters: str = "abA") -> list[str]:
    return ["".join(random.choices(letters, k=random.randint(1, 7))) for _ in range(n)]


def known(*words: str) -> KnownWords:
    return KnownWords({word: at + 1 for at, word in enumerate(words)})


def shared(word: str, other: str) -> int:
    return max(n for n in range(min(len(word), len(other)) + 1) if word[:n] == other[:n])


@pytest.mark.parametrize("seed", range(20))
def test_forms_are_all_words_that_share_half_and_differ_in_short_endings(seed: int) -> None:
    draw = random.Random(seed)
    words = random_words(draw, 60)
    for word in random_words(draw, 20):
        expected = set()
        for other in words:
            stem = shared(word, other)
            rests = len(word) - stem, len(other) - stem
            if (
                other != word
                and 2 * stem >= max(len(word), len(other), 1)
                and max(rests) <= LONGEST_ENDING
            ):
                expected.add(Form(other, stem, word[stem:], other[stem:]))
        forms = list(known(*dict.fromkeys(words)).forms(word))
        assert len(forms) == len(expected)
        assert set(forms) == expected


def one_edit(word: str, letters: str) -> set[str]:
    """The slow reference: every edit there is."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    return (
        {left + right[1:] for left, right in cuts if right}
        | {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
        | {left + letter + right for letter in letters for left, right in cuts}
        | {left + letter + right[1:] for letter in letters for left, right in cuts if right}
    )


@pytest.mark.parametrize("seed", range(20))
def test_variants_are_one_edit_away_or_differ_in_case(seed: int) -> None:
    draw = random.Random(seed)
    words = list(dict.fromkeys(random_words(draw, 100)))
    for word in random_words(draw, 20):
        near = {
            other
            for other in words
            if other != word
            and len(word) >= SHORTEST_MISSPELT
            and (other in one_edit(word, "abA") or other.lower() == word.lower())
        }
        assert known(*words).variants(word) == sorted(near)


@pytest.mark.parametrize("seed", range(20))
def test_splits_are_all_ways_to_make_the_word_of_known_ones(seed: int) -> None:
    draw = random.Random(seed)
    words = list(dict.fromkeys(random_words(draw, 15)))
    fillers = ["".join(f) for n in range(LONGEST_FILLER + 1) for f in product("abA", repeat=n)]
    for word in random_words(draw, 20):
        pairs = {
            ((a, b), filler)
            for a, b in product(words, repeat=2)
            for filler in fillers
            if a + filler + b == word
        }
        triples = {(abc, "") for abc in product(words, repeat=3) if "".join(abc) == word}
        splits = list(known(*words).splits(word))
        assert len(splits) == len(pairs | triples)
        assert {tuple(split) for split in splits} == pairs | triples


def aligned(pairs: list[tuple[str, str, str]]) -> tuple[Bitext, Alignments]:
    """A bitext with links in the Pharaoh format."""
    sides = []
    for side in (0, 1):
        encoder = CorpusEncoder()
        encoder.feed("".join(pair[side] + "\n" for pair in pairs))
        sides.append(encoder.finish())
    (source_words, source), (target_words, target) = sides
    links = [[tuple(map(int, link.split("-"))) for link in pair[2].split()] for pair in pairs]
    alignments = Alignments(
        np.array([link for some in links for link in some], np.int32).reshape(-1, 2),
        np.cumsum([0, *map(len, links)]).astype(np.int64),
    )
    report = CleaningReport(len(pairs), len(pairs))
    lines = np.arange(len(pairs))
    return Bitext(source, target, source_words, target_words, report, lines), alignments


def test_agreement_is_the_f_score_of_expected_translations() -> None:
    bitext, links = aligned(
        [
            ("apfel", "apple", "0-0"),
            ("apfel", "the apple", "0-0 0-1"),
            ("saft", "juice", "0-0"),
            ("apfelsaft", "apple juice", "0-0 0-1"),
            ("apple", "apple", "0-0"),
        ]
    )
    text = learn._Translations(bitext, links)
    # apfel: apple 1, the 1/2 an occurrence; saft: juice 1; apfelsaft: apple 1, juice 1.
    assert text.agreement("apfelsaft", ("apfel",)) == pytest.approx(2 * 1 / (2 + 1.5))
    assert text.agreement("apfelsaft", ("apfel", "saft")) == pytest.approx(2 * 2 / (2 + 2.5))
    assert text.agreement("saft", ("apfel",)) == 0
    assert text.of_copy("apple") == 1
    assert text.of_copy("saft") == 0


def test_several_sets_of_links_count_as_one() -> None:
    bitext, links = aligned([("a b", "x y", "0-0 1-1"), ("a", "x", "0-0")])
    twice = learn._Translations(bitext, Alignments.stacked([links, links]))
    assert twice.of_word("a") == learn._Translations(bitext, links).of_word("a")


def test_of_a_long_text_the_beginning_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("a b", "x y", "0-0 1-1"), ("a", "x", "0-0"), ("a c", "z z", "0-1 1-0")]
    bitext, links = aligned(pairs)
    monkeypatch.setattr(learn, "MOST_PAIRS", 2)
    text = learn._Translations(bitext, Alignments.stacked([links, links]))
    x = bitext.target_vocabulary.id("x")
    assert text.words == ["a", "b"]
    assert text.of_word("a") == {x: 1.0}
    assert text.of_word("c") == {}
    assert text.agreement("a", ("c",)) == 0


def test_rates_leave_out_the_case_itself_and_know_the_mean() -> None:
    rates = Rates()
    for value in (1.0, 0.0, 0.5):
        rates.add("s ", value)
    rates.add("x ", 0.3)
    rates = rates.finish(10)
    mean = 1.8 / 4
    assert rates.mean == pytest.approx(mean)
    assert rates.log_odds("x ", None)[1] == 0  # a single case tells nothing
    odds, n = rates.log_odds("s ", own=1.0)
    rate = (0.5 + 2 * mean) / (2 + 2)
    assert odds == pytest.approx(np.log(rate / (1 - rate)))
    assert n == 2


def test_coefficients_are_where_the_gradient_is_zero() -> None:
    draw = np.random.default_rng(3)
    facts = np.column_stack([np.ones(50), draw.normal(size=(50, 2))])
    agreements = expit(facts @ [-1.0, 2.0, 0.5])

    def loss(values: np.ndarray) -> float:
        scores = facts @ values
        moved = values - [learn.START, 0, 0]
        likelihood = agreements * np.log(expit(scores)) + (1 - agreements) * np.log(expit(-scores))
        return float(learn.RIDGE / 2 * moved @ moved - likelihood.sum())

    fitted = np.array(learn._fitted(facts, agreements))
    assert check_grad(loss, lambda _: np.zeros(3), fitted) == pytest.approx(0, abs=0.01)
    assert fitted[1] > 1  # what agreement depends on shows


def test_a_kind_without_coefficients_is_never_chosen() -> None:
    copy = Candidate(COPY, (), (1.0, 0, 0, 0, 0, 0))
    assert expected_agreement(copy, {}) == 0
    assert expected_agreement(copy, {COPY: (2.0, 0, 0, 0, 0, 0)}) == pytest.approx(expit(2.0))
    nothing = Substitutes(UnseenWords(), known("haus"), ())
    assert nothing.words_for("hauses", 0.2) == ()


def stems_of(draw: random.Random) -> list[str]:
    return list(dict.fromkeys("".join(draw.choices("bdfgklmnprst", k=5)) for _ in range(80)))


SEED = 1
STEMS = stems_of(random.Random(SEED))


@pytest.fixture(scope="module")
def taught() -> Substitutes:
    """What is learned of a language with endings and compounds; some words were never seen."""
    draw = random.Random(SEED)
    stems = stems_of(draw)
    pairs = []
    for at, stem in enumerate(stems):
        for ending in ("om", "y", "ach"):
            if at > 3 or ending != "ach":  # the first four lack one form
                pairs.append((stem + ending, f"t{at}", "0-0"))
    for at in range(10, 40):
        pairs.append((stems[at] + "y" + stems[at + 20] + "om", f"t{at} t{at + 20}", "0-0 0-1"))
        pairs.append((f"Q{at}", f"Q{at}", "0-0"))
    draw.shuffle(pairs)
    bitext, links = aligned(pairs)
    words = known_of(bitext)
    return Substitutes(learn_unseen(bitext, links, words), words, bitext.target_vocabulary)


def known_of(bitext: Bitext) -> KnownWords:
    counts = np.bincount(bitext.source.ids, minlength=len(bitext.source_vocabulary))
    words = list(bitext.source_vocabulary)
    return KnownWords({words[id]: int(counts[id]) for id in range(3, len(words))})


def test_an_unseen_form_is_translated_as_a_known_form_of_the_same_stem(taught: Substitutes) -> None:
    for stem in STEMS[:4]:
        [word] = taught.words_for(stem + "ach", 0.2)
        assert word in (stem + "om", stem + "y")


def test_an_unseen_compound_is_translated_as_its_parts(taught: Substitutes) -> None:
    for a, b in ((70, 50), (5, 66), (71, 9)):
        word = STEMS[a] + "y" + STEMS[b] + "om"
        assert taught.words_for(word, 0.2) == (STEMS[a] + "y", STEMS[b] + "om")


def test_known_words_names_and_words_like_nothing_stay(taught: Substitutes) -> None:
    assert taught.words_for(STEMS[5] + "om", 0.0) == ()
    assert taught.words_for("Q99", 0.2) == ()
    assert taught.words_for("zzzzzz", 0.2) == ()
    assert taught.words_for(STEMS[0] + "ach", 1.0) == ()


class Fixed(Substitutes):
    """Known words by a table."""

    def __init__(self, table: dict[str, tuple[str, ...]]) -> None:
        self.table = table

    def words_for(self, word: str, least_agreement: float) -> tuple[str, ...]:
        return self.table.get(word, ())


def test_spans_gaps_and_requirements_follow_the_words() -> None:
    sentence = Prepared(
        words=("a", "bc", "d", "ef", "bc"),
        originals=("A", "Bc", "D", "ef", "bc"),
        kept=((2, 3),),
        foreign=((3, 4),),
        gaps=("", " ", "", " ", " "),
    )
    required = [Required(2, 3, ("d",), is_copy=True), Required(4, 5, ("x",))]
    fixed = Fixed({"bc": ("b", "c"), "ef": ("EF",), "d": ("nothing",)})
    changed, moved = substitute(sentence, required, fixed, 0.2)
    assert changed.words == ("a", "b", "c", "d", "EF", "bc")  # what is required stays
    assert changed.originals == ("A", "b", "c", "D", "ef", "bc")
    assert changed.gaps == ("", " ", " ", "", " ", " ")
    assert (changed.kept, changed.foreign) == (((3, 4),), ((4, 5),))
    assert [(span.begin, span.end) for span in moved] == [(3, 4), (5, 6)]
    assert (changed.given, changed.places) == (sentence.words, (0, 1, 1, 2, 3, 4))
    assert substitute(sentence, required, Fixed({}), 0.2) == (sentence, required)


@pytest.fixture(scope="module")
def inflected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], list[list[str]]]:
    """A model of the generated inflected language, and a text with words that it lacks."""
    folder = tmp_path_factory.mktemp("inflected")
    files = write_corpus(folder, "near", {"train": 1500, "dev": 1, "test": 200}, seed=6)
    options = fill(TrainOptions(), {"features": {"dense": "standard"}})
    build(BitextFiles(files.train_source, files.train_target), folder / "model", options)
    references = [list(read_lines(path)) for path in files.test_references]
    return folder / "model", list(read_lines(files.test_source)), references


def test_substitution_helps_on_the_generated_inflected_language(
    inflected: tuple[Path, list[str], list[list[str]]],
) -> None:
    folder, source, references = inflected
    translator = load(folder)
    scores, unknown = [], []
    for least_agreement in (1.0, 0.2):
        done = list(translator.translate_all(source, least_agreement=least_agreement))
        unknown.append(sum(len(translation.unknown) for translation in done))
        texts = [translation.text for translation in done]
        scores.append(score(texts, references, ("bleu",), tokenize="none")[0].value)
    assert unknown[1] < 0.7 * unknown[0]
    assert scores[1] > scores[0] + 0.7


def test_what_stood_for_what_is_told_and_links_are_of_the_given_words(
    inflected: tuple[Path, list[str], list[list[str]]],
) -> None:
    model = Model.load(inflected[0])
    assert model.bitext is not None
    ids = model.bitext.source.ids[: model.bitext.source.offsets[1]]
    line = model.source_vocabulary.decode(ids).split()
    new = replace(model, unseen=UnseenWords())
    vars(new)["substitutes"] = Fixed({"wholly-new": (line[0], line[1])})
    translation = Translator(new).translate(" ".join(["wholly-new", *line[2:]]))
    assert translation.source_words == tuple(line)
    assert translation.substituted == {"wholly-new": f"{line[0]} {line[1]}"}
    assert translation.to_json()["substituted"] == translation.substituted
    assert translation.unknown == ()
    plain = Translator(model).translate(" ".join(line))
    assert translation.text == plain.text
    moved = {(max(i - 1, 0), j) for i, j in plain.links}
    assert translation.alignment() == " ".join(f"{i}-{j}" for i, j in sorted(moved))
    assert plain.substituted == {}


def test_an_explanation_says_what_stood_for_a_word_never_seen(
    inflected: tuple[Path, list[str], list[list[str]]],
) -> None:
    model = Model.load(inflected[0])
    line = inflected[1][0].split()
    known = next(word for word in line if word in model.source_vocabulary)
    new = replace(model, unseen=UnseenWords())
    vars(new)["substitutes"] = Fixed({"wholly-new": (known, known)})
    translator = Translator(new)
    explanation = translator.explain(f"wholly-new {known}")
    assert explanation.source == (known, known, known)
    head = explanation.to_text().splitlines()
    assert f"never seen   wholly-new, translated as: {known} {known}" in head[:4]
    assert explanation.to_json()["substituted"] == {"wholly-new": f"{known} {known}"}
    asked = translator.explain(f"wholly-new {known}", explanation.translation.text)
    assert "never seen   wholly-new" in asked.to_text()
    plain = translator.explain(known)
    assert "never seen" not in plain.to_text()
    assert plain.to_json()["substituted"] == {}


def test_a_part_of_the_training_text_has_words_that_its_model_has_not_seen(
    inflected: tuple[Path, list[str], list[list[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jackknife, "STRETCH", 20)
    folder, _, _ = inflected
    model = Model.load(folder)
    assert model.bitext is not None
    keep = np.arange(len(model.bitext)) >= 100
    part = jackknife.model_of(model, model.bitext, keep, TrainOptions().blocks)
    assert part.substitutes is not None
    assert model.substitutes is not None
    names = [model.source_vocabulary.word(id) for id in set(model.bitext.source.ids.tolist())]
    lacking = [
        word for word in names if word not in known_words(part.blocks, part.source_vocabulary)
    ]
    assert lacking
    assert any(part.substitutes.words_for(word, 0.2) for word in lacking)
    assert not any(model.substitutes.words_for(word, 0.0) for word in lacking)


def test_what_was_learned_comes_back_from_disk_and_damage_is_refused(taught: Substitutes) -> None:
    state = json.loads(json.dumps(taught._unseen.to_json()))
    again = UnseenWords.from_json(state)
    assert again.to_json() == state
    word = STEMS[0] + "ach"
    other = Substitutes(again, taught._known, taught._target_words)
    assert other.best(word) == taught.best(word)
    for damaged in (
        None,
        {**state, "more": 1},
        {**state, "coefficients": {"form": [1.0]}},
        {**state, "coefficients": {"form": [float("nan")] * 6}},
        {**state, "coefficients": []},
        {**state, "endings": {"mean": "x", "names": {}}},
        {**state, "endings": {"mean": 0.1, "names": {"a": [1.0]}}},
        {**state, "fillers": {"mean": float("inf"), "names": {}}},
    ):
        with pytest.raises(ModelError, match="unseen words"):
            UnseenWords.from_json(damaged)


def test_the_model_keeps_it_and_equal_text_gives_equal_results(
    inflected: tuple[Path, list[str], list[list[str]]],
) -> None:
    model = Model.load(inflected[0])
    kept = model.bitext
    assert kept is not None
    assert model.unseen is not None
    report = CleaningReport(len(kept), len(kept))
    words = model.source_vocabulary, model.target_vocabulary
    bitext = Bitext(kept.source, kept.target, *words, report, kept.lines)
    known = known_words(model.blocks, model.source_vocabulary)
    assert learn_unseen(bitext, kept.alignments, known).to_json() == model.unseen.to_json()


def test_the_command_line_takes_the_share(
    verb: Run, inflected: tuple[Path, list[str], list[list[str]]], tmp_path: Path
) -> None:
    folder, source, _ = inflected
    write_lines(tmp_path / "in", source[:40])
    texts = []
    for share in ("1", "0.2"):
        command = ["translate", "--model", folder, "--input", tmp_path / "in", "--json"]
        shown = done(verb(*command, "--least-agreement", share))
        texts.append([json.loads(line) for line in shown.splitlines()])
    assert not any(line["substituted"] for line in texts[0])
    assert any(line["substituted"] for line in texts[1])
