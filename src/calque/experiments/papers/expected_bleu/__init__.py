"""Wuebker et al. 2015: maximum expected BLEU training at scale."""

from __future__ import annotations

from calque.experiments.paper import Paper
from calque.experiments.papers.expected_bleu import curves, efficiency, rules, unseen
from calque.experiments.papers.expected_bleu.cells import ITERATIONS, TUNING_ROUNDS

PAPER = Paper(
    "expected-bleu",
    "Wuebker et al. 2015: a comparison of update strategies for large-scale maximum expected BLEU"
    " training",
    "Hundreds of thousands of sparse features learned from lists of the training text by four"
    " update rules, then a few dense ones by MERT.",
    pair="far",
    sizes={"train": 20_000, "dev": 200, "test": 400},
    scale=0.25,
    default_rounds=0.75,
    rounds=f"{ITERATIONS} iterations over all lists, and {TUNING_ROUNDS} rounds of MERT",
    sentences="the training pairs, which sparse weights are learned from",
    sections={
        "2": rules.section,
        "figure-2": curves.section,
        "unseen": unseen.section,
        "efficiency": efficiency.section,
    },
)
