from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from calque.decode import Translation
from calque.features.weights import key_name
from calque.hyps.nbest import NBest
from calque.text import offsets_of


def list_of_translations(index: int, found: Sequence[Translation]) -> NBest:
    """The translations of the sentence number `index` as a list; sparse features by key.

    Keys, because names may have blanks, which end a name in the files of other programs.
    """
    features = [
        {**one.features, **{key_name(key): value for key, value in one.sparse.items()}}
        for one in found
    ]
    columns: dict[str, int] = {}
    for name in chain.from_iterable(features):
        columns.setdefault(name, len(columns))
    return NBest(
        names=tuple(columns),
        sentences=np.full(len(found), index, np.int64),
        texts=[one.text for one in found],
        row_offsets=offsets_of([len(one) for one in features]),
        columns=np.array([columns[name] for one in features for name in one], np.int32),
        values=np.array([value for one in features for value in one.values()], np.float64),
        totals=np.array([one.score for one in found], np.float64),
    )
