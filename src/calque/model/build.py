"""From a parallel corpus to a model: the whole way on one screen."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from calque.align import Alignments, align_sets, read_pharaoh
from calque.align.eflomal import find_eflomal
from calque.blocks import extract, within
from calque.config import TrainOptions, to_mapping
from calque.config.decode import FITTED, NEAR
from calque.errors import CalqueError, OptionError
from calque.features import chosen, import_families
from calque.features.jumps import find_jumps, fitted_distortion_limit
from calque.lm import read_arpa
from calque.model.engine import check_engine
from calque.model.feature_data import family_of, learn_feature_data
from calque.model.kept_bitext import KeptBitext
from calque.model.language import learn_lm
from calque.model.memory import MemoryWatch
from calque.model.model import Model, known_words
from calque.model.writer import ModelWriter
from calque.parallel import Engine, left_mb, n_workers
from calque.progress import SILENT, Progress
from calque.text import Bitext, BitextSource, Preprocessor, open_input, read_bitext
from calque.text.files import STANDARD_STREAM
from calque.text.shared_folder import Cluster, cluster_beside
from calque.unseen import learn_unseen

MEGABYTE = 1_000_000


def build(
    text: BitextSource,
    out: Path | str,
    options: TrainOptions | None = None,
    *,
    alignment: Path | None = None,
    arpa: Path | None = None,
    overlap: Path | None = None,
    preset: str | None = None,
    lm_texts: Sequence[Path] = (),
    lm_dev: Path | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    progress: Progress = SILENT,
) -> Model:
    """The model learned from parallel text, written to the folder `out`.

    `alignment` (Pharaoh format) and `arpa` stand in for our own alignments and language model.
    `overlap` is a file of source sentences: only pairs that share words with them are learned from.
    `preset` names where the options come from, for `calque info`.
    The language model is interpolated with models of `lm_texts`, more text in the target language,
    with weights that are tuned on `lm_dev` or on sentences held out of the bitext.
    With an `engine`, text is tokenised, words are aligned, blocks are extracted and scored and
    n-grams are counted where it runs its tasks, through a working folder beside `out`.
    The result depends neither on `threads` nor on the engine. What `out` held stays until the new
    model is complete.
    """
    options = options or TrainOptions()
    workers = n_workers(threads)
    chosen(options.features.dense)  # mistakes show before the work, not after it
    family_of(options.features.sparse, options.features, import_families(options.features.sparse))
    _check_first_block(options)
    options.align.check()
    check_engine(options)
    options.decode.fitted(NEAR).check()
    if lm_dev is not None and not lm_texts:
        raise OptionError("a text to tune weights of language models on: give more text, too")
    more = {f"lm_text {number}": path for number, path in enumerate(lm_texts, 1)}
    files = _files(text, alignment=alignment, arpa=arpa, overlap=overlap, lm_dev=lm_dev, **more)
    for path in files.values():  # mistakes show before the work, not after it
        if not path.is_fifo():  # which can be opened only once
            with open_input(path):
                pass
    if "eflomal" in options.align.aligners and alignment is None:
        find_eflomal()
    for tags in (options.features.source_tags, options.features.target_tags):
        if tags is not None:
            with open_input(tags):
                pass
    limit = options.memory_mb
    with (
        ModelWriter.prepared(out),
        MemoryWatch(progress, limit) as progress,
        cluster_beside(out, engine) as cluster,
    ):
        own_lm = None if arpa is None else read_arpa(arpa, progress)
        preprocessor = Preprocessor.fit(options.text, text, workers, progress, engine)
        bitext = read_bitext(
            text,
            preprocessor,
            options.clean,
            overlap=overlap,
            workers=workers,
            progress=progress,
            engine=engine,
        )
        links = _alignments(bitext, options, alignment, workers, progress, cluster)
        blocks = extract(
            bitext.source,
            bitext.target,
            links.links,
            links.offsets,
            within(options.blocks, limit, bitext.source.n_words + bitext.target.n_words),
            with_gaps=options.decode.engine == "chart",
            threads=workers,
            cluster=cluster,
            progress=progress,
        )
        options = _fitted(options, bitext, links.unstacked(len(bitext))[0])
        features = options.features
        data = learn_feature_data(
            features,
            blocks,
            bitext,
            links,
            options.blocks.max_words,
            counts_events=bool(options.decode.counting),
            memory_mb=limit,
            threads=workers,
            progress=progress,
        )
        vocabularies = bitext.source_vocabulary, bitext.target_vocabulary
        with progress.stage("unseen words"):
            unseen = learn_unseen(bitext, links, known_words(blocks, vocabularies[0]))
        kept = KeptBitext.of(
            bitext,
            links,
            options.blocks.max_words,
            options.blocks.rules if options.decode.engine == "chart" else None,
        )
        is_small = kept.n_bytes <= options.keep_bitext_mb * MEGABYTE
        lm, lm_weights = learn_lm(
            bitext,
            preprocessor,
            replace(options.lm, memory_mb=left_mb(limit, options.lm.memory_mb)),
            own=own_lm,
            texts=lm_texts,
            dev=lm_dev,
            threads=workers,
            cluster=cluster,
            progress=progress,
        )
        model = Model(
            preprocessor,
            *vocabularies,
            blocks,
            lm,
            data.compile(features, blocks, *vocabularies).default_weights(),
            options.decode,
            features,
            data,
            kept if is_small else None,
            unseen,
        )
        with progress.stage("write") as stage:
            info: dict[str, Any] = {
                "options": to_mapping(options),
                "data": _describe(bitext, files),
            }
            if preset is not None:
                info = {"preset": preset, **info}
            if lm_texts:
                info["language model weights"] = lm_weights
            model.save(out, info, workers)
            stage.say(str(out))
        progress.report((bitext.source.n_bytes + bitext.target.n_bytes) / MEGABYTE)
        return model


def _check_first_block(options: TrainOptions) -> None:
    """Refuse events with a boundary block for a decoder without one."""
    events, first_block = options.features.local_model.events, options.decode.first_block
    if events.boundary_block and first_block != "right":
        raise OptionError(
            f"decode.first_block={first_block} and features.local_model.events.boundary_block=true"
            " contradict each other: the first block of a sentence is neutral in the search, but"
            " right of a boundary block in the events"
        )


def _fitted(options: TrainOptions, bitext: Bitext, links: Alignments) -> TrainOptions:
    """The options with limits of the search that fit the text, where they ask for it."""
    limit = options.decode.distortion_limit
    if limit == FITTED:
        limit = fitted_distortion_limit(find_jumps(bitext.source, bitext.target, links))
    decode = options.decode.fitted(limit)
    decode.check()
    return replace(options, decode=decode)


def _alignments(
    bitext: Bitext,
    options: TrainOptions,
    alignment: Path | None,
    workers: int,
    progress: Progress,
    cluster: Cluster | None,
) -> Alignments:
    if alignment is None:
        sets = align_sets(bitext.source, bitext.target, options.align, workers, progress, cluster)
        return Alignments.stacked(sets)
    if bitext.cleaning.n_kept < bitext.cleaning.n_read:
        raise CalqueError(
            f"{alignment}: alignments fit the corpus only where no pair is dropped, but cleaning"
            f" dropped some ({bitext.cleaning}); raise clean.max_words and clean.max_ratio,"
            " or clean the corpus first"
        )
    return read_pharaoh(alignment, bitext.source, bitext.target)


def _files(text: BitextSource, **others: Path | None) -> dict[str, Path]:
    """The files that are learned from, by what they are; standard input is none."""
    names = ("source", "target") if len(text.paths) == 2 else ("bitext",)
    files = {**dict(zip(names, text.paths, strict=False)), **others}
    return {name: path for name, path in files.items() if path not in (None, STANDARD_STREAM)}


def _describe(bitext: Bitext, files: dict[str, Path]) -> dict[str, Any]:
    return {
        "pairs": len(bitext),
        "source_words": bitext.source.n_words,
        "target_words": bitext.target.n_words,
        "cleaning": str(bitext.cleaning),
        "files": {
            name: {"name": path.name, "sha256": _sha256(path)}
            for name, path in files.items()
            if path.is_file()
        },
    }


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
