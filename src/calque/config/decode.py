from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal

from calque.config.option import option
from calque.errors import OptionError

MAX_TARGETS = (
    100,
    "how many blocks are considered per source phrase, the best by their own scores"
    " (which do not depend on the weights); 0 considers all",
)


FITTED = -2
"""The distortion limit or pop limit that training replaces by one that fits the text."""
THOROUGH = -3
"""The same for a search that takes more time and misses less."""
NEAR = 6
"""The largest distortion limit at which words hardly move, so that few pops are enough."""
POPS = {FITTED: (300, 400), THOROUGH: (1000, 3000)}
"""Pop limits that fit where words hardly move, and where they may move far, as a guess."""
MOST_LOST = {FITTED: 0.005, THOROUGH: 0.0005}
"""What the average score of a source word may lose to the deepest search where a development set
tells how much it loses, with weights as presets scale them."""


@dataclass(frozen=True)
class ReorderingOptions:
    """Which source words may be translated next, whatever is searched for."""

    reordering: Literal["mon", "swap", "phrase"] = option(
        "phrase",
        "left to right (mon), swaps of neighbouring blocks (swap), or jumps up to the"
        " distortion limit (phrase)",
    )
    distortion_limit: int = option(
        6,
        "longest jump between two blocks, in source words; -1 for no limit; -2, in training"
        " only, chooses the smallest of 6, 9, 12 and 15 that fits the word alignments",
        least=FITTED,
    )
    distortion_rule: Literal["window", "jump"] = option(
        "window",
        "what the distortion limit applies to: the jump alone (jump), or also the distance"
        " from the first untranslated word to the end of the block (window)",
    )
    strict_single_gap: bool = option(
        False,
        "in swap mode, allow no further swap directly after the block that filled the gap of"
        " the last one",
    )
    least_left_count: int = option(
        0,
        "in swap mode, allow a block to the left of the previous one only if the events of"
        " the local model have it there at least this often, and leave no gap that no such"
        " block could fill; 0 allows every block; cannot be combined with reordering=phrase",
        least=0,
    )
    first_block: Literal["right", "neutral"] = option(
        "right",
        "orientation of the first block of a sentence: to the right of an empty block before"
        " the sentence (right), or neutral, as in events without a boundary block",
    )
    max_span: int = option(
        20,
        "with engine=chart, maximum number of source words that a rule may cover, including"
        " those in its gaps; longer spans are translated piece by piece, from left to right",
        least=1,
    )
    shallow: int = option(
        0,
        "with engine=chart, how deeply rules with gaps may be nested; 0 for no limit",
        least=0,
    )
    of_phrases: ClassVar[tuple[str, ...]] = (
        "reordering",
        "distortion_limit",
        "distortion_rule",
        "strict_single_gap",
        "least_left_count",
        "first_block",
    )
    """What means nothing to engine=chart, where gaps reorder."""
    of_rules: ClassVar[tuple[str, ...]] = ("max_span", "shallow")
    """What means nothing to engine=phrase."""

    def rules(self) -> dict[str, Any]:
        """These options alone, by name."""
        return {field.name: getattr(self, field.name) for field in fields(ReorderingOptions)}

    def check(self) -> None:
        """Raise `OptionError` where options contradict one another, or are for training only."""
        if self.distortion_limit == FITTED:
            raise OptionError(
                f"distortion_limit={FITTED} is for training, which finds the limit:"
                " expected -1 or more"
            )
        if self.least_left_count and self.reordering == "phrase":
            raise OptionError(
                f"least_left_count={self.least_left_count} requires reordering=swap or mon:"
                " jumps would lead where nothing may follow"
            )

    def check_engine(self, engine: str) -> None:
        """Raise `OptionError` where an option that is not as usual means nothing to an engine."""
        usual = type(self)()
        for name in self.of_rules if engine == "phrase" else self.of_phrases:
            if (value := getattr(self, name)) != getattr(usual, name):
                raise OptionError(f"{name}={value} is of no use to engine={engine}")


