"""Tables of text as other programs take them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]], n_names: int = 0) -> str:
    """A table in Markdown; all columns but the first `n_names` are numbers, set to the right."""
    rules = ["---" if column < n_names else "--:" for column in range(len(heads))]
    lines = [heads, rules, *rows]
    return "".join(f"| {' | '.join(map(_markdown, cells))} |\n" for cells in lines)


def csv_table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of comma-separated values; a cell of `None` is empty."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([heads, *rows])
    return text.getvalue()


def latex_table(heads: Sequence[str], rows: Sequence[Sequence[str]], n_names: int = 0) -> str:
    """A `tabular` for LaTeX, without packages; numbers are set to the right."""
    columns = "l" * n_names + "r" * (len(heads) - n_names)
    body = [f"{' & '.join(map(_latex, row))} \\\\" for row in rows]
    head = f"{' & '.join(map(_latex, heads))} \\\\"
    begin, end = rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}"
    return "\n".join([begin, r"\hline", head, r"\hline", *body, r"\hline", end]) + "\n"


def _markdown(cell: str) -> str:
    return cell.replace("|", "\\|")


def _latex(cell: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in cell)
