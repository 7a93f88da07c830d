"""How fast the decoder is: words per second, scores and memory by search limit, and as text grows.

On multi30k with the alignments and weights of Moses's model where they are present, so that times
and model scores compare with those of Moses; else on generated text.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any, TypeAlias

from _equal_model import build_equal_model
from _measure import SHARED, OwnMemory, alone, peak_memory, write_json, write_pairs
from yardstick import beside_yardsticks, show_speeds

from calque.config import DecodeOptions, FeatureOptions, TrainOptions
from calque.data import generate
from calque.decode import Decoder, SourceText
from calque.metrics import score
from calque.model import Model
from calque.model.build import build
from calque.text import read_lines

Facts: TypeAlias = dict[str, Any]

POP_LIMITS = (100, 200, 400, 1000)
LENGTHS = (10, 20, 50, 100, 200, 500)
N_WORDS = 3_000
"""Words decoded per sentence length."""
N_BEST = 100
N_COMPARED, N_TURNS = 250, 3
"""Sentences and turns of a comparison of two ways to decode."""
TIMES = 2
"""Runs of which the better one counts."""
N_GENERATED = 20_000
MULTI30K = SHARED / "data" / "multi30k"
MOSES: Facts = {
    "words_per_second": 17.2e6,
    "moses2": {
        "400": {"rate": 2821, "score": -36.7419, "bleu": 39.63},
        "1000": {"rate": 1139, "score": -36.7405, "bleu": 39.66},
    },
    "moses": {
        "400": {"rate": 1052, "score": -36.7421, "bleu": 39.60},
        "1000": {"rate": 387, "score": -36.7405, "bleu": 39.65},
    },
    "n_best_ratio": 1.9,
    "peak_mb": {"moses2": 198, "moses": 1263},
    "load_s": {"moses2": 0.35, "moses": 12.0},
}
"""Words per clock second, average model score and BLEU of Moses2 and Moses by pop limit, on one
thread of a machine whose processor the reference yardstick puts at `words_per_second`."""


@dataclass(frozen=True)
class Task:
    """A model and what it translates."""

    corpus: str
    model: Path
    lines: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]

    @property
    def n_words(self) -> int:
        """Source words."""
        return sum(len(line.split()) for line in self.lines)


def prepare(model: Path) -> Task:
    """The task of this machine; its model is built where the folder is absent."""
    if MULTI30K.exists():
        if not model.exists():
            build_equal_model(model)
        lines, reference = (tuple(read_lines(MULTI30K / f"test.{code}")) for code in ("de", "en"))
        return Task("multi30k", model, lines, (reference,))
    print(f"{MULTI30K}: absent, decoding generated text")
    if not model.exists():
        with tempfile.TemporaryDirectory() as folder:
            options = TrainOptions(features=FeatureOptions.standard())
            build(write_pairs("near", N_GENERATED, Path(folder)), model, options)
    examples = list(generate("near", "test", 1_000, seed=1))
    references = zip(*(example.targets for example in examples), strict=True)
    return Task("generated", model, tuple(e.source for e in examples), tuple(references))


class Bench:
    """A loaded model and the clocks around it."""

    def __init__(self, task: Task) -> None:
        self.task = task
        begin = time.perf_counter()
        self.model = Model.load(task.model)
        self.decoder = Decoder.of(self.model)
        self.load_s = time.perf_counter() - begin
        self.source = self.encode(task.lines)

    def encode(self, lines: Sequence[str]) -> SourceText:
        """Lines as the decoder takes them."""
        return SourceText.encode(lines, self.model.source_vocabulary, self.model.target_vocabulary)

    def options(self, pop_limit: int) -> DecodeOptions:
        """As Moses is run: stacks as large as the pop limit."""
        return replace(self.model.decode_options, pop_limit=pop_limit, stack_size=pop_limit)

    def run(
        self, source: SourceText, options: DecodeOptions, threads: int = 1, n_best: int = 1
    ) -> tuple[Facts, list[Any]]:
        """Words per second of both clocks, the better of several runs, and what was decoded."""
        seconds: list[tuple[float, float]] = []
        for _ in range(TIMES):
            wall, cpu = time.perf_counter(), time.process_time()
            found = self.decoder.decode(
                source, self.model.weights, options, n_best=n_best, threads=threads
            )
            seconds.append((time.perf_counter() - wall, time.process_time() - cpu))
        wall, cpu = (min(clock) for clock in zip(*seconds, strict=True))
        n_words = source.sentences.n_words
        return {"wall": wall, "cpu": cpu, "rate": n_words / wall, "cpu_rate": n_words / cpu}, found

    def quality(self, found: list[Any]) -> Facts:
        """What the search achieved: average score of the model, BLEU of the words, steps tried."""
        best = [decoded.derivations[0] for decoded in found]
        word = self.model.target_vocabulary.word
        hypotheses = []
        for line, derivation in zip(self.task.lines, best, strict=True):
            words, target = line.split(), [w for w, _, _ in derivation.words]
            hypotheses.append(" ".join(word(w) if w >= 0 else words[-1 - w] for w in target))
        [bleu] = score(hypotheses, self.task.references, ["bleu"], "none")
        return {
            "score": sum(derivation.score for derivation in best) / len(best),
            "bleu": bleu.value,
            "n_generated": sum(decoded.n_generated for decoded in found),
        }

    def by_limit(self) -> Facts:
        """Speed and quality under each pop limit."""
        facts: Facts = {}
        for pop_limit in POP_LIMITS:
            speed, found = self.run(self.source, self.options(pop_limit))
            facts[str(pop_limit)] = speed | self.quality(found)
        return facts

    def compare(self, pop_limit: int, **changed: int) -> Facts:
        """How many times the seconds of a plain run a changed one takes, on part of the text."""
        source, options = self.encode(self.task.lines[:N_COMPARED]), self.options(pop_limit)
        least: dict[str, list[float]] = {}
        # In turn, so that whatever else the machine does meets both alike.
        for _ in range(N_TURNS):
            for name, how in {"plain": {}, "changed": changed}.items():
                speed, _ = self.run(source, options, **how)
                now = [speed["wall"], speed["cpu"]]
                least[name] = [min(pair) for pair in zip(now, least.get(name, now), strict=True)]
        pairs = zip(("wall_ratio", "cpu_ratio"), least["plain"], least["changed"], strict=True)
        return {name: after / before for name, before, after in pairs}

    def by_length(self) -> Facts:
        """Speed under the default limits for sentences of so many words, cut from the text."""
        facts: Facts = {}
        for length in LENGTHS:
            words = cycle(word for line in self.task.lines for word in line.split())
            lines = [" ".join(islice(words, length)) for _ in range(max(1, N_WORDS // length))]
            speed, _ = self.run(self.encode(lines), DecodeOptions())
            facts[str(length)] = speed | {"us_per_word": 1e6 / speed["cpu_rate"]}
        return facts


def memory(task: Task) -> Facts:
    """What loading and decoding hold; to be called in a process of its own."""
    before = peak_memory()
    with OwnMemory() as own:
        bench = Bench(task)
        bench.run(bench.source, bench.options(400))
        return {
            "load_s": bench.load_s,
            "start_mb": before,
            "peak_mb": peak_memory(),
            "own_mb": own.peak(),
        }


def measure(task: Task) -> Facts:
    """Everything about one task."""
    bench = Bench(task)
    # Brings the pages of the model in; what is left of the time goes to collecting options.
    hurried, _ = bench.run(bench.source, bench.options(1))
    limits = bench.by_limit()
    return {
        "corpus": task.corpus,
        "words": task.n_words,
        "blocks": len(bench.model.blocks),
        "one_pop": hurried,
        "limits": limits,
        "n_best": {"n": N_BEST, **bench.compare(1000, n_best=N_BEST)},
        "two_threads": bench.compare(400, threads=2),
        "memory": alone(memory, task),
        "lengths": bench.by_length(),
    }


def against_moses(result: Facts, machine: dict[str, float]) -> Facts:
    """How many times as fast as Moses, corrected for the speed of the machine, and the scores."""
    here = machine.get("reference_words_per_second")
    faster = 1.0 if here is None else here / MOSES["words_per_second"]
    ratios: Facts = {}
    for system in ("moses2", "moses"):
        for limit, theirs in MOSES[system].items():
            ours = result["limits"][limit]
            ratios[f"{system} {limit}"] = {
                "wall": ours["rate"] / theirs["rate"] / faster,
                "cpu": ours["cpu_rate"] / theirs["rate"] / faster,
                "score_difference": ours["score"] - theirs["score"],
            }
    return {"corrected_by": 1 / faster, "ratios": ratios}


def show(result: Facts) -> None:
    """Print the measurements as tables."""
    print(f"\n{result['corpus']}: {result['words']:,} words, {result['blocks']:,} blocks")
    print(f"{'pop limit':>10}{'words/s':>10}{'cpu w/s':>10}{'score':>12}{'BLEU':>8}{'tried':>14}")
    for limit, facts in result["limits"].items():
        print(
            f"{limit:>10}{facts['rate']:>10,.0f}{facts['cpu_rate']:>10,.0f}{facts['score']:>12.4f}"
            f"{facts['bleu']:>8.2f}{facts['n_generated']:>14,}"
        )
    hurried = result["one_pop"]
    print(f"collecting options, and one pop: {hurried['cpu']:.2f} s of cpu")
    many, two = result["n_best"], result["two_threads"]
    print(f"{N_BEST}-best takes {many['cpu_ratio']:.2f} times the cpu of the best, pop limit 1000")
    print(
        f"two threads take {two['wall_ratio']:.2f} of the time, {two['cpu_ratio']:.2f} of the cpu"
    )
    print(", ".join(f"{name} {value:,.3f}" for name, value in result["memory"].items()))
    print(f"{'length':>10}{'us/word':>10}")
    for length, facts in result["lengths"].items():
        print(f"{length:>10}{facts['us_per_word']:>10.0f}")


def measure_model(
    description: str | None,
    arguments: Sequence[str] | None,
    work: Callable[[Path], Facts],
) -> tuple[Facts, dict[str, float], Path]:
    """What `work` says of a model in a folder, the speed of the machine, and where JSON goes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the JSON")
    parser.add_argument("--model", type=Path, help="folder of the model; built where it is absent")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        result, machine = beside_yardsticks(lambda: work(options.model or Path(folder) / "model"))
    return result, machine, options.out


def main(arguments: Sequence[str] | None = None) -> None:
    result, machine, out = measure_model(__doc__, arguments, lambda model: measure(prepare(model)))
    show(result)
    show_speeds(machine)
    if result["corpus"] == "multi30k":
        result["moses"] = against_moses(result, machine)
        print(f"{'times as fast as':>18}{'wall':>8}{'cpu':>8}{'score':>10}")
        for name, facts in result["moses"]["ratios"].items():
            ratios = f"{facts['wall']:>8.2f}{facts['cpu']:>8.2f}"
            print(f"{name:>18}{ratios}{facts['score_difference']:>+10.4f}")
    facts = {"yardstick": machine, "moses": MOSES, "result": result}
    print(f"\nwrote {write_json(out, 'decode.json', facts)}")


if __name__ == "__main__":
    main()
