"""Decisions after the search: the candidate that agrees most with all that were found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.config import ConsensusOptions, DecodeOptions, TextOptions, fill
from calque.config.signature import takes_options
from calque.decode.confidence import Evidence
from calque.decode.constraints import Terminology
from calque.decode.one_best import OneBest, Terms
from calque.decode.prepared import BATCH, PreparedSentence
from calque.decode.source import own_texts
from calque.decode.translation import Translation
from calque.decode.translator import Translator
from calque.errors import OptionError, refuse_text
from calque.parallel import n_workers

DIGITS = 12
"""Of expected BLEU that count: what sums in another order could change decides nothing, and of
equal candidates the first is taken."""
Found: TypeAlias = tuple[PreparedSentence, list[list[_core.Derivation]]]
"""A sentence and the ways that one system found to derive its pieces, best first."""


class Consensus(OneBest):
    """Translates with one or several systems by minimum Bayes risk (Kumar & Byrne 2004).

    Of all candidates in the n-best lists of the systems, the translation is the one whose expected
    sentence BLEU (BLEU+1) is highest where one of them is the reference. A candidate is the
    reference with the probability that the systems give it: in the list of one system in proportion
    to exp(scale * score), in the mean over the systems weighted by their shares. Candidates of
    equal words are one. Models of several systems must have been trained on text that was prepared
    alike.
    """

    def __init__(
        self,
        systems: Translator | Sequence[Translator],
        shares: Sequence[float] | None = None,
        options: ConsensusOptions | None = None,
    ) -> None:
        """Take translators and how much each counts, in any unit; equally by default."""
        self.systems = (systems,) if isinstance(systems, Translator) else tuple(systems)
        if not self.systems:
            raise OptionError("a consensus has no systems: expected at least one")
        self.shares = shares_of(len(self.systems), shares)
        self.options = options or ConsensusOptions()
        prepared = [_target_text(system) for system in self.systems]
        for number, other in enumerate(prepared[1:], 2):
            if other != prepared[0]:
                raise OptionError(
                    f"systems 1 and {number} prepare text differently: their words cannot be"
                    " compared; expected models with equal options of text"
                )

    def __repr__(self) -> str:
        return f"<Consensus of {len(self.systems)} systems, {self.options}>"

    @takes_options(DecodeOptions, meanings=False)
    def n_best(
        self,
        sentences: Iterable[str],
        n: int,
        *,
        with_sparse: bool = False,
        with_confidence: bool = False,
        terminology: Terms | None = None,
        pass_through: str | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> Iterator[list[Translation]]:
        """Up to `n` candidates of every sentence by expected BLEU, highest first.

        Score, features and blocks of each are those of the first system that found it, and so are
        the confidences of the words of the best one. The lists of the systems have at least `n`
        candidates.
        """
        refuse_text("sentences", sentences, "a list of sentences, or any iterable of them")
        return self.n_best_of_groups(
            [sentences],
            n,
            with_sparse=with_sparse,
            with_confidence=with_confidence,
            terminology=terminology,
            pass_through=pass_through,
            threads=threads,
            **options,
        )

    def n_best_of_groups(
        self,
        groups: Iterable[Iterable[str]],
        n: int,
        *,
        with_sparse: bool = False,
        with_confidence: bool = False,
        terminology: Terms | None = None,
        pass_through: str | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> Iterator[list[Translation]]:
        """The same as `n_best`, for sentences that come in groups: a stream.

        All translations of a group are given before the next group is asked for.
        """
        if n < 1:
            raise OptionError(f"n={n}: expected at least 1 translation per sentence")
        for system in self.systems:  # what is wrong with the options is said now
            fill(system.options, options, "translate")
        terms = [_terms_of(system, terminology) for system in self.systems]

        def found(batch: list[str]) -> list[list[Found]]:
            return [
                list(
                    system.ways_of_groups(
                        [batch],
                        max(n, self.options.length),
                        terminology=its,
                        pass_through=pass_through,
                        threads=threads,
                        **options,
                    )
                )
                for system, its in zip(self.systems, terms, strict=True)
            ]

        return (
            self._read_off(of_systems, chosen, with_sparse, with_confidence)
            for batch in _batches(groups)
            for of_systems, chosen in self._decide(found(batch), n, n_workers(threads))
        )

    def _decide(
        self, found: Sequence[Sequence[Found]], n: int, threads: int
    ) -> Iterator[tuple[Sequence[Found], list[_Choice]]]:
        """The `n` best candidates of every sentence, of which every system found some."""
        sentences = list(zip(*found, strict=True))
        lists = [self._merged(of_systems) for of_systems in sentences]
        words = [candidate for merged in lists for candidate in merged.words]
        offsets = np.cumsum([0, *(len(merged.words) for merged in lists)])
        expected = _core.expected_bleu(
            np.concatenate([np.empty(0, np.int32), *words]),
            np.cumsum([0, *map(len, words)]),
            offsets,
            np.array([probability for merged in lists for probability in merged.probabilities]),
            threads=threads,
        )
        bounds = pairwise(offsets.tolist())
        for of_systems, merged, (begin, end) in zip(sentences, lists, bounds, strict=True):
            worths = expected[begin:end]
            best = np.argsort(-np.round(worths, DIGITS), kind="stable")[:n].tolist()
            yield of_systems, [_Choice(merged.origins[at], float(worths[at])) for at in best]

    def _merged(self, of_systems: Sequence[Found]) -> _MergedList:
        """The candidates of all systems for one sentence."""
        merged = _MergedList()
        numbers: dict[str, int] = {}
        for number, (sentence, ways) in enumerate(of_systems):
            scores = np.array([sum(derivation.score for derivation in way) for way in ways])
            probabilities = self.shares[number] * posterior(scores, self.options.scale)
            words = _words_of(self.systems[number], sentence, ways, numbers)
            for at, probability in enumerate(probabilities.tolist()):
                merged.add(words[at], probability, (number, at))
        return merged

    def _read_off(
        self,
        of_systems: Sequence[Found],
        choices: Sequence[_Choice],
        with_sparse: bool,
        with_confidence: bool,
    ) -> list[Translation]:
        translations = []
        for (system, at), expected_bleu in choices:
            sentence, ways = of_systems[system]
            [translation] = self.systems[system].read_off(
                sentence, [ways[at]], distinct=False, with_sparse=with_sparse
            )
            translations.append(replace(translation, expected_bleu=expected_bleu))
        if with_confidence:
            system, at = choices[0].origin
            sentence, ways = of_systems[system]
            evidence = Evidence.of(sentence, [ways[at], *ways[:at], *ways[at + 1 :]])
            translations = self.systems[system].confident(translations, evidence)
        return translations


class _Choice(NamedTuple):
    """A candidate and what it is worth."""

    origin: tuple[int, int]
    """The system that found it first, and its place in that system's list."""
    expected_bleu: float


