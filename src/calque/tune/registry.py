"""Methods by name: every file of `methods/` is one, and any module may hold another.

The name of a method is that of its file; its class has the same name with a capital letter. Nothing
else must be told of a new method: the command line, the documentation of options and `calque.Name`
look here.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from calque.errors import OptionError, hint

if TYPE_CHECKING:
    from calque.tune.loop import Trainer

METHODS = Path(__file__).with_name("methods")


def method_names() -> list[str]:
    """The names of all methods; no method is imported."""
    return sorted(module.name for module in pkgutil.iter_modules([str(METHODS)]))


def find_method(name: str) -> type[Trainer]:
    """The trainer of a method: `mira`, or `my_module:MyTrainer` for one of a module of your own.

    Modules are looked for as Python does, in the current folder too.
    """
    if ":" in name:
        return _from_module(name)
    if name not in method_names():
        meant = hint(name, method_names())
        raise OptionError(f"method '{name}': {meant} (module:Class is a method of your own)")
    module = importlib.import_module(f"calque.tune.methods.{name}")
    trainer: type[Trainer] = getattr(module, class_name(name))
    return trainer


def class_name(method: str) -> str:
    """What the class of a method is called."""
    return method.capitalize()


def _from_module(name: str) -> type[Trainer]:
    from calque.tune.loop import Trainer

    module, _, attribute = name.partition(":")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        trainer = getattr(importlib.import_module(module), attribute)
    except (ImportError, ValueError, AttributeError, SyntaxError) as error:
        raise OptionError(f"method '{name}': {error}") from None
    finally:
        sys.path.remove(here)
    if not (isinstance(trainer, type) and issubclass(trainer, Trainer)):
        raise OptionError(f"method '{name}': expected a class of trainers")
    return trainer
