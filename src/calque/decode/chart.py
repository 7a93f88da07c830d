from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.blocks import BlockTable
from calque.blocks.gaps import FIRST_GAP
from calque.config import DecodeOptions, OracleOptions, ReorderingOptions
from calque.decode.decoder import Decoder
from calque.decode.derivation_features import FiredFeature
from calque.decode.source import SourceText
from calque.decode.step_tree import StepTree, is_gap
from calque.errors import CalqueError, OptionError
from calque.features import FeatureSet, Template, Weights
from calque.features.naming import NamedGap, NamedStep, Namer
from calque.lm import LanguageModel
from calque.text.mapped import forget

_OF_SOURCE = ("source", "each.source", "sentence.source")
"""How names of slots begin that target words have no part in."""


class ChartDecoder(Decoder):
    """Finds derivations by rules, blocks with gaps that others fill (`decode.engine=chart`)."""

    def _engine(
        self,
        blocks: BlockTable,
        lm: LanguageModel,
        lm_words: NDArray[np.int32],
        features: FeatureSet,
    ) -> Any:
        engine = _core.ChartDecoder(blocks.core, lm.core, lm_words, features.core, *blocks.prefixes)
        forget(*blocks.to_arrays().values())  # all of them were read, and checked
        return engine

    @property
    def core(self) -> _core.Decoder:
        """Raises `CalqueError`: there is no phrase engine for rules."""
        raise CalqueError(
            "this works on blocks without gaps only: expected a model of decode.engine=phrase, but"
            " this one is of decode.engine=chart"
        )

    @property
    def chart(self) -> _core.ChartDecoder:
        """The chart engine."""
        engine: _core.ChartDecoder = self._core
        return engine

    def _search(self, options: DecodeOptions) -> _core.ChartOptions:
        return chart_options(options)

    def space(self, options: ReorderingOptions, pop_limit: int = 0) -> _core.ChartOptions:
        """Which derivations there are, and how many applications are scored per span; 0: all."""
        return chart_options(
            DecodeOptions(
                engine="chart",
                max_span=options.max_span,
                shallow=options.shallow,
                pop_limit=pop_limit,
            )
        )

    def learning_search(self, options: DecodeOptions) -> _core.ChartOptions:
        """The search whose errors are learned from; `stack_size` is of what a span may become."""
        usual = DecodeOptions()
        plain = replace(options, stack_size=usual.stack_size, future_cost=usual.future_cost)
        return chart_options(plain, options.stack_size)

    def _oracle_search(self, options: OracleOptions) -> _core.ChartOptions:
        return self.space(options, options.stack_size)

    def limits(self, options: DecodeOptions) -> _core.TargetLimits:
        """How many target sides of a rule are kept."""
        return target_limits(options)

    def dense_features(self, derivation: _core.Derivation, source: SourceText) -> list[float]:
        """The values of a derivation of one sentence, extracted from its rules alone."""
        return self.chart.features(self.core_source(source), derivation)

    def explain(
        self, derivation: _core.Derivation, source: SourceText, weights: Weights
    ) -> list[list[FiredFeature]]:
        """What fired in each step of a derivation of one sentence, dense features first.

        Values times weights add up to the score. A target word counts, for language models, in the
        step whose target it stands in; the end of the sentence in the last step that fills no gap.
        """
        rows = self.chart.step_features(self.core_source(source), derivation)
        named = self._names(derivation, source)
        steps: list[list[FiredFeature]] = []
        for values, names in zip(rows, named, strict=True):
            fired = [
                FiredFeature(name, value, weights[name])
                for name, value in zip(self.feature_names, values, strict=True)
                if value != 0
            ]
            steps.append(fired + self._fired_sparse(names, weights))
        return steps

    def _names_of_steps(
        self, derivation: _core.Derivation, texts: list[str], text: Callable[[int], str]
    ) -> list[list[str]]:
        """Of a rule with gaps templates see its own words, and the neighbours of its span."""
        tree = StepTree(derivation)
        names: list[list[str]] = []
        for at, step in enumerate(derivation.steps):
            own = tree.source_places(at)
            symbols = [word for word in step.target if not is_gap(step, word)]
            left = [texts[step.begin - 1]] if step.begin > 0 else []
            right = texts[step.end : step.end + 1]
            source = [texts[i] for i in own]
            target = [text(word) for word in symbols]
            named = NamedStep(
                begin=len(left),
                end=len(left) + len(own),
                target=tuple(target),
                copied=tuple(word < 0 for word in symbols),
                row=step.block,
                orientation=0,
                phrases=(
                    " ".join(tree.with_gaps(tree.source_gaps(at), source)),
                    " ".join(tree.with_gaps(tree.target_gaps(at), target)),
                ),
                gaps=tuple(_named_gaps(tree, at, text)),
            )
            namer = self._namers[bool(source), bool(target)]
            names += namer.names([*left, *source, *right], [named], sentence=texts)
        return names

    @cached_property
    def _namers(self) -> dict[tuple[bool, bool], Namer]:
        """For rules with or without words of their own on the source and the target side."""
        namer = self.features.namer

        def of_those(chosen: Callable[[Template], bool]) -> Namer:
            templates = {name: t for name, t in namer.templates.items() if chosen(t)}
            return replace(namer, templates=templates)

        of_gaps = of_those(lambda template: template.is_of_gaps)
        of_source = of_those(
            lambda template: (
                template.is_of_gaps
                or (
                    template.copies
                    and all(slot.name.startswith(_OF_SOURCE) for slot in template.parsed)
                )
            )
        )
        return {
            (True, True): namer,
            (True, False): of_source,
            (False, True): of_gaps,
            (False, False): of_gaps,
        }


def _named_gaps(tree: StepTree, at: int, text: Callable[[int], str]) -> Iterator[NamedGap]:
    """The gaps of a step, from left to right on the source side."""
    step = tree.steps[at]
    last = len(step.target) - 1
    for number, filler in enumerate(tree.fillers[at]):
        below = tree.steps[filler]
        place = step.target.index(FIRST_GAP + number)
        beside = [
            text(step.target[i]) if 0 <= i <= last and not is_gap(step, step.target[i]) else None
            for i in (place - 1, place + 1)
        ]
        order = _place(below.begin == step.begin, below.end == step.end)
        order += _place(place == 0, place == last)
        yield NamedGap(below.begin, below.end, beside[0], beside[1], order)


def _place(is_first: bool, is_last: bool) -> str:
    return "A" if is_first and is_last else "F" if is_first else "L" if is_last else "M"


def chart_options(options: DecodeOptions, stack_size: int = 0) -> _core.ChartOptions:
    """How far the search goes, as the core takes it.

    `stack_size` is how many partial translations of a span are kept, 0 keeps all.
    """
    if options.engine != "chart":
        raise OptionError(f"engine={options.engine}: the model was trained for engine=chart")
    options.check_engine("chart")
    return _core.ChartOptions(
        max_span=options.max_span,
        shallow=options.shallow,
        pop_limit=options.pop_limit,
        threshold=options.threshold,
        time_limit_s=options.time_limit_s,
        stack_size=stack_size,
    )


def target_limits(options: DecodeOptions) -> _core.TargetLimits:
    """How many target sides of a rule are kept, as the core takes it."""
    return _core.TargetLimits(
        per_source=options.options_per_span,
        in_sentence=options.options_in_sentence,
        max_targets=options.max_targets,
    )
