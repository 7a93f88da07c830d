"""The paper on expected BLEU: what its cells are, and what is said of them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import Run

from calque.config import LeaveOneOutOptions, to_mapping
from calque.decode import Translator
from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.claim import Verdict
from calque.experiments.corpus import Corpus, generated_corpus
from calque.experiments.papers.expected_bleu import cells as recipe
from calque.experiments.papers.expected_bleu import curves, efficiency
from calque.experiments.papers.expected_bleu.cells import ExpectedBleuCells
from calque.metrics import score

CLAIMS = {
    "2": ["2a", "2, 3, 4", "2b", "2c"],
    "figure-2": ["figure 2a", "figure 2b"],
    "unseen": ["blocks", "jackknife"],
    "efficiency": ["E"],
}
GROUPS = {
    "phrase-pair": 1, "lexical": 1, "source-triplets": 1, "target-triplets": 1, "hierarchical": 6
}  # fmt: skip
"""Of each family, how many dense features the paper makes of it."""
SCALE, ROUNDS = 0.15, 0.2
HOLDS, FAILS = Verdict.HOLDS, Verdict.FAILS


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("far")  # enough lines for jackknife to have parts
    return generated_corpus(folder, "far", {"train": 800, "dev": 12, "test": 10})


@pytest.fixture(scope="module")
def work(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> ExpectedBleuCells:
    out = tmp_path_factory.mktemp("out")
    return ExpectedBleuCells(
        Bench(corpus, out, scale=SCALE, rounds=ROUNDS, seeds=(1, 2), threads=2)
    )


# Cells -------------------------------------------------------------------------------------------


def test_the_limit_is_the_one_that_is_better_on_dev(work: ExpectedBleuCells) -> None:
    by_limit = {limit: work._baseline(limit, 1).figures["dev bleu"] for limit in recipe.LIMITS}
    assert by_limit[work.limit] == max(by_limit.values())
    assert work.setting("a").decode == {"distortion_limit": work.limit}
    first, second = work.baseline()
    assert first.key != second.key
    assert not len(first.weights.sparse) if first.weights else False


def test_lists_are_of_the_first_pairs_and_tell_of_their_blocks(work: ExpectedBleuCells) -> None:
    _, made = work.lists("seen", "a")
    source = work.bench.corpus.train.sentences[:120]
    assert list(work.text.sentences) == list(source)
    model = work.setting("a", work.baseline()[0]).of(work.model)
    best = list(Translator(model).translate_all(source))
    n_blocks = sum(len(translation.blocks) for translation in best)
    n_words = sum(len(line.split()) for line in source)
    assert made.figures["words per block"] == pytest.approx(n_words / n_blocks)
    texts = [translation.text for translation in best]
    [bleu] = score(texts, work.text.reference_lines, ["bleu"], tokenize="none")
    assert made.figures["bleu"] == pytest.approx(bleu.value)


def test_sentences_are_unseen_in_two_ways(work: ExpectedBleuCells) -> None:
    for way, name in (("leave-one-out", "leave_one_out"), ("jackknife", "jackknife")):
        seen, unseen = work.lists("seen", "a"), work.lists(way, "a")  # type: ignore[arg-type]  # a str
        inputs = [lists.task(work.model, 1).inputs for lists, _ in (seen, unseen)]
        assert name not in inputs[0]
        assert inputs[1][name] == (5 if way == "jackknife" else to_mapping(LeaveOneOutOptions()))
        assert unseen[1].key != seen[1].key


@pytest.mark.parametrize(
    ("features", "families"),
    [
        ("a", ["phrase-pair"]),
        (
            "all",
            ["phrase-pair", "lexical", "source-triplets", "target-triplets", "hierarchical"],
        ),
    ],
)
def test_a_set_has_its_features_and_no_others(
    work: ExpectedBleuCells, features: str, families: list[str]
) -> None:
    weights = work.learned("rprop", features).weights
    assert weights is not None
    assert dict(weights) == dict(work.baseline()[0].weights or {}), "dense weights stay"
    keys = weights.sparse.to_arrays()["keys"]
    inside = [work.model.in_family(name, keys) for name in families]
    assert all(some.any() for some in inside)
    assert np.sum(inside, axis=0).tolist() == [1] * len(keys)


def test_all_rules_learn_from_the_same_lists(work: ExpectedBleuCells) -> None:
    learned = {rule: work.learned(rule) for rule in recipe.RULES}
    first = {round(cell.curves["expected"][0], 9) for cell in learned.values()}
    assert len(first) == 1
    for cell in learned.values():
        assert len(cell.curves["expected"]) == len(cell.curves["learned"]) == 3
        assert cell.curves["expected"][-1] > cell.curves["expected"][0]
        best = 1 + int(np.argmax(cell.curves["learned"][1:]))
        assert cell.figures["chosen iteration"] == 4 * best, "the start is no choice, nor the last"
    gt, rprop = (learned[rule].figures["sparse weights"] for rule in ("gt", "rprop"))
    assert gt > rprop, "growth transformation moves blocks that no list has"


def test_the_rate_of_adagrad_is_the_best_on_dev(work: ExpectedBleuCells) -> None:
    tried = [
        work._learned("adagrad", "a", "leave-one-out", "best on dev", sparse_rate=rate)
        for rate in recipe.RATES
    ]
    assert len({cell.key for cell in tried}) == len(recipe.RATES)
    best = max(cell.figures["dev bleu"] for cell in tried)
    assert work.learned("adagrad").figures["dev bleu"] == best


def test_tuning_scales_what_was_learned_group_by_group(work: ExpectedBleuCells) -> None:
    before, tuned = work.tuned("rprop", "all")
    assert len(tuned) == 2
    tried = [work.learned("rprop", "all", iteration=each) for each in recipe.ITERATIONS_TRIED]
    sums = [sum(run.figures["dev bleu"] for run in work._tuned(cell, "all")) for cell in tried]
    assert before.key == tried[sums.index(max(sums))].key, "dev after MERT decides"
    assert tried[1].figures["chosen iteration"] == 8, "the last one"
    assert before.weights is not None
    arrays = before.weights.sparse.to_arrays()
    for cell in tuned:
        assert cell.weights is not None
        assert set(cell.weights) == set(before.weights), "factors are multiplied out"
        after = cell.weights.sparse.lookup(arrays["keys"])
        for family, most in GROUPS.items():
            members = work.model.in_family(family, arrays["keys"])
            ratios = np.sort(after[members] / arrays["values"][members])
            different = np.flatnonzero(np.diff(ratios) > 1e-3 * np.abs(ratios[1:]))
            assert len(different) < most
        model = replace(work.setting("all").of(work.model), weights=cell.weights)
        lines = work.bench.corpus.test.sentences
        again = [translation.text for translation in Translator(model).translate_all(lines)]
        assert again == list(cell.outputs["test"])


def test_the_cost_of_a_rule_counts_what_it_moves(work: ExpectedBleuCells) -> None:
    lists, _ = work.lists("leave-one-out", "a")
    cost = {rule: efficiency.climb(lists, rule, 2) for rule in ("gt", "rprop")}
    assert cost["gt"]["values"] > cost["rprop"]["values"] > 0
    for figures in cost.values():
        assert figures["seconds"] >= 0
        assert figures["memory"] > 10


# Verdicts ----------------------------------------------------------------------------------------


def test_the_share_of_the_gain_at_half_tells_the_shape_of_a_curve() -> None:
    x = range(11)
    assert curves.half_share([2 + 3 * i for i in x]) == pytest.approx(0.5)
    assert curves.half_share([1.2**i for i in x]) == pytest.approx((1.2**5 - 1) / (1.2**10 - 1))
    logarithms = [math.log(1 + i) for i in x]
    assert curves.half_share(logarithms) == pytest.approx(math.log(6) / math.log(11))
    assert curves.half_share([0.0, 1.0, 2.0, 6.0]) == pytest.approx(0.25), "between two points"
    assert curves.half_share([1.0, 1.0, 1.0]) == 0.5


def test_figure_2_is_judged_by_ends_and_shapes() -> None:
    points = {
        "rprop": [0.0, 1.0, 8.0],
        "adagrad": [0.0, 5.0, 6.0],
        "gt": [0.0, 3.0, 4.0],
        "sgd": [0.0, 2.0, 4.0],
    }
    assert [claim.verdict for claim in curves._claims(points)] == [HOLDS, HOLDS]
    other = curves._claims({**points, "sgd": [0.0, 6.0, 7.0]})
    assert [claim.verdict for claim in other] == [FAILS, FAILS]


@pytest.mark.parametrize(
    ("seconds", "memory", "values", "verdict"),
    [
        (6.4, 3.2, 6.6, HOLDS),
        (1.05, 3.2, 6.6, FAILS),
        (6.4, 1.0, 6.6, FAILS),
        (6.4, 3.2, 0.9, FAILS),
    ],
)
def test_growth_must_cost_more_of_everything(
    seconds: float, memory: float, values: float, verdict: Verdict
) -> None:
    base = {"seconds": 2.0, "memory": 100.0, "values": 1000.0}
    factors = {"seconds": seconds, "memory": memory, "values": values}
    more = {name: value * factors[name] for name, value in base.items()}
    claim = efficiency._claim({"gt": Cell(more), "rprop": Cell(base)})
    assert claim.verdict == verdict
    assert f"{seconds:.1f} times the time" in claim.evidence[0].seen


# The whole ---------------------------------------------------------------------------------------


def test_a_table_is_made_alone_out_of_what_is_there(verb: Run, work: ExpectedBleuCells) -> None:
    folder = work.bench.corpus.train.source.parent
    settings = ["--scale", SCALE, "--rounds", ROUNDS]
    said = verb(
        "reproduce", "expected-bleu", "--corpus", folder, "--languages", "oru-eng", *settings,
        "--seeds", "2", "--out", work.bench.out, "--tables", "figure-2", "--quiet",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    result = json.loads((work.bench.out / "result.json").read_text())
    assert [claim["number"] for claim in result["claims"]] == CLAIMS["figure-2"]
    assert [len(table["rows"]) for table in result["tables"]["figure-2"]] == [4]
    assert set(result["cells"]) <= {path.name for path in (work.bench.out / "cells").iterdir()}


@pytest.mark.slow
def test_the_whole_paper_is_reproduced(verb: Run, corpus: Corpus, tmp_path: Path) -> None:
    arguments = ["--corpus", corpus.train.source.parent, "--languages", "oru-eng", "--threads", "2"]
    said = verb(
        "reproduce", "expected-bleu", *arguments, "--out", tmp_path, "--scale", SCALE, "--rounds",
        ROUNDS, "--quiet",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    result = json.loads((tmp_path / "result.json").read_text())
    found: dict[str, list[str]] = {}
    for claim in result["claims"]:
        found.setdefault(claim["section"], []).append(claim["number"])
    assert found == CLAIMS
    names = [path.name.rpartition(".")[0] for path in (tmp_path / "cells").iterdir()]
    assert len(names) == len(set(names)), "what two tables need is one cell"
    rows = {name: len(tables[0]["rows"]) for name, tables in result["tables"].items()}
    assert rows == {"2": 7, "figure-2": 4, "unseen": 6, "efficiency": 3}
