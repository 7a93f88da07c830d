"""Models of grammars of Hiero, cdec and Joshua."""

from __future__ import annotations

from pathlib import Path

from calque.blocks import read_hiero_table
from calque.config import DecodeOptions, FeatureOptions, GrammarOptions
from calque.lm import read_arpa
from calque.model.feature_data import FeatureData
from calque.model.model import Model
from calque.progress import SILENT, Progress
from calque.text import Preprocessor


def read_hiero(
    grammar: Path | str,
    arpa: Path | str,
    options: GrammarOptions | None = None,
    progress: Progress = SILENT,
) -> Model:
    """The model of a grammar and a language model, with weights that are to be tuned."""
    blocks, source, target = read_hiero_table(grammar, options, progress=progress)
    with progress.stage("read language model"):
        lm = read_arpa(arpa)
    features, data = FeatureOptions(dense="rules"), FeatureData()
    weights = data.compile(features, blocks, source, target).default_weights()
    decode = DecodeOptions(engine="chart")
    return Model(Preprocessor(), source, target, blocks, lm, weights, decode, features, data)
