"""The paper on learning from search errors: what its cells are, and what is said of them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import Run

from calque.config import ForceOptions, LeaveOneOutOptions
from calque.decode import Decoder, TrainingText
from calque.decode.forcing import force_pairs
from calque.decode.reachability import Counts
from calque.experiments.bench import Bench
from calque.experiments.claim import Verdict
from calque.experiments.corpus import Corpus, generated_corpus
from calque.experiments.papers.maxforce import PAPER, reach
from calque.experiments.papers.maxforce.cells import ALL, FORCE, GROUPS, MaxForceCells
from calque.experiments.papers.maxforce.reach_cells import LIMITS, UNLIMITED, by_size, reached
from calque.experiments.papers.maxforce.rows import dev_curve, late, n_features
from calque.text import BitextFiles

N_TRAIN = 1200  # more than a thousand: language models of other parts


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("far")
    return generated_corpus(folder, "far", {"train": N_TRAIN, "dev": 8, "test": 10})


@pytest.fixture(scope="module")
def work(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> MaxForceCells:
    bench = Bench(corpus, tmp_path_factory.mktemp("out"), scale=0.1, rounds=0.1, threads=2)
    return MaxForceCells(bench)
