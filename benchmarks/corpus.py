"""How fast the generated corpus comes, and how much it is like text."""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from _measure import write_json

from calque.config.corpus import CorpusOptions
from calque.data import PAIRS, generate, generate_aligned

MARKS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)


def percentiles(lengths: Counter[int]) -> dict[str, float]:
    total = sum(lengths.values())
    facts: dict[str, float] = {"mean": sum(n * c for n, c in lengths.items()) / total}
    for percent in (0, 5, 25, 50, 75, 95, 99, 100):
        rest = percent / 100 * total
        for length in sorted(lengths):
            rest -= lengths[length]
            if rest <= 0:
                break
        facts[f"p{percent}"] = length
    return facts


def zipf_slope(counts: Counter[str]) -> float:
    """Least squares of log frequency on log rank, over ranks 10 to 1,000."""
    frequencies = sorted(counts.values(), reverse=True)[10:1_000]
    points = [(math.log(rank), math.log(f)) for rank, f in enumerate(frequencies, 11)]
    mean_x, mean_y = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    over: float = sum((x - mean_x) * (y - mean_y) for x, y in points)
    spread: float = sum((x - mean_x) ** 2 for x, _ in points)
    return over / spread


class Side:
    """Counts over one side of the corpus."""

    def __init__(self) -> None:
        self.words: Counter[str] = Counter()
        self.lengths: Counter[int] = Counter()
        self.vocabulary: dict[int, int] = {}

    def add(self, sentence: str) -> None:
        """Count one sentence."""
        tokens = sentence.split()
        self.words.update(tokens)
        self.lengths[len(tokens)] += 1

    def facts(self) -> dict[str, object]:
        """What the counts say."""
        types = len(self.words)
        return {
            "words": percentiles(self.lengths),
            "running_words": sum(self.words.values()),
            "vocabulary": self.vocabulary,
            "singletons": sum(count == 1 for count in self.words.values()) / types,
            "zipf_slope": zipf_slope(self.words),
        }


def describe(pair: str, size: int) -> dict[str, object]:
    sides = Side(), Side()
    for n, example in enumerate(generate(pair, "train", size), 1):
        sides[0].add(example.source)
        sides[1].add(example.targets[0])
        if n in MARKS:
            for side in sides:
                side.vocabulary[n] = len(side.words)
    return {"source": sides[0].facts(), "target": sides[1].facts()}


def speed(pair: str, size: int, workers: int) -> dict[str, float]:
    """Pairs per second of the clock and, of this process alone, per second of its processor."""
    start, busy = time.perf_counter(), time.process_time()
    for _ in generate(pair, "train", size, workers=workers):
        pass
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    facts = {"workers": workers, "pairs_per_second": size / seconds}
    return {**facts, "pairs_per_cpu_second": size / busy} if workers == 1 else facts


def unknown(pair: str) -> dict[str, float]:
    known = {w for e in generate(pair, "train", CorpusOptions.train) for w in e.source.split()}
    test = [word for e in generate(pair, "test", 2_000) for word in e.source.split()]
    return {
        "train_pairs": CorpusOptions.train,
        "share": sum(w not in known for w in test) / len(test),
    }


def references(pair: str) -> float:
    """The share of test sentences whose four references all differ."""
    examples = list(generate(pair, "test", 1_000))
    return sum(len(set(example.targets)) == 4 for example in examples) / len(examples)


def jumps(pair: str) -> dict[str, float]:
    """How far apart the sources of neighbouring target words lie; 1 is the next word."""
    distances: Counter[int] = Counter()
    n_links = n_words = 0
    for example in generate_aligned(pair, "train", 2_000):
        sources: dict[int, int] = {}
        for source, target in reversed(example.links):
            sources[target] = source
        order = [sources[target] for target in sorted(sources)]
        distances.update(b - a for a, b in itertools.pairwise(order))
        n_links += len(sources)
        n_words += len(example.targets[0].split())
    total = sum(distances.values())
    return {
        "linked_target_words": n_links / n_words,
        "monotone_steps": sum(c for d, c in distances.items() if d in (0, 1)) / total,
        "backward_steps": sum(c for d, c in distances.items() if d < 0) / total,
        "mean_jump": sum(abs(d - 1) * c for d, c in distances.items() if d) / total,
        "jumps_over_5": sum(c for d, c in distances.items() if abs(d - 1) > 5) / total,
    }


def flat(facts: object, name: str = "") -> Iterator[tuple[str, float]]:
    """Every number with the names that lead to it."""
    if isinstance(facts, dict):
        for key, value in facts.items():
            yield from flat(value, f"{name}.{key}" if name else str(key))
    elif isinstance(facts, list):
        for item in facts:
            yield from flat(item, name)
    elif isinstance(facts, int | float):
        yield name, facts


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder of corpus.json")
    parser.add_argument("--size", type=int, default=100_000, help="training pairs to describe")
    options = parser.parse_args(arguments)
    result = {
        pair: {
            "size": options.size,
            **describe(pair, options.size),
            "speed": [speed(pair, min(options.size, 50_000), workers) for workers in (1, 2)],
            "unknown_test_words": unknown(pair),
            "four_distinct_references": references(pair),
            "reordering": jumps(pair),
        }
        for pair in PAIRS
    }
    path = write_json(options.out, "corpus.json", result)
    for pair, facts in result.items():
        print(pair)
        for name, value in flat(facts):
            print(f"  {name:40} {value:>14,.3f}".rstrip("0").rstrip("."))
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
