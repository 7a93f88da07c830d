"""Trains, tunes, decodes, forces and draws with four threads: what `make tsan` watches.

No test of results: ThreadSanitizer tells of races, and the exit code with it.
"""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path

import numpy as np

from calque import _core
from calque.config import (
    AlignOptions,
    DecodeOptions,
    FeatureOptions,
    ForceOptions,
    TrainOptions,
    fill,
)
from calque.data import write_corpus
from calque.decode import Decoder, SourceText
from calque.features import SparseWeights, Weights
from calque.model import Model
from calque.model.build import build
from calque.text import BitextFiles, read_lines
from calque.tune import DecoderTask, Local, Localupdate, Maxviolation, Mira

THREADS = 4
LOCAL = {
    "features": {"dense": "local-model + block_count + unknown", "sparse": "block-bigram"},
    "decode": {"first_block": "neutral"},
}


def first_lines(file: Path) -> list[str]:
    return list(islice(read_lines(file), 12))


def source_of(model: Model, lines: list[str]) -> SourceText:
    words = (" ".join(model.preprocessor.prepare(line).words) for line in lines)
    return SourceText.encode(words, model.source_vocabulary, model.target_vocabulary)


def decode(model: Model, lines: list[str], references: list[str]) -> None:
    """Lists, forced derivations and sparse features, with sparse weights."""
    decoder = Decoder.of(model)
    source, wanted = source_of(model, lines), source_of(model, references)
    batch = decoder.decode_batch(source, model.weights, DecodeOptions(), n_best=10, threads=THREADS)
    keys = np.unique(decoder.sparse_batch(batch, source, threads=THREADS).keys)
    values = np.random.default_rng(1).normal(0, 0.1, len(keys)).astype(np.float32)
    weights = Weights(model.weights, SparseWeights.from_arrays(keys, values))
    decoder.decode(source, weights, DecodeOptions(), threads=THREADS)
    decoder.force(source, wanted, weights, ForceOptions(), threads=THREADS)


def compare() -> None:
    """In what candidates of many sentences differ, and which of them is best."""
    n_sentences, n_columns = 600, 50
    rng = np.random.default_rng(1)
    offsets = np.arange(0, 3 * n_sentences + 1, 3)
    row_offsets = np.arange(0, 4 * 3 * n_sentences + 1, 4)
    columns = rng.integers(0, n_columns, row_offsets[-1]).astype(np.int32)
    counts, kept = np.ones(len(columns), np.uint8), np.ones(n_columns, np.uint8)
    rows = offsets, row_offsets, columns, counts
    n_features, features, n_entries, places, values, *_ = _core.differences(
        *rows, 0, n_sentences, kept, False, False, THREADS
    )
    ends = (np.concatenate([[0], np.cumsum(some)]) for some in (n_features, n_entries))
    feature_ends, entry_ends = ends
    n_rows = 3 * n_sentences
    lists = _core.DifferenceLists(
        offsets, np.zeros(n_rows), np.zeros((n_rows, 1)), feature_ends, features, entry_ends,
        places, values, n_columns,
    )  # fmt: skip
    weights = rng.normal(size=1 + n_columns)
    lists.best(weights, THREADS)
    gradient = np.zeros(len(weights))
    _core.expected_worth(lists, rng.random(n_rows), 1.0, weights, THREADS, gradient)
    _core.gradient_step(_core.SgdStep(0.1, 0.1, 0.0), gradient, 1, weights, THREADS)
    every = np.arange(len(weights), dtype=np.int32)
    rule = _core.AdaGradUpdate(0.1, 0.1)
    parts = weights, np.zeros(len(weights)), np.ones(len(weights))
    moved = _core.move_columns(rule, every, gradient, 1, *parts, threads=THREADS)
    keys = rng.integers(0, 2**63, len(weights)).astype(np.uint64)
    index = _core.FeatureIndex()
    for _ in range(2):
        index.add(keys, threads=THREADS)
    _core.SparseTable().set_many(keys, moved, threads=THREADS)
    arrays = weights.copy(), np.ones(len(weights), np.float32), np.zeros(len(weights), np.int8)
    signs = _core.RpropStep(1.2, 0.5, 1e-9, 1.0, False)
    _core.rprop_step(signs, gradient, weights, *arrays, THREADS)


def main() -> None:
    compare()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write_corpus(folder, "near", {"train": 60, "dev": 6, "test": 5})
        options = TrainOptions(
            align=AlignOptions(aligner="hmm,sampler"),
            features=FeatureOptions(sparse="P1, W1, W3"),
        )
        text = BitextFiles(files.train_source, files.train_target)
        model = build(text, folder / "model", options, threads=THREADS)
        decode(model, first_lines(text.source), first_lines(text.target))
        references = files.dev_references
        task = DecoderTask(folder / "model", files.dev_source, references, threads=THREADS)
        Mira(rounds=1).fit(task)
        for method in (Maxviolation, Localupdate):
            method(rounds=1, min_prefix=1).fit(task, threads=THREADS)
        for candidates in (task.source.truths(3), task.source.bags(1, ["P1", "W1"])):
            list(candidates)
        local = fill(TrainOptions(), LOCAL, "train")
        build(text, folder / "local", local, threads=THREADS)
        task = DecoderTask(folder / "local", files.dev_source, references, threads=THREADS)
        Local(rounds=1, hold_out_every=5).fit(task, threads=THREADS)
        Local(rounds=1, events="nbest", n_best=20).fit(task, threads=THREADS)
    print("four threads: done")


if __name__ == "__main__":
    main()
