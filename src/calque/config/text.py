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
        "keep", "keep case, lowercase everything, or learn the usual case of sentence beginnings"
    )
    class_numbers: bool = option(False, "treat numbers of the same form as one word")


@dataclass(frozen=True)
class CleanOptions:
    """Which sentence pairs are fit to learn from; pairs with an empty side never are."""

    max_words: int = option(80, "longest sentence, in words", least=1)
    max_ratio: float = option(
        9.0, "most words that one side may have for every word of the other", least=1
    )
    overlap_max_words: int = option(
        12, "longest substring of the overlap file to look for, in words", least=1
    )
    overlap_times: int = option(
        0,
        "pairs to keep per substring of the overlap file; 0 keeps all that share a substring",
        least=0,
    )
