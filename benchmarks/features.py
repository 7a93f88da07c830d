"""What sparse features cost: decoding time with millions of them over that of dense ones alone.

On multi30k where it is present, else on generated text. The weight table holds random weights of
features that fire in translations of some of the training text, filled up with keys that never
fire.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from _measure import SHARED, peak_memory, write_json, write_pairs
from yardstick import yardstick

from calque.config import FeatureOptions, TrainOptions
from calque.data import generate
from calque.decode import Decoder, SourceText
from calque.features import FeatureSet, SparseWeights, Weights
from calque.model import Model
from calque.model.build import build
from calque.text import BitextFiles, read_lines

Facts: TypeAlias = dict[str, Any]

N_ENTRIES = 20_000_000
N_TURNS = 12
N_LINES = 3_000
"""Lines of the training text whose features have weights, unless told otherwise."""
BATCH = 1_000
CHOICES = {"dense": "", "block": "ruleid, wordedges", "all": "maxforce"}
"""Families that are timed: none, those that options know by themselves, and all of Yu et al."""
LIMITS = {"block": 1.3, "all": 2.0}
"""The most time over that of dense features that each may take."""
SLOTS = (2, 3, 6)
"""Slots of WordEdges with which an almost empty call is timed."""
MULTI30K = SHARED / "data" / "multi30k"


def prepare(folder: Path, n_lines: int) -> tuple[Model, list[str], list[str]]:
    """A model with word classes, and lines to learn from and to translate."""
    options = TrainOptions(features=FeatureOptions(dense="standard", sparse=CHOICES["all"]))
    if MULTI30K.exists():
        text = BitextFiles(MULTI30K / "train.de", MULTI30K / "train.en")
        test = list(read_lines(MULTI30K / "test.de"))
    else:
        print(f"{MULTI30K}: absent, decoding generated text")
        text = write_pairs("near", 20_000, folder)
        test = [example.source for example in generate("near", "test", 1_000, seed=1)]
    model = build(text, folder / "model", options)
    return model, list(islice(read_lines(text.source), n_lines)), test


def decoder_of(model: Model, sparse: str) -> Decoder:
    """The decoder of the model with these families."""
    chosen = replace(model.feature_options, sparse=sparse)
    return Decoder.of(replace(model, feature_options=chosen))


def encode(model: Model, lines: Sequence[str]) -> SourceText:
    """Lines as the decoder takes them."""
    words = (" ".join(model.preprocessor.prepare(line).words) for line in lines)
    return SourceText.encode(words, model.source_vocabulary, model.target_vocabulary)


def fired_keys(model: Model, decoder: Decoder, lines: Sequence[str]) -> np.ndarray[Any, Any]:
    """The keys of everything that fires in hasty translations of the lines, each once."""
    hasty = replace(model.decode_options, stack_size=20, pop_limit=40)
    found: list[Any] = []
    for at in range(0, len(lines), BATCH):
        text = encode(model, lines[at : at + BATCH])
        decoded = decoder.decode(text, model.weights, hasty)
        rows = decoder.sparse_rows([sentence.derivations for sentence in decoded], text)
        found.append(np.unique(rows.keys))
    return np.unique(np.concatenate(found))


def by_family(features: FeatureSet, keys: np.ndarray[Any, Any]) -> dict[str, int]:
    """How many distinct keys each family has, told by the upper bits of the keys."""
    upper: dict[int, str] = {}
    for name, template in features.templates.items():
        upper[template.key_of(["x"] * template.n_values) >> 48] = name.partition(".")[0]
    tops, counts = np.unique(keys >> np.uint64(48), return_counts=True)
    sums: dict[str, int] = {}
    for top, count in zip(tops.tolist(), counts.tolist(), strict=True):
        sums[upper[top]] = sums.get(upper[top], 0) + count
    return sums


def fill_table(keys: np.ndarray[Any, Any], n_entries: int) -> SparseWeights:
    """Random weights of the keys and of so many others that there are `n_entries`.

    The others are spread over the templates as the keys are.
    """
    rng = np.random.default_rng(1)
    n_others = max(0, n_entries - len(keys))
    templates = keys[rng.integers(0, len(keys), n_others)] >> np.uint64(48) << np.uint64(48)
    others = templates | rng.integers(0, 1 << 48, n_others, np.uint64)
    both = np.sort(np.concatenate([keys, others]))
    both = both[np.r_[True, both[1:] != both[:-1]]]  # `np.unique` takes far longer
    return SparseWeights.from_arrays(both, rng.normal(0, 0.01, len(both)).astype(np.float32))


def call_times(model: Model) -> dict[str, float]:
    """Milliseconds of a call for one word without blocks, by the number of templates.

    Each template has one weight: what a call costs before there is anything to score.
    """
    times: dict[str, float] = {}
    text = encode(model, ["\u2116"])
    for slots in SLOTS:
        options = replace(model.feature_options, sparse=CHOICES["all"], wordedges_slots=slots)
        decoder = Decoder.of(replace(model, feature_options=options))
        templates = decoder.features.templates.values()
        keys = {template.key_of(["x"] * template.n_values) for template in templates}
        table = SparseWeights.summed(sorted(keys), np.ones(len(keys)))
        spent = []
        for _ in range(N_TURNS):
            start = time.process_time()
            decoder.decode(text, Weights(model.weights, table), model.decode_options, threads=1)
            spent.append(time.process_time() - start)
        times[str(len(templates))] = 1000 * min(spent)
    return times


def measure(model: Model, train: Sequence[str], test: Sequence[str], n_entries: int) -> Facts:
    """Processor seconds of each choice, the least of several turns."""
    decoders = {name: decoder_of(model, sparse) for name, sparse in CHOICES.items()}
    keys = fired_keys(model, decoders["all"], train)
    families = by_family(decoders["all"].features, keys)
    before = peak_memory()
    sparse = fill_table(keys, n_entries)
    table_mb = sparse.core.n_bytes / 2**20
    text = encode(model, test)
    seconds: dict[str, float] = {}
    for _ in range(N_TURNS):
        # In turn, so that whatever else the machine does meets all alike.
        for name, decoder in decoders.items():
            weights = Weights(model.weights, sparse if CHOICES[name] else None)
            start = time.process_time()
            decoder.decode(text, weights, model.decode_options, threads=1)
            spent = time.process_time() - start
            seconds[name] = min(spent, seconds.get(name, spent))
    return {
        "words": text.sentences.n_words,
        "templates": {
            name: len(compiled.features.templates) for name, compiled in decoders.items()
        },
        "fired": len(keys),
        "fired_by_family": families,
        "entries": len(sparse),
        "table_mb": table_mb,
        "peak_mb": {"before_table": before, "all": peak_memory()},
        "seconds": seconds,
        "ms_per_call": call_times(model),
        "ratios": {name: seconds[name] / seconds["dense"] for name in LIMITS},
        "limits": LIMITS,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder of features.json")
    parser.add_argument("--entries", type=int, default=N_ENTRIES, help="size of the weight table")
    parser.add_argument(
        "--lines", type=int, default=N_LINES, help="lines of training text whose features are in it"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        result = measure(*prepare(Path(folder), options.lines), options.entries)
    print(f"{result['words']:,} words, {result['entries']:,} weights, {result['table_mb']:.0f} MB")
    print(", ".join(f"{name} {n:,}" for name, n in result["fired_by_family"].items()))
    for name, seconds in result["seconds"].items():
        ratio = seconds / result["seconds"]["dense"]
        print(f"{name:>8}{seconds:8.2f} s of cpu{ratio:8.2f} times")
    for n, milliseconds in result["ms_per_call"].items():
        print(f"{int(n):8,} templates{milliseconds:8.2f} ms of cpu for a call of one word")
    facts = {"yardstick": yardstick(), "lines": options.lines, "result": result}
    print(f"wrote {write_json(options.out, 'features.json', facts)}")


if __name__ == "__main__":
    main()
