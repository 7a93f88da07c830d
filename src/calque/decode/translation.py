from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from calque import _core
from calque.blocks import BlockTable
from calque.decode.constraints import Required
from calque.decode.split import Piece
from calque.decode.step_tree import StepTree, is_gap
from calque.text import Prepared, Preprocessor, Vocabulary

ORIENTATIONS = ("monotone", "swap", "discontinuous")


@dataclass(frozen=True)
class BlockUse:
    """One block of a translation, or a rule: a block with gaps that others fill."""

    source: str
    """Its words; `[1]` and `[2]` are the gaps of a rule."""
    target: str
    begin: int
    """First source word, counted from 0; what fills the gaps of a rule lies in its span."""
    end: int
    """One beyond the last source word."""
    orientation: str
    """Where it stands towards the block before: monotone, swap or discontinuous; empty for rules,
    whose gaps say what stands where."""
    known: bool
    """False where the source word was copied because no block has it; a term is known."""
    target_begin: int = 0
    """First target word, counted from 0; what fills the gaps of a rule lies in this span, too."""
    target_end: int = 0
    """One beyond the last target word."""
    depth: int = 0
    """How many gaps of other rules it lies in."""


@dataclass(frozen=True)
class Translation:
    """A translation and how it came about."""

    text: str
    """The translation as the user reads it."""
    words: tuple[str, ...]
    """The words as the decoder made them, before case, numbers and spacing were restored."""
    score: float
    """The model's score. For a sentence that was cut into pieces it is the sum over these: the
    language model and the reordering begin anew in each."""
    features: Mapping[str, float]
    """Dense features: values by name. With the sparse ones, times the model's weights, they add up
    to `score`."""
    blocks: tuple[BlockUse, ...]
    """The blocks that it was made of, in the order of the translation."""
    links: tuple[tuple[int, int], ...]
    """Word alignment: pairs of a source and a target position."""
    sparse: Mapping[int, float] = field(default_factory=dict)
    """Sparse features: values by key, where `Translator.n_best` was asked for them."""
    source_words: tuple[str, ...] = ()
    """The sentence as the decoder saw it: spans of blocks and links count these words."""
    given_words: tuple[str, ...] = ()
    """The sentence before known words stood for others; empty where none did."""
    places: tuple[int, ...] = ()
    """Of each source word in `given_words`; empty where all words are as given."""
    word_confidences: tuple[float, ...] = ()
    """For every word the probability that it is right, where `Translator.n_best` was asked."""
    expected_bleu: float | None = None
    """How much of its list agrees with it, from 0 to 1, where `Consensus` chose it."""

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Translation {self.text!r}: score {self.score:.4f}, {len(self.blocks)} blocks>"

    @property
    def unknown(self) -> tuple[str, ...]:
        """The source words that were copied because the model does not know them, in order."""
        copied = sorted((use.begin, use.source) for use in self.blocks if not use.known)
        return tuple(word for _, word in copied)

    @property
    def confidence(self) -> float | None:
        """The mean confidence of the words: the share of them that is expected to be right."""
        confidences = self.word_confidences
        return sum(confidences) / len(confidences) if confidences else None

    @property
    def substituted(self) -> dict[str, str]:
        """Words that the model has never seen, and the known words that stood for each."""
        known: dict[int, list[str]] = {}
        for word, place in zip(self.source_words, self.places, strict=False):  # places may lack
            known.setdefault(place, []).append(word)
        return {
            self.given_words[place]: " ".join(words)
            for place, words in known.items()
            if words != [self.given_words[place]]
        }

    def alignment(self) -> str:
        """The links in the Pharaoh format: positions in the given sentence and in the target."""
        links = {(self.places[i] if self.places else i, j) for i, j in self.links}
        return " ".join(f"{i}-{j}" for i, j in sorted(links))

    def to_json(self) -> dict[str, Any]:
        """Everything but sparse features as plain values; spans are half-open."""
        agreement = {} if self.expected_bleu is None else {"expected_bleu": self.expected_bleu}
        return {
            "text": self.text,
            "score": self.score,
            "confidence": self.confidence,
            "word_confidences": list(self.word_confidences),
            **agreement,
            "source_words": list(self.source_words),
            "words": list(self.words),
            "blocks": list(self._plain_blocks()),
            "links": [list(link) for link in sorted(self.links)],
            "unknown": list(self.unknown),
            "substituted": self.substituted,
            "features": dict(self.features),
        }

    def _plain_blocks(self) -> Iterator[dict[str, Any]]:
        for use in self.blocks:
            yield {
                "source_span": [use.begin, use.end],
                "target_span": [use.target_begin, use.target_end],
                "source": use.source,
                "target": use.target,
                "orientation": use.orientation,
                "known": use.known,
                "depth": use.depth,
            }


