"""A model keeps the sentence pairs that its blocks come from, as they were when they were taken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from blocks_reference import equal
from conftest import Run, done

from calque.blocks import extract
from calque.config import BlockOptions, RuleOptions, TrainOptions, settings
from calque.config.presets import CHART_DENSE
from calque.data import CorpusFiles
from calque.errors import ModelError
from calque.model import KeptBitext, Model
from calque.model.build import build
from calque.text import BitextFiles, read_lines

LINES = [("a b c", "x y z"), ("", "x"), ("b a", "y x"), ("a " * 90, "x"), ("c d", "z w")]


def small_model(folder: Path, *assignments: str) -> Model:
    for side, name in enumerate(("source", "target")):
        (folder / name).write_text("".join(pair[side] + "\n" for pair in LINES))
    text = BitextFiles(folder / "source", folder / "target")
    options = settings(TrainOptions(), assignments)
    build(text, folder / "model", options, threads=1)
    return Model.load(folder / "model")


def test_the_blocks_of_a_model_come_from_its_kept_bitext(trained: Path) -> None:
    model = Model.load(trained)
    kept = model.bitext
    assert kept is not None
    links = kept.alignments
    again = extract(kept.source, kept.target, links.links, links.offsets, BlockOptions())
    assert equal(again, model.blocks)
    assert isinstance(kept.source.ids.base, np.memmap)


def test_the_kept_bitext_is_the_training_text_in_order(trained: Path, corpus: CorpusFiles) -> None:
    model = Model.load(trained)
    assert model.bitext is not None
    words = [[model.source_vocabulary.word(id) for id in row] for row in model.bitext.source]
    assert words == [line.split() for line in read_lines(corpus.train_source)]


def test_pairs_are_found_by_their_line_although_cleaning_drops_some(tmp_path: Path) -> None:
    kept = small_model(tmp_path).bitext
    assert kept is not None
    assert kept.lines.tolist() == [0, 2, 4]
    assert kept.pairs_of(np.arange(7)).tolist() == [0, -1, 1, -1, 2, -1, -1]


def test_a_bitext_beyond_the_bound_is_not_kept(tmp_path: Path) -> None:
    assert small_model(tmp_path, "keep_bitext_mb=0").bitext is None


def test_arrays_that_misfit_are_refused(trained: Path) -> None:
    kept = Model.load(trained).bitext
    assert kept is not None
    arrays = kept.to_arrays()
    assert KeptBitext.from_arrays(arrays).to_arrays().keys() == arrays.keys()
    with pytest.raises(ModelError, match="lacks the array 'links'"):
        KeptBitext.from_arrays({name: a for name, a in arrays.items() if name != "links"})
    with pytest.raises(ModelError, match="number of sentence pairs"):
        KeptBitext.from_arrays({**arrays, "lines": arrays["lines"][1:]})
    with pytest.raises(ModelError, match="'source' is int64"):
        KeptBitext.from_arrays({**arrays, "source": arrays["source"].astype(np.int64)})


def test_info_shows_the_kept_bitext(verb: Run, trained: Path) -> None:
    assert "bitext" in done(verb("info", "--all", trained))


def test_the_rules_of_a_model_come_from_its_kept_bitext(tmp_path: Path) -> None:
    chosen = ("decode.engine=chart", f"features.dense={CHART_DENSE}", "blocks.rules.max_span=6")
    model = small_model(tmp_path, *chosen, "blocks.rules.boundaries=loose")
    kept = model.bitext
    assert kept is not None
    assert kept.rules == RuleOptions(max_span=6, boundaries="loose")
    links = kept.alignments
    options = BlockOptions(rules=kept.rules)
    again = extract(kept.source, kept.target, links.links, links.offsets, options, with_gaps=True)
    assert equal(again, model.blocks)
    arrays = kept.to_arrays()
    for wrong, problem in (
        (arrays["rules"][1:], "another shape"),
        (
            np.array([9, 6, 5, 8, 1, 0, 1, 0], np.int32),
            "max_gaps=9: expected a whole",
        ),
        (np.array([2, 6, 5, 8, 1, 0, 3, 0], np.int32), "has 3 for gap_needs_words"),
    ):
        with pytest.raises(ModelError, match=problem):
            KeptBitext.from_arrays({**arrays, "rules": wrong})
