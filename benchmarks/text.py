"""How fast text becomes word ids on one thread: words per second, stage by stage and in all."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from _measure import Watch, peak_memory, write_json, write_pairs
from numpy.typing import NDArray

from calque.config import CleanOptions
from calque.text import (
    BitextFiles,
    CorpusEncoder,
    clean,
    normalize,
    read_bitext,
    read_blocks,
)


def by_stage(text: BitextFiles, watch: Watch) -> None:
    """The stages of `read_bitext` one by one, and the yardstick on the same blocks."""
    encoders = []
    for path in text.paths:
        encoder = CorpusEncoder()
        blocks = read_blocks(path)
        while block := watch.time("read", _next, blocks):
            watch.time("yardstick", block.encode().split)
            block = watch.time("normalise", normalize, block)
            watch.time("encode", encoder.feed, block)
        encoders.append(encoder)
    keep = watch.time("clean", _clean, *encoders)
    for encoder in encoders:
        watch.time("order ids", encoder.finish, keep)


def _clean(source: CorpusEncoder, target: CorpusEncoder) -> NDArray[np.bool_]:
    keep, _ = clean(source.sentences, target.sentences, CleanOptions())
    return keep


def _next(blocks: Iterator[str]) -> str:
    return next(blocks, "")


def measure(pair: str, size: int) -> dict[str, object]:
    watch = Watch()
    with tempfile.TemporaryDirectory() as folder:
        text = write_pairs(pair, size, Path(folder))
        before = peak_memory()
        bitext = watch.time("total", read_bitext, text)
        after = peak_memory()
        n_bytes = sum(path.stat().st_size for path in text.paths)
        by_stage(text, watch)
    n_words = bitext.source.n_words + bitext.target.n_words
    rates = {stage: n_words / seconds for stage, seconds in watch.seconds.items()}
    return {
        "pair": pair,
        "pairs": size,
        "words": n_words,
        "bytes": n_bytes,
        "cleaning": str(bitext.cleaning),
        "vocabulary": [len(bitext.source_vocabulary), len(bitext.target_vocabulary)],
        "seconds": watch.seconds,
        "words_per_second": rates,
        "total_per_yardstick": rates["total"] / rates["yardstick"],
        "peak_memory_mb": {"before": before, "after": after},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for text.json")
    parser.add_argument("--pairs", type=int, default=1_000_000, help="sentence pairs to generate")
    parser.add_argument("--pair", default="near", help="language pair to generate")
    arguments = parser.parse_args()
    facts = measure(arguments.pair, arguments.pairs)
    write_json(arguments.out, "text.json", facts)
    print(f"{facts['pairs']:,} pairs, {facts['words']:,} words, {facts['cleaning']}")
    rates = facts["words_per_second"]
    assert isinstance(rates, dict)
    for stage in ("read", "normalise", "encode", "clean", "order ids", "total"):
        print(f"{stage:<12}{rates[stage] / 1e6:8.1f} million words per second")
    print(f"{'bytes.split':<12}{rates['yardstick'] / 1e6:8.1f} (yardstick)")
    print(f"total / yardstick {facts['total_per_yardstick']:.2f}, memory {facts['peak_memory_mb']}")


if __name__ == "__main__":
    main()
