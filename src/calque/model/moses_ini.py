"""The `moses.ini` of a model: its features, weights and settings, with the lines they stand on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from calque.errors import CalqueError, FileError, LineError
from calque.features import Weights
from calque.text import read_lines

INI = "moses.ini"
UNKNOWN_SCORE = 100.0
"""What Moses subtracts per unknown word under a weight of 1."""
Lines: TypeAlias = list[tuple[int, str]]
"""Lines with their numbers."""


@dataclass(frozen=True)
class Feature:
    """A line of the [feature] section: `KENLM name=LM0 factor=0 path=lm.arpa.gz order=5`."""

    kind: str
    line: int
    arguments: dict[str, str]

    @property
    def name(self) -> str:
        """Under which its weights stand."""
        return self.arguments.get("name", self.kind + "0")


@dataclass(frozen=True)
class MosesIni:
    """What a `moses.ini` says; paths in it are relative to its folder."""

    path: Path
    sections: dict[str, Lines]
    """The lines of each [section], comments and empty lines left out."""
    features: list[Feature]
    weights: dict[str, list[float]]

    @classmethod
    def read(cls, folder: Path | str) -> MosesIni:
        """That of a folder; `FileError` or `LineError` where it cannot be understood."""
        path = Path(folder) / INI
        sections = _sections(path)
        features = [_feature(path, line, text) for line, text in sections.get("feature", [])]
        return cls(path, sections, features, _weights(path, sections.get("weight", [])))

    def of_kind(self, kind: str) -> list[Feature]:
        """The features whose kind begins so."""
        return [feature for feature in self.features if feature.kind.startswith(kind)]

    def at_most_one(self, kind: str, leaving_out: Feature | None = None) -> Feature | None:
        """The feature of a kind, or none; `LineError` where there are two."""
        matching = [feature for feature in self.of_kind(kind) if feature is not leaving_out]
        if len(matching) > 1:
            raise self.error(matching[1], f"a second {kind} is not supported")
        return matching[0] if matching else None

    def one(self, kind: str, leaving_out: Feature | None = None) -> Feature:
        """The feature of a kind; `FileError` where there is none."""
        feature = self.at_most_one(kind, leaving_out)
        if feature is None:
            raise FileError(self.path, f"no {kind} among the features")
        return feature

    def refuse_others(self, known: list[Feature | None], kinds: tuple[str, ...]) -> None:
        """Raise `LineError` for a feature that is neither known nor of these kinds."""
        for feature in self.features:
            if feature not in known and feature.kind not in kinds:
                raise self.error(feature, f"the feature {feature.kind} is not supported")

    def file_of(self, feature: Feature) -> Path:
        """The file that a feature names."""
        if "path" not in feature.arguments:
            raise self.error(feature, f"{feature.kind}: expected path=FILE")
        return self.path.parent / feature.arguments["path"]

    def integer(self, feature: Feature, key: str, default: int) -> int:
        """A number among the arguments of a feature."""
        text = feature.arguments.get(key, str(default))
        if not text.isdecimal():
            raise self.error(feature, f"{key}={text}: expected a whole number")
        return int(text)

    def error(self, feature: Feature, problem: str) -> LineError:
        """What is wrong with a feature."""
        return LineError(self.path, feature.line, problem)

    def take(self, feature: str, names: tuple[str, ...], factor: float = 1.0) -> dict[str, float]:
        """The weights of a feature of Moses under our names, times a factor."""
        given = self.weights.get(feature)
        if given is None or len(given) != len(names):
            n_found = "none" if given is None else str(len(given))
            raise FileError(self.path, f"{feature}: expected {len(names)} weights, found {n_found}")
        return dict(zip(names, (factor * weight for weight in given), strict=True))

    def take_counts(self, *counts: tuple[str, str, float]) -> dict[str, float]:
        """The weights of features of one number: kinds, our names and factors."""
        names = {feature.kind: feature.name for feature in self.features}
        values: dict[str, float] = {}
        for kind, name, factor in counts:
            if kind in names:
                values |= self.take(names[kind], (name,), factor)
        return values

    def checked(self, values: dict[str, float]) -> Weights:
        """These weights; `FileError` where one is no number."""
        try:
            return Weights(values)
        except CalqueError as error:
            raise FileError(self.path, str(error)) from error


def _sections(ini: Path) -> dict[str, Lines]:
    """The lines of each [section] with their numbers, comments and empty lines left out."""
    sections: dict[str, Lines] = {}
    section: Lines = []
    for line, text in enumerate(read_lines(ini), 1):
        text = text.partition("#")[0].strip()
        if match := re.fullmatch(r"\[(.+)\]", text):
            section = sections.setdefault(match[1], [])
        elif text:
            section.append((line, text))
    return sections


def _feature(ini: Path, line: int, text: str) -> Feature:
    kind, *rest = text.split()
    pairs = [field.partition("=") for field in rest]
    if bad := [key for key, equals, _ in pairs if not equals]:
        raise LineError(ini, line, f"'{bad[0]}': expected key=value")
    return Feature(kind, line, {key: value for key, _, value in pairs})


def _weights(ini: Path, rows: Lines) -> dict[str, list[float]]:
    weights = {}
    for line, text in rows:
        name, equals, values = text.partition("=")
        try:
            weights[name.strip()] = [float(value) for value in values.split()]
        except ValueError:
            equals = ""
        if not equals:
            raise LineError(ini, line, f"'{text}': expected NAME= number ...")
    return weights
