from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from calque.config.option import option
from calque.errors import OptionError

MAX_TARGETS = (
    100,
    "blocks of a source phrase that are looked at, the best by their scores whatever the weights;"
    " 0: all",
)


@dataclass(frozen=True)
class ReorderingOptions:
    """Which source words may be translated next, whatever is searched for."""

    reordering: Literal["mon", "swap", "phrase"] = option(
        "phrase", "left to right, swaps of neighbouring blocks, or jumps up to the distortion limit"
    )
    distortion_limit: int = option(
        6, "most source words between the end of a block and the next; -1: no limit", least=-1
    )
    distortion_rule: Literal["window", "jump"] = option(
        "window",
        "what the limit bounds: window, also how far a block may end from the first word that is"
        " not translated; jump, the jump alone",
    )
    strict_single_gap: bool = option(
        False, "in swap mode, let what lies before a jump be a single block only"
    )
    least_left_count: int = option(
        0,
        "in swap mode, let a block follow on the left only if it did so this often in the events of"
        " the local model, and leave no gap that none may fill; 0: any block; not with phrase",
        least=0,
    )
    first_block: Literal["right", "neutral"] = option(
        "right",
        "orientation of a block that begins a sentence: right of an empty block before it, or"
        " neutral, as in events without boundary block",
    )

    def rules(self) -> dict[str, Any]:
        """These options alone, by name."""
        return {field.name: getattr(self, field.name) for field in fields(ReorderingOptions)}

    def check(self) -> None:
        """Raise `OptionError` where options contradict one another."""
        if self.least_left_count and self.reordering == "phrase":
            raise OptionError(
                f"least_left_count={self.least_left_count} goes with reordering=swap or mon:"
                " jumps would lead where nothing may follow"
            )


@dataclass(frozen=True)
class DecodeOptions(ReorderingOptions):
    """How the decoder searches: what it may reorder and what it prunes."""

    stack_size: int = option(200, "hypotheses kept per stack; 0: all", least=0)
    pop_limit: int = option(400, "steps tried per stack by cube pruning; 0: every one", least=0)
    threshold: float = option(
        0.0, "cut hypotheses whose score is this far below the stack's best; 0: none", least=0
    )
    threshold_on: Literal["estimate", "score"] = option(
        "estimate", "what the threshold compares: scores with the future cost, or scores alone"
    )
    future_cost: bool = option(
        True, "rank hypotheses by an estimate of what is still to come, reordering included"
    )
    max_words: int = option(
        100,
        "longer sentences are cut at punctuation into pieces of at most this many words",
        least=1,
    )
    max_targets: int = option(*MAX_TARGETS, least=0)
    options_per_span: int = option(
        20, "translation options kept per source span, the best ones; 0: all", least=0
    )
    options_by: Literal["score", "count"] = option(
        "score",
        "which options of a span are the best: by all weights; or, of all blocks of the phrase,"
        " those seen most often in the events of the local model",
    )
    options_in_sentence: int = option(
        30,
        "of a span, options whose sparse features of neighbouring words are looked up, the best by"
        " all that a block decides alone; 0: all, so that such a feature can bring any block in",
        least=0,
    )
    time_limit_s: float = option(
        0.0, "seconds after which the rest of a sentence is translated in a hurry; 0: none", least=0
    )

    normaliser: Literal["none", "alternatives"] = option(
        "none",
        "what is taken from the score of every step: nothing; or the log of the sum over the kept"
        " options of its span, so that it is the log probability of the block among them",
    )

    @property
    def counting(self) -> str:
        """The first option, with its value, that asks how often blocks were seen in events."""
        if self.least_left_count:
            return f"least_left_count={self.least_left_count}"
        return "options_by=count" if self.options_by == "count" else ""


@dataclass(frozen=True)
class ForceOptions(ReorderingOptions):
    """How forced decoding searches for derivations of the reference."""

    distortion_rule: Literal["window", "jump"] = option(
        "jump",
        "what the limit bounds: the jump alone; or window, also how far a block may end from the"
        " first word that is not translated",
    )
    memory_mb: int = option(
        500,
        "memory of a search, per thread; a pair that needs more counts as not reachable",
        least=1,
    )
    max_words: int = option(80, "longer sources count as not reachable", least=1)
    min_prefix: int = option(5, "shortest prefix pair of use, in source words", least=1)


@dataclass(frozen=True)
class OracleOptions(ReorderingOptions):
    """How the translations closest to the references are searched."""

    max_targets: int = option(*MAX_TARGETS, least=0)
    stack_size: int = option(
        100, "hypotheses kept per stack; 0: all, an exact search of short sentences", least=0
    )
    brevity_penalty: bool = option(
        False, "let translations pay for being shorter than the closest reference"
    )
