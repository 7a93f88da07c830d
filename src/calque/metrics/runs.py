from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calque.metrics.metric import Metric, Statistics


def statistics_of_runs(
    metric: Metric, references: Sequence[Sequence[str]], runs: Sequence[Sequence[str]]
) -> list[Statistics]:
    """The statistics of several translations of the same sentences, references prepared once."""
    sentences = np.tile(np.arange(len(references[0]), dtype=np.int64), len(runs))
    lines = [line for run in runs for line in run]
    # In one call: external scores, which know hypotheses by their number alone, are those of all.
    return np.split(metric.prepare(references).statistics(lines, sentences), len(runs))
