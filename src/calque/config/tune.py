from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calque.config.option import option

FIXED_HELP = "features whose weights stay as they are, separated by commas"


@dataclass(frozen=True)
class MertOptions:
    """Minimum error rate training: exact line searches on the metric itself (Och 2003)."""

    rounds: int = option(10, "most rounds of decoding and tuning", least=1)
    settled: float = option(
        1e-3, "stop where no weight changes by more than this share of the largest", least=0
    )
    fixed: str = option("", FIXED_HELP)
    restarts: int = option(40, "random starting points besides the best weights so far", least=0)
    random_directions: int = option(
        10, "random directions tried per pass besides the axes", least=0
    )
    interval: Literal["middle", "average"] = option(
        "middle", "judge an interval by its own score, or by the mean with its neighbours"
    )
    neighbours: int = option(2, "intervals on each side that `average` takes in", least=1)
    runs: int = option(1, "runs whose weights are averaged", least=1)


@dataclass(frozen=True)
class ProOptions:
    """Pairwise ranking optimisation: logistic regression on pairs (Hopkins & May 2011)."""

    rounds: int = option(15, "most rounds of decoding and tuning", least=1)
    settled: float = option(
        1e-3, "stop where no weight changes by more than this share of the largest", least=0
    )
    fixed: str = option("", FIXED_HELP)
    repeats: int = option(3, "times per round that pairs are sampled and weights move", least=1)
    sampled: int = option(5000, "pairs sampled per sentence", least=1)
    kept: int = option(50, "pairs kept per sentence", least=1)
    choice: Literal["largest", "random"] = option(
        "largest", "keep the pairs of largest difference, or any that differ enough"
    )
    least_difference: float = option(
        0.05, "pairs closer than this in sentence score (0 to 1) are dropped", least=0, most=1
    )
    most_difference: float = option(
        1.0, "pairs further apart than this in sentence score are dropped as monsters", least=0
    )
    most_words: int = option(
        10, "pairs further apart than this in length, in words, are dropped; 0: none", least=0
    )
    gain: Literal["auto", "bleu+1", "corpus"] = option(
        "auto",
        "what a candidate is worth: its BLEU+1, or what it adds to a small corpus of like output;"
        " auto: BLEU+1 where BLEU is tuned for",
    )
    background: int = option(10, "sentences of that corpus", least=1)
    smooth_brevity: bool = option(
        True, "smooth the brevity penalty of BLEU+1 too, against ever shorter output"
    )
    regularization: float = option(1e-4, "weight of the squared norm, per pair", least=0)
    mixture: Literal["searched", "fixed"] = option(
        "searched",
        "go from the old weights towards the new as far as the metric on the candidates says,"
        " or by the share `interpolation`",
    )
    interpolation: float = option(
        0.5, "share of the new weights in a fixed mixture with the old", least=0, most=1
    )


@dataclass(frozen=True)
class MiraOptions:
    """Batch k-best MIRA: hope and fear, with a margin of their metric (Cherry & Foster 2012)."""

    rounds: int = option(10, "most rounds of decoding and tuning", least=1)
    settled: float = option(
        1e-3, "stop where no weight changes by more than this share of the largest", least=0
    )
    fixed: str = option("", FIXED_HELP)
    passes: int = option(30, "passes over the lists per round", least=1)
    step: float = option(0.01, "largest step of an update (C)", least=0)
    decay: float = option(
        0.999, "how much of the background corpus stays from sentence to sentence", least=0, most=1
    )
