"""With a pair left out, options are those of a corpus without it, counted by a slow reference."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pytest
from blocks_reference import Counts, Pair, Phrase, count, to_arrays
from decode_reference import as_source
from test_decode_oracle import bleu

from calque import _core
from calque.align import Alignments
from calque.blocks import extract
from calque.config import (
    BlockOptions,
    DecodeOptions,
    FeatureOptions,
    ForceOptions,
    LeaveOneOutOptions,
    LmOptions,
    OracleOptions,
)
from calque.decode import Decoder, SourceText, TrainingText
from calque.errors import CalqueError, ModelError
from calque.features import (
    DENSE,
    BlockColumn,
    LocalModelData,
    OrientationColumn,
    SparseWeights,
    Weights,
)
from calque.lm import estimate
from calque.model import KeptBitext, Model
from calque.model.feature_data import FeatureData
from calque.text import Preprocessor, Sentences, Vocabulary

MAX_WORDS = 3
FREQUENCIES = ("source_given_target", "target_given_source")
Scores = tuple[float, float]
Options = dict[Phrase, Scores]
"""Targets of a span with ln p(s|t) and ln p(t|s)."""


@dataclass
class Corpus:
    pairs: list[Pair]
    model: Model
    other_links: tuple[list[Pair], ...] = ()
    """The same pairs with other sets of links."""

    def counts(self, without: int = -1) -> Counts:
        sets = (self.pairs, *self.other_links)
        kept = [pair for pairs in sets for i, pair in enumerate(pairs) if i != without]
        return count(kept, MAX_WORDS)

    def made(self, word: int) -> Options:
        """The block that was made for a word that extraction left without one."""
        table = self.model.blocks
        rows = table.blocks(table.find([word])) if table.find([word]) >= 0 else range(0)
        return {
            tuple(table.target(row).tolist()): (table.scores[row, 0], table.scores[row, 2])
            for row in rows
            if table.joint_counts[row] == 0
        }


def random_links(rng: np.random.Generator, n: int, m: int) -> list[tuple[int, int]]:
    return sorted({(int(rng.integers(n)), int(rng.integers(m))) for _ in range(max(n, m))})


def corpus(
    seed: int, n_pairs: int, n_words: int, more: tuple[Pair, ...] = (), n_sets: int = 1
) -> Corpus:
    rng = np.random.default_rng(seed)
    pairs: list[Pair] = []
    for _ in range(n_pairs):
        n, m = rng.integers(1, 6, 2).tolist()
        links = random_links(rng, n, m)
        words = [rng.integers(3, 3 + n_words, size).tolist() for size in (n, m)]
        pairs.append((words[0], words[1], links))
    pairs += more
    other_links = tuple(
        [
            (source, target, random_links(rng, len(source), len(target)))
            for source, target, _ in pairs
        ]
        for _ in range(n_sets - 1)
    )
    n_words = max(word for pair in pairs for side in pair[:2] for word in side) - 2
    source, target, *_ = to_arrays(pairs)
    sets = [Alignments(*to_arrays(each)[2:]) for each in (pairs, *other_links)]
    alignments = Alignments.stacked(sets)
    vocabulary = Vocabulary([f"w{i}" for i in range(n_words)])
    blocks = extract(
        source,
        target,
        alignments.links,
        alignments.offsets,
        BlockOptions(max_words=MAX_WORDS, max_targets=None),
    )
    kept = KeptBitext(source, target, alignments, np.arange(len(pairs)), max_block_words=MAX_WORDS)
    weights = dict.fromkeys(DENSE, 0.0) | {FREQUENCIES[0]: 0.3, FREQUENCIES[1]: 0.7}
    model = Model(
        Preprocessor(),
        vocabulary,
        vocabulary,
        blocks,
        estimate(target, vocabulary, LmOptions(order=2)),
        Weights(weights),
        DecodeOptions(),
        bitext=kept,
    )
    return Corpus(pairs, model, other_links)


def expected(toy: Corpus, pair: int, span: Phrase, how: LeaveOneOutOptions) -> Options | None:
    """The options of a span, written down from the papers; none: the word is copied."""
    whole, rest = toy.counts(), toy.counts(without=pair)
    options: Options = {}
    for (source, target), n in whole.joint.items():
        if source != span:
            continue
        if how.what == "one-count":
            if n > 1 + len(toy.other_links) or rest.joint[source, target]:
                options[target] = (
                    math.log(n / whole.target[target]),
                    math.log(n / whole.source[span]),
                )
        elif left := rest.joint[source, target]:
            options[target] = (
                math.log(left / rest.target[target]),
                math.log(left / rest.source[span]),
            )
        elif how.unseen_log_prob is not None:
            n_words = len(source) + len(target)
            penalty = how.unseen_log_prob + how.unseen_log_prob_per_word * n_words
            options[target] = (penalty, penalty)
    occurs_elsewhere = any(span[0] in p[0] for i, p in enumerate(toy.pairs) if i != pair)
    if len(span) == 1 and occurs_elsewhere:
        options |= toy.made(span[0])
    return options or (None if len(span) == 1 else {})


def found(
    toy: Corpus,
    spans: list[Phrase],
    pairs: list[int],
    how: LeaveOneOutOptions,
    limit: int = 0,
    by: Literal["score", "count"] = "score",
) -> list[Options | None]:
    """The options of spans, as the single block of a sentence each."""
    decoder = Decoder.of(toy.model)
    training = TrainingText(toy.model, how)
    search = DecodeOptions(
        reordering="mon", stack_size=0, pop_limit=0, options_per_span=limit, options_by=by
    )
    lists = decoder.decode(
        as_source([list(span) for span in spans]),
        toy.model.weights,
        search,
        n_best=10_000,
        distinct=False,
        leave_one_out=training.left_out(np.array(pairs)),
        threads=1,
    )
    places = [decoder.feature_names.index(name) for name in FREQUENCIES]
    out: list[Options | None] = []
    for decoded in lists:
        single = [d for d in decoded.derivations if len(d.steps) == 1]
        for d in single:
            dot = float(toy.model.weights.vector() @ d.features)
            assert d.score == pytest.approx(dot, abs=1e-4)
        if single and single[0].steps[0].block < 0:
            out.append(None)
            continue
        rows = {
            tuple(d.steps[0].target): (d.features[places[0]], d.features[places[1]]) for d in single
        }
        assert len(rows) == len(single)
        out.append(rows)
    return out


def spans_of(toy: Corpus) -> tuple[list[Phrase], list[int]]:
    spans, pairs = [], []
    for pair, (source, _, _) in enumerate(toy.pairs):
        for begin in range(len(source)):
            for end in range(begin + 1, min(len(source), begin + MAX_WORDS) + 1):
                spans.append(tuple(source[begin:end]))
                pairs.append(pair)
    return spans, pairs


def same(left: Options | None, right: Options | None) -> bool:
    if left is None or right is None:
        return left is right
    return left.keys() == right.keys() and all(
        left[target] == pytest.approx(right[target], abs=1e-5) for target in left
    )


WAYS = [
    LeaveOneOutOptions(unseen_log_prob=None),
    LeaveOneOutOptions(),
    LeaveOneOutOptions(unseen_log_prob=-1.0, unseen_log_prob_per_word=-5.0),
    LeaveOneOutOptions(what="one-count"),
]


@pytest.mark.parametrize("how", WAYS, ids=["drop", "penalty", "per word", "one-count"])
@pytest.mark.parametrize("n_sets", [1, 3])
@pytest.mark.parametrize("seed", range(6))
def test_options_equal_those_of_a_corpus_without_the_pair(
    seed: int, n_sets: int, how: LeaveOneOutOptions
) -> None:
    toy = corpus(seed, n_pairs=14, n_words=3 + seed, n_sets=n_sets)
    spans, pairs = spans_of(toy)
    options = found(toy, spans, pairs, how)
    for span, pair, its_options in zip(spans, pairs, options, strict=True):
        assert same(its_options, expected(toy, pair, span, how)), (span, pair)
    if (
        seed == 5 and n_sets == 1 and how.unseen_log_prob is None
    ):  # some words are of one pair alone
        assert None in options


@pytest.mark.parametrize("how", WAYS, ids=["drop", "penalty", "per word", "one-count"])
def test_the_best_options_are_kept_whatever_is_remembered(how: LeaveOneOutOptions) -> None:
    """Phrases with more blocks than are remembered, in an order in which memory is used again."""
    # The best blocks of word 3 are all of one pair: more than are held in reserve.
    greedy: Pair = ([3] * 20, list(range(20, 40)), [(i, i) for i in range(20)])
    toy = corpus(99, n_pairs=150, n_words=6, more=(greedy,))
    spans, pairs = spans_of(toy)
    short = [i for i, span in enumerate(spans) if len(span) < 3]  # every derivation is listed
    order = np.random.default_rng(1).permutation(short)
    spans, pairs = [spans[i] for i in order], [pairs[i] for i in order]
    pairs = [pair if i % 3 else -1 for i, pair in enumerate(pairs)]
    every = found(toy, spans, pairs, how)
    assert max(len(options or ()) for options in every) > 20
    for limit in (1, 4):
        for kept, options in zip(found(toy, spans, pairs, how, limit), every, strict=True):
            if options is None or kept is None:
                assert options is kept
                continue
            score = {target: 0.3 * s + 0.7 * t for target, (s, t) in options.items()}
            best = sorted(score.values(), reverse=True)[:limit]
            assert sorted((score[target] for target in kept), reverse=True) == pytest.approx(best)


@pytest.mark.parametrize("how", WAYS[:2], ids=["drop", "penalty"])
def test_options_by_count_are_those_that_are_left(how: LeaveOneOutOptions) -> None:
    """Counts of events stay: of the blocks that are not gone, those seen most often are kept."""
    toy = corpus(97, n_pairs=150, n_words=6)
    table = toy.model.blocks
    counts = np.random.default_rng(2).integers(0, 9, (len(table), 3)).astype(np.int32)
    nothing = np.zeros(len(table), np.float32)
    local = LocalModelData(
        counts,
        BlockColumn(nothing, 0.0),
        OrientationColumn(np.zeros((len(table), 3), np.float32), np.zeros(3, np.float32)),
        BlockColumn(nothing, 0.0),
        np.empty((0, 2), np.int32),
    )
    toy = replace(toy, model=replace(toy.model, feature_data=FeatureData(local_model=local)))
    spans, pairs = spans_of(toy)
    short = [i for i, span in enumerate(spans) if len(span) < 3]
    order = np.random.default_rng(1).permutation(short)
    spans, pairs = [spans[i] for i in order], [pairs[i] for i in order]
    pairs = [pair if i % 3 else -1 for i, pair in enumerate(pairs)]
    every = found(toy, spans, pairs, how)
    assert max(len(options or ()) for options in every) > 20
    for kept, options, span in zip(
        found(toy, spans, pairs, how, 3, "count"), every, spans, strict=True
    ):
        if options is None or kept is None:
            assert options is kept
            continue
        rows = {tuple(table.target(r).tolist()): r for r in table.blocks(table.find(list(span)))}
        totals = {target: int(counts[rows[target]].sum()) for target in options}
        ranked = sorted(options, key=lambda target: (-totals[target], rows[target]))
        assert set(kept) == set(ranked[:3])


@pytest.mark.parametrize("families", ["phrase-pair, lexical", "phrase-pair, wordedges"])
def test_sparse_weights_and_leave_one_out_choose_options_together(families: str) -> None:
    """Features of the block alone, and some of its neighbours; words of many blocks."""
    toy = corpus(98, n_pairs=150, n_words=6)
    model = replace(toy.model, feature_options=FeatureOptions("standard", families))
    decoder, training = Decoder.of(model), TrainingText(model)
    words = list(range(3, 9)) * 5
    text = as_source([[word] for word in words])
    pairs = [
        next(i for i, pair in enumerate(toy.pairs[at:], at) if word in pair[0])
        for at, word in enumerate(words)
    ]
    every = DecodeOptions(reordering="mon", stack_size=0, pop_limit=0, options_per_span=0)
    named: dict[str, Any] = {"n_best": 1000, "distinct": False, "threads": 1}
    lists = [d.derivations for d in decoder.decode(text, model.weights, every, **named)]
    keys = np.unique(decoder.sparse_rows(lists, text).keys)
    values = np.random.default_rng(1).normal(0, 1, len(keys)).astype(np.float32)
    weights = Weights(dict(model.weights), SparseWeights.from_arrays(keys, values))
    named["leave_one_out"] = training.left_out(np.array(pairs))
    whole = decoder.decode(text, weights, every, **named)
    few = decoder.decode(text, weights, replace(every, options_per_span=3), **named)
    assert max(len(found.derivations) for found in whole) > 16
    for at, (all_of_it, best) in enumerate(zip(whole, few, strict=True)):
        scores = [d.score for d in all_of_it.derivations]
        assert [d.score for d in best.derivations] == scores[:3]
        for d in best.derivations:
            row = decoder.sparse_features(d, as_source([[words[at]]]))
            dense = float(weights.vector(decoder.feature_names) @ d.features)
            sparse = float(weights.sparse.lookup(row[0]) @ row[1])
            assert d.score == pytest.approx(dense + sparse, abs=1e-4)


def test_results_depend_neither_on_threads_nor_on_the_sentences_before() -> None:
    toy = corpus(5, n_pairs=60, n_words=3)
    training, decoder = TrainingText(toy.model), Decoder.of(toy.model)

    def scores(pairs: range, threads: int) -> list[float]:
        batch = decoder.decode_batch(
            training.source(pairs),
            toy.model.weights,
            DecodeOptions(options_per_span=3),
            leave_one_out=training.left_out(pairs),
            threads=threads,
        )
        return list(batch.scores)

    every = scores(range(60), 1)
    assert scores(range(60), 4) == every
    assert [scores(range(i, i + 1), 1)[0] for i in range(60)] == every


def test_the_training_text_is_encoded_as_text_is() -> None:
    toy = corpus(7, n_pairs=30, n_words=6)
    source = Vocabulary([f"w{i}" if i % 2 else f"only{i}" for i in range(6)])
    model = Model(
        toy.model.preprocessor,
        source,
        toy.model.target_vocabulary,
        toy.model.blocks,
        toy.model.lm,
        toy.model.weights,
        toy.model.decode_options,
        bitext=toy.model.bitext,
    )
    lines = [" ".join(source.word(word) for word in pair[0]) for pair in toy.pairs]
    for pairs in (range(30), range(11, 17)):
        text = TrainingText(model).source(pairs)
        want = SourceText.encode(lines[pairs.start : pairs.stop], source, model.target_vocabulary)
        assert [a.tolist() for a in text.arrays()] == [a.tolist() for a in want.arrays()]
    assert (text.copies < 0).any()


def test_forced_decoding_leaves_the_pair_out() -> None:
    """A pair is derived from blocks of other pairs only: enumerated on short monotone pairs."""
    toy = corpus(3, n_pairs=40, n_words=4)
    how = LeaveOneOutOptions("one-count")
    training, decoder = TrainingText(toy.model, how), Decoder.of(toy.model)
    every = range(len(toy.pairs))
    options = ForceOptions(reordering="mon", min_prefix=1)
    parts = training.source(every), training.references(every), toy.model.weights, options

    def ways(i: int, pair: int) -> float:
        """Derivations of pair i, left to right, where blocks of `pair` are left out."""
        source, target, _ = toy.pairs[i]
        table: dict[tuple[int, int], float] = {(0, 0): 1.0}
        for end in range(1, len(source) + 1):
            for begin in range(max(0, end - MAX_WORDS), end):
                span = tuple(source[begin:end])
                options = expected(toy, pair, span, how)
                targets = [span] if options is None else list(options)
                for place in range(len(target) + 1):
                    for words in targets:
                        if tuple(target[place : place + len(words)]) == words:
                            key = end, place + len(words)
                            more = table.get((begin, place), 0.0)
                            table[key] = table.get(key, 0.0) + more
        return table.get((len(source), len(target)), 0.0)

    with_all = decoder.force(*parts)
    without = decoder.force(*parts, leave_one_out=training.left_out(every))
    assert [result.n_derivations for result in without] == [ways(i, i) for i in every]
    assert sum(f.reachable for f in without) < sum(f.reachable for f in with_all)


@pytest.mark.parametrize("how", WAYS, ids=["drop", "penalty", "per word", "one-count"])
def test_oracles_come_from_what_the_pair_does_not_forget(how: LeaveOneOutOptions) -> None:
    """The best of all derivations, left to right, whose blocks are left: enumerated."""
    toy = corpus(6, n_pairs=30, n_words=5)
    training, decoder = TrainingText(toy.model, how), Decoder.of(toy.model)
    pairs = np.array([i for i, pair in enumerate(toy.pairs) if len(pair[0]) <= 4])
    text = as_source([toy.pairs[i][0] for i in pairs])
    targets = Sentences.from_lists([toy.pairs[i][1] for i in pairs])
    wanted = [SourceText(targets, targets.ids.copy())]
    search = OracleOptions(reordering="mon", stack_size=0, max_targets=0)

    def ways(source: list[int], pair: int, begin: int) -> list[Phrase]:
        """The translations of the words from `begin` on."""
        if begin == len(source):
            return [()]
        found = []
        for end in range(begin + 1, min(len(source), begin + MAX_WORDS) + 1):
            options = expected(toy, pair, tuple(source[begin:end]), how)
            first = [(-1 - source.index(source[begin]),)] if options is None else list(options)
            rest = ways(source, pair, end) if first else []
            found += [a + b for a in first for b in rest]
        return found

    found = decoder.oracle(
        text, wanted, search, n_best=3, leave_one_out=training.left_out(pairs), threads=2
    )
    n_changed = 0
    whole = decoder.oracle(text, wanted, search, n_best=1)
    for pair, its, best in zip(pairs.tolist(), found, whole, strict=True):
        source, target, _ = toy.pairs[pair]
        every = sorted((bleu(w, [target], False) for w in ways(source, pair, 0)), reverse=True)
        assert [d.score for d in its.derivations] == pytest.approx(every[:3], abs=1e-5)
        n_changed += its.derivations[0].score < best.derivations[0].score - 1e-3
    assert (n_changed > 3) == (how.what == "one-count" or how.unseen_log_prob is None)


def test_what_cannot_be_left_out_is_refused() -> None:
    toy, other = corpus(1, n_pairs=5, n_words=3), corpus(2, n_pairs=5, n_words=3)
    text = as_source([[3]])
    decoder = Decoder.of(toy.model)

    def decode(leaving: _core.LeaveOneOut) -> None:
        decoder.decode(text, toy.model.weights, DecodeOptions(), leave_one_out=leaving)

    training = TrainingText(toy.model)
    with pytest.raises(CalqueError, match="a pair per sentence"):
        decode(training.left_out(range(2)))
    with pytest.raises(CalqueError, match="outside the training corpus"):
        training.left_out(range(4, 6))
    with pytest.raises(CalqueError, match="another block table"):
        decode(TrainingText(other.model).left_out(range(1)))
    without = Model(
        Preprocessor(),
        toy.model.source_vocabulary,
        toy.model.target_vocabulary,
        toy.model.blocks,
        toy.model.lm,
        toy.model.weights,
        DecodeOptions(),
    )
    with pytest.raises(ModelError, match="keep_bitext_mb"):
        TrainingText(without)
    assert isinstance(training.source(range(1)).sentences, Sentences)
