from __future__ import annotations

from dataclasses import dataclass, field

from calque.config.classes import ClassOptions
from calque.config.dense import JumpOptions, LexicalOptions, LocalModelOptions
from calque.config.option import option


@dataclass(frozen=True)
class FeatureOptions:
    """What scores a translation, and how the data for it is learned."""

    dense: str = option(
        "standard + class_language_model",
        "the dense features: a set (standard, rules, lexicalised-reordering,"
        " hierarchical-reordering, relevant-set-6, relevant-set-7, local-model, maxforce,"
        " model4) or a single feature; ' + ' adds another and ' - ' removes one",
    )
    sparse: str = option(
        "", "families of sparse features, separated by commas; module:name for a family of your own"
    )
    wordedges_budget: int = option(
        10,
        "highest cost of a combination of word edges; docs/features.md lists the costs",
        least=1,
        was="edges_budget",
    )
    wordedges_slots: int = option(
        2,
        "maximum number of words in a combination of word edges",
        least=1,
        most=6,
        was="edges_slots",
    )
    wordedges_levels: str = option(
        "",
        "how finely word edges tell words apart: levels separated by commas, such as"
        " brown,brown6,brown4; all levels by default",
        was="edges_levels",
    )
    source_tags: str | None = option(
        None, "file with the tags of source words, a line 'word tag' for each"
    )
    target_tags: str | None = option(
        None, "file with the tags of target words, a line 'word tag' for each"
    )
    classes: ClassOptions = field(default_factory=ClassOptions)
    jumps: JumpOptions = field(default_factory=JumpOptions, metadata={"was": "data.jumps"})
    lexical: LexicalOptions = field(
        default_factory=LexicalOptions, metadata={"was": "data.lexical"}
    )
    local_model: LocalModelOptions = field(
        default_factory=LocalModelOptions, metadata={"was": "data.local"}
    )

    @classmethod
    def standard(cls) -> FeatureOptions:
        """The features that Moses has, too: those of models that nothing else is known of."""
        return cls(dense="standard")
