"""Weights tuned by the simplex method against uniform ones, at equal numbers of hypotheses.

The two-by-two table of Cettolo & Federico 2004 on one corpus (tuned for BLEU, tuned for NIST; both
scores of each on test), and the curves of score against search cost.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from _measure import SHARED, write_json
from yardstick import yardstick

from calque.config import FeatureOptions, TrainOptions, settings
from calque.decode import Translator
from calque.features import Weights
from calque.metrics import make_metric
from calque.model import Model
from calque.model.build import build
from calque.text import BitextFiles, read_lines
from calque.tune import DecoderTask
from calque.tune.cost_curve import OperatingPoint, operating_points, working_point
from calque.tune.evaluation import Evaluation, FullDecoding
from calque.tune.methods.simplex import Simplex, SimplexOptions

Facts: TypeAlias = dict[str, Any]
CRITERIA = ("bleu", "nist")
BASELINE = "uniform"
SCALES = tuple(2.0 ** (step / 2) for step in range(6, -9, -1))
"""Of the curves, from tight to loose; 1 is where all weights cost the same."""


def decoding(
    model: Model, corpus: Path, part: str, languages: str, options: SimplexOptions
) -> FullDecoding:
    """Translates and scores one part of the corpus under any weights."""
    source, _, target = languages.partition("-")
    return FullDecoding(
        model,
        list(read_lines(corpus / f"{part}.{source}")),
        [list(read_lines(corpus / f"{part}.{target}"))],
        [make_metric(name, tokenize="none") for name in CRITERIA],
        stack_size=options.stack_size,
        threshold=options.threshold,
    )


def tune(model: Model, corpus: Path, languages: str, criterion: str, options: Facts) -> Facts:
    """Weights tuned for a criterion, with what it took."""
    source, _, target = languages.partition("-")
    metric = make_metric(criterion, tokenize="none")
    text = corpus / f"dev.{source}", [corpus / f"dev.{target}"]
    task = DecoderTask(Translator(model), *text, metric)
    began, worked = time.perf_counter(), time.process_time()
    result = Simplex(**options).fit(task)
    best, reason = result.history[result.chosen], result.history[-1].stopped
    facts = {
        "evaluations": len(result.history),
        "end": reason,
        "dev": best.scores,
        "dev_hypotheses": best.n_hypotheses,
        "wall": time.perf_counter() - began,
        "cpu": time.process_time() - worked,
        "weights": dict(result.weights),
        "log": [asdict(done) for done in result.history],
    }
    print(
        f"tuned for {criterion}: {facts['evaluations']} evaluations, {reason};"
        f" {facts['wall']:.0f} s, {facts['cpu']:.0f} s of the processor"
    )
    return facts


def at_equal_cost(
    evaluate: Callable[[Weights], Evaluation], tuned: dict[str, Weights], uniform: Weights
) -> dict[str, OperatingPoint]:
    """Every set of weights at the cost that uniform weights of 1 have."""
    [baseline] = operating_points(evaluate, uniform, [1.0])
    points = {
        name: working_point(evaluate, weights, baseline.n_hypotheses)
        for name, weights in tuned.items()
    }
    return {**points, BASELINE: baseline}


def show(part: str, points: dict[str, OperatingPoint]) -> None:
    """Print the table."""
    print(f"\n{part:<12}{'BLEU':>8}{'NIST':>9}{'#hyp':>14}{'BLEU +%':>9}{'NIST +%':>9}")
    base = points[BASELINE].scores
    for name, point in points.items():
        gain = {key: 100 * (point.scores[key] / base[key] - 1) for key in CRITERIA}
        print(
            f"{name:<12}{point.scores['bleu']:>8.2f}{point.scores['nist']:>9.4f}"
            f"{point.n_hypotheses:>14,}{gain['bleu']:>9.1f}{gain['nist']:>9.1f}"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder of simplex.json")
    parser.add_argument("--corpus", type=Path, default=SHARED / "data" / "eutrans")
    parser.add_argument("--languages", default="es-en", help="SOURCE-TARGET of the corpus")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args(arguments)
    if not options.corpus.is_dir():
        print(f"{options.corpus}: no such corpus, nothing to measure")
        return
    simplex = settings(SimplexOptions(), options.set)
    source, _, target = options.languages.partition("-")
    text = BitextFiles(options.corpus / f"train.{source}", options.corpus / f"train.{target}")
    with tempfile.TemporaryDirectory() as folder:
        model = build(text, folder, TrainOptions(features=FeatureOptions.standard()))
        dev, test = (
            decoding(model, options.corpus, part, options.languages, simplex)
            for part in ("dev", "test")
        )
        uniform = Weights(dict.fromkeys(model.weights, 1.0))
        tuned = {
            name: tune(model, options.corpus, options.languages, name, asdict(simplex))
            for name in CRITERIA
        }
        weights = {name: Weights(facts["weights"]) for name, facts in tuned.items()}
        tables = {}
        for part, evaluate in (("dev", dev), ("test", test)):
            points = at_equal_cost(evaluate, weights, uniform)
            show(part, points)
            tables[part] = {name: asdict(point) for name, point in points.items()}
        curves = {
            name: [
                asdict(operating)
                for operating in operating_points(test, of.scaled(points[name].scale), SCALES)
            ]
            for name, of in {**weights, BASELINE: uniform}.items()
        }
    facts = {
        "yardstick": yardstick(),
        "options": asdict(simplex),
        "tuned": tuned,
        "at_equal_cost": tables,
        "curves": curves,
    }
    print(f"\nwrote {write_json(options.out, 'simplex.json', facts)}")


if __name__ == "__main__":
    main()
