from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class ClassOptions:
    """How words are sorted into classes, and the language model over the classes."""

    n_classes: int = option(200, "number of word classes", least=2, most=10_000)
    iterations: int = option(
        20,
        "maximum number of passes over the words; learning stops earlier if no word changes"
        " its class",
        least=1,
    )
    min_count: int = option(
        1, "words that occur less often share the class of unknown words", least=1
    )
    lm_order: int = option(7, "order of the language model of word classes", least=1, most=7)
