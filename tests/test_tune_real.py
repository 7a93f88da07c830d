"""Tuning on lists of other systems: a phrase-based decoder and a Transformer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tuning_lists import add

from calque.hyps import CandidatePool, read_nbest, rescored
from calque.hyps.added import Additions, parse_additions
from calque.model.build import build
from calque.text import BitextFiles, read_lines, write_lines
from calque.tune import Mert, Mira, NBestTask, Problem


@pytest.fixture(scope="module")
def moses(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> NBestTask:
    references = tmp_path_factory.mktemp("moses") / "references"
    write_lines(references, list(read_lines(shared_data / "multi30k" / "dev.en"))[:300])
    return NBestTask(shared_data / "moses" / "multi30k.dev.nbest100.gz", [references])


def test_mert_reaches_what_a_grid_and_random_weights_reach(moses: NBestTask) -> None:
    pool = CandidatePool(moses.source.n_sentences, moses.source.dense_names)
    add(pool, moses.source.nbest, moses.judge.statistics)
    lists = pool.lists()
    rng = np.random.default_rng(1)
    start = np.array(list(moses.start.values()))
    problem = Problem(lists, moses.metric, np.ones(len(start), bool), 1.0, rng, 1)
    points = []
    for lm in np.linspace(0, 0.4, 15):
        for words in np.linspace(-0.8, 0.4, 15):
            point = start.copy()
            names = lists.dense_names
            point[names.index("LM0")], point[names.index("WordPenalty0")] = lm, words
            points.append(point)
    points += [start * rng.uniform(0, 2, len(start)) for _ in range(200)]
    best = max(problem.score(point) for point in points)
    result = Mert(restarts=4).fit(moses)
    assert result.score >= best
    assert result.score > result.history[0].score + 0.5


def test_a_transformer_gains_from_weights_tuned_on_its_lists(
    shared_data: Path, tmp_path: Path
) -> None:
    lists, text = shared_data / "nmt", shared_data / "multi30k"
    task = NBestTask(lists / "multi30k.dev.nbest50.gz", [text / "dev.en"])
    weights = Mert(restarts=2).fit(task).weights
    test = lists / "multi30k.test.nbest50.gz"
    ranked = rescored(read_nbest(test), weights, test)
    references = task.metric.prepare([list(read_lines(text / "test.en"))])

    def bleu(texts: list[str]) -> float:
        return float(task.metric.score(references.statistics(texts).sum(axis=0)))

    own = read_nbest(test)
    before = bleu([own.texts[at] for at in own.offsets[:-1]])
    assert before == pytest.approx(42.7, abs=0.05)
    assert bleu([ranked.texts[at] for at in ranked.offsets[:-1]]) > before + 0.8


@pytest.mark.slow
def test_a_transformer_gains_more_with_features_of_a_model(
    shared_data: Path, tmp_path: Path
) -> None:
    lists, text = shared_data / "nmt", shared_data / "multi30k"
    model = tmp_path / "model"
    build(BitextFiles(text / "train.de", text / "train.en"), model)

    def additions(part: str) -> Additions:
        return Additions(parse_additions("language_model,lexical"), text / f"{part}.de", model)

    task = NBestTask(
        lists / "multi30k.dev.nbest50.gz", [text / "dev.en"], additions=additions("dev")
    )
    weights = Mira().fit(task).weights
    test = lists / "multi30k.test.nbest50.gz"
    ranked = rescored(additions("test").to(read_nbest(test), test), weights, test)
    references = task.metric.prepare([list(read_lines(text / "test.en"))])
    best = [ranked.texts[at] for at in ranked.offsets[:-1]]
    assert float(task.metric.score(references.statistics(best).sum(axis=0))) > 44.4
