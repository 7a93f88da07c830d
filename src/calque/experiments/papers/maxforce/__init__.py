"""Yu et al. 2013: max-violation perceptron and forced decoding for scalable MT training."""

from __future__ import annotations

from calque.experiments.paper import Paper
from calque.experiments.papers.maxforce import groups, minibatch, reach, systems, updates
from calque.experiments.papers.maxforce.cells import ITERATIONS, ROUNDS

PAPER = Paper(
    "maxforce",
    "Yu et al. 2013: max-violation perceptron and forced decoding for scalable MT training",
    "Millions of sparse features learned on the training text from the places where the beam search"
    " loses the reference, against MERT and PRO on the development text.",
    pair="far",
    sizes={"train": 20_000, "dev": 200, "test": 400},
    scale=0.25,
    default_rounds=0.5,
    rounds=f"{ITERATIONS} iterations over the training text (MERT, PRO: {ROUNDS} rounds)",
    sentences="the training pairs, which weights are learned from",
    sections={
        "reach": reach.section,
        "updates": updates.section,
        "groups": groups.section,
        "systems": systems.section,
        "minibatch": minibatch.section,
    },
)
