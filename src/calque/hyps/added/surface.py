"""What a candidate looks like: its length, its repetitions, what it took over from the source."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque.hyps.added.material import Material


def length(material: Material) -> dict[str, NDArray[np.float64]]:
    """The number of words, and how far its logarithm is from that of the source."""
    n_words = material.words.lengths
    n_source = material.source_words.lengths[material.nbest.sentences]
    return {
        "words": n_words.astype(np.float64),
        "length_ratio": np.abs(np.log((n_words + 1) / (n_source + 1))),
    }


def repetition(material: Material) -> dict[str, NDArray[np.float64]]:
    """The words that repeat the one before, and the bigrams that the candidate had before."""
    ngrams, words = material.ngrams[1], material.words.ids
    doubled = words[ngrams.begins] == words[ngrams.begins + 1]
    n = len(material.nbest)
    places = ngrams.candidates * (ngrams.ids.max(initial=0) + 1) + ngrams.ids
    first = np.unique(places, return_index=True)[1]
    again = np.ones(len(places), bool)
    again[first] = False
    return {
        "doubled_words": np.bincount(ngrams.candidates[doubled], minlength=n).astype(np.float64),
        "repeated_bigrams": np.bincount(ngrams.candidates[again], minlength=n).astype(np.float64),
    }


def copies(material: Material) -> dict[str, NDArray[np.float64]]:
    """The words with a letter in them that stand in the source, too."""
    source, words = material.source_words, material.words
    n_ids = int(max(source.ids.max(initial=0), words.ids.max(initial=0))) + 1
    sentences = np.repeat(np.arange(len(source)), source.lengths)
    in_source = np.unique(sentences * n_ids + source.ids)
    candidates = np.repeat(np.arange(len(words)), words.lengths)
    taken = np.isin(material.nbest.sentences[candidates] * n_ids + words.ids, in_source)
    known, which = np.unique(words.ids[taken], return_inverse=True)
    letters = np.array([any(map(str.isalpha, material.word(id))) for id in known.tolist()], bool)
    counted = candidates[taken][letters[which]] if len(known) else candidates[:0]
    return {"copies": np.bincount(counted, minlength=len(words)).astype(np.float64)}
