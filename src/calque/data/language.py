"""What the grammar asks of a source language: forms of words and their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from calque.data.entries import Adjective, Adposition, Determiner, Noun, Pronoun, Verb, Word

STATEMENT, QUESTION, RELATIVE, INFINITIVE = range(4)
PRESENT, PAST, FUTURE = range(3)


class Language(Protocol):
    """A source language: how it makes words, and how it orders them."""

    code: str
    function_words: dict[str, tuple[str, ...]]
    """Source forms of every function word, by the name that the grammar uses."""
    particles: tuple[str, ...]
    copula: tuple[str, ...]
    """The forms of `be`, in the order of `verb`."""
    melted_article: tuple[str, ...]
    """What a preposition takes on in place of the definite article; empty where nothing melts."""
    head_final: bool
    """Whether conjunctions follow their clause, and clauses what they belong to."""
    decimal: str
    thousands: str

    def stem(self, rank: int) -> str:
        """A stem not made before, for a word of this frequency rank."""

    def noun(self, stem: str, feminine: bool) -> tuple[str, str]:
        """Singular and plural."""

    def adjective(self, stem: str) -> tuple[str, ...]:
        """The forms of an adjective, in the language's own order."""

    def adverb(self, stem: str) -> str:
        """The adverb made from a stem."""

    def verb(self, stem: str) -> tuple[str, ...]:
        """The forms of a verb, in the language's own order."""

    def composed(self, head: tuple[str, str], modifier: tuple[str, str]) -> tuple[str, str]:
        """Several words for one thing: an apple of the country."""

    def compound(self, modifier: Noun, head: Noun) -> tuple[str, str]:
        """One word of two stems."""

    def idiom_object(self, noun: Noun) -> str:
        """The object of an idiom."""

    def noun_phrase(
        self,
        role: Adposition,
        determiner: Determiner,
        noun: Noun,
        plural: bool,
        adjectives: Sequence[Adjective],
        modifier: str,
        relative: str,
    ) -> str:
        """A noun with all that belongs to it and the adposition of its role."""

    def bare_phrase(self, role: Adposition, text: str) -> str:
        """A name or pronoun with the adposition of its role."""

    def titled(self, title: str, name: str) -> str:
        """A name with its title."""

    def pronoun(self, role: Adposition, pronoun: Pronoun, is_subject: bool) -> str:
        """A pronoun in its role."""

    def clause(
        self,
        subject: str,
        verb: Verb,
        tense: int,
        agreement: int,
        negation: Word | None,
        clitic: str,
        object: str,
        manner: str,
        often: str,
        adjuncts: Sequence[str],
        when: str,
        mood: int,
    ) -> str:
        """A clause from its parts, any of which may be empty."""

    def predicate(
        self, copula: Verb, adjective: Adjective, agreement: int, feminine: bool
    ) -> tuple[Verb, str]:
        """The verb and the object of a clause that says what its subject is like."""

    def embed(self, conjunction: Word, clause: str) -> str:
        """A clause with the conjunction that subordinates it."""

    def ask(self, word: str, clause: str) -> str:
        """A clause made a question by a question word."""
