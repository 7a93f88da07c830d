"""The verbs of the command line: what each is for, and where it is.

A verb's module is imported when the verb is used. The list of `calque --help` needs only what
stands here, so it comes up without numpy and everything built on it.
"""

from __future__ import annotations

import importlib
import inspect
import shutil
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
            "Run the whole path on generated text: corpora, models, tuning, translations, scores.",
        ),
        _verb(
            "train",
            "Learn a translator from parallel text: alignments, blocks, language model, weights.",
        ),
        _verb(
            "tune",
            "Tune the weights of a model, or of any decoder's n-best lists, on a development set.",
        ),
        _verb(
            "translate",
            "Translate text line by line; plain text if the model was trained on plain text.",
        ),
        _verb(
            "explain",
            "Show how a translation came about: its blocks, and what each feature contributed.",
        ),
        _verb(
            "calibrate",
            "Learn how sure translations are of their words, for the confidences of"
            " translate --json.",
        ),
        _verb("rerank", "Re-rank the n-best lists of any decoder with tuned weights."),
        _verb(
            "force", "Find out which references the blocks or rules of a model can derive, and how."
        ),
        _verb(
            "oracle",
            "Find the translations closest to the references that the model can produce.",
        ),
        _verb(
            "curve",
            "Show how scores grow with search effort, the number of hypotheses that are tried.",
        ),
        _verb(
            "report", "Draw runs side by side: learning curves, final scores, weights, examples."
        ),
        _verb(
            "reproduce",
            "Reproduce the tables and figures of a paper on a corpus, and say which of its"
            " claims hold.",
        ),
        _verb(
            "score",
            "Score translations against references: BLEU, chrF, TER as sacreBLEU computes"
            " them, and more.",
        ),
        _verb(
            "compare",
            "Test whether one system is better than another, on the same sentences.",
        ),
        _verb("align", "Link the words of sentence pairs that translate each other."),
        _verb(
            "lexicon",
            "Write the word translations that a model has learned, with their probabilities.",
        ),
        _verb("lm", "Estimate an n-gram language model, or measure how well one predicts a text."),
        _verb(
            "import",
            "Import a complete model of Moses, or a grammar of Hiero, cdec or Joshua.",
            "exchange",
            "import_",
        ),
        _verb("export", "Export a model for another program.", "exchange", "export"),
        _verb(
            "generate",
            "Generate a parallel corpus, with four references for dev and test, from a seed.",
        ),
        _verb("weights", "Show, change and choose the weights of a model."),
        _verb("info", "Show what a model folder holds, and check every file against its checksum."),
    ]
)


def _without_types(params: list[Any]) -> list[Any]:
    """The same parameters; a flag takes nothing, so its help shows no type behind it.

    Nor does an argument: its name says what it is, and Python's word for it says nothing more.
    """
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
        if param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None
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
    from calque.cli.help_text import lay_out
    from calque.cli.log import logged

    verb = VERBS[name].load()
    within_margins = shutil.get_terminal_size().columns - 2
    text = lay_out(inspect.cleandoc(verb.__doc__ or ""), within_margins)
    app = typer.Typer(rich_markup_mode="rich", add_completion=False)
    app.command(name, cls=VerbCommand, context_settings=SETTINGS, help=text)(checked(logged(verb)))
    return typer.main.get_command(app)
