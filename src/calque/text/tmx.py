"""Translation memories: TMX files as a stream of translation units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from xml.etree import ElementTree

from calque.errors import FileError, LineError
from calque.progress import Stage
from calque.text.compression import position_of
from calque.text.files import open_input, reading

_CODES = {"bpt", "ept", "it", "ph", "ut"}
"""Inline elements whose content is formatting of the tool that wrote the file, not text."""
MOST_DEPTH = 256
_LINE_ENDS = re.compile(r"[\r\n]+")
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def read_units(path: Path | str, stage: Stage | None = None) -> Iterator[dict[str, str]]:
    """The units of a TMX file, each the text of its first segment per language code.

    Codes are as the file spells them. Inline markup is taken out, line ends inside a segment
    become spaces. One unit is in memory at a time. `stage` advances by the bytes read from disk.
    Raises `LineError` on XML that is not well-formed and `FileError` on XML that is not TMX.
    """
    with reading(path), open_input(path) as file:
        events = ElementTree.iterparse(_Counted(file, stage), ("start", "end"))
        try:
            _, root = next(events)
            if _name(root) != "tmx":
                raise FileError(path, f"expected a TMX file, found XML with root <{_name(root)}>")
            body, depth = root, 1
            for event, element in events:
                name = _name(element)
                depth += 1 if event == "start" else -1
                if depth > MOST_DEPTH:
                    raise FileError(path, f"XML of more than {MOST_DEPTH} elements in each other")
                if event == "start" and name == "body":
                    body = element
                elif event == "end" and name == "tu":
                    yield _unit(element)
                    body.clear()  # or the empty shells of all units would pile up
        except ElementTree.ParseError as error:
            line, _ = error.position
            reason = str(error).partition(":")[0]
            raise LineError(path, line, f"not well-formed XML: {reason}") from error
        except (ValueError, LookupError) as error:  # what the parser makes of other encodings
            raise FileError(path, f"cannot be read: {error}; expected UTF-8 or UTF-16") from error


class _Counted:
    """A file for the XML parser to read from that tells a stage how far into it reading is."""

    def __init__(self, file: BinaryIO, stage: Stage | None) -> None:
        self._file = file
        self._stage = stage
        self._n_read = self._position = 0

    def read(self, n_bytes: int = -1) -> bytes:
        data = self._file.read(n_bytes)
        self._n_read += len(data)
        if self._stage is not None:
            before, self._position = self._position, position_of(self._file, self._n_read)
            self._stage.advance(self._position - before)
        return data


def _unit(unit: ElementTree.Element) -> dict[str, str]:
    texts: dict[str, str] = {}
    for variant in unit:
        language = variant.get(_XML_LANG) or variant.get("lang")
        if _name(variant) != "tuv" or language is None:
            continue
        for segment in variant:
            if _name(segment) == "seg":
                text = _LINE_ENDS.sub(" ", "".join(_pieces(segment)))
                texts.setdefault(language, text)
    return texts


def _pieces(element: ElementTree.Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if _name(child) not in _CODES:
            yield from _pieces(child)
        yield child.tail or ""


def _name(element: ElementTree.Element) -> str:
    """The element's name without its namespace."""
    return element.tag.rpartition("}")[2]
