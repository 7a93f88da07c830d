"""Oruka, an invented verb-final language: postpositions, suffixes, everything before its head.

Relative clauses, genitives and conjunct clauses come before what they belong to, the verb ends
the clause with its negation, tense and number as suffixes in vowel harmony, there are no articles
(a topic or object particle tells the definite from the indefinite) and numerals carry a
classifier that agrees with the kind of the noun. A verb's own particle stands before the object.
"""

from __future__ import annotations

from collections.abc import Sequence

from calque.data.entries import (
    NUMERAL,
    A,
    Adjective,
    Adposition,
    Determiner,
    Noun,
    Pronoun,
    Verb,
    Word,
)
from calque.data.language import INFINITIVE, QUESTION, RELATIVE
from calque.data.stems import StemMaker

_TENSES = (("mu", "tan", "zoru"), ("mi", "ten", "zeri"))
_PLURAL = ("ya", "ye")
_CLASSIFIERS = (
    "nib", "hig", "tum", "hob", "kol", "mel", "dur", "ked", "shog",
    "sut", "ved", "kim", "dur", "kol", "muz", "kol", "dur", "kim",
)  # fmt: skip
"""By kind of noun, in the order of `words.NOUNS`."""


def _front(stem: str) -> bool:
    """Whether the vowels of a stem are front ones, which its suffixes follow."""
    return "e" in stem or "i" in stem


