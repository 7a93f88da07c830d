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
        "dense features: sets (standard, rules, lexicalised-reordering,"
        " hierarchical-reordering, relevant-set-6, relevant-set-7, local-model, maxforce,"
        " model4) and single features, added with ' + ' and removed with ' - '",
    )
    sparse: str = option(
        "", "families of sparse features, separated by commas; module:name for a family of your own"
    )
    wordedges_budget: int = option(
        10,
        "most that a combination of word edges may cost; docs/features.md lists the costs",
        least=1,
        was="edges_budget",
    )
    wordedges_slots: int = option(
        2,
        "most words that a combination of word edges may have",
        least=1,
        most=6,
        was="edges_slots",
    )
    wordedges_levels: str = option(
        "",
        "levels at which word edges see words, separated by commas, such as"
        " brown,brown6,brown4; by default all levels",
        was="edges_levels",
    )
    source_tags: str | None = option(None, "file of 'word tag' lines for source words")
    target_tags: str | None = option(None, "file of 'word tag' lines for target words")
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
