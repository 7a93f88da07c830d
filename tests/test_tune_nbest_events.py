"""Events of the best translations in n-best lists, against the derivations one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bleu_reference import bleu_plus_one
from test_features_events import Event
from test_tune_local import QUICK, task_of
from test_tune_local import folder as folder
from test_tune_local import text as text
from test_tune_local_sets import check, expected_sets

from calque.data import CorpusFiles
from calque.decode import Translator
from calque.decode.prepared import PreparedText, prepare
from calque.errors import CalqueError, OptionError
from calque.features.events import LEFT, NEUTRAL, RIGHT
from calque.model import Model
from calque.tune import DecoderTask, Local
from calque.tune.local.nbest_events import nbest_stretch
from calque.tune.local.space import LocalSpace

N = 20


def slow_events(
    task: DecoderTask,
) -> tuple[list[Event], list[list[int]], list[set[int]]]:
    """The events, the target words of every sentence, the blocks that its list uses."""
    translator = Translator(task.model)
    source = PreparedText.encode(prepare(task.texts, task.model, 100), task.model)
    decoded = translator.decoder.decode(
        source.source, task.start, task.model.decode_options, n_best=N
    )
    events: list[Event] = []
    words: list[list[int]] = []
    used: list[set[int]] = []
    for (sentence, [result]), line in zip(
        source.by_sentence(decoded), task.judge.reference_lines[0], strict=True
    ):
        read = translator.read_off(sentence, [[d] for d in result.derivations], distinct=False)
        scores = [round(bleu_plus_one(t.text.split(), line.split()), 12) for t in read]
        if max(scores) == 0:
            continue
        best = result.derivations[scores.index(max(scores))]
        target: list[int] = []
        previous = -1
        for i, step in enumerate(best.steps):
            side = {0: RIGHT, 1: LEFT, 2: NEUTRAL}[step.orientation]
            if step.block >= 0:
                here = (len(words), step.begin, len(target))
                events.append((previous, step.block, side, *here))
            previous = step.block if step.block >= 0 else -2 - i
            target += step.target
        words.append(target)
        used.append({s.block for d in result.derivations for s in d.steps})
    return events, words, used


@pytest.fixture(scope="module")
def task(folder: Path, text: CorpusFiles) -> DecoderTask:
    return task_of(folder, text)


def test_events_are_those_of_the_translation_of_best_sentence_bleu(task: DecoderTask) -> None:
    model = task.model
    space = LocalSpace(model, 1)
    stretch = nbest_stretch(task, space, n_best=N, n_alternatives=4, held_out=3)
    events, words, used = slow_events(task)
    assert len(events) > 100
    assert any(previous < -1 for previous, *_ in events), "a copied word"
    expected = expected_sets(model.blocks, events, space.data.counts, 4, used)
    rows = np.arange(len(space.bigrams), dtype=np.int32)
    row_of = np.append(rows[np.argsort(space.columns(rows))], np.int32(-1))  # of columns
    sets = replace(stretch.sets, pairs=row_of[stretch.sets.pairs])
    check(sets, expected, events, model.blocks, words, space.bigrams.tolist(), model.lm)
    assert max(map(len, expected)) > 1
    assert 0.2 < stretch.is_held_out.mean() < 0.45


def test_dense_weights_are_learned_from_lists(folder: Path, text: CorpusFiles) -> None:
    options: dict[str, Any] = {**QUICK, "events": "nbest", "n_best": 50, "fixed": "sparse"}
    model = replace(Model.load(folder), bitext=None)
    lm = ("adjacent_language_model_first", "adjacent_language_model_rest")
    worse = {"block_unigram": -0.1, **dict.fromkeys(lm, 0.0)}
    translator = Translator(replace(model, weights=model.weights.with_dense(worse)))
    task = task_of(translator, text)
    result = Local(**options, passes=20, first_weights="start").fit(task, threads=1)
    assert result.history[0].score < 15
    assert result.score > result.history[0].score + 10
    again = Local(**options, passes=20, first_weights="start").fit(task, threads=2)
    assert again.weights == result.weights


def test_what_does_not_go_with_lists_is_refused(
    task: DecoderTask, text: CorpusFiles, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(OptionError, match="lm_folds requires events=bitext"):
        Local(events="nbest", lm_folds=2).fit(task)
    strange = tmp_path / "strange"
    strange.write_text("nothing\n" * len(task.texts))
    other = DecoderTask(folder, text.dev_source, [strange])
    with pytest.raises(CalqueError, match="no translation shares a word with its reference"):
        Local(events="nbest", n_best=5).fit(other)


def test_scores_of_nothing_choose_nothing() -> None:
    assert bleu_plus_one(["a"], ["b"]) == 0
    assert bleu_plus_one(list("abcd"), list("abcd")) == pytest.approx(1)
    assert np.isclose(bleu_plus_one(["a", "b"], ["a", "c"]), (1 / 2 * 1 / 2 * 1 * 1) ** 0.25)
