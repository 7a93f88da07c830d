"""How fast n-best lists are scored: hypotheses per second, against calling sacreBLEU for each.

The 50-best lists of a neural system for multi30k, about 100,000 hypotheses, on one thread.
sacreBLEU scores a sample of them, one hypothesis at a time with its references, in the same run.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from _measure import SHARED, seconds_of_best, write_json
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from yardstick import yardstick

from calque.metrics import METRIC_NAMES, make_metric, settings_of
from calque.text import read_lines

NMT = SHARED / "data" / "nmt"
MULTI30K = SHARED / "data" / "multi30k"
N_SAMPLE = 2_000
"""Hypotheses that sacreBLEU scores."""
TIMES = 3
"""Runs of which the best counts."""
AT_LEAST = 50
"""How many times faster statistics of BLEU must be."""
ORACLES: dict[str, Any] = {
    "bleu": BLEU(tokenize="none", effective_order=True, force=True),
    "chrf": CHRF(),
    "ter": TER(),
}


@dataclass(frozen=True)
class Lists:
    """Hypotheses, the sentence of each, and one reference per sentence."""

    hypotheses: list[str]
    sentences: NDArray[np.int64]
    references: list[str]


def read() -> Lists:
    """The lists of dev and test one after the other."""
    hypotheses: list[str] = []
    sentences: list[int] = []
    references: list[str] = []
    for part in ("dev", "test"):
        for line in read_lines(NMT / f"multi30k.{part}.nbest50.gz"):
            number, hypothesis = line.split(" ||| ", 2)[:2]
            sentences.append(len(references) + int(number))
            hypotheses.append(hypothesis)
        references += read_lines(MULTI30K / f"{part}.en")
    return Lists(hypotheses, np.array(sentences), references)


def measure(lists: Lists) -> dict[str, Any]:
    """Seconds and rates per metric; with `times_faster` where sacreBLEU has the metric."""
    facts: dict[str, Any] = {}
    for name in METRIC_NAMES:
        if name == "external":
            continue
        settings = {"tokenize": "none"} if "tokenize" in settings_of(name) else {}
        metric = make_metric(name, **settings)
        prepare_s = seconds_of_best(partial(metric.prepare, [lists.references]), TIMES)
        prepared = metric.prepare([lists.references])
        count_s = seconds_of_best(
            partial(prepared.statistics, lists.hypotheses, lists.sentences), TIMES
        )
        facts[name] = {
            "prepare_s": prepare_s,
            "statistics_s": count_s,
            "hypotheses_per_second": len(lists.hypotheses) / count_s,
        }
        if name in ORACLES:
            rate = sacrebleu_rate(ORACLES[name], lists)
            facts[name]["sacrebleu_per_second"] = rate
            facts[name]["times_faster"] = len(lists.hypotheses) / count_s / rate
    return facts


def sacrebleu_rate(metric: Any, lists: Lists) -> float:
    """Hypotheses per second, one call each, over a sample spread evenly over the lists."""
    sample = np.linspace(0, len(lists.hypotheses) - 1, N_SAMPLE).astype(int)
    pairs = [(lists.hypotheses[i], [lists.references[lists.sentences[i]]]) for i in sample]

    def work() -> None:
        for hypothesis, references in pairs:
            metric.sentence_score(hypothesis, references)

    return N_SAMPLE / seconds_of_best(work, TIMES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for metrics.json")
    arguments = parser.parse_args()
    if not NMT.exists() or not MULTI30K.exists():
        print(f"{NMT}: absent, nothing to measure: the n-best lists are not part of the project")
        return
    os.environ["CALQUE_THREADS"] = "1"
    lists = read()
    facts = measure(lists)
    n_hypotheses, n_sentences = len(lists.hypotheses), len(lists.references)
    print(f"{n_hypotheses:,} hypotheses of {n_sentences:,} sentences, one thread")
    for name, speed in facts.items():
        line = (
            f"{name:<14}{speed['hypotheses_per_second'] / 1e6:8.3f} million hypotheses per second"
        )
        if "times_faster" in speed:
            line += f", {speed['times_faster']:,.0f} times sacreBLEU"
        print(line)
    held = facts["bleu"]["times_faster"] >= AT_LEAST
    print(f"statistics of BLEU at least {AT_LEAST} times as fast: {'yes' if held else 'NO'}")
    everything = {
        "hypotheses": n_hypotheses,
        "sample": N_SAMPLE,
        "metrics": facts,
        "yardstick": yardstick(),
    }
    print(f"wrote {write_json(arguments.out, 'metrics.json', everything)}")
    if not held:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
