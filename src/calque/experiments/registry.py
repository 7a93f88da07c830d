"""Papers by name: every file of `papers/` is one."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING

from calque.errors import OptionError, hint

if TYPE_CHECKING:
    from calque.experiments.paper import Paper

PAPERS = Path(__file__).with_name("papers")


def paper_names() -> list[str]:
    """The names of all papers; none is imported."""
    modules = pkgutil.iter_modules([str(PAPERS)])
    return sorted(module.name.replace("_", "-") for module in modules)


def find_paper(name: str) -> Paper:
    """The paper of this name; raises `OptionError` with the nearest one."""
    if name not in paper_names():
        raise OptionError(f"no paper is called '{name}': {hint(name, paper_names())}")
    module = importlib.import_module(f"calque.experiments.papers.{name.replace('-', '_')}")
    paper: Paper = module.PAPER
    return paper
