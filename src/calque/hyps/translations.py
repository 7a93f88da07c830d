from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from calque.decode import Translation
from calque.features.weights import key_name
from calque.hyps.nbest import NBest
from calque.text import offsets_of


def list_of_translations(index: int, translations: Sequence[Translation]) -> NBest:
    """The translations of the sentence number `index` as a list; sparse features by key.

    Keys, because names may have blanks, which end a name in the files of other programs.
    """
    features = [
        {**made.features, **{key_name(key): value for key, value in made.sparse.items()}}
        for made in translations
    ]
    columns: dict[str, int] = {}
    for name in chain.from_iterable(features):
        columns.setdefault(name, len(columns))
    return NBest(
        names=tuple(columns),
        sentences=np.full(len(translations), index, np.int64),
        texts=[made.text for made in translations],
        row_offsets=offsets_of([len(values) for values in features]),
        columns=np.array([columns[name] for values in features for name in values], np.int32),
        values=np.array([value for values in features for value in values.values()], np.float64),
        totals=np.array([made.score for made in translations], np.float64),
    )
