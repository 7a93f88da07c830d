"""Alignment of whole bitexts: learning, threads, odd sentences, another program."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from calque._core import Aligner, hmm_posteriors
from calque.align import Lexicon, align, in_parts, train_hmm
from calque.align.hmm import hmm_links
from calque.config.align import AlignOptions
from calque.errors import CalqueError
from calque.parallel import Here
from calque.progress import Silent
from calque.text import Sentences
from calque.text.shared_folder import Cluster, SharedFolder

OPTIONS = AlignOptions()
Matrix = NDArray[np.float64]


def generated(
    n_sentences: int, seed: int = 1
) -> tuple[Sentences, Sentences, list[set[tuple[int, int]]]]:
    """A bitext whose target is the source, word for word, with local swaps; and its true links."""
    random = np.random.default_rng(seed)
    source, target, links = [], [], []
    for _ in range(n_sentences):
        words = random.choice(60, random.integers(1, 12), replace=False)
        order = list(range(len(words)))
        for i in range(len(order) - 1):
            if random.random() < 0.2:
                order[i], order[i + 1] = order[i + 1], order[i]
        source.append(words)
        target.append([int(words[i]) * 7 % 60 for i in order])
        links.append({(i, j) for j, i in enumerate(order)})
    return Sentences.from_lists(source), Sentences.from_lists(target), links


def test_the_links_of_a_word_for_word_bitext_are_found() -> None:
    source, target, truth = generated(800)
    found = align(source, target, OPTIONS, 2)
    n_both = sum(
        len({(i, j) for i, j in links.tolist()} & true)
        for links, true in zip(found, truth, strict=True)
    )
    n_true = sum(map(len, truth))
    assert 2 * n_both / (n_true + len(found.links)) > 0.95


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    source, target, _ = generated(500)
    models = [train_hmm(source, target, OPTIONS, threads) for threads in (1, 2, 8)]
    for model in models[1:]:
        assert model.forward.probs.tobytes() == models[0].forward.probs.tobytes()
        assert model.reverse.probs.tobytes() == models[0].reverse.probs.tobytes()
        assert model.forward.null_probs.tobytes() == models[0].forward.null_probs.tobytes()
        assert model.forward_links.links.tobytes() == models[0].forward_links.links.tobytes()
        assert model.reverse_links.links.tobytes() == models[0].reverse_links.links.tobytes()


def test_links_without_lexicons_are_those_of_the_whole_model() -> None:
    source, target, _ = generated(100)
    model = train_hmm(source, target, OPTIONS, 1)
    forward, reverse = hmm_links(source, target, OPTIONS, 1)
    assert forward.links.tolist() == model.forward_links.links.tolist()
    assert reverse.links.tolist() == model.reverse_links.links.tolist()


def test_counts_of_parts_make_the_same_aligner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit, with sentences that are empty or too long, and a part without any other."""
    monkeypatch.setattr(in_parts, "SENTENCES", 128)
    source, target, _ = generated(500)
    sides = [[list(sentence) for sentence in side] for side in (source, target)]
    sides[0][3], sides[1][200] = [], [5] * 12
    sides[0][384:] = [[] for _ in range(384, 500)]
    source, target = (Sentences.from_lists(side) for side in sides)
    options = replace(OPTIONS, max_words=11)
    here, whole = (in_parts.aligner_of(source, target, options, 1) for _ in range(2))
    cluster = Cluster(Here(1), SharedFolder(tmp_path))
    parts = in_parts.AlignerInParts(whole, source, target, options, cluster)
    for aligner in (here, parts):
        for _ in range(2):
            aligner.model1_step(2)
        aligner.hmm_step(False, 2)
        aligner.hmm_step(True, 2)
    for of_here, of_parts in (
        (here.lexicon(False), whole.lexicon(False)),
        (here.lexicon(True), whole.lexicon(True)),
        (here.jumps(False), whole.jumps(False)),
        (here.jumps(True), whole.jumps(True)),
        (here.best_paths(1), parts.best_paths(1)),
    ):
        one, other = ([np.asarray(x).tobytes() for x in arrays] for arrays in (of_here, of_parts))
        assert one == other
    parts.close()
    assert not list(tmp_path.iterdir())


def test_the_likelihood_of_the_hmm_never_falls_without_prior_and_agreement() -> None:
    source, target, _ = generated(200)
    aligner = Aligner(
        source.ids,
        source.offsets,
        target.ids,
        target.offsets,
        null_prob=0.1,
        alpha=0,
        tension=0,
        jump_smoothing=0,
        jump_width=3,
        max_words=100,
        threads=2,
    )
    aligner.model1_step(2)
    steps = [aligner.hmm_step(False, 2) for _ in range(12)]
    for before, after in pairwise(steps):
        for direction in (0, 1):
            assert after[direction] >= before[direction] - 1e-5 * abs(before[direction])


