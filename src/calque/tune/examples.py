from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from calque.text import write_lines

EXAMPLES = "examples.jsonl"
"""The file of a run folder."""
MOST_EXAMPLES = 8


@dataclass(frozen=True)
class Example:
    """One sentence that tuning changed."""

    source: str
    reference: str
    before: str
    after: str


def changed(
    sources: Sequence[str], references: Sequence[str], before: Sequence[str], after: Sequence[str]
) -> list[Example]:
    """Some of the sentences whose translations differ, spread over the whole text."""
    pairs = zip(sources, references, before, after, strict=True)
    examples = [Example(*row) for row in pairs if row[2] != row[3]]
    step = max(1, -(-len(examples) // MOST_EXAMPLES))
    return examples[::step]


def write_examples(folder: Path | str, examples: Sequence[Example]) -> None:
    """Put examples into a run folder."""
    rows = (json.dumps(asdict(example), ensure_ascii=False) for example in examples)
    write_lines(Path(folder) / EXAMPLES, rows)
