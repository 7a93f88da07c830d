"""The verbs of the command line: what each is for, and where it is.

A verb's module is imported when the verb is used. The list of `calque --help` needs only what
stands here, so it comes up without numpy and everything built on it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


class Verb(NamedTuple):
    """One command."""

    summary: str
    """The first paragraph of its help."""
    module: str
    function: str

    def load(self) -> Callable[..., None]:
        """The function that does it."""
        verb: Callable[..., None] = getattr(
            importlib.import_module(f"calque.cli.{self.module}"), self.function
        )
        return verb


def _verb(name: str, summary: str, module: str = "", function: str = "") -> tuple[str, Verb]:
    return name, Verb(summary, module or name, function or name)


VERBS = dict(
    [
        _verb(
            "demo",
            "From nothing to tuned translations: generate two corpora, learn, tune, translate,"
            " score.",
        ),
        _verb(
            "train",
            "Learn a translator from parallel text: alignments, blocks, language model, weights.",
        ),
        _verb(
            "tune",
            "Tune weights on a development set: of a model, or for n-best lists of any decoder.",
        ),
        _verb(
            "translate",
            "Translate text, line by line, as plain or tokenised as the model was trained.",
        ),
        _verb(
            "explain",
            "Show why a translation came out: its blocks, and what each feature contributed.",
        ),
        _verb(
            "rerank", "Choose anew from n-best lists of any decoder, by weights that tune found."
        ),
        _verb(
            "force", "Derive references with the model's blocks: how many can be reached, and how."
        ),
        _verb(
            "oracle",
            "Find the translations that the model could give and that come closest to the"
            " references.",
        ),
        _verb(
            "curve",
            "Show what more search buys: scores against the number of hypotheses that the"
            " search tries.",
        ),
        _verb(
            "report", "Draw runs side by side: learning curves, final scores, weights, examples."
        ),
        _verb(
            "reproduce",
            "Make the tables, figures and claims of a paper on a corpus, and say which claims"
            " hold.",
        ),
        _verb(
            "score",
            "Score translations against references: BLEU, chrF, TER as sacreBLEU computes"
            " them, and more.",
        ),
        _verb(
            "compare",
            "Tell whether a system is better than another: paired tests on the same sentences.",
        ),
        _verb("lm", "Estimate an n-gram language model, or measure how well one predicts a text."),
        _verb(
            "import",
            "Take over a complete model: phrase table, reordering table, ARPA and weights.",
            "exchange",
            "import_",
        ),
        _verb("export", "Write a model so that another program can use it.", "exchange", "export"),
        _verb(
            "generate",
            "Generate a parallel corpus, with four references for dev and test, from a seed.",
        ),
        _verb(
            "info", "Say what is inside a model folder, and check every file against its checksum."
        ),
    ]
)


def _without_types(params: list[Any]) -> list[Any]:
    """The same parameters; a flag takes nothing, so its help shows no type behind it."""
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
    return params


class VerbCommand(TyperCommand):
    """A command whose help shows types only where a value is to be given."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters and `--help`."""
        return _without_types(super().get_params(ctx))


class VerbGroup(TyperGroup):
    """All verbs by their summaries; the one that is used is imported."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters and `--help`."""
        return _without_types(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The name of the verb, the verb itself, and its arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and command is not None:
            command = command_of(name)
        return name, command, rest


def command_of(name: str) -> Any:
    """A verb as the command line runs it: its files are checked before it does anything."""
    from calque.cli.files import checked

    app = typer.Typer(rich_markup_mode="rich", add_completion=False)
    app.command(name, cls=VerbCommand, context_settings=SETTINGS)(checked(VERBS[name].load()))
    return typer.main.get_command(app)
