"""The home of defaults: one options dataclass per operation, and how to fill it.

Only a method of tuning keeps its options in its own file (`tune/methods`).
"""

from calque.config.align import AlignOptions
from calque.config.blocks import BlockOptions, RuleOptions
from calque.config.classes import ClassOptions
from calque.config.compare import CompareOptions
from calque.config.consensus import ConsensusOptions
from calque.config.corpus import CorpusOptions
from calque.config.decode import DecodeOptions, ForceOptions, OracleOptions, ReorderingOptions
from calque.config.dense import (
    EventOptions,
    JumpOptions,
    LexicalOptions,
    LocalModelOptions,
)
from calque.config.features import FeatureOptions
from calque.config.fill import (
    Value,
    expected,
    fill,
    from_toml,
    parse_value,
    renamed,
    settings,
    to_mapping,
    with_flag,
)
from calque.config.grammar import GrammarOptions
from calque.config.leave_one_out import LeaveOneOutOptions
from calque.config.lm import LmOptions
from calque.config.option import OptionInfo, describe, option
from calque.config.text import CleanOptions, TextOptions
from calque.config.train import TrainOptions
from calque.config.tune import TASK_DEFAULTS, RoundOptions, TaskOptions
from calque.config.weights import DefaultWeights

__all__ = [
    "TASK_DEFAULTS",
    "AlignOptions",
    "BlockOptions",
    "ClassOptions",
    "CleanOptions",
    "CompareOptions",
    "ConsensusOptions",
    "CorpusOptions",
    "DecodeOptions",
    "DefaultWeights",
    "EventOptions",
    "FeatureOptions",
    "ForceOptions",
    "GrammarOptions",
    "JumpOptions",
    "LeaveOneOutOptions",
    "LexicalOptions",
    "LmOptions",
    "LocalModelOptions",
    "OptionInfo",
    "OracleOptions",
    "ReorderingOptions",
    "RoundOptions",
    "RuleOptions",
    "TaskOptions",
    "TextOptions",
    "TrainOptions",
    "Value",
    "describe",
    "expected",
    "fill",
    "from_toml",
    "option",
    "parse_value",
    "renamed",
    "settings",
    "to_mapping",
    "with_flag",
]
