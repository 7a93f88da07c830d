"""Another aligner: the program `eflomal-align`, where it is installed."""

from __future__ import annotations

import contextlib
import shutil
import subprocess

from calque.align.alignments import Alignments
from calque.align.pharaoh import check_sides, read_pharaoh
from calque.errors import CalqueError
from calque.text import Sentences, write_lines
from calque.text.working import WorkingFolder

PROGRAM = "eflomal-align"


def find_eflomal() -> str:
    """The path of the program; raises `CalqueError` where it is not on PATH."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise CalqueError(
            f"aligner=eflomal: the program {PROGRAM} is not on PATH; install eflomal or use "
            "aligner=hmm"
        )
    return program


def run_eflomal(source: Sentences, target: Sentences) -> tuple[Alignments, Alignments]:
    """The links that eflomal finds forward and in reverse, both as (source, target).

    The program sees word ids as its tokens: to an aligner a word is only equal to another or not.
    Raises `CalqueError` where the program is not on PATH or fails.
    """
    check_sides(source, target)
    program = find_eflomal()
    with contextlib.closing(WorkingFolder("eflomal")) as folder:
        paths = {name: folder.path / name for name in ("source", "target", "forward", "reverse")}
        for name, side in (("source", source), ("target", target)):
            write_lines(paths[name], (" ".join(map(str, words.tolist())) for words in side))
        flags = {"-s": "source", "-t": "target", "-f": "forward", "-r": "reverse"}
        files = [part for flag, name in flags.items() for part in (flag, str(paths[name]))]
        command = [program, *files, "-m", "3"]
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if run.returncode != 0:
            last = (run.stderr.strip().splitlines() or ["no message"])[-1]
            raise CalqueError(f"{program}: exit status {run.returncode}: {last}")
        forward, reverse = (
            read_pharaoh(paths[name], source, target) for name in ("forward", "reverse")
        )
    return forward, reverse
