from __future__ import annotations

from collections.abc import Sequence

from calque import _core
from calque.blocks import BlockTable
from calque.blocks.gaps import FIRST_GAP, SECOND_GAP
from calque.errors import ModelError


def is_gap(step: _core.Step, symbol: int) -> bool:
    """Whether a symbol of the target of a step is a gap."""
    return step.block >= 0 and symbol in (FIRST_GAP, SECOND_GAP)


class StepTree:
    """The steps of a derivation and how they are nested: where their words come from and go.

    Positions are counted from 0 in the sentence and in the target words of the derivation.
    """

    def __init__(self, derivation: _core.Derivation) -> None:
        self.steps: list[_core.Step] = list(derivation.steps)
        self.target_places: list[Sequence[int]] = []
        """Where the words of each step stand in the translation."""
        self.fillers: list[list[int]] = [[] for _ in self.steps]
        """The steps that fill the gaps of each."""
        self.depths = [0] * len(self.steps)
        """In how many gaps of others each step lies."""
        if all(step.orientation >= 0 for step in self.steps):  # of the phrase engine: no gaps
            self.n_words = 0
            for step in self.steps:
                begin, self.n_words = self.n_words, self.n_words + len(step.target)
                self.target_places.append(range(begin, self.n_words))
            return
        words = derivation.words
        self.n_words = len(words)
        places: list[list[int]] = [[] for _ in self.steps]
        for place, (_, at, _) in enumerate(words):
            places[at].append(place)
        self.target_places += places
        for at, step in enumerate(self.steps):
            self.fillers[at] += [filler for filler in step.gaps if filler >= 0]
            for filler in self.fillers[at]:
                self.depths[filler] = self.depths[at] + 1

    def source_places(self, at: int) -> Sequence[int]:
        """The source words that a step translates itself."""
        step = self.steps[at]
        span = range(step.begin, step.end)
        if not self.fillers[at]:
            return span
        below = [range(self.steps[i].begin, self.steps[i].end) for i in self.fillers[at]]
        return [i for i in span if not any(i in inside for inside in below)]

    def source_gaps(self, at: int) -> list[tuple[int, int]]:
        """For each gap of a step: how many of its own source words come before; its number."""
        places = self.source_places(at)
        return [
            (sum(i < self.steps[filler].begin for i in places), number)
            for number, filler in enumerate(self.fillers[at], 1)
        ]

    def target_gaps(self, at: int) -> list[tuple[int, int]]:
        """The same on the target side, from left to right."""
        if not self.fillers[at]:
            return []
        step = self.steps[at]
        gaps, n_words = [], 0
        for symbol in step.target:
            if is_gap(step, symbol):
                gaps.append((n_words, symbol - FIRST_GAP + 1))
            else:
                n_words += 1
        return gaps

    @staticmethod
    def with_gaps(gaps: Sequence[tuple[int, int]], words: Sequence[str]) -> list[str]:
        """The words of a step with its gaps as [1] and [2]."""
        texts = list(words)
        for before, number in sorted(gaps, reverse=True):
            texts.insert(before, f"[{number}]")
        if len(gaps) == 2 and gaps[0][0] == gaps[1][0]:  # side by side: as they come
            texts[gaps[0][0] : gaps[0][0] + 2] = [f"[{number}]" for _, number in gaps]
        return texts

    def target_span(self, at: int) -> tuple[int, int]:
        """The target words that a step and what fills its gaps give: half-open."""
        below = [self.target_span(filler) for filler in self.fillers[at]]
        places = self.target_places[at]
        spans = [(places[0], places[-1] + 1)] if places else []
        spans += [span for span in below if span[0] < span[1]]
        if not spans:
            return 0, 0
        return min(begin for begin, _ in spans), max(end for _, end in spans)

    def inner_links(self, at: int, blocks: BlockTable) -> list[tuple[int, int]]:
        """The links of a step between its own words: places among those of each side.

        A copied word is linked. Raises `ModelError` where links leave the block.
        """
        step = self.steps[at]
        if step.block < 0:
            return [(0, 0)]
        links: list[tuple[int, int]] = blocks.inner_links(step.block).tolist()
        n_source = len(self.source_places(at)) + len(self.fillers[at])
        if any(i >= n_source or j >= len(step.target) for i, j in links):
            raise ModelError("block table: 'links' leave their block: damaged")
        if not self.fillers[at]:
            return links
        sources = _words_before(n_source, [before for before, _ in self.source_gaps(at)])
        targets = _words_before(len(step.target), [before for before, _ in self.target_gaps(at)])
        places = [(sources[i], targets[j]) for i, j in links]
        if any(source < 0 or target < 0 for source, target in places):
            raise ModelError("block table: a gap of a rule is linked: damaged")
        return places


def _words_before(n_symbols: int, gaps: Sequence[int]) -> list[int]:
    """For every symbol of a side its place among the words of it; -1 for a gap."""
    places: list[int] = []
    n_words = 0
    left = sorted(gaps)
    for _ in range(n_symbols):
        if left and left[0] == n_words:
            left.pop(0)
            places.append(-1)
        else:
            places.append(n_words)
            n_words += 1
    return places
