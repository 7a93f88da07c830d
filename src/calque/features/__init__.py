"""What scores a translation, and the weights of the scores."""

from calque.features.brown import learn_classes
from calque.features.class_lm import ClassLanguageModel, class_ids, estimate_class_lm
from calque.features.classes import LEVELS, WordClasses, read_brown, read_tags, word_type
from calque.features.columns import BlockColumn, OrientationColumn
from calque.features.dense import COMPONENTS, REORDERING, SETS, TRANSLATION, DenseData, chosen
from calque.features.events import BlockEvents, Events
from calque.features.families import (
    FAMILIES,
    GROUPS,
    Families,
    chosen_templates,
    families_from_json,
    families_to_json,
    family_names,
    import_families,
    wordedges,
)
from calque.features.feature_set import FeatureSet, WordData
from calque.features.hierarchical import HierarchicalData, learn_hierarchical
from calque.features.jumps import JumpTable
from calque.features.local_model import LocalModelData, learn_local_model
from calque.features.model4 import Model4Data, learn_model4
from calque.features.relevant_set import RelevantSetData, learn_relevant_set
from calque.features.sparse import SparseWeights
from calque.features.template import SLOTS, Template
from calque.features.weights import DENSE, Weights

__all__ = [
    "COMPONENTS",
    "DENSE",
    "FAMILIES",
    "GROUPS",
    "LEVELS",
    "REORDERING",
    "SETS",
    "SLOTS",
    "TRANSLATION",
    "BlockColumn",
    "BlockEvents",
    "ClassLanguageModel",
    "DenseData",
    "Events",
    "Families",
    "FeatureSet",
    "HierarchicalData",
    "JumpTable",
    "LocalModelData",
    "Model4Data",
    "OrientationColumn",
    "RelevantSetData",
    "SparseWeights",
    "Template",
    "Weights",
    "WordClasses",
    "WordData",
    "chosen",
    "chosen_templates",
    "class_ids",
    "estimate_class_lm",
    "families_from_json",
    "families_to_json",
    "family_names",
    "import_families",
    "learn_classes",
    "learn_hierarchical",
    "learn_local_model",
    "learn_model4",
    "learn_relevant_set",
    "read_brown",
    "read_tags",
    "word_type",
    "wordedges",
]
