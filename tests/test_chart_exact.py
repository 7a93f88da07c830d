"""The chart decoder against enumeration: without pruning nothing may be missing or out of order."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from chart_reference import Applied, Enumeration, Grammar, features, random_grammar, rule_table

from calque import _core
from calque.config import DecodeOptions, LmOptions
from calque.decode import Decoder, SourceText
from calque.decode.chart import ChartDecoder
from calque.decode.constraints import Required
from calque.errors import CalqueError, OptionError
from calque.features import FeatureSet, Weights
from calque.features.dense import DenseData
from calque.lm import estimate
from calque.text import Sentences, Vocabulary

pytestmark = pytest.mark.filterwarnings("ignore:language model")
UNPRUNED = DecodeOptions(
    engine="chart", pop_limit=0, options_per_span=0, max_targets=0, max_span=10
)
ALL = 10**6


def decoder_of(grammar: Grammar) -> ChartDecoder:
    rules = FeatureSet.compile("rules", DenseData(grammar.blocks))
    return ChartDecoder(grammar.blocks, grammar.vocabulary, grammar.lm, rules)


def random_weights(decoder: Decoder, seed: int) -> Weights:
    rng = np.random.default_rng(seed)
    return Weights({name: float(rng.uniform(-0.3, 1)) for name in decoder.feature_names})


def random_text(grammar: Grammar, seed: int, n_words: int = 4) -> tuple[list[int], SourceText]:
    """A sentence in which some words are unknown, and maybe the same."""
    rng = np.random.default_rng(seed)
    ids = [int(i) for i in rng.integers(2, len(grammar.vocabulary), n_words)]
    words = [grammar.vocabulary.word(i) if i > 2 else "unknown" for i in ids]
    text = SourceText.from_words([words], grammar.vocabulary, grammar.vocabulary)
    return text.sentences.ids.tolist(), text


def ranked(
    grammar: Grammar, weights: Weights, derivations: Iterable[tuple[Applied, ...]], distinct: bool
) -> tuple[list[float], list[tuple[int, ...]]]:
    """Scores and words of derivations, best first."""
    scored = []
    for derivation in derivations:
        values = features(grammar, derivation)
        score = sum(weights[name] * value for name, value in values.items())
        scored.append((score, tuple(word for top in derivation for word in top.words())))
    scored.sort(key=lambda entry: -entry[0])
    if distinct:
        first: dict[tuple[int, ...], float] = {}
        for score, words in scored:
            first.setdefault(words, score)
        scored = [(score, words) for words, score in first.items()]
    return [score for score, _ in scored], [words for _, words in scored]


def words_of(derivation: _core.Derivation) -> tuple[int, ...]:
    return tuple(word for word, _, _ in derivation.words)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize(("max_span", "shallow"), [(10, 0), (3, 0), (10, 1), (10, 2)])
def test_lists_equal_enumeration(seed: int, distinct: bool, max_span: int, shallow: int) -> None:
    grammar = random_grammar(seed, n_rules=24)
    decoder = decoder_of(grammar)
    weights = random_weights(decoder, seed)
    source, text = random_text(grammar, seed)
    options = DecodeOptions(
        engine="chart",
        pop_limit=0,
        options_per_span=0,
        max_targets=0,
        max_span=max_span,
        shallow=shallow,
    )
    [decoded] = decoder.decode(text, weights, options, n_best=ALL, distinct=distinct, threads=1)
    every = Enumeration(grammar, source, text.copies.tolist(), max_span, shallow).derivations()
    scores, words = ranked(grammar, weights, every, distinct)
    found = decoded.derivations
    assert [derivation.score for derivation in found] == pytest.approx(scores, abs=1e-4)
    assert sorted(map(words_of, found)) == sorted(words)
    for derivation in found[:50]:
        values = decoder.dense_features(derivation, text)
        assert list(derivation.features) == values
        assert np.dot(values, weights.vector(decoder.feature_names)) == pytest.approx(
            derivation.score, abs=1e-4
        )
        rows = decoder.explain(derivation, text, weights)
        parts = sum(fired.value * fired.weight for row in rows for fired in row)
        assert parts == pytest.approx(derivation.score, abs=1e-4)


@pytest.mark.parametrize("order", [1, 2, 4, 5])
def test_the_language_model_scores_whole_sentences(order: int) -> None:
    for seed in range(6):
        grammar = random_grammar(100 + seed, n_words=3, order=order)
        decoder = decoder_of(grammar)
        weights = Weights({name: float(name == "language_model") for name in decoder.feature_names})
        _, text = random_text(grammar, seed, n_words=6)
        [decoded] = decoder.decode(text, weights, UNPRUNED, n_best=50, distinct=True, threads=1)
        for derivation in decoded.derivations:
            words = [max(word, 0) for word in words_of(derivation)]
            assert derivation.score == pytest.approx(grammar.lm.score(words), abs=1e-4)


def test_rules_without_gaps_give_what_monotone_decoding_of_phrases_gives() -> None:
    for seed in range(8):
        grammar = random_grammar(seed)
        rules = {}
        for phrase in range(grammar.blocks.n_sources):
            side = tuple(grammar.blocks.source(phrase).tolist())
            for block in grammar.blocks.blocks(phrase):
                if not {1, 2} & set(side):
                    target = tuple(grammar.blocks.target(block).tolist())
                    rules[side, target] = grammar.blocks.scores[block].tolist()
        blocks = rule_table(rules)
        flat = Grammar(blocks, grammar.vocabulary, grammar.lm)
        chart = decoder_of(flat)
        same = FeatureSet.compile("rules", DenseData(blocks))
        phrase_decoder = Decoder(blocks, flat.vocabulary, flat.lm, same)
        weights = random_weights(chart, seed)
        _, text = random_text(flat, seed, n_words=6)
        monotone = DecodeOptions(
            reordering="mon", stack_size=0, pop_limit=0, options_per_span=0, max_targets=0
        )
        [expected] = phrase_decoder.decode(text, weights, monotone, n_best=200, threads=1)
        [found] = chart.decode(text, weights, UNPRUNED, n_best=200, threads=1)
        assert [words_of(derivation) for derivation in found.derivations] == [
            words_of(derivation) for derivation in expected.derivations
        ]
        assert [derivation.score for derivation in found.derivations] == pytest.approx(
            [derivation.score for derivation in expected.derivations], abs=1e-4
        )
        for derivation, other in zip(found.derivations, expected.derivations, strict=True):
            assert list(derivation.features) == pytest.approx(list(other.features))


@pytest.mark.parametrize("seed", range(6))
def test_what_is_required_stands_alone_and_may_fill_gaps(seed: int) -> None:
    grammar = random_grammar(seed)
    decoder = decoder_of(grammar)
    weights = random_weights(decoder, seed)
    _, plain = random_text(grammar, seed, n_words=5)
    words = [
        grammar.vocabulary.word(id) if id else plain.unknown[i]
        for i, id in enumerate(plain.sentences.ids.tolist())
    ]
    required = [Required(1, 3, ("w1", "new"), is_copy=False)]
    text = SourceText.from_words([words], grammar.vocabulary, grammar.vocabulary, [required])
    target = tuple(text.required.targets.tolist())
    [decoded] = decoder.decode(text, weights, UNPRUNED, n_best=ALL, distinct=False, threads=1)
    every = Enumeration(
        grammar,
        text.sentences.ids.tolist(),
        text.copies.tolist(),
        required={(1, 3): target},
    ).derivations()
    scores, strings = ranked(grammar, weights, every, distinct=False)
    assert [derivation.score for derivation in decoded.derivations] == pytest.approx(
        scores, abs=1e-4
    )
    assert sorted(map(words_of, decoded.derivations)) == sorted(strings)


def test_pruning_and_threads_change_no_score_and_threads_no_result() -> None:
    grammar = random_grammar(3)
    decoder = decoder_of(grammar)
    weights = random_weights(decoder, 3)
    sentences = [
        [f"w{i}" for i in np.random.default_rng(seed).integers(0, 5, seed % 13)]
        for seed in range(40)
    ]
    text = SourceText.from_words(sentences, grammar.vocabulary, grammar.vocabulary)
    options = DecodeOptions(engine="chart", pop_limit=3)
    lists = [
        decoder.decode_batch(text, weights, options, n_best=5, threads=threads)
        for threads in (1, 4)
    ]
    assert lists[0].words.tolist() == lists[1].words.tolist()
    assert lists[0].scores.tolist() == lists[1].scores.tolist()
    rows = lists[0].features.reshape(len(lists[0].scores), -1)
    vector = weights.vector(decoder.feature_names)
    assert rows @ vector == pytest.approx(lists[0].scores, abs=1e-3)
    best = [lists[0].scores[at] for at in lists[0].offsets[:-1].tolist()]
    wide = decoder.decode_batch(text, weights, UNPRUNED, threads=2)
    assert all(wide.scores + 1e-4 >= best)
    assert (wide.scores > np.array(best) + 1e-4).any()  # so narrow a beam must miss something


def test_empty_single_and_very_long_sentences_are_translated() -> None:
    grammar = random_grammar(5)
    decoder = decoder_of(grammar)
    weights = random_weights(decoder, 5)
    sentences = [[], ["w1"], ["nobody"], [f"w{i % 5}" for i in range(3000)]]
    text = SourceText.from_words(sentences, grammar.vocabulary, grammar.vocabulary)
    options = DecodeOptions(engine="chart", pop_limit=10)
    empty, one, unknown, long = decoder.decode(text, weights, options, n_best=2, threads=2)
    assert [list(derivation.steps) for derivation in empty.derivations] == [[]]
    end = weights["language_model"] * grammar.lm.score([])
    assert empty.derivations[0].score == pytest.approx(end, abs=1e-5)
    assert one.derivations
    assert words_of(unknown.derivations[0]) == (-1,)
    spans = [(step.begin, step.end) for step in long.derivations[0].steps]
    assert min(spans)[0] == 0
    assert max(end for _, end in spans) == 3000


def test_a_boundary_in_the_text_is_no_gap() -> None:
    """`<s>` in a text has the id of a gap."""
    vocabulary = Vocabulary(["a", "b"])
    lm = estimate(Sentences.from_lists([[3, 4]]), vocabulary, LmOptions(order=2))
    blocks = rule_table({((3, 1), (1, 3)): [-0.1] * 4, ((3,), (4,)): [-0.1] * 4})
    decoder = decoder_of(Grammar(blocks, vocabulary, lm))
    weights = random_weights(decoder, 1)
    text = SourceText.from_words([["a", "<s>"]], vocabulary, vocabulary)
    [decoded] = decoder.decode(text, weights, UNPRUNED, n_best=ALL, distinct=False, threads=1)
    sizes = {len(derivation.steps) for derivation in decoded.derivations}
    assert len(decoded.derivations) == 2
    assert sizes == {2}


def test_derivations_of_another_sentence_are_refused() -> None:
    grammar = random_grammar(2)
    decoder = decoder_of(grammar)
    weights = random_weights(decoder, 2)
    _, text = random_text(grammar, 1)
    _, other = random_text(grammar, 1, n_words=2)
    [decoded] = decoder.decode(text, weights, UNPRUNED, n_best=20, threads=1)
    nested = next(
        derivation
        for derivation in decoded.derivations
        if any(max(s.gaps) >= 0 for s in derivation.steps)
    )
    decoder.dense_features(nested, text)
    with pytest.raises(CalqueError, match="longer sentence"):
        decoder.dense_features(nested, other)


def test_modes_of_the_other_engine_say_so_in_one_line() -> None:
    grammar = random_grammar(2)
    decoder = decoder_of(grammar)
    weights = random_weights(decoder, 2)
    _, text = random_text(grammar, 1)
    with pytest.raises(CalqueError, match="engine=chart"):
        decoder.graph(text, weights, DecodeOptions())
    with pytest.raises(OptionError, match="engine=phrase"):
        decoder.decode(text, weights, DecodeOptions(engine="phrase"))
    with pytest.raises(OptionError, match="stack_size=3 is of no use to engine=chart"):
        decoder.decode(text, weights, DecodeOptions(engine="chart", stack_size=3))
    order = FeatureSet.compile("standard", DenseData(grammar.blocks))
    with pytest.raises(CalqueError, match="engine=chart"):
        ChartDecoder(grammar.blocks, grammar.vocabulary, grammar.lm, order)
