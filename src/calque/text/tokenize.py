"""Plain text to words and back, by the rules of Moses as sacremoses has them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from calque.errors import OptionError

# sacremoses is imported where it is used: most commands never need it, and all must start fast.


@dataclass(frozen=True)
class Tokenizer:
    """Splits sentences of one language into words and joins them again.

    Symbols stay as they are (no `&amp;`), hyphenated words stay whole. A plain value, so that it
    travels to other processes.
    """

    language: str

    def __post_init__(self) -> None:
        valid = languages()
        if self.language not in valid:
            near = difflib.get_close_matches(self.language.lower(), valid, n=3, cutoff=0.4)
            hint = f"did you mean {' or '.join(near)}?" if near else f"valid: {', '.join(valid)}"
            raise OptionError(f"language '{self.language}': no tokenizer has this code; {hint}")

    def tokenize(self, block: str) -> str:
        """The normalised lines of `block` with a space between words."""
        from sacremoses import MosesTokenizer

        split = MosesTokenizer(self.language).tokenize
        lines = [" ".join(split(line, escape=False)) for line in block.split("\n")]
        return "\n".join(lines)

    def detokenize(self, words: list[str]) -> str:
        """The words as a reader expects to see them: punctuation joined to its neighbours."""
        from sacremoses import MosesDetokenizer

        text: str = MosesDetokenizer(self.language).detokenize(words, unescape=False)
        return text


def languages() -> list[str]:
    """The codes of the languages that have rules of their own."""
    from sacremoses.corpus import NonbreakingPrefixes

    known: dict[str, str] = NonbreakingPrefixes().available_langs
    return sorted({*known.values(), "ja", "ko"})
