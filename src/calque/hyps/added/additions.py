from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from calque.errors import CalqueError, FileError, OptionError
from calque.hyps.added.material import Material
from calque.hyps.added.registry import Addition, described
from calque.hyps.nbest import NBest
from calque.model import Model
from calque.progress import SILENT, Progress
from calque.text import read_lines


@dataclass(frozen=True)
class Additions:
    """Features to be added to lists, and the files that they are computed from."""

    additions: tuple[Addition, ...]
    source: Path | None = None
    """The sentences that were translated, one line per list, in the words of the model."""
    model: Path | None = None
    """A model folder of the same pair of languages."""

    def __post_init__(self) -> None:
        """Raise `OptionError` where a file is missing; forget one that no feature needs."""
        missing: dict[str, None] = {}
        features: dict[str, None] = {}
        for option, given, needs in (
            ("--model DIR", self.model, "model"),
            ("--source F", self.source, "source"),
        ):
            who = [addition for addition in self.additions if getattr(addition.family, needs)]
            if given is None and who:
                missing[option] = None
                features |= dict.fromkeys(
                    name for addition in who for name in addition.features or [addition.name]
                )
            if not who:
                object.__setattr__(self, needs, None)
        if missing:
            options = " and ".join(missing)
            raise OptionError(f"{options} expected, to compute {', '.join(features)}")

    def __str__(self) -> str:
        return described(self.additions)

    def __bool__(self) -> bool:
        return bool(self.additions)

    @property
    def features(self) -> tuple[str, ...]:
        """The names of all dense features that are added."""
        return tuple(name for addition in self.additions for name in addition.features)

    def to(self, nbest: NBest, path: Path | str, progress: Progress = SILENT) -> NBest:
        """The lists with the features, behind their own; `path` names the lists in errors."""
        if not self.additions:
            return nbest
        for addition in self.additions:
            for name in nbest.names:
                if addition.is_in([name]):
                    raise FileError(
                        path, f"has the feature '{name}' already, which was to be added"
                    )
        source = None if self.source is None else list(read_lines(self.source))
        model = None if self.model is None else Model.load(self.model)
        try:
            material = Material(nbest, source, model)
        except CalqueError as error:
            raise FileError(self.source or path, str(error)) from None
        with progress.stage("add features", len(self.additions)) as stage:
            for addition in self.additions:
                nbest = addition.given_to(nbest, material)
                stage.advance(1)
        return nbest
