"""What the engine of a decoder has no use for, refused before the work."""

from __future__ import annotations

from dataclasses import fields

from calque.config import DecodeOptions, ReorderingOptions, TrainOptions
from calque.errors import OptionError
from calque.features import TRANSLATION, chosen, import_families
from calque.model.feature_data import family_of

OF_RULES = {
    *TRANSLATION,
    "language_model",
    "class_language_model",
    "word_count",
    "word_penalty",
    "block_count",
    "block_penalty",
    "glue_count",
    "unknown",
}
"""Dense features that rules have, too; all others look at the order of blocks."""


def check_engine(options: TrainOptions) -> None:
    """Raise `OptionError` where options contradict the engine that they choose."""
    own = import_families(options.features.sparse)
    templates = family_of(options.features.sparse, options.features, own)
    if options.decode.engine == "phrase":
        for template in templates:
            if template.is_of_gaps:
                raise OptionError(
                    f"features.sparse={options.features.sparse}: '{template.name}' looks at gaps,"
                    " which only rules have: expected decode.engine=chart"
                )
        return
    if others := [name for name in chosen(options.features.dense) if name not in OF_RULES]:
        raise OptionError(
            f"features.dense={options.features.dense}: decode.engine=chart has no"
            f" {', '.join(others)}; expected only {', '.join(sorted(OF_RULES))}"
        )
    for template in templates:
        is_of_rule = template.is_of_block or template.is_of_gaps
        if not is_of_rule or template.adjacent or template.listed:
            raise OptionError(
                f"features.sparse={options.features.sparse}: '{template.name}' looks at the order"
                " of blocks; decode.engine=chart has only features of a rule and its place in the"
                " sentence"
            )
    default = DecodeOptions()
    for name in (field.name for field in fields(ReorderingOptions)):
        if (value := getattr(options.decode, name)) != getattr(default, name):
            raise OptionError(
                f"decode.{name}={value} is of no use to decode.engine=chart, where gaps reorder"
            )
    if options.decode.counting:
        raise OptionError(
            f"decode.{options.decode.counting}: decode.engine=chart knows no events of blocks"
        )
