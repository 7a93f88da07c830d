from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from calque.errors import CalqueError, OptionError

METRICS = ("bleu", "chrf", "ter")
TOKENIZERS = ("13a", "none", "intl", "char", "zh", "ja-mecab", "ko-mecab")
"""How BLEU splits words; `none` takes the spaces of the text, for text that is tokenised."""


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
    metrics: Iterable[str] = METRICS,
    tokenize: str = "13a",
) -> list[Score]:
    """The corpus scores of `hypotheses` against one or more complete sets of references.

    BLEU and chrF run from 0 to 100, TER is a percentage of edits (lower is better). Values are
    computed by sacreBLEU. Raises `CalqueError` where numbers of lines differ or a name is unknown.
    """
    for position, reference in enumerate(references, 1):
        if len(reference) != len(hypotheses):
            raise CalqueError(
                f"reference {position} has {len(reference):,} lines,"
                f" the hypothesis has {len(hypotheses):,}"
            )
    if not hypotheses:
        raise CalqueError("nothing to score: the hypothesis has no lines")
    if not references:
        raise CalqueError("nothing to score against: give at least one reference")
    return [_score(name, hypotheses, references, tokenize) for name in metrics]


def _score(
    name: str, hypotheses: Sequence[str], references: Sequence[Sequence[str]], tokenize: str
) -> Score:
    try:
        metric = _metric(name, tokenize)
    except RuntimeError as error:  # a tokenizer whose dictionaries are not installed
        raise CalqueError(f"tokenizer '{tokenize}': {' '.join(str(error).split())}") from error
    value = metric.corpus_score(list(hypotheses), [list(lines) for lines in references])
    return Score(name, value.score, name != "ter", str(metric.get_signature()))


def _metric(name: str, tokenize: str) -> Any:
    _known("metric", name, METRICS)
    _known("tokenizer", tokenize, TOKENIZERS)
    # Here, not above: sacreBLEU takes longer to import than most commands take to run.
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    if name == "bleu":
        return BLEU(tokenize=tokenize, force=True)
    return CHRF() if name == "chrf" else TER()


def _known(what: str, name: str, valid: Sequence[str]) -> None:
    if name not in valid:
        near = difflib.get_close_matches(name, valid, n=1, cutoff=0.4)
        hint = f"did you mean '{near[0]}'?" if near else f"one of {', '.join(valid)}"
        raise OptionError(f"unknown {what} '{name}'; {hint}")
