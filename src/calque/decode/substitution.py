"""Known words in place of those that a model has never seen."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from calque.decode.constraints import Required
from calque.text import Prepared
from calque.unseen import Substitutes

Span = tuple[int, int]


def substitute(
    prepared: Prepared,
    required: Sequence[Required],
    substitutes: Substitutes,
    least_agreement: float,
) -> tuple[Prepared, list[Required]]:
    """The sentence with known words for others, and what is required of it.

    Words of which something is required stay. Spans count the new words.
    """
    taken = {place for span in required for place in range(span.begin, span.end)}
    new = {
        place: words
        for place, word in enumerate(prepared.words)
        if place not in taken and (words := substitutes.words_for(word, least_agreement))
    }
    if not new:
        return prepared, list(required)
    groups = [new.get(place, (word,)) for place, word in enumerate(prepared.words)]
    places = tuple(place for place, group in enumerate(groups) for _ in group)
    begins = [bisect_left(places, place) for place in range(len(groups) + 1)]
    originals = [
        group if len(group) > 1 else (original,)
        for group, original in zip(groups, prepared.originals, strict=True)
    ]
    gaps = [
        (gap, *[" "] * (len(group) - 1))
        for gap, group in zip(prepared.gaps, groups, strict=False)  # gaps may not be known
    ]
    changed = replace(
        prepared,
        words=_joined(groups),
        originals=_joined(originals),
        kept=tuple((begins[begin], begins[end]) for begin, end in prepared.kept),
        foreign=tuple((begins[begin], begins[end]) for begin, end in prepared.foreign),
        gaps=_joined(gaps),
        given=prepared.words,
        places=places,
    )
    shifted = [replace(span, begin=begins[span.begin], end=begins[span.end]) for span in required]
    return changed, shifted


def _joined(groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(word for group in groups for word in group)
