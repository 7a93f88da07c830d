"""Writes docs/options.md from the option dataclasses; run by `make docs`."""

from __future__ import annotations

from pathlib import Path

from calque.config import (
    CompareOptions,
    ConsensusOptions,
    CorpusOptions,
    DecodeOptions,
    DefaultWeights,
    ForceOptions,
    GrammarOptions,
    LeaveOneOutOptions,
    OracleOptions,
    TaskOptions,
    TrainOptions,
)
from calque.config.document import to_markdown
from calque.tune.registry import find_method, method_names

PAGE = Path(__file__).with_name("options.md")
GROUPS = {
    "Training: `calque train --set KEY=VALUE`": TrainOptions,
    "Decoding: flags of `calque translate`": DecodeOptions,
    "Consensus: flags of `calque translate` and `rerank` (`--consensus-length` and so on)": (
        ConsensusOptions
    ),
    "Forced decoding: flags of `calque force` (`--limits` for the distortion limit)": ForceOptions,
    "Leave-one-out: flags of `calque translate`, `force` and `oracle`": LeaveOneOutOptions,
    "Oracle decoding: flags of `calque oracle`": OracleOptions,
    "Comparing: flags of `calque compare`": CompareOptions,
    "Tuning: flags of `calque tune`": TaskOptions,
    **{
        f"Tuning with `calque tune --method {name} --set KEY=VALUE`": find_method(name).Options
        for name in method_names()
    },
    "Importing a grammar: flags of `calque import --format hiero`": GrammarOptions,
    "Generating: flags of `calque generate`": CorpusOptions,
    "Weights of an untuned model": DefaultWeights,
}

if __name__ == "__main__":
    PAGE.write_text(to_markdown(GROUPS), encoding="utf-8")
