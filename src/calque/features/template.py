"""Templates of sparse features, declared: which parts of a step make one feature together.

    from calque.features import Template

    family = [
        Template("edge", ("source.last@brown6", "target.last")),
        Template(
            "edge+source.length",
            ("source.last@brown6", "target.last", "source.length"),
            extends="edge",
        ),
    ]

in a file `my_module.py` makes `features.sparse = "ruleid, my_module:family"` a choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from calque import _core
from calque.errors import CalqueError, OptionError, hint, nearest
from calque.features.classes import LEVELS

Side = Literal["source", "target"]
MOST_BACK = 7
"""The longest way back of `target.ngram.k`."""


class SlotKind(NamedTuple):
    """What a slot holds."""

    side: Side | None = None
    """Whose word it is, which has levels; none for everything else."""
    is_phrase: bool = False
    is_block: bool = False
    char: str | None = None
    """Which character stands for the word at the level `char`: the one at the edge of the block."""


SLOTS: Mapping[str, SlotKind] = {
    "block": SlotKind(is_block=True),
    "source": SlotKind(is_phrase=True),
    "target": SlotKind(is_phrase=True),
    "source.length": SlotKind(),
    "target.length": SlotKind(),
    "source.first": SlotKind("source", char="char.first"),
    "source.last": SlotKind("source", char="char.last"),
    "target.first": SlotKind("target", char="char.first"),
    "target.last": SlotKind("target", char="char.last"),
    "source.left": SlotKind("source", char="char.last"),
    "source.right": SlotKind("source", char="char.first"),
    "each.source": SlotKind("source"),
    "sentence.source": SlotKind("source"),
    "each.target": SlotKind("target"),
    **{f"target.ngram.{k}": SlotKind("target") for k in range(MOST_BACK + 1)},
    "previous.block": SlotKind(is_block=True),
    "previous.source": SlotKind(is_phrase=True),
    "previous.target": SlotKind(is_phrase=True),
    "previous.source.last": SlotKind("source", char="char.last"),
    "target.previous": SlotKind("target", char="char.last"),
    "target.previous2": SlotKind("target", char="char.last"),
    "orientation": SlotKind(),
    "hierarchical.backward": SlotKind(),
    "hierarchical.forward": SlotKind(),
    "jump": SlotKind(),
    "gap.first": SlotKind("source", char="char.first"),
    "gap.last": SlotKind("source", char="char.last"),
    "gap.left": SlotKind("source", char="char.last"),
    "gap.right": SlotKind("source", char="char.first"),
    "gap.before": SlotKind("target", char="char.last"),
    "gap.after": SlotKind("target", char="char.first"),
    "gap.length": SlotKind(),
    "gap.order": SlotKind(),
}
"""Every slot:

`block`, `source` and `target` are the block and its phrases, `.length` their words, `.first` and
`.last` the words at their ends. `source.left` and `source.right` are the words beside the block in
the sentence, `<s>` and `</s>` at its ends. `each.source` and `each.target` stand for every word in
turn, two of a side for every ordered pair; `sentence.source` for every word of the source sentence,
in the block or not. `target.ngram.k` is the word k before, for every word of the target in turn.
`previous.` is the block before, `target.previous` and `target.previous2` are the last target words
before the block. `orientation` is R, L or N (monotone, swap, discontinuous) towards the block
before; `hierarchical.backward` and `.forward` are M, S or D towards merged blocks before and after;
`jump` is the way from the end of the block before, clipped to 8 words.

