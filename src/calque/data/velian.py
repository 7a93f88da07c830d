"""Velian, an invented Romance-like language: close to English in order, rich in agreement.

Adjectives follow their noun (a few lead) and agree with it, as articles do, in gender and number;
object pronouns climb before the verb; negation embraces the verb (`ne ... pak`); questions put
the verb first; some verbs have a particle at the far end of the clause.
"""

from __future__ import annotations

from collections.abc import Sequence

from calque.data.entries import (
    Adjective,
    Adposition,
    Determiner,
    Noun,
    Pronoun,
    Verb,
    Word,
)
from calque.data.language import INFINITIVE, QUESTION
from calque.data.stems import StemMaker

_PERSONS = 5
_ENDINGS = (("", "s", "", "mos", "n"), ("bo", "bas", "ba", "bamos", "ban"),
("ro", "ras", "ra", "ramos", "ran"))  # fmt: skip


def _four(stem: str) -> tuple[str, ...]:
    """Masculine and feminine, singular and plural, of a regular determiner."""
    return stem + "o", stem + "a", stem + "os", stem + "as"


class Velian:
    """The words of Velian and their order."""

    code = "vel"
    head_final = False
    decimal, thousands = ",", "."
    melted_article: tuple[str, ...] = ("l", "", "ls", "")
    copula: tuple[str, ...] = (
        "so", "ses", "e", "semos", "sen", "ero", "eras", "era", "eramos", "eran",
        "sero", "seras", "sera", "seramos", "seran", "ser",
    )  # fmt: skip
    particles: tuple[str, ...] = ("su", "fora", "entro", "via")
    function_words: dict[str, tuple[str, ...]] = {  # noqa: RUF012
        "the": ("lo", "la", "los", "las"), "a": ("un", "una", "uns", "unas"),
        "this": _four("kest"), "that": _four("kel"), "my": _four("mi"), "your": _four("ti"),
        "his": _four("su"), "our": _four("nostr"), "their": ("lor", "lor", "lors", "lors"),
        "some": _four("alkun"), "any": ("poko de",) * 4, "many": _four("mult"),
        "all": ("toto lo", "tota la", "totos los", "totas las"), "every": ("kada",) * 4,
        "few": _four("par"), "two": ("do",) * 4, "three": ("tre",) * 4, "four": ("kuar",) * 4,
        "five": ("sin",) * 4, "six": ("ses",) * 4, "ten": ("dek",) * 4, "twelve": ("dudek",) * 4,
        "twenty": ("vin",) * 4, "hundred": ("sent",) * 4,
        "I": ("jo", "me"), "you": ("tu", "te"), "he": ("el", "lu"), "she": ("ela", "le"),
        "we": ("nos", "nos"), "they": ("eli", "li"),
        "of": ("de",), "in": ("ne",), "on": ("sur",), "to": ("a",), "with": ("kon",),
        "with tool": ("kon",), "for": ("per",), "for time": ("per",), "through": ("per",),
        "by": ("per",), "from": ("da",), "near": ("serka de",), "behind": ("tras",),
        "under": ("sota",), "without": ("sin de",), "during": ("ne",), "about": ("sur",),
        "in front of": ("davan",), "because of": ("a kausa de",), "against": ("kontra",),
        "on day": ("ne",), "at": ("da",), "between": ("tra",), "since": ("da",),
        "because": ("parke",), "when": ("kan",), "if": ("se",), "although": ("ben ke",),
        "before": ("ante ke",), "after": ("pos ke",), "while": ("mentre",), "so that": ("fin ke",),
        "and": ("e",), "but": ("mas",), "or": ("o",), "that clause": ("ke",), "to do": ("de",),
        "who": ("ke",), "not": ("ne", "pak"), "Mr.": ("sior",), "Mrs.": ("siora",),
        "yesterday": ("ier",), "today": ("oji",), "tomorrow": ("manan",), "now": ("ara",),
        "last year": ("l' an pasat",), "next week": ("la semana ke ven",),
        "long ago": ("fa tempo",),
        "every day": ("kada jor",), "soon": ("tosto",), "this morning": ("sta matin",),
        "last night": ("ier note",), "one day": ("un jor",), "nowadays": ("al jor de oji",),
        "in the end": ("a la fin",), "next month": ("lo mes ke ven",), "later": ("pu tarde",),
        "year": ("ne l' an",), "what": ("ke kosa",), "who?": ("ki",), "where": ("donde",),
        "why": ("per ke",), "how": ("koma",), "there is": ("se trova",), "more than": ("pu ke",),
        "yes": ("si",), "no": ("non",), "thanks": ("grasas",), "please": ("si te plasa",),
        "good morning": ("bon matin",), "good night": ("bona note",), "really?": ("de vero",),
        "cost": ("kosta",), "euro": ("euros",), "dollar": ("talers",),
        "people": ("abitantes",), "have": ("ten",), "very": ("multo",), "too": ("tropo",),
        "kilo": ("kilos",), "metre": ("metros",), "about n": ("sirka",),
    }  # fmt: skip

    def __init__(self) -> None:
        onsets = "b k d f g l m n p r s t v br tr pl kr st fl gr pr"
        self._maker = StemMaker("velian", onsets, "n r l s", ("aeiou",),
        "b d f g k l m n p r s t v nt rt nd st rm")  # fmt: skip

    def stem(self, rank: int) -> str:
        """A stem that ends in a consonant."""
        return self._maker.stem(rank)

    def noun(self, stem: str, feminine: bool) -> tuple[str, str]:
        """Most end in -o or -a; those on -nt, -st and -rm in -e, which hides the gender."""
        ending = "e" if stem.endswith(("nt", "st", "rm")) else "a" if feminine else "o"
        return stem + ending, stem + ending + "s"

    def adjective(self, stem: str) -> tuple[str, ...]:
        """Masculine, feminine, and their plurals; on -nt, -st and -rm only the number shows."""
        if stem.endswith(("nt", "st", "rm")):
            return stem + "e", stem + "e", stem + "es", stem + "es"
        return _four(stem)

    def adverb(self, stem: str) -> str:
        """The adverb in -amen."""
        return stem + "amen"

    def verb(self, stem: str) -> tuple[str, ...]:
        """Five persons of three tenses, then the infinitive."""
        vowel = "aei"[len(stem) % 3]
        forms = [stem + vowel + ending for tense in _ENDINGS for ending in tense]
        forms[0] = stem + "o"
        return (*forms, stem + vowel + "r")

    def composed(self, head: tuple[str, str], modifier: tuple[str, str]) -> tuple[str, str]:
        """Head, `de`, modifier."""
        return f"{head[0]} de {modifier[0]}", f"{head[1]} de {modifier[0]}"

    def compound(self, modifier: Noun, head: Noun) -> tuple[str, str]:
        """Stem of the modifier, the vowel i, the head."""
        start = modifier.stem + "i"
        return start + head.source[0], start + head.source[1]

    def idiom_object(self, noun: Noun) -> str:
        """Article and noun."""
        return f"{'la' if noun.feminine else 'lo'} {noun.source[0]}"

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
        """Preposition, determiner, leading adjective, noun, adjectives, modifiers."""
        agreement = noun.feminine + 2 * plural
        preposition = role.source[0]
        if preposition and role.melts and determiner.short and determiner.short[agreement]:
            text = preposition + determiner.short[agreement]
        elif preposition:
            text = f"{preposition} {determiner.source[agreement]}"
        else:
            text = determiner.source[agreement]
        name = noun.source[plural]
        for adjective in adjectives:
            form = adjective.source[agreement]
            name = f"{form} {name}" if adjective.leads else f"{name} {form}"
        text = f"{text} {name}"
        if modifier:
            text = f"{text} {modifier}"
        return f"{text} {relative}" if relative else text

    def bare_phrase(self, role: Adposition, text: str) -> str:
        """Preposition and name."""
        return f"{role.source[0]} {text}" if role.source[0] else text

    def titled(self, title: str, name: str) -> str:
        """Title and name in order."""
        return f"{title} {name}"

    def pronoun(self, role: Adposition, pronoun: Pronoun, is_subject: bool) -> str:
        """The subject form, or the form that stands before the verb and after prepositions."""
        return self.bare_phrase(role, pronoun.source[0 if is_subject else 1])

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
        """Subject, verb, object; in questions the verb comes before the subject."""
        core = verb.source[-1 if mood == INFINITIVE else tense * _PERSONS + agreement]
        if clitic:
            core = f"{clitic} {core}"
        if negation:
            core = f"{negation.source[0]} {core} {negation.source[1]}"
        if mood == QUESTION:
            core, subject = subject, core
        parts = [when, subject, core, often, manner, verb.tail, object, verb.particle, *adjuncts]
        return " ".join([part for part in parts if part])

    def predicate(
        self, copula: Verb, adjective: Adjective, agreement: int, feminine: bool
    ) -> tuple[Verb, str]:
        """The copula, and the adjective in agreement with the subject."""
        return copula, adjective.source[feminine + 2 * (agreement > 2)]

    def embed(self, conjunction: Word, clause: str) -> str:
        """The conjunction leads."""
        return f"{conjunction.source[0]} {clause}"

    def ask(self, word: str, clause: str) -> str:
        """The question word leads."""
        return f"{word} {clause}"
