"""What stands behind a score, in sacreBLEU's notation: settings as key:value, the version last."""

from __future__ import annotations

from importlib.metadata import version

from calque.metrics.metric import Metric


def sacrebleu_signature(**settings: object) -> str:
    """Settings and the version of sacreBLEU, whose definition and tokenizers a metric shares."""
    return _join(settings | {"version": version("sacrebleu")})


def calque_signature(**settings: object) -> str:
    """Settings and our version, for metrics that sacreBLEU does not have."""
    return _join(settings | {"version": f"calque-{version('calque')}"})


def full_signature(metric: Metric, n_references: int) -> str:
    """The signature of a score: the metric's, and how many references it was held against."""
    return f"nrefs:{n_references}|{metric.signature}"


def case(lowercase: bool) -> str:
    """How signatures say whether case counts."""
    return "lc" if lowercase else "mixed"


def _join(settings: dict[str, object]) -> str:
    words = {True: "yes", False: "no"}
    return "|".join(
        f"{key}:{words[value] if isinstance(value, bool) else value}"
        for key, value in settings.items()
    )
