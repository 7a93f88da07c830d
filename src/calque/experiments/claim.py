"""What a paper claims, and whether it holds here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from calque.config import CompareOptions
from calque.experiments.corpus import Text
from calque.metrics import make_metric
from calque.report import System, SystemsComparison, compare_systems
from calque.report.comparison import label, show_p


class Verdict(StrEnum):
    """What is said of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not significant"


@dataclass(frozen=True)
class Evidence:
    """One observation that a claim rests on."""

    verdict: Verdict
    seen: str
    """What was seen, in one line."""


@dataclass(frozen=True)
class Claim:
    """A numbered claim, what the paper saw, and what was seen here."""

    number: str
    text: str
    """The claim in our words."""
    paper: str
    """The figures of the paper."""
    criterion: str
    """When we say that it holds."""
    evidence: Sequence[Evidence]

    @property
    def verdict(self) -> Verdict:
        """That of the weakest evidence: one contradiction is enough, and then one doubt."""
        verdicts = {item.verdict for item in self.evidence}
        return next((v for v in (Verdict.FAILS, Verdict.OPEN) if v in verdicts), Verdict.HOLDS)


def stated(holds: bool, seen: str) -> Evidence:
    """Evidence by a plain criterion, which the claim states."""
    return Evidence(Verdict.HOLDS if holds else Verdict.FAILS, seen)


@dataclass(frozen=True)
class Paired:
    """Compares translations of the same text by a paired test.

    With one run of each system approximate randomisation decides, with several the bootstrap, which
    knows that another run may be better or worse as a whole.
    """

    text: Text
    metric: str = "bleu"
    options: CompareOptions = field(default_factory=CompareOptions)

    def better(self, system: System, baseline: System) -> Evidence:
        """The claim that a system is better: it is in doubt where the difference may be chance."""
        comparison = self._compare(system, baseline)
        verdicts = {True: Verdict.HOLDS, False: Verdict.FAILS, None: Verdict.OPEN}
        return Evidence(
            verdicts[comparison.is_better(comparison.metrics[0], 1)], self._line(comparison)
        )

    def not_worse(self, system: System, baseline: System) -> Evidence:
        """The claim that a system is as good or better: refuted where it is clearly worse."""
        comparison = self._compare(system, baseline)
        return stated(
            comparison.is_better(comparison.metrics[0], 1) is not False, self._line(comparison)
        )

    def alike(self, system: System, baseline: System, margin: float) -> Evidence:
        """The claim that two systems do not differ: refuted by a clear difference over `margin`."""
        comparison = self._compare(system, baseline)
        clear = comparison.is_better(comparison.metrics[0], 1) is not None
        size = abs(comparison.metrics[0].comparison.differences[0].value)
        return stated(not clear or size <= margin, self._line(comparison))

    def half_width(self, system: System) -> float:
        """Half of the interval that the score of a system lies in, by the bootstrap."""
        [metric] = self._compare(system).metrics
        interval = metric.comparison.systems[0].interval
        return (interval.high - interval.low) / 2

    def _compare(self, system: System, *baselines: System) -> SystemsComparison:
        metric = make_metric(self.metric, tokenize="none")
        lines = self.text.reference_lines
        return compare_systems([*baselines, system], lines, [metric], self.options)

    def _line(self, comparison: SystemsComparison) -> str:
        [of_metric] = comparison.metrics
        baseline, system = (
            f"{score.value:.{of_metric.n_decimals}f}" for score in of_metric.comparison.systems
        )
        difference = of_metric.comparison.differences[0]
        p = difference.p_bootstrap if comparison.by_bootstrap else difference.p_randomization
        return (
            f"{comparison.systems[1].name} {system} against {comparison.systems[0].name} {baseline}"
            f" {label(self.metric)} on {self.text.name}"
            f" ({difference.value:+.{of_metric.n_decimals}f}, {show_p(p)})"
        )
