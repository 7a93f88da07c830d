from __future__ import annotations

from dataclasses import asdict, dataclass

from calque import _core
from calque.blocks import BlockTable
from calque.config import DefaultWeights
from calque.features.dense import COMPONENTS, DenseData, chosen
from calque.features.weights import Weights


@dataclass(frozen=True, eq=False)
class FeatureSet:
    """What scores the derivations of a model: chosen by name, compiled for the core."""

    names: tuple[str, ...]
    """The dense features, in the order of every vector of them."""
    core: _core.FeatureSet

    @classmethod
    def compile(cls, dense: str, data: DenseData) -> FeatureSet:
        """The set that an expression chooses (see `chosen`), with the data of a model."""
        core = _core.FeatureSet()
        data.add_to(core, chosen(dense))
        return cls(tuple(core.names), core)

    @classmethod
    def standard(cls, blocks: BlockTable) -> FeatureSet:
        """The set that needs nothing but blocks and a language model."""
        return cls.compile("standard", DenseData(blocks))

    def default_weights(self) -> Weights:
        """The weights of a model that has not been tuned."""
        standard = asdict(DefaultWeights())
        opposite = {"word_penalty": "word_count", "block_penalty": "block_count"}
        values: dict[str, float] = {}
        for name in self.names:
            values[name] = standard.get(name, COMPONENTS[name].weight)
            if name in opposite:
                values[name] = -standard[opposite[name]]
        return Weights(values)
