"""Where a model was loaded from, so that a pickled one names its folder instead of its arrays.

Processes that receive such a model (`multiprocessing`, a cluster with shared disks) map the same
files again. What was replaced since, as tuned weights often are, travels by value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calque.errors import ModelError
from calque.model.folder import ModelFolder


@dataclass(frozen=True, eq=False)
class Origin:
    """A model folder as it was when a model was loaded from it."""

    path: Path
    weights: str
    """The name of the weights that were loaded."""
    digests: Mapping[str, str]
    """The checksums of everything that was loaded, by logical name."""
    parts: dict[str, Any] = field(default_factory=dict)
    """The fields of the model as they were loaded."""

    @classmethod
    def of(cls, folder: ModelFolder, weights: str) -> Origin:
        """The origin of a model that is loaded from this folder, with weights of this name."""
        return cls(folder.path.absolute(), weights, _digests(folder, weights))

    def changed(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a model that are not those that were loaded."""
        return {name: value for name, value in fields.items() if self.parts[name] is not value}

    def check(self) -> None:
        """Raise `ModelError` where the folder no longer holds what was loaded."""
        if _digests(ModelFolder(self.path), self.weights) != self.digests:
            raise ModelError(
                f"{self.path}: the model has changed since it was pickled: expected the same files"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return Origin, (self.path, self.weights, dict(self.digests))


def _digests(folder: ModelFolder, weights: str) -> dict[str, str]:
    own = f"weights/{weights}"
    return {
        name: entry.sha256
        for name, entry in sorted(folder.manifest.entries.items())
        if not name.startswith("weights/") or name == own or name.startswith(f"{own}/")
    }
