from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.align import Alignments
from calque.blocks import rule_limits
from calque.config import RuleOptions, describe, fill
from calque.errors import ModelError, OptionError
from calque.text import Bitext, Sentences
from calque.text.mapped import check_ids, check_offsets

DTYPES = {
    "source": "int32",
    "source_offsets": "int64",
    "target": "int32",
    "target_offsets": "int64",
    "links": "int32",
    "link_offsets": "int64",
    "lines": "int64",
    "max_block_words": "int32",
}
"""The arrays on disk and their types."""
RULES = "rules"
"""The array of options of rules, as numbers, where rules were taken."""
BOUNDARIES = ("tight", "loose")


@dataclass(frozen=True, eq=False)
class KeptBitext:
    """The sentence pairs that the blocks of a model were taken from, with their word links.

    In the ids of the model's vocabularies, in the order of the training text, without the pairs
    that cleaning dropped. Leave-one-out takes each pair's own blocks from it again.
    """

    source: Sentences
    target: Sentences
    alignments: Alignments
    """All sets of links that blocks were taken from, stacked."""
    lines: NDArray[np.int64]
    """The line of the training text that each pair stood on, from 0, ascending."""
    max_block_words: int
    """The longest phrase of a block, on either side."""
    rules: RuleOptions | None = None
    """Which rules were taken beside blocks without gaps; none where there are no others."""

    @classmethod
    def of(
        cls,
        bitext: Bitext,
        alignments: Alignments,
        max_block_words: int,
        rules: RuleOptions | None = None,
    ) -> KeptBitext:
        """What blocks of up to so many words are extracted from, and perhaps rules."""
        lines = bitext.lines
        return cls(bitext.source, bitext.target, alignments, lines, max_block_words, rules)

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        return f"<KeptBitext: {len(self):,} sentence pairs>"

    def __reduce__(self) -> tuple[Any, ...]:
        return KeptBitext.from_arrays, (self.to_arrays(),)

    @property
    def n_sets(self) -> int:
        """How many sets of links there are."""
        return len(self.alignments) // len(self)

    def select(self, keep: NDArray[np.bool_]) -> KeptBitext:
        """The pairs where `keep` (one flag per pair) is true, in the same order."""
        return KeptBitext(
            self.source.select(keep),
            self.target.select(keep),
            self.alignments.select(np.tile(keep, self.n_sets)),
            self.lines[keep],
            self.max_block_words,
            self.rules,
        )

    @property
    def n_bytes(self) -> int:
        """The size on disk."""
        return sum(array.nbytes for array in self.to_arrays().values())

    @cached_property
    def core(self) -> _core.AlignedCorpus:
        """The corpus as the kernels take it: a view of the same memory."""
        arrays = self.to_arrays()
        return _core.AlignedCorpus(*(arrays[name] for name in list(DTYPES)[:6]))

    @property
    def limits(self) -> _core.RuleLimits:
        """What was extracted, as the kernels take it."""
        return rule_limits(self.max_block_words, self.rules)

    def pairs_of(self, lines: NDArray[np.int64]) -> NDArray[np.int64]:
        """The pair of each line of the training text, -1 where cleaning dropped it."""
        at = np.searchsorted(self.lines, lines)
        is_kept = self.lines[np.minimum(at, len(self) - 1)] == lines
        return np.where(is_kept, at, -1)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name: the form on disk."""
        arrays: dict[str, NDArray[Any]] = {
            "source": self.source.ids,
            "source_offsets": self.source.offsets,
            "target": self.target.ids,
            "target_offsets": self.target.offsets,
            "links": self.alignments.links,
            "link_offsets": self.alignments.offsets,
            "lines": self.lines,
            "max_block_words": np.array([self.max_block_words], np.int32),
        }
        if self.rules is not None:
            arrays[RULES] = np.array([_to_number(x) for x in astuple(self.rules)], np.int32)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> KeptBitext:
        """The bitext of these arrays, used as they are; `ModelError` where they misfit."""
        for name, dtype in DTYPES.items():
            if name not in arrays:
                raise ModelError(f"the kept bitext lacks the array '{name}'")
            if (array := arrays[name]).dtype != dtype or array.ndim != 1 + (name == "links"):
                raise ModelError(
                    f"kept bitext: '{name}' is {array.dtype} of shape {array.shape},"
                    f" expected {dtype}, {'two dimensions' if name == 'links' else 'one dimension'}"
                )
        if not all(len(arrays[name]) for name in arrays if name.endswith("offsets")):
            raise ModelError("kept bitext: an array of offsets is empty")
        source, target = (
            Sentences(arrays[side], arrays[f"{side}_offsets"]) for side in ("source", "target")
        )
        alignments = Alignments(arrays["links"], arrays["link_offsets"])
        n_sets, rest = divmod(len(alignments), max(1, len(source)))
        if not (len(source) == len(target) == len(arrays["lines"]) > 0 and n_sets and rest == 0):
            raise ModelError("kept bitext: the arrays differ in their number of sentence pairs")
        if len(arrays["max_block_words"]) != 1 or arrays["links"].shape[1] != 2:
            raise ModelError("kept bitext: an array has another shape than it was written with")
        max_words = int(arrays["max_block_words"][0])
        rules = _to_rules(arrays[RULES]) if RULES in arrays else None
        return cls(source, target, alignments, arrays["lines"], max_words, rules)

    def check(self, n_source_words: int, n_target_words: int) -> None:
        """Raise `ModelError` where a number in the arrays leads nowhere; reads all of them.

        Words are those of vocabularies of these sizes.
        """
        for name, sentences, n_words in (
            ("source", self.source, n_source_words),
            ("target", self.target, n_target_words),
        ):
            check_offsets(f"kept bitext: '{name}_offsets'", sentences.offsets, len(sentences.ids))
            check_ids(f"kept bitext: '{name}'", sentences.ids, n_words)
        links, offsets = self.alignments.links, self.alignments.offsets
        check_offsets("kept bitext: 'link_offsets'", offsets, len(links))
        check_ids("kept bitext: 'links'", links, len(self.source.ids) + len(self.target.ids))
        check_ids("kept bitext: 'lines'", self.lines, np.iinfo(np.int64).max)
        if not 1 <= self.max_block_words <= 8:
            raise ModelError(
                f"kept bitext: blocks of {self.max_block_words} words, expected 1 to 8"
            )


def _to_number(value: int | str) -> int:
    return BOUNDARIES.index(value) if isinstance(value, str) else int(value)


def _to_rules(numbers: NDArray[np.int32]) -> RuleOptions:
    """The options that these numbers stand for; `ModelError` where there are none."""
    infos = list(describe(RuleOptions))
    if numbers.dtype != np.int32 or numbers.shape != (len(infos),):
        raise ModelError(f"kept bitext: '{RULES}' has another shape than it was written with")
    values: dict[str, Any] = {}
    for info, number in zip(infos, numbers.tolist(), strict=True):
        if info.type is int:
            values[info.key] = number
        else:
            choices = (False, True) if info.type is bool else BOUNDARIES
            if number not in range(len(choices)):
                raise ModelError(f"kept bitext: '{RULES}' has {number} for {info.key}")
            values[info.key] = choices[number]
    try:
        return fill(RuleOptions(), values, f"kept bitext: '{RULES}'")
    except OptionError as error:
        raise ModelError(str(error)) from error
