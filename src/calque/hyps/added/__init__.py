"""Features that Calque adds to n-best lists of any decoder."""

from calque.hyps.added.additions import Additions
from calque.hyps.added.material import Material
from calque.hyps.added.registry import (
    DEFAULT,
    FAMILIES,
    PREFIX,
    Addition,
    additions_in,
    parse_additions,
)

__all__ = [
    "DEFAULT",
    "FAMILIES",
    "PREFIX",
    "Addition",
    "Additions",
    "Material",
    "additions_in",
    "parse_additions",
]
