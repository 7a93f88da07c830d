"""Tables of rules in the text of Hiero, cdec and Joshua."""

from __future__ import annotations

import math
import re
from array import array
from pathlib import Path

from calque import _core
from calque.blocks.moses import finished
from calque.blocks.table import BlockTable
from calque.config import GrammarOptions
from calque.errors import FileError, LineError, OptionError
from calque.progress import SILENT, Progress
from calque.text import RESERVED, Vocabulary, read_blocks

N_SCORES = 4
ABSENT = "-"
"""Stands for a score that the table does not have."""
GLUE = ("[S]", "[GOAL]")
"""Left-hand sides of rules that only put other rules side by side."""
LEAST_LOG = -600.0
"""Logs of probabilities are not smaller, so that they are numbers as probabilities, too."""
FACTORS = {"ln": 1.0, "minus-ln": -1.0, "log10": math.log(10), "minus-log10": -math.log(10)}


def read_hiero_table(
    path: Path | str,
    options: GrammarOptions | None = None,
    *,
    progress: Progress = SILENT,
) -> tuple[BlockTable, Vocabulary, Vocabulary]:
    """The table of rules of a Hiero, cdec or Joshua grammar, and its words.

    A line is `[X] ||| source ||| target ||| features [||| links]`; gaps are `[X,1]` and `[X,2]`, on
    the target side also `[1]` and `[2]`. Features are numbers, or `name=number`; the options say
    which of them are the four scores. Scores that the grammar does not have are ln 1. Glue rules
    (`[S]`, `[GOAL]`) are left out: the decoder has its own. Raises `FileError` or `LineError` as
    `read_moses_table` does.
    """
    options = options or GrammarOptions()
    words = _core.WordTable(), _core.WordTable()
    for word in RESERVED:
        for side in words:
            side.add(word)
    reader = _core.MosesReader(*words, True)
    grammar = _Grammar(Path(path), options)
    with progress.stage("read rules"):
        for text in read_blocks(path):
            line, problem = reader.add_phrases(grammar.to_moses(text))
            if problem:
                raise LineError(path, grammar.lines[line - 1], grammar.with_own_lines(problem))
    if missing := grammar.never_seen:
        raise FileError(
            path, f"no rule has a feature '{missing[0]}': expected --scores of features"
        )
    return finished(reader, True)


class _Grammar:
    """Turns lines into those of Moses; keeps where each came from."""

    def __init__(self, path: Path, options: GrammarOptions) -> None:
        self.path = path
        self.lines = array("q")
        """The line that each line for Moses came from."""
        self._scores = [name.strip() for name in options.scores.split(",")]
        if len(self._scores) != N_SCORES:
            raise OptionError(f"scores={options.scores}: expected {N_SCORES} names, with commas")
        self._values = options.score_values
        self._seen: set[str] = set()
        self._n_lines = 0

    @property
    def never_seen(self) -> list[str]:
        """Scores that no line had."""
        wanted = [name for name in self._scores if name != ABSENT]
        return [name for name in wanted if self.lines and name not in self._seen]

    def with_own_lines(self, problem: str) -> str:
        """A problem of lines for Moses with the numbers of the lines that they came from."""
        return re.sub(r"(?<= line )\d+", lambda found: str(self.lines[int(found[0]) - 1]), problem)

    def to_moses(self, text: str) -> str:
        """The lines of a piece of text, glue rules left out."""
        rules = []
        for line in text.split("\n")[:-1]:
            self._n_lines += 1
            fields = [field.split() for field in f" {line} ".split(" ||| ")]
            if len(fields) not in (4, 5) or len(fields[0]) != 1:
                raise self._error(
                    f"has {len(fields)} fields separated by |||, expected [X], source, target,"
                    " features and perhaps links"
                )
            ((label,), source, target, features) = fields[:4]
            if label in GLUE:
                continue
            if label != "[X]":
                raise self._error(f"label '{label}': expected [X]")
            source, gaps = self._source(source)
            target, points = self._target(target, gaps)
            links = " ".join([*(fields[4] if len(fields) == 5 else []), *points])
            scores = " ".join(map(repr, self._probabilities(features)))
            rules.append(
                f"{' '.join(source)} [X] ||| {' '.join(target)} [X] ||| {scores} ||| {links}\n"
            )
            self.lines.append(self._n_lines)
        return "".join(rules)

    def _source(self, tokens: list[str]) -> tuple[list[str], dict[str, int]]:
        """The source side, and the position of each gap by its index."""
        gaps: dict[str, int] = {}
        side = []
        for position, token in enumerate(tokens):
            if index := _gap_index(token):
                if index in gaps:
                    raise self._error(f"gap {token} stands twice on the source side")
                gaps[index] = position
            side.append("[X][X]" if index else token)
        return side, gaps

    def _target(self, tokens: list[str], gaps: dict[str, int]) -> tuple[list[str], list[str]]:
        """The target side, and the alignment points of gaps."""
        points: dict[str, str] = {}
        side = []
        for position, token in enumerate(tokens):
            if index := _gap_index(token, may_be_bare=True):
                if index not in gaps or index in points:
                    raise self._error(
                        f"gap {token} of the target side: expected each of the source side once"
                    )
                points[index] = f"{gaps[index]}-{position}"
            side.append("[X][X]" if index else token)
        return side, list(points.values())

    def _probabilities(self, features: list[str]) -> list[float]:
        named: dict[str, str] = {}
        for position, feature in enumerate(features, 1):
            name, equals, value = feature.rpartition("=")
            named[name if equals else str(position)] = value
        self._seen.update(named)
        return [self._probability(named.get(name), name) for name in self._scores]

    def _probability(self, text: str | None, name: str) -> float:
        if text is None:
            return 1.0
        try:
            number = float(text)
            if self._values != "probability":
                number = math.exp(max(FACTORS[self._values] * number, LEAST_LOG))
        except (ValueError, OverflowError):
            number = math.nan
        if not 0 < number <= 1 + 1e-6:
            raise self._error(
                f"feature {name} is {text}, as {self._values} no probability above 0 and up to 1"
            )
        return min(number, 1.0)

    def _error(self, problem: str) -> LineError:
        return LineError(self.path, self._n_lines, problem)


def _gap_index(token: str, *, may_be_bare: bool = False) -> str | None:
    """The index of a gap, `[X,1]` or perhaps `[1]`; none for a word, and for other labels."""
    for index in ("1", "2"):
        if token == f"[X,{index}]" or (may_be_bare and token == f"[{index}]"):
            return index
    return None
