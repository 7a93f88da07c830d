"""Leave-one-out from the command line and from Python: lines find their pairs, or are refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, done, mistake

from calque.config import DecodeOptions, LeaveOneOutOptions, TrainOptions, settings
from calque.data import CorpusFiles
from calque.decode import CandidateSearch, TrainingText, Translator, load
from calque.model.build import build
from calque.text import BitextFiles, read_lines


@pytest.fixture(scope="module")
def cleaned(corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, and beside it its training text, of which cleaning drops some lines."""
    folder = tmp_path_factory.mktemp("cleaned")
    sides = [list(read_lines(path))[:150] for path in (corpus.train_source, corpus.train_target)]
    for at, line in ((3, ""), (70, "a " * 90), (149, "")):
        sides[0][at] = line
    for name, lines in zip(("source", "target"), sides, strict=True):
        (folder / name).write_text("".join(line + "\n" for line in lines))
    text = BitextFiles(folder / "source", folder / "target")
    build(text, folder / "model", settings(TrainOptions(), ["lm.order=3"]), threads=1)
    return folder


def test_lines_of_the_training_text_are_translated_without_their_pairs(
    verb: Run, cleaned: Path
) -> None:
    flags = "--model", cleaned / "model", "--input", cleaned / "source", "-q"
    without = done(verb("translate", *flags)).splitlines()
    counts = done(verb("translate", *flags, "--leave-one-out", "counts")).splitlines()
    translator = load(cleaned / "model")
    training = TrainingText(translator.model)
    pairs = range(len(training))
    batch = translator.decoder.decode_batch(
        training.source(pairs),
        translator.model.weights,
        translator.options,
        leave_one_out=training.left_out(pairs),
    )
    words = list(translator.model.target_vocabulary)
    text = [
        " ".join(
            words[word] if word >= 0 else "?"
            for word in batch.words[batch.word_offsets[at] : batch.word_offsets[at + 1]]
        )
        for at in batch.offsets[:-1]
    ]
    kept = [counts[line] for line in training.bitext.lines]
    assert all(ours == theirs for ours, theirs in zip(text, kept, strict=True) if "?" not in ours)
    assert sum("?" not in ours for ours in text) > 50
    assert counts[3] == ""  # dropped by cleaning
    assert counts[70] == without[70]
    assert sum(a != b for a, b in zip(counts, without, strict=True)) > 10


def test_what_no_other_pair_has_may_be_punished_or_dropped(verb: Run, cleaned: Path) -> None:
    where = "--model", cleaned / "model", "--input", cleaned / "source", "-q"
    flags = *where, "--leave-one-out"
    found = {
        done(verb("translate", *flags, *more))
        for more in (
            ("counts",),
            ("counts", "--unseen-log-prob", "none"),
            ("counts", "--unseen-log-prob", "-1"),
            ("counts", "--unseen-log-prob", "-1", "--unseen-log-prob-per-word", "-5"),
            ("one-count",),
        )
    }
    assert len(found) >= 4


def test_lists_as_arrays_are_those_of_the_translator(cleaned: Path) -> None:
    translator = load(cleaned / "model")
    how = LeaveOneOutOptions()
    lines = list(read_lines(cleaned / "source"))
    lists = list(translator.n_best(lines, 5, leave_one_out=how))
    search = CandidateSearch(translator, lines, how)
    texts, scores = [], []
    for part in search.lists(translator.model.weights, 5):
        texts += part.texts
        scores += part.scores.tolist()
    wanted = [translation for some in lists for translation in some]
    assert texts == [translation.text for translation in wanted]
    assert scores == [translation.score for translation in wanted]
    for translation in wanted:
        weights = translator.model.weights
        assert sum(
            weights[name] * value for name, value in translation.features.items()
        ) == pytest.approx(translation.score, abs=1e-4)


