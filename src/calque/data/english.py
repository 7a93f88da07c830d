"""English forms: what the target side of the generated corpus inflects."""

from __future__ import annotations

from typing import NamedTuple

_VOWELS = "aeiou"


class VerbForms(NamedTuple):
    """One English verb: its four forms, and the particle or preposition that it needs."""

    base: str
    third: str
    past: str
    participle: str
    particle: str = ""
    """Stands before or after the object: turn *off*."""
    preposition: str = ""
    """Stands before the object: wait *for*."""
    is_be: bool = False
    """Whether this is the verb `be`, which has forms of its own and no auxiliary."""


def plural(word: str) -> str:
    """The regular plural."""
    if word.endswith("y") and word[-2] not in _VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def third_person(verb: str) -> str:
    """The form of the present with he, she or it."""
    irregular = {"have": "has", "go": "goes", "do": "does"}
    return irregular.get(verb) or plural(verb)


def past(verb: str) -> str:
    """The regular past."""
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ied"
    return verb + "ed"


def noun_variants(entry: str) -> tuple[tuple[str, str], ...]:
    """Singular and plural of a noun and of each of its synonyms: `child/children|kid`."""
    variants = []
    for variant in entry.replace("~", "").replace("_", " ").split("|"):
        singular, _, irregular = variant.partition("/")
        variants.append((singular, irregular or plural(singular)))
    return tuple(variants)


def verb_variants(entry: str) -> tuple[VerbForms, ...]:
    """The forms of a verb and of its synonyms: `take/took/taken_off|remove`, `wait@for`."""
    preposition = entry.partition("@")[2]
    return tuple(_verb(variant, preposition) for variant in entry.partition("@")[0].split("|"))


def _verb(variant: str, preposition: str) -> VerbForms:
    forms, _, particle = variant.partition("_")
    base, *irregular = forms.split("/")
    before, participle = irregular if len(irregular) == 2 else (past(base), past(base))
    return VerbForms(base, third_person(base), before, participle, particle, preposition)


def indefinite(following: str) -> bool:
    """Whether the indefinite article before these words is `an`."""
    return following[0] in _VOWELS
