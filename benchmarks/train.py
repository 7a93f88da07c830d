"""What `calque train` takes, step by step: seconds, processor seconds and memory as text grows."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from _measure import SHARED, OwnMemory, alone, forget_peak, peak_memory, write_json, write_pairs
from yardstick import beside_yardsticks, show_speeds

from calque.config import FeatureOptions, TrainOptions
from calque.model.build import build
from calque.parallel import n_workers
from calque.progress import SilentStage, Stage
from calque.text import BitextFiles

Facts: TypeAlias = dict[str, Any]

SECONDS = ("wall", "cpu")
MEMORY = ("peak_mb", "own_mb")
"""All memory of the process, and what of it no file stands behind."""
STEPS = {
    "align": ("align",),
    "blocks": ("number phrases", "extract blocks", "score blocks"),
    "language model": ("count n-grams", "estimate probabilities"),
}
"""Which stages of `calque train` do the work of one step of Moses."""
MOSES: Facts = {
    "corpus": "multi30k",
    "words_per_second": 17.2e6,
    "wall": {"align": 6.7, "blocks": 47.0, "language model": 1.5},
    "cpu": {"align": 11.4, "blocks": 79.2, "language model": 1.0},
    "eflomal": {"wall": 15.8, "cpu": 29.9},
}
"""Seconds of fast_align in both directions, of the phrase and reordering tables (train-model steps
4 to 9) and of lmplz with its binary model, on two threads of a machine whose processor the
reference yardstick puts at `words_per_second`; eflomal is the other usual aligner."""


class StageTimes:
    """A listener that keeps what every stage took, and the rest as "between stages"."""

    def __init__(self, memory: OwnMemory) -> None:
        self.steps: dict[str, dict[str, float]] = {}
        self._memory = memory
        self._begin = self._now()
        forget_peak()

    @contextmanager
    def stage(self, name: str, total: float | None = None) -> Iterator[Stage]:
        """Take the time of a step and the most memory that the process held during it."""
        self._add("between stages")
        try:
            yield SilentStage()
        finally:
            self._add(name)

    def warn(self, message: str) -> None:
        """Drop the message."""

    def finish(self) -> None:
        """Count what came after the last stage."""
        self._add("between stages")

    def _add(self, name: str) -> None:
        """Give to `name` what was used since the last call."""
        now = self._now()
        facts = self.steps.setdefault(name, dict.fromkeys((*SECONDS, *MEMORY), 0.0))
        facts["wall"] += now[0] - self._begin[0]
        facts["cpu"] += now[1] - self._begin[1]
        facts["peak_mb"] = max(facts["peak_mb"], peak_memory())
        facts["own_mb"] = max(facts["own_mb"], self._memory.peak())
        self._begin = now
        forget_peak()

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.perf_counter(), time.process_time()


def measure(text: BitextFiles) -> Facts:
    """What training on this text takes; to be called in a process of its own."""
    before = peak_memory()
    with tempfile.TemporaryDirectory() as folder, OwnMemory() as memory:
        times = StageTimes(memory)
        options = TrainOptions(features=FeatureOptions.standard())  # as Moses's
        model = build(text, folder, options, progress=times)
        times.finish()
        model_mb = sum(file.stat().st_size for file in Path(folder).iterdir()) / 2**20
    steps = times.steps.values()
    seconds = {key: sum(facts[key] for facts in steps) for key in SECONDS}
    peaks = {key: max(facts[key] for facts in steps) for key in MEMORY}
    return {
        "threads": n_workers(),
        "blocks": len(model.blocks),
        "ngrams": sum(model.lm.n_ngrams),
        "model_mb": model_mb,
        "start_mb": before,
        "steps": times.steps,
        "total": seconds | peaks,
    }


def against_moses(result: Facts, machine: dict[str, float]) -> Facts:
    """How many times faster than Moses each step is, corrected for the speed of the machine."""
    here = machine.get("reference_words_per_second")
    slower = 1.0 if here is None else MOSES["words_per_second"] / here
    facts: Facts = {"corrected_by": slower}
    for clock in SECONDS:
        ours = {n: sum(result["steps"][stage][clock] for stage in STEPS[n]) for n in STEPS}
        theirs: dict[str, float] = MOSES[clock]
        facts[clock] = {name: slower * theirs[name] / ours[name] for name in STEPS}
        facts[clock]["all"] = slower * sum(theirs.values()) / sum(ours.values())
    return facts


def show(result: Facts) -> None:
    """Print the steps as a table."""
    print(f"\n{result['corpus']}: {result['pairs']:,} pairs, {result['blocks']:,} blocks")
    print(f"{'':<24}{'wall s':>10}{'cpu s':>10}{'us/pair':>10}{'peak MB':>10}{'own MB':>10}")
    steps, total, n_pairs = result["steps"], result["total"], result["pairs"]
    for name, facts in {**steps, "total": total}.items():
        rate = 1e6 * facts["wall"] / n_pairs
        print(
            f"{name:<24}{facts['wall']:>10.2f}{facts['cpu']:>10.2f}{rate:>10.1f}"
            f"{facts['peak_mb']:>10,.0f}{facts['own_mb']:>10,.0f}"
        )


def n_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def corpora(
    corpus: Path, languages: str, sizes: list[int], scratch: Path
) -> Iterator[tuple[str, BitextFiles]]:
    """The real corpus where it is present, then generated ones; names and files."""
    source, _, target = languages.partition("-")
    text = BitextFiles(corpus / f"train.{source}", corpus / f"train.{target}")
    if all(path.exists() for path in text.paths):
        yield corpus.name, text
    else:
        print(f"{corpus}: no train.{source} and train.{target}, left out")
    for size in sizes:
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            yield "generated", write_pairs("near", size, Path(folder))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder of train.json")
    parser.add_argument(
        "--corpus",
        type=Path,
        default=SHARED / "data" / "multi30k",
        help="folder with train.SOURCE and train.TARGET",
    )
    parser.add_argument("--languages", default="de-en", help="SOURCE-TARGET of the corpus")
    parser.add_argument(
        "--sizes", default="10000,100000,1000000", help="generated sentence pairs, with commas"
    )
    options = parser.parse_args(arguments)
    sizes = [int(size) for size in options.sizes.split(",") if size]
    options.out.mkdir(parents=True, exist_ok=True)

    def work() -> list[Facts]:
        results: list[Facts] = []
        for name, text in corpora(options.corpus, options.languages, sizes, options.out):
            results.append({"corpus": name, "pairs": n_lines(text.source), **alone(measure, text)})
            show(results[-1])
        return results

    results, machine = beside_yardsticks(work)
    show_speeds(machine)
    for result in results:
        if result["corpus"] == MOSES["corpus"]:
            result["moses"] = against_moses(result, machine)
            for clock in SECONDS:
                times = (f"{step} {n:.1f}" for step, n in result["moses"][clock].items())
                print(f"times as fast as Moses, {clock}: {', '.join(times)}")
    facts = {"yardstick": machine, "moses": MOSES, "results": results}
    print(f"\nwrote {write_json(options.out, 'train.json', facts)}")


if __name__ == "__main__":
    main()
