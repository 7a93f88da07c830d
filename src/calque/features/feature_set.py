from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.blocks import BlockTable
from calque.blocks.gaps import FIRST_GAP, SECOND_GAP
from calque.config import DefaultWeights
from calque.errors import CalqueError, ModelError
from calque.features.classes import LEVEL_KINDS, WordClasses
from calque.features.dense import COMPONENTS, TRANSLATION, DenseData, chosen
from calque.features.naming import Namer
from calque.features.template import ORIENTATION_VALUES, Side, Template, key_of
from calque.features.weights import Weights
from calque.text import Vocabulary

BALANCED = (*TRANSLATION, "language_model")
"""A set with all of these begins with the weights that were searched for together."""
CONSTANT_Z = 0.5
"""What steps of the local model are divided by (Tillmann & Zhang 2005), in their scores the weight
-ln 0.5 of every block."""
OPPOSITE = {"word_penalty": "word_count", "block_penalty": "block_count"}


@dataclass(frozen=True, eq=False)
class WordData:
    """What templates see of words, and of pairs of blocks."""

    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    source_classes: WordClasses = field(default_factory=WordClasses)
    target_classes: WordClasses = field(default_factory=WordClasses)
    block_pairs: NDArray[np.int32] | None = None
    """Rows of blocks (previous, current) that listed templates fire for."""

    def has_levels(self, template: Template) -> bool:
        """Whether the words of both sides have all levels that a template looks at."""
        return template.levels("source") <= set(self.source_classes.levels) and template.levels(
            "target"
        ) <= set(self.target_classes.levels)


