from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from calque._core import EditKind
from calque.metrics.edits import ErrorRate, prepare_edits
from calque.metrics.metric import PreparedReferences
from calque.metrics.signature import case, sacrebleu_signature


@dataclass(frozen=True)
class Ter(ErrorRate):
    """Translation edit rate (Snover et al. 2006), equal to sacreBLEU's.

    Fewest edits, shifts of word sequences included, over the mean reference length.
    """

    name: ClassVar[str] = "ter"

    case_sensitive: bool = False

    @property
    def signature(self) -> str:
        """The one of sacreBLEU."""
        return sacrebleu_signature(
            case=case(not self.case_sensitive), tok="tercom", norm=False, punct=True, asian=False
        )

    def prepare(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """References as words."""

        def clean(lines: Sequence[str]) -> list[str]:
            return list(lines) if self.case_sensitive else [line.lower() for line in lines]

        return prepare_edits(references, EditKind.ter, clean)
