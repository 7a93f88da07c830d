"""Families of sparse features by name."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations, product
from types import MappingProxyType
from typing import Any, TypeAlias

from calque.config import FeatureOptions
from calque.errors import ModelError, OptionError, hint
from calque.features.template import Template

Families: TypeAlias = Mapping[str, tuple[Template, ...]]
"""Templates by the name of their family."""
NO_FAMILIES: Families = MappingProxyType({})

BUDGETS = {
    "word": 5,
    "char": 3,
    "brown": 3,
    "brown6": 2,
    "brown4": 2,
    "tag": 2,
    "type": 1,
}
"""What a slot at each level costs of the budget of a combination (Yu et al. 2013, Table 1)."""
EDGES = {
    **dict.fromkeys(("source.first", "source.last", "source.left", "source.right"), tuple(BUDGETS)),
    **dict.fromkeys(("target.first", "target.last"), ("word", "brown", "brown6", "brown4", "tag")),
}
"""The slots of WordEdges and their levels."""


def wordedges(
    budget: int = FeatureOptions.wordedges_budget,
    max_slots: int = FeatureOptions.wordedges_slots,
    levels: str = FeatureOptions.wordedges_levels,
) -> Iterator[Template]:
    """Combinations of words at and beside the edges of a block, within a budget.

    Each comes alone and with the length of the source (Yu et al. 2013, section 3.2). All that the
    budget allows are 27,011; by default those of at most two slots, 637. `levels` names those
    that words are seen at, with commas between; all where it names none.
    """
    seen = {slot: _levels(levels, own) for slot, own in EDGES.items()}
    for n in range(1, max_slots + 1):
        for slots in combinations(EDGES, n):
            for chosen in product(*(seen[slot] for slot in slots)):
                if sum(BUDGETS[level] for level in chosen) > budget:
                    continue
                uses = tuple(f"{s}@{level}" for s, level in zip(slots, chosen, strict=True))
                name = "wordedges." + "+".join(uses)
                yield Template(name, uses)
                longer = (*uses, "source.length")
                yield Template(f"{name}+source.length", longer, extends=name)


def _levels(named: str, own: Sequence[str]) -> list[str]:
    """Of the levels of a slot those that are named, or all of them."""
    names = [part.strip() for part in named.split(",") if part.strip()]
    for name in names:
        if name not in BUDGETS:
            raise OptionError(f"wordedges_levels={name}: {hint(name, BUDGETS)}")
    return [level for level in own if not names or level in names]


def _one(name: str, *slots: str, copies: bool = True) -> dict[str, tuple[Template, ...]]:
    return {name: (Template(name, slots, copies),)}


def _some(
    name: str, copies: bool = True, **members: tuple[str, ...]
) -> dict[str, tuple[Template, ...]]:
    return {name: tuple(Template(f"{name}.{key}", slots, copies) for key, slots in members.items())}


FAMILIES: Mapping[str, tuple[Template, ...]] = {
    # Tillmann & Zhang 2008: phrases and words.
    **_one("P1", "block"),
    **_one("P2", "block", "orientation"),
    **_one("P3", "previous.target", "target"),
    **_one("P4", "previous.source", "source"),
    **_one("P5", "target", "source.length"),
    **_one("W1", "each.source", "each.target"),
    **_some(
        "W2",
        jump=("jump",),
        first=("jump", "source.first"),
        last=("jump", "previous.source.last"),
    ),
    **_some(
        "W3",
        unigram=("target.ngram.0",),
        bigram=("target.ngram.1", "target.ngram.0"),
        trigram=("target.ngram.2", "target.ngram.1", "target.ngram.0"),
    ),
    **_one("W4", "target.previous", "target.first"),
    # Wuebker et al. 2015: (a) to (d). A copied word is no phrase pair.
    **_one("phrase-pair", "block", copies=False),
    **_one("lexical", "each.source", "each.target", copies=False),
    **_one("source-triplets", "each.source", "each.source", "each.target", copies=False),
    **_one("target-triplets", "each.source", "each.target", "each.target", copies=False),
    **_some(
        "hierarchical",
        copies=False,
        backward=("block", "hierarchical.backward"),
        forward=("block", "hierarchical.forward"),
    ),
    # Yu et al. 2013.
    **_one("ruleid", "block"),
    **_one("rule-bigram", "previous.block", "block"),
    "rule-history": tuple(
        Template(
            f"rule-history.{level}",
            (f"target.previous2@{level}", f"target.previous@{level}", "block"),
        )
        for level in ("word", "brown", "brown6", "brown4", "tag")
    ),
    # Beyond the papers: words as classes where orientation, translation and place are decided.
    **_some(
        "orientation-classes",
        first=("source.first@brown6", "target.first@brown6", "orientation"),
        last=("source.last@brown6", "target.last@brown6", "orientation"),
        previous=("source.first@brown", "previous.source.last@brown", "orientation"),
        left=("source.left@brown6", "source.first@brown6", "orientation"),
        right=("source.last@brown6", "source.right@brown6", "orientation"),
    ),
    **_some(
        "edge-classes",
        firsts=("source.first@brown", "target.first@brown"),
        lasts=("source.last@brown", "target.last@brown"),
        source=("source.first@brown", "source.last@brown"),
        target=("target.first@brown", "target.last@brown"),
        left=("source.left@brown", "source.first@brown"),
        right=("source.last@brown", "source.right@brown"),
    ),
    **_some(
        "lexical-classes",
        copies=False,
        source=("each.source@brown", "each.target"),
        target=("each.source", "each.target@brown"),
        both=("each.source@brown", "each.target@brown"),
    ),
    **_some(
        "lengths",
        both=("source.length", "target.length"),
        orientation=("source.length", "target.length", "orientation"),
    ),
    **_some(
        "neighbours",
        copies=False,
        left=("source.left", "block"),
        right=("block", "source.right"),
    ),
    **_one("context", "sentence.source", "each.target", copies=False),
    # How a gap of a rule moves, by what fills it and what stands beside it; rules only.
    **_some(
        "gap-order",
        left=("gap.left", "gap.order"),
        right=("gap.right", "gap.order"),
        first=("gap.first", "gap.order"),
        last=("gap.last", "gap.order"),
        length=("gap.length", "gap.order"),
    ),
    **_some(
        "gap-order-classes",
        left=("gap.left@brown6", "gap.first@brown6", "gap.order"),
        right=("gap.last@brown6", "gap.right@brown6", "gap.order"),
    ),
    **_some(
        "placement",
        orientation=("orientation",),
        jump=("jump",),
        source=("source.length",),
        target=("target.length",),
    ),
    # Tillmann & Zhang 2005: (f).
    "block-bigram": (
        Template(
            "block-bigram", ("previous.block", "block"), copies=False, listed=True, adjacent=True
        ),
    ),
}
"""Families by name, but for `wordedges`, which has options."""

GROUPS: Mapping[str, tuple[str, ...]] = {
    "phrase": ("P1", "P2", "P3", "P4", "P5"),
    "word": ("W1", "W2", "W3", "W4"),
    "all": ("P1", "P2", "P3", "P4", "P5", "W1", "W2", "W3", "W4"),
    "expected-bleu": (
        "phrase-pair",
        "lexical",
        "source-triplets",
        "target-triplets",
        "hierarchical",
    ),
    "maxforce": ("ruleid", "wordedges", "rule-bigram", "rule-history"),
    "classes": ("orientation-classes", "edge-classes", "lexical-classes"),
}
"""Families that belong together."""


def chosen_templates(
    expression: str,
    *,
    budget: int = FeatureOptions.wordedges_budget,
    max_slots: int = FeatureOptions.wordedges_slots,
    levels: str = FeatureOptions.wordedges_levels,
    own: Families = NO_FAMILIES,
) -> tuple[Template, ...]:
    """The templates that names of families and groups with commas between choose.

    `own` has families of the user's, `my_module:family`, which `import_families` gives; no Python
    is imported here. `budget`, `max_slots` and `levels` are those of `wordedges`. Raises
    `OptionError` with the nearest valid name.
    """
    templates: dict[str, Template] = {}
    for name in _names(expression):
        for template in _family(name, (budget, max_slots, levels), own):
            if templates.setdefault(template.name, template) != template:
                raise OptionError(f"two templates are called '{template.name}'")
    return tuple(templates.values())


def family_names(expression: str) -> tuple[str, ...]:
    """The families that such an expression names, those of its groups one by one, each once."""
    names = [family for name in _names(expression) for family in GROUPS.get(name, (name,))]
    return tuple(dict.fromkeys(names))


def _names(expression: str) -> Iterator[str]:
    return filter(None, (part.strip() for part in expression.split(",")))


def _family(name: str, edges: tuple[int, int, str], own: Families) -> Iterable[Template]:
    if name in own:
        return own[name]
    if ":" in name:
        raise OptionError(f"family '{name}': its templates are not in the model; train it again")
    if name in GROUPS:
        return [t for member in GROUPS[name] for t in _family(member, edges, own)]
    if name == "wordedges":
        return wordedges(*edges)
    if name in FAMILIES:
        return FAMILIES[name]
    for full, templates in own.items():  # by its last part alone, where that is free
        if full.partition(":")[2] == name:
            return templates
    known = [*GROUPS, *FAMILIES, "wordedges", *own]
    raise OptionError(f"no family of sparse features is called '{name}': {hint(name, known)}")


def import_families(expression: str) -> Families:
    """The families `my_module:family` that an expression names, imported from their modules.

    This runs the Python of those modules: only for what a user has asked for, never for what a
    model says. Raises `OptionError` where one cannot be imported or is no list of templates.
    """
    return {name: _from_module(name) for name in _names(expression) if ":" in name}


def _from_module(name: str) -> tuple[Template, ...]:
    module, _, attribute = name.partition(":")
    try:
        family = getattr(importlib.import_module(module), attribute)
    except (ImportError, ValueError, AttributeError, SyntaxError) as error:
        raise OptionError(f"family '{name}': {error}") from None
    if not isinstance(family, Sequence) or not all(isinstance(t, Template) for t in family):
        raise OptionError(f"family '{name}': expected a list of templates")
    return tuple(family)


def families_to_json(own: Families) -> dict[str, list[dict[str, Any]]]:
    """Families of the user's as a model keeps them: data, not code."""
    return {name: [asdict(template) for template in family] for name, family in own.items()}


def families_from_json(value: Any) -> Families:
    """What `families_to_json` gave; raises `ModelError` where it is something else."""
    try:
        return {
            str(name): tuple(Template(**{**t, "slots": tuple(t["slots"])}) for t in family)
            for name, family in value.items()
        }
    except (OptionError, TypeError, KeyError, AttributeError, ValueError) as error:
        raise ModelError(f"templates: {error}") from error
