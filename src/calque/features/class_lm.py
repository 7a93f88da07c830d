"""A language model over word classes: long n-grams that words alone are too sparse for."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque.config import ClassOptions, LmOptions
from calque.features.classes import WordClasses
from calque.lm import LanguageModel, estimate
from calque.progress import SILENT, Progress, Stage
from calque.text import RESERVED, Sentences, Vocabulary


@dataclass(frozen=True, eq=False)
class ClassLanguageModel:
    """A language model whose words are classes, and the class of every word."""

    lm: LanguageModel
    """Its vocabulary holds the bit strings of the classes."""
    class_of: NDArray[np.int32]
    """The id in that vocabulary by word id; reserved words keep their ids."""

    def map(self, sentences: Sentences) -> Sentences:
        """The sentences of words as sentences of classes."""
        return Sentences(self.class_of[sentences.ids], sentences.offsets)


def class_ids(classes: WordClasses, vocabulary: Vocabulary) -> tuple[Vocabulary, NDArray[np.int32]]:
    """The vocabulary of classes, sorted, and the id of its class for every word."""
    bits = [classes.value("brown", word) for word in vocabulary]
    names = Vocabulary(sorted(set(bits) - set(RESERVED)))
    of = np.fromiter((names.id(name) for name in bits), np.int32, len(bits))
    of[: len(RESERVED)] = np.arange(len(RESERVED))
    return names, of


def estimate_class_lm(
    sentences: Sentences,
    vocabulary: Vocabulary,
    classes: WordClasses,
    options: ClassOptions = ClassOptions(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
    *,
    memory_mb: int = LmOptions().memory_mb,
) -> ClassLanguageModel:
    """The n-gram model of order `lm_order` of the sentences with each word as its Brown class.

    Few classes leave few n-grams of low order, none of which may occur just once: there fixed
    discounts stand in for those that cannot be estimated (see `lm.estimate`). This is
    expected for classes, so there is no warning.
    """
    names, of = class_ids(classes, vocabulary)
    mapped = Sentences(of[sentences.ids], sentences.offsets)
    how = LmOptions(order=options.lm_order, memory_mb=memory_mb)
    lm = estimate(mapped, names, how, _Unwarned(progress))
    return ClassLanguageModel(lm, of)


class _Unwarned:
    """A listener that hears of stages but not of warnings."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def stage(self, name: str, total: float | None = None) -> AbstractContextManager[Stage]:
        """Open a step of the work on classes."""
        return self._progress.stage(f"classes: {name}", total)

    def warn(self, message: str) -> None:
        """Drop the message."""
