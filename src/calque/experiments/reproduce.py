"""A paper reproduced: its recipes run on a bench, and the report written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from calque.errors import FileError, OptionError, hint
from calque.experiments.bench import Bench
from calque.experiments.claim import Claim
from calque.experiments.markdown import to_markdown
from calque.experiments.page import to_page
from calque.experiments.paper import Paper, Section
from calque.text import open_output

MARKDOWN, PAGE, RESULT = "report.md", "report.html", "result.json"


@dataclass(frozen=True)
class Reproduction:
    """What came out of the recipes of a paper."""

    paper: Paper
    sections: Mapping[str, Section]
    facts: Mapping[str, str]
    """The corpus, the scale, the seeds, the version: what a reader must know."""
    cells: Mapping[str, Any]
    """All figures of all cells, as JSON."""

    @property
    def claims(self) -> list[Claim]:
        """Those of all sections."""
        return [claim for section in self.sections.values() for claim in section.claims]

    def write(self, out: Path) -> list[Path]:
        """Write the report as Markdown and HTML, and all figures as JSON."""
        texts = {
            MARKDOWN: to_markdown(self.paper, self.sections, self.facts),
            PAGE: to_page(self.paper, self.sections, self.facts),
            RESULT: json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n",
        }
        for name, text in texts.items():
            with open_output(out / name) as file:
                file.write(text)
        return [out / name for name in texts]

    def to_json(self) -> dict[str, Any]:
        """Everything, as JSON."""
        return {
            "paper": self.paper.name,
            "facts": dict(self.facts),
            "claims": [
                {
                    "section": name,
                    "number": claim.number,
                    "text": claim.text,
                    "paper": claim.paper,
                    "criterion": claim.criterion,
                    "verdict": claim.verdict.value,
                    "evidence": [[item.verdict.value, item.seen] for item in claim.evidence],
                }
                for name, section in self.sections.items()
                for claim in section.claims
            ],
            "tables": {
                name: [
                    {"caption": table.caption, "heads": list(table.heads), "rows": list(table.rows)}
                    for table in section.tables
                ]
                for name, section in self.sections.items()
            },
            "cells": dict(self.cells),
        }


def reproduce(paper: Paper, bench: Bench, tables: Sequence[str] = ()) -> Reproduction:
    """The sections of a paper, all or those of some tables, worked out and written to the bench.

    What is there already of an earlier call with the same corpus, scale and seeds is used.
    """
    for name in tables:
        if name not in paper.sections:
            meant = hint(name, paper.sections)
            raise OptionError(f"{paper.name} has no table '{name}': {meant}")
    try:
        bench.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = "is a file, expected a folder" if bench.out.is_file() else error.strerror
        raise FileError(bench.out, f"cannot be written: {problem}") from error
    wanted = [name for name in paper.sections if not tables or name in tables]
    sections = {name: paper.sections[name](bench) for name in wanted}
    cells = {
        name: {
            "figures": dict(cell.figures),
            "curves": {k: list(v) for k, v in cell.curves.items()},
        }
        for name, cell in bench.cells.items()
    }
    reproduction = Reproduction(paper, sections, _facts(paper, bench), cells)
    reproduction.write(bench.out)
    return reproduction


def _facts(paper: Paper, bench: Bench) -> dict[str, str]:
    corpus = bench.corpus
    described = []
    for text in corpus.texts:
        source, target = text.n_words
        n = len(text.references)
        sets = f"{n} sets of references" if n > 1 else "one reference"
        described.append(
            f"{text.name} {len(text.sentences):,} sentences, {source:,} source words,"
            f" {target:,} target words" + ("" if text.name == "train" else f" ({sets})")
        )
    return {
        "corpus": f"{corpus.name}, {corpus.source_language}-{corpus.target_language}",
        "texts": "; ".join(described),
        "unknown words": f"{100 * corpus.unknown_share:.2f} % of the test words are not in train",
        "rounds": f"{bench.scale_of_rounds:g} of {paper.rounds}",
        **(
            {}
            if paper.sentences is None
            else {"sentences": f"{bench.scale:g} of {paper.sentences}"}
        ),
        "seeds of trainings": ", ".join(map(str, bench.seeds)),
        "words": "split at blanks; scores as `calque score --tokenize none` gives them",
        "calque": version("calque"),
    }
