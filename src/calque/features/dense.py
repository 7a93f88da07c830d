"""Dense features by name: single components, and the sets that papers and systems use.

A user chooses them in one line, such as `standard + class_language_model - unknown`: `chosen` says
which components these are, `DenseData.add_to` hands them to the core with their data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from calque import _core
from calque.blocks import BlockTable
from calque.errors import ModelError, OptionError, hint
from calque.features.class_lm import ClassLanguageModel
from calque.features.columns import BlockColumn
from calque.features.hierarchical import HierarchicalData
from calque.features.jumps import JumpTable
from calque.features.local_model import LocalModelData
from calque.features.model4 import Model4Data
from calque.features.relevant_set import RelevantSetData

ORIENTATIONS = ("monotone", "swap", "discontinuous")
NOTHING = (0.0, 0.0, 0.0)
Steps = Literal["all", "adjacent", "neutral"]
"""In which steps a component counts: adjacent ones lead to the right or left of the block before
(R, L: monotone, swap), neutral ones anywhere else (N: discontinuous)."""


@dataclass(frozen=True, eq=False)
class DenseData:
    """What the components of a model are computed from; what a model lacks is none."""

    blocks: BlockTable
    relevant_set: RelevantSetData | None = None
    local_model: LocalModelData | None = None
    model4: Model4Data | None = None
    class_lm: ClassLanguageModel | None = None
    hierarchical: HierarchicalData | None = None

    def add_to(self, core: _core.FeatureSet, names: Iterable[str]) -> None:
        """Add components to a feature set of the core; those without data are refused."""
        for name in names:
            try:
                COMPONENTS[name].add(core, name, self)
            except _NoDataError:
                raise ModelError(
                    f"the model has no data for the feature '{name}': train it with this feature"
                ) from None


class _NoDataError(Exception):
    """The model lacks what a component is computed from."""


Data = TypeVar("Data")


def _there(data: Data | None) -> Data:
    if data is None:
        raise _NoDataError
    return data


Add = Callable[[_core.FeatureSet, str, DenseData], None]


@dataclass(frozen=True)
class Component:
    """One number of the dense vector."""

    help: str
    add: Add
    """Hands it to the core."""
    weight: float = 0.1
    """Its weight in a model that has not been tuned."""


def _score(column: int, frequency: str = "none") -> Add:
    return lambda core, name, data: core.add_block_column(
        name, data.blocks.scores, column, 0.0, frequency
    )


def _column(of: Callable[[DenseData], BlockColumn], steps: Steps = "all") -> Add:
    def add(core: _core.FeatureSet, name: str, data: DenseData) -> None:
        column = of(data)
        core.add_block_column(name, column.values.reshape(-1, 1), 0, column.copied, steps=steps)

    return add


def _reordering(way: int, *, next: bool) -> Add:
    columns = [-1, -1, -1]
    columns[way] = way + 3 * next

    def add(core: _core.FeatureSet, name: str, data: DenseData) -> None:
        values = data.blocks.orientation
        if len(values):
            core.add_orientation(name, values, columns, NOTHING, next)
        else:  # a table from elsewhere may come without: then the feature is 0
            nothing = np.empty((len(data.blocks), 0), np.float32)
            core.add_orientation(name, nothing, [-1, -1, -1], NOTHING, next)

    return add


def _hierarchical(way: int, *, next: bool) -> Add:
    columns = [-1, -1, -1]
    columns[way] = way + 3 * next

    def add(core: _core.FeatureSet, name: str, data: DenseData) -> None:
        values = _there(data.hierarchical).log_probs
        core.add_orientation(name, values, columns, NOTHING, next, merged=True)

    return add


def _orientation(core: _core.FeatureSet, name: str, data: DenseData) -> None:
    column = _there(data.local_model).orientation
    copied = [*column.copied.tolist()[:2], 0.0]
    core.add_orientation(name, column.values, [0, 1, -1], copied, next=False)


def _jump(row: str, of: Callable[[DenseData], JumpTable]) -> Add:
    def add(core: _core.FeatureSet, name: str, data: DenseData) -> None:
        table = of(data)
        core.add_jump(name, table.log_probs, table.shift, row)

    return add


def _count(of: str, sign: float) -> Add:
    return lambda core, name, data: core.add_count(name, of, sign)


def _lm(*, first: bool, rest: bool, steps: Steps = "all") -> Add:
    return lambda core, name, data: core.add_language_model(name, first, rest, steps)


def _class_lm(core: _core.FeatureSet, name: str, data: DenseData) -> None:
    classes = _there(data.class_lm)
    core.add_class_language_model(name, classes.lm.core, classes.class_of)


def _local_model(steps: Steps) -> dict[str, Component]:
    """(a), (b), (c), (d) and (e) of Tillmann & Zhang 2005, of steps of one kind.

    Neutral ones have a model of their own, which lacks the orientation (b).
    """
    prefix = "neutral_" if steps == "neutral" else ""
    end = " and the end" if steps == "adjacent" else ""
    unigram = _column(lambda data: _there(data.local_model).unigram, steps)
    lexical = _column(lambda data: _there(data.local_model).lexical, steps)
    components = {f"{prefix}block_unigram": Component(f"log p(block), {steps} steps", unigram)}
    if steps == "adjacent":
        components["block_orientation"] = Component("log p(orientation | block)", _orientation)
    return components | {
        f"{steps}_language_model_first": Component(
            f"of words that begin a block, {steps} steps", _lm(first=True, rest=False, steps=steps)
        ),
        f"{steps}_language_model_rest": Component(
            f"of other words{end}, {steps} steps", _lm(first=False, rest=True, steps=steps)
        ),
        f"{prefix}single_word_weight": Component(
            f"lexical weight from blocks of single words, {steps} steps", lexical
        ),
    }


COMPONENTS: Mapping[str, Component] = {
    "source_given_target": Component(
        "log p(source phrase | target phrase)", _score(0, "source given target")
    ),
    "lexical_source_given_target": Component("the same word by word", _score(1)),
    "target_given_source": Component(
        "log p(target phrase | source phrase)", _score(2, "target given source")
    ),
    "lexical_target_given_source": Component("the same word by word", _score(3)),
    "language_model": Component("log probability of the target", _lm(first=True, rest=True)),
    "language_model_first": Component("of words that begin a block", _lm(first=True, rest=False)),
    "language_model_rest": Component("of other words and the end", _lm(first=False, rest=True)),
    "class_language_model": Component("log probability of the classes of words", _class_lm),
    "word_count": Component("target words", _count("words", 1)),
    "word_penalty": Component("minus the target words", _count("words", -1)),
    "block_count": Component("blocks", _count("blocks", 1)),
    "block_penalty": Component("minus the blocks", _count("blocks", -1)),
    "glue_count": Component("blocks that fill no gap of another one", _count("glue", 1)),
    "distance": Component(
        "minus the source words jumped over", lambda core, name, data: core.add_distance(name)
    ),
    **{
        f"{side}_{way}": Component(
            f"log p({way} | block), towards the {side} block", _reordering(i, next=side == "next")
        )
        for side in ("previous", "next")
        for i, way in enumerate(ORIENTATIONS)
    },
    "unknown": Component(
        "minus the words copied because no block knows them", _count("unknown", -1), 100.0
    ),
    "model1_weight": Component(
        "log p(source | target) word by word, by Model 1",
        _column(lambda data: _there(data.relevant_set).lexical),
    ),
    "outbound_distortion": Component(
        "log p(jump | word that it leaves)",
        _jump("outbound", lambda data: _there(data.relevant_set).outbound),
    ),
    "inbound_distortion": Component(
        "log p(jump | word that it enters)",
        _jump("inbound", lambda data: _there(data.relevant_set).inbound),
    ),
    **_local_model("adjacent"),
    **_local_model("neutral"),
    "fertility": Component(
        "log p(source length | target phrase)",
        _column(lambda data: _there(data.model4).fertility),
    ),
    "lexicon": Component(
        "log p(source phrase | target phrase, source length)",
        _column(lambda data: _there(data.model4).lexicon),
    ),
    "jump_probability": Component("log p(jump)", _jump("only", lambda d: _there(d.model4).jump)),
    **{
        f"hierarchical_{side}_{way}": Component(
            f"log p({way} | block), towards the merged {side} blocks",
            _hierarchical(i, next=side == "next"),
        )
        for side in ("previous", "next")
        for i, way in enumerate(ORIENTATIONS)
    },
}
"""Every dense feature that a set may have."""

TRANSLATION = tuple(COMPONENTS)[0:4]
REORDERING = tuple(f"{side}_{way}" for side in ("previous", "next") for way in ORIENTATIONS)
HIERARCHICAL = tuple(f"hierarchical_{name}" for name in REORDERING)
_RELEVANT = (
    "source_given_target",
    "model1_weight",
    "language_model_first",
    "language_model_rest",
    "outbound_distortion",
    "inbound_distortion",
)
SETS: Mapping[str, tuple[str, ...]] = {
    "standard": (
        *TRANSLATION,
        "language_model",
        "word_count",
        "block_count",
        "distance",
        *REORDERING,
        "unknown",
    ),
    "rules": (
        *TRANSLATION,
        "language_model",
        "word_count",
        "block_count",
        "glue_count",
        "unknown",
    ),
    "lexicalised-reordering": REORDERING,
    "hierarchical-reordering": HIERARCHICAL,
    "relevant-set-6": _RELEVANT,
    "relevant-set-7": (*_RELEVANT, "word_count"),
    "local-model": (*_local_model("adjacent"), *_local_model("neutral")),
    "maxforce": (
        "language_model",
        "target_given_source",
        "source_given_target",
        "lexical_target_given_source",
        "lexical_source_given_target",
        "word_penalty",
        "block_penalty",
        "distance",
        *REORDERING[:3],
    ),
    "model4": (
        "language_model",
        "fertility",
        "lexicon",
        "jump_probability",
        "word_count",
        "block_count",
    ),
}
"""Sets by name. `rules` is for `decode.engine=chart`. The two of reordering are there to be
added and dropped; the hierarchical one is that of Galley & Manning 2008. Tillmann & Zhang 2008 have
`relevant-set-6` and `-7`, Tillmann & Zhang 2005 `local-model`, Yu et al. 2013 `maxforce`, and
`model4` is what a block decoder has of Model 4."""


def chosen(expression: str) -> tuple[str, ...]:
    """The components that `standard + class_language_model - unknown` and its like choose.

    Terms are sets or components, `+` adds those that are not there yet, `-` drops; both stand
    between blanks. Raises `OptionError` with the nearest valid name.
    """
    names: list[str] = []
    adds, expects_term = True, True
    for token in expression.split():
        if expects_term == (token in ("+", "-")):
            break
        if expects_term:
            term = SETS[token] if token in SETS else (_component(token),)
            names = [name for name in names if adds or name not in term]
            names += [name for name in term if adds and name not in names]
        else:
            adds = token == "+"
        expects_term = not expects_term
    else:
        if not expects_term and names:
            return tuple(names)
    raise OptionError(
        f"features '{expression}': expected sets and features with ' + ' or ' - ' between,"
        " and at least one feature"
    )


def _component(name: str) -> str:
    if name in COMPONENTS:
        return name
    meant = hint(name, [*SETS, *COMPONENTS])
    raise OptionError(f"no dense feature or set is called '{name}': {meant}")
