"""Noun phrases: what is drawn, and how it reads in English.

Two random streams keep meaning and wording apart. `draw` and `bits` decide what is said, and so
the whole source side; `style` decides among the wordings of the target. Drawing the same sentence
again with another style gives another reference translation of the same source.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from calque.data.english import plural as english_plural
from calque.data.entries import (
    HIS,
    PLAIN,
    SLOT_BITS,
    THE,
    A,
    Adjective,
    Adposition,
    Determiner,
    Noun,
    Phrase,
    Pronoun,
)
from calque.data.lexicon import KIND, Lexicon
from calque.data.names import Names

Tied = TypeVar("Tied", bound=tuple[object, ...])
Variant = TypeVar("Variant")

PERSON = KIND["person"]
TOOL, FOOD, PLANT = KIND["tool"], KIND["food"], KIND["plant"]
DOMINANT = 0.74
"""Share of the translations that take the first of several wordings."""
NO_DETERMINER = Determiner(("",) * 4, (), ("",), PLAIN)
PREFIXES = (
    ("eks", "ex-"),
    ("mini", "mini-"),
    ("supra", "super-"),
    ("kontra", "anti-"),
    ("pre", "pre-"),
)
_OWNED = "'s"
DERIVATIONS = (("esk", "-like"), ("fob", "-proof"), ("liv", "-free"), ("form", "-shaped"))


class Phrases:
    """Draws noun phrases on both sides at once."""

    def __init__(self, lexicon: Lexicon, split: str) -> None:
        self.lexicon = lexicon
        self.language = lexicon.language
        self.names = Names(held_out=split != "train")
        self.loosens = split == "train"
        self.dominant = DOMINANT
        self.feminine = False
        """Whether the person last named as a subject is she: `his` or `her`."""
        self.listen(Random(0), Random(0))

    def listen(self, content: Random, style: Random) -> None:
        """Take meaning and wording from these streams from now on."""
        self.draw, self.bits = content.random, content.getrandbits
        self.style = style.random

    def tie(self, entry: Tied) -> Tied:
        """The entry as it is; a grammar that reports links marks it here."""
        return entry

    def beside(self, word: str, text: str) -> str:
        """`text` as it is; a grammar that reports links marks it like `word`."""
        return text

    def variant(self, variants: Sequence[Variant]) -> Variant:
        """One of several wordings, most often the first."""
        if len(variants) == 1 or self.style() < self.dominant:
            return variants[0]
        return variants[1 + int(self.style() * (len(variants) - 1))]

    def agent(self, kind: int, role: Adposition, depth: int) -> Phrase:
        """A noun phrase that may be a pronoun or a name where persons are meant."""
        if kind == PERSON:
            chance = self.draw()
            if chance < 0.33:
                return self.pronoun(role)
            if chance < 0.52:
                return self.named(role)
        return self.noun_phrase(kind, role, depth)

    def pronoun(self, role: Adposition) -> Phrase:
        """A personal pronoun; as a subject the source may drop it."""
        pronoun: Pronoun = self.tie(self.lexicon.pronouns[self.bits(SLOT_BITS)])
        is_subject = role is self.lexicon.subject
        source = self.language.pronoun(role, pronoun, is_subject)
        if is_subject:
            self.feminine = pronoun.feminine
            if pronoun.drops and self.draw() < 0.5:
                source = ""
        target = pronoun.target[not is_subject]
        return Phrase(source, target, pronoun.agreement, pronoun.feminine, True)

    def named(self, role: Adposition) -> Phrase:
        """A person's name, perhaps with a surname or a title."""
        feminine = self.draw() < 0.5
        chance = self.draw()
        if chance < 0.2:
            title = self.tie(self.lexicon.word["Mrs." if feminine else "Mr."])
            last = self.tie((self.names.surname(self.draw()),))[0]
            source, target = (
                self.language.titled(title.source[0], last),
                f"{title.target[0]} {last}",
            )
        else:
            source = self.tie((self.names.person(self.draw(), feminine),))[0]
            if chance < 0.4:
                source = f"{source} {self.tie((self.names.surname(self.draw()),))[0]}"
            target = source
        if role is self.lexicon.subject:
            self.feminine = feminine
        return Phrase(self.language.bare_phrase(role, source), target, 2, feminine)

    def place_name(self, role: Adposition) -> Phrase:
        """The name of a city."""
        name = self.tie((self.names.city(self.draw()),))[0]
        return Phrase(self.language.bare_phrase(role, name), name)

    def noun_phrase(
        self,
        kind: int,
        role: Adposition,
        depth: int,
        rich: float = 1.0,
        plural: bool | None = None,
    ) -> Phrase:
        """A common noun with determiner, adjectives, modifiers; `rich` scales how many."""
        draw, bits, lexicon = self.draw, self.bits, self.lexicon
        noun = self.noun(kind)
        if plural is None:
            plural = noun.counted and draw() < 0.27
        table = lexicon.determiners[plural if noun.counted else 2]
        determiner: Determiner = self.tie(table[bits(SLOT_BITS)])
        adjectives: tuple[Adjective, ...] = ()
        chance = draw()
        if chance < 0.3 * rich:
            first = self.adjective(kind)
            adjectives = (self.tie(first),)
            if chance < 0.035 * rich:
                second = self.adjective(kind)
                if second.target != first.target and not second.leads:
                    adjectives = (adjectives[0], self.tie(second))
        modifier, clause = ("", "", False), ("", "")
        if depth > 0:
            chance = draw()
            if chance < 0.17 * rich:
                modifier = self.modifier(depth - 1, determiner.role == THE)
            elif chance < 0.23 * rich:
                clause = self.relative(noun.kind, plural, depth - 1)
        source = self.language.noun_phrase(
            role, determiner, noun, plural, adjectives, modifier[0], clause[0]
        )
        target = self._english(determiner, adjectives, noun, plural, modifier[1:], clause[1])
        if role is lexicon.subject and kind == PERSON and not plural:
            self.feminine = noun.feminine
        return Phrase(source, target, 4 if plural else 2, noun.feminine)

    def _english(
        self,
        determiner: Determiner,
        adjectives: Sequence[Adjective],
        noun: Noun,
        plural: bool,
        modifier: tuple[str, bool],
        relative: str,
    ) -> str:
        target = noun.target
        name = (target[0] if len(target) == 1 else self.variant(target))[plural]
        for adjective in reversed(adjectives):
            name = f"{self.variant(adjective.target)} {name}"
        role = determiner.role
        if role == A:
            word = determiner.target[name[0] in "aeiou"]
        elif role == HIS:
            word = determiner.target[self.feminine]
        else:
            word = self.variant(determiner.target)
        text, before = modifier
        if text and before:
            word = text  # "the teacher 's house" for "the house of the teacher"
        elif text:
            name = f"{name} {text}"
        text = f"{word} {name}" if word else name
        return f"{text} {relative}" if relative else text

    def modifier(self, depth: int, definite: bool) -> tuple[str, str, bool]:
        """A genitive, place or topic of a noun, and whether English puts it before the noun."""
        entry, kinds = self.lexicon.modifiers[self.bits(SLOT_BITS)]
        role: Adposition = self.tie(entry)
        kind = kinds[int(self.draw() * len(kinds))]
        if kind == PERSON and self.draw() < 0.3:
            phrase = self.named(role)
        elif kind == KIND["place"] and self.draw() < 0.3:
            phrase = self.place_name(role)
        else:
            phrase = self.noun_phrase(kind, role, depth, 0.5)
        if definite and kind == PERSON and entry.target[0] == "of" and self.style() < 0.3:
            owner = f"{phrase.target} {self.beside(role.target[0], _OWNED)}"
            return phrase.source, owner, True
        return phrase.source, f"{self.variant(role.target)} {phrase.target}", False

    def noun(self, kind: int) -> Noun:
        """A noun of a kind: from the lexicon, or made of two stems, a prefix or an open root."""
        noun: Noun = self.tie(self.lexicon.nouns[kind][self.bits(SLOT_BITS)])
        chance = self.draw()
        if chance < 0.94 or not noun.counted:
            return noun
        if chance < 0.965:
            return self._compound(noun)
        if chance < 0.975:
            ours, english = PREFIXES[0 if kind == PERSON else 1 + self.bits(2)]
            source = (ours + noun.source[0], ours + noun.source[1])
            singular, plural = noun.target[0]
            return noun._replace(source=source, target=((english + singular, english + plural),))
        if kind in (TOOL, FOOD, PLANT):
            root = self.names.term(self.draw())
            source = self.language.noun(root, noun.feminine)
            english = root + "ine"
            return self.tie(
                noun._replace(source=source, target=((english, english_plural(english)),))
            )
        return noun

    def _compound(self, head: Noun) -> Noun:
        kind = (TOOL, PLANT, KIND["building"], KIND["place"])[int(self.draw() * 4)]
        modifier: Noun = self.tie(self.lexicon.nouns[kind][self.bits(SLOT_BITS)])
        word = modifier.target[0][0]
        singular, plural = head.target[0]
        return head._replace(
            source=self.language.compound(modifier, head),
            target=((f"{word} {singular}", f"{word} {plural}"),),
        )

    def adjective(self, kind: int) -> Adjective:
        """An adjective that fits a kind of noun, now and then one derived from a noun."""
        if self.draw() < 0.985:
            return self.lexicon.adjectives[kind][self.bits(SLOT_BITS)]
        noun = self.lexicon.nouns[(TOOL, PLANT, FOOD, KIND["animal"])[self.bits(2)]][
            self.bits(SLOT_BITS)
        ]
        ours, english = DERIVATIONS[self.bits(2)]
        target = noun.target[0][0].replace(" ", "-") + english
        return Adjective(False, self.language.adjective(noun.stem + ours), (target,))

    def relative(self, kind: int, plural: bool, depth: int) -> tuple[str, str]:
        """A clause that says more about a noun; given by the grammar of clauses."""
        raise NotImplementedError
