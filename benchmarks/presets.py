"""What each preset of `calque train` reaches and costs: real corpora, several seeds.

    python benchmarks/presets.py [--presets fast,standard] [--seeds 1,2,3] [--held 0] [--test]

BLEU of tokenised text on the development set and, with --test, on the test set; the translations
are written beside the JSON, for `calque compare`. With --held N, N pairs are cut out of the
training text and scored as well: choose by these, report the test set once. Skips corpora that
are not there.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from _measure import SHARED, write_json
from yardstick import yardstick

import calque
from calque.config.presets import PRESETS
from calque.metrics import score
from calque.model import Model
from calque.text import read_lines, write_lines

LANGUAGES = {"multi30k": "de", "tanaka": "ja", "eutrans": "es"}
Pairs = list[tuple[str, str]]


def read_pairs(name: str, part: str) -> Pairs:
    """The sentence pairs of one part of a corpus."""
    sides = (SHARED / "data" / name / f"{part}.{side}" for side in (LANGUAGES[name], "en"))
    return list(zip(*(read_lines(side) for side in sides), strict=True))


def cut_out(pairs: Pairs, n: int) -> tuple[Pairs, Pairs]:
    """The pairs without n of them, and these: drawn from those whose source occurs once."""
    times: dict[str, int] = {}
    for source, _ in pairs:
        times[source] = times.get(source, 0) + 1
    unique = [at for at, (source, _) in enumerate(pairs) if times[source] == 1]
    held = set(np.random.default_rng(7).choice(unique, n, replace=False).tolist())
    return (
        [pair for at, pair in enumerate(pairs) if at not in held],
        [pairs[at] for at in sorted(held)],
    )


def one_run(
    texts: dict[str, Pairs], preset: str, seed: int, folder: Path, out: Path, threads: int | None
) -> dict[str, Any]:
    """Scores and seconds of one preset and one seed; translations go to `out`."""
    begin, cpu = time.monotonic(), time.process_time()
    (train_source, train_target), (dev_source, dev_target) = (
        [list(side) for side in zip(*texts[part], strict=True)] for part in ("train", "dev")
    )
    translator = calque.train(
        train_source,
        train_target,
        folder,
        preset=preset,
        dev_source=dev_source,
        dev_references=[dev_target],
        seed=seed,
        threads=threads,
    )
    facts: dict[str, Any] = {
        "preset": preset,
        "seed": seed,
        "train_s": time.monotonic() - begin,
        "train_cpu_s": time.process_time() - cpu,
        "distortion_limit": translator.options.distortion_limit,
        "blocks": len(Model.load(folder).blocks),
        "model_mb": sum(file.stat().st_size for file in folder.iterdir()) / 1e6,
    }
    for part, pairs in texts.items():
        if part == "train":
            continue
        source, target = (list(side) for side in zip(*pairs, strict=True))
        cpu = time.process_time()
        lines = [done.text for done in translator.translate_all(source, threads=threads)]
        n_words = sum(len(line.split()) for line in source)
        facts[f"{part}_words_per_cpu_s"] = n_words / (time.process_time() - cpu)
        write_lines(out / f"{part}.{preset}.{seed}", lines)
        facts[part] = score(lines, [target], ("bleu",), tokenize="none")[0].value
    return facts


def main() -> None:
    """Train, tune, translate, score; write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--corpora", default=",".join(LANGUAGES))
    parser.add_argument("--presets", default=",".join(PRESETS))
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--held", type=int, default=0, help="pairs cut out of the training text")
    parser.add_argument("--test", action="store_true", help="score the test set, too")
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    facts: dict[str, Any] = {"yardstick": yardstick()}
    for name in arguments.corpora.split(","):
        if not (SHARED / "data" / name).is_dir():
            print(f"{name}: no data beside the clone, skipped")
            continue
        texts = {part: read_pairs(name, part) for part in ("train", "dev")}
        if arguments.held:
            texts["train"], texts["held"] = cut_out(texts["train"], arguments.held)
        if arguments.test:
            texts["test"] = read_pairs(name, "test")
        out = arguments.out / "presets" / name
        out.mkdir(parents=True, exist_ok=True)
        facts[name] = []
        for preset in arguments.presets.split(","):
            for seed in map(int, arguments.seeds.split(",")):
                with tempfile.TemporaryDirectory() as scratch:
                    model = Path(scratch) / "model"
                    row = one_run(texts, preset, seed, model, out, arguments.threads)
                print(name, row, flush=True)
                facts[name].append(row)
    print(write_json(arguments.out, "presets.json", facts))


if __name__ == "__main__":
    main()
