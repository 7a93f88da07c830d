"""The spaces between words: those of the source where its text was copied, else the usual ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

_FRENCH = "fr"
_FRENCH_SIGNS = frozenset("?!:;%«»")
"""French puts spaces at these, other languages do not."""


def gaps_before(words: Sequence[str], *texts: str) -> tuple[str, ...]:
    """What stands before each word in the first text that holds nothing but these words and spaces.

    Nothing at all (an empty tuple) where no text does.
    """
    for text in texts:
        gaps = _gaps(words, text)
        if gaps is not None:
            return gaps
    return ()


def _gaps(words: Sequence[str], text: str) -> tuple[str, ...] | None:
    gaps = []
    end = 0
    for word in words:
        begin = text.find(word, end)
        gap = text[end:begin]
        if begin < 0 or (gap and not gap.isspace()):
            return None
        gaps.append(gap)
        end = begin + len(word)
    return tuple(gaps) if not text[end:].strip() else None


class SourceSpacing:
    """Tells which gaps between target words are those of the source sentence."""

    def __init__(self, gaps: Sequence[str], languages: tuple[str, str]) -> None:
        """Take what stands before each source word, and the two languages."""
        self._gaps = gaps
        self._signs = _FRENCH_SIGNS if languages.count(_FRENCH) == 1 else frozenset()

    def apply(
        self,
        gaps: list[str],
        words: Sequence[str],
        origins: Sequence[int],
        links: Iterable[tuple[int, int]],
        kept: Collection[int],
    ) -> None:
        """Put the source's gaps among `gaps`, which stand before each of the target `words`.

        The source's is taken between neighbours that are copies of neighbours (`origins`: the
        place of the source word that each word equals, or -1), and between a word that passes
        through (`kept`) and the translation of its neighbour. A tag that touches what it encloses
        in the source also does where other words came to stand there. Signs that French sets apart
        follow the rules of the target language.
        """
        if not self._gaps:
            return
        sources: list[set[int]] = [{origin} - {-1} for origin in origins]
        linked: list[set[int]] = [set(places) for places in sources]
        for i, j in links:
            linked[j].add(i)
        for j in range(1, len(words)):
            before, after = j - 1, j
            if self._signs and not self._signs.isdisjoint((words[before], words[after])):
                continue
            left = linked[before] if after in kept else sources[before]
            right = linked[after] if before in kept else sources[after]
            place = min((i + 1 for i in left if i + 1 in right), default=None)
            if place is not None:
                gaps[j] = self._gaps[place]
            elif (before in kept and self._touches_next(words[before], origins[before])) or (
                after in kept and self._touches_last(words[after], origins[after])
            ):
                gaps[j] = ""

    def _touches_next(self, word: str, origin: int) -> bool:
        """Whether a word is the tag `<x>`, without a space behind it in the source."""
        is_opening = word.startswith("<") and not word.startswith("</") and word.endswith(">")
        return is_opening and 0 <= origin < len(self._gaps) - 1 and not self._gaps[origin + 1]

    def _touches_last(self, word: str, origin: int) -> bool:
        """Whether a word is the tag `</x>`, without a space before it in the source."""
        return word.startswith("</") and origin > 0 and not self._gaps[origin]