Slots of a gap stand for each gap of a rule in turn, all of them for the same one. `gap.first` and
`gap.last` are the source words at the ends of what fills it, `gap.left` and `gap.right` those
beside it in the sentence, `gap.length` how many words it covers. `gap.before` and `gap.after` are
the target words of the rule beside it, `<s>` and `</s>` where there is none. `gap.order` is the
place of the gap in the rule, on the source and on the target side: F for first, L for last, M for
between others, A for alone; FL is a gap that moves from the beginning to the end.
"""


NUMBERS = (
    "source.length",
    "target.length",
    "orientation",
    "hierarchical.backward",
    "hierarchical.forward",
    "jump",
    "gap.length",
    "gap.order",
)
"""The slots by which a template may extend another one."""


ORIENTATION_VALUES = {
    "orientation": "RLN",
    "hierarchical.backward": "MSD",
    "hierarchical.forward": "MSD",
}
"""What slots of orientation hold: monotone, swap or discontinuous."""


class Slot(NamedTuple):
    """One part of a template: a slot and the level at which a word is seen."""

    name: str
    level: str = "word"

    @property
    def kind(self) -> SlotKind:
        """What the slot holds."""
        return SLOTS[self.name]


@dataclass(frozen=True)
class Template:
    """One sparse feature for every combination of values of its slots.

    A slot of words may name a level, `source.first@brown6`; `word` is the default.
    """

    name: str
    slots: tuple[str, ...]
    copies: bool = True
    """Whether it fires for words that are copied and for targets that the user requires."""
    listed: bool = False
    """Whether it fires only for pairs of blocks that were often neighbours in training."""
    adjacent: bool = False
    """Whether it fires only where the block touches the one before, on its right or left (R, L)."""
    extends: str = ""
    """The template that this one is together with one number more, its last slot.

    The name says so, `edge+source.length` extends `edge`; the weights of both then lie side by
    side, and the second costs next to nothing.
    """

    def __post_init__(self) -> None:
        texts, flags = (self.name, self.extends), (self.copies, self.listed, self.adjacent)
        if not all(isinstance(t, str) for t in texts) or not all(type(f) is bool for f in flags):
            raise OptionError(f"template {self.name!r}: expected a name, slots and flags")
        if not self.name or ":" in self.name or self.name.split() != [self.name]:
            raise OptionError(f"template '{self.name}': expected a name without blanks and ':'")
        if (
            not isinstance(self.slots, tuple)
            or not 1 <= len(self.slots) <= 8
            or not all(isinstance(slot, str) for slot in self.slots)
        ):
            raise OptionError(f"template '{self.name}': expected a tuple of 1 to 8 slots")
        if self.listed and {"block", "previous.block"} - set(self.slots):
            raise OptionError(f"template '{self.name}': listed, but without both blocks")
        for slot in self.slots:
            _parse(self.name, slot)  # raises where it is wrong
        if self.extends:
            self._check_extension()

    def _check_extension(self) -> None:
        number = self.parsed[-1].name
        if number not in NUMBERS or len(self.slots) == 1:
            raise OptionError(
                f"template '{self.name}': extends '{self.extends}', expected a last slot of"
                f" {', '.join(NUMBERS)}"
            )
        if self.name != f"{self.extends}+{number}":
            raise OptionError(
                f"template '{self.name}': expected the name '{self.extends}+{number}' of what"
                f" extends '{self.extends}' by {number}"
            )

    @property
    def key_name(self) -> str:
        """The name that keys are made from."""
        return self.extends or self.name

    @cached_property
    def parsed(self) -> tuple[Slot, ...]:
        """The slots and their levels; raises `OptionError` where one is none."""
        return tuple(_parse(self.name, slot) for slot in self.slots)

    @property
    def n_values(self) -> int:
        """How many values name a feature; a block has two, source and target."""
        return sum(1 + slot.kind.is_block for slot in self.parsed)

    @property
    def is_of_gaps(self) -> bool:
        """Whether it looks at what fills the gaps of a rule, and fires once for each."""
        return any(slot.name.startswith("gap.") for slot in self.parsed)

    @property
    def is_of_block(self) -> bool:
        """Whether a block and its place in the sentence decide its features, whatever is before."""
        return _core.block_decides([slot.name for slot in self.parsed])

    def levels(self, side: Side) -> set[str]:
        """The levels of words of one side that it looks at."""
        return {slot.level for slot in self.parsed if slot.kind.side == side}

    def key_of(self, values: Sequence[str]) -> int:
        """The key of the feature with these values; a block has two, source and target."""
        try:
            return _core.feature_key(
                self.key_name, [slot.name for slot in self.parsed], list(values)
            )
        except CalqueError as error:
            raise CalqueError(str(error)) from None

    @property
    def upper_bits(self) -> int:
        """The upper 16 bits of all keys of its features."""
        n_values = sum(2 if slot.kind.is_block else 1 for slot in self.parsed)
        return self.key_of(["x"] * n_values) >> 48


def _parse(template: str, slot: str) -> Slot:
    name, at, level = slot.partition("@")
    if name not in SLOTS:
        raise OptionError(f"template '{template}': no slot is called '{name}': {hint(name, SLOTS)}")
    kind = SLOTS[name]
    if not at:
        return Slot(name)
    if kind.side is None:
        raise OptionError(f"template '{template}': '{name}' is no word and has no levels")
    if level == "char" and kind.char:
        level = kind.char
    if level not in LEVELS:
        raise OptionError(
            f"template '{template}': no level is called '{level}'; there are: {', '.join(LEVELS)}"
        )
    return Slot(name, level)


def key_of(name: str, templates: Mapping[str, Template]) -> int:
    """The key of a feature from its name, `TEMPLATE:VALUE ||| VALUE`."""
    template, colon, values = name.partition(":")
    if not colon or template not in templates:
        near = nearest(template, templates)
        meant = f": did you mean '{near}'?" if near else ""
        raise CalqueError(f"'{name}': no active template is called '{template}'{meant}")
    return templates[template].key_of(values.split(" ||| "))
