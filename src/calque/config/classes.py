from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class ClassOptions:
    """How words are sorted into classes, and the language model over the classes."""

    n_classes: int = option(200, "classes that words are sorted into", least=2, most=10_000)
    iterations: int = option(
        20, "passes over the words; fewer where no word moves any more", least=1
    )
    min_count: int = option(1, "rarer words share the class of unknown words", least=1)
    lm_order: int = option(7, "longest n-gram of the language model of classes", least=1, most=7)
