"""What may stand for a word that was never seen, and what is known of each candidate."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from calque.unseen.known_words import KnownWords

FORM, VARIANT, SPLIT, COPY = KINDS = ("form", "variant", "split", "copy")
N_FACTS = {FORM: 6, VARIANT: 6, SPLIT: 9, COPY: 6}
"""How many numbers describe a candidate of a kind."""
PRIOR = 2.0
"""Cases that the mean over all stands for, beside those of an ending or a filler itself."""
LEAST, MOST = 0.001, 0.99
Agreement = Callable[[tuple[str, ...]], float]
"""How far the translations of some known words are those of the word that is looked at."""


class Candidate(NamedTuple):
    """Known words in place of another one; no words: a copy of it."""

    kind: str
    words: tuple[str, ...]
    facts: tuple[float, ...]
    """What the agreement of its translations is told from."""


@dataclass
class Rates:
    """Mean agreement by a name: of two endings, or of a filler."""

    sums: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    mean: float = 0.5
    """Over all names."""

    def add(self, name: str, value: float) -> None:
        """Count one case."""
        self.sums[name] = self.sums.get(name, 0.0) + value
        self.counts[name] = self.counts.get(name, 0) + 1

    def finish(self, most: int) -> Rates:
        """The rates with their mean, of the most frequent names; a single case tells nothing."""
        n = sum(self.counts.values())
        often = [name for name, count in self.counts.items() if count > 1]
        often.sort(key=lambda name: (-self.counts[name], name))
        return Rates(
            {name: self.sums[name] for name in often[:most]},
            {name: self.counts[name] for name in often[:most]},
            sum(self.sums.values()) / n if n else self.mean,
        )

    def log_odds(self, name: str, own: float | None) -> tuple[float, int]:
        """Of agreement, and the number of cases; a case of `own` agreement is left out."""
        total, n = self.sums.get(name, 0.0), self.counts.get(name, 0)
        if own is not None and n:
            total, n = total - own, n - 1
        rate = min(max((total + PRIOR * self.mean) / (n + PRIOR), LEAST), MOST)
        return math.log(rate / (1 - rate)), n


@dataclass(frozen=True)
class Evidence:
    """How often words of different endings, or parts around a filler, meant the same."""

    endings: Rates = field(default_factory=Rates)
    fillers: Rates = field(default_factory=Rates)


def endings(ending: str, known_ending: str) -> str:
    """The name of a pair of endings; no word has a space."""
    return f"{ending} {known_ending}"


def candidates(
    word: str,
    known: KnownWords,
    evidence: Evidence,
    target_words: Container[str],
    agreement: Agreement | None = None,
) -> Iterator[Candidate]:
    """Everything that may stand for a word.

    With `agreement` the word itself is among those that the evidence was taken from, and its own
    share is left out.
    """

    def own(words: tuple[str, ...]) -> float | None:
        return None if agreement is None else agreement(words)

    n = len(word)
    forms = set()
    for form in known.forms(word):
        forms.add(form.word)
        name = endings(form.ending, form.known_ending)
        odds, n_cases = evidence.endings.log_odds(name, own((form.word,)))
        yield Candidate(
            FORM,
            (form.word,),
            (
                1.0,
                odds,
                math.log1p(n_cases),
                form.stem / max(n, len(form.word)),
                math.log(form.stem),
                math.log1p(known.count(form.word)),
            ),
        )
    has_digit = any(letter.isdigit() for letter in word)
    for variant in known.variants(word):
        if variant not in forms:
            facts = (
                1.0,
                math.log(n),
                float(variant.lower() == word.lower()),
                float(has_digit),
                float(variant[0] == word[0]),
                math.log1p(known.count(variant)),
            )
            yield Candidate(VARIANT, (variant,), facts)
    for parts, filler in known.splits(word):
        shortest = min(map(len, parts))
        odds = 0.0
        if filler:
            odds, _ = evidence.fillers.log_odds(filler, own(parts))
        counts = sorted(known.count(part) for part in parts)
        yield Candidate(
            SPLIT,
            parts,
            (
                1.0,
                float(len(parts) > 2),
                math.log(shortest),
                float(shortest == 1),
                float(bool(filler)),
                odds,
                math.log1p(counts[0]),
                math.log1p(counts[-1]),
                math.log(n),
            ),
        )
    yield Candidate(
        COPY,
        (),
        (
            1.0,
            float(word[0] != word[0].lower()),
            float(has_digit),
            float(word.isascii()),
            float(word in target_words),
            math.log(n),
        ),
    )


def expected_agreement(
    candidate: Candidate, coefficients: Mapping[str, tuple[float, ...]]
) -> float:
    """The share of the translation, from 0 to 1, that the candidate is expected to have right."""
    if candidate.kind not in coefficients:
        return 0.0
    pairs = zip(coefficients[candidate.kind], candidate.facts, strict=True)
    return 1 / (1 + math.exp(-min(max(sum(a * b for a, b in pairs), -30.0), 30.0)))
