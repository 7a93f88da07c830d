from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.align.alignments import Alignments
from calque.config.align import Symmetrization
from calque.text import Sentences, offsets_of


def symmetrize(
    forward: Alignments,
    reverse: Alignments,
    source: Sentences,
    target: Sentences,
    method: Symmetrization,
) -> Alignments:
    """One set of links from those of two directions, both as (source, target).

    `intersection` and `union` are those of the sets. `grow-diag` starts from the intersection and
    adds links of the union that touch a present link, straight or diagonally, where one of the two
    words has no link yet (Koehn, Och and Marcu 2003). `-final` then adds links of the union one of
    whose words has no link, `-final-and` those neither of whose words has one.
    """
    links, offsets = _core.symmetrize(
        forward.links,
        forward.offsets,
        reverse.links,
        reverse.offsets,
        source.offsets,
        target.offsets,
        method,
    )
    return Alignments(links, offsets)


def links_to_source(positions: NDArray[np.int32], target: Sentences) -> Alignments:
    """The links of a forward aligner: per target word its source position, or -1 for none."""
    sentence, place = _places(target)
    linked = positions >= 0
    sentence, links = sentence[linked], np.stack([positions[linked], place[linked]], axis=1)
    # By sentence and source; stable, so by target where these are equal.
    width = 1 + int(positions.max(initial=0))
    order = np.argsort(sentence * width + links[:, 0], kind="stable")
    return Alignments(links[order], offsets_of(np.bincount(sentence, minlength=len(target))))


def links_to_target(positions: NDArray[np.int32], source: Sentences) -> Alignments:
    """The links of a reverse aligner: per source word its target position, or -1 for none."""
    sentence, place = _places(source)
    linked = positions >= 0
    links = np.stack([place[linked], positions[linked]], axis=1)
    lengths = np.bincount(sentence[linked], minlength=len(source))
    return Alignments(links, offsets_of(lengths))


def _places(side: Sentences) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Sentence and position of every running word."""
    sentence = np.repeat(np.arange(len(side)), side.lengths)
    place = np.arange(side.n_words) - side.offsets[sentence]
    return sentence, place.astype(np.int32)
