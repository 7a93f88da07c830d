"""Oracle decoding by rules against the enumeration of every derivation."""

from __future__ import annotations

import numpy as np
import pytest
from chart_reference import Enumeration, random_grammar, words_of
from test_chart_exact import decoder_of, random_text
from test_decode_oracle import as_references, bleu

from calque import _core
from calque.config import OracleOptions
from calque.decode import SourceText


def words(derivation: _core.Derivation) -> tuple[int, ...]:
    return tuple(word for word, _, _ in derivation.words)


def random_references(seed: int, n: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(3, 7, rng.integers(1, 9)).tolist() for _ in range(n)]


@pytest.mark.parametrize("seed", range(14))
@pytest.mark.parametrize("brevity_penalty", [False, True])
def test_without_pruning_the_list_is_the_best_of_all_derivations(
    seed: int, brevity_penalty: bool
) -> None:
    grammar = random_grammar(seed, n_rules=24)
    decoder = decoder_of(grammar)
    source, text = random_text(grammar, seed)
    texts = random_references(seed, 1 + seed % 3)
    max_span, shallow = [(10, 0), (3, 0), (10, 1)][seed % 3]
    options = OracleOptions(
        stack_size=0,
        max_targets=0,
        brevity_penalty=brevity_penalty,
        max_span=max_span,
        shallow=shallow,
    )
    every = [
        words_of(derivation)
        for derivation in Enumeration(
            grammar, source, text.copies.tolist(), max_span, shallow
        ).derivations()
    ]
    for distinct in (False, True):
        [found] = decoder.oracle(
            text, as_references(texts), options, n_best=5, distinct=distinct, threads=1
        )
        given = sorted(set(every)) if distinct else every
        expected = sorted(
            (bleu(translation, texts, brevity_penalty) for translation in given), reverse=True
        )
        scores = [derivation.score for derivation in found.derivations]
        assert scores == pytest.approx(expected[:5], abs=1e-5)
        for derivation in found.derivations:
            assert derivation.score == pytest.approx(
                bleu(words(derivation), texts, brevity_penalty), abs=1e-5
            )
            assert list(derivation.features) == decoder.dense_features(derivation, text)


def test_a_narrow_beam_scores_what_it_finds_and_finds_nothing_better() -> None:
    n_worse = 0
    for seed in range(10):
        grammar = random_grammar(seed)
        decoder = decoder_of(grammar)
        _, text = random_text(grammar, seed, n_words=6)
        texts = random_references(seed, 1)
        best = []
        for size in (0, 10, 1):
            options = OracleOptions(stack_size=size, brevity_penalty=True)
            [found] = decoder.oracle(text, as_references(texts), options, n_best=1, threads=1)
            best.append(found.derivations[0].score)
            assert best[-1] == pytest.approx(bleu(words(found.derivations[0]), texts, True))
        assert best[0] >= max(best) - 1e-6
        n_worse += best[2] < best[0] - 1e-6
    assert n_worse  # so narrow a beam must miss something


def test_a_reference_that_can_be_derived_is_found() -> None:
    for seed in range(8):
        grammar = random_grammar(seed)
        decoder = decoder_of(grammar)
        source, text = random_text(grammar, seed)
        reference = next(
            words_of(derivation)
            for derivation in Enumeration(grammar, source, text.copies.tolist()).derivations()
            if len(words_of(derivation)) > 3
        )
        options = OracleOptions(stack_size=0, max_targets=0, brevity_penalty=True)
        [found] = decoder.oracle(text, as_references([list(reference)]), options, threads=1)
        assert words(found.derivations[0]) == reference
        assert found.derivations[0].score == pytest.approx(1)


def test_threads_change_nothing_and_empty_sentences_have_nothing() -> None:
    grammar = random_grammar(4)
    decoder = decoder_of(grammar)
    sentences = [["w1", "w2"], [], ["w3", "nobody", "w0", "w1", "w2"]]
    text = SourceText.from_words(sentences, grammar.vocabulary, grammar.vocabulary)
    lists = [[3, 4], [5], [6, 3, 4]]
    ids = np.array([id for sentence in lists for id in sentence], np.int32)
    references = [
        SourceText.from_words(
            [[grammar.vocabulary.word(id) for id in sentence] for sentence in lists],
            grammar.vocabulary,
            grammar.vocabulary,
        )
    ]
    assert references[0].copies.tolist() == ids.tolist()
    found = [
        decoder.oracle(text, references, OracleOptions(), threads=threads) for threads in (1, 3)
    ]
    scores = [
        [derivation.score for part in some for derivation in part.derivations] for some in found
    ]
    assert scores[0] == scores[1]
    assert [list(derivation.steps) for derivation in found[0][1].derivations] == [[]]
    assert found[0][1].derivations[0].score == 0
