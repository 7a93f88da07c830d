"""Every family of sparse features: names, keys and scores equal slow references."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
import pytest
from decode_reference import (
    Parts,
    Rules,
    Step,
    derivations,
    options,
    partial_derivations,
    score,
    tiny_model,
    words_of,
)
from decode_reference import features as dense_features
from feature_reference import (
    REFERENCES,
    Block,
    Derived,
    builds_by_merging,
    merged_from_the_right,
    names,
)
from gap_reference import OF_GAPS
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from test_decode_exact import random_weights, rules, search_options, seeds

from calque import _core
from calque.config import DecodeOptions, ForceOptions
from calque.decode import Decoder, SourceText
from calque.decode.source import NO_WORD
from calque.errors import OptionError
from calque.features import (
    FAMILIES,
    GROUPS,
    DenseData,
    FeatureSet,
    SparseWeights,
    Template,
    Weights,
    WordClasses,
    WordData,
    chosen_templates,
    wordedges,
)
from calque.features.template import SLOTS
from calque.text import Vocabulary

few = settings(max_examples=30, deadline=None)
sources = st.lists(st.sampled_from(["w0", "w1", "w2", "w3", "Xy7"]), min_size=1, max_size=4)
CLASSES = WordClasses(
    {"w0": "0010110", "w1": "0010111", "w2": "01", "w3": "110", "<unk>": "111"},
    {"w0": "N", "w1": "V", "w2": "N"},
)
SMALL = tuple(family for family in REFERENCES if family != "wordedges")
families = st.lists(st.sampled_from(SMALL), min_size=1, max_size=4, unique=True).map(tuple)


@dataclass(frozen=True)
class Task:
    """A model with sparse features, and a sentence."""

    parts: Parts
    decoder: Decoder
    source: tuple[str, ...]
    text: SourceText
    families: tuple[str, ...]
    pairs: frozenset[tuple[int, int]]

    def derived(self, steps: tuple[Step, ...], *, ends: bool = True) -> Derived:
        word = self.parts.vocabulary.word
        blocks = tuple(
            Block(
                s.begin,
                s.end,
                tuple(word(w) if w >= 0 else self.source[-1 - w] for w in s.target),
                s.block,
                s.block < 0,
            )
            for s in steps
        )
        return Derived(self.source, blocks, CLASSES, CLASSES, self.pairs, ends)

    def names(self, steps: tuple[Step, ...], *, ends: bool = True) -> Counter[str]:
        return names(self.families, self.derived(steps, ends=ends))

    def weights(self, seed: int, fired: set[str]) -> Weights:
        """Random weights for everything that can fire."""
        keys = np.array([self.decoder.features.key_of(name) for name in sorted(fired)], np.uint64)
        values = np.random.default_rng(seed).normal(0, 0.5, len(keys)).astype(np.float32)
        return Weights(random_weights(seed), SparseWeights.from_arrays(keys, values))

    def score(self, weights: Weights, steps: tuple[Step, ...], *, ends: bool = True) -> float:
        key_of = self.decoder.features.key_of
        sparse = sum(
            weights.sparse[key_of(name)] * count
            for name, count in self.names(steps, ends=ends).items()
        )
        return score(weights, dense_features(self.parts, steps, ends=ends)) + sparse


def task(seed: int, source: list[str], chosen: tuple[str, ...]) -> Task:
    parts = tiny_model(seed)
    pairs = np.random.default_rng(seed).integers(0, len(parts.blocks), (40, 2)).astype(np.int32)
    data = WordData(parts.vocabulary, parts.vocabulary, CLASSES, CLASSES, pairs)
    templates = chosen_templates(", ".join(chosen))
    features = FeatureSet.compile("standard", DenseData(parts.blocks), templates, data)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm, features)
    text = SourceText.encode([" ".join(source)], parts.vocabulary, parts.vocabulary)
    # As in the enumeration, copies are texts, whether or not the target vocabulary has them.
    copies = np.array([-1 - source.index(word) for word in source], np.int32)
    text = replace(text, copies=copies)
    listed = frozenset((int(a), int(b)) for a, b in pairs)
    return Task(parts, decoder, tuple(source), text, chosen, listed)


def every(toy: Task, by: Rules) -> list[tuple[Step, ...]]:
    return list(derivations(toy.parts, toy.text.sentences.ids.tolist(), by))


def steps_of(derivation: _core.Derivation) -> tuple[Step, ...]:
    return tuple(Step(s.begin, s.end, s.block, tuple(s.target)) for s in derivation.steps)


@pytest.mark.parametrize("family", REFERENCES)
@settings(max_examples=8, deadline=None)
@given(seeds, sources, rules)
def test_names_and_keys_are_those_of_the_reference(
    family: str, seed: int, source: list[str], by: Rules
) -> None:
    toy = task(seed, source, (family,))
    found = toy.decoder.decode(
        toy.text, Weights.default(), search_options(by), n_best=10, distinct=False
    )
    for derivation in found[0].derivations:
        expected = toy.names(steps_of(derivation))
        key_of = toy.decoder.features.key_of
        keys, counts = toy.decoder.sparse_features(derivation, toy.text)
        by_key = Counter[int]()
        for name, count in expected.items():
            by_key[key_of(name)] += count
        assert dict(zip(keys.tolist(), counts.tolist(), strict=True)) == by_key
        assert toy.decoder.sparse_names(derivation, toy.text) == {
            key_of(name): name for name in expected
        }


@pytest.mark.parametrize("n_words", [3, 4, 5, 6])
def test_forward_orientation_is_that_from_right_to_left_where_blocks_merge(n_words: int) -> None:
    toy = task(3, [f"w{i % 4}" for i in range(n_words)], ("hierarchical",))
    ids = toy.text.sentences.ids.tolist()
    single = [s for s in options(toy.parts, ids) if s.end == s.begin + 1]
    step = {s.begin: s for s in single}
    assert all(s.block >= 0 for s in step.values())
    n_merging = n_apart = n_differing = 0
    for order in permutations(range(n_words)):
        steps = tuple(step[i] for i in order)
        blocks = [(s.begin, s.end, list(s.target)) for s in steps]
        derivation = toy.decoder.derive(toy.text, blocks, Weights.default())
        found = toy.decoder.sparse_names(derivation, toy.text).values()
        d = toy.derived(steps)
        expected = set()
        for b, (begin, end) in zip(d.blocks, merged_from_the_right(d.blocks, n_words), strict=True):
            way = "M" if b.end == begin else "S" if b.begin == end else "D"
            expected.add(f"hierarchical.forward:{d.s(b)} ||| {' '.join(b.target)} ||| {way}")
        same = {name for name in found if ".forward" in name} == expected
        if builds_by_merging(d.blocks):
            n_merging += 1
            assert same
        else:
            n_apart += 1
            n_differing += not same
    # As many orders merge as there are large Schroeder numbers; of the others some must differ.
    assert n_merging == {3: 6, 4: 22, 5: 90, 6: 394}[n_words]
    assert n_differing > n_apart / 2 or n_apart == 0


@few
@given(seeds, sources, rules, families)
def test_the_n_best_list_is_every_derivation_in_order(
    seed: int, source: list[str], by: Rules, chosen: tuple[str, ...]
) -> None:
    toy = task(seed, source, chosen)
    all_steps = every(toy, by)
    assume(len(all_steps) < 3000)
    weights = toy.weights(seed, {name for steps in all_steps for name in toy.names(steps)})
    expected = sorted((toy.score(weights, steps) for steps in all_steps), reverse=True)
    options = search_options(by)
    [found] = toy.decoder.decode(toy.text, weights, options, n_best=200, distinct=False)
    scores = [derivation.score for derivation in found.derivations]
    assert scores == pytest.approx(expected[:200], abs=1e-4)
    graph = toy.decoder.graph(toy.text, weights, options)
    best = max(node.score for node in graph.nodes if node.complete)
    assert best == pytest.approx(expected[0], abs=1e-4)
    for derivation in found.derivations[:5]:
        keys, counts = toy.decoder.sparse_features(derivation, toy.text)
        dot = float(weights.vector() @ derivation.features)
        dot += float(weights.sparse.lookup(keys) @ counts)
        assert derivation.score == pytest.approx(dot, abs=1e-4)
        fired = toy.decoder.explain(derivation, toy.text, weights)
        total = sum(feature.value * feature.weight for step in fired for feature in step)
        assert total == pytest.approx(derivation.score, abs=1e-4)


@few
@given(seeds, sources, rules, families)
def test_given_blocks_score_as_in_the_search(
    seed: int, source: list[str], by: Rules, chosen: tuple[str, ...]
) -> None:
    toy = task(seed, source, chosen)
    all_steps = every(toy, by)
    assume(len(all_steps) < 3000)
    weights = toy.weights(seed, {name for steps in all_steps for name in toy.names(steps)})
    [found] = toy.decoder.decode(toy.text, weights, search_options(by), n_best=5, distinct=False)
    for derivation in found.derivations:
        blocks = [(step.begin, step.end, step.target) for step in derivation.steps]
        derived = toy.decoder.derive(toy.text, blocks, weights)
        assert derived.score == pytest.approx(derivation.score, abs=1e-4)
        assert derived.score == pytest.approx(toy.score(weights, steps_of(derivation)), abs=1e-4)


@settings(max_examples=10, deadline=None)
@given(seeds, sources, rules)
@example(4355, ["w0", "w2"], Rules("mon", -1, False))  # w2 is copied, and a word of an option
@example(330, ["w0", "w1"], Rules("mon"))  # w1 is copied: both edges of a target are a copy
def test_word_edges_are_scored_in_the_search(seed: int, source: list[str], by: Rules) -> None:
    toy = task(seed, source[:3], ("wordedges",))
    all_steps = every(toy, by)
    assume(len(all_steps) < 100)
    weights = toy.weights(seed, {name for steps in all_steps for name in toy.names(steps)})
    expected = sorted((toy.score(weights, steps) for steps in all_steps), reverse=True)
    options = search_options(by)
    found = toy.decoder.decode(toy.text, weights, options, n_best=200, distinct=False)
    scores = [derivation.score for derivation in found[0].derivations]
    assert scores == pytest.approx(expected, abs=1e-3)


@few
@given(seeds, sources, rules, families, st.data())
def test_forced_decoding_scores_sparse_features(
    seed: int, source: list[str], by: Rules, chosen: tuple[str, ...], data: st.DataObject
) -> None:
    assume(not by.strict)
    toy = task(seed, source, chosen)
    all_steps = every(toy, by)
    weights = toy.weights(seed, {name for steps in all_steps for name in toy.names(steps)})
    reference = words_of(data.draw(st.sampled_from(all_steps)))
    golden = [steps for steps in all_steps if words_of(steps) == reference]
    wanted = SourceText(
        toy.text.sentences.from_lists([[max(word, 0) for word in reference]]),
        np.array(reference, np.int32),
    )
    options = ForceOptions(
        reordering=by.mode,
        distortion_limit=by.limit,
        distortion_rule=by.distortion,
        min_prefix=1,
    )
    [forced] = toy.decoder.force(toy.text, wanted, weights, options)
    assert forced.n_derivations == len(golden)
    best = max(toy.score(weights, steps) for steps in golden)
    assert forced.best.score == pytest.approx(best, abs=1e-4)


@few
@given(seeds, sources, rules, families, st.data())
def test_prefix_pairs_are_scored_without_the_end(
    seed: int, source: list[str], by: Rules, chosen: tuple[str, ...], data: st.DataObject
) -> None:
    assume(not by.strict)
    toy = task(seed, source, chosen)
    parts, ids = toy.parts, toy.text.sentences.ids.tolist()
    prefixes = [
        (steps, len(covered))
        for steps, covered in partial_derivations(parts, ids, by)
        if steps and covered == frozenset(range(len(covered)))
    ]
    reference = [*words_of(data.draw(st.sampled_from(prefixes))[0]), NO_WORD]
    pairs: dict[tuple[int, int], list[tuple[Step, ...]]] = {}
    for steps, n_covered in prefixes:
        words = words_of(steps)
        if list(words) == reference[: len(words)]:
            pairs.setdefault((n_covered, len(words)), []).append(steps)
    some = pairs[max(pairs)]
    weights = toy.weights(seed, {n for steps in some for n in toy.names(steps, ends=False)})
    wanted = SourceText(
        toy.text.sentences.from_lists([[0] * len(reference)]), np.array(reference, np.int32)
    )
    options = ForceOptions(
        reordering=by.mode,
        distortion_limit=by.limit,
        distortion_rule=by.distortion,
        min_prefix=1,
    )
    [forced] = toy.decoder.force(toy.text, wanted, weights, options)
    assert not forced.reachable
    assert (forced.prefix_source, forced.prefix_target) == max(pairs)
    best = max(toy.score(weights, steps, ends=False) for steps in some)
    assert forced.best.score == pytest.approx(best, abs=1e-4)
    rows = toy.decoder.sparse_rows([[forced.best]], toy.text, ends=False)
    key_of = toy.decoder.features.key_of
    fired = toy.names(steps_of(forced.best), ends=False)
    assert rows.keys.tolist() == sorted({key_of(name) for name in fired})


PAIRS = [
    Template(
        f"pair.{level}{'+source.length' if long else ''}",
        slots + ("source.length",) * long,
        extends=f"pair.{level}" if long else "",
    )
    for level in ("word", "brown", "brown6", "brown4", "type")
    for long in (False, True)
    for slots in [(f"source.left@{level}", "target.first")]
]


@few
@given(seeds, sources, rules, st.sets(st.sampled_from(PAIRS), min_size=1))
def test_of_templates_that_lie_together_only_the_active_ones_count(
    seed: int, source: list[str], by: Rules, active: set[Template]
) -> None:
    """With and without the length of the source: weights of both, templates of some."""
    parts = tiny_model(seed)
    data = WordData(parts.vocabulary, parts.vocabulary, CLASSES, CLASSES)

    def decoder_of(templates: list[Template]) -> Decoder:
        features = FeatureSet.compile("standard", DenseData(parts.blocks), templates, data)
        return Decoder(parts.blocks, parts.vocabulary, parts.lm, features)

    text = SourceText.encode([" ".join(source)], parts.vocabulary, parts.vocabulary)
    everything, some = decoder_of(PAIRS), decoder_of([t for t in PAIRS if t in active])
    [plain] = everything.decode(text, Weights.default(), search_options(by), n_best=50)
    keys = np.unique(everything.sparse_rows([plain.derivations], text).keys)
    values = np.random.default_rng(seed).normal(0, 0.5, len(keys)).astype(np.float32)
    weights = Weights(random_weights(seed), SparseWeights.from_arrays(keys, values))
    [found] = some.decode(text, weights, search_options(by), n_best=50)
    for derivation in found.derivations:
        fired, counts = some.sparse_features(derivation, text)
        dot = float(weights.vector() @ derivation.features)
        dot += float(weights.sparse.lookup(fired) @ counts)
        assert derivation.score == pytest.approx(dot, abs=1e-4)
        names = some.sparse_names(derivation, text)
        assert {name.partition(":")[0] for name in names.values()} <= {t.name for t in active}


def test_keys_of_one_place_differ() -> None:
    """Whatever the number in the minor slot, and whether or not there is one."""
    plain, longer = PAIRS[:2]
    keys = {longer.key_of(["x", "y", str(n)]) for n in range(1, 100)} | {plain.key_of(["x", "y"])}
    assert len(keys) == 100
    assert len({key >> 16 for key in keys}) == 1


def test_features_of_different_names_have_different_keys() -> None:
    """Whatever their templates are called, and whichever number they end in."""
    edge = Template("edge", ("source.last", "target.length"))
    plain = Template("edge+source.length", ("source.last", "source.length"))
    longer = replace(plain, extends="edge")
    other = Template("edge+jump", ("source.last", "jump"), extends="edge")
    keys = {
        template.key_of(["x", str(n)])
        for template in (edge, plain, longer, other)
        for n in range(1, 50)
    }
    assert len(keys) == 4 * 49
    assert edge.key_of(["x", "1"]) >> 16 == longer.key_of(["x", "1"]) >> 16


def test_an_extension_says_what_it_extends() -> None:
    for name, last, extends in (
        ("edge+target.length", "source.length", "edge"),
        ("edge+source.length", "source.length", "other"),
        ("edge+source.last", "source.last", "edge"),
    ):
        with pytest.raises(OptionError, match=r"^template '.*expected"):
            Template(name, ("target.first", last), extends=extends)


def test_the_slots_are_those_of_the_core() -> None:
    names = {re.sub(r"^(target\.ngram)\.\d$", r"\1", name) for name in SLOTS}
    assert names == set(_core.slot_names())


def test_rows_of_many_derivations_follow_each_other() -> None:
    toy = task(3, ["w0", "w1", "Xy7"], ("P1", "W3"))
    found = toy.decoder.decode(toy.text, Weights.default(), DecodeOptions(), n_best=7)
    rows = toy.decoder.sparse_rows([found[0].derivations], toy.text)
    assert len(rows.offsets) == len(found[0].derivations) + 1
    for i, derivation in enumerate(found[0].derivations):
        keys, counts = toy.decoder.sparse_features(derivation, toy.text)
        at = slice(rows.offsets[i], rows.offsets[i + 1])
        assert rows.keys[at].tolist() == keys.tolist()
        assert rows.counts[at].tolist() == counts.tolist()


def test_results_do_not_depend_on_threads_or_on_sentences_before() -> None:
    parts = tiny_model(5, n_pairs=40, n_words=4)
    data = WordData(parts.vocabulary, parts.vocabulary, CLASSES, CLASSES)
    templates = chosen_templates("all, maxforce, expected-bleu")
    features = FeatureSet.compile("standard", DenseData(parts.blocks), templates, data)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm, features)
    rng = np.random.default_rng(1)
    lines = [" ".join(f"w{i}" for i in rng.integers(0, 5, rng.integers(1, 12))) for _ in range(40)]
    text = SourceText.encode(lines, parts.vocabulary, parts.vocabulary)
    plain = decoder.decode(text, Weights.default(), DecodeOptions(), n_best=3)
    rows = decoder.sparse_rows([sentence.derivations for sentence in plain], text)
    keys = np.unique(rows.keys)
    values = rng.normal(0, 0.1, len(keys)).astype(np.float32)
    weights = Weights(Weights.default(), SparseWeights.from_arrays(keys, values))

    def run(threads: int) -> list[tuple[float, int]]:
        found = decoder.decode(text, weights, DecodeOptions(), threads=threads)
        return [(sentence.derivations[0].score, sentence.n_generated) for sentence in found]

    alone = []
    for line in lines:
        single = SourceText.encode([line], parts.vocabulary, parts.vocabulary)
        [found] = decoder.decode(single, weights, DecodeOptions())
        alone.append((found.derivations[0].score, found.n_generated))
    assert run(1) == run(2) == run(8) == alone


def test_word_edges_number_as_the_budget_allows() -> None:
    """38 of one slot and 599 of two, each also with the length of the source."""
    templates = list(wordedges())
    lengths = Counter(
        len([s for s in template.slots if s != "source.length"]) for template in templates
    )
    assert lengths == {1: 2 * 38, 2: 2 * 599}
    assert len({template.name for template in templates}) == len(templates)
    assert sum("source.length" in template.slots for template in templates) == 637
    assert len(list(wordedges(max_slots=3))) == 2 * (38 + 599 + 4508)


def test_word_edges_may_keep_to_some_levels() -> None:
    """All combinations without any other level, and no others; keys stay what they were."""
    wanted = {"brown", "brown6", "char"}
    every = {template.name: template for template in wordedges()}
    kept = {
        name: template
        for name, template in every.items()
        if all(slot.partition("@")[2] in {*wanted, ""} for slot in template.slots)
    }
    found = {edge.name: edge for edge in wordedges(levels="char, brown6,brown")}
    assert 0 < len(kept) < len(every)
    assert found == kept
    assert chosen_templates("maxforce", levels="type")[1].slots == ("source.first@type",)
    with pytest.raises(OptionError, match="wordedges_levels=browm: did you mean 'brown'"):
        chosen_templates("wordedges", levels="brown4,browm")


def test_levels_that_words_lack_leave_their_templates_out() -> None:
    parts = tiny_model(1)
    data = WordData(parts.vocabulary, parts.vocabulary)
    features = FeatureSet.compile(
        "standard", DenseData(parts.blocks), chosen_templates("maxforce"), data
    )
    assert not any("brown" in name or "tag" in name for name in features.templates)
    assert "wordedges.source.left@char+target.first@word" in features.templates
    assert "rule-history.word" in features.templates


def test_every_family_has_a_reference() -> None:
    of_gaps = {name for name, family in FAMILIES.items() if all(t.is_of_gaps for t in family)}
    assert set(REFERENCES) | of_gaps == {*FAMILIES, "wordedges"}
    assert set(OF_GAPS) == of_gaps
    assert {name for group in GROUPS.values() for name in group} <= set(REFERENCES)


def test_preselection_keeps_what_is_best_with_all_options() -> None:
    """Options beyond the limit are dropped; without a limit nothing is."""
    toy = task(7, ["w0", "w1", "w2", "w3"], ("P1",))
    best = {}
    for limit in (0, 1, 100):
        options = replace(search_options(Rules()), options_per_span=limit)
        found = toy.decoder.decode(toy.text, toy.weights(7, {"P1:w0 ||| w1"}), options)
        best[limit] = found[0].derivations[0].score
    assert best[1] <= best[100] == best[0]


def test_vocabularies_may_differ() -> None:
    """Source and target words have values of their own."""
    parts = tiny_model(2)
    source = Vocabulary(["a", "b", "c", "d"])
    data = WordData(source, parts.vocabulary)
    features = FeatureSet.compile("standard", DenseData(parts.blocks), chosen_templates("P1"), data)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm, features)
    text = SourceText.encode(["a b"], source, parts.vocabulary)
    [found] = decoder.decode(text, Weights.default(), DecodeOptions())
    fired = decoder.sparse_names(found.derivations[0], text).values()
    assert all(re.fullmatch(r"P1:[ab ]+ \|\|\| [w0-9 ]+", name) for name in fired)


@few
@given(seeds, st.lists(sources, min_size=2, max_size=4))
def test_sums_over_a_sentence_are_not_those_of_another(seed: int, texts: list[list[str]]) -> None:
    parts = tiny_model(seed)
    words = ("sentence.source", "each.target")
    templates = (
        Template("words", words),
        Template("pairs", ("sentence.source", "sentence.source", "each.target")),
        Template("classes", ("sentence.source@brown4", "each.target@brown4")),
        Template("blocks", words, copies=False),
        Template("alone", ("each.target",)),
        Template("alone-of-blocks", ("each.target",), copies=False),
    )
    data = WordData(parts.vocabulary, parts.vocabulary, CLASSES, CLASSES)
    features = FeatureSet.compile("standard", DenseData(parts.blocks), templates, data)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm, features)

    def encoded(texts: list[list[str]]) -> SourceText:
        lines = [" ".join(words) for words in texts]
        return SourceText.encode(lines, parts.vocabulary, parts.vocabulary)

    singles = [encoded([words]) for words in texts]
    options = replace(DecodeOptions(), stack_size=0, pop_limit=0)
    fired = []
    for text in singles:
        [decoded] = decoder.decode(text, Weights.default(), options, n_best=20, distinct=False)
        fired += [decoder.sparse_features(some, text)[0] for some in decoded.derivations]
    keys = np.unique(np.concatenate(fired))
    values = np.random.default_rng(seed).normal(0, 0.5, len(keys)).astype(np.float32)
    weights = Weights(random_weights(seed), SparseWeights.from_arrays(keys, values))
    together = decoder.decode(encoded(texts), weights, options, n_best=5, threads=1)
    for text, decoded in zip(singles, together, strict=True):
        [alone] = decoder.decode(text, weights, options, n_best=5)
        for derivation, other in zip(decoded.derivations, alone.derivations, strict=True):
            assert derivation.score == other.score
            found, counts = decoder.sparse_features(derivation, text)
            dot = float(weights.vector() @ derivation.features)
            dot += float(weights.sparse.lookup(found) @ counts)
            assert derivation.score == pytest.approx(dot, abs=1e-4)
