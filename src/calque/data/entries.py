"""What a lexicon holds: entries whose strings are word forms, and nothing but word forms.

Every string in an entry is text that may appear in a sentence, on the source or the target side,
so that `Grammar.tie` can mark all of them as belonging together (see `calque.data.links`).
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from calque.data.english import VerbForms

SLOTS = 4096
"""Length of a frequency table: an entry fills slots in proportion to its frequency."""
SLOT_BITS = 12


class Word(NamedTuple):
    """A word that does not inflect, or whose source forms the language orders by itself."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    """Variants, the dominant one first."""


class Noun(NamedTuple):
    """A noun with its singular and plural."""

    kind: int
    feminine: bool
    counted: bool
    stem: str
    source: tuple[str, str]
    target: tuple[tuple[str, str], ...]


class Adjective(NamedTuple):
    """An adjective with the forms of its source language."""

    leads: bool
    """Whether it stands before its noun where most adjectives follow."""
    source: tuple[str, ...]
    target: tuple[str, ...]


class Verb(NamedTuple):
    """A verb with its source forms, its English variants and the kinds of its arguments."""

    source: tuple[str, ...]
    particle: str
    """The source's own particle, which stands away from the verb."""
    tail: str
    """The fixed object of an idiom."""
    target: tuple[VerbForms, ...]
    subjects: tuple[int, ...]
    objects: tuple[int, ...]


class Determiner(NamedTuple):
    """An article, demonstrative, possessive, numeral or quantifier."""

    source: tuple[str, ...]
    short: tuple[str, ...]
    """What is left of it when it melts into a preposition."""
    target: tuple[str, ...]
    role: int
    """One of the constants below."""


PLAIN, THE, A, HIS, NUMERAL = range(5)


class Adposition(NamedTuple):
    """A preposition or postposition, or the bare role of a subject or an object."""

    source: tuple[str, str]
    """With a definite and with an indefinite noun."""
    melts: bool
    target: tuple[str, ...]


class Pronoun(NamedTuple):
    """A personal pronoun: as subject and as object."""

    agreement: int
    feminine: bool
    drops: bool
    """Whether the source may leave it out, the verb's ending being enough."""
    source: tuple[str, str]
    target: tuple[str, str]


class Phrase(NamedTuple):
    """A noun phrase on both sides, with what agrees with it."""

    source: str
    target: str
    agreement: int = 2
    """Person and number: 0 I, 1 you, 2 he she it, 3 we, 4 they."""
    feminine: bool = False
    clitic: bool = False
    """Whether the source side is a pronoun, which some languages put before the verb."""


Side: TypeAlias = tuple[str, str]
"""Source text and target text of one constituent."""

NOTHING = Phrase("", "")
