"""The names of sparse features of which only the keys are known: found again where they fire."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.decode.decoder import Decoder
from calque.decode.prepared import PreparedText, encode_pieces, prepare
from calque.decode.training_text import TrainingText
from calque.model import Model
from calque.parallel import n_workers
from calque.progress import SILENT, Progress

AT_ONCE = 16
"""Pieces that are decoded together; a candidate may have thousands of features."""
LIST_LENGTH = 20


def names_of_keys(
    model: Model,
    keys: Iterable[int],
    sentences: Iterable[str] | None = None,
    *,
    most_sentences: int,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> dict[int, str]:
    """The names of those of the keys that could be found.

    Features of the block alone are looked for in the block table, all others in n-best lists of up
    to `most_sentences` sentences: those given or else those that the model was learned from, each
    decoded as if the model had not seen it. The search ends when all are found.
    """
    missing = set(keys)
    if not model.features.templates:
        return {}
    names = _names_of_blocks(model, missing, n_workers(threads))
    missing -= set(names)
    decoder, options = Decoder.of(model), model.decode_options
    with progress.stage("find names", len(missing)) as stage:
        for text, left_out in _texts(model, sentences, most_sentences):
            if not missing:
                break
            batch = decoder.decode_batch(
                text.source,
                model.weights,
                options,
                n_best=LIST_LENGTH,
                leave_one_out=left_out,
                threads=threads,
            )
            sparse = decoder.sparse_batch(batch, text.source, threads=threads)
            pieces = [piece for sentence in text.sentences for piece in sentence.pieces]
            for row in _rows_with(missing, sparse.keys, sparse.offsets):
                piece = int(np.searchsorted(batch.offsets, row, side="right")) - 1
                derivation = batch.derivation(piece, row - int(batch.offsets[piece]))
                source = encode_pieces([pieces[piece]], model)
                for key, name in decoder.sparse_names(derivation, source).items():
                    if key in missing:
                        names[key] = name
                        missing.discard(key)
                        stage.advance()
        stage.say(f"{len(names):,} found, {len(missing):,} not")
    return names


def template_of_key(model: Model, key: int) -> str | None:
    """The template of a sparse feature, as far as its key tells: none where two could be it."""
    templates = model.features.templates
    possible = [name for name, each in templates.items() if each.upper_bits == key >> 48]
    return possible[0] if len(possible) == 1 else None


def _texts(
    model: Model, sentences: Iterable[str] | None, most: int
) -> Iterator[tuple[PreparedText, _core.LeaveOneOut | None]]:
    """Sentences to look in, and what of the model to forget for each text."""
    max_words = model.decode_options.max_words
    if sentences is not None:
        lines = (line for line, _ in zip(sentences, range(most), strict=False))
        prepared = prepare(lines, model, max_words)
        yield from ((text, None) for text in PreparedText.batches(prepared, model, AT_ONCE))
    elif model.bitext is not None:
        training = TrainingText(model)
        yield from training.texts(range(min(most, len(training))), max_words, AT_ONCE)


def _names_of_blocks(model: Model, keys: set[int], threads: int) -> dict[int, str]:
    """The names of features of the block alone."""
    names: dict[int, str] = {}
    wanted = np.array(sorted(keys), np.uint64)
    for template in model.features.templates.values():
        if template.slots != ("block",):
            continue
        of_blocks = model.features.block_keys(template, model.blocks, threads)
        for block in np.flatnonzero(np.isin(of_blocks, wanted)).tolist():
            phrases = _phrases(model, block)
            names[int(of_blocks[block])] = f"{template.name}:{' ||| '.join(phrases)}"
    return names


def _phrases(model: Model, block: int) -> tuple[str, str]:
    """The words of a block."""
    source = int(np.searchsorted(model.blocks.block_offsets, block, side="right")) - 1
    sides = (
        (model.source_vocabulary, model.blocks.source(source)),
        (model.target_vocabulary, model.blocks.target(block)),
    )
    first, second = (" ".join(words.word(int(id)) for id in ids) for words, ids in sides)
    return first, second


def _rows_with(
    missing: set[int], keys: NDArray[np.uint64], offsets: NDArray[np.int64]
) -> list[int]:
    """For every missing key that is there, the first row with it."""
    wanted = np.array(sorted(missing), np.uint64)
    places = np.flatnonzero(np.isin(keys, wanted))
    _, first = np.unique(keys[places], return_index=True)
    rows = np.searchsorted(offsets, places[first], side="right") - 1
    return sorted(set(rows.tolist()))
