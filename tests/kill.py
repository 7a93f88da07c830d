"""Commands killed at random moments: `python tests/kill.py --kills 200`.

After every kill the model opens with every checksum right, outputs are whole or absent, and the
same command given again ends as if nothing had happened, with nothing of the killed one left over.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from calque.data import CorpusFiles, write_corpus
from calque.errors import CalqueError
from calque.model import Model, ModelFolder

NOTHING_LEARNED = 3


@dataclass(frozen=True)
class Work:
    """A command, the folder it works in, and how long it takes when nobody kills it."""

    name: str
    command: list[str]
    folder: Path
    seconds: float
    expected: dict[str, bytes]
    """The outputs of a whole run."""


def commands(corpus: CorpusFiles, model: Path, moses: Path) -> dict[str, list[str]]:
    """What is killed; outputs go to the folder OUT. `moses` is the model as Moses has it."""
    train = ["--source", str(corpus.train_source), "--target", str(corpus.train_target)]
    dev = ["--source", str(corpus.dev_source), "--reference", str(corpus.dev_references[0])]
    short = ["--set", "rounds=2"]
    tuned = {
        method: ["tune", "--model", "OUT/model", *dev, "--method", method, "--run", "OUT/run",
                 *short]
        for method in ("mira", "mert", "pro", "costmargin", "xbleu", "maxviolation")
    }  # fmt: skip
    given = [*train, "--dev-source", str(corpus.dev_source)]
    given += ["--dev-reference", str(corpus.dev_references[0])]
    return {
        "train": ["train", *train, "--model", "OUT/model", "--set", "blocks.memory_mb=1"],
        "translate": ["translate", "--model", str(model), "--input", str(corpus.test_source),
                      "--output", "OUT/text", "--nbest", "5", "--nbest-output", "OUT/lists.gz"],
        "lm": ["lm", "--text", str(corpus.train_target), "--arpa", "OUT/lm.arpa"],
        "generate": ["generate", "--out", "OUT/corpus", "--train", "3000", "--threads", "2"],
        "preset": ["train", *given, "--model", "OUT/model", "--preset", "fast", "--run", "OUT/run"],
        "export": ["export", "--model", str(model), "--output", "OUT/moses"],
        "import": ["import", "--input", str(moses), "--model", "OUT/model"],
        "align": ["align", *train, "--output", "OUT/links"],
        "calibrate": ["calibrate", "--model", "OUT/model", *dev],
        "simplex": ["tune", "--model", "OUT/model", *dev, "--method", "simplex", "--run", "OUT/run",
                    "--set", "max_evaluations=20", "--set", "restarts=0"],
        **tuned,
    }  # fmt: skip


def outputs(folder: Path) -> dict[str, bytes]:
    """What a command has written, but for its diary of seconds."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in (".lock", "rounds.jsonl", "manifest.json")
    }


def run(command: list[str], folder: Path, *, kill_after: float | None = None) -> int:
    """The exit code of a command, which may be killed with all its threads, not its workers."""
    words = [word.replace("OUT", str(folder)) for word in command]
    (folder.parent / "tmp").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "calque", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder.parent / "tmp")},
    )
    if kill_after is not None:
        time.sleep(kill_after)
        process.send_signal(signal.SIGKILL)
    _, said = process.communicate(timeout=600)  # ends only when no worker holds the pipe
    if process.returncode not in (0, NOTHING_LEARNED, -signal.SIGKILL):
        raise AssertionError(f"exit {process.returncode}: {said[-500:]}")
    return process.returncode


def fresh(folder: Path, model: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(model, folder / "model")
    return folder


def findings_of(work: Work, rng: random.Random, model: Path) -> list[str]:
    """What is wrong after one kill and after the same command has been given again."""
    folder = fresh(work.folder, model)
    run(work.command, folder, kill_after=rng.uniform(0.2, 1.1) * work.seconds)
    found = []
    try:
        ModelFolder(folder / "model").verify()
        Model.load(folder / "model")
    except CalqueError as error:
        found.append(f"{work.name}: after the kill: {error}")
    for name, content in outputs(folder).items():
        is_output = Path(name).parts[0] not in ("model", "run", "corpus", "moses")
        if is_output and not name.endswith(".part") and content != work.expected.get(name):
            found.append(f"{work.name}: {name} is neither absent nor whole")
    try:
        run(work.command, folder)
    except AssertionError as error:
        return [*found, f"{work.name}: again: {error}"]
    after = outputs(folder)
    for name in work.expected.keys() | after.keys():
        if work.expected.get(name) != after.get(name):
            found.append(f"{work.name}: {name} differs after the second run")
    found += [f"{work.name}: left {path}" for path in (folder.parent / "tmp").glob("calque-*")]
    return found


def kill(n: int, seed: int, only: str | None = None) -> tuple[int, list[str]]:
    """How many commands were killed, and what was wrong after it."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="kill-") as temporary:
        place = Path(temporary)
        corpus = write_corpus(place / "corpus", "near", {"train": 600, "dev": 20, "test": 150})
        model = place / "model"
        files = ["--source", str(corpus.train_source), "--target", str(corpus.train_target)]
        run(["train", *files, "--model", str(model)], place / "none")
        moses = place / "moses"
        run(["export", "--model", str(model), "--output", str(moses)], place / "none")
        works = []
        for name, command in commands(corpus, model, moses).items():
            if only in (None, name):
                folder = fresh(place / name / "out", model)
                begin = time.monotonic()
                run(command, folder)
                seconds = time.monotonic() - begin
                works.append(Work(name, command, folder, seconds, outputs(folder)))
        found = []
        for at in range(n):
            work = works[at % len(works)]
            findings = findings_of(work, rng, model)
            print(f"{at + 1} {work.name}: {findings or 'fine'}", flush=True)
            found += findings
    return n, found


def main() -> None:
    """Kill commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command")
    given = parser.parse_args()
    n, found = kill(given.kills, given.seed, given.command)
    print(f"{n} kills, {len(found)} findings", *found, sep="\n  ")
    sys.exit(len(found) > 0)


if __name__ == "__main__":
    main()
