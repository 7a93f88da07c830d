"""How fast this machine is today: two figures that do not depend on Calque, to correct timings by.

Words per second that KenLM scores with a small model (the processor), and random reads per second
from an array larger than any cache (the memory); both on one thread, best of five.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import kenlm
import numpy as np
from _measure import SHARED, seconds_of_best, write_json

from calque.config import LmOptions
from calque.data import generate
from calque.lm import estimate, write_arpa
from calque.text import CorpusEncoder

Result = TypeVar("Result")

TIMES = 5
N_SENTENCES = 20_000
N_READS = 10_000_000
ARRAY_WORDS = 32_000_000
REFERENCE = SHARED / "yardstick.py"


def yardstick() -> dict[str, float]:
    """Words scored and memory reads per second; with `reference_` those of the reference script.

    Figures of other systems were measured beside the reference script, whose model and text differ
    from ours: where it is present, only its figures compare with theirs.
    """
    facts = {"words_per_second": words_per_second(), "reads_per_second": reads_per_second()}
    return facts | reference()


def beside_yardsticks(work: Callable[[], Result]) -> tuple[Result, dict[str, float]]:
    """The result of some work, and the speed of the machine: the better of before and after.

    Others may have been at work during either measurement.
    """
    before = yardstick()
    result = work()
    return result, {name: max(before[name], value) for name, value in yardstick().items()}


def show_speeds(machine: dict[str, float]) -> None:
    """Print what the yardstick measured."""
    print()
    for name, value in machine.items():
        print(f"{name:<28}{value / 1e6:8.2f} million")


def words_per_second() -> float:
    """How fast KenLM scores generated text with a trigram model of its first part."""
    lines = [e.targets[0] for e in generate("near", "train", N_SENTENCES, seed=1)]
    encoder = CorpusEncoder()
    encoder.feed("\n".join(lines[: N_SENTENCES // 4]) + "\n")
    vocabulary, sentences = encoder.finish()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.arpa"
        write_arpa(estimate(sentences, vocabulary, LmOptions(order=3)), path)
        quiet = kenlm.Config()
        quiet.show_progress, quiet.arpa_complain = False, kenlm.ARPALoadComplain.NONE
        model = kenlm.Model(str(path), quiet)
    n_words = sum(len(line.split()) + 1 for line in lines)
    return n_words / seconds_of_best(lambda: [model.score(line) for line in lines], TIMES)


def reads_per_second() -> float:
    """How fast 8-byte words are read from random places of 256 MB."""
    array = np.arange(ARRAY_WORDS)
    places = np.random.default_rng(0).integers(0, len(array), N_READS)
    return N_READS / seconds_of_best(lambda: array[places], TIMES)


def reference() -> dict[str, float]:
    """The figures of the reference script, or none where it is absent."""
    if not REFERENCE.exists():
        return {}
    output = subprocess.run(
        [sys.executable, str(REFERENCE)], check=True, capture_output=True, text=True
    ).stdout
    figures = {line.split()[0]: 1e6 * float(line.split()[1]) for line in output.splitlines()}
    return {
        "reference_words_per_second": figures["cpu"],
        "reference_reads_per_second": figures["memory"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="for yardstick.json")
    arguments = parser.parse_args()
    facts = yardstick()
    show_speeds(facts)
    print(f"wrote {write_json(arguments.out, 'yardstick.json', facts)}")


if __name__ == "__main__":
    main()
