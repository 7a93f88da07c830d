"""Tillmann & Zhang 2008: an online relevant set algorithm for statistical machine translation."""

from __future__ import annotations

from calque.experiments.paper import Paper
from calque.experiments.papers.relevant_set.binary import table_five
from calque.experiments.papers.relevant_set.combined import table_nine
from calque.experiments.papers.relevant_set.dense import table_eight, table_seven, table_six

PAPER = Paper(
    "relevant-set",
    "Tillmann & Zhang 2008: an online relevant set algorithm for statistical machine translation",
    "Weights learned by a cost margin or a perceptron on all outputs of the decoder so far:"
    " millions of binary features on the training text, seven dense ones on the development text,"
    " and both.",
    pair="far",
    sizes={"train": 20_000, "dev": 200, "test": 400},
    scale=0.2,
    default_rounds=0.5,
    rounds="30 rounds (MER: 20) of decoding and learning",
    sentences="the training pairs that keep every source phrase of the test text, on which binary"
    " features are learned",
    sections={
        "V": table_five,
        "VI": table_six,
        "VII": table_seven,
        "VIII": table_eight,
        "IX": table_nine,
    },
)
