"""What work costs on processes and on a Ray cluster of one machine, against threads.

    python benchmarks/engines.py [--pairs 20000] [--decoded 1500] [--aligned 20000] [--workers 2]

The same work in each place, which gives the same results: n-best lists, word alignment, blocks, a
language model, a pass of expected BLEU and its gradient. Seconds by the clock, and processor
seconds of this process and of all that it started; first from nothing, with what workers and models
take to start, then again. A small job is the lists of ten sentences. What an engine takes while
nothing happens is that of its own processes.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from _measure import alone, write_json, write_pairs
from relevant_set import filled
from yardstick import yardstick

from calque.align import align
from calque.align.hmm import hmm_links
from calque.align.sampler import sampler_links
from calque.blocks import extract
from calque.config import AlignOptions, TrainOptions, fill
from calque.decode import CandidateSearch, load
from calque.lm import estimate
from calque.model.build import build
from calque.parallel import Engine, Here, engine_of
from calque.text import BitextFiles, read_bitext, read_lines
from calque.text.shared_folder import cluster_beside
from calque.tune.working_copy import WorkingCopy
from calque.tune.xbleu.objective import ExpectedWorth
from calque.tune.xbleu.on_engine import EnginePass

PLACES = {"threads": None, "processes": "processes", "ray": "auto"}
SMALL = 10
IDLE_SECONDS = 10
LISTS = 20_000
"""Sentences of the pass over lists, of ten candidates with a hundred sparse features each."""


@contextmanager
def opened(place: str, workers: int) -> Iterator[Engine]:
    """The engine of a place; a cluster of Ray is begun and ended with it."""
    if place != "ray":
        with engine_of(PLACES[place], workers) as engine:
            yield engine
        return
    from ray.cluster_utils import Cluster  # here: only this place needs it

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": workers})
    os.environ["RAY_ADDRESS"] = nodes.address
    try:
        with engine_of("auto") as engine:
            yield engine
    finally:
        nodes.shutdown()


def processor_seconds() -> float:
    """Of this process and of all that it started and that live, or that one of them has buried."""
    parents, ticks = dict[int, int](), dict[int, int]()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            parents[int(folder.name)] = int(fields[1])
            ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    ours = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(ticks[process] for process in ours) / os.sysconf("SC_CLK_TCK")


def measured(work: Callable[[], object]) -> dict[str, float]:
    """What a piece of work takes."""
    begin, own = time.perf_counter(), processor_seconds()
    work()
    return {"wall": time.perf_counter() - begin, "cpu": processor_seconds() - own}


def run(
    place: str, workers: int, model: Path, text: BitextFiles, n_decoded: int, aligned: BitextFiles
) -> dict[str, Any]:
    """Every kind of work in a place, twice; to be called in a process of its own."""
    translator, bitext = load(model), read_bitext(aligned)
    links = align(bitext.source, bitext.target, AlignOptions(), workers)
    lines = [line for line, _ in zip(read_lines(text.source), range(n_decoded), strict=False)]
    whole, few = (CandidateSearch(translator, some) for some in (lines, lines[:SMALL]))
    weights = translator.model.weights
    lists = filled(LISTS, 10, 100, 2048).lists()
    moving = np.ones(lists.n_features, bool)
    copy = WorkingCopy([lists], moving, np.zeros(lists.n_features), np.ones(lists.n_dense))
    worths = np.random.default_rng(1).random(len(lists))
    at = np.zeros(lists.n_features)
    facts: dict[str, Any] = {}
    with opened(place, workers) as engine, cluster_beside(model, engine) as cluster:
        passes = ExpectedWorth(
            copy.lists,
            worths,
            copy.n_sentences,
            moving=moving,
            penalised=~moving,
            threads=workers,
            total=None if isinstance(engine, Here) else EnginePass(copy, worths, 1.0, engine),
        )
        works: dict[str, Callable[[], object]] = {
            "small job": lambda: list(few.lists(weights, 20, engine=engine)),
            "lists": lambda: list(whole.lists(weights, 20, engine=engine)),
            "alignment": partial(
                hmm_links, bitext.source, bitext.target, AlignOptions(), workers, cluster=cluster
            ),
            "sampled links": partial(
                sampler_links,
                bitext.source,
                bitext.target,
                AlignOptions(),
                workers,
                cluster=cluster,
            ),
            "blocks": partial(
                extract,
                *(bitext.source, bitext.target, links.links, links.offsets),
                threads=workers,
                cluster=cluster,
            ),
            "n-grams": partial(estimate, bitext.target, bitext.target_vocabulary, cluster=cluster),
            "gradient": lambda: passes.gradient(at),
        }
        for name, work in works.items():
            facts[name] = {"first": measured(work), "again": measured(work)}
        facts["nothing"] = measured(partial(time.sleep, IDLE_SECONDS))
    return facts


def main() -> None:
    """Measure every place; write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the JSON")
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--decoded", type=int, default=1500, help="sentences of the lists")
    parser.add_argument("--aligned", type=int, default=20_000, help="pairs to align")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    facts: dict[str, Any] = {"machine": yardstick(), "pairs": arguments.pairs}
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as other:
        text = write_pairs("far", arguments.pairs, Path(scratch))
        aligned = write_pairs("far", arguments.aligned, Path(other))
        model = Path(scratch) / "model"
        build(text, model, fill(TrainOptions(), {"features.sparse": "lexical"}))
        for place in PLACES:
            given = arguments.workers, model, text, arguments.decoded, aligned
            facts[place] = alone(run, place, *given)
            print(write_json(arguments.out, "engines.json", facts), place, flush=True)


if __name__ == "__main__":
    main()
