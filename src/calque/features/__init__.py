"""What scores a translation, and the weights of the scores."""

from calque.features.dense import (
    COMPONENTS,
    REORDERING,
    SETS,
    TRANSLATION,
    Column,
    DenseData,
    Jumps,
    OrientationColumn,
    chosen,
)
from calque.features.feature_set import FeatureSet
from calque.features.weights import DENSE, Weights

__all__ = [
    "COMPONENTS",
    "DENSE",
    "REORDERING",
    "SETS",
    "TRANSLATION",
    "Column",
    "DenseData",
    "FeatureSet",
    "Jumps",
    "OrientationColumn",
    "Weights",
    "chosen",
]
