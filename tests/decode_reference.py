"""Slow references for the decoder: every derivation of a short sentence, and its features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from calque.blocks import BlockTable, extract
from calque.config import LmOptions
from calque.decode import SourceText
from calque.features import DENSE, Weights
from calque.lm import LanguageModel, estimate
from calque.text import Sentences, Vocabulary

MONOTONE, SWAP, DISCONTINUOUS = 0, 1, 2


@dataclass(frozen=True)
class Parts:
    """What a decoder is made of."""

    blocks: BlockTable
    vocabulary: Vocabulary
    lm: LanguageModel


def tiny_model(seed: int, n_pairs: int = 6, n_words: int = 4, order: int = 3) -> Parts:
    """A model of a few random sentence pairs over a few words with random links."""
    rng = np.random.default_rng(seed)
    vocabulary = Vocabulary([f"w{i}" for i in range(n_words)])
    source, target, links = [], [], []
    offsets = [0]
    for _ in range(n_pairs):
        n, m = rng.integers(2, 6, 2)
        source.append(rng.integers(3, 3 + n_words, n).tolist())
        target.append(rng.integers(3, 3 + n_words, m).tolist())
        chosen = sorted({(int(rng.integers(n)), int(rng.integers(m))) for _ in range(max(n, m))})
        links += chosen
        offsets.append(len(links))
    targets = Sentences.from_lists(target)
    blocks = extract(
        Sentences.from_lists(source), targets, np.array(links, np.int32), np.array(offsets)
    )
    return Parts(blocks, vocabulary, estimate(targets, vocabulary, LmOptions(order=order)))


@dataclass(frozen=True)
class Step:
    begin: int
    end: int
    block: int
    target: tuple[int, ...]


def options(parts: Parts, source: list[int]) -> list[Step]:
    """Every block that matches, and a copy for each word that has none of its own."""
    found = []
    for begin in range(len(source)):
        for end in range(begin + 1, len(source) + 1):
            phrase = parts.blocks.find(source[begin:end])
            if phrase >= 0:
                for block in parts.blocks.blocks(phrase):
                    words = tuple(parts.blocks.target(block).tolist())
                    found.append(Step(begin, end, block, words))
            elif end == begin + 1:
                found.append(Step(begin, end, -1, (-1 - source.index(source[begin]),)))
    return found


def may_follow(step: Step, covered: frozenset[int], last_end: int, rules: Rules) -> bool:
    """Whether a free span may be translated next, written down from the rules of each mode."""
    gap = min(set(range(max(covered, default=-1) + 2)) - covered)  # the first one
    if rules.mode == "mon":
        return step.begin == gap
    if rules.mode == "swap":
        if any(i > gap for i in covered):  # a gap is open: exactly it, in one block
            return step.begin == gap and step.end == min(i for i in covered if i > gap)
        # Whether the gap that it leaves can be filled shows later.
        return not (rules.strict and last_end < gap and step.begin > gap)
    if rules.limit < 0:
        return True
    jump = len(range(*sorted((last_end, step.begin))))  # the words that it passes over
    if rules.distortion == "jump":  # nothing else counts (Yu et al. 2013)
        return jump <= rules.limit
    way_back = 0 if step.begin == gap else step.end - gap
    return max(jump, way_back) <= rules.limit


@dataclass(frozen=True)
class Rules:
    mode: Literal["mon", "swap", "phrase"] = "phrase"
    limit: int = -1
    strict: bool = False
    distortion: Literal["window", "jump"] = "window"


def partial_derivations(
    parts: Parts, source: list[int], rules: Rules
) -> Iterator[tuple[tuple[Step, ...], frozenset[int]]]:
    """Every sequence of steps that the rules allow, with the words it covers."""
    steps = options(parts, source)

    def extend(
        done: tuple[Step, ...], covered: frozenset[int]
    ) -> Iterator[tuple[tuple[Step, ...], frozenset[int]]]:
        yield done, covered
        last_end = done[-1].end if done else 0
        for step in steps:
            span = frozenset(range(step.begin, step.end))
            if not span & covered and may_follow(step, covered, last_end, rules):
                yield from extend((*done, step), covered | span)

    yield from extend((), frozenset())


def derivations(parts: Parts, source: list[int], rules: Rules) -> Iterator[tuple[Step, ...]]:
    """Every derivation of the whole sentence."""
    for steps, covered in partial_derivations(parts, source, rules):
        if len(covered) == len(source):
            yield steps


def words_of(steps: tuple[Step, ...]) -> tuple[int, ...]:
    return tuple(word for step in steps for word in step.target)


def as_source(sentences: list[list[int]]) -> SourceText:
    """Source sentences whose words, where copied, stand for themselves."""
    copies = [-1 - sentence.index(word) for sentence in sentences for word in sentence]
    return SourceText(Sentences.from_lists(sentences), np.array(copies, np.int32))


def way_of(step: Step, before: Step | None, first_block: str = "right") -> int:
    """Where a step leads from the one before it."""
    if before is None:
        return MONOTONE if step.begin == 0 and first_block == "right" else DISCONTINUOUS
    if step.begin == before.end:
        return MONOTONE
    return SWAP if step.end == before.begin else DISCONTINUOUS


def with_ways(
    steps: tuple[Step, ...], first_block: str = "right"
) -> Iterator[tuple[Step, Step | None, int]]:
    """Every step with the one before it and its orientation."""
    for before, step in zip((None, *steps), steps, strict=False):
        yield step, before, way_of(step, before, first_block)


def features(
    parts: Parts, steps: tuple[Step, ...], *, ends: bool = True, first_block: str = "right"
) -> dict[str, float]:
    """The standard features of a derivation, written down from their definitions."""
    values = dict.fromkeys(DENSE, 0.0)
    words: list[int] = []
    for step, before, way in with_ways(steps, first_block):
        words += [max(word, 0) for word in step.target]
        values["word_count"] += len(step.target)
        values["block_count"] += 1
        values["distance"] -= abs(step.begin - (before.end if before else 0))
        if step.block < 0:
            values["unknown"] -= 1
        else:
            for name, value in zip(DENSE[:4], parts.blocks.scores[step.block], strict=True):
                values[name] += float(value)
            values[DENSE[8 + way]] += float(parts.blocks.orientation[step.block][way])
        if before and before.block >= 0:
            values[DENSE[11 + way]] += float(parts.blocks.orientation[before.block][3 + way])
    scores = parts.lm.score_words(Sentences.from_lists([words])).log_probs
    values["language_model"] = float(np.sum(scores if ends else scores[:-1], dtype=float))
    return values


def score(weights: Weights, values: dict[str, float]) -> float:
    return sum(weights[name] * value for name, value in values.items())
