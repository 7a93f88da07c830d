"""Systems side by side under several metrics, and in one line which is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from calque.config import CompareOptions
from calque.metrics import Metric, full_signature
from calque.metrics.runs import statistics_of_runs
from calque.metrics.significance import Comparison, Difference, Interval, compare
from calque.progress import SILENT, Progress

_TESTS = ("paired approximate randomisation", "paired bootstrap")


@dataclass(frozen=True)
class System:
    """A system by what it wrote: the translations of the same sentences, once for each run."""

    name: str
    runs: tuple[Sequence[str], ...]


@dataclass(frozen=True)
class MetricComparison:
    """What one metric says of the systems."""

    metric: Metric
    signature: str
    comparison: Comparison
    sentences: NDArray[np.float64]
    """Scores of single sentences, averaged over runs: (n_systems, n_sentences)."""

    @property
    def n_decimals(self) -> int:
        """Digits behind the point that are worth printing."""
        return n_decimals([system.value for system in self.comparison.systems])

    def gains(self, system: int) -> NDArray[np.float64]:
        """How much better than the baseline a system did each sentence, whatever the direction."""
        direction = 1 if self.metric.higher_is_better else -1
        gains: NDArray[np.float64] = direction * (self.sentences[system] - self.sentences[0])
        return gains.round(9)  # means over equal runs may differ in their last digit


@dataclass(frozen=True)
class SystemsComparison:
    """Everything that `calque compare` found; the first system is the baseline."""

    systems: tuple[System, ...]
    metrics: tuple[MetricComparison, ...]
    options: CompareOptions

    @property
    def by_bootstrap(self) -> bool:
        """Whether the bootstrap decides: it knows, of several runs, that some are better."""
        return any(len(system.runs) > 1 for system in self.systems)

    def is_better(self, of: MetricComparison, system: int) -> bool | None:
        """Whether a system beats the baseline; `None` where the difference may be chance."""
        difference = of.comparison.differences[system - 1]
        if _p_values(difference, self.by_bootstrap)[0] > self.options.level:
            return None
        return (difference.value > 0) == of.metric.higher_is_better

    def verdict(self, of: MetricComparison, system: int) -> str:
        """One line that says which of two systems is better, by how much, and how we know."""
        difference = of.comparison.differences[system - 1]
        name, baseline = self.systems[system].name, self.systems[0].name
        better = self.is_better(of, system)
        if better is None:
            claim = f"no significant difference between {name} and {baseline}"
        else:
            claim = f"{name} is {'better' if better else 'worse'} than {baseline}"
        amount = f"{difference.value:+.{of.n_decimals}f} {label(of.metric.name)}"
        tests = _TESTS[::-1] if self.by_bootstrap else _TESTS
        p, other_p = _p_values(difference, self.by_bootstrap)
        line = f"{claim}: {amount}, {show_p(p)} ({tests[0]}, {self.options.trials:,} trials)"
        if (other_p <= self.options.level) == (better is not None):
            return line
        says = "sees one" if better is None else "does not confirm it"
        return f"{line}; {tests[1]} {says}, {show_p(other_p)}"


def compare_systems(
    systems: Sequence[System],
    references: Sequence[Sequence[str]],
    metrics: Sequence[Metric],
    options: CompareOptions | None = None,
    progress: Progress = SILENT,
) -> SystemsComparison:
    """The scores of systems under each metric and their differences to the first system.

    References and the runs of all systems are lines of the same sentences.
    """
    options = options or CompareOptions()
    runs = [run for system in systems for run in system.runs]
    by_metric = []
    for metric in metrics:
        with progress.stage(f"compare {label(metric.name)}"):
            rows = iter(statistics_of_runs(metric, references, runs))
            statistics = [list(islice(rows, len(system.runs))) for system in systems]
            comparison = compare(metric, statistics, options)
            scores = [np.mean([metric.score(run) for run in own], axis=0) for own in statistics]
        signature = full_signature(metric, len(references))
        by_metric.append(MetricComparison(metric, signature, comparison, np.stack(scores)))
    return SystemsComparison(tuple(systems), tuple(by_metric), options)


def _p_values(difference: Difference, by_bootstrap: bool) -> tuple[float, float]:
    """The p-value that decides, and that of the other test."""
    p_values = difference.p_randomization, difference.p_bootstrap
    return p_values[::-1] if by_bootstrap else p_values


def label(metric: str) -> str:
    """The name of a metric as people write it."""
    written = {"chrf": "chrF", "mwer": "mWER", "reverse-mwer": "reverse mWER"}
    kept = {"external": "external", "expected-bleu": "expected BLEU"}
    if metric.startswith("avg-"):
        return f"average {label(metric.removeprefix('avg-'))}"
    return written.get(metric) or kept.get(metric) or metric.upper()


def n_decimals(scores: Sequence[float]) -> int:
    """Digits behind the point that are worth printing: scores below 1 need more of them."""
    return 2 if max(map(abs, scores)) >= 1 else 4


def show_p(p: float) -> str:
    """`p = 0.034`, with more digits where it is small."""
    return f"p = {p:.3f}" if p >= 0.001 else f"p = {p:.1g}"


NAME_COLUMNS = 2
"""The first columns of `tabulate` are names, the others numbers."""


def figures(comparison: SystemsComparison) -> tuple[list[str], list[list[object]]]:
    """The heads and rows of a table for programs: every figure in a column of its own."""
    heads = ["metric", "system", "runs", "score", "score_low", "score_high", "sd_sentences"]
    heads += ["sd_runs", "difference", "difference_low", "difference_high", "p_bootstrap"]
    heads += ["p_randomization"]
    rows = []
    for of_metric in comparison.metrics:
        for i, score in enumerate(of_metric.comparison.systems):
            row: list[object] = [of_metric.metric.name, comparison.systems[i].name, len(score.runs)]
            row += [score.value, score.interval.low, score.interval.high]
            row += [score.sd_sentences, score.sd_runs]
            if i:
                difference = of_metric.comparison.differences[i - 1]
                row += [difference.value, difference.interval.low, difference.interval.high]
                row += [difference.p_bootstrap, difference.p_randomization]
            rows.append(row + [None] * (len(heads) - len(row)))
    return heads, rows


def tabulate(comparison: SystemsComparison) -> tuple[list[str], list[list[str]]]:
    """The heads and rows of a table with a row per metric and system; two columns are names.

    Standard deviations are there where there are several runs: else the interval says as much.
    """
    several = comparison.by_bootstrap
    confidence = f"[{100 * (1 - comparison.options.level):g} %]"
    heads = ["metric", "system", f"score {confidence}"]
    heads += ["sd sent.", "sd runs"] if several else []
    heads += [f"difference {confidence}", "p boot.", "p rand."]
    rows = []
    for of_metric in comparison.metrics:
        digits = of_metric.n_decimals
        for i, score in enumerate(of_metric.comparison.systems):
            cells = ["" if i else label(of_metric.metric.name), comparison.systems[i].name]
            cells += [_show(score.value, score.interval, f".{digits}f")]
            if several:
                cells += [f"{score.sd_sentences:.{digits}f}"]
                cells += ["" if score.sd_runs is None else f"{score.sd_runs:.{digits}f}"]
            if i:
                difference = of_metric.comparison.differences[i - 1]
                cells += [_show(difference.value, difference.interval, f"+.{digits}f")]
                p_values = (difference.p_bootstrap, difference.p_randomization)
                cells += [show_p(p).removeprefix("p = ") for p in p_values]
            rows.append(cells + [""] * (len(heads) - len(cells)))
    return heads, rows


def _show(value: float, interval: Interval, how: str) -> str:
    return f"{value:{how}} [{interval.low:{how}}, {interval.high:{how}}]"
