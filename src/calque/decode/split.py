"""Long sentences in pieces that the search can take, and the best ways to join what it finds."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from calque import _core
from calque.decode.constraints import Required

_CLOSING = "[\"'”’»)\\]]*"
_SENTENCE_END = re.compile(rf".*[.?!…。？！]{_CLOSING}")
_CLAUSE_END = re.compile(rf".*[;:,；：，、]{_CLOSING}")


@dataclass(frozen=True)
class Piece:
    """Words of a sentence that are translated by themselves."""

    begin: int
    """Of its first word in the sentence."""
    words: tuple[str, ...]
    required: tuple[Required, ...]
    """Counted from `begin`."""


def split(words: Sequence[str], required: Sequence[Required], limit: int) -> Iterator[Piece]:
    """The sentence in pieces of at most `limit` words; a short one is one piece.

    A cut is made as late as possible behind the end of a sentence, else of a clause, else
    anywhere, but never inside what is required: a longer term makes a longer piece. Only longer
    copies are cut, because their parts are copies, too.
    """
    required = [part for span in required for part in _parts(span, limit)]
    begin = first = 0
    while True:
        end = _next_cut(words, begin, (required[i] for i in range(first, len(required))), limit)
        last = first
        while last < len(required) and required[last].end <= end:
            last += 1
        mine = [
            replace(span, begin=span.begin - begin, end=span.end - begin)
            for span in required[first:last]
        ]
        yield Piece(begin, tuple(words[begin:end]), tuple(mine))
        if end == len(words):
            return
        begin, first = end, last


def _parts(span: Required, limit: int) -> Iterator[Required]:
    step = limit if span.is_copy else span.end - span.begin
    for begin in range(span.begin, span.end, step):
        end = min(begin + step, span.end)
        target = span.target[begin - span.begin : end - span.begin] if span.is_copy else span.target
        yield replace(span, begin=begin, end=end, target=target)


def _next_cut(words: Sequence[str], begin: int, required: Iterable[Required], limit: int) -> int:
    """Where the piece from `begin` on ends; `required` are the constraints from there on."""
    if len(words) - begin <= limit:
        return len(words)
    inside = set[int]()
    for span in required:
        if span.begin >= begin + limit:
            break
        inside.update(range(span.begin + 1, span.end))
    allowed = [end for end in range(begin + 1, begin + limit + 1) if end not in inside]
    if not allowed:
        return max(inside) + 1
    for ends in (_SENTENCE_END, _CLAUSE_END):
        for end in reversed(allowed):
            if ends.fullmatch(words[end - 1]):
                return end
    return allowed[-1]


Chain: TypeAlias = "tuple[Chain, int] | None"
"""A place in the list of the last piece behind the chain of those before it."""


def combine(lists: Sequence[Sequence[float]], n: int) -> list[list[int]]:
    """The `n` best ways to take one candidate of every piece, exactly, by the sum of scores.

    `lists` are the scores of each piece's candidates, best first; a way is a place in every list.
    Ties go to what stands first.
    """
    best: list[tuple[float, Chain]] = [(0.0, None)]
    for scores in lists:
        best = _best_sums(best, scores, n)
    return [_unroll(chain) for _, chain in best]


def combine_derivations(
    lists: Sequence[Sequence[_core.Derivation]], n: int
) -> list[list[_core.Derivation]]:
    """The `n` best ways to take one derivation of every piece; see `combine`."""
    ways = combine([[derivation.score for derivation in some] for some in lists], n)
    return [[some[at] for some, at in zip(lists, way, strict=True)] for way in ways]


def _best_sums(
    chains: list[tuple[float, Chain]], scores: Sequence[float], n: int
) -> list[tuple[float, Chain]]:
    heap = [(-chains[0][0] - scores[0], 0, 0)]
    best: list[tuple[float, Chain]] = []
    while heap and len(best) < n:
        cost, row, column = heapq.heappop(heap)
        best.append((-cost, (chains[row][1], column)))
        # Every cell has one parent: to the left, or above in the first column.
        after = [(row, column + 1)] + [(row + 1, 0)] * (column == 0)
        for i, j in after:
            if i < len(chains) and j < len(scores):
                heapq.heappush(heap, (-chains[i][0] - scores[j], i, j))
    return best


def _unroll(chain: Chain) -> list[int]:
    places = []
    while chain is not None:
        chain, last = chain
        places.append(last)
    return places[::-1]