def test_a_sentence_in_pieces_leaves_its_pair_out(cleaned: Path) -> None:
    whole = load(cleaned / "model")
    cut = Translator(whole.model, DecodeOptions(max_words=4))
    lines = list(read_lines(cleaned / "source"))[:60]
    with_all = [translation.score for translation in cut.translate_all(lines)]
    lists = cut.n_best(lines, 1, leave_one_out=LeaveOneOutOptions())
    without = [translation.score for [translation] in lists]
    assert np.mean(without) < np.mean(with_all) - 1


def test_forced_decoding_forgets_blocks_of_the_pair_alone(verb: Run, cleaned: Path) -> None:
    model, source, target = (cleaned / name for name in ("model", "source", "target"))
    where = "--model", model, "--source", source, "--reference", target
    flags = "force", *where, "--limits", "6", "--json", "-q"
    reached = [
        json.loads(done(verb(*flags, *more)))["total"][0]["n_reachable"]
        for more in ((), ("--leave-one-out", "one-count"))
    ]
    assert 0 < reached[1] < reached[0] / 2


def test_oracles_are_farther_from_the_references_where_pairs_are_left_out(
    verb: Run, cleaned: Path
) -> None:
    model, source, target = (cleaned / name for name in ("model", "source", "target"))
    where = "--model", model, "--source", source, "--reference", target
    found = [
        json.loads(done(verb("oracle", *where, "--json", "-q", *more)))
        for more in ((), ("--leave-one-out", "one-count"))
    ]
    for name in ("1-best", "oracle"):
        whole, without = (scores[name]["sentence_bleu"] for scores in found)
        assert without < whole - 5
    assert found[1]["oracle"]["sentence_bleu"] > found[1]["1-best"]["sentence_bleu"]


def test_another_text_is_refused(verb: Run, cleaned: Path, corpus: CorpusFiles) -> None:
    flags = "--model", cleaned / "model", "--leave-one-out", "counts", "-q"
    said = mistake(verb("translate", *flags, "--input", corpus.test_source))
    assert "source line 1 is not that of the training text" in said
    both = "--source", cleaned / "source", "--reference", cleaned / "source"
    said = mistake(verb("force", *flags, *both))
    assert "reference line 1 is not that of the training text" in said
    other = "--source", corpus.test_source, "--reference", corpus.test_source
    said = mistake(verb("oracle", *flags, *other))
    assert "source line 1 is not that of the training text" in said


def test_a_model_without_its_bitext_says_so(verb: Run, cleaned: Path, tmp_path: Path) -> None:
    text = BitextFiles(cleaned / "source", cleaned / "target")
    build(text, tmp_path / "m", settings(TrainOptions(), ["keep_bitext_mb=0"]), threads=1)
    flags = "--model", tmp_path / "m", "--leave-one-out", "counts", "-q"
    assert "keep_bitext_mb" in mistake(verb("translate", *flags, "--input", cleaned / "source"))
    both = "--source", cleaned / "source", "--reference", cleaned / "target"
    assert "keep_bitext_mb" in mistake(verb("force", *flags, *both))


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (("--leave-one-out", "all"), "expected one of counts, one-count"),
        (("--unseen-log-prob", "-3"), "require --leave-one-out counts"),
        (
            ("--leave-one-out", "one-count", "--unseen-log-prob", "-3"),
            "require --leave-one-out counts",
        ),
        (("--leave-one-out", "counts", "--unseen-log-prob", "3"), "at most 0"),
        (("--leave-one-out", "counts", "--pass-through", "x"), "cannot be combined with"),
        (("--leave-one-out", "counts", "--graph", "g.dot"), "cannot be combined with"),
    ],
)
def test_flags_that_do_not_fit_are_refused(
    verb: Run, cleaned: Path, flags: tuple[str, ...], problem: str
) -> None:
    said = verb("translate", "--model", cleaned / "model", "--input", cleaned / "source", *flags)
    assert problem in mistake(said)
