"""What extracting and scoring rules takes: their number, seconds, processor seconds, memory."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from _measure import SHARED, OwnMemory, alone, forget_peak, peak_memory, write_json

from calque.align import align_sets, read_pharaoh
from calque.align.alignments import Alignments
from calque.blocks import FIRST_GAP, SECOND_GAP, extract
from calque.config import AlignOptions, BlockOptions, CleanOptions, TextOptions
from calque.config.blocks import RuleOptions
from calque.parallel import n_workers
from calque.text import BitextFiles, Preprocessor, read_bitext

Facts: TypeAlias = dict[str, Any]

CORPORA = ("eutrans es-en", "multi30k de-en", "tanaka ja-en")
KINDS: dict[str, BlockOptions | None] = {
    "blocks": None,
    "tight": BlockOptions(rules=RuleOptions(boundaries="tight")),
    "loose": BlockOptions(rules=RuleOptions(boundaries="loose")),
}
"""Tables by name; none is one without gaps."""
ALL = CleanOptions(max_words=1000, max_ratio=1000.0)


def measure(text: BitextFiles, links: Path | None, kind: str, memory_mb: int) -> Facts:
    """What one table takes; to be called in a process of its own."""
    preprocessor = Preprocessor.fit(TextOptions(tokenize=False, casing="keep"), text, n_workers())
    bitext = read_bitext(text, preprocessor, ALL if links else CleanOptions())
    if links is None:
        sets = align_sets(bitext.source, bitext.target, AlignOptions(), n_workers())
        alignments = Alignments.stacked(sets)
    else:
        alignments = read_pharaoh(links, bitext.source, bitext.target)
    options = replace(KINDS[kind] or BlockOptions(), memory_mb=memory_mb)
    forget_peak()
    before, wall, cpu = peak_memory(), time.perf_counter(), time.process_time()
    with OwnMemory() as memory:
        table = extract(
            bitext.source,
            bitext.target,
            alignments.links,
            alignments.offsets,
            options,
            with_gaps=KINDS[kind] is not None,
        )
        own_mb = memory.peak()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    is_gap = np.isin(table.source_words, [FIRST_GAP, SECOND_GAP])
    n_gaps = np.add.reduceat(is_gap, table.source_offsets[:-1], dtype=np.int64)
    of_block = np.repeat(n_gaps, np.diff(table.block_offsets))
    return {
        "threads": n_workers(),
        "rules": len(table),
        "by_gaps": np.bincount(of_block, minlength=3).tolist(),
        "source_sides": table.n_sources,
        "target_sides": table.n_targets,
        "table_mb": sum(array.nbytes for array in table.to_arrays().values()) / 2**20,
        "wall": wall,
        "cpu": cpu,
        "peak_mb": peak_memory(),
        "own_mb": own_mb,  # that no file stands behind
        "start_mb": before,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder of rules.json")
    parser.add_argument("--corpora", type=Path, default=SHARED / "data", help="folder of corpora")
    parser.add_argument("--names", default=",".join(CORPORA), help="their names and languages")
    parser.add_argument("--kinds", default=",".join(KINDS), help="tables to make, with commas")
    parser.add_argument("--memory-mb", type=int, default=BlockOptions.memory_mb)
    options = parser.parse_args(arguments)
    results: list[Facts] = []
    for name, languages in (corpus.split() for corpus in options.names.split(",")):
        source, target = languages.split("-")
        folder = options.corpora / name
        text = BitextFiles(folder / f"train.{source}", folder / f"train.{target}")
        if not all(path.exists() for path in text.paths):
            print(f"{folder}: no train.{source} and train.{target}, left out")
            continue
        links = options.corpora / "moses" / f"{name}.eflomal.gdfa.gz"
        for kind in options.kinds.split(","):
            given = links if links.exists() else None
            facts = alone(measure, text, given, kind, options.memory_mb)
            results.append({"corpus": name, "kind": kind, **facts})
            print(
                f"{name:<10}{kind:<8}{facts['rules']:>10,} rules {facts['by_gaps']}"
                f"  wall {facts['wall']:6.1f} s  cpu {facts['cpu']:6.1f} s"
                f"  peak {facts['peak_mb']:6,.0f} MB  own {facts['own_mb']:6,.0f} MB"
                f"  table {facts['table_mb']:5,.0f} MB"
            )
    print(f"wrote {write_json(options.out, 'rules.json', {'results': results})}")


if __name__ == "__main__":
    main()
