"""How thoroughly a tuned model has to search: no more than shows in its scores."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from calque.config import to_mapping
from calque.config.decode import MOST_LOST
from calque.decode import Translator, load
from calque.model import ModelFolder
from calque.model.writer import ModelWriter
from calque.progress import SILENT, Progress
from calque.text import Text
from calque.text.given import GivenText

LIMITS = (75, 100, 150, 200, 300, 400, 600, 800, 1200, 1600, 2400)
"""Pop limits to choose from, each about half as large again as the one before."""
DEEPEST = 3200
"""The pop limit that all others are compared with."""
MOST_SENTENCES = 500
"""Of the development set, the first so many: scores differ little, but in the same direction."""


@dataclass(frozen=True)
class Effort:
    """A pop limit that fits a model."""

    pop_limit: int
    lost: float
    """By how much the average score of a source word is below that of the deepest search."""

    @property
    def summary(self) -> str:
        """One line: the limit and what it loses."""
        compared = f"with {DEEPEST:,} a word would score {self.lost:.4f} higher on average"
        return f"search: pop limit {self.pop_limit:,}; {compared}"


def fit_pop_limit(
    model: Path,
    source: Text,
    asked: int,
    *,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> Effort | None:
    """The smallest of `LIMITS` that loses little: from now on the model's. None unless asked for.

    `asked` is the pop limit that training was given: `FITTED` or `THOROUGH` ask for one. Scores are
    those of the model, not of a metric: they tell search errors from chance on few sentences.
    """
    if asked not in MOST_LOST:
        return None
    translator = load(model)
    sentences = list(islice(GivenText.of(source, "dev source").sentences, MOST_SENTENCES))
    n_words = max(1, sum(len(sentence.split()) for sentence in sentences))

    def score(pop_limit: int) -> float:
        found = translator.translate_all(sentences, threads=threads, pop_limit=pop_limit)
        return sum(translation.score for translation in found) / n_words

    with progress.stage("search effort"):
        best = score(DEEPEST)
        lost = {DEEPEST: 0.0}

        def loses_little(pop_limit: int) -> bool:
            lost[pop_limit] = best - score(pop_limit)
            return lost[pop_limit] <= MOST_LOST[asked]

        at = bisect_left(LIMITS, True, key=loses_little)
    limit = (*LIMITS, DEEPEST)[at]
    _store(model, translator, limit)
    return Effort(limit, lost[limit])


def _store(model: Path, translator: Translator, pop_limit: int) -> None:
    """Give a model folder another pop limit, in what it searches with and what it was made with."""
    search = to_mapping(replace(translator.options, pop_limit=pop_limit))
    made_with = ModelFolder(model).manifest.info.get("options", {})
    with ModelWriter(model, update=True) as writer:
        writer.json("decode", search)
        writer.commit({"options": {**made_with, "decode": search}})
