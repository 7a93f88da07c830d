from __future__ import annotations

import numpy as np

from calque.progress import Progress
from calque.text import Sentences


def warn_of_long(source: Sentences, target: Sentences, max_words: int, progress: Progress) -> None:
    """Tell how many sentence pairs are too long to be aligned, where there are any."""
    longest = np.maximum(source.lengths, target.lengths)
    n_skipped = int(np.count_nonzero(longest > max_words))
    if n_skipped:
        progress.warn(
            f"{n_skipped} of {len(source)} sentence pairs have more than {max_words} words on a "
            "side and stay without links"
        )