def posterior(scores: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """The probabilities of the candidates of one list: in proportion to exp(scale * score)."""
    scaled = scale * scores
    powers = np.exp(scaled - scaled.max())
    return np.asarray(powers / powers.sum())


def shares_of(n_systems: int, given: Sequence[float] | None) -> NDArray[np.float64]:
    """The shares of systems, which sum to 1; raises `OptionError` where they cannot."""
    if given is None:
        return np.full(n_systems, 1.0 / n_systems)
    shares = np.array(given, np.float64)
    if len(shares) != n_systems:
        raise OptionError(f"{len(shares)} shares for {n_systems} systems: expected one for each")
    if not np.isfinite(shares).all() or (shares < 0).any() or not shares.any():
        listed = ", ".join(f"{share:g}" for share in shares)
        raise OptionError(f"shares {listed}: expected numbers of at least 0, not all of them 0")
    return np.asarray(shares / shares.sum())


@dataclass
class _MergedList:
    """The candidates of several lists for one sentence, equal words once."""

    words: list[NDArray[np.int32]] = field(default_factory=list)
    probabilities: list[float] = field(default_factory=list)
    origins: list[tuple[int, int]] = field(default_factory=list)
    """Of every candidate the system that found it first, and its place in that system's list."""
    places: dict[bytes, int] = field(default_factory=dict)

    def add(self, words: NDArray[np.int32], probability: float, origin: tuple[int, int]) -> None:
        """Add a candidate, or its probability where its words are there."""
        at = self.places.setdefault(words.tobytes(), len(self.words))
        if at < len(self.words):
            self.probabilities[at] += probability
            return
        self.words.append(words)
        self.probabilities.append(probability)
        self.origins.append(origin)


def _words_of(
    system: Translator,
    sentence: PreparedSentence,
    ways: Sequence[Sequence[_core.Derivation]],
    numbers: dict[str, int],
) -> list[NDArray[np.int32]]:
    """The words of every candidate as `numbers` has them, to which new ones are added."""
    vocabulary = system.model.target_vocabulary
    of_pieces = []
    for at, piece in enumerate(sentence.pieces):
        offsets, ids = _core.target_words([way[at] for way in ways])
        texts = own_texts(piece.words, piece.required, vocabulary)
        distinct, which = np.unique(ids, return_inverse=True)
        words = [vocabulary.word(id) if id >= 0 else texts[-1 - id] for id in distinct.tolist()]
        numbered = np.array([numbers.setdefault(word, len(numbers)) for word in words], np.int32)
        renumbered = numbered[which]
        of_pieces.append([renumbered[a:b] for a, b in pairwise(offsets.tolist())])
    if len(of_pieces) == 1:
        return of_pieces[0]
    return [np.concatenate(parts) for parts in zip(*of_pieces, strict=True)]


def _batches(groups: Iterable[Iterable[str]]) -> Iterator[list[str]]:
    """The sentences of all groups, some at a time; none waits for the next group."""
    for group in groups:
        rest = iter(group)
        while batch := list(islice(rest, BATCH)):
            yield batch


def _terms_of(system: Translator, terms: Terms | None) -> Terminology | None:
    if terms is None or isinstance(terms, Terminology):
        return terms
    return system.terminology(terms)


def _target_text(system: Translator) -> TextOptions:
    """How the target side of a system's text was prepared; the source side does not matter."""
    return replace(system.model.preprocessor.options, source_language="")
