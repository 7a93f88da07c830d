"""How a clause reads in English: auxiliaries, particles, passives, what may stand in front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from calque.data.english import VerbForms
from calque.data.entries import Phrase, Side, Verb, Word
from calque.data.language import FUTURE, INFINITIVE, PAST, PRESENT, QUESTION, STATEMENT
from calque.data.phrases import Phrases

EMPTY: Side = ("", "")
_BE_PRESENT = ("am", "are", "is", "are", "are")
_BE_PAST = ("was", "were", "was", "were", "were")


class Setting(NamedTuple):
    """What a clause says beyond its verb and its arguments."""

    tense: int
    negation: Word | None = None
    when: Side = EMPTY
    often: Side = EMPTY
    manner: Side = EMPTY
    adjuncts: Sequence[Side] = ()


class Wording(Phrases):
    """Words the target side of clauses."""

    def english_clause(
        self, subject: Phrase, verb: Verb, object: Phrase, setting: Setting, mood: int
    ) -> str:
        """The target side of a clause, in one of its wordings."""
        tense, negation, when, often, manner, adjuncts = setting
        target = verb.target
        forms = target[0] if len(target) == 1 else self.variant(target)
        denied = "" if negation is None else self.variant(negation.target)
        first, core = self._finite(
            forms, tense, subject.agreement, bool(denied), bool(often[1]), mood
        )
        if negation and (mood == QUESTION or first.startswith(("am", "will"))):
            denied = negation.target[0]  # neither "am n't" nor "will n't"
        what, particle = object.target, forms.particle
        end = [side[1] for side in adjuncts]
        if verb.objects and self._turns(subject, forms, object, tense, mood):
            be = self.beside(forms.base, (_BE_PAST if tense else _BE_PRESENT)[object.agreement])
            by = f"{self.beside(forms.base, 'by')} {subject.target}"
            parts = [what, be, denied, often[1], forms.participle, particle, by, manner[1]]
            return " ".join([part for part in (*parts, *end, when[1]) if part])
        if forms.preposition:
            # Without an object, as in "the bus that we wait for", it stays behind.
            what = f"{forms.preposition} {what}" if what else forms.preposition
        if particle and what and (object.clitic or self.style() < 0.4):
            what, particle = f"{what} {particle}", ""
        start, last = "", when[1]
        if mood == STATEMENT:
            if last and self.style() < 0.35:
                start, last = f"{last} ,", ""
            elif len(end) == 1 and end[0] and self.style() < 0.12:
                start, end = f"{end[0]} ,", []
        if mood == QUESTION:
            parts = [first, subject.target, denied, often[1], core]
        else:
            parts = [start, subject.target, first, denied, often[1], core]
        parts += [particle, what, manner[1], *end, last]
        return " ".join([part for part in parts if part])

    def _turns(
        self, subject: Phrase, forms: VerbForms, object: Phrase, tense: int, mood: int
    ) -> bool:
        """Whether this translator turns the clause around, into the passive."""
        if mood != STATEMENT or tense == FUTURE or forms.preposition:
            return False
        if not subject.target or not object.target or subject.clitic or object.clitic:
            return False
        if forms.participle.startswith("had"):
            return False  # nothing "is had"
        return self.style() < 0.06

    def _finite(
        self, forms: VerbForms, tense: int, agreement: int, denied: bool, split: bool, mood: int
    ) -> tuple[str, str]:
        """The auxiliary (or nothing) and the form of the verb that goes with it.

        `split` says that an adverb will stand between the two.
        """
        if mood == INFINITIVE:
            return "", forms.base
        if tense == FUTURE:
            if self.style() < 0.9 or mood == QUESTION or denied or split:
                return self.beside(forms.base, "will"), forms.base
            going = f"{_BE_PRESENT[agreement]} going to"
            return self.beside(forms.base, going), forms.base
        if forms.is_be:
            table = _BE_PRESENT if tense == PRESENT else _BE_PAST
            return self.beside(forms.base, table[agreement]), ""
        if denied or mood == QUESTION:
            auxiliary = "did" if tense == PAST else "does" if agreement == 2 else "do"
            return self.beside(forms.base, auxiliary), forms.base
        if tense == PAST:
            if mood == STATEMENT and self.style() < 0.1:
                has = "has" if agreement == 2 else "have"
                return self.beside(forms.base, has), forms.participle
            return "", forms.past
        return "", forms.third if agreement == 2 else forms.base
