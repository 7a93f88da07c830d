"""The weights of a model, as tables and as JSON; the largest sparse ones by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.markup import escape
from rich.table import Table

from calque.progress import Progress

if TYPE_CHECKING:
    from calque.features import Weights
    from calque.model import ModelFolder

TOP = 10
"""Sparse weights that are shown where the user does not say."""
MOST_SENTENCES = 500
"""How many sentences are searched for the names of sparse features."""


class Row(NamedTuple):
    """A sparse weight that is shown."""

    key: int
    name: str | None
    template: str | None
    """Where the name was not found."""
    weight: float

    @property
    def label(self) -> str:
        """What the feature is called, as far as that is known."""
        unnamed = f"#{self.key:016x}"
        return self.name or (f"{self.template}:? {unnamed}" if self.template else unnamed)


class SparseNames:
    """Finds what sparse features of a model are called; what was found once is remembered."""

    def __init__(
        self, model: Path, text: Path | None, threads: int | None, progress: Progress
    ) -> None:
        """Take the model, and the text in which names are looked for, if not its own."""
        self._model = model
        self._text = text
        self._threads = threads
        self._progress = progress
        self._names: dict[int, str] = {}
        self._templates: dict[int, str] = {}

    def largest(self, name: str, top: int | None) -> tuple[Weights, list[Row]]:
        """The weights of a name, and so many of the largest sparse ones."""
        from calque.model import ModelFolder, read_weights

        weights = read_weights(ModelFolder(self._model), name)
        keys, values = weights.sparse.largest(TOP if top is None else top)
        self._find([key for key in keys.tolist() if key not in self._names], name)
        rows = zip(keys.tolist(), values.tolist(), strict=True)
        return weights, [
            Row(key, self._names.get(key), self._templates.get(key), value) for key, value in rows
        ]

    def _find(self, missing: Sequence[int], name: str) -> None:
        if not missing:
            return
        from calque.decode.names import names_of_keys, template_of_key
        from calque.model import Model
        from calque.text import read_lines

        model = Model.load(self._model, name)
        self._names |= names_of_keys(
            model,
            missing,
            None if self._text is None else read_lines(self._text),
            most_sentences=MOST_SENTENCES,
            threads=self._threads,
            progress=self._progress,
        )
        for key in missing:
            if key not in self._names and (template := template_of_key(model, key)) is not None:
                self._templates[key] = template


def as_json(
    folder: ModelFolder,
    sets: Mapping[str, Weights],
    largest: Mapping[str, list[Row]],
) -> dict[str, Any]:
    """All sets of weights and where they come from, for JSON."""
    from calque.model import active_name, origin_of

    return {
        "active": active_name(folder),
        "weights": {
            name: {
                "origin": origin_of(folder, name),
                "dense": dict(weights),
                "n_sparse": len(weights.sparse),
                "largest_sparse": [
                    {**row._asdict(), "key": f"{row.key:016x}"} for row in largest[name]
                ],
            }
            for name, weights in sets.items()
        },
    }


def dense_table(folder: ModelFolder, sets: Mapping[str, Weights]) -> Table:
    """A column for each set of weights; the largest weights of the first one first."""
    from calque.model import active_name

    active = active_name(folder)
    heads = [f"{name} (active)" if name == active else name for name in sets]
    table = Table("feature", box=None, header_style="bold")
    for head in heads:
        table.add_column(escape(head), justify="right")
    first = next(iter(sets.values()))
    rows = sorted(first, key=lambda feature: (-abs(first[feature]), feature))
    rows += [name for weights in sets.values() for name in weights if name not in first]
    for feature in dict.fromkeys(rows):
        values = (weights.get(feature) for weights in sets.values())
        table.add_row(
            escape(feature), *("-" if value is None else f"{value:.6g}" for value in values)
        )
    if any(len(weights.sparse) for weights in sets.values()):
        table.add_row("sparse weights", *(f"{len(weights.sparse):,}" for weights in sets.values()))
    return table


def sparse_table(name: str, n_sparse: int, rows: Sequence[Row]) -> Table:
    """The largest sparse weights of a name."""
    title = f"{name}: the largest {len(rows):,} of {n_sparse:,} sparse weights"
    table = Table(title=escape(title), box=None, header_style="bold", title_justify="left")
    table.add_column("weight", justify="right")
    table.add_column("feature", overflow="fold")
    for row in rows:
        table.add_row(f"{row.weight:.6g}", escape(row.label))
    return table
