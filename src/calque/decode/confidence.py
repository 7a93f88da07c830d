"""How sure a translation is of its words: the share of the n-best list that agrees with each.

The posterior of a word is the probability of the candidates in which it stays when the best one is
edited into them (Ueffing & Ney 2007, Word-level confidence estimation for machine translation).
How sharp the list's probabilities are depends on the size of the weights, and candidates of one
list err together: a `Calibration`, learned on sentences with references, turns posteriors into
shares of right words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.decode.edits import edit
from calque.decode.prepared import PreparedSentence
from calque.errors import ModelError
from calque.model import DEFAULT, ModelFolder, ModelWriter

LIST_LENGTH = 100
"""Candidates that a posterior is summed over."""
LEAST = 1e-3
"""Posteriors are kept this far from 0 and 1."""
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What an n-best list says of the words of its best candidate."""

    scores: Array
    """Of the candidates, best first."""
    agrees: NDArray[np.bool_]
    """In which candidates (rows) each word of the best one stays."""
    is_unknown: NDArray[np.bool_]
    """Which words are copies of unknown source words."""

    @classmethod
    def of(cls, sentence: PreparedSentence, ways: Sequence[Sequence[_core.Derivation]]) -> Evidence:
        """The evidence of derivations of all pieces of a sentence, best way first."""
        scores = np.array([sum(part.score for part in way) for way in ways], float)
        agrees = [np.zeros((len(ways), 0), bool)]
        is_unknown: list[bool] = []
        for at in range(len(sentence.pieces)):
            words = [[word for word, _, _ in way[at].words] for way in ways]
            agrees.append(edit(words[0], words).stays)
            is_copy = [step.block < 0 and not step.required for step in ways[0][at].steps]
            is_unknown += [is_copy[step] for _, step, _ in ways[0][at].words]
        return cls(scores, np.concatenate(agrees, axis=1), np.array(is_unknown, bool))

    def posteriors(self, scale: float) -> Array:
        """The probability of each word, where that of a candidate is exp(scale * score)."""
        logits = scale * (self.scores - self.scores[0])
        shares = np.exp(logits - logits.max())
        return np.asarray(shares @ self.agrees / shares.sum())


@dataclass(frozen=True)
class Calibration:
    """A logistic map from posteriors to the probability that a word is right."""

    scale: float
    """Of scores, before they become probabilities."""
    bias: float
    posterior: float
    """Weight of the log odds of the word's posterior."""
    sentence: float
    """Weight of the log odds of the mean posterior of the sentence."""
    unknown: float
    """Added for copies of unknown words."""

    def confidences(self, evidence: Evidence) -> Array:
        """The probability of each word of the best candidate to be right."""
        weights = np.array([self.bias, self.posterior, self.sentence, self.unknown])
        return _logistic(inputs(evidence, self.scale) @ weights)

    def to_json(self) -> dict[str, float]:
        """The numbers by name."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Any) -> Calibration:
        """The calibration that `to_json` wrote; raises `ModelError` on anything else."""
        names = [field.name for field in fields(cls)]
        numbers = values if isinstance(values, dict) and set(values) == set(names) else {"": None}
        if not all(isinstance(n, float) and np.isfinite(n) for n in numbers.values()):
            raise ModelError(f"confidence: expected the numbers {', '.join(names)}")
        return cls(**numbers)


UNCALIBRATED = Calibration(scale=1.0, bias=0.0, posterior=1.0, sentence=0.0, unknown=0.0)
"""The posterior itself."""


def read_calibration(path: Path | str, weights: str | None = None) -> Calibration | None:
    """The calibration in a model folder of its active weights, or of those called `weights`.

    There is none where none was made, or where the weights have changed since.
    """
    folder = ModelFolder(path)
    name = weights or str(folder.manifest.info.get("weights", DEFAULT))
    entry = f"confidence/{name}"
    if entry not in folder:
        return None
    stored = folder.json(entry)
    if not isinstance(stored, dict) or stored.get("weights") != _files_of(folder, name):
        return None
    try:
        return Calibration.from_json(stored.get("calibration"))
    except ModelError as error:
        raise ModelError(f"{folder.path}: {error}") from error


def write_calibration(
    path: Path | str, calibration: Calibration, weights: str | None, facts: Mapping[str, Any]
) -> None:
    """Put the calibration of weights into a model folder, with `facts` about it."""
    folder = ModelFolder(path)
    name = weights or str(folder.manifest.info.get("weights", DEFAULT))
    values = {"calibration": calibration.to_json(), "weights": _files_of(folder, name), **facts}
    with ModelWriter(path, update=True) as writer:
        writer.json(f"confidence/{name}", values)
        writer.commit({})


def _files_of(folder: ModelFolder, weights: str) -> list[str]:
    """The files of weights; their names tell their content."""
    entries = folder.manifest.entries
    whole = f"weights/{weights}"
    return [entries[name].file for name in entries if name == whole or name.startswith(whole + "/")]


def inputs(evidence: Evidence, scale: float) -> Array:
    """A row per word with what the logistic map sees: 1, two log odds, and whether unknown."""
    posteriors = evidence.posteriors(scale)
    n_words = len(posteriors)
    mean = float(posteriors.mean()) if n_words else 0.0
    columns = [np.ones(n_words), _log_odds(posteriors)]
    columns += [np.full(n_words, _log_odds(np.array(mean))), evidence.is_unknown.astype(float)]
    return np.stack(columns, axis=1)


def _log_odds(probabilities: Array) -> Array:
    kept = np.clip(probabilities, LEAST, 1 - LEAST)
    return np.asarray(np.log(kept) - np.log1p(-kept))


def _logistic(values: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * values)))
