from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from calque.errors import CalqueError, refuse_text
from calque.metrics.metric import Metric
from calque.metrics.registry import make_metric, settings_of
from calque.metrics.signature import full_signature
from calque.metrics.words import check_tokenizer

METRICS = ("bleu", "chrf", "ter")
"""What is printed where nothing else is asked for."""


@dataclass(frozen=True)
class Score:
    """What one metric says of a corpus."""

    metric: str
    value: float
    higher_is_better: bool
    signature: str
    """The exact settings behind the value, in sacreBLEU's notation."""


def score(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    metrics: Iterable[str | Metric] = METRICS,
    tokenize: str = "13a",
) -> list[Score]:
    """The corpus scores of `hypotheses` against one or more complete sets of references.

    Metrics are names or made metrics; `tokenize` goes to named ones that split words. BLEU, chrF
    and TER equal sacreBLEU's. Raises `CalqueError` where numbers of lines differ or a name is
    unknown.
    """
    refuse_text("hypotheses", hypotheses, "a list of sentences")
    refuse_text("references", references, "a list with a list of sentences for each set")
    refuse_text("metrics", metrics, "a list of names, such as ['bleu']")
    for position, reference in enumerate(references, 1):
        refuse_text(f"reference {position}", reference, "a list of sentences")
        if len(reference) != len(hypotheses):
            raise CalqueError(
                f"reference {position} has {len(reference):,} lines,"
                f" the hypothesis has {len(hypotheses):,}"
            )
    if not hypotheses:
        raise CalqueError("nothing to score: the hypothesis has no lines")
    if not references:
        raise CalqueError("nothing to score against: give at least one reference")
    check_tokenizer(tokenize)
    return [_score(_metric(metric, tokenize), hypotheses, references) for metric in metrics]


def _metric(metric: str | Metric, tokenize: str) -> Metric:
    if isinstance(metric, Metric):
        return metric
    if "tokenize" in settings_of(metric):
        return make_metric(metric, tokenize=tokenize)
    return make_metric(metric)


def _score(metric: Metric, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Score:
    total = metric.prepare(references).statistics(hypotheses).sum(axis=0)
    signature = full_signature(metric, len(references))
    return Score(metric.name, float(metric.score(total)), metric.higher_is_better, signature)
