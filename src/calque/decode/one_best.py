"""What everything that makes n-best lists can do with the best of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from calque.config import DecodeOptions
from calque.config.signature import takes_options
from calque.decode.constraints import Terminology
from calque.decode.translation import Translation
from calque.errors import OptionError

Terms: TypeAlias = "Terminology | Mapping[str, str] | Path | str"


class OneBest(ABC):
    """Translates sentences, each into the first of its n-best list."""

    @abstractmethod
    def n_best(
        self,
        sentences: Iterable[str],
        n: int,
        *,
        terminology: Terms | None = None,
        pass_through: str | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> Iterator[list[Translation]]:
        """Up to `n` translations of every sentence, best first, lazily and in order."""

    @takes_options(DecodeOptions)
    def translate(
        self,
        sentence: str,
        *,
        terminology: Terms | None = None,
        pass_through: str | None = None,
        **options: Any,
    ) -> Translation:
        """The best translation of one sentence; options that are not given are the model's.

        `terminology` tells what source phrases must become: a mapping, a file of tab-separated
        pairs, or what `Translator.terminology` made of either. What the regular expression
        `pass_through` matches comes out unchanged. docs/decoding.md has the rules of both.
        """
        if isinstance(sentence, list | tuple):
            raise OptionError(
                "translate takes one sentence, but was given several: use translate_all"
            )
        [best] = self.translate_all(
            [sentence], terminology=terminology, pass_through=pass_through, **options
        )
        return best

    @takes_options(DecodeOptions, meanings=False)
    def translate_all(
        self,
        sentences: Iterable[str],
        *,
        terminology: Terms | None = None,
        pass_through: str | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> Iterator[Translation]:
        """The best translation of every sentence, lazily and in order; see `translate`."""
        lists = self.n_best(
            sentences,
            1,
            terminology=terminology,
            pass_through=pass_through,
            threads=threads,
            **options,
        )
        return (best for [best] in lists)
