"""What a report shows of a run, whatever method made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from calque.features import Weights
from calque.tune.examples import Example


@dataclass(frozen=True)
class RoundRecord:
    """One round of a run: an iteration over the text, or one evaluation of the simplex method."""

    number: int
    score: float | None
    """Of the decoder's own output on the development text, under the weights of the round."""
    pool_score: float | None = None
    """Of the best choices among the candidates that the weights were learned on."""
    length_ratio: float | None = None
    pool_size: int | None = None
    n_hypotheses: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class RunRecord:
    """A run as its folder tells of it."""

    name: str
    method: str
    metric: str
    rounds: Sequence[RoundRecord]
    higher_is_better: bool = True
    seed: int | None = None
    signature: str = ""
    chosen: int | None = None
    """The number of the round whose weights were taken."""
    reason: str | None = None
    """Why the run ended; `None` where it has not."""
    options: Mapping[str, object] = field(default_factory=dict)
    start_weights: Weights = field(default_factory=lambda: Weights({}))
    end_weights: Weights = field(default_factory=lambda: Weights({}))
    warnings: Sequence[str] = ()
    examples: Sequence[Example] = ()

    @property
    def chosen_round(self) -> RoundRecord | None:
        """The round whose weights were taken."""
        return next((record for record in self.rounds if record.number == self.chosen), None)

    @property
    def seconds(self) -> float | None:
        """Of all rounds together; unknown where a round does not tell."""
        known = [record.seconds for record in self.rounds if record.seconds is not None]
        return sum(known) if known and len(known) == len(self.rounds) else None
