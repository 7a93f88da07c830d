"""How much processor time commands take before they do anything: their start."""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from pathlib import Path

from _measure import write_json

COMMANDS = {
    "python": [],
    "--version": ["-m", "calque", "--version"],
    "--help": ["-m", "calque", "--help"],
    "train --help": ["-m", "calque", "train", "--help"],
    "translate --help": ["-m", "calque", "translate", "--help"],
    "score --help": ["-m", "calque", "score", "--help"],
}
"""What is started; `python` alone is what no command can go below."""


def processor_seconds(arguments: list[str]) -> float:
    """Of a process of its own, user and system together."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *(arguments or ["-c", "pass"])]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for start.json")
    parser.add_argument("--times", type=int, default=5, help="how often each is started")
    arguments = parser.parse_args()
    least = {
        name: min(processor_seconds(command) for _ in range(arguments.times))
        for name, command in COMMANDS.items()
    }
    write_json(arguments.out, "start.json", {"processor_seconds": least})
    for name, seconds in least.items():
        print(f"{name:<18}{seconds:6.2f} s")


if __name__ == "__main__":
    main()
