"""The trainings and decodings behind the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from calque.config import FeatureOptions
from calque.decode import Translator
from calque.experiments.bench import Bench, variant
from calque.experiments.cell import Cell
from calque.experiments.corpus import Text
from calque.features import Weights
from calque.metrics import make_metric
from calque.model import Model
from calque.progress import Progress
from calque.tune import DecoderTask
from calque.tune.cost_curve import operating_points, working_point
from calque.tune.evaluation import FullDecoding
from calque.tune.methods.simplex import Simplex, SimplexOptions

CRITERIA = ("bleu", "nist")
UNIFORM = "uniform"
EVALUATIONS = 200
"""Of one descent at full scale; the paper does not say how many it took."""
RESTART_FROM = 0.5
"""From this scale on the search begins once more at its end, as it does by default."""
SCALES = tuple(2.0**step for step in range(3, -6, -1))
"""Of the curves, from tight to loose; at 1 all weights cost the same."""
ALPHAS = (0.5, 2.0)
"""Scales of weights that the scale property is looked at with."""


@dataclass(frozen=True)
class SimplexCells:
    """The cells of one set of features."""

    bench: Bench
    dense: str
    model: Model
    model_key: str
    options: Mapping[str, Any]

    @classmethod
    def on(cls, bench: Bench, dense: str) -> SimplexCells:
        """Those of a set of features that the model of the corpus has."""
        model = bench.model(FeatureOptions(dense="standard + model4"))
        options = {
            "max_evaluations": bench.rounds(EVALUATIONS),
            "restarts": int(bench.scale_of_rounds >= RESTART_FROM),
        }
        return cls(bench, dense, variant(model, dense=dense), bench.key_of(model), options)

    def tuned(self, criterion: str, text: Text) -> Cell:
        """Weights tuned for a criterion on a text."""

        def work(folder: Path, progress: Progress) -> Cell:
            metric = make_metric(criterion, tokenize="none")
            task = DecoderTask(Translator(self.model), text.source, text.references, metric)
            trainer = Simplex(**self.options)
            result = trainer.fit(
                task, run=folder / "run", threads=self.bench.threads, progress=progress
            )
            best = result.history[result.chosen]
            figures = {
                "evaluations": len(result.history),
                "start": result.history[0].score,
                "hypotheses": best.n_hypotheses or 0,
                **(best.scores or {}),
            }
            curves = {criterion: [done.score for done in result.history]}
            remarks = [result.history[-1].stopped or ""]
            return Cell(figures, curves, remarks=remarks, weights=result.weights)

        depends = {**self._depends, "options": self.options, "text": text.name}
        return self.bench.cell(f"{self.dense}-{criterion}-on-{text.name}", depends, work)

    def at_equal_cost(self, name: str, text: Text | None = None) -> Cell:
        """Weights on the test text, at the scale where they cost as much as uniform ones of 1."""
        weights, key = self._weights(name, text)

        def work(folder: Path, progress: Progress) -> Cell:
            evaluate = self._decoding()
            with progress.stage("equal cost"):
                wanted = evaluate(self._uniform()).n_hypotheses
                point = working_point(evaluate, weights, wanted)
                outputs, n_hypotheses = evaluate.translate(weights.scaled(point.scale))
            figures = {**point.scores, "hypotheses": n_hypotheses, "scale": point.scale}
            return Cell(figures, outputs={"test": outputs})

        label = f"{self.dense}-{name}-at-equal-cost" + (f"-{text.name}" if text else "")
        return self.bench.cell(label, {**self._depends, "weights": key}, work)

    def curve(self, name: str, point: Cell) -> Cell:
        """Score against cost, around the scale of equal cost."""
        weights, key = self._weights(name)
        scale = point.figures["scale"]

        def work(folder: Path, progress: Progress) -> Cell:
            evaluate = self._decoding()
            with progress.stage("curve", len(SCALES)) as stage:
                points = []
                for relative in SCALES:
                    points += operating_points(evaluate, weights.scaled(scale), [relative])
                    stage.advance()
            curves = {metric: [made.scores[metric] for made in points] for metric in CRITERIA}
            return Cell(curves={**curves, "hypotheses": [made.n_hypotheses for made in points]})

        depends = {**self._depends, "weights": key, "scale": scale, "scales": SCALES}
        return self.bench.cell(f"{self.dense}-{name}-curve", depends, work)

    def scaling(self) -> Cell:
        """How far the scale of weights and the threshold are the same thing."""

        def work(folder: Path, progress: Progress) -> Cell:
            evaluate, weights = self._decoding(), self._uniform()
            figures: dict[str, float] = {}
            with progress.stage("scaling"):
                _, cost = evaluate.translate(weights)
                open_search = replace(evaluate.options, threshold=0.0)
                free, _ = evaluate.translate(weights, open_search)
                for alpha in ALPHAS:
                    loose = replace(evaluate.options, threshold=evaluate.options.threshold / alpha)
                    scaled, scaled_cost = evaluate.translate(weights.scaled(alpha))
                    same, same_cost = evaluate.translate(weights, loose)
                    figures[f"differ at {alpha:g}"] = _n_different(scaled, same)
                    figures[f"cost differs at {alpha:g}"] = abs(scaled_cost - same_cost)
                    figures[f"cost at {alpha:g}"] = scaled_cost / cost
                    unbounded, _ = evaluate.translate(weights.scaled(alpha), open_search)
                    figures[f"differ without threshold at {alpha:g}"] = _n_different(
                        unbounded, free
                    )
            return Cell(figures)

        return self.bench.cell(f"{self.dense}-scaling", {**self._depends, "weights": UNIFORM}, work)

    @property
    def _depends(self) -> dict[str, Any]:
        return {"dense": self.dense, "model": self.model_key}

    def _weights(self, name: str, text: Text | None = None) -> tuple[Weights, str]:
        """The weights of this name, and what they depend on."""
        if name == UNIFORM:
            return self._uniform(), UNIFORM
        cell = self.tuned(name, text or self.bench.corpus.dev)
        return cell.weights or self._uniform(), cell.key

    def _uniform(self) -> Weights:
        return Weights(dict.fromkeys(self.model.weights, 1.0))

    def _decoding(self) -> FullDecoding:
        test, search = self.bench.corpus.test, SimplexOptions()
        return FullDecoding(
            self.model,
            test.sentences,
            test.reference_lines,
            [make_metric(name, tokenize="none") for name in CRITERIA],
            stack_size=search.stack_size,
            threshold=search.threshold,
            threads=self.bench.threads,
        )


def _n_different(some: Sequence[str], others: Sequence[str]) -> int:
    return sum(line != other for line, other in zip(some, others, strict=True))
