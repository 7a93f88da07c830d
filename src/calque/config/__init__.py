"""The only home of defaults: one options dataclass per operation, and how to fill it."""

from calque.config.corpus import CorpusOptions
from calque.config.fill import Value, expected, fill, from_toml, settings, to_mapping
from calque.config.option import OptionInfo, describe, option
from calque.config.text import CleanOptions, TextOptions

__all__ = [
    "CleanOptions",
    "CorpusOptions",
    "OptionInfo",
    "TextOptions",
    "Value",
    "describe",
    "expected",
    "fill",
    "from_toml",
    "option",
    "settings",
    "to_mapping",
]
