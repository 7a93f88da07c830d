from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.config import CleanOptions
from calque.text.sentences import Sentences


def find_overlap(
    training: Sentences,
    test: Sentences,
    max_words: int = CleanOptions.overlap_max_words,
    times: int = CleanOptions.overlap_times,
) -> NDArray[np.bool_]:
    """Flags of the training sentences that share a substring with a test set.

    A substring is one to `max_words` words in a row; both texts are ids of one vocabulary. With
    `times` = 0 every such sentence is flagged (those that share a word). With `times` = k a
    sentence is flagged only while it adds something: it has a test substring that fewer than k of
    the sentences flagged before have. So every test substring stays as frequent as it was, up to
    k. A few seconds for a million sentences. See `core/text/overlap.h` for the method.
    """
    flags = _core.find_overlap(
        training.ids, training.offsets, test.ids, test.offsets, max_words, times
    )
    return flags.view(np.bool_)
