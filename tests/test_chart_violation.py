"""Updates on the spans of a chart equal those of a slow chart and an enumeration of derivations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pytest
from chart_reference import Applied, Enumeration, Grammar, Side, features, random_grammar, words_of
from test_chart_exact import decoder_of, random_text, random_weights
from test_chart_forced import as_reference
from test_decode_oracle import bleu

from calque.config import DecodeOptions, ForceOptions
from calque.decode import Decoder, GoldLattices, GoldText, SourceText
from calque.decode.gold import Good, Selection, Violations
from calque.decode.source import NO_WORD
from calque.features import Weights

Bin = tuple[int, int, bool]
"""A span, or what covers the sentence up to a word."""
Part = tuple[Applied, ...]
Chart = dict[Bin, list[tuple[float, Part]]]
CLOSE = 1e-4
MOST_DERIVATIONS = 1000
SIZES = (1, 2, 0)
RULES: tuple[Selection, ...] = ("maxviolation", "early", "standard", "localupdate")
GOODS: tuple[Good, ...] = ("lattice", "all_prefixes")


@dataclass
class Pair:
    """A pair or prefix pair; the language model is of order 1, so that it needs no context."""

    grammar: Grammar
    weights: Weights
    every: Enumeration
    reference: Side
    is_whole: bool
    max_span: int

    @property
    def n(self) -> int:
        return len(self.every.source)

    @cached_property
    def bins(self) -> list[Bin]:
        spans = [
            (begin, end, False)
            for begin in reversed(range(self.n))
            for end in range(begin + 1, min(self.n, begin + self.max_span) + 1)
        ]
        return spans + [(0, end, True) for end in range(1, self.n + 1)]

    def vector(self, part: Part, at: Bin) -> dict[str, float]:
        ends = self.is_whole and at == self.bins[-1]
        values = features(self.grammar, part, ends)
        return values if at[2] else values | {"glue_count": 0.0}

    def score(self, part: Part, at: Bin) -> float:
        return sum(self.weights[name] * value for name, value in self.vector(part, at).items())

    def place(self, words: Side, at: Bin) -> tuple[int, int] | None:
        """Where words stand first in the reference."""
        for begin in range(1 if at[2] else len(self.reference)):
            if self.reference[begin : begin + len(words)] == words:
                return begin, begin + len(words)
        return None

    @cached_property
    def parts(self) -> dict[Bin, list[Part]]:
        """Every way to translate what each bin covers."""
        found: dict[Bin, list[Part]] = defaultdict(list)
        for part in self.every.prefixes():
            if part:
                found[0, part[-1].end, True].append(part)
        for begin, end, _ in self.bins[: -self.n]:
            found[begin, end, False] = [(step,) for step in self.every.spans(begin, end)]
        return found

    @cached_property
    def golden(self) -> list[Part]:
        return [part for part in self.parts[self.bins[-1]] if words_of(part) == self.reference]

    @cached_property
    def states(self) -> set[tuple[Bin, int, int]]:
        """All that is on the way to the reference."""
        return {state for part in self.golden for state in states_of(part)}

    @cached_property
    def charts(self) -> dict[int, Chart]:
        """By the size of the beam."""
        return {size: chart_of(self, size) for size in SIZES}


def states_of(derivation: Part) -> set[tuple[Bin, int, int]]:
    """The spans and prefixes of a derivation, and what words of it they give."""
    found: set[tuple[Bin, int, int]] = set()

    def walk(applied: Applied, begin: int) -> int:
        at = begin
        for symbol in applied.target:
            is_gap = applied.block >= 0 and symbol in (1, 2)
            at = walk(applied.gaps[symbol - 1], at) if is_gap else at + 1
        found.add(((applied.begin, applied.end, False), begin, at))
        return at

    at = 0
    for applied in derivation:
        at = walk(applied, at)
        found.add(((0, applied.end, True), 0, at))
    return found


def chart_of(pair: Pair, size: int) -> Chart:
    """What each bin keeps, best first."""
    blocks, every = pair.grammar.blocks, pair.every
    kept: Chart = {}
    for at in pair.bins:
        begin, end, is_prefix = at
        parts: list[Part] = []
        if is_prefix:
            for middle in range(end):
                before = [part for _, part in kept[0, middle, True]] if middle else [()]
                following = kept.get((middle, end, False), [])
                parts += [(*first, *second) for first, (_, second) in product(before, following)]
        else:
            for phrase in range(blocks.n_sources):
                for gaps in every._matches(blocks.source(phrase).tolist(), begin, end):
                    fillings = [[part[0] for _, part in kept[*gap, False]] for gap in gaps]
                    for filling in product(*fillings):
                        parts += [
                            (
                                Applied(
                                    begin, end, block, tuple(blocks.target(block).tolist()), filling
                                ),
                            )
                            for block in blocks.blocks(phrase)
                        ]
            if end == begin + 1 and blocks.find([every.source[begin]]) < 0:
                parts.append((Applied(begin, end, -1, (every.copies[begin],), is_copy=True),))
        best: dict[tuple[int, int] | None, tuple[float, Part]] = {}
        for part in parts:
            key, scored = pair.place(words_of(part), at), (pair.score(part, at), part)
            if key not in best or scored[0] > best[key][0]:
                best[key] = scored
        ranked = sorted(best.values(), key=lambda entry: -entry[0])
        kept[at] = ranked[:size] if size else ranked
    return kept


Expected = tuple[Bin, Part, Part] | None


class TooCloseError(Exception):
    """Scores are so close that the core may see them otherwise."""


def expected_update(pair: Pair, rule: Selection, good: Good, size: int) -> tuple[Expected, bool]:
    """The bin of the update, what should win and what should not; whether the reference won."""
    chart = pair.charts[size]
    by_bin: dict[Bin, set[Side]] = defaultdict(set)
    for at, begin, end in pair.states:
        by_bin[at].add(pair.reference[begin:end])
    last = pair.bins[-1]

    def is_golden(part: Part, at: Bin) -> bool:
        words = words_of(part)
        if at == last:
            return words == pair.reference
        if good == "all_prefixes":
            return pair.place(words, at) is not None
        return words in by_bin[at]

    def is_bad(part: Part, at: Bin) -> bool:
        if at == last:
            return not is_golden(part, at)
        return pair.place(words_of(part), at) is None

    gold: dict[Bin, tuple[float, Part]] = {}
    for at in pair.bins:
        scored = [
            (pair.score(candidate, at), candidate)
            for candidate in pair.parts[at]
            if is_golden(candidate, at)
        ]
        if scored:
            gold[at] = max(scored, key=lambda entry: entry[0])
    bad = {
        at: [scored_part for scored_part in some if is_bad(scored_part[1], at)]
        for at, some in chart.items()
    }

    def update(at: Bin) -> tuple[float, Expected]:
        return gold[at][0] - bad[at][0][0], (at, gold[at][1], bad[at][0][1])

    sites = [at for at in pair.bins if at in gold and bad[at]]
    if rule in ("maxviolation", "early") and any(abs(update(at)[0]) < CLOSE for at in sites):
        raise TooCloseError
    is_won = bool(chart[last]) and is_golden(chart[last][0][1], last)

    def first_valid(begin: int) -> Expected:
        for at in sites:
            if pair.bins.index(at) >= begin and update(at)[0] <= 0:
                return update(at)[1]
        return None

    if rule == "maxviolation":
        valid = [update(at) for at in sites if update(at)[0] <= 0]
        return (min(valid, key=lambda entry: entry[0])[1] if valid else None), is_won
    if rule == "standard":
        if is_won or not chart[last]:
            return None, is_won
        return (last, gold[last][1], chart[last][0][1]), is_won
    if rule == "localupdate":
        if not chart[last]:
            return None, is_won
        closest = max(
            (part for _, part in chart[last]),
            key=lambda part: bleu(words_of(part), [list(pair.reference)], True),
        )
        best = chart[last][0][1]
        return (None if closest == best else (last, closest, best)), is_won
    for number, at in enumerate(pair.bins):
        before = set(pair.bins[: number + 1])
        kept = {at: {words_of(part) for _, part in chart[at]} for at in before}
        survives = any(
            all(
                pair.reference[begin:end] in kept[place]
                for place, begin, end in states_of(right)
                if place in before
            )
            for right in pair.golden
        )
        if not survives:
            return first_valid(number), is_won
    return (None if is_won else first_valid(len(pair.bins) - 1)), is_won


def found_by_core(
    decoder: Decoder, pair: Pair, text: SourceText, rule: Selection, good: Good, size: int
) -> Violations:
    """A prefix pair is one of an unreachable pair with a word more."""
    reference = [*pair.reference, *([] if pair.is_whole else [NO_WORD])]
    wanted = as_reference(reference)
    limits = ForceOptions(max_span=pair.max_span, min_prefix=1)
    lattices = GoldLattices.find(decoder, text, wanted, limits, prefixes="all")
    ends = zip(lattices.n_source.tolist(), lattices.n_target.tolist(), strict=True)
    at = list(ends).index((pair.n, len(pair.reference)))
    options = DecodeOptions(
        engine="chart",
        max_span=pair.max_span,
        pop_limit=0,
        options_per_span=0,
        max_targets=0,
        stack_size=size,
        future_cost=False,
    )
    gold = GoldText(decoder, text, wanted, lattices)
    return gold.violations(np.array([at]), pair.weights, options, rule, good=good, threads=2)


def test_updates_are_those_of_the_slow_chart() -> None:
    n_same = dict.fromkeys(RULES, 0)
    for seed in range(5):
        for rule, is_same in compared(seed):
            n_same[rule] += is_same
    assert all(n > 8 for n in n_same.values())


def compared(seed: int) -> Iterator[tuple[Selection, bool]]:
    """Rules of updates on random pairs, and whether an update was compared."""
    grammar = random_grammar(seed, order=1, n_rules=24)
    decoder = decoder_of(grammar)
    weights = random_weights(decoder, seed)
    source, text = random_text(grammar, seed)
    copies = text.copies.tolist()
    max_span = 2 if seed % 4 == 3 else 10
    for n_source in (3, 4):
        every = Enumeration(grammar, source[:n_source], copies[:n_source], max_span)
        references = sorted({words_of(derivation) for derivation in every.derivations()})
        for at in np.random.default_rng(seed).permutation(len(references))[:2].tolist():
            is_whole = n_source == len(source)
            pair = Pair(grammar, weights, every, references[at], is_whole, max_span)
            if len(pair.parts[pair.bins[-1]]) > MOST_DERIVATIONS:
                continue
            for rule, size, good in product(RULES, SIZES, GOODS):
                yield rule, has_expected_update(decoder, pair, text, rule, good, size)


def has_expected_update(
    decoder: Decoder, pair: Pair, text: SourceText, rule: Selection, good: Good, size: int
) -> bool:
    """Whether there is an update and its bin leaves no choice; asserts that it is the right one."""
    try:
        wanted, is_won = expected_update(pair, rule, good, size)
    except TooCloseError:
        return False
    found = found_by_core(decoder, pair, text, rule, good, size)
    assert found.is_won.tolist() == [is_won]
    if wanted is None:
        assert found.bins[0] == -1
        return False
    at, right, wrong = wanted
    ours, theirs = pair.vector(right, at), pair.vector(wrong, at)
    expected = [ours[name] - theirs[name] for name in decoder.feature_names]
    if np.abs(expected).max() < CLOSE:  # equal features: there is nothing to learn
        assert found.bins[0] == -1
        return False
    margin = pair.score(right, at) - pair.score(wrong, at)
    assert found.margins[0] == pytest.approx(margin, abs=CLOSE)
    vector = pair.weights.vector(decoder.feature_names)
    assert found.dense[0] @ vector == pytest.approx(margin, abs=CLOSE)
    if pair.bins[found.bins[0]] != at:  # the same mistake in another span that holds it
        assert rule == "maxviolation"
        return False
    assert found.dense[0].tolist() == pytest.approx(expected, abs=CLOSE)
    return True
