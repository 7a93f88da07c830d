"""What scores a translation, and the weights of the scores."""

from calque.features.columns import BlockColumn, OrientationColumn
from calque.features.events import BlockEvents, Events
from calque.features.jumps import JumpTable
from calque.features.local_model import LocalModelData, learn_local_model
from calque.features.model4 import Model4Data, learn_model4
from calque.features.relevant_set import RelevantSetData, learn_relevant_set
from calque.features.weights import DENSE, Weights

__all__ = [
    "DENSE",
    "BlockColumn",
    "BlockEvents",
    "Events",
    "JumpTable",
    "LocalModelData",
    "Model4Data",
    "OrientationColumn",
    "RelevantSetData",
    "Weights",
    "learn_local_model",
    "learn_model4",
    "learn_relevant_set",
]
