"""A model of multi30k equal to the one that Moses was timed with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from _measure import SHARED
from numpy.typing import NDArray

from calque import _core
from calque.blocks import BlockTable
from calque.config import (
    BlockOptions,
    CleanOptions,
    DecodeOptions,
    FeatureOptions,
    TrainOptions,
)
from calque.features import DENSE, REORDERING, TRANSLATION, Weights
from calque.model import Model
from calque.model.build import build
from calque.model.moses_ini import UNKNOWN_SCORE
from calque.text import BitextFiles, offsets_of, read_lines

CORPUS, MOSES = SHARED / "data" / "multi30k", SHARED / "data" / "moses"
NAMES = {
    "TranslationModel0": (TRANSLATION, 1.0),
    "LexicalReordering0": (REORDERING, 1.0),
    "LM0": (("language_model",), 1.0),
    "WordPenalty0": (("word_count",), -1.0),
    "PhrasePenalty0": (("block_count",), 1.0),
    "Distortion0": (("distance",), 1.0),
    "UnknownWordPenalty0": (("unknown",), UNKNOWN_SCORE),
}
"""Moses's features under our names, and what a weight is multiplied by."""
N_PAIRS = 1_220_518
"""Phrase pairs of Moses's table."""


def build_equal_model(folder: Path) -> Model:
    """The model with Moses's alignments, phrase pairs and tuned weights, in `folder`."""
    text = BitextFiles(CORPUS / "train.de", CORPUS / "train.en")
    options = TrainOptions(
        clean=CleanOptions(max_words=1000, max_ratio=1000.0),
        blocks=BlockOptions(max_targets=None),
        features=FeatureOptions.standard(),
        decode=DecodeOptions(max_targets=0),
    )
    made = build(text, folder, options, alignment=MOSES / "multi30k.eflomal.gdfa.gz")
    model = replace(made, blocks=only_extracted(made.blocks), weights=tuned_weights())
    if len(model.blocks) != N_PAIRS:
        print(f"the model has {len(model.blocks):,} blocks, Moses's has {N_PAIRS:,}")
    model.save(folder, {})
    return model


def tuned_weights() -> Weights:
    """The weights that MERT found for Moses."""
    values = dict.fromkeys(DENSE, 0.0)
    for line in read_lines(MOSES / "multi30k.dev.weights"):
        name, _, numbers = line.partition("=")
        names, factor = NAMES[name]
        found = [factor * float(number) for number in numbers.split()]
        values.update(zip(names, found, strict=True))
    return Weights(values)


def only_extracted(blocks: BlockTable) -> BlockTable:
    """The table without the blocks made for words that extraction left without: Moses has none."""
    arrays: dict[str, NDArray[Any]] = blocks.to_arrays()
    keep = blocks.joint_counts > 0
    n_blocks = np.add.reduceat(keep.astype(np.int64), blocks.block_offsets[:-1])
    n_links = np.diff(blocks.link_offsets)
    sources = n_blocks > 0
    n_words = np.diff(blocks.source_offsets)
    for name, array in arrays.items():
        if len(array) == len(blocks) and name != "links":
            arrays[name] = array[keep]
    arrays |= {
        "links": blocks.links[np.repeat(keep, n_links)],
        "link_offsets": offsets_of(n_links[keep]),
        "block_offsets": offsets_of(n_blocks[sources]),
        "source_words": blocks.source_words[np.repeat(sources, n_words)],
        "source_offsets": offsets_of(n_words[sources]),
        "source_counts": blocks.source_counts[sources],
    }
    arrays["slots"] = np.empty(2 * _core.n_slots(int(sources.sum())), np.int32)
    _core.index_sources(arrays["source_words"], arrays["source_offsets"], arrays["slots"])
    return BlockTable.from_arrays(arrays)
