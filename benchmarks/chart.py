"""How fast rules translate: words per second, model scores and memory by pop limit.

    python benchmarks/chart.py [--model DIR] [--out results]

On tanaka where it is present, with rules of a whole training text (`--preset fast`, tuned by MIRA);
else on generated text, untuned.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from _measure import SHARED, OwnMemory, alone, peak_memory, write_json, write_pairs
from decode import Bench, Facts, Task, measure_model

import calque
from calque.config import DecodeOptions, TrainOptions, fill
from calque.data import generate
from calque.model.build import build
from calque.text import read_lines

POP_LIMITS = (10, 30, 100, 200, 400, 1000)
N_BEST = 100
N_GENERATED = 20_000
TANAKA = SHARED / "data" / "tanaka"
MOSES: Facts = {"words_per_second": 80, "peak_mb": 657}
"""Moses's chart decoder on the test set of tanaka, 4.3 million rules."""


class ChartBench(Bench):
    """A loaded model of rules and the clocks around it."""

    def options(self, pop_limit: int) -> DecodeOptions:
        """Those of the model, with another pop limit."""
        return replace(self.model.decode_options, pop_limit=pop_limit)


def prepare(model: Path) -> Task:
    """The task of this machine; its model is built where the folder is absent."""
    if not TANAKA.exists():
        print(f"{TANAKA}: absent, decoding generated text")
        if not model.exists():
            with tempfile.TemporaryDirectory() as folder:
                options = fill(TrainOptions(), {"decode.engine": "chart"}, "train")
                build(write_pairs("far", N_GENERATED, Path(folder)), model, options)
        examples = list(generate("far", "test", 500, seed=1))
        references = zip(*(example.targets for example in examples), strict=True)
        return Task("generated", model, tuple(e.source for e in examples), tuple(references))
    if not model.exists():
        calque.train(
            TANAKA / "train.ja",
            TANAKA / "train.en",
            model,
            preset="fast",
            dev_source=TANAKA / "dev.ja",
            dev_references=[TANAKA / "dev.en"],
            decode={"engine": "chart"},
            seed=1,
            threads=1,
        )
    lines, reference = (tuple(read_lines(TANAKA / f"dev.{code}")) for code in ("ja", "en"))
    return Task("tanaka dev", model, lines, (reference,))


def memory(task: Task) -> Facts:
    """What loading and decoding hold; to be called in a process of its own."""
    with OwnMemory() as own:
        bench = ChartBench(task)
        bench.run(bench.source, bench.options(400))
        return {"load_s": bench.load_s, "peak_mb": peak_memory(), "own_mb": own.peak()}


def measure(task: Task) -> Facts:
    """Everything about one task."""
    bench = ChartBench(task)
    limits: Facts = {}
    for pop_limit in POP_LIMITS:
        speed, found = bench.run(bench.source, bench.options(pop_limit))
        limits[str(pop_limit)] = speed | bench.quality(found)
    return {
        "corpus": task.corpus,
        "words": task.n_words,
        "rules": len(bench.model.blocks),
        "limits": limits,
        "n_best": {"n": N_BEST, **bench.compare(400, n_best=N_BEST)},
        "memory": alone(memory, task),
    }


def show(result: Facts, machine: dict[str, float]) -> None:
    """Print the measurements as a table; speed also in words per million of the yardstick."""
    yard = machine.get("reference_words_per_second", machine["words_per_second"]) / 1e6
    print(f"\n{result['corpus']}: {result['words']:,} words, {result['rules']:,} rules")
    print(f"{'pop limit':>10}{'cpu w/s':>10}{'/yard':>8}{'score':>12}{'BLEU':>8}{'tried':>14}")
    for limit, facts in result["limits"].items():
        print(
            f"{limit:>10}{facts['cpu_rate']:>10,.0f}{facts['cpu_rate'] / yard:>8.1f}"
            f"{facts['score']:>12.4f}{facts['bleu']:>8.2f}{facts['n_generated']:>14,}"
        )
    print(f"{N_BEST}-best takes {result['n_best']['cpu_ratio']:.2f} times the cpu of the best")
    print(", ".join(f"{name} {value:,.3f}" for name, value in result["memory"].items()))
    print(f"yardstick: {yard:.2f} million words per second")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write JSON."""
    result, machine, out = measure_model(__doc__, arguments, lambda model: measure(prepare(model)))
    show(result, machine)
    facts = {"yardstick": machine, "moses": MOSES, "result": result}
    print(f"wrote {write_json(out, 'chart.json', facts)}")


if __name__ == "__main__":
    main()
