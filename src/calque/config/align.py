from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeVar, get_args

from calque.config.option import option
from calque.errors import OptionError, hint

Aligner = Literal["hmm", "sampler", "eflomal"]
Symmetrization = Literal[
    "intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"
]

Name = TypeVar("Name", bound=str)
MOST_RECORDED = 4095
"""Sweeps of chains of which the core can hold the sum."""


@dataclass(frozen=True)
class SamplerOptions:
    """How the aligner that draws links at random does it."""

    chains: int = option(
        3, "number of independent chains of samples, which are averaged", least=1, most=100
    )
    model1_sweeps: int = option(
        4, "number of sweeps at the start, which use word translation probabilities alone", least=0
    )
    hmm_sweeps: int = option(
        4,
        "number of sweeps after these, which also use the jumps between neighbouring links",
        least=0,
    )
    fertility_sweeps: int = option(
        20,
        "number of sweeps at the end, which also use fertility: how many words a source"
        " word generates",
        least=1,
    )
    averaged_sweeps: int = option(
        10, "how many of the last sweeps of each chain are averaged", least=1
    )
    lexical_prior: float = option(
        0.001, "Dirichlet prior of the translations of a source word", least=1e-9
    )
    null_prior: float = option(
        0.001, "Dirichlet prior of the target words that translate no source word", least=1e-9
    )
    jump_prior: float = option(
        0.5, "Dirichlet prior of the jumps between neighbouring links", least=1e-9
    )
    fertility_prior: float = option(0.5, "Dirichlet prior of fertility", least=1e-9)
    seed: int = option(1, "random seed; the same seed gives the same links", least=0)


@dataclass(frozen=True)
class AlignOptions:
    """How words are aligned."""

    aligner: str = option(
        "hmm",
        "the aligner: hmm (trained by EM), sampler (Gibbs sampling) or eflomal (the program"
        " eflomal-align); if several are given, separated by commas, blocks are taken from"
        " the links of each",
    )
    symmetrization: str = option(
        "grow-diag-final-and",
        "how the links of the two directions are combined: intersection, union, grow-diag,"
        " grow-diag-final or grow-diag-final-and; if several are given, separated by commas,"
        " blocks are taken from the links of each",
    )
    model1_iterations: int = option(5, "iterations of EM for Model 1", least=1)
    hmm_iterations: int = option(
        3, "iterations of EM for the HMM, in each direction separately", least=0
    )
    agreement_iterations: int = option(
        0,
        "further iterations that make the two directions agree, which gives fewer but more"
        " reliable links",
        least=0,
    )
    null_prob: float = option(
        0.2, "probability that a word is the translation of no word at all", least=0, most=0.99
    )
    alpha: float = option(
        0.1, "Dirichlet prior of lexical probabilities; 0 is maximum likelihood", least=0
    )
    tension: float = option(
        4.0, "how strongly Model 1 prefers the diagonal; 0 is plain Model 1", least=0
    )
    jump_width: int = option(
        20, "jumps longer than this are treated as this long", least=1, most=1000
    )
    jump_smoothing: float = option(
        0.01, "share of the uniform distribution in the jump weights", least=0, most=1
    )
    max_words: int = option(
        250, "sentence pairs with a longer side get no links", least=1, most=2000
    )

    sampler: SamplerOptions = field(default_factory=SamplerOptions)

    @property
    def aligners(self) -> tuple[Aligner, ...]:
        """The aligners, each once, in order; `OptionError` for a name that is none."""
        return _names("aligner", self.aligner, get_args(Aligner))

    @property
    def symmetrizations(self) -> tuple[Symmetrization, ...]:
        """The ways to symmetrise, each once, in order; `OptionError` for a name that is none."""
        return _names("symmetrization", self.symmetrization, get_args(Symmetrization))

    def check(self) -> None:
        """Raise `OptionError` for a name that is none, or for too many sweeps to average."""
        _ = self.aligners, self.symmetrizations
        n_recorded = self.sampler.chains * self.sampler.averaged_sweeps
        if n_recorded > MOST_RECORDED:
            raise OptionError(
                f"align.sampler: {self.sampler.chains} chains times"
                f" {self.sampler.averaged_sweeps} averaged sweeps are {n_recorded:,}: expected at"
                f" most {MOST_RECORDED:,}"
            )


def _names(key: str, text: str, valid: tuple[Name, ...]) -> tuple[Name, ...]:
    names = dict.fromkeys(name.strip() for name in text.split(","))
    for name in names:
        if name not in valid:
            raise OptionError(f"align.{key}: unknown name '{name}': {hint(name, valid)}")
    return tuple(name for name in names if name in valid)
