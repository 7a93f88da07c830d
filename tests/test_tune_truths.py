"""What relevant sets begin with: oracle derivations and bags of blocks of a task's sentences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calque.config import FeatureOptions, LeaveOneOutOptions, OracleOptions
from calque.data import CorpusFiles
from calque.decode import CandidateLists, Translator, oracle_lists
from calque.errors import CalqueError, OptionError
from calque.metrics.avg_bleu import AvgBleu
from calque.model import Model
from calque.text import read_lines
from calque.tune import DecoderTask, NBestTask


@pytest.fixture(scope="module")
def translator(trained: Path) -> Translator:
    model = Model.load(trained)
    options = replace(model.decode_options, reordering="swap")
    features = FeatureOptions(dense="standard", sparse="P1, P2, W1")
    model = replace(model, feature_options=features, decode_options=options)
    return Translator(replace(model, weights=model.features.default_weights()))


def equal(left: list[CandidateLists], right: list[CandidateLists]) -> bool:
    one, other = (CandidateLists.concatenated(lists) for lists in (left, right))
    return (
        one.texts == other.texts
        and one.lengths.tolist() == other.lengths.tolist()
        and np.array_equal(one.dense, other.dense)
        and all(np.array_equal(a, b) for a, b in zip(one.sparse, other.sparse, strict=True))
    )


def test_truths_are_oracles_of_the_task_under_its_reordering(
    translator: Translator, corpus: CorpusFiles
) -> None:
    references = corpus.test_references[:2]
    task = DecoderTask(translator, corpus.test_source, references)
    found = list(task.source.truths(5))
    lines = [list(read_lines(path)) for path in (corpus.test_source, *references)]
    for mode in ("swap", "mon"):
        options = OracleOptions(reordering=mode)
        oracles = list(oracle_lists(translator, lines[0], lines[1:], options, n_best=5))
        assert equal(found, oracles) == (mode == "swap")
    truths = CandidateLists.concatenated(found)
    assert truths.lengths.min() >= 1
    assert truths.lengths.max() == 5
    metric = AvgBleu(tokenize="none", smooth=True, bp=False)
    sentences = np.repeat(np.arange(len(truths.lengths)), truths.lengths)
    prepared = metric.prepare(lines[1:])
    scores = metric.score(prepared.statistics(truths.texts, sentences))
    assert scores.tolist() == pytest.approx((100 * truths.scores).tolist(), abs=1e-3)
    assert (np.diff(truths.scores)[np.diff(sentences) == 0] <= 1e-6).all()  # best first
    best = CandidateLists.concatenated(list(task.source.lists(task.start)))
    first = np.cumsum(truths.lengths) - truths.lengths
    ours = np.repeat(np.arange(len(best.lengths)), best.lengths)
    reached = metric.score(prepared.statistics(best.texts, ours))
    assert 100 * truths.scores[first].mean() > reached.mean() + 10


def test_a_brevity_penalty_makes_truths_longer(translator: Translator, corpus: CorpusFiles) -> None:
    task = DecoderTask(translator, corpus.test_source, corpus.test_references[:1])
    words = [
        sum(len(text.split()) for part in parts for text in part.texts)
        for parts in (task.source.truths(1), task.source.truths(1, brevity_penalty=True))
    ]
    assert words[1] > words[0]


def test_bags_are_drawn_for_the_sentences_of_the_task(
    translator: Translator, corpus: CorpusFiles
) -> None:
    task = DecoderTask(translator, corpus.test_source, corpus.test_references[:1])
    bags = list(task.source.bags(3, ["P1", "W1"]))
    assert equal(bags, list(task.source.bags(3, ["P1", "W1"])))
    assert not equal(bags, list(task.source.bags(4, ["P1", "W1"])))
    assert sum(len(part.lengths) for part in bags) == task.source.n_sentences
    read = list(task.source.bags(3, ["P1", "W1"], concat=True))
    assert all(text for part in read for text in part.texts)
    with pytest.raises(OptionError, match="looks beyond a block"):
        task.source.bags(3, ["P1", "P2"])


def test_with_pairs_left_out_truths_and_bags_do_without_their_blocks(
    translator: Translator, corpus: CorpusFiles, tmp_path: Path
) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    for path, given in ((source, corpus.train_source), (target, corpus.train_target)):
        path.write_text("".join(line + "\n" for line in list(read_lines(given))[:60]))
    found = []
    for how in (None, LeaveOneOutOptions("one-count")):
        task = DecoderTask(translator, source, [target], leave_one_out=how)
        truths = CandidateLists.concatenated(list(task.source.truths(1)))
        bags = CandidateLists.concatenated(list(task.source.bags(1, ["P1"])))
        found.append((truths.scores.mean(), len(bags.sparse.keys)))
    assert found[0][0] > 0.95
    assert found[1][0] < 0.9
    assert found[1][1] < 0.8 * found[0][1]


def test_what_makes_no_sense_is_refused(
    translator: Translator, corpus: CorpusFiles, tmp_path: Path
) -> None:
    task = DecoderTask(translator, corpus.test_source, corpus.test_references[:1])
    with pytest.raises(OptionError, match="at least 1 truth"):
        task.source.truths(0)
    with pytest.raises(CalqueError, match="no sparse features of the family"):
        task.source.bags(1, ["P5"])
    lists = tmp_path / "nbest"
    lists.write_text("0 ||| a ||| f= 1 ||| 1\n0 ||| b ||| f= 2 ||| 2\n")
    (tmp_path / "reference").write_text("a\n")
    others = NBestTask(lists, [tmp_path / "reference"])
    with pytest.raises(OptionError, match="only .*a model"):
        others.source.truths(5)
    with pytest.raises(OptionError, match="only .*a model"):
        others.source.bags(1, ["P1"])
