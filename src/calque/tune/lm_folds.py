"""Language models that have not seen a part of the bitext: one that has knows it too well."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calque.config.lm import LmOptions
from calque.errors import CalqueError
from calque.features import ClassLanguageModel
from calque.lm import LanguageModel, estimate
from calque.model import Model
from calque.text import Sentences


def other_folds(n_pairs: int, at_once: int, fold: int, n_folds: int) -> NDArray[np.bool_]:
    """Which pairs are not of a fold, where stretches of `at_once` pairs take turns in the folds."""
    keep: NDArray[np.bool_] = np.arange(n_pairs) // at_once % n_folds != fold
    if not keep.any():
        raise CalqueError(
            f"lm_folds={n_folds}: all {n_pairs:,} sentence pairs are in one fold; expected more"
            f" than {at_once:,} pairs"
        )
    return keep


def lm_of(model: Model, sentences: Sentences) -> LanguageModel:
    """A language model like that of the model, of these target sentences."""
    return estimate(sentences, model.target_vocabulary, LmOptions(order=model.lm.order))


def with_lms_of(model: Model, sentences: Sentences) -> Model:
    """The model with language models of these target sentences in place of its own."""
    data, classes = model.feature_data, model.feature_data.class_lm
    if classes is not None:
        mapped = Sentences(classes.class_of[sentences.ids], sentences.offsets)
        lm = estimate(mapped, classes.lm.vocabulary, LmOptions(order=classes.lm.order))
        data = replace(data, class_lm=ClassLanguageModel(lm, classes.class_of))
    return replace(model, lm=lm_of(model, sentences), feature_data=data)