def test_agreement_counts_a_link_by_the_product_of_both_posteriors() -> None:
    pairs = [([0, 1], [0, 1, 2]), ([0], [1]), ([1, 2], [2, 0])]
    source, target = (Sentences.from_lists(side) for side in zip(*pairs, strict=True))
    aligner = Aligner(
        source.ids,
        source.offsets,
        target.ids,
        target.offsets,
        null_prob=0.1,
        alpha=0,
        tension=0,
        jump_smoothing=0,
        jump_width=3,
        max_words=100,
        threads=1,
    )
    aligner.model1_step(1)
    forward, reverse = (Lexicon(*aligner.lexicon(is_reverse)) for is_reverse in (False, True))

    def posteriors(given: list[int], made: list[int], lexicon: Lexicon, is_reverse: bool) -> Matrix:
        emission = np.array([[lexicon.prob(g, m) for g in given] for m in made], np.float32)
        jumps = aligner.jumps(is_reverse)
        found = hmm_posteriors(emission, lexicon.null_probs[made], *jumps, 0.1)
        return found[1].reshape(emission.shape).astype(float)

    counts = np.zeros((3, 3))
    for s, t in pairs:
        product = posteriors(s, t, forward, False) * posteriors(t, s, reverse, True).T
        np.add.at(counts, (np.array(s)[None, :], np.array(t)[:, None]), product)
    aligner.hmm_step(True, 1)
    forward, reverse = (Lexicon(*aligner.lexicon(is_reverse)) for is_reverse in (False, True))
    for i, j in zip(*np.nonzero(counts), strict=True):
        assert forward.prob(i, j) == pytest.approx(counts[i, j] / counts[i].sum(), abs=1e-5)
        assert reverse.prob(j, i) == pytest.approx(counts[i, j] / counts[:, j].sum(), abs=1e-5)


def test_the_reverse_lexicon_is_the_forward_one_of_the_swapped_bitext() -> None:
    source, target, _ = generated(100)
    one, two = (train_hmm(*sides, OPTIONS, 1) for sides in ((source, target), (target, source)))
    assert one.forward.words.tolist() == two.reverse.words.tolist()
    np.testing.assert_allclose(one.forward.probs, two.reverse.probs, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(one.reverse.probs, two.forward.probs, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize(
    ("source", "target", "links"),
    [
        ([[0]], [[0]], [[[0, 0]]]),
        ([[0], []], [[0], [1]], [[[0, 0]], []]),
        ([[]], [[]], [[]]),
        ([], [], []),
    ],
)
def test_the_smallest_bitexts_are_aligned(
    source: list[list[int]], target: list[list[int]], links: list[list[list[int]]]
) -> None:
    found = align(Sentences.from_lists(source), Sentences.from_lists(target), OPTIONS, 2)
    assert [x.tolist() for x in found] == links
    assert found.links.dtype == np.int32


def test_very_different_lengths_are_aligned() -> None:
    source = Sentences.from_lists([[0], range(80), range(80), [5]])
    target = Sentences.from_lists([range(80), [0], range(80), [5]])
    found = align(source, target, OPTIONS, 1)
    assert len(found) == 4
    for links in found:
        assert links.tolist() == sorted(links.tolist())


def test_a_sentence_beyond_the_limit_stays_without_links_and_is_told() -> None:
    told = []

    class Listener(Silent):
        def warn(self, message: str) -> None:
            told.append(message)

    source = Sentences.from_lists([range(1000), [3], [4, 5]])
    target = Sentences.from_lists([range(1000), [3], [4, 5]])
    found = align(source, target, OPTIONS, 2, Listener())
    assert len(found[0]) == 0
    assert found[1].tolist() == [[0, 0]]
    assert told == [
        "1 of 3 sentence pairs have more than 250 words on a side and stay without links"
    ]


def test_sides_of_different_length_are_refused() -> None:
    one, two = Sentences.from_lists([[1]]), Sentences.from_lists([[1], [2]])
    with pytest.raises(CalqueError, match="source has 1 sentences and the target has 2"):
        align(one, two, OPTIONS, 1)


FAKE = """#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in -s) source=$2;; -t) target=$2;; -f) forward=$2;; -r) reverse=$2;; esac
  shift 2
done
[ "$(cat "$source")" = "4 5
6" ] || { echo "strange source" >&2; exit 3; }
printf '0-0 1-0\\n0-1\\n' > "$forward"
printf '0-0\\n0-1\\n' > "$reverse"
"""


def with_fake_eflomal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "eflomal-align"
    program.write_text(FAKE)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_eflomal_aligns_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_fake_eflomal(tmp_path, monkeypatch)
    options = replace(OPTIONS, aligner="eflomal", symmetrization="union")
    source, target = Sentences.from_lists([[4, 5], [6]]), Sentences.from_lists([[7], [8, 9]])
    found = align(source, target, options, 1)
    assert [x.tolist() for x in found] == [[[0, 0], [1, 0]], [[0, 1]]]


def test_a_failure_of_eflomal_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_fake_eflomal(tmp_path, monkeypatch)
    side = Sentences.from_lists([[1]])
    with pytest.raises(CalqueError, match="eflomal-align: exit status 3: strange source"):
        align(side, side, replace(OPTIONS, aligner="eflomal"), 1)


def test_a_missing_eflomal_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    side = Sentences.from_lists([[1]])
    with pytest.raises(CalqueError, match="eflomal-align is not on PATH"):
        align(side, side, replace(OPTIONS, aligner="eflomal"), 1)
