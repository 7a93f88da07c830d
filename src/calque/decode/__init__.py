"""From source sentences to translations."""

from calque.decode.constraints import Required, Terminology
from calque.decode.decoder import Decoder
from calque.decode.source import SourceText
from calque.decode.translation import BlockUse, Translation
from calque.decode.translator import Translator, load

__all__ = [
    "BlockUse",
    "Decoder",
    "Required",
    "SourceText",
    "Terminology",
    "Translation",
    "Translator",
    "load",
]
