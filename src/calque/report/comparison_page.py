"""A comparison of systems as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from calque.report.comparison import MetricComparison, SystemsComparison, label, tabulate
from calque.report.histogram import gains_histogram
from calque.report.page import Html, escape, page

N_SHOWN = 10
"""Sentences that are shown of those a system does better, and of those it does worse."""

_PIECE = re.compile(r"\w+|[^\w\s]")

STYLE = """
:root { --gain: #1a7f4b; --loss: #c2413b; --same: #9aa4b2; --mark: #d3f0df; }
@media (prefers-color-scheme: dark) { :root { --gain: #4cc38a; --loss: #f0706a; --same: #6b7685;
  --mark: #1d4a34; } }
.verdict { background: var(--card); border-left: 4px solid var(--same); padding: .5rem .9rem;
  border-radius: 0 6px 6px 0; max-width: none; }
.verdict.gain { border-color: var(--gain); } .verdict.loss { border-color: var(--loss); }
.scores td { white-space: nowrap; }
.n, .scores :is(th, td):nth-child(n + 3) { text-align: right;
  font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; } svg text { font-size: 12px; fill: var(--quiet); }
rect.gain { fill: var(--gain); } rect.loss { fill: var(--loss); } rect.same { fill: var(--same); }
.axis { stroke: var(--quiet); } .grid { stroke: var(--line); }
.sentence { background: var(--card); border-radius: 6px; padding: .6rem .9rem; margin: .6rem 0; }
.sentence table td { border: 0; padding: .1rem .7rem .1rem 0; }
.sentence td:first-child { color: var(--quiet); width: 9rem; overflow-wrap: anywhere; }
.sentence td.n { width: 4rem; } mark { background: var(--mark); color: inherit; border-radius: 3px;
  padding: 0 .1em; } footer { color: var(--quiet); margin: 2.5rem 0 1rem; font-size: .85rem;
  overflow-wrap: anywhere; }
"""


def comparison_page(
    comparison: SystemsComparison,
    references: Sequence[Sequence[str]],
    source: Sequence[str] | None = None,
    n_shown: int = N_SHOWN,
) -> str:
    """The page: verdicts, table, and for every system the sentences that differ most.

    Sentences are chosen by the first metric. Words that a reference has too are marked, each as
    often as it stands in the reference that has it most.
    """
    baseline, *others = (system.name for system in comparison.systems)
    title = f"{' and '.join(others)} against {baseline}"
    parts = [
        *_verdicts(comparison),
        "<h2>Scores</h2>",
        '<div class="scroll scores">',
        *_table(comparison),
        "</div>",
    ]
    for system in range(1, len(comparison.systems)):
        parts += _section(comparison, system, references, source, n_shown)
    signatures = "<br>".join(
        f"{escape(label(of_metric.metric.name))}: {escape(of_metric.signature)}"
        for of_metric in comparison.metrics
    )
    parts.append(f"<footer>{signatures}</footer>")
    lead = _about(comparison, len(references))
    return page(title, *map(Html, parts), lead=lead, style=STYLE)


def _about(comparison: SystemsComparison, n_references: int) -> str:
    n_sentences = comparison.metrics[0].sentences.shape[1]
    sets = "1 reference" if n_references == 1 else f"{n_references} references"
    options = comparison.options
    return f"{n_sentences:,} sentences, {sets}; {options.trials:,} trials, seed {options.seed}"


def _verdicts(comparison: SystemsComparison) -> Iterator[str]:
    for system in range(1, len(comparison.systems)):
        for of_metric in comparison.metrics:
            kind = {True: "gain", False: "loss", None: "same"}[
                comparison.is_better(of_metric, system)
            ]
            yield f'<p class="verdict {kind}">{escape(comparison.verdict(of_metric, system))}</p>'


def _table(comparison: SystemsComparison) -> Iterator[str]:
    heads, rows = tabulate(comparison)
    yield f"<table>{_row('th', heads)}"
    yield from (_row("td", row) for row in rows)
    yield "</table>"


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _section(
    comparison: SystemsComparison,
    system: int,
    references: Sequence[Sequence[str]],
    source: Sequence[str] | None,
    n_shown: int,
) -> Iterator[str]:
    first = comparison.metrics[0]
    gains = first.gains(system)
    name, baseline = escape(comparison.systems[system].name), escape(comparison.systems[0].name)
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    yield f"<h2>{name} against {baseline}, sentence by sentence</h2>"
    yield (
        f'<p class="note">{better:,} better, {worse:,} worse,'
        f" {len(gains) - better - worse:,} the same by {escape(label(first.metric.name))}</p>"
    )
    yield gains_histogram(gains, escape(label(first.metric.name)))
    yield '<p class="note"><mark>Marked</mark> words stand in a reference.'
    yield "Where a system has several runs the first is shown, with its mean score over runs.</p>"
    order = np.argsort(gains, kind="stable")
    for heading, chosen in (
        (f"Where {name} gains most", [i for i in order[::-1][:n_shown] if gains[i] > 0]),
        (f"Where {name} loses most", [i for i in order[:n_shown] if gains[i] < 0]),
    ):
        if chosen:
            yield f"<h3>{heading}</h3>"
        for i in chosen:
            lines = [reference[i] for reference in references]
            yield _sentence(comparison, first, system, int(i), lines, source)


def _sentence(
    comparison: SystemsComparison,
    by: MetricComparison,
    system: int,
    i: int,
    references: Sequence[str],
    source: Sequence[str] | None,
) -> str:
    rows: list[tuple[str, str, str]] = []
    if source is not None:
        rows.append(("source", escape(source[i]), ""))
    for k, line in enumerate(references, 1):
        rows.append(("reference" if len(references) == 1 else f"reference {k}", escape(line), ""))
    for number in (0, system):
        marked = mark_matches(comparison.systems[number].runs[0][i], references)
        rows.append(
            (
                escape(comparison.systems[number].name),
                marked,
                f"{by.sentences[number, i]:.{by.n_decimals}f}",
            )
        )
    cells = "".join(
        f'<tr><td>{name}</td><td>{text}</td><td class="n">{score}</td></tr>'
        for name, text, score in rows
    )
    return f'<div class="sentence"><b>line {i + 1:,}</b><table>{cells}</table></div>'


def mark_matches(hypothesis: str, references: Sequence[str]) -> str:
    """The hypothesis as HTML, the words and signs that a reference has, too, in `<mark>`."""
    left: Counter[str] = Counter()
    for reference in references:
        left |= Counter(_PIECE.findall(reference))
    parts, end = list[str](), 0
    for match in _PIECE.finditer(hypothesis):
        piece = match.group()
        parts.append(escape(hypothesis[end : match.start()]))
        parts.append(f"<mark>{escape(piece)}</mark>" if left[piece] > 0 else escape(piece))
        left[piece] -= 1
        end = match.end()
    return "".join([*parts, escape(hypothesis[end:])])
