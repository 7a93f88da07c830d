"""Slow references for the decoder: every derivation of a short sentence, and its features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calque.blocks import BlockTable, extract
from calque.config import LmOptions
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
                found.append(Step(begin, end, -1, (-1 - begin,)))
    return found


def derivations(parts: Parts, source: list[int], limit: int) -> Iterator[tuple[Step, ...]]:
    """Every derivation of the sentence under a distortion limit (-1: none)."""
    steps = options(parts, source)

    def extend(done: tuple[Step, ...], covered: frozenset[int]) -> Iterator[tuple[Step, ...]]:
        if len(covered) == len(source):
            yield done
            return
        last_end = done[-1].end if done else 0
        first_gap = min(set(range(len(source))) - covered)
        for step in steps:
            span = frozenset(range(step.begin, step.end))
            if span & covered:
                continue
            if limit >= 0:
                if abs(step.begin - last_end) > limit:
                    continue
                if step.begin > first_gap and step.end - first_gap > limit:
                    continue  # no way back to the first gap
            yield from extend((*done, step), covered | span)

    yield from extend((), frozenset())


def features(parts: Parts, steps: tuple[Step, ...]) -> dict[str, float]:
    """The dense features of a derivation, written down from their definitions."""
    values = dict.fromkeys(DENSE, 0.0)
    words: list[int] = []
    last_begin = last_end = 0
    previous = -1
    for step in steps:
        words += [max(word, 0) for word in step.target]
        values["word_count"] += len(step.target)
        values["block_count"] += 1
        values["distance"] -= abs(step.begin - last_end)
        way = DISCONTINUOUS
        if step.begin == last_end:
            way = MONOTONE
        elif step.end == last_begin:
            way = SWAP
        if step.block < 0:
            values["unknown"] -= 1
        else:
            for name, value in zip(DENSE[:4], parts.blocks.scores[step.block], strict=True):
                values[name] += float(value)
            values[DENSE[8 + way]] += float(parts.blocks.orientation[step.block][way])
        if previous >= 0:
            values[DENSE[11 + way]] += float(parts.blocks.orientation[previous][3 + way])
        previous, last_begin, last_end = step.block, step.begin, step.end
    values["language_model"] = parts.lm.score(words)
    return values


def score(weights: Weights, values: dict[str, float]) -> float:
    return sum(weights[name] * value for name, value in values.items())
