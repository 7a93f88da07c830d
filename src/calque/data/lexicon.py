"""The lexicon of one source language: every entry with its forms, and tables to draw them from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import TypeVar

from calque.data import function_words, verbs, words
from calque.data.english import VerbForms, noun_variants, verb_variants
from calque.data.entries import (
    SLOTS,
    Adjective,
    Adposition,
    Determiner,
    Noun,
    Pronoun,
    Verb,
    Word,
)
from calque.data.language import Language

Entry = TypeVar("Entry")

BE = VerbForms("be", "is", "was", "been", is_be=True)
KINDS = tuple(words.NOUNS)
KIND = {name: index for index, name in enumerate(KINDS)}


def slots(items: Iterable[tuple[Entry, float]]) -> tuple[Entry, ...]:
    """A table of `SLOTS` places that each item fills in proportion to its weight, once at least."""
    pairs = list(items)
    scale = (SLOTS - len(pairs)) / sum(weight for _, weight in pairs)
    table: list[Entry] = []
    reached = 0.0
    for done, (item, weight) in enumerate(pairs, 1):
        reached += weight * scale
        table += [item] * (done + int(reached) - len(table))
    table += [pairs[0][0]] * (SLOTS - len(table))
    return tuple(table)


def zipf(items: Sequence[Entry]) -> tuple[Entry, ...]:
    """A table in which an item of rank r has a weight of 1 / (r + 2)."""
    return slots((item, 1 / (rank + 2)) for rank, item in enumerate(items, 1))


class Lexicon:
    """Everything that can be drawn, for one source language; immutable once built."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._stems: dict[str, str] = {}
        self._shared = words.SHARED[language.code]
        self._female, self._male = words.FEMALE.split(), words.MALE.split()
        self._gender = Random("gender").random
        self._nouns()
        self._adjectives()
        self._verbs()
        self._function_words()

    def __len__(self) -> int:
        """The number of content entries."""
        return len(self._stems)

    def _stem(self, english: str, rank: int) -> str:
        """The stem of an English word: its own, or that of the word it shares one with."""
        english = self._shared.get(english, english)
        if english not in self._stems:
            self._stems[english] = self.language.stem(rank)
        return self._stems[english]

    def _nouns(self) -> None:
        by_name: dict[str, Noun] = {}
        listed: list[list[str]] = []
        for kind, text in enumerate(words.NOUNS.values()):
            names = []
            for rank, entry in enumerate(text.split()):
                noun = self._noun(entry, kind, rank)
                names.append(noun.target[0][0])
                by_name[names[-1]] = noun
            listed.append(names)
        for name, (head, modifier) in words.COMPOSED.items():
            source = self.language.composed(by_name[head].source, by_name[modifier].source)
            by_name[name] = by_name[name]._replace(source=source, feminine=by_name[head].feminine)
        self.nouns = tuple(zipf([by_name[name] for name in names]) for names in listed)
        self.noun_by_name = by_name

    def _noun(self, entry: str, kind: int, rank: int) -> Noun:
        target = noun_variants(entry)
        english = target[0][0]
        feminine = self._gender() < 0.5
        if english in self._female or english in self._male:
            feminine = english in self._female
        stem = self._stem(english, rank)
        counted = not entry.split("|")[0].endswith("~") and KINDS[kind] != "weekday"
        return Noun(kind, feminine, counted, stem, self.language.noun(stem, feminine), target)

    def _adjectives(self) -> None:
        by_kind: list[list[Adjective]] = [[] for _ in KINDS]
        for rank, entry in enumerate(words.ADJECTIVES.split()):
            english, _, kinds = entry.partition(":")
            target = tuple(english.split("|"))
            stem = self._stem(target[0], rank)
            leads = target[0] in words.BEFORE_NOUN.split()
            adjective = Adjective(leads, self.language.adjective(stem), target)
            for kind in KINDS if kinds == "*" else kinds.split(","):
                by_kind[KIND[kind]].append(adjective)
        self.adjectives = tuple(zipf(adjectives) for adjectives in by_kind)

    def _verbs(self) -> None:
        transitive = [
            *self._verb_list(verbs.VERBS, takes_object=True),
            *self._verb_list(verbs.PREPOSITIONAL, takes_object=True),
            *self._verb_list(verbs.PHRASAL, takes_object=True),
        ]
        # The lists follow one another in the text; in use they interleave.
        order = sorted(range(len(transitive)), key=lambda i: i if i < 100 else (i - 100) * 3 + 5.5)
        transitive = [transitive[i] for i in order]
        intransitive = self._verb_list(verbs.INTRANSITIVE, takes_object=False)
        self.transitive, self.intransitive = zipf(transitive), zipf(intransitive)
        self.by_subject = tuple(
            zipf([v for v in transitive if kind in v.subjects] or transitive)
            for kind in range(len(KINDS))
        )
        self.by_object = tuple(
            zipf([v for v in transitive if kind in v.objects] or transitive)
            for kind in range(len(KINDS))
        )
        self.giving = zipf(self._verb_list(verbs.GIVING, takes_object=True, subjects="person"))
        self.saying = zipf(self._short_verbs(verbs.SAYING))
        self.wishing = zipf(self._short_verbs(verbs.WISHING))
        self.idioms = zipf([self._idiom(line) for line in verbs.IDIOMS.strip().splitlines()])
        self.copula = Verb(self.language.copula, "", "", (BE,), (), ())
        self.costs = self._named_verb("cost", "cost")
        self.has = self._named_verb("have", "had")
        self.exists = self._named_verb("there is", "")._replace(target=(BE,))

    def _verb_list(self, text: str, takes_object: bool, subjects: str = "") -> list[Verb]:
        listed = []
        for rank, line in enumerate(text.strip().splitlines()):
            english, *kinds = line.split()
            columns = [subjects, *kinds] if subjects else kinds
            roles = [tuple(KIND[kind] for kind in column.split(",")) for column in columns]
            listed.append(self._verb(english, rank, roles[0], roles[1] if takes_object else ()))
        return listed

    def _verb(
        self, english: str, rank: int, subjects: tuple[int, ...], objects: tuple[int, ...]
    ) -> Verb:
        target = verb_variants(english)
        first = target[0]
        full = f"{first.base} {first.particle}".strip()
        lemma, particle = verbs.PARTICLE_STEMS.get(full, (full, None))
        if first.preposition and lemma not in self._stems:
            lemma = f"{lemma} {first.preposition}"
        stem = self._stem(lemma, rank)
        word = "" if particle is None else self.language.particles[particle]
        return Verb(self.language.verb(stem), word, "", target, subjects, objects)

    def _short_verbs(self, text: str) -> list[Verb]:
        person = (KIND["person"], KIND["person"], KIND["group"])
        return [self._verb(entry, rank, person, ()) for rank, entry in enumerate(text.split())]

    def _idiom(self, line: str) -> Verb:
        verb, noun, english = line.split()
        target = tuple(
            variant._replace(particle=variant.particle.replace("_", " "))
            for variant in verb_variants(english)
        )
        tail = self.language.idiom_object(self.noun_by_name[noun])
        forms = self.language.verb(self._stems[self._shared.get(verb, verb)])
        return Verb(forms, "", tail, target, (KIND["person"],), ())

    def _named_verb(self, name: str, past: str) -> Verb:
        forms = verb_variants(f"{name}/{past}/{past}" if past else name)
        stem = self.language.function_words[name][0]
        if " " in stem:  # "se trova": the particle of a reflexive verb leads every form
            lead, _, stem = stem.rpartition(" ")
            source = tuple(f"{lead} {form}" for form in self.language.verb(stem[:-1]))
        else:
            source = self.language.verb(stem.rstrip("aeiou"))
        return Verb(source, "", "", forms, (), ())

    def _function_words(self) -> None:
        source = self.language.function_words
        self.determiners = tuple(
            slots(
                (
                    Determiner(
                        source[name],
                        self.language.melted_article if name == "the" else (),
                        target,
                        role,
                    ),
                    weight,
                )
                for name, target, role, weight in function_words.DETERMINERS[number]
            )
            for number in ("singular", "plural", "uncounted")
        )
        self.pronouns = slots(
            (
                Pronoun(agreement, feminine, drops, (source[name][0], source[name][1]), target),
                weight,
            )
            for name, agreement, feminine, drops, target, weight in function_words.PRONOUNS
        )
        self.subject = Adposition(_two(source.get("subject", ("",))), False, ("",))
        self.object = Adposition(_two(source.get("object", ("",))), False, ("",))
        self.bare = Adposition(("", ""), False, ("",))
        self.to = self._adposition("to", ("to",))
        self.adjuncts = slots(self._adjuncts(function_words.ADJUNCTS))
        self.modifiers = slots(self._adjuncts(function_words.NOUN_MODIFIERS))
        self.when = tuple(
            slots(
                (Word(source[name], target), weight)
                for name, target, tenses, weight in function_words.WHEN
                if tense in tenses.split()
            )
            for tense in ("present", "past", "future")
        )
        self.conjunctions = slots(
            (Word(source[name], target), weight)
            for name, target, weight in function_words.CONJUNCTIONS
        )
        self.units = slots(
            ((Word(source[name], target), verb == "cost"), weight)
            for name, target, verb, weight in function_words.UNITS
        )
        self.word = {name: Word(source[name], en) for name, en in function_words.WORDS.items()}
        self.manner, self.often = self._adverbs(words.ADVERBS), self._adverbs(words.OFTEN)

    def _determiners(self, number: str) -> Iterator[tuple[Determiner, float]]:
        for name, target, role, weight in function_words.DETERMINERS[number]:
            short = self.language.melted_article if name == "the" else ()
            yield Determiner(self.language.function_words[name], short, target, role), weight

    def _adposition(self, name: str, target: tuple[str, ...]) -> Adposition:
        form = self.language.function_words[name][0]
        return Adposition((form, form), form.split()[-1] in ("de", "a", "ne"), target)

    def _adjuncts(
        self, entries: Iterable[tuple[str, tuple[str, ...], str, float]]
    ) -> Iterable[tuple[tuple[Adposition, tuple[int, ...]], float]]:
        for name, target, kinds, weight in entries:
            roles = tuple(KIND[kind] for kind in kinds.split())
            yield (self._adposition(name, target), roles), weight

    def _adverbs(self, text: str) -> tuple[Word, ...]:
        adverbs = []
        for rank, entry in enumerate(text.split()):
            target = tuple(entry.replace("_", " ").split("|"))
            stem = self._stem(f"adverb {target[0]}", rank)
            adverbs.append(Word((self.language.adverb(stem),), target))
        return zipf(adverbs)


def _two(forms: tuple[str, ...]) -> tuple[str, str]:
    return forms[0], forms[-1]
