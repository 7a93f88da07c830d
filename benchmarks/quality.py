"""How good tuned translations are: real corpora, every method of tuning, several seeds.

The rows are those of BASELINES beside the data: BLEU of tokenised text on development and test
sets, before and after tuning. Skips corpora that are not there.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from _measure import SHARED, write_json
from yardstick import yardstick

from calque.config import FeatureOptions, TrainOptions, fill
from calque.decode import Translator
from calque.metrics import score
from calque.model.build import build
from calque.text import BitextFiles, read_lines
from calque.tune import DecoderTask
from calque.tune.registry import find_method

CORPORA = {"multi30k": ("de", 6), "tanaka": ("ja", 12), "eutrans": ("es", 6)}
"""The source language, and how far blocks may jump: in Japanese farther."""


def bleu(translator: Translator, source: Path, reference: Path) -> float:
    """Corpus BLEU of tokenised text."""
    found = [translation.text for translation in translator.translate_all(read_lines(source))]
    return score(found, [list(read_lines(reference))], ("bleu",), tokenize="none")[0].value


def one_corpus(
    name: str, methods: list[str], seeds: list[int], rounds: int | None, dense: str
) -> dict[str, Any]:
    """Scores and seconds of one corpus."""
    language, limit = CORPORA[name]
    folder = SHARED / "data" / name

    def files(part: str) -> tuple[Path, Path]:
        return folder / f"{part}.{language}", folder / f"{part}.en"

    chosen = {"decode": {"distortion_limit": limit}, "features": {"dense": dense}}
    options = fill(TrainOptions(), chosen)
    with tempfile.TemporaryDirectory() as scratch:
        begin = time.monotonic()
        model = build(BitextFiles(*files("train")), Path(scratch) / "model", options)
        facts: dict[str, Any] = {"train_s": time.monotonic() - begin}
    translator = Translator(model)
    facts["untuned"] = {part: bleu(translator, *files(part)) for part in ("dev", "test")}
    source, reference = files("dev")
    facts["tuned"] = []
    for method in methods:
        for seed in seeds:
            begin = time.monotonic()
            settings = {} if rounds is None else {"rounds": rounds}
            task = DecoderTask(Translator(model), source, [reference])
            result = find_method(method)(seed=seed, **settings).fit(task)
            seconds = time.monotonic() - begin
            tuned = Translator(replace(model, weights=result.weights))
            row = {
                "method": method,
                "seed": seed,
                "dev": result.score,
                "test": bleu(tuned, *files("test")),
                "rounds": len(result.history) - 1,
                "seconds": seconds,
            }
            print(name, row, flush=True)
            facts["tuned"].append(row)
    return facts


def main() -> None:
    """Tune, translate, score; write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--corpora", default=",".join(CORPORA))
    parser.add_argument("--methods", default="mert,pro,mira")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--rounds", type=int, help="most rounds; those of the method by default")
    parser.add_argument("--dense", default=FeatureOptions.dense, help="dense features")
    arguments = parser.parse_args()
    facts: dict[str, Any] = {"yardstick": yardstick(), "dense": arguments.dense}
    for name in arguments.corpora.split(","):
        if not (SHARED / "data" / name).is_dir():
            print(f"{name}: no data beside the clone, skipped")
            continue
        seeds = [int(seed) for seed in arguments.seeds.split(",")]
        methods = arguments.methods.split(",")
        facts[name] = one_corpus(name, methods, seeds, arguments.rounds, arguments.dense)
    print(write_json(arguments.out, "quality.json", facts))


if __name__ == "__main__":
    main()