@dataclass(frozen=True, eq=False)
class FeatureSet:
    """What scores the derivations of a model: chosen by name, compiled for the core."""

    names: tuple[str, ...]
    """The dense features, in the order of every vector of them."""
    templates: Mapping[str, Template]
    """The sparse ones, by name; those at levels that the words lack are absent."""
    core: _core.FeatureSet
    words: WordData | None = None

    @classmethod
    def compile(
        cls,
        dense: str,
        data: DenseData,
        templates: Sequence[Template] = (),
        words: WordData | None = None,
    ) -> FeatureSet:
        """The dense set that an expression chooses (see `chosen`), templates, and their data."""
        core = _core.FeatureSet()
        data.add_to(core, chosen(dense))
        if data.local_model is not None:
            core.set_event_counts(data.local_model.counts)
        if words is None:
            if templates:
                raise ModelError("sparse features need the words of a model")
            return cls(tuple(core.names), {}, core)
        active = {template.name: template for template in templates if words.has_levels(template)}
        features = cls(tuple(core.names), active, core, words)
        features._add_templates()
        return features

    @classmethod
    def standard(cls, blocks: BlockTable) -> FeatureSet:
        """The set that needs nothing but blocks and a language model."""
        return cls.compile("standard", DenseData(blocks))

    def default_weights(self) -> Weights:
        """The weights of a model that has not been tuned.

        Those of the standard features were searched for together: they belong to sets that have its
        language model and all its translation scores. Anything else begins flat, which is far
        better than half of a balance; but for blocks beside the local model, which have their Z.
        """
        flat = {name: component.weight for name, component in COMPONENTS.items()}
        balanced = asdict(DefaultWeights()) if set(BALANCED) <= set(self.names) else {}
        weights = {**flat, **balanced}
        if "block_unigram" in self.names and not balanced:
            weights["block_count"] = -math.log(CONSTANT_Z)
        for penalty, count in OPPOSITE.items():
            weights[penalty] = -weights[count]
        return Weights({name: weights[name] for name in self.names})

    def only(self, names: Collection[str]) -> FeatureSet:
        """These templates alone, without dense features and pairs of blocks."""
        templates = {name: self.templates[name] for name in names}
        words = None if self.words is None else replace(self.words, block_pairs=None)
        features = FeatureSet((), templates, _core.FeatureSet(), words)
        features._add_templates()
        return features

    def key_of(self, name: str) -> int:
        """The key of a sparse feature; raises `CalqueError` where no active template gives it."""
        return key_of(name, self.templates)

    def of_templates(self, names: Collection[str], keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which of the keys are of features of these templates.

        Keys tell their template by 16 bits only: raises `CalqueError` where another active template
        shares them.
        """
        bits = {name: template.upper_bits for name, template in self.templates.items()}
        wanted = {bits[name] for name in names}
        for name, its in bits.items():
            if name not in names and its in wanted:
                raise CalqueError(f"keys do not tell the features of '{name}' from those asked for")
        return np.isin(keys >> np.uint64(48), np.array(sorted(wanted), np.uint64))

    def block_keys(
        self, template: Template, blocks: BlockTable, threads: int
    ) -> NDArray[np.uint64]:
        """The keys of a template of the block alone, for all blocks of the table."""
        assert self.words is not None
        if template.slots != ("block",):
            raise CalqueError(f"'{template.name}' is no template of the block alone")
        return _core.block_keys(template.key_name, blocks.core, *self._word_hashes, threads)

    def by_orientation(
        self, template: Template, blocks: BlockTable, threads: int
    ) -> dict[str, NDArray[np.uint64]]:
        """The keys of a template of blocks and their orientation, by that, for all blocks.

        Empty for any other template.
        """
        ways = ORIENTATION_VALUES.get(template.slots[-1], "")
        if template.slots[:-1] != ("block",) or not ways:
            return {}
        alone = Template(template.key_name, ("block",))
        of_blocks = self.block_keys(alone, blocks, threads)
        # An orientation changes bits of the key of its block, the same ones whatever the block.
        changed = {way: alone.key_of(["x", "x"]) ^ template.key_of(["x", "x", way]) for way in ways}
        return {way: of_blocks ^ np.uint64(bits) for way, bits in changed.items()}

    def pair_keys(self, template: Template, blocks: BlockTable, threads: int) -> NDArray[np.uint64]:
        """The keys of a template of two blocks in a row, for all listed pairs in their order."""
        assert self.words is not None
        assert self.words.block_pairs is not None
        if template.slots != ("previous.block", "block"):
            raise CalqueError(f"'{template.name}' is no template of two blocks in a row")
        return _core.block_pair_keys(
            template.key_name,
            blocks.core,
            *self._word_hashes,
            np.ascontiguousarray(self.words.block_pairs),
            threads,
        )

    @property
    def _word_hashes(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Of the texts of all words, source and target; of gaps: [1] and [2]."""
        words = self.words
        assert words is not None
        gaps = {FIRST_GAP: "[1]", SECOND_GAP: "[2]"}
        source, target = (
            [gaps.get(id, word) for id, word in enumerate(vocabulary)]
            for vocabulary in (words.source_vocabulary, words.target_vocabulary)
        )
        return (
            words.source_classes.hashes("word", source),
            words.target_classes.hashes("word", target),
        )

    def levels(self, side: Side) -> tuple[str, ...]:
        """The levels that the templates look at, the word itself first."""
        return self._levels[side]

    @cached_property
    def _levels(self) -> Mapping[Side, tuple[str, ...]]:
        levels: dict[Side, tuple[str, ...]] = {}
        for side in ("source", "target"):
            used = set[str]().union(
                *(template.levels(side) for template in self.templates.values())
            )
            levels[side] = ("word", *sorted(used - {"word"}))
        return levels

    def source_values(
        self, ids: NDArray[np.int32], unknown: Mapping[int, str]
    ) -> NDArray[np.uint64]:
        """What templates see of source words: a row of hashes each.

        `unknown` holds the texts of words outside the vocabulary by their place among `ids`.
        """
        if self.words is None or not self.templates:
            return np.empty((len(ids), 0), np.uint64)
        table = self._source_table
        values = table[np.where(ids < len(table), ids, 0)]
        if unknown:
            texts = list(unknown.values())
            values[list(unknown)] = self._hashes("source", texts)
        return values

    @cached_property
    def namer(self) -> Namer:
        """Names the sparse features of derivations."""
        if self.words is None:
            return Namer({}, WordClasses(), WordClasses())
        pairs = [] if self.words.block_pairs is None else self.words.block_pairs.tolist()
        return Namer(
            self.templates,
            self.words.source_classes,
            self.words.target_classes,
            frozenset((before, row) for before, row in pairs),
        )

    @cached_property
    def _source_table(self) -> NDArray[np.uint64]:
        assert self.words is not None
        return self._hashes("source", list(self.words.source_vocabulary))

    def _hashes(self, side: Side, texts: Sequence[str]) -> NDArray[np.uint64]:
        assert self.words is not None
        classes = self.words.source_classes if side == "source" else self.words.target_classes
        return np.stack([classes.hashes(level, texts) for level in self.levels(side)], axis=1)

    def _add_templates(self) -> None:
        words = self.words
        if words is None or not self.templates:
            return
        levels = {side: self.levels(side) for side in ("source", "target")}
        table = self._hashes("target", list(words.target_vocabulary))
        self.core.set_levels(len(levels["source"]), table)
        for template in self.templates.values():
            if template.listed and words.block_pairs is None:
                raise ModelError(
                    f"the model has no pairs of blocks for '{template.name}':"
                    " train it with this feature"
                )
            self.core.add_template(
                template.key_name,
                [slot.name for slot in template.parsed],
                [
                    levels[slot.kind.side].index(slot.level) if slot.kind.side else 0
                    for slot in template.parsed
                ],
                [LEVEL_KINDS[slot.level] if slot.kind.side else 0 for slot in template.parsed],
                template.copies,
                template.listed,
                template.adjacent,
            )
        if words.block_pairs is not None:
            self.core.set_pairs(np.ascontiguousarray(words.block_pairs, np.int32))
