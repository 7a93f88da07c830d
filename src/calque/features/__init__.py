"""What scores a translation, and the weights of the scores."""

from calque.features.brown import learn_classes
from calque.features.class_lm import ClassLanguageModel, class_ids, estimate_class_lm
from calque.features.classes import LEVELS, WordClasses, read_brown, read_tags, word_type
from calque.features.sparse import SparseWeights
from calque.features.weights import DENSE, Weights

__all__ = [
    "DENSE",
    "LEVELS",
    "ClassLanguageModel",
    "SparseWeights",
    "Weights",
    "WordClasses",
    "class_ids",
    "estimate_class_lm",
    "learn_classes",
    "read_brown",
    "read_tags",
    "word_type",
]
