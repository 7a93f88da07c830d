"""N-best lists on disk: Moses, Joshua, JSON lines; plain or compressed.

    moses   0 ||| a small girl ||| LM0= -12.5 TranslationModel0= -1.2 -3.4 ||| -4.21
    joshua  0 ||| a small girl ||| lm_0=-12.5 tm_pt_0=-1.2 ||| -4.21
    json    {"id": 0, "text": "a small girl", "features": {"lm": -12.5}, "score": -4.21}

Ids count sentences from 0; candidates of a sentence follow one another, the decoder's own choice
first. A label of several values gives the features label_0, label_1, and so on. `score` may be
absent, then everywhere. What the format of a file is shows in its first line. Three bars inside a
text are written as Moses writes them, &#124;&#124;&#124;, and read again as bars.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.errors import CalqueError, LineError
from calque.hyps.nbest import Candidate, CandidateCollector, NBest, check_ids
from calque.text import open_output, read_blocks

Format = Literal["moses", "joshua", "json"]
FORMATS: tuple[str, ...] = get_args(Format)
BARS, ESCAPED_BARS = "|||", "&#124;&#124;&#124;"
"""What stands between fields, and how it is written inside a text."""
MOST_SENTENCES = 2**31 - 1
SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_ENDS = re.compile(r"[\r\n]+")


def read_nbest(path: Path | str) -> NBest:
    """The lists of a file; raises `CalqueError` with file and line where something is off."""
    blocks = read_blocks(path)
    first = next(blocks, "")
    joined = _joined(first, blocks)
    nbest = _read_json(joined, path) if first.lstrip().startswith("{") else _read(joined, path)
    check_ids(nbest.sentences, path)
    return nbest


def _joined(first: str, rest: Iterator[str]) -> Iterator[str]:
    if first:
        yield first
    yield from rest


def _read(blocks: Iterator[str], path: Path | str) -> NBest:
    reader = _core.NBestReader()
    for block in blocks:
        try:
            reader.feed(block)
        except CalqueError as error:
            raise LineError(path, reader.line, str(error)) from None
    totals = reader.totals()
    return NBest(
        names=tuple(reader.names()),
        sentences=reader.sentences(),
        texts=[text.replace(ESCAPED_BARS, BARS) for text in reader.texts()],
        row_offsets=reader.row_offsets(),
        columns=reader.columns(),
        values=reader.values(),
        totals=totals if len(totals) else None,
    )


def _read_json(blocks: Iterator[str], path: Path | str) -> NBest:
    collected = CandidateCollector()
    for block in blocks:
        for row in block[:-1].split("\n"):
            line = len(collected) + 1
            sentence, candidate = _json_candidate(row, path, line)
            if line > 1 and (candidate.score is not None) != bool(collected.n_scored):
                raise LineError(path, line, "expected a score on every line or on none")
            collected.add(sentence, candidate)
    return collected.nbest()


def _json_candidate(row: str, path: Path | str, line: int) -> tuple[int, Candidate]:
    expected = 'expected {"id": 0, "text": "...", "features": {"name": 1.0}, "score": 1.0}'
    try:
        fields = json.loads(row)
        sentence, text, features = fields["id"], fields["text"], fields["features"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise LineError(path, line, expected) from None
    known = {"id", "text", "features", "score"}
    if strange := sorted(set(fields) - known):
        raise LineError(path, line, f"unknown field '{strange[0]}': {expected}")
    if type(sentence) is not int or not isinstance(text, str) or not isinstance(features, dict):
        raise LineError(path, line, expected)
    if not 0 <= sentence <= MOST_SENTENCES:
        raise LineError(path, line, f"the id is not a number from 0 to {MOST_SENTENCES:,}")
    if any(SURROGATE.search(words) for words in (text, *features)):
        raise LineError(path, line, "half of a surrogate pair, expected Unicode text")
    for name, value in features.items():
        _check_finite(value, f"the value of '{name}'", path, line)
    score = fields.get("score")
    if score is not None:
        _check_finite(score, "the score", path, line)
    return sentence, Candidate(text, features, score)


def _check_finite(value: Any, what: str, path: Path | str, line: int) -> None:
    if not isinstance(value, bool) and isinstance(value, int | float):
        with contextlib.suppress(OverflowError):  # of an integer of hundreds of digits
            if math.isfinite(float(value)):
                return
    shown = f" is {value!r}" if isinstance(value, float | str | bool | None) else ""
    raise LineError(path, line, f"{what}{shown}: expected a finite number")


def write_nbest(path: Path | str, nbest: NBest, format: Format = "moses") -> None:
    """Write the lists; every number comes back bit for bit.

    Moses's labels of several values become one label each (`LM0_0= ..`): the same features.
    """
    with open_output(path) as file:
        file.writelines(nbest_lines(nbest, format))


def nbest_lines(nbest: NBest, format: Format = "moses") -> Iterator[str]:
    """The lines of `write_nbest`, for lists that are written one after the other."""
    return (_line(nbest, at, format) + "\n" for at in range(len(nbest)))


def _line(nbest: NBest, at: int, format: Format) -> str:
    some = slice(nbest.row_offsets[at], nbest.row_offsets[at + 1])
    features = _features(nbest, nbest.columns[some], nbest.values[some])
    sentence, text = int(nbest.sentences[at]), nbest.texts[at]
    total = None if nbest.totals is None else float(nbest.totals[at])
    if format == "json":
        row: dict[str, Any] = {"id": sentence, "text": text, "features": features}
        return json.dumps(row if total is None else {**row, "score": total}, ensure_ascii=False)
    text = _LINE_ENDS.sub(" ", text).replace(BARS, ESCAPED_BARS)
    link = "= " if format == "moses" else "="
    listed = " ".join(f"{name}{link}{value!r}" for name, value in features.items())
    line = f"{sentence} ||| {text} ||| {listed}"
    return line if total is None else f"{line} ||| {total!r}"


def _features(
    nbest: NBest, columns: NDArray[np.int32], values: NDArray[np.float64]
) -> dict[str, float]:
    pairs = zip(columns.tolist(), values.tolist(), strict=True)
    return {nbest.names[column]: value for column, value in pairs}
