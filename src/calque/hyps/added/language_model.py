from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque.hyps.added.material import Material
from calque.text import UNKNOWN


def language_model(material: Material) -> dict[str, NDArray[np.float64]]:
    """The log probability of every candidate and its end, and its words that the model lacks."""
    assert material.model is not None
    lm = material.model.lm
    ids = lm.vocabulary.encode(material.cased_text)
    owner = np.repeat(np.arange(len(ids)), ids.lengths)[ids.ids == UNKNOWN]
    unknown = np.bincount(owner, minlength=len(ids)).astype(np.float64)
    return {"language_model": lm.score_sentences(ids), "lm_unknown": unknown}
