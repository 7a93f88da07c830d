"""The data behind a model's features: learned with the model, kept in its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.align import Alignments
from calque.blocks import BlockTable
from calque.config import FeatureOptions, LmOptions, LocalModelOptions
from calque.errors import CalqueError, ModelError
from calque.features import (
    SETS,
    ClassLanguageModel,
    DenseData,
    Families,
    FeatureSet,
    HierarchicalData,
    LocalModelData,
    Model4Data,
    RelevantSetData,
    Template,
    WordClasses,
    WordData,
    chosen,
    chosen_templates,
    estimate_class_lm,
    families_from_json,
    families_to_json,
    import_families,
    learn_classes,
    learn_hierarchical,
    learn_local_model,
    learn_model4,
    learn_relevant_set,
)
from calque.features.columns import checked
from calque.lm import LanguageModel
from calque.model.folder import ModelFolder
from calque.model.writer import ModelWriter
from calque.parallel import left_mb
from calque.progress import SILENT, Progress
from calque.text import Bitext, Vocabulary
from calque.text.mapped import check_ids

RELEVANT_SET = {"model1_weight", "outbound_distortion", "inbound_distortion"}
LOCAL_MODEL = {
    "block_unigram",
    "block_orientation",
    "single_word_weight",
    "neutral_block_unigram",
    "neutral_single_word_weight",
}
MODEL4 = {"fertility", "lexicon", "jump_probability"}
HIERARCHICAL = set(SETS["hierarchical-reordering"])
BROWN = {"brown", "brown6", "brown4"}


@dataclass(frozen=True, eq=False)
class FeatureData:
    """What a model knows beside blocks and language model; none where no feature asked for it."""

    relevant_set: RelevantSetData | None = None
    local_model: LocalModelData | None = None
    model4: Model4Data | None = None
    class_lm: ClassLanguageModel | None = None
    source_classes: WordClasses | None = None
    target_classes: WordClasses | None = None
    hierarchical: HierarchicalData | None = None
    families: Families = field(default_factory=dict)
    """Of sparse features, those that are the user's own."""

    def compile(
        self, options: FeatureOptions, blocks: BlockTable, source: Vocabulary, target: Vocabulary
    ) -> FeatureSet:
        """The feature set that the options choose; `ModelError` where data for it is missing."""
        dense = DenseData(
            blocks=blocks,
            relevant_set=self.relevant_set,
            local_model=self.local_model,
            model4=self.model4,
            class_lm=self.class_lm,
            hierarchical=self.hierarchical,
        )
        words = WordData(
            source,
            target,
            self.source_classes or WordClasses(),
            self.target_classes or WordClasses(),
            None if self.local_model is None else self.local_model.bigrams,
        )
        return FeatureSet.compile(options.dense, dense, self.templates_of(options), words)

    def templates_of(self, options: FeatureOptions) -> tuple[Template, ...]:
        """The templates that the options choose."""
        return self.family_of(options.sparse, options)

    def family_of(self, name: str, options: FeatureOptions) -> tuple[Template, ...]:
        """The templates of families, with the word edges of the options."""
        return family_of(name, options, self.families)

    def check(self, n_source_words: int, n_target_words: int, n_blocks: int) -> None:
        """Raise `ModelError` where a number in the arrays leads nowhere; reads all of them."""
        for part in self._parts().values():
            if part is not None:
                part.check(n_source_words, n_blocks)
        if (classes := self.class_lm) is not None:
            classes.lm.check()
            check_ids("features: 'class_of'", classes.class_of, len(classes.lm.vocabulary))
            if len(classes.class_of) != n_target_words:
                raise ModelError(
                    f"features: {len(classes.class_of)} words have a class,"
                    f" expected {n_target_words}"
                )

    def save(self, writer: ModelWriter, threads: int) -> None:
        """Write it into a model folder, under `features/`."""
        rooms: dict[str, Mapping[str, NDArray[Any]]] = {}
        for name, part in self._parts().items():
            if part is not None:
                rooms[name] = part.to_arrays()
        if self.class_lm is not None:
            rooms["class-lm"] = {
                **self.class_lm.lm.to_arrays(),
                "class_of": self.class_lm.class_of,
            }
            writer.text("features/class-lm/vocabulary", self.class_lm.lm.vocabulary.to_text())
        if self.families:
            writer.json("features/families", families_to_json(self.families))
        arrays = {f"features/{room}/{name}": a for room in rooms for name, a in rooms[room].items()}
        writer.arrays(arrays, threads)
        for side, classes in (("source", self.source_classes), ("target", self.target_classes)):
            texts = {} if classes is None else classes.to_texts()
            for level, text in texts.items():
                writer.text(f"features/classes/{side}/{level}", text)

    @classmethod
    def load(cls, folder: ModelFolder) -> FeatureData:
        """What a model folder has of it."""
        kinds: dict[str, Any] = {
            "relevant-set": RelevantSetData,
            "local-model": LocalModelData,
            "model4": Model4Data,
            "hierarchical": HierarchicalData,
        }
        parts = {}
        for name, kind in kinds.items():
            arrays = folder.arrays(f"features/{name}/")
            try:
                parts[name] = kind.from_arrays(arrays) if arrays else None
            except ModelError as error:
                raise ModelError(f"{folder.path}: {name}: {error}") from error
        return cls(
            relevant_set=parts["relevant-set"],
            local_model=parts["local-model"],
            model4=parts["model4"],
            class_lm=_class_lm(folder),
            source_classes=_classes(folder, "source"),
            target_classes=_classes(folder, "target"),
            hierarchical=parts["hierarchical"],
            families=families_from_json(folder.json("features/families"))
            if "features/families" in folder
            else {},
        )

    def _parts(
        self,
    ) -> dict[str, RelevantSetData | LocalModelData | Model4Data | HierarchicalData | None]:
        return {
            "relevant-set": self.relevant_set,
            "local-model": self.local_model,
            "model4": self.model4,
            "hierarchical": self.hierarchical,
        }