class Oruka:
    """The words of Oruka and their order."""

    code = "oru"
    head_final = True
    decimal, thousands = ".", "'"
    melted_article: tuple[str, ...] = ()
    copula: tuple[str, ...] = ("dese", *_TENSES[1], _PLURAL[1], "deseri")
    particles: tuple[str, ...] = ("zul", "pong", "gelik", "kurz")
    function_words: dict[str, tuple[str, ...]] = {  # noqa: RUF012
        "the": ("",), "a": ("hin",), "this": ("kenu",), "that": ("zanu",), "my": ("wa sa",),
        "your": ("nu sa",), "his": ("ze sa",), "our": ("mor sa",), "their": ("zar sa",),
        "some": ("nuro",), "any": ("chuba",), "many": ("ozu",), "all": ("moga",),
        "every": ("delki",), "few": ("shuno",), "two": ("bu",), "three": ("meg",),
        "four": ("yaru",),
        "five": ("pag",), "six": ("ruz",), "ten": ("jor",), "twelve": ("jorbu",),
        "twenty": ("bujor",), "hundred": ("pelg",),
        "I": ("wa", "wa"), "you": ("nu", "nu"), "he": ("ze", "ze"), "she": ("zei", "zei"),
        "we": ("mor", "mor"), "they": ("zar", "zar"), "subject": ("wen", "gi"),
        "object": ("ro", ""),
        "of": ("sa",), "in": ("li",), "on": ("sa uvo li",), "to": ("li",), "with": ("tomul",),
        "with tool": ("dag",), "for": ("sa temgi",), "for time": ("kolu",), "through": ("dag",),
        "by": ("dag",), "from": ("volu",), "near": ("sa shupa li",), "behind": ("sa aguzo li",),
        "under": ("sa shemi li",), "without": ("neshki",), "during": ("sa aldu",),
        "about": ("chemi",),
        "in front of": ("sa meyil li",), "because of": ("sa zegi dag",), "against": ("tagol",),
        "on day": ("li",), "at": ("li",), "between": ("sa aldu",), "since": ("volu",),
        "because": ("sudek",), "when": ("tuvok",), "if": ("rebil",), "although": ("kestim",),
        "before": ("meyil",), "after": ("aguzo",), "while": ("nugaz",), "so that": ("yonzu",),
        "and": ("shem",), "but": ("gadul",), "or": ("ko",), "that clause": ("tovu",),
        "to do": ("kozur",),
        "who": ("",), "not": ("nak", "nek"), "Mr.": ("zanol",), "Mrs.": ("zanil",),
        "yesterday": ("kunar",), "today": ("kyor",), "tomorrow": ("ashum",), "now": ("imek",),
        "last year": ("suk nezim",), "next week": ("rogu shom",), "long ago": ("mukazo",),
        "every day": ("delki hib",), "soon": ("sugro",), "this morning": ("kezil",),
        "last night": ("kunar yolt",), "one day": ("hin hib",), "nowadays": ("sekil gorz",),
        "in the end": ("owul li",), "next month": ("rogu gezil",), "later": ("aguzo dag",),
        "year": ("nezim li",), "what": ("nemi ro",), "who?": ("delim gi",), "where": ("dozul li",),
        "why": ("nazgo",), "how": ("donul yom",), "there is": ("arul",), "more than": ("izhul",),
        "yes": ("ung",), "no": ("iyek",), "thanks": ("domul",), "please": ("dozra",),
        "good morning": ("oharu",), "good night": ("yasul",), "really?": ("hontul",),
        "cost": ("kagor",), "euro": ("yuro",), "dollar": ("dolro",),
        "people": ("nib",), "have": ("motul",), "very": ("totun",), "too": ("segi",),
        "kilo": ("kilo",), "metre": ("metro",), "about n": ("yakro",),
    }  # fmt: skip

    def __init__(self) -> None:
        onsets = "k s t n h m r z g b y d p sh ch"
        self._maker = StemMaker("oruka", onsets, "n r", ("aou", "ei"), "k s t r m b g sh")

    def stem(self, rank: int) -> str:
        """A stem with vowels of one harmony."""
        return self._maker.stem(rank)

    def noun(self, stem: str, feminine: bool) -> tuple[str, str]:
        """The plural suffix follows the vowels."""
        singular = stem + ("i" if _front(stem) else "a")
        return singular, singular + ("tem" if _front(stem) else "tam")

    def adjective(self, stem: str) -> tuple[str, ...]:
        """The form before a noun, then the forms of a verb."""
        return (stem + ("ki" if _front(stem) else "ku"), *self.verb(stem))

    def adverb(self, stem: str) -> str:
        """The adverb in -ni or -nu."""
        return stem + ("ini" if _front(stem) else "anu")

    def verb(self, stem: str) -> tuple[str, ...]:
        """The stem, three tenses, the plural suffix, the infinitive."""
        front = _front(stem)
        linked = stem + ("e" if front else "o")
        return (linked, *_TENSES[front], _PLURAL[front], linked + ("ri" if front else "ru"))

    def composed(self, head: tuple[str, str], modifier: tuple[str, str]) -> tuple[str, str]:
        """Modifier, `sa`, head."""
        return f"{modifier[0]} sa {head[0]}", f"{modifier[0]} sa {head[1]}"

    def compound(self, modifier: Noun, head: Noun) -> tuple[str, str]:
        """Two stems joined."""
        return modifier.stem + head.source[0], modifier.stem + head.source[1]

    def idiom_object(self, noun: Noun) -> str:
        """Noun and object particle."""
        return f"{noun.source[0]} ro"

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
        """Relative clause, modifier, determiner, adjectives, noun, particle."""
        definite, indefinite = role.source
        kind = determiner.role
        if kind == A:
            particle = indefinite
            word = determiner.source[0] if definite == indefinite else ""
        else:
            particle = definite
            word = determiner.source[0]
            if kind == NUMERAL:
                word += _CLASSIFIERS[noun.kind]
        parts = [relative, modifier, word]
        parts += [adjective.source[0] for adjective in adjectives]
        parts += (noun.source[plural], particle)
        return " ".join([part for part in parts if part])

    def bare_phrase(self, role: Adposition, text: str) -> str:
        """Name and postposition."""
        return f"{text} {role.source[0]}" if role.source[0] else text

    def titled(self, title: str, name: str) -> str:
        """Title and name in order."""
        return f"{name} {title}"

    def pronoun(self, role: Adposition, pronoun: Pronoun, is_subject: bool) -> str:
        """Pronoun and postposition."""
        return self.bare_phrase(role, pronoun.source[0])

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
        """Time, subject, adjuncts, particle, object, manner, verb."""
        forms = verb.source
        if mood == INFINITIVE:
            last = forms[5]
        else:
            plural = forms[4] if agreement > 2 else ""
            denied = negation.source[forms[1].startswith("mi")] if negation else ""
            last = f"{forms[0]}{denied}{forms[1 + tense]}{plural}"
            if mood == QUESTION:
                last += " miko"
            elif mood == RELATIVE:
                last += "n"
        parts = [when, subject, often, *reversed(adjuncts), verb.particle, object or clitic]
        parts += [verb.tail, manner, last]
        return " ".join([part for part in parts if part])

    def predicate(
        self, copula: Verb, adjective: Adjective, agreement: int, feminine: bool
    ) -> tuple[Verb, str]:
        """The adjective itself is the verb."""
        return copula._replace(source=adjective.source[1:]), ""

    def embed(self, conjunction: Word, clause: str) -> str:
        """The conjunction follows."""
        return f"{clause} {conjunction.source[0]}"

    def ask(self, word: str, clause: str) -> str:
        """The question word stays before the verb, wherever that is; here it follows the topic."""
        first, wen, rest = clause.partition(" wen ")
        return f"{first} wen {word} {rest}" if wen else f"{word} {clause}"
