"""How many sparse features each family has on real training text.

Counts distinct features that fire in the best derivation of every training sentence: that of the
reference where the blocks can derive it, otherwise that of a quick search.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from _measure import SHARED, write_json

from calque.config import FeatureOptions, ForceOptions, TrainOptions
from calque.decode import Decoder, SourceText
from calque.features.families import FAMILIES
from calque.model import Model
from calque.model.build import build
from calque.text import BitextFiles, read_lines

CORPORA = {"multi30k": "de", "tanaka": "ja"}
BATCH = 1_000
NEEDS = "wordedges, block-bigram"
"""Families that bring the data which all of them need."""


def derived(
    model: Model, decoder: Decoder, source: Path, target: Path
) -> Iterator[tuple[SourceText, list[list[Any]]]]:
    """Batches of sentences and the one derivation of each."""
    hasty = replace(model.decode_options, stack_size=20, pop_limit=40)
    sources, targets = list(read_lines(source)), list(read_lines(target))
    for at in range(0, len(sources), BATCH):
        some, vocabulary = sources[at : at + BATCH], model.target_vocabulary
        text = SourceText.encode(some, model.source_vocabulary, vocabulary)
        references = SourceText.encode_references(targets[at : at + BATCH], some, vocabulary)
        forced = decoder.force(text, references, model.weights, ForceOptions(), derive_prefix=False)
        found = decoder.decode(text, model.weights, hasty)
        yield (
            text,
            [
                [gold.best if gold.reachable else own.derivations[0]]
                for gold, own in zip(forced, found, strict=True)
            ],
        )


def count(name: str) -> dict[str, int]:
    """Distinct features of every family on one corpus."""
    folder = SHARED / "data" / name
    source, target = folder / f"train.{CORPORA[name]}", folder / "train.en"
    with tempfile.TemporaryDirectory() as scratch:
        options = TrainOptions(features=FeatureOptions(dense="standard", sparse=NEEDS))
        model = build(BitextFiles(source, target), Path(scratch) / "model", options)
        plain = _decoder(model, "")
        families = {family: _decoder(model, family) for family in (*FAMILIES, "wordedges")}
        keys: dict[str, list[Any]] = {family: [] for family in families}
        for text, derivations in derived(model, plain, source, target):
            for family, decoder in families.items():
                keys[family].append(np.unique(decoder.sparse_rows(derivations, text).keys))
        return {family: len(np.unique(np.concatenate(some))) for family, some in keys.items()}


def _decoder(model: Model, sparse: str) -> Decoder:
    return Decoder.of(replace(model, feature_options=replace(model.feature_options, sparse=sparse)))


def main() -> None:
    """Count; write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    arguments = parser.parse_args()
    facts: dict[str, Any] = {}
    for name in CORPORA:
        if not (SHARED / "data" / name).is_dir():
            print(f"{name}: no data beside the clone, skipped")
            continue
        facts[name] = count(name)
        print(name, facts[name], flush=True)
    print(write_json(arguments.out, "feature_counts.json", facts))


if __name__ == "__main__":
    main()
