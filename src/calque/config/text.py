from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calque.config.option import option


@dataclass(frozen=True)
class TextOptions:
    """What is done to text before words are counted, and undone after translation."""

    tokenize: bool = option(False, "split punctuation off words, and join it again in the output")
    protect: bool = option(
        True,
        "when tokenizing, keep URLs, e-mail addresses, tags, entities and numbers whole, and"
        " copy all of these except numbers into the translation unchanged",
    )
    source_language: str = option("", "language code of the source (de, en, ...) to tokenize by")
    target_language: str = option("", "language code of the target (de, en, ...) to tokenize by")
    casing: Literal["keep", "lower", "true"] = option(
        "keep",
        "keep case as it is (keep), lowercase everything (lower), or write the first word"
        " of a sentence as it is usually written elsewhere (true)",
    )
    class_numbers: bool = option(
        False, "treat all numbers of the same form (12.5 and 99.9, for example) as one word"
    )


@dataclass(frozen=True)
class CleanOptions:
    """Which sentence pairs are fit to learn from; pairs with an empty side never are."""

    max_words: int = option(80, "longest sentence that is kept, in words", least=1)
    max_ratio: float = option(
        9.0,
        "pairs are dropped if one side has more than this many times as many words as the other",
        least=1,
    )
    overlap_max_words: int = option(
        12, "longest substring of the overlap file that is looked for, in words", least=1
    )
    overlap_times: int = option(
        0,
        "how many pairs are kept for each substring of the overlap file; 0 keeps every pair"
        " that shares a substring with it",
        least=0,
    )
