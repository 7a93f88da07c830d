"""What `import calque` offers beyond its rooms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from calque.config import TrainOptions, fill
from calque.config.presets import DEFAULT_PRESET, find_preset
from calque.decode import Translator, load
from calque.errors import OptionError, refuse_text
from calque.model.build import build
from calque.progress import SILENT, Progress
from calque.text import BitextFiles, BitextLists, BitextSource, GivenText, Text, bitext_in
from calque.tune.effort import fit_pop_limit
from calque.tune.steps import DevelopmentSet, check_steps, tune_in_steps


def train(
    source: Text | None = None,
    target: Text | None = None,
    out: Path | str | None = None,
    *,
    bitext: Path | str | None = None,
    alignment: Path | str | None = None,
    arpa: Path | str | None = None,
    overlap: Path | str | None = None,
    preset: str = DEFAULT_PRESET,
    dev_source: Text | None = None,
    dev_references: Sequence[Text] = (),
    run: Path | str | None = None,
    seed: int = 1,
    lm_text: Sequence[Path | str] = (),
    lm_dev: Path | str | None = None,
    threads: int | None = None,
    progress: Progress = SILENT,
    **options: Any,
) -> Translator:
    """The translator learned from parallel text, also written to the folder `out`.

    The text is two files, or two lists of sentences, `source` and `target`; or one file `bitext`,
    TSV or TMX (which needs `text={"source_language": "de", "target_language": "en"}`). `alignment`
    (Pharaoh format) and `arpa` stand in for Calque's own word alignments and language model;
    `overlap` is a file of source sentences: only pairs that share words with them are learned from.
    The language model is interpolated with models of the files of `lm_text`, more text in the
    target language, with weights tuned on the file `lm_dev` or on sentences held out of `target`.

    `preset` names a set of options (`fast`, `standard`). With a development set, a text or
    list of sentences and one or more sets of references, the weights are tuned as the preset says;
    `run` is a folder where an interrupted tuning is continued.

    `options` are those of `calque train --set`, by group: `text`, `clean`, `align`, `blocks`, `lm`,
    `features` and `decode`, each a mapping (`lm={"order": 4}`), and `keep_bitext_mb`;
    docs/options.md lists them all.
    """
    refuse_text("lm_text", lm_text, "a list of files")
    if out is None:
        raise OptionError("out is missing: expected the folder that the model is written to")
    recipe = find_preset(preset, fill(TrainOptions(), options).decode.engine)
    filled = fill(fill(TrainOptions(), recipe.train), options)
    given = _bitext(source, target, bitext, filled)
    dev = None
    if dev_source is not None:
        dev = DevelopmentSet(dev_source, dev_references)
        dev.check()
        check_steps(recipe.steps, given)
    model = build(
        given,
        out,
        filled,
        alignment=None if alignment is None else Path(alignment),
        arpa=None if arpa is None else Path(arpa),
        overlap=None if overlap is None else Path(overlap),
        preset=preset,
        lm_texts=[Path(path) for path in lm_text],
        lm_dev=None if lm_dev is None else Path(lm_dev),
        threads=threads,
        progress=progress,
    )
    if dev is None:
        return Translator(model)
    tune_in_steps(
        Path(out),
        recipe.steps,
        given,
        dev,
        run=None if run is None else Path(run),
        seed=seed,
        threads=threads,
        progress=progress,
    )
    fit_pop_limit(
        Path(out), dev.source, filled.decode.pop_limit, threads=threads, progress=progress
    )
    return load(out)


def _bitext(
    source: Text | None, target: Text | None, bitext: Path | str | None, options: TrainOptions
) -> BitextSource:
    if bitext is not None:
        if source is not None or target is not None:
            raise OptionError("bitext holds both sides: expected it without source and target")
        return bitext_in(Path(bitext), options.text.source_language, options.text.target_language)
    if source is None or target is None:
        raise OptionError("expected source and target, or bitext")
    if isinstance(source, str | Path) and isinstance(target, str | Path):
        return BitextFiles(Path(source), Path(target))
    sides = (GivenText.of(source, "source"), GivenText.of(target, "target"))
    return BitextLists.of(*(side.sentences for side in sides))
