"""Slow references for the chart decoder: small grammars, and every derivation of a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from calque import _core
from calque.blocks import BlockTable
from calque.config import LmOptions
from calque.features.dense import SETS, TRANSLATION
from calque.lm import LanguageModel, estimate
from calque.text import Sentences, Vocabulary

GAPS = (1, 2)
Side = tuple[int, ...]


def rule_table(rules: Mapping[tuple[Side, Side], Sequence[float]]) -> BlockTable:
    """A table of rules (source side, target side) with four scores each, and no links."""

    def numbered(sides: set[Side]) -> tuple[list[Side], np.ndarray, np.ndarray]:
        ordered = sorted(sides, key=lambda side: (len(side), side))
        words = np.array([symbol for side in ordered for symbol in side], np.int32)
        return ordered, words, np.cumsum([0, *map(len, ordered)]).astype(np.int64)

    sources, source_words, source_offsets = numbered({source for source, _ in rules})
    targets, target_words, target_offsets = numbered({target for _, target in rules})
    rows = sorted(
        rules, key=lambda rule: (sources.index(rule[0]), -sum(rules[rule]), targets.index(rule[1]))
    )
    n_of = [sum(rule[0] == source for rule in rows) for source in sources]
    slots = np.empty(2 * _core.n_slots(len(sources)), np.int32)
    _core.index_sources(source_words, source_offsets, slots)
    return BlockTable.from_arrays(
        {
            "source_words": source_words,
            "source_offsets": source_offsets,
            "source_counts": np.empty(0, np.int32),
            "block_offsets": np.cumsum([0, *n_of]).astype(np.int64),
            "target_words": target_words,
            "target_offsets": target_offsets,
            "target_counts": np.empty(0, np.int32),
            "target_phrase": np.array([targets.index(target) for _, target in rows], np.int32),
            "joint_counts": np.empty(0, np.int32),
            "scores": np.array([rules[rule] for rule in rows], np.float32),
            "orientation": np.empty((0, 6), np.float32),
            "links": np.empty((0, 2), np.uint8),
            "link_offsets": np.zeros(len(rows) + 1, np.int64),
            "slots": slots,
        }
    )


@dataclass(frozen=True)
class Grammar:
    """What a chart decoder is made of."""

    blocks: BlockTable
    vocabulary: Vocabulary
    lm: LanguageModel


def random_grammar(seed: int, n_words: int = 4, order: int = 3, n_rules: int = 30) -> Grammar:
    """Random rules of up to two gaps over a few words, and a language model of random sentences."""
    rng = np.random.default_rng(seed)
    vocabulary = Vocabulary([f"w{i}" for i in range(n_words)])
    rules: dict[tuple[Side, Side], list[float]] = {}

    def words(least: int, most: int) -> list[int]:
        return [int(word) for word in rng.integers(3, 3 + n_words, rng.integers(least, most + 1))]

    while len(rules) < n_rules:
        n_gaps = int(rng.integers(0, 3))
        source, target = words(0 if n_gaps == 2 else 1, 2), words(0 if n_gaps else 1, 3)
        places = sorted(int(at) for at in rng.integers(0, len(source) + 1, n_gaps))
        for gap, at in reversed(list(enumerate(places))):
            source.insert(at, GAPS[gap])
        for gap in rng.permutation(n_gaps):
            target.insert(int(rng.integers(0, len(target) + 1)), GAPS[gap])
        rules[tuple(source), tuple(target)] = rng.uniform(-3, 0, 4).round(3).tolist()
    lists = [rng.integers(3, 3 + n_words, rng.integers(2, 7)).tolist() for _ in range(8)]
    lm = estimate(Sentences.from_lists(lists), vocabulary, LmOptions(order=order))
    return Grammar(rule_table(rules), vocabulary, lm)


@dataclass(frozen=True)
class Applied:
    """A rule over a span, and what fills its gaps."""

    begin: int
    end: int
    block: int
    target: Side
    gaps: tuple[Applied, ...] = ()
    is_copy: bool = False

    @property
    def depth(self) -> int:
        return 1 + max(gap.depth for gap in self.gaps) if self.gaps else 0

    def words(self) -> Side:
        given: list[int] = []
        for symbol in self.target:
            is_gap = self.block >= 0 and symbol in GAPS
            given += self.gaps[symbol - 1].words() if is_gap else [symbol]
        return tuple(given)

    def all(self) -> Iterator[Applied]:
        yield self
        for gap in self.gaps:
            yield from gap.all()


@dataclass
class Enumeration:
    """Every derivation of a short sentence, found without any chart."""

    grammar: Grammar
    source: list[int]
    copies: list[int]
    max_span: int = 10
    shallow: int = 0
    required: Mapping[tuple[int, int], Side] = field(default_factory=dict)

    def derivations(self) -> Iterator[tuple[Applied, ...]]:
        """Sequences of applied rules that cover the sentence from left to right."""

        def cover(begin: int) -> Iterator[tuple[Applied, ...]]:
            if begin == len(self.source):
                yield ()
                return
            for end in range(begin + 1, len(self.source) + 1):
                for first, rest in product(list(self.spans(begin, end)), list(cover(end))):
                    yield (first, *rest)

        yield from cover(0)

    def prefixes(self) -> Iterator[tuple[Applied, ...]]:
        """The same for every prefix of the sentence, the whole of it and nothing included."""
        found: list[tuple[Applied, ...]] = [()]
        while found:
            derivation = found.pop()
            yield derivation
            begin = derivation[-1].end if derivation else 0
            for end in range(begin + 1, len(self.source) + 1):
                found += [(*derivation, last) for last in self.spans(begin, end)]

    def spans(self, begin: int, end: int) -> Iterator[Applied]:
        """Every way to translate a span by one rule and what fills its gaps."""
        if (begin, end) in self.required:
            yield Applied(begin, end, -1, self.required[begin, end])
            return
        if end - begin > self.max_span:
            return
        blocks = self.grammar.blocks
        for phrase in range(blocks.n_sources):
            side = blocks.source(phrase).tolist()
            for gaps in self._matches(side, begin, end):
                fillings = [list(self._fillers(*gap)) for gap in gaps]
                for filling in product(*fillings):
                    for block in blocks.blocks(phrase):
                        target = tuple(blocks.target(block).tolist())
                        yield Applied(begin, end, block, target, filling)
        is_required = any(first <= begin < last for first, last in self.required)
        if end == begin + 1 and blocks.find([self.source[begin]]) < 0 and not is_required:
            yield Applied(begin, end, -1, (self.copies[begin],), is_copy=True)

    def _fillers(self, begin: int, end: int) -> Iterator[Applied]:
        for applied in self.spans(begin, end):
            if self.shallow == 0 or applied.depth < self.shallow:
                yield applied

    def _matches(self, side: list[int], begin: int, end: int) -> Iterator[list[tuple[int, int]]]:
        """Where the gaps of a source side may lie so that it matches a span."""
        if side in ([], [GAPS[0]]):  # nothing, or a rule that is only a gap
            return

        def match(at: int, position: int) -> Iterator[list[tuple[int, int]]]:
            if at == len(side):
                if position == end:
                    yield []
                return
            if side[at] not in GAPS:
                free = not any(first <= position < last for first, last in self.required)
                if position < end and self.source[position] == side[at] and free:
                    yield from match(at + 1, position + 1)
                return
            for last in range(position + 1, end + 1):
                for rest in match(at + 1, last):
                    yield [(position, last), *rest]

        yield from match(0, begin)


def words_of(derivation: Sequence[Applied]) -> Side:
    """The target words of a derivation."""
    return tuple(word for top in derivation for word in top.words())


def features(
    grammar: Grammar, derivation: Sequence[Applied], ends: bool = True
) -> dict[str, float]:
    """The values of the set `rules`, from their definitions."""
    values = dict.fromkeys(SETS["rules"], 0.0)
    words = [max(word, 0) for word in words_of(derivation)]
    scored = grammar.lm.score_words(Sentences.from_lists([words]), threads=1).log_probs
    values["language_model"] = float(sum(scored if ends else scored[:-1]))
    values["glue_count"] = len(derivation)
    for applied in (applied for top in derivation for applied in top.all()):
        own = [s for s in applied.target if applied.block < 0 or s not in GAPS]
        values["word_count"] += len(own)
        values["block_count"] += 1
        if applied.block >= 0:
            scores = grammar.blocks.scores[applied.block].tolist()
            for name, score in zip(TRANSLATION, scores, strict=True):
                values[name] += score
        elif applied.is_copy:
            values["unknown"] -= 1
    return values
