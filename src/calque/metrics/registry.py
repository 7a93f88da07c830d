from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from calque.errors import OptionError
from calque.metrics.avg_bleu import AvgBleu
from calque.metrics.bleu import Bleu
from calque.metrics.bleu_plus_one import BleuPlusOne
from calque.metrics.chrf import Chrf
from calque.metrics.expected_bleu import ExpectedBleu
from calque.metrics.external import ExternalScores
from calque.metrics.meteor import Meteor
from calque.metrics.metric import Metric
from calque.metrics.mwer import AvgMwer, AvgReverseMwer, Mwer, ReverseMwer
from calque.metrics.names import check_name
from calque.metrics.nist import Nist
from calque.metrics.per import Per
from calque.metrics.ter import Ter

_CLASSES: Mapping[str, type[Any]] = types.MappingProxyType(
    {
        metric.name: metric
        for metric in (
            Bleu, Chrf, Ter, Nist, Meteor, Mwer, ReverseMwer, Per, AvgMwer,
            AvgReverseMwer, AvgBleu, BleuPlusOne, ExpectedBleu, ExternalScores,
        )
    }
)  # fmt: skip
METRIC_NAMES = tuple(_CLASSES)
_KINDS = {"bool": (bool,), "int": (int,), "float": (int, float), "str": (str, Path)}
_WORDS = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "text"}


def make_metric(name: str, **settings: Any) -> Metric:
    """The metric of this name with these settings; the rest at their defaults.

    Raises `OptionError` for names and settings that do not exist, with the nearest one that does,
    and for values of the wrong kind.
    """
    check_name("metric", name, METRIC_NAMES)
    valid = {field.name: field for field in fields(_CLASSES[name])}
    for setting, value in settings.items():
        check_name(f"setting of {name}", setting, tuple(valid))
        _check_kind(name, valid[setting], value)
    for setting, field in valid.items():
        if field.default is MISSING and setting not in settings:
            raise OptionError(f"{name}: the setting '{setting}' is missing")
    metric: Metric = _CLASSES[name](**settings)
    return metric


def settings_of(name: str) -> tuple[str, ...]:
    """The names of the settings of a metric."""
    check_name("metric", name, METRIC_NAMES)
    return tuple(field.name for field in fields(_CLASSES[name]))


def _check_kind(name: str, field: Field[Any], value: Any) -> None:
    kind = str(field.type)
    if kind not in _KINDS:
        return
    if not isinstance(value, _KINDS[kind]) or (kind != "bool" and isinstance(value, bool)):
        raise OptionError(f"{name}: {field.name}={value}: expected {_WORDS[kind]}")
