"""Minimum Bayes risk over n-best lists, against a comparison of all pairs by `Counter`."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bleu_reference import bleu_plus_one
from conftest import Run, done, mistake
from hypothesis import given
from hypothesis import strategies as st

from calque import _core
from calque.config import ConsensusOptions, TextOptions
from calque.data import CorpusFiles
from calque.decode import Consensus, Translation, Translator, load
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.hyps import NBest, by_consensus, read_nbest
from calque.model import activate_weights
from calque.text import Preprocessor, read_lines

SENTENCES = st.lists(st.integers(0, 4), max_size=9)
Row = tuple[str, dict[str, float], float]
LISTS = st.lists(st.lists(SENTENCES, min_size=1, max_size=7), min_size=1, max_size=3)


def expected_of(candidates: Sequence[Sequence[Any]], probabilities: Sequence[float]) -> list[float]:
    return [
        sum(
            probability * bleu_plus_one(hypothesis, reference)
            for reference, probability in zip(candidates, probabilities, strict=True)
        )
        for hypothesis in candidates
    ]


def softmax(scores: Sequence[float], scale: float) -> list[float]:
    powers = [math.exp(scale * (score - max(scores))) for score in scores]
    return [power / sum(powers) for power in powers]


@given(lists=LISTS, seed=st.integers(0, 99), threads=st.sampled_from([1, 3]))
def test_the_core_sums_over_all_pairs_of_a_list(
    lists: list[list[list[int]]], seed: int, threads: int
) -> None:
    candidates = [words for listed in lists for words in listed]
    probabilities = np.random.default_rng(seed).random(len(candidates))
    found = _core.expected_bleu(
        np.array([word for words in candidates for word in words], np.int32),
        np.cumsum([0, *map(len, candidates)]),
        np.cumsum([0, *map(len, lists)]),
        probabilities,
        threads=threads,
    )
    expected: list[float] = []
    for listed in lists:
        some = probabilities[len(expected) : len(expected) + len(listed)]
        expected += expected_of(listed, some.tolist())
    assert found == pytest.approx(expected)


def test_a_list_of_many_different_and_repeated_words_is_compared_exactly() -> None:
    generator = np.random.default_rng(5)
    candidates = [generator.integers(0, 40, size) for size in generator.integers(20, 90, 30)]
    shares = np.full(30, 1 / 30)
    found = _core.expected_bleu(
        np.concatenate(candidates).astype(np.int32),
        np.cumsum([0, *map(len, candidates)]),
        np.array([0, 30]),
        shares,
        threads=1,
    )
    assert found == pytest.approx(expected_of([c.tolist() for c in candidates], shares.tolist()))


def test_the_core_refuses_arrays_that_do_not_fit() -> None:
    words, offsets, one = np.zeros(3, np.int32), np.array([0, 1, 3]), np.ones(2)
    for arguments in (
        (words, np.array([0, 1, 4]), np.array([0, 2]), one),
        (words, offsets, np.array([0, 3]), one),
        (words, offsets, np.array([0, 2]), np.ones(3)),
        (words, np.empty(0, np.int64), np.array([0]), np.empty(0)),
    ):
        with pytest.raises(CalqueError):
            _core.expected_bleu(*arguments, threads=1)


@pytest.fixture(scope="module")
def systems(trained: Path) -> list[Translator]:
    """Two systems that disagree: the second dislikes the language model."""
    first, second = load(trained), load(trained)
    weights = dict(second.model.weights)
    weights["language_model"] *= 0.3
    weights["word_count"] -= 0.3
    return [first, Translator(replace(second.model, weights=Weights(weights)))]


@pytest.fixture(scope="module")
def sentences(corpus: CorpusFiles) -> list[str]:
    return list(read_lines(corpus.test_source))[:12]


def brute_force(
    systems: Sequence[Translator],
    sentence: str,
    shares: Sequence[float],
    options: ConsensusOptions,
    **search: Any,
) -> tuple[tuple[str, ...], float]:
    """The words of the best candidate and its expected BLEU."""
    probabilities: dict[tuple[str, ...], float] = {}
    for system, share in zip(systems, shares, strict=True):
        [found] = system.n_best([sentence], options.length, **search)
        posterior = softmax([translation.score for translation in found], options.scale)
        for translation, probability in zip(found, posterior, strict=True):
            probabilities[translation.words] = (
                probabilities.get(translation.words, 0.0) + share * probability
            )
    candidates = list(probabilities)
    worths = expected_of(candidates, list(probabilities.values()))
    best = max(range(len(worths)), key=lambda at: round(worths[at], 12))
    return candidates[best], worths[best]


def check_choice(found: Translation, expected: tuple[tuple[str, ...], float]) -> None:
    assert found.expected_bleu == pytest.approx(expected[1])
    assert found.words == expected[0]


@pytest.mark.parametrize("scale", [0.0, 0.7, 2.0])
@pytest.mark.parametrize("n_systems", [1, 2])
def test_the_choice_is_that_of_brute_force(
    systems: list[Translator], sentences: list[str], scale: float, n_systems: int
) -> None:
    options = ConsensusOptions(length=15, scale=scale)
    shares = [1.0] if n_systems == 1 else [0.75, 0.25]
    consensus = Consensus(systems[:n_systems], [3 * share for share in shares], options)
    found = list(consensus.translate_all(sentences))
    for sentence, translation in zip(sentences, found, strict=True):
        check_choice(translation, brute_force(systems[:n_systems], sentence, shares, options))
    best = list(systems[0].translate_all(sentences))
    assert scale == 2.0 or [translation.text for translation in found] != [
        translation.text for translation in best
    ]


def test_a_very_large_scale_leaves_the_choice_of_the_search(
    systems: list[Translator], sentences: list[str]
) -> None:
    consensus = Consensus(systems[0], options=ConsensusOptions(scale=1e6))
    best = [translation.text for translation in systems[0].translate_all(sentences)]
    assert [translation.text for translation in consensus.translate_all(sentences)] == best
    second = Consensus(systems, [0, 1], ConsensusOptions(scale=1e6))
    best = [translation.text for translation in systems[1].translate_all(sentences)]
    assert [translation.text for translation in second.translate_all(sentences)] == best


def test_long_sentences_new_terms_and_copies_are_compared_by_their_words(
    systems: list[Translator], sentences: list[str]
) -> None:
    long = f"{sentences[0]} qqq {sentences[1]} zzz qqq"
    options = ConsensusOptions(length=10, scale=1.0)
    search: dict[str, Any] = {
        "max_words": 5,
        "terminology": {"zzz": "neologism qqq"},
        "pass_through": "q+",
    }
    found = Consensus(systems, options=options).translate(long, **search)
    check_choice(found, brute_force(systems, long, [0.5, 0.5], options, **search))
    assert "neologism" in found.text


def test_neither_threads_nor_groups_change_anything(
    systems: list[Translator], sentences: list[str]
) -> None:
    consensus = Consensus(systems, options=ConsensusOptions(length=20))
    alone = [consensus.translate(sentence) for sentence in sentences]
    assert list(consensus.translate_all(sentences, threads=3)) == alone
    asked = 0

    def groups() -> Any:
        nonlocal asked
        for asked in (1, 2):
            yield sentences[:3] if asked == 1 else sentences[3:]

    answers = consensus.n_best_of_groups(groups(), 1)
    assert [next(answers)[0] for _ in range(3)] == alone[:3]
    assert asked == 1
    assert [best for [best] in answers] == alone[3:]


def test_lists_come_by_expected_bleu_with_the_scores_of_the_models(
    systems: list[Translator], sentences: list[str]
) -> None:
    consensus = Consensus(systems[0], options=ConsensusOptions(length=10, scale=0.3))
    [lists] = consensus.n_best(sentences[:1], 10)
    [own] = systems[0].n_best(sentences[:1], 10)
    worths = [translation.expected_bleu or 0.0 for translation in lists]
    assert worths == sorted(worths, reverse=True)
    assert sorted(translation.score for translation in lists) == sorted(
        translation.score for translation in own
    )
    assert [translation.score for translation in lists] != [
        translation.score for translation in own
    ]
    [more] = consensus.n_best(sentences[:1], 25, with_confidence=True)
    assert len(more) == 25
    assert len(more[0].word_confidences) == len(more[0].words)


def test_an_empty_line_stays_empty(systems: list[Translator]) -> None:
    assert Consensus(systems).translate("").text == ""


def test_mistakes_are_told(systems: list[Translator]) -> None:
    with pytest.raises(OptionError, match="at least one"):
        Consensus([])
    with pytest.raises(OptionError, match="3 shares for 2 systems"):
        Consensus(systems, [1, 2, 3])
    for shares in ([0, 0], [1, -1], [1, math.nan]):
        with pytest.raises(OptionError, match="at least 0"):
            Consensus(systems, shares)
    with pytest.raises(OptionError, match="at least 1 translation"):
        list(Consensus(systems).n_best(["a"], 0))
    with pytest.raises(OptionError, match="single string"):
        Consensus(systems).n_best("a", 1)
    with pytest.raises(OptionError, match="stak_size"):
        Consensus(systems).n_best(["a"], 1, stak_size=3)
    other = load_with(systems[0], TextOptions(casing="lower"))
    with pytest.raises(OptionError, match="systems 1 and 2 prepare text differently"):
        Consensus([systems[0], other])


def load_with(system: Translator, text: TextOptions) -> Translator:
    return Translator(replace(system.model, preprocessor=Preprocessor(text)))


def test_lists_of_any_decoder_are_merged_by_their_words() -> None:
    first: list[list[Row]] = [
        [("a b c d", {}, -1.0), ("a b d", {}, -1.5), ("x", {}, -4.0)],
        [("e", {}, 0.0)],
    ]
    second: list[list[Row]] = [
        [("a  b d", {}, 3.0), ("a c d", {}, 2.0)],
        [("f f", {}, 0.0), ("e", {}, -9.0)],
    ]
    options = ConsensusOptions(length=2, scale=0.8)
    merged = by_consensus([NBest.from_lists(first), NBest.from_lists(second)], [1, 3], options)
    p, q = softmax([-1.0, -1.5], 0.8), softmax([3.0, 2.0], 0.8)
    probabilities = {
        "a b c d": 0.25 * p[0],
        "a b d": 0.25 * p[1] + 0.75 * q[0],
        "a c d": 0.75 * q[1],
    }
    worths = expected_of([t.split() for t in probabilities], list(probabilities.values()))
    expected = dict(zip(probabilities, worths, strict=True))
    order = sorted(expected, key=lambda text: -expected[text])
    assert list(merged.texts[:3]) == order
    assert merged.totals is not None
    assert merged.totals[:3] == pytest.approx([expected[text] for text in order])
    assert list(merged.texts[3:]) == ["f f", "e"]
    with pytest.raises(CalqueError, match="lists of 1 sentences in file 2, but of 2"):
        by_consensus([NBest.from_lists(first), NBest.from_lists(second[:1])])


def test_translate_takes_several_weights_and_models(
    verb: Run, trained: Path, systems: list[Translator], corpus: CorpusFiles, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    shutil.copytree(trained, model)
    activate_weights(model, "other", systems[1].model.weights, {})
    activate_weights(model, "same", systems[0].model.weights, {})
    options = ConsensusOptions(length=20, scale=1.0)
    lines = list(read_lines(corpus.test_source))
    expected = list(Consensus(systems, [2, 1], options).translate_all(lines))
    flags = ("--consensus", "--consensus-length", 20, "--consensus-scale", 1, "-q", "--json")
    shares = ("--consensus-shares", "2,1")
    stdin = corpus.test_source.read_text()
    for named in (
        ("--model", model, "--weights", "same", "--weights", "other"),
        ("--model", trained, "--model", model, "--weights", "default", "--weights", "other"),
    ):
        rows = done(verb("translate", *named, *flags, *shares, stdin=stdin)).splitlines()
        assert [json.loads(row)["text"] for row in rows] == [
            translation.text for translation in expected
        ]
        worths = [json.loads(row)["expected_bleu"] for row in rows]
        assert worths == [translation.expected_bleu for translation in expected]
    lists = [tmp_path / "1.nbest", tmp_path / "2.nbest"]
    for name, path in zip(("same", "other"), lists, strict=True):
        out = ("--nbest", 20, "--nbest-output", path, "--output", tmp_path / "out")
        done(verb("translate", "--model", model, "--weights", name, *out, "-q", stdin=stdin))
    both = ("--nbest", lists[0], "--nbest", lists[1], "--nbest-output", tmp_path / "both")
    ranked = done(verb("rerank", *both, *flags[:-1], *shares)).splitlines()
    assert ranked == [translation.text for translation in expected]
    assert read_nbest(tmp_path / "both").totals is not None


def test_a_pipe_is_answered_line_by_line(trained: Path, corpus: CorpusFiles) -> None:
    lines = list(read_lines(corpus.test_source))[:2]
    expected = [translation.text for translation in Consensus(load(trained)).translate_all(lines)]
    with subprocess.Popen(
        [sys.executable, "-m", "calque", "translate", "--model", trained, "--consensus", "-q"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as talk:
        assert talk.stdin is not None
        assert talk.stdout is not None
        for line, answer in zip(lines, expected, strict=True):
            talk.stdin.write(line + "\n")
            assert talk.stdout.readline() == answer + "\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--consensus-scale", 3), "require --consensus"),
        (("--consensus-shares", "1"), "require --consensus"),
        (("--weights", "a", "--weights", "b"), "require --consensus"),
        (("--consensus", "--consensus-shares", "x"), "expected numbers"),
        (("--consensus", "--consensus-shares", "1,2"), "2 shares for 1 systems"),
        (("--consensus", "--consensus-length", 0), "at least 1"),
        (("--consensus", "--nbest", 3, "--derivations"), "cannot be combined"),
        (("--consensus", "--leave-one-out", "counts"), "cannot be combined"),
    ],
)
def test_translate_refuses_what_makes_no_sense(
    verb: Run, trained: Path, arguments: tuple[object, ...], message: str
) -> None:
    assert message in mistake(verb("translate", "--model", trained, *arguments))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--weights W is missing"),
        (("--nbest", "{lists}"), "require --consensus"),
        (("--consensus", "--weights", "w", "--weights", "w"), "2 files of --weights for 1"),
    ],
)
def test_rerank_refuses_what_makes_no_sense(
    verb: Run, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    lists = tmp_path / "lists"
    lists.write_text("0 ||| a ||| x= 1 ||| 1\n")
    (tmp_path / "w").write_text("x 1\n")
    given = [argument.replace("{lists}", str(lists)) for argument in arguments]
    given = [str(tmp_path / "w") if argument == "w" else argument for argument in given]
    assert message in mistake(verb("rerank", "--nbest", lists, *given))
