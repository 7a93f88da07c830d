"""The papers' worked examples: which sparse features fire, and how many."""

from __future__ import annotations

from collections import Counter

import numpy as np

from calque.blocks import extract
from calque.config import LmOptions
from calque.decode import Decoder, SourceText
from calque.features import (
    DenseData,
    FeatureSet,
    Weights,
    WordClasses,
    WordData,
    chosen_templates,
)
from calque.lm import estimate
from calque.text import Sentences, Vocabulary


def fired(
    source: str,
    target: str,
    links: list[tuple[int, int]],
    blocks: list[tuple[int, int, str]],
    families: str,
) -> list[list[str]]:
    """The names of the features of each block, in a model of one aligned sentence pair."""
    words, target_words = source.split(), target.split()
    source_vocabulary = Vocabulary(sorted(set(words)))
    vocabulary = Vocabulary(sorted(set(target_words)))
    targets = Sentences.from_lists([[vocabulary.id(w) for w in target_words]])
    table = extract(
        Sentences.from_lists([[source_vocabulary.id(w) for w in words]]),
        targets,
        np.array(links, np.int32),
        np.array([0, len(links)]),
    )
    classes = WordClasses({}, {})
    data = WordData(source_vocabulary, vocabulary, classes, classes)
    features = FeatureSet.compile("standard", DenseData(table), chosen_templates(families), data)
    lm = estimate(targets, vocabulary, LmOptions(order=2))
    decoder = Decoder(table, vocabulary, lm, features)
    text = SourceText.encode([source], source_vocabulary, vocabulary)
    spans = [(b, e, [vocabulary.id(w) for w in t.split()]) for b, e, t in blocks]
    derivation = decoder.derive(text, spans, Weights.default())
    steps = decoder.explain(derivation, text, Weights.default())
    keys, counts = decoder.sparse_features(derivation, text)
    sparse = [[f for f in step if ":" in f.name] for step in steps]
    assert counts.sum() == sum(f.value for step in sparse for f in step)
    assert len(keys) == len({f.name for step in sparse for f in step})
    return [[f.name for f in step for _ in range(int(f.value))] for step in sparse]


def test_four_blocks_with_a_swap_fire_the_features_of_the_block_papers() -> None:
    """Tillmann & Zhang 2008, figure 1: the orientations are N, L, N, R."""
    steps = fired(
        "AlTA}rAt AlHrbyP tnthk Almjal AllbnAny",
        "war planes violate Lebanese airspace",
        [(0, 1), (1, 0), (2, 2), (3, 4), (4, 3)],
        [(1, 2, "war"), (0, 1, "planes"), (2, 3, "violate"), (3, 5, "Lebanese airspace")],
        "all",
    )
    names = [name for step in steps for name in step]
    assert "P1:tnthk ||| violate" in steps[2]
    assert "W1:AllbnAny ||| Lebanese" in steps[3]
    assert "P5:Lebanese airspace ||| 2" in steps[3]
    ways = [name.rpartition(" ")[2] for name in names if name.startswith("P2:")]
    assert ways == ["N", "L", "N", "R"]
    jumps = [name for name in names if name.startswith("W2.jump:")]
    assert jumps == ["W2.jump:1", "W2.jump:-2", "W2.jump:1", "W2.jump:0"]
    families = Counter(name.partition(":")[0].partition(".")[0] for name in names)
    phrases = dict.fromkeys(("P1", "P2", "P3", "P4", "P5", "W4"), 4)
    # 1 + 1 + 1 + 2 * 2 pairs of words; three distortions a block; three m-grams a target word.
    assert families == {**phrases, "W1": 7, "W2": 12, "W3": 15}
    assert "P3:<s> ||| war" in steps[0]
    assert "W3.trigram:planes ||| violate ||| Lebanese" in steps[3]


def test_a_rule_in_its_context_fires_word_edges_and_non_local_features() -> None:
    """Yu et al. 2013, figure 5: r2 on x[3:6] after `<s> Bush`."""
    source = "Bushi yu Shalong juxing le huitan"
    steps = fired(
        source,
        "Bush held talks with Sharon",
        [(0, 0), (1, 3), (2, 4), (3, 1), (4, 1), (5, 2)],
        [(0, 1, "Bush"), (3, 6, "held talks"), (1, 3, "with Sharon")],
        "maxforce",
    )
    names = set(steps[1])
    for slot, value in {
        "source.first": "juxing",
        "source.last": "huitan",
        "source.left": "Shalong",
        "source.right": "</s>",
        "target.first": "held",
        "target.last": "talks",
    }.items():
        assert f"wordedges.{slot}@word:{value}" in names
        assert f"wordedges.{slot}@word+source.length:{value} ||| 3" in names
    assert "ruleid:juxing le huitan ||| held talks" in names
    assert "rule-bigram:Bushi ||| Bush ||| juxing le huitan ||| held talks" in names
    assert "rule-history.word:<s> ||| Bush ||| juxing le huitan ||| held talks" in names
    # All levels but for those of characters and types, which the target lacks: 637 combinations,
    # each alone and with the length; 5 levels of history.
    counts = Counter(name.partition(":")[0].partition(".")[0] for name in steps[1])
    assert counts == {"ruleid": 1, "wordedges": 2 * 637, "rule-bigram": 1, "rule-history": 5}
