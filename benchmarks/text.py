"""How fast text becomes word ids on one thread: words per second, stage by stage and in all."""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ParamSpec, TypeVar

from calque.config import CleanOptions
from calque.data import generate
from calque.parallel import n_workers
from calque.text import (
    BitextFiles,
    CorpusEncoder,
    clean,
    normalize,
    open_output,
    read_bitext,
    read_blocks,
)

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Watch:
    """Processor seconds per stage: less at the mercy of other programs than the clock."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def time(
        self, stage: str, work: Callable[Given, Result], *args: Given.args, **named: Given.kwargs
    ) -> Result:
        """The result of `work`, whose time is added to `stage`."""
        start = time.process_time()
        result = work(*args, **named)
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.process_time() - start
        return result


def peak_memory() -> float:
    """The most memory that this process ever held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def write(pair: str, size: int, folder: Path) -> BitextFiles:
    text = BitextFiles(folder / "source", folder / "target")
    with open_output(text.source) as source, open_output(text.target) as target:
        for example in generate(pair, "train", size, seed=1, workers=n_workers()):
            source.write(example.source + "\n")
            target.write(example.targets[0] + "\n")
    return text


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
    source, target = encoders
    keep, _ = watch.time("clean", clean, source.sentences, target.sentences, CleanOptions())
    for encoder in encoders:
        watch.time("order ids", encoder.finish, keep)


def _next(blocks: Iterator[str]) -> str:
    return next(blocks, "")


def measure(pair: str, size: int) -> dict[str, object]:
    watch = Watch()
    with tempfile.TemporaryDirectory() as folder:
        text = write(pair, size, Path(folder))
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
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "text.json").write_text(json.dumps(facts, indent=2) + "\n")
    print(f"{facts['pairs']:,} pairs, {facts['words']:,} words, {facts['cleaning']}")
    rates = facts["words_per_second"]
    assert isinstance(rates, dict)
    for stage in ("read", "normalise", "encode", "clean", "order ids", "total"):
        print(f"{stage:<12}{rates[stage] / 1e6:8.1f} million words per second")
    print(f"{'bytes.split':<12}{rates['yardstick'] / 1e6:8.1f} (yardstick)")
    print(f"total / yardstick {facts['total_per_yardstick']:.2f}, memory {facts['peak_memory_mb']}")


if __name__ == "__main__":
    main()