@dataclass(frozen=True)
class DecodeOptions(ReorderingOptions):
    """How the decoder searches: what it may reorder and what it prunes."""

    engine: Literal["phrase", "chart"] = option(
        "phrase",
        "what translations are built from: blocks, one after the other from left to right"
        " (phrase), or rules, which are blocks with gaps that other rules fill (chart); each"
        " model is trained for one of the two",
    )
    stack_size: int = option(200, "hypotheses kept per stack; 0 keeps all", least=0)
    pop_limit: int = option(
        400,
        "hypotheses that cube pruning tries per stack, or per span with engine=chart; 0 tries all;"
        " in training only, -2 finds the smallest with which translations of the development set"
        " score nearly as high as with 3200, and -3 one with which they lose a tenth of that;"
        " without a development set they are 300 and 1000 if the distortion limit is at most 6,"
        " and 400 and 3000 otherwise",
        least=THOROUGH,
    )
    threshold: float = option(
        0.0,
        "drop hypotheses that score worse than the best of their stack, or of their span"
        " with engine=chart, by more than this; 0 drops none",
        least=0,
    )
    threshold_on: Literal["estimate", "score"] = option(
        "estimate",
        "what the threshold compares: scores that include the estimated future cost"
        " (estimate), or scores alone (score)",
    )
    future_cost: bool = option(
        True,
        "rank hypotheses by their score plus an estimate for the words still to be"
        " translated, which includes their reordering",
    )
    max_words: int = option(
        100,
        "sentences longer than this are split at punctuation into pieces of at most this"
        " many words",
        least=1,
    )
    least_agreement: float = option(
        0.2,
        "translate an unknown word by known words that resemble it or that it is made of,"
        " if these are expected to get at least this share of its translation right; with 1,"
        " every unknown word is copied",
        least=0,
        most=1,
    )
    max_targets: int = option(*MAX_TARGETS, least=0)
    options_per_span: int = option(
        20,
        "how many translation options are kept per source span, the best ones; 0 keeps all",
        least=0,
    )
    options_by: Literal["score", "count"] = option(
        "score",
        "how the best options of a span are chosen: by their weighted features (score), or"
        " by how often their block was seen in the events of the local model (count)",
    )
    options_in_sentence: int = option(
        30,
        "for how many options per span, the best ones by all other features, sparse"
        " features of neighbouring source words are looked up; with 0 for all, so that these"
        " features can promote any block",
        least=0,
    )
    time_limit_s: float = option(
        0.0,
        "time limit per sentence, in seconds; after it the beam is narrowed, so that the"
        " rest of the sentence is translated quickly; 0 for no limit",
        least=0,
    )

    normaliser: Literal["none", "alternatives"] = option(
        "none",
        "what is subtracted from the score of every step: nothing (none), or the log of the"
        " sum of exp(score) over all options kept for the span (alternatives), which turns"
        " the score into the log probability of the block among them",
    )
    of_phrases: ClassVar[tuple[str, ...]] = (
        *ReorderingOptions.of_phrases,
        "stack_size",
        "threshold_on",
        "future_cost",
        "options_by",
        "normaliser",
    )

    def check(self) -> None:
        """Raise `OptionError` where options contradict one another, or are for training only."""
        super().check()
        if self.pop_limit < 0:
            told = " is for training, which finds one" if self.pop_limit in POPS else ""
            raise OptionError(f"pop_limit={self.pop_limit}{told}: expected 0 or more")

    def fitted(self, distortion_limit: int) -> DecodeOptions:
        """The same with limits that fit a text for which this distortion limit is right."""
        limit = distortion_limit if self.distortion_limit == FITTED else self.distortion_limit
        is_far = limit < 0 or limit > NEAR
        is_far = self.engine == "chart" or (self.reordering == "phrase" and is_far)
        pops = POPS[self.pop_limit][is_far] if self.pop_limit in POPS else self.pop_limit
        return replace(self, distortion_limit=limit, pop_limit=pops)

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
        "what the distortion limit applies to: the jump alone (jump), or also the distance"
        " from the first untranslated word to the end of the block (window)",
    )
    memory_mb: int = option(
        500,
        "memory per search and thread, in MB; a sentence pair that needs more counts as"
        " unreachable",
        least=1,
    )
    max_words: int = option(80, "sentence pairs with a longer source count as unreachable", least=1)
    min_prefix: int = option(5, "shortest prefix pair to use, in source words", least=1)


@dataclass(frozen=True)
class OracleOptions(ReorderingOptions):
    """How the translations closest to the references are searched."""

    max_targets: int = option(*MAX_TARGETS, least=0)
    stack_size: int = option(
        100,
        "hypotheses kept per stack, or rule applications scored per span with engine=chart;"
        " 0 keeps all, which makes the search exact but is only feasible for short sentences",
        least=0,
    )
    brevity_penalty: bool = option(
        False, "penalise translations that are shorter than the closest reference"
    )
