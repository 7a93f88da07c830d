"""From source sentences to translations."""

from calque.decode.bags import BlockBags
from calque.decode.candidates import CandidateLists, CandidateSearch, DerivedList
from calque.decode.consensus import Consensus
from calque.decode.constraints import Required, Terminology
from calque.decode.contributions import FeatureUse
from calque.decode.decoder import Decoder
from calque.decode.explanation import BlockContribution, Comparison, Explanation
from calque.decode.forcing import ForcedPair, force_pairs
from calque.decode.gold import GoldLattices, GoldText
from calque.decode.graph import TranslationGraph
from calque.decode.oracle_text import OracleSentence, oracle_lists, oracle_texts
from calque.decode.reachability import Reachability
from calque.decode.source import SourceText
from calque.decode.training_text import TrainingText
from calque.decode.translation import BlockUse, Translation
from calque.decode.translator import Translator, load

__all__ = [
    "BlockBags",
    "BlockContribution",
    "BlockUse",
    "CandidateLists",
    "CandidateSearch",
    "Comparison",
    "Consensus",
    "Decoder",
    "DerivedList",
    "Explanation",
    "FeatureUse",
    "ForcedPair",
    "GoldLattices",
    "GoldText",
    "OracleSentence",
    "Reachability",
    "Required",
    "SourceText",
    "Terminology",
    "TrainingText",
    "Translation",
    "TranslationGraph",
    "Translator",
    "force_pairs",
    "load",
    "oracle_lists",
    "oracle_texts",
]
