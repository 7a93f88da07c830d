"""The paper on learning from search errors: what its cells are, and what is said of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from conftest import Run

from calque.config import ForceOptions, LeaveOneOutOptions
from calque.decode.forcing import force_pairs
from calque.decode.reachability import Counts, Reachability, Row, count, tabulate
from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.claim import Verdict
from calque.experiments.corpus import Corpus, generated_corpus
from calque.experiments.papers.maxforce import cells as recipe
from calque.experiments.papers.maxforce import groups, reach, systems, updates
from calque.experiments.papers.maxforce.cells import ALL, GROUPS, MaxForceCells
from calque.experiments.papers.maxforce.reach_cells import (
    BUCKET,
    LIMITS,
    UNLIMITED,
    UNLIMITED_WORDS,
    by_size,
    reached,
    ways_of_the_same,
)
from calque.features import Weights
from calque.features.families import wordedges
from calque.text import BitextFiles
from calque.tune.checkpoint import read_weights

CLAIMS = {
    "reach": ["3a", "3b", "3c", "figure 6", "figure 7"],
    "updates": ["8a", "8b", "8c", "8d", "8e", "9"],
    "groups": ["4a", "4b", "4c", "figure 12"],
    "systems": ["5a", "5b", "2, 6", "figure 11"],
    "minibatch": ["10a", "10b"],
}
HOLDS, FAILS, OPEN = Verdict.HOLDS, Verdict.FAILS, Verdict.OPEN


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("far")  # more than a thousand pairs: other language models
    return generated_corpus(folder, "far", {"train": 1200, "dev": 12, "test": 10})


@pytest.fixture(scope="module")
def work(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> MaxForceCells:
    out = tmp_path_factory.mktemp("out")
    return MaxForceCells(Bench(corpus, out, scale=0.1, rounds=0.1, threads=2))


def last_weights(work: MaxForceCells, cell: Cell) -> Weights:
    """Those of the last round; on a few sentences the first may be the best."""
    runs = work.bench.out / "cells" / f"{cell.name}.{cell.key}" / "run" / "weights"
    return read_weights(max(runs.iterdir()))


# Cells -------------------------------------------------------------------------------------------


def test_reach_is_that_of_forced_decoding_without_blocks_of_one_occurrence(
    work: MaxForceCells,
) -> None:
    train = work.bench.corpus.train
    pairs = force_pairs(
        work.model,
        BitextFiles(train.source, train.references[0]).blocks(),
        (*LIMITS, UNLIMITED),
        ForceOptions(),
        leave_one_out=LeaveOneOutOptions(what="one-count"),
    )
    counts: dict[tuple[int, int], Counts] = {}
    both, logs = 0, np.zeros(len(LIMITS))
    for pair, _ in zip(pairs, range(work.n_pairs), strict=False):
        n_words = len(pair.source)
        for limit, found in zip((*LIMITS, UNLIMITED), pair.found, strict=True):
            if limit != UNLIMITED or n_words <= UNLIMITED_WORDS:
                counted = count(found, n_words, 5)
                counts[limit, n_words] = counts.get((limit, n_words), Counts()) + counted
        if all(found.reachable for found in pair.found[:-1]):
            both += 1
            logs += np.log([found.n_derivations for found in pair.found[:-1]])
    assert work.n_pairs == 120
    table = reached(work)
    assert table == tabulate(counts, (*LIMITS, UNLIMITED), BUCKET)
    assert 0 < table.total[3].n_reachable < 120
    n_same, ways = ways_of_the_same(work)
    assert n_same == both > 0
    assert ways == pytest.approx(np.exp(logs / both))


def test_the_small_model_is_one_of_the_first_eighth(work: MaxForceCells) -> None:
    small, large = by_size(work)
    assert small.n_pairs == large.n_pairs == 120
    assert small.n_words == large.n_words
    assert small.n_reachable < large.n_reachable
    assert large.n_reachable == reached(work).total[LIMITS.index(6)].n_reachable
    folder = work.bench.out / "corpus" / "first"
    [source] = folder.glob("*.150.source")
    assert source.read_text().splitlines() == list(work.bench.corpus.train.sentences[:150])


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_has_its_features_and_no_others(work: MaxForceCells, group: str) -> None:
    [cell] = work.force(group=group)
    weights = last_weights(work, cell)
    assert len(weights) == 11
    keys = weights.sparse.to_arrays()["keys"]
    families = [name.strip() for name in GROUPS[group].split(",") if name]
    inside = [work.model.in_family(name, keys) for name in families]
    assert all(some.any() for some in inside)
    assert np.sum(inside, axis=0).tolist() == [1] * len(keys) if families else not len(keys)


def test_a_training_keeps_what_figures_are_drawn_from(work: MaxForceCells) -> None:
    [cell] = work.force("standard", part=2, rounds=3, beam=2)
    assert len(cell.curves["learned"]) == len(cell.curves["seconds"]) == 4
    assert list(cell.curves["seconds"]) == sorted(cell.curves["seconds"])
    assert len(cell.curves["invalid_updates"]) == len(cell.curves["updates"]) == 3
    assert all(0 <= share <= 1 for share in cell.curves["invalid_updates"])
    [again] = work.force("standard", part=2, rounds=3, beam=2)
    assert again is cell
    assert work.force("standard", part=2, rounds=3, beam=3)[0].key != cell.key


def test_threads_make_another_cell_of_the_same_weights(work: MaxForceCells) -> None:
    [one], [two] = (work.force(batch=5, max_words=8, threads=n) for n in (1, 2))
    assert one.key != two.key
    assert one.weights == two.weights
    assert one.outputs == two.outputs


def test_pro_has_classes_at_the_edges_of_blocks_and_no_words(
    work: MaxForceCells, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = {size: last_weights(work, *work.pro(size)) for size in ("dense", "large")}
    assert not len(weights["dense"].sparse)
    keys = weights["large"].sparse.to_arrays()["keys"]
    setting = work.setting("wordedges", recipe.PRO_EDGES).of(work.model)
    lexical = [t for t in wordedges() if not all("brown" in s for s in t.slots if "@" in s)]
    assert len(keys) > 100
    assert not set(setting.features.templates) & {template.name for template in lexical}
    assert setting.features.of_templates(setting.features.templates, keys).all()
    monkeypatch.setattr(recipe, "MEDIUM", 200)
    medium = last_weights(work, *work.pro("medium"))
    assert 0 < len(medium.sparse) <= 200


def test_longer_output_differs_in_the_word_penalty_alone(work: MaxForceCells) -> None:
    untuned = Weights(work.setting("").weights)
    made = Cell(weights=untuned, key="made")
    cells = work._longer(made)
    lengths = [sum(len(line.split()) for line in cell.outputs["test"]) for cell in cells]
    assert lengths[0] < lengths[-1]
    for cell, share in zip(cells, recipe.LONGER, strict=True):
        assert cell.weights is not None
        penalty = untuned["word_penalty"] - share * untuned["language_model"]
        assert dict(cell.weights) == {**untuned, "word_penalty": pytest.approx(penalty)}


def test_the_length_that_is_best_on_dev_is_taken(work: MaxForceCells) -> None:
    [before], [after] = work.force(), work.longer()
    every = work._longer(before)
    assert every[0].weights == before.weights
    assert every[0].outputs["test"] == before.outputs["test"]
    assert after.figures["dev bleu"] == max(cell.figures["dev bleu"] for cell in every)


# Verdicts ----------------------------------------------------------------------------------------


def curve(*points: float, **curves: Sequence[float]) -> list[Cell]:
    """A cell whose training gave these scores on dev, after one of the first weights."""
    return [Cell({"dev bleu": max(points)}, {"learned": [0.0, *points], **curves})]


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [
        ([0.9, 0.8, 0.7, 0.6, 0.55], HOLDS),
        ([0.9, 0.8, 0.805, 0.6, 0.55], HOLDS),  # level
        ([0.9, 0.8, 0.85, 0.6, 0.55], FAILS),
        ([0.9, 0.8, 0.7, 0.6, 0.45], FAILS),
        ([0.6, 0.6, 0.6, 0.6, 0.6], FAILS),
    ],
)
def test_invalid_updates_fall_with_the_beam_to_no_less_than_half(
    shares: list[float], verdict: Verdict
) -> None:
    assert updates._beam_judged({"all": shares}).verdict == verdict


def test_groups_are_in_order_where_each_is_above_the_one_before() -> None:
    names = list(GROUPS)
    good = {name: curve(9.0, 5.0 + i, 6.0 + i) for i, name in enumerate(names)}
    assert groups._in_order(good).verdict == HOLDS, "the first half does not count"
    bad = {**good, ALL: curve(9.0, 9.0, 8.0)}
    assert groups._in_order(bad).verdict == FAILS


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, HOLDS),
        ({systems.LARGE: (10.0, 20.0, 19.0, 19.0)}, FAILS),  # does not collapse
        ({systems.DENSE: (20.0, 15.0, 20.0, 14.0)}, FAILS),  # not steady
        ({systems.FORCE: (22.0, 25.0, 25.0, 21.0)}, FAILS),  # not above all others at the end
        ({systems.MEDIUM_SIZE: (20.0, 19.0, 19.0, 19.0)}, FAILS),
    ],
)
def test_figure_11_is_judged_by_its_parts(
    changes: dict[str, tuple[float, ...]], verdict: Verdict
) -> None:
    points: dict[str, tuple[float, ...]] = {
        systems.MERT: (15.0, 19.0, 18.0, 20.0),
        systems.DENSE: (15.0, 20.0, 20.1, 20.0),
        systems.MEDIUM_SIZE: (15.0, 20.0, 21.0, 21.0),
        systems.LARGE: (15.0, 14.0, 13.0, 12.0),
        systems.FORCE: (10.0, 20.0, 24.0, 25.0),
        **changes,
    }
    cells = {name: curve(*some) for name, some in points.items()}
    assert systems._over_iterations(cells).verdict == verdict


def reachability(*shares: float, n_pairs: int = 1000) -> Reachability:
    """Points of such shares in reach under every limit."""
    rows = []
    for i, share in enumerate(shares):
        under_any = Counts(n_pairs=n_pairs, n_reachable=round(share * n_pairs))
        rows.append(Row(5 * i + 1, 5 * i + 5, (under_any,) * (len(LIMITS) + 1)))
    limits = (*LIMITS, UNLIMITED)
    return Reachability(limits, tuple(rows), tuple(Counts() for _ in limits))


def test_a_rise_with_length_is_in_doubt_where_it_may_be_chance() -> None:
    assert reach._falling(reachability(0.5, 0.4, 0.4), 6).verdict == HOLDS
    assert reach._falling(reachability(0.5, 0.52), 6).verdict == OPEN  # 0.9 standard errors
    assert reach._falling(reachability(0.5, 0.58), 6).verdict == FAILS  # 3.6 of them
    small = reachability(0.5, 0.58, n_pairs=100)
    assert reach._falling(small, 6).verdict == OPEN
    assert reach._rise(small.rows[0].counts[0], small.rows[1].counts[0]) == pytest.approx(
        0.08 / (0.54 * 0.46 * 2 / 100) ** 0.5
    )


def test_growth_is_exponential_where_the_logarithm_is_a_straight_line() -> None:
    def table(*logs: float) -> Reachability:
        plain = reachability(*[1.0] * len(logs))
        rows = []
        for row, log in zip(plain.rows, logs, strict=True):
            under_any = Counts(n_pairs=50, n_reachable=50, log_derivations=50 * log)
            rows.append(Row(row.shortest, row.longest, (under_any,) * (len(LIMITS) + 1)))
        return Reachability(plain.limits, tuple(rows), plain.total)

    def verdicts(*logs: float) -> set[Verdict]:
        return {claim.verdict for claim in reach._exponential(table(*logs))}

    assert verdicts(1.0, 2.0, 3.0, 4.1) == {HOLDS}
    assert verdicts(4.0, 3.0, 2.0, 1.0) == {FAILS}
    assert verdicts(1.0, 2.0) == {OPEN}
    [first, *_] = reach._exponential(table(5.0, 10.0, 15.0))
    assert f"{np.e:.2f} times per source word (correlation 1.000)" in first.seen


# The whole ---------------------------------------------------------------------------------------


def test_a_table_is_made_alone(verb: Run, corpus: Corpus, tmp_path: Path) -> None:
    arguments = ["--corpus", corpus.train.source.parent, "--languages", "oru-eng"]
    said = verb(
        "reproduce", "maxforce", *arguments, "--out", tmp_path, "--scale", "0.2", "--rounds", "0.1",
        "--tables", "reach", "--quiet",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    result = json.loads((tmp_path / "result.json").read_text())
    assert [claim["number"] for claim in result["claims"]] == CLAIMS["reach"]
    assert [len(table["rows"]) for table in result["tables"]["reach"]] == [2, 5]


@pytest.mark.slow
def test_the_whole_paper_is_reproduced(verb: Run, corpus: Corpus, tmp_path: Path) -> None:
    arguments = ["--corpus", corpus.train.source.parent, "--languages", "oru-eng", "--threads", "2"]
    said = verb(
        "reproduce", "maxforce", *arguments, "--out", tmp_path, "--scale", "0.1", "--rounds", "0.1",
        "--quiet",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    result = json.loads((tmp_path / "result.json").read_text())
    found: dict[str, list[str]] = {}
    for claim in result["claims"]:
        found.setdefault(claim["section"], []).append(claim["number"])
    assert found == CLAIMS
    names = [path.name.rpartition(".")[0] for path in (tmp_path / "cells").iterdir()]
    assert len(names) == len(set(names)), "what two tables need is one cell"
    rows = {name: len(tables[-1]["rows"]) for name, tables in result["tables"].items()}
    assert rows == {"reach": 5, "updates": 5, "groups": 6, "systems": 6, "minibatch": 5}
