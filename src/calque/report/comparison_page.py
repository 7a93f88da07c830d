"""A comparison of systems as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from calque.report.comparison import MetricComparison, SystemsComparison, label, tabulate
from calque.report.histogram import gains_histogram

N_SHOWN = 10
"""Sentences that are shown of those a system does better, and of those it does worse."""

_PIECE = re.compile(r"\w+|[^\w\s]")

STYLE = """
:root { color-scheme: light dark; --ink: #1c2128; --soft: #667080; --line: #d9dee5; --paper: #fff;
  --card: #f6f8fa; --gain: #1a7f4b; --loss: #c2413b; --same: #9aa4b2; --mark: #d3f0df; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #98a3b3; --line: #343c47;
  --paper: #14181d; --card: #1c2229; --gain: #4cc38a; --loss: #f0706a; --same: #6b7685;
  --mark: #1d4a34; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 64rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2.4rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
.about, .legend, footer { color: var(--soft); }
.verdict { background: var(--card); border-left: 4px solid var(--same); padding: .5rem .9rem;
  margin: .5rem 0; border-radius: 0 6px 6px 0; }
.verdict.gain { border-color: var(--gain); } .verdict.loss { border-color: var(--loss); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; }
.n, .wide :is(th, td):nth-child(n + 3) { text-align: right; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; } svg text { font-size: 12px; fill: var(--soft); }
rect.gain { fill: var(--gain); } rect.loss { fill: var(--loss); } rect.same { fill: var(--same); }
.axis { stroke: var(--soft); } .grid { stroke: var(--line); }
.sentence { background: var(--card); border-radius: 6px; padding: .6rem .9rem; margin: .6rem 0; }
.sentence table td { border: 0; padding: .1rem .7rem .1rem 0; white-space: normal; }
.sentence td:first-child { color: var(--soft); width: 9rem; overflow-wrap: anywhere; }
.sentence td.n { width: 4rem; } mark { background: var(--mark); color: inherit; border-radius: 3px;
  padding: 0 .1em; } footer { margin: 2.5rem 0 1rem; font-size: .85rem; overflow-wrap: anywhere; }
"""


def comparison_page(
    found: SystemsComparison,
    references: Sequence[Sequence[str]],
    source: Sequence[str] | None = None,
    n_shown: int = N_SHOWN,
) -> str:
    """The page: verdicts, table, and for every system the sentences that differ most.

    Sentences are chosen by the first metric. Words that a reference has too are marked, each as
    often as it stands in the reference that has it most.
    """
    baseline, *others = (system.name for system in found.systems)
    title = f"{' and '.join(others)} against {baseline}"
    lines = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        f'<p class="about">{_about(found, len(references))}</p>',
        *_verdicts(found),
        '<h2>Scores</h2><div class="wide">',
        *_table(found),
        "</div>",
    ]
    for system in range(1, len(found.systems)):
        lines += _section(found, system, references, source, n_shown)
    signatures = "<br>".join(
        f"{escape(label(one.metric.name))}: {escape(one.signature)}" for one in found.metrics
    )
    return "\n".join([*lines, f"<footer>{signatures}</footer>", "</body></html>", ""])


def _about(found: SystemsComparison, n_references: int) -> str:
    n_sentences = found.metrics[0].sentences.shape[1]
    sets = "1 reference" if n_references == 1 else f"{n_references} references"
    options = found.options
    return f"{n_sentences:,} sentences, {sets}; {options.trials:,} trials, seed {options.seed}"


def _verdicts(found: SystemsComparison) -> Iterator[str]:
    for system in range(1, len(found.systems)):
        for one in found.metrics:
            kind = {True: "gain", False: "loss", None: "same"}[found.is_better(one, system)]
            yield f'<p class="verdict {kind}">{escape(found.verdict(one, system))}</p>'


def _table(found: SystemsComparison) -> Iterator[str]:
    heads, rows = tabulate(found)
    yield f"<table>{_row('th', heads)}"
    yield from (_row("td", row) for row in rows)
    yield "</table>"


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _section(
    found: SystemsComparison,
    system: int,
    references: Sequence[Sequence[str]],
    source: Sequence[str] | None,
    n_shown: int,
) -> Iterator[str]:
    first = found.metrics[0]
    gains = first.gains(system)
    name, baseline = escape(found.systems[system].name), escape(found.systems[0].name)
    better, worse = int((gains > 0).sum()), int((gains < 0).sum())
    yield f"<h2>{name} against {baseline}, sentence by sentence</h2>"
    yield (
        f'<p class="about">{better:,} better, {worse:,} worse,'
        f" {len(gains) - better - worse:,} the same by {escape(label(first.metric.name))}</p>"
    )
    yield gains_histogram(gains, escape(label(first.metric.name)))
    yield '<p class="legend"><mark>Marked</mark> words stand in a reference.'
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
            yield _sentence(found, first, system, int(i), lines, source)


def _sentence(
    found: SystemsComparison,
    by: MetricComparison,
    system: int,
    i: int,
    references: Sequence[str],
    source: Sequence[str] | None,
) -> str:
    rows = [] if source is None else [("source", escape(source[i]), "")]
    for k, line in enumerate(references, 1):
        rows.append(("reference" if len(references) == 1 else f"reference {k}", escape(line), ""))
    for one in (0, system):
        marked = mark_matches(found.systems[one].runs[0][i], references)
        rows.append(
            (escape(found.systems[one].name), marked, f"{by.sentences[one, i]:.{by.n_decimals}f}")
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
    parts, end = [], 0
    for found in _PIECE.finditer(hypothesis):
        piece = found.group()
        parts.append(escape(hypothesis[end : found.start()]))
        parts.append(f"<mark>{escape(piece)}</mark>" if left[piece] > 0 else escape(piece))
        left[piece] -= 1
        end = found.end()
    return "".join([*parts, escape(hypothesis[end:])])
