"""The page that `calque report` writes: runs side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from calque.report.curves import Curve, draw
from calque.report.page import (
    Cell,
    Html,
    element,
    figure,
    page,
    paragraph,
    section,
    table,
)
from calque.report.record import RoundRecord, RunRecord
from calque.report.weights import named, weight_tables

JAGGED = "simplex"
"""The method whose rounds are trials: its curve is that of the best so far."""


def report(runs: Sequence[RunRecord]) -> Html:
    """One page for all runs: a table, learning curves, weights and examples.

    The same runs give the same bytes.
    """
    parts = [_summary(runs), _curves(runs), weight_tables(runs), _examples(runs), _settings(runs)]
    title = f"Run {runs[0].name}" if len(runs) == 1 else f"{len(runs)} runs"
    lead = ", ".join(dict.fromkeys(f"{run.method} for {run.metric}" for run in runs))
    return page(title, *(part for part in parts if part), lead=lead)


def _summary(runs: Sequence[RunRecord]) -> Html:
    header = ["run", "method", "seed", "rounds", "chosen", "metric", "start", "best", "time", "end"]
    rows: list[list[Cell]] = []
    for index, run in enumerate(runs):
        first, chosen = next(iter(run.rounds), None), run.chosen_round
        rows.append(
            [
                named(run, index),
                run.method,
                run.seed,
                len(run.rounds),
                run.chosen,
                run.metric,
                _score(first),
                _score(chosen),
                _duration(run.seconds),
                run.reason or "not finished",
            ]
        )
    warnings = [
        paragraph(f"{run.name}: {warning}", "warning") for run in runs for warning in run.warnings
    ]
    signatures = dict.fromkeys(run.signature for run in runs if run.signature)
    notes = [paragraph(f"Signature: {signature}", "note") for signature in signatures]
    return section("Result on the development text", table(header, rows), *warnings, *notes)


def _curves(runs: Sequence[RunRecord]) -> Html | None:
    figures: list[Html] = []
    for metric in dict.fromkeys(run.metric for run in runs):
        curves = [
            curve
            for index, run in enumerate(runs)
            if run.metric == metric
            for curve in _score_curves(run, index)
        ]
        if curves:
            drawing = draw(curves, "round", metric, f"score{len(figures)}")
            below = f"{metric} of the decoder's output after each round; the ring is what was taken"
            dashed = any(curve.faint for curve in curves)
            below += "; dashed: on the candidates learned from, or single trials" if dashed else ""
            figures.append(figure(drawing, below + "."))
    figures += _further(runs, "length", "output length / reference length", _length)
    figures += _further(runs, "search", "hypotheses tried by the search", _n_hypotheses)
    return section("Learning curves", *figures) if figures else None


def _score_curves(run: RunRecord, series: int) -> Iterator[Curve]:
    scored = [(record.number, record.score) for record in run.rounds if _is_number(record.score)]
    pooled = [
        (record.number, record.pool_score) for record in run.rounds if _is_number(record.pool_score)
    ]
    numbers, scores = [n for n, _ in scored], [float(score or 0) for _, score in scored]
    mark = numbers.index(run.chosen) if run.chosen in numbers else None
    if run.method == JAGGED:
        pooled, scores = scored, _best_so_far(scores, run.higher_is_better)
    if scores:
        yield Curve(run.name, numbers, scores, series, mark=mark)
    if pooled:
        values = [float(value or 0) for _, value in pooled]
        yield Curve(run.name, [n for n, _ in pooled], values, series, faint=bool(scores))


def _further(
    runs: Sequence[RunRecord], name: str, label: str, value: Callable[[RoundRecord], float | None]
) -> Iterator[Html]:
    """A drawing of something else that rounds tell, where they do."""
    curves: list[Curve] = []
    for series, run in enumerate(runs):
        known = [
            (record.number, number)
            for record in run.rounds
            if (number := value(record)) is not None
        ]
        if known:
            x, y = zip(*known, strict=True)
            curves.append(Curve(run.name, x, y, series))
    if curves:
        drawing = draw(curves, "round", label, name)
        yield figure(drawing, f"{label[0].upper()}{label[1:]}, round by round.")


def _examples(runs: Sequence[RunRecord]) -> Html | None:
    parts: list[Html] = []
    for index, run in enumerate(runs):
        if not run.examples:
            continue
        parts.append(element("h3", named(run, index)))
        for example in run.examples:
            lines = {
                "source": example.source,
                "reference": example.reference,
                "before": example.before,
                "after": example.after,
            }
            items = "".join(element("dt", k) + element("dd", v) for k, v in lines.items())
            parts.append(Html(f"<dl>{items}</dl>"))
    return section("Examples", *parts) if parts else None


def _settings(runs: Sequence[RunRecord]) -> Html | None:
    keys = list(dict.fromkeys(key for run in runs for key in run.options))
    rows: list[list[Cell]] = [
        [key, *(_setting(run.options[key]) if key in run.options else None for run in runs)]
        for key in keys
    ]
    header = ["option", *(run.name for run in runs)]
    return section("Options", table(header, rows)) if rows else None


def _score(record: RoundRecord | None) -> Cell:
    if record is None:
        return None
    score = record.score if record.score is not None else record.pool_score
    return None if score is None else round(score, 2)


def _length(record: RoundRecord) -> float | None:
    return record.length_ratio if _is_number(record.length_ratio) else None


def _n_hypotheses(record: RoundRecord) -> float | None:
    return record.n_hypotheses


def _is_number(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _best_so_far(scores: Sequence[float], higher_is_better: bool) -> list[float]:
    choose = max if higher_is_better else min
    best: list[float] = []
    for score in scores:
        best.append(choose(best[-1], score) if best else score)
    return best


def _duration(seconds: float | None) -> Cell:
    if seconds is None:
        return None
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{seconds:.1f} s"


def _setting(value: object) -> Cell:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, int | float) else "none" if value is None else str(value)
