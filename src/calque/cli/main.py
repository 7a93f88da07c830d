"""The frame of the command line: verbs, exit codes, and one clear line for every error.

Exit codes: 0 done; 1 a fault of Calque itself; 2 a mistake in what was given; 3 a tuning that a
guard has stopped or that learned nothing; 130 interrupted.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import traceback
import warnings
from typing import Annotated, Any

import typer

from calque.cli.verbs import SETTINGS, VERBS, VerbGroup
from calque.errors import CalqueError, CalqueWarning, printable

FAULT, MISTAKE, INTERRUPTED = 1, 2, 130
# The base of all complaints about the command line; typer carries its own copy of click.
_UsageError: type[Exception] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)

app = typer.Typer(
    name="calque",
    cls=VerbGroup,
    help="Learn to translate from a parallel corpus, and train the weights that decide.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings=SETTINGS,
    add_completion=True,
    pretty_exceptions_enable=False,
)
for name, verb in VERBS.items():
    app.command(name, help=verb.summary)(lambda: None)  # stands in until the verb is used


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"calque {version('calque')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line of this process and exit with its code."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # text is UTF-8 whatever the locale says
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    warnings.simplefilter("always", CalqueWarning)
    warnings.showwarning = _show_warning
    for ending in (signal.SIGTERM, signal.SIGHUP):  # of timeout, Slurm, systemd, a closed terminal
        if signal.getsignal(ending) == signal.SIG_DFL:
            signal.signal(ending, signal.default_int_handler)  # as Ctrl-C: nothing is left behind
    sys.exit(run(sys.argv[1:]))


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"calque: warning: {printable(str(message))}", file=sys.stderr)


def run(arguments: list[str]) -> int:
    """Run one command; everything that goes wrong becomes a line on stderr and an exit code."""
    try:
        code = app(arguments, prog_name="calque", standalone_mode=False)
        if code == INTERRUPTED:  # typer turns Ctrl-C into this
            raise KeyboardInterrupt
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except CalqueError as error:
        return _fail(str(error), MISTAKE)
    except _UsageError as error:
        return _fail(_complaint(error), MISTAKE)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        return _reader_left()
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # how typer ends on one
            return _reader_left()
        raise
    except OSError as error:
        name = error.filename
        if name is None and error.errno in (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT):
            name = "standard output"  # files that we open name themselves
        return _fail(f"{name}: {error.strerror}" if name else error.strerror or str(error), MISTAKE)
    except MemoryError:
        return _fail("not enough memory", MISTAKE)
    except Exception as error:
        traceback.print_exc()
        return _fail(f"a fault in Calque, please report it: {error!r}", FAULT)


def _reader_left() -> int:
    """Whoever read our output has enough (`| head`): not an error, and nothing more to write."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    return 0


def _complaint(error: Any) -> str:
    """What is wrong with the command line, and where its help is."""
    context = getattr(error, "ctx", None)
    message = " ".join(error.format_message().split())
    return f"{message} (see '{context.command_path} --help')" if context and message else message


def _fail(message: str, code: int) -> int:
    if message:  # none where the help was printed instead
        print(f"calque: {printable(message)}", file=sys.stderr)
    return code