def family_of(name: str, options: FeatureOptions, own: Families) -> tuple[Template, ...]:
    """The templates of families, with the word edges of the options and the user's own."""
    return chosen_templates(
        name,
        budget=options.wordedges_budget,
        max_slots=options.wordedges_slots,
        levels=options.wordedges_levels,
        own=own,
    )


def learn_feature_data(
    options: FeatureOptions,
    blocks: BlockTable,
    bitext: Bitext,
    alignments: Alignments,
    max_words: int,
    *,
    counts_events: bool = False,
    known: FeatureData | None = None,
    memory_mb: int | None = None,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> FeatureData:
    """What the chosen features need, learned from the corpus of the blocks, and nothing else.

    `alignments` are all sets of links that the blocks were taken from, stacked; what looks at
    single links takes the first. `max_words` is that of block extraction, `counts_events` whether
    the decoder asks for counts of events, whatever the features. The classes of words and the
    user's own families are those of `known` where that is given: features go by them. Otherwise
    the families are imported. `memory_mb` limits the own memory of the process. The result depends
    neither on it nor on `threads`.
    """
    families = import_families(options.sparse) if known is None else known.families
    dense, templates = set(chosen(options.dense)), family_of(options.sparse, options, families)
    asks_class_lm = "class_language_model" in dense
    if known is None:
        source, target = _learn_classes(options, templates, bitext, asks_class_lm, progress)
    else:
        source, target = known.source_classes, known.target_classes
    work: dict[str, Any] = {"threads": threads, "progress": progress}
    corpus = blocks, bitext.source, bitext.target
    first = alignments.unstacked(len(bitext))[0]
    n_words = len(bitext.source_vocabulary)
    is_listed = any(template.listed for template in templates)
    needs_events = counts_events or is_listed or dense & LOCAL_MODEL
    return FeatureData(
        relevant_set=learn_relevant_set(
            *corpus, first, n_words, options.lexical, options.jumps, **work
        )
        if dense & RELEVANT_SET
        else None,
        local_model=learn_local_model(*corpus, _within(options.local_model, memory_mb), **work)
        if needs_events
        else None,
        model4=learn_model4(*corpus, alignments, max_words, options.jumps, **work)
        if dense & MODEL4
        else None,
        class_lm=estimate_class_lm(
            bitext.target,
            bitext.target_vocabulary,
            target,
            options.classes,
            progress,
            memory_mb=left_mb(memory_mb, LmOptions().memory_mb),
        )
        if asks_class_lm and target is not None
        else None,
        source_classes=source,
        target_classes=target,
        hierarchical=learn_hierarchical(*corpus, alignments, max_words, **work)
        if dense & HIERARCHICAL
        else None,
        families=families,
    )


def _within(options: LocalModelOptions, limit_mb: int | None) -> LocalModelOptions:
    """The options with the memory that a limit on all own memory leaves for counting."""
    left = left_mb(limit_mb, options.events.memory_mb)
    return replace(options, events=replace(options.events, memory_mb=left))


def _learn_classes(
    options: FeatureOptions,
    templates: tuple[Template, ...],
    bitext: Bitext,
    asks_class_lm: bool,
    progress: Progress,
) -> tuple[WordClasses | None, WordClasses | None]:
    """Those of source and target words, tags included, where something looks at them."""
    levels = {side: {x for t in templates for x in t.levels(side)} for side in ("source", "target")}
    source = target = None
    if levels["source"] & BROWN:
        source = learn_classes(bitext.source, bitext.source_vocabulary, options.classes, progress)
    if levels["target"] & BROWN or asks_class_lm:
        target = learn_classes(bitext.target, bitext.target_vocabulary, options.classes, progress)
    return _tagged(source, options.source_tags), _tagged(target, options.target_tags)


def _tagged(classes: WordClasses | None, path: str | None) -> WordClasses | None:
    if path is None:
        return classes
    return (classes or WordClasses()).with_tags(Path(path))


def _class_lm(folder: ModelFolder) -> ClassLanguageModel | None:
    prefix = "features/class-lm/"
    if prefix + "vocabulary" not in folder:
        return None
    arrays = folder.arrays(prefix)
    try:
        vocabulary = Vocabulary.from_text(folder.text(prefix + "vocabulary"))
        class_of = checked(arrays, "class_of", np.int32, None)
        del arrays["class_of"]
        return ClassLanguageModel(LanguageModel.from_arrays(arrays, vocabulary), class_of)
    except CalqueError as error:
        raise ModelError(f"{folder.path}: class language model: {error}") from error


def _classes(folder: ModelFolder, side: str) -> WordClasses | None:
    prefix = f"features/classes/{side}/"
    texts = {name.removeprefix(prefix): folder.text(name) for name in folder.names(prefix)}
    if not texts:
        return None
    return WordClasses.from_texts(texts, f"{folder.path}: classes of {side} words")
