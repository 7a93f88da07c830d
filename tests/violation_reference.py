"""A slow reference for updates: every derivation, a beam of plain lists, four rules in words."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from bleu_reference import bleu_plus_one
from decode_reference import Rules, Step, may_follow, options, partial_derivations, words_of
from decode_reference import features as dense_features
from test_features_families import Task

from calque.features import DENSE, Weights

Steps = tuple[Step, ...]
CLOSE = 5e-5
"""Scores so close that the core may see them otherwise."""


def covered_by(steps: Steps) -> frozenset[int]:
    return frozenset(i for step in steps for i in range(step.begin, step.end))


@dataclass(frozen=True)
class Pair:
    """A pair or prefix pair that is learned from."""

    toy: Task
    weights: Weights
    by: Rules
    n_source: int
    reference: tuple[int, ...]
    is_whole: bool
    future: str = "none"
    """Where an estimate of what is to come counts: "ranking", or "margin" as well."""

    def ranked(self, steps: Steps) -> float:
        """What the beam goes by."""
        return self.score(steps) + (0 if self.future == "none" else self.ahead(steps))

    def value(self, steps: Steps) -> float:
        """What an update goes by."""
        return self.score(steps) + (self.ahead(steps) if self.future == "margin" else 0)

    def ahead(self, steps: Steps) -> float:
        """The best options of every gap, each in its best order, and the jumps from gap to gap."""
        best = self.best_options
        covered, at = signature(steps)
        total, begin = 0.0, 0
        while begin < self.n_source:
            if begin in covered:
                begin += 1
                continue
            end = min((i for i in covered if i > begin), default=self.n_source)
            gap = {begin: 0.0}
            for i in range(begin, end):
                for j in range(i + 1, end + 1):
                    if i in gap and (i, j) in best:
                        gap[j] = max(gap.get(j, -np.inf), gap[i] + best[i, j])
            total += gap[end] - self.weights["distance"] * abs(begin - at)
            at = begin = end
        return total

    @cached_property
    def best_options(self) -> dict[tuple[int, int], float]:
        parts, weights = self.toy.parts, self.weights
        best: dict[tuple[int, int], float] = {}
        for step in options(parts, self.toy.text.sentences.ids.tolist()):
            value = weights["word_count"] * len(step.target) + weights["block_count"]
            if step.block < 0:
                value -= weights["unknown"]
            else:
                value += float(parts.blocks.scores[step.block] @ [weights[n] for n in DENSE[:4]])
                ways = parts.blocks.orientation[step.block][:3]  # towards the block before
                value += max(weights[DENSE[8 + way]] * float(ways[way]) for way in range(3))
            for name, count in self.toy.names((step,), ends=False).items():
                value += count * weights.sparse[self.toy.decoder.features.key_of(name)]
            state = parts.lm.core.empty()
            for word in step.target:
                log_prob, state = parts.lm.core.score(state, max(word, 0))
                value += weights["language_model"] * log_prob
            span = step.begin, step.end
            best[span] = max(value, best.get(span, -np.inf))
        return best

    def score(self, steps: Steps) -> float:
        ends = self.is_whole and len(covered_by(steps)) == self.n_source
        return self.toy.score(self.weights, steps, ends=ends)

    def vector(self, steps: Steps) -> Counter[Any]:
        """All features, dense ones by name and sparse ones by key."""
        ends = self.is_whole and len(covered_by(steps)) == self.n_source
        vector: Counter[Any] = Counter(dense_features(self.toy.parts, steps, ends=ends))
        for name, count in self.toy.names(steps, ends=ends).items():
            vector[self.toy.decoder.features.key_of(name)] += count
        return vector

    def partial(self) -> Iterator[Steps]:
        ids = self.toy.text.sentences.ids.tolist()
        for steps, covered in partial_derivations(self.toy.parts, ids, self.by):
            if all(i < self.n_source for i in covered):
                yield steps

    def n_words(self, steps: Steps) -> int:
        """How much of the reference was given; -1: something else."""
        words = words_of(steps)
        return len(words) if words == self.reference[: len(words)] else -1


def signature(steps: Steps) -> Any:
    return covered_by(steps), steps[-1].end if steps else 0


@dataclass(frozen=True)
class Gold:
    best: list[tuple[float, Steps] | None]
    """By bin."""
    states: set[Any]


def gold(pair: Pair, every: list[Steps], good: str) -> Gold:
    ends = [
        d for d in every if len(covered_by(d)) == pair.n_source and words_of(d) == pair.reference
    ]
    states = {(*signature(d[:n]), len(words_of(d[:n]))) for d in ends for n in range(len(d) + 1)}
    best: list[tuple[float, Steps] | None] = [None] * (pair.n_source + 1)
    for steps in every:
        n, j = len(covered_by(steps)), pair.n_words(steps)
        if j < 0 or (n == pair.n_source and j < len(pair.reference)):
            continue
        if good == "lattice" and (*signature(steps), j) not in states:
            continue
        value = pair.value(steps)
        kept = best[n]
        if kept is None or value > kept[0]:
            best[n] = value, steps
    return Gold(best, states)


def beam(pair: Pair, every: list[Steps], size: int) -> list[list[Steps]] | None:
    """What each bin keeps, best first; none where that hangs on scores too close to call."""
    whole = [d for d in every if len(covered_by(d)) == pair.n_source]
    completable = {signature(d[:n]) for d in whole for n in range(len(d) + 1)}
    parts, weights = pair.toy.parts, pair.weights
    every_step = [
        s for s in options(parts, pair.toy.text.sentences.ids.tolist()) if s.end <= pair.n_source
    ]

    def key(steps: Steps) -> Any:
        """Recombined hypotheses agree in all of this."""
        state = parts.lm.core.begin()
        for word in words_of(steps):
            state = parts.lm.core.score(state, max(word, 0))[1]
        last = steps[-1]
        following = tuple(
            np.float32(weights[DENSE[11 + way]] * parts.blocks.orientation[last.block][3 + way])
            if last.block >= 0
            else np.float32(0)
            for way in range(3)
        )
        return signature(steps), last.begin, state, following, pair.n_words(steps)

    bins: list[list[Steps]] = [[()]]
    for n in range(1, pair.n_source + 1):
        found: dict[Any, tuple[float, Steps]] = {}
        for before in (d for held in bins for d in held):
            for step in every_step:
                covered, end = signature(before)
                span = frozenset(range(step.begin, step.end))
                if len(covered) + len(span) != n or span & covered:
                    continue
                if not may_follow(step, covered, end, pair.by):
                    continue
                steps = (*before, step)
                if signature(steps) not in completable:
                    continue
                value = pair.ranked(steps)
                kept = found.get(key(steps))
                if kept is not None and abs(kept[0] - value) < CLOSE:
                    return None
                if kept is None or value > kept[0]:
                    found[key(steps)] = value, steps
        ranked = sorted(found.values(), key=lambda held: -held[0])
        for left, right in itertools.pairwise(ranked):
            if left[0] - right[0] < CLOSE:
                return None
        bins.append([steps for _, steps in ranked[: size or None]])
    return bins


@dataclass(frozen=True)
class Update:
    bin: int
    good: Steps
    bad: Steps


def select(pair: Pair, bins: list[list[Steps]], found: Gold, rule: str, good: str) -> Update | None:
    """The update of a rule, from its definition; bins are best first."""
    n = pair.n_source

    def is_good(i: int, steps: Steps) -> bool:
        j = pair.n_words(steps)
        if i == n:
            return j == len(pair.reference)
        return j >= 0 and (good == "all_prefixes" or (*signature(steps), j) in found.states)

    def is_bad(i: int, steps: Steps) -> bool:
        return pair.n_words(steps) < 0 or (i == n and not is_good(i, steps))

    def update(i: int) -> Update | None:
        bad = max((d for d in bins[i] if is_bad(i, d)), key=pair.value, default=None)
        best = found.best[i]
        return None if bad is None or best is None else Update(i, best[1], bad)

    def margin(site: Update) -> float:
        return pair.value(site.good) - pair.value(site.bad)

    sites = [site for i in range(1, n + 1) if (site := update(i)) is not None]
    if rule == "maxviolation":
        worst = min(sites, key=lambda site: (margin(site), -site.bin), default=None)
        return worst if worst is not None and margin(worst) <= 0 else None
    if rule == "early":
        limit = int(np.diff(pair.toy.parts.blocks.source_offsets).max())
        without = [i for i in range(1, n + 1) if not any(is_good(i, d) for d in bins[i])]
        run: list[int] = []
        for i in range(1, n + 1):
            run = [*run, i] if i in without else []
            if len(run) == limit:
                break
        else:
            if not run:  # the reference survived
                run = [] if is_good(n, bins[n][0]) else [n]
        return next((site for site in sites if site.bin in run and margin(site) <= 0), None)
    if rule == "standard":
        best = found.best[n]
        if is_good(n, bins[n][0]) or best is None:
            return None
        return Update(n, best[1], bins[n][0])
    closest = max(bins[n], key=lambda d: bleu_plus_one(words_of(d), pair.reference))
    return None if closest == bins[n][0] else Update(n, closest, bins[n][0])
