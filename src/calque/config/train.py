from __future__ import annotations

from dataclasses import dataclass, field

from calque.config.align import AlignOptions
from calque.config.blocks import BlockOptions
from calque.config.decode import DecodeOptions
from calque.config.features import FeatureOptions
from calque.config.lm import LmOptions
from calque.config.option import option
from calque.config.text import CleanOptions, TextOptions


@dataclass(frozen=True)
class TrainOptions:
    """Everything that `calque train` decides, by step."""

    text: TextOptions = field(default_factory=TextOptions)
    clean: CleanOptions = field(default_factory=CleanOptions)
    align: AlignOptions = field(default_factory=AlignOptions)
    blocks: BlockOptions = field(default_factory=BlockOptions)
    lm: LmOptions = field(default_factory=LmOptions)
    features: FeatureOptions = field(default_factory=FeatureOptions)
    decode: DecodeOptions = field(default_factory=DecodeOptions)
    memory_mb: int | None = option(
        None,
        "memory for the whole training, in MB, not counting mapped files: each step may use"
        " what is left, up to its own limit (blocks.memory_mb, lm.memory_mb); if the corpus"
        " needs more, a warning says how much; with none, only the limits of the steps apply",
        least=1,
    )
    keep_bitext_mb: int = option(
        500,
        "keep the sentence pairs and their word links in the model, for leave-one-out, if"
        " they take no more than this many MB; 0 never keeps them",
        least=0,
    )
