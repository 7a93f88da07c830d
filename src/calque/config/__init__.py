"""The only home of defaults: one options dataclass per operation, and how to fill it."""

from calque.config.fill import Value, fill, from_toml, settings, to_mapping
from calque.config.option import describe, option
from calque.config.text import CleanOptions, TextOptions

__all__ = [
    "CleanOptions",
    "TextOptions",
    "Value",
    "describe",
    "fill",
    "from_toml",
    "option",
    "settings",
    "to_mapping",
]
