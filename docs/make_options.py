"""Writes docs/options.md from the option dataclasses; run by `make docs`."""

from __future__ import annotations

from pathlib import Path

from calque.config import (
    CompareOptions,
    CorpusOptions,
    DecodeOptions,
    DefaultWeights,
    ForceOptions,
    LeaveOneOutOptions,
    MertOptions,
    MiraOptions,
    ProOptions,
    SimplexOptions,
    TrainOptions,
)
from calque.config.document import to_markdown

PAGE = Path(__file__).with_name("options.md")
GROUPS = {
    "Training: `calque train --set KEY=VALUE`": TrainOptions,
    "Decoding: flags of `calque translate`": DecodeOptions,
    "Forced decoding: flags of `calque force` (`--limits` for the distortion limit)": ForceOptions,
    "Leave-one-out: flags of `calque translate` and `calque force`": LeaveOneOutOptions,
    "Comparing: flags of `calque compare`": CompareOptions,
    "Tuning with `calque tune --method mert --set KEY=VALUE`": MertOptions,
    "Tuning with `calque tune --method pro --set KEY=VALUE`": ProOptions,
    "Tuning with `calque tune --method mira --set KEY=VALUE`": MiraOptions,
    "Tuning with `calque tune --method simplex --set KEY=VALUE`": SimplexOptions,
    "Generating: flags of `calque generate`": CorpusOptions,
    "Weights of an untuned model": DefaultWeights,
}

if __name__ == "__main__":
    PAGE.write_text(to_markdown(GROUPS), encoding="utf-8")