def read_off(
    parts: Iterable[tuple[Piece, _core.Derivation]],
    prepared: Prepared,
    blocks: BlockTable,
    vocabulary: Vocabulary,
    preprocessor: Preprocessor,
    names: Sequence[str],
) -> Translation:
    """The translation that derivations of all pieces of a prepared sentence give.

    `names` are those of the dense features.
    """
    words: list[str] = []
    uses: list[BlockUse] = []
    links: list[tuple[int, int]] = []
    kept: list[int] = []
    origins: list[int] = []
    score = 0.0
    features = dict.fromkeys(names, 0.0)
    for piece, derivation in parts:
        required = {constraint.begin: constraint for constraint in piece.required}
        tree = StepTree(derivation)
        first_target = len(words)
        words += [""] * tree.n_words
        origins += [-1] * tree.n_words
        for at, step in enumerate(derivation.steps):
            own = tree.source_places(at)
            sources = [piece.begin + i for i in own]
            targets = [first_target + i for i in tree.target_places[at]]
            if step.required:
                wanted = required[step.begin]
                its_words = list(wanted.target)
                inner = _inner_links(wanted)
                kept += targets if wanted.is_copy else ()
            else:
                its_words = list(target_words(step, piece.words, vocabulary))
                inner = tree.inner_links(at, blocks)
            for place, word in zip(targets, its_words, strict=True):
                words[place] = word
            links += [(sources[i], targets[j]) for i, j in inner]
            source = [piece.words[i] for i in own]
            for place, origin in zip(targets, _copied(source, its_words, inner), strict=True):
                origins[place] = sources[origin] if origin >= 0 else -1
            known = step.required or step.block >= 0
            uses.append(block_use(tree, at, source, its_words, known, piece.begin, first_target))
        score += derivation.score
        for name, value in zip(names, derivation.features, strict=True):
            features[name] += value
    return Translation(
        preprocessor.restore(words, prepared, links, kept, origins),
        tuple(words),
        score,
        features,
        tuple(uses),
        tuple(links),
        source_words=prepared.words,
        given_words=prepared.given,
        places=prepared.places,
    )


def block_use(
    tree: StepTree,
    at: int,
    source: Sequence[str],
    target: Sequence[str],
    known: bool,
    first_source: int = 0,
    first_target: int = 0,
) -> BlockUse:
    """A step of a derivation, read off: `source` and `target` are its own words, without gaps.

    `first_source` and `first_target` say how many words stand before the derivation.
    """
    step = tree.steps[at]
    begin, end = tree.target_span(at)
    return BlockUse(
        " ".join(tree.with_gaps(tree.source_gaps(at), source)),
        " ".join(tree.with_gaps(tree.target_gaps(at), target)),
        first_source + step.begin,
        first_source + step.end,
        ORIENTATIONS[step.orientation] if step.orientation >= 0 else "",
        known,
        first_target + begin,
        first_target + end,
        tree.depths[at],
    )


def target_words(
    step: _core.Step, source: Sequence[str], vocabulary: Vocabulary
) -> tuple[str, ...]:
    """The target words of one block, gaps left out; what has no id is a copy of a source word."""
    return tuple(
        vocabulary.word(word) if word >= 0 else source[-1 - word]
        for word in step.target
        if not is_gap(step, word)
    )


def _copied(
    source: Sequence[str], target: Sequence[str], links: Iterable[tuple[int, int]]
) -> list[int]:
    """For every target word the place of the same source word that it is linked to, or -1.

    A block that is the same on both sides is a copy, however its words were linked.
    """
    if list(source) == list(target):
        return list(range(len(source)))
    places = [-1] * len(target)
    for i, j in links:
        if places[j] < 0 and source[i] == target[j]:
            places[j] = i
    return places


def _inner_links(required: Required) -> list[tuple[int, int]]:
    """A copy is linked word by word; of a term everything is linked to everything."""
    sources, targets = range(required.end - required.begin), range(len(required.target))
    if required.is_copy:
        return list(zip(sources, targets, strict=True))
    return [(source, target) for source in sources for target in targets]
