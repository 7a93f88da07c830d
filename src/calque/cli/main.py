"""The frame of the command line: verbs, exit codes, and one clear line for every error.

Exit codes: 0 done; 1 a fault of Calque itself; 2 a mistake in what was given; 3 a tuning that a
guard has stopped or that learned nothing; 130 interrupted.
"""

from __future__ import annotations

import errno
import io
import math
import os
import signal
import sys
import time
import traceback
import warnings
from typing import Annotated, Any

import typer

from calque.cli.verbs import SETTINGS, VERBS, VerbGroup
from calque.errors import CalqueError, CalqueWarning, printable

FAULT, MISTAKE, INTERRUPTED = 1, 2, 130
SECONDS_TO_END = 3.0
"""After a signal to end, for which no other is heard: files are removed meanwhile."""
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
    end_once()
    sys.exit(run(sys.argv[1:]))


def end_once() -> None:
    """Let Ctrl-C, and whatever else asks this process to end, end it with nothing left behind.

    A signal soon after one that was obeyed says the same once more: it would only stop the removal
    of what is not to be left behind.
    """
    obeyed = -math.inf

    def end(*_: object) -> None:
        nonlocal obeyed
        if time.monotonic() - obeyed > SECONDS_TO_END:
            obeyed = time.monotonic()
            raise KeyboardInterrupt

    of_others = {signal.SIGTERM, signal.SIGHUP}  # timeout, Slurm, systemd, a closed terminal
    for ending in {signal.SIGINT} | of_others:
        if signal.getsignal(ending) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(ending, end)


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
